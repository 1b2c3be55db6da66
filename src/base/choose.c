#include "base/choose.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"

rs_status rs_choose_init(rs_context *ctx, size_t longest, rs_choose_ws *ws)
{
    RS_ALLOC_DOUBLES(ctx, longest, &ws->work, &ws->tied);
    ws->mask = (unsigned char *)rs_alloc(ctx, longest, 1);
    ws->first = NULL;
    return rs_allocated(ctx);
}

rs_status rs_choose_first(rs_context *ctx, size_t count,
                          const unsigned char *first, rs_choose_ws *ws)
{
    ws->first = first;
    if (first == NULL)
        return RS_OK;
    RS_ALLOC_DOUBLES(ctx, count, &ws->value, &ws->second);
    ws->kept = (unsigned char *)rs_alloc(ctx, count, 1);
    return rs_allocated(ctx);
}

static double largest_modulus(size_t count, const double *value)
{
    double largest = 0.0;
#pragma omp simd reduction(max : largest)
    for (size_t i = 0; i < count; i++) {
        double modulus = fabs(value[i]);
        largest = modulus > largest ? modulus : largest;
    }
    return largest;
}

/* the smallest value that a mask keeps */
static double smallest_kept(size_t count, const double *value,
                            const unsigned char *keep)
{
    double smallest = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (keep[i] && value[i] < smallest)
            smallest = value[i];
    return smallest;
}

/* the largest value that a mask leaves out */
static double largest_left(size_t count, const double *value,
                           const unsigned char *keep)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (!keep[i] && value[i] > largest)
            largest = value[i];
    return largest;
}

/*
 * keep <- what lies above the tie; tied <- the second values of the tied ones,
 * -INFINITY elsewhere. Returns how many were kept.
 */
static size_t split_at(size_t count, const double *value, const double *second,
                       size_t period, double cut, double width,
                       unsigned char *keep, double *tied)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        int is_tied = fabs(value[i] - cut) <= width;
        tied[i] = is_tied ? (second ? second[i % period] : 0.0) : -INFINITY;
        keep[i] = !is_tied && value[i] > cut;
        kept += keep[i];
    }
    return kept;
}

/* the `wanted` tied ones of largest second value, then of smallest index */
static void add_tied(size_t count, size_t wanted, unsigned char *keep,
                     rs_choose_ws *ws)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        if (ws->tied[i] > -INFINITY)
            largest = fmax(largest, fabs(ws->tied[i]));
    const double width = RS_CHOOSE_TIE * largest;
    rs_topk_mask(count, ws->tied, wanted, ws->mask, ws->work);
    const double cut = smallest_kept(count, ws->tied, ws->mask);
    for (size_t i = 0; i < count; i++)
        if (ws->tied[i] > cut + width) {
            keep[i] = 1;
            wanted--;
        }
    for (size_t i = 0; i < count && wanted > 0; i++)
        if (fabs(ws->tied[i] - cut) <= width) {
            keep[i] = 1;
            wanted--;
        }
}

static rs_status choose(size_t count, const double *value,
                        const double *second, size_t period, size_t k,
                        unsigned char *keep, rs_choose_ws *ws)
{
    memset(keep, 0, count);
    if (!rs_all_finite(count, value) ||
        (second && !rs_all_finite(period, second)))
        return RS_NOT_FINITE;
    rs_topk_mask(count, value, k, keep, ws->work);
    if (k == 0 || k >= count)
        return RS_OK;
    double width = RS_CHOOSE_TIE * largest_modulus(count, value);
    double cut = smallest_kept(count, value, keep);
    if (cut - largest_left(count, value, keep) > width)
        return RS_OK;
    size_t kept =
        split_at(count, value, second, period, cut, width, keep, ws->tied);
    add_tied(count, k - kept, keep, ws);
    return RS_OK;
}

/* the marked places, and the best of the others for the rest of the k */
static rs_status choose_after_first(size_t count, const double *value,
                                    const double *second, size_t k,
                                    unsigned char *keep, rs_choose_ws *ws)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        if (!ws->first[i]) {
            ws->value[others] = value[i];
            ws->second[others++] = second ? second[i] : 0.0;
        }
    const size_t marked = count - others;
    RS_TRY(choose(others, ws->value, ws->second, others,
                  k > marked ? k - marked : 0, ws->kept, ws));
    others = 0;
    for (size_t i = 0; i < count; i++)
        keep[i] = ws->first[i] ? 1 : ws->kept[others++];
    return RS_OK;
}

rs_status rs_choose_mask(size_t count, const double *value,
                         const double *second, size_t period, size_t k,
                         unsigned char *keep, rs_choose_ws *ws)
{
    if (ws->first)
        return choose_after_first(count, value, second, k, keep, ws);
    return choose(count, value, second, period, k, keep, ws);
}

int rs_choose_best(int count, const double *value, const double *second)
{
    double largest = -INFINITY, modulus = 0.0, best = -INFINITY, scale = 0.0;
    int chosen = -1;
    for (int i = 0; i < count; i++) {
        if (isnan(value[i]) || value[i] == INFINITY)
            return -1;
        largest = fmax(largest, value[i]);
        if (value[i] > -INFINITY)
            modulus = fmax(modulus, fabs(value[i]));
    }
    const double cut = largest - RS_CHOOSE_TIE * modulus;
    for (int i = 0; i < count; i++)
        if (value[i] >= cut && value[i] > -INFINITY) {
            best = fmax(best, second[i]);
            scale = fmax(scale, fabs(second[i]));
        }
    for (int i = count; i-- > 0;)
        if (value[i] >= cut && value[i] > -INFINITY &&
            second[i] >= best - RS_CHOOSE_TIE * scale)
            chosen = i;
    return chosen;
}
