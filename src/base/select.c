#include "base/select.h"

#include <math.h>
#include <string.h>

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* move the median of three probes to v[low]; guards against sorted input */
static double pivot(double *v, size_t low, size_t high)
{
    size_t middle = low + (high - low) / 2;
    if (v[middle] < v[low])
        swap(&v[middle], &v[low]);
    if (v[high] < v[low])
        swap(&v[high], &v[low]);
    if (v[high] < v[middle])
        swap(&v[high], &v[middle]);
    return v[middle];
}

/*
 * Quickselect: the element that would stand at `rank` (0 = largest) after a
 * descending sort. Hoare's three-way split, so runs of equal values are
 * passed in one step. `v` is reordered.
 */
static double kth_largest(double *v, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double at = pivot(v, low, high);
        size_t i = low, above = low, below = high + 1;
        while (i < below) { /* [low, above) > at, [below, high] < at */
            if (v[i] > at)
                swap(&v[i++], &v[above++]);
            else if (v[i] < at)
                swap(&v[i], &v[--below]);
            else
                i++;
        }
        if (rank < above)
            high = above - 1;
        else if (rank >= below)
            low = below;
        else
            return at;
    }
    return v[low];
}

double rs_kth_largest(size_t count, const double *value, size_t k,
                      double *work)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            work[found++] = value[i];
    return k <= found ? kth_largest(work, found, k - 1) : -INFINITY;
}

/* does a stand before b: larger value, or equal value and smaller index; NaN
 * equals NaN and is smaller than every number */
static int before(const double *value, int a, int b)
{
    if (value[a] > value[b] || value[a] < value[b])
        return value[a] > value[b];
    int a_nan = isnan(value[a]) != 0, b_nan = isnan(value[b]) != 0;
    return a_nan == b_nan ? a < b : b_nan;
}

/* push index[at] down a heap whose root is the last in order */
static void sift_down(const double *value, int *index, int size, int at)
{
    for (;;) {
        int child = 2 * at + 1;
        if (child >= size)
            return;
        if (child + 1 < size && before(value, index[child], index[child + 1]))
            child++;
        if (!before(value, index[at], index[child]))
            return;
        int t = index[at];
        index[at] = index[child];
        index[child] = t;
        at = child;
    }
}

void rs_sort_indices(const double *value, int k, int *index)
{
    for (int at = k / 2 - 1; at >= 0; at--)
        sift_down(value, index, k, at);
    for (int size = k - 1; size > 0; size--) {
        int t = index[0];
        index[0] = index[size];
        index[size] = t;
        sift_down(value, index, size, 0);
    }
}

void rs_topk_order(int count, const double *value, int k, int *index,
                   double *work)
{
    int found = 0;
    if (k > count)
        k = count;
    if (k < 1)
        return;
    double cut = rs_kth_largest((size_t)count, value, (size_t)k, work);
    for (int i = 0; i < count; i++)
        if (value[i] > cut)
            index[found++] = i;
    for (int i = 0; i < count && found < k; i++)
        if (value[i] == cut)
            index[found++] = i;
    for (int i = 0; i < count && found < k; i++)
        if (isnan(value[i]))
            index[found++] = i;
    rs_sort_indices(value, k, index);
}

/* ---- where rounding decides nothing ------------------------------------------- */

rs_status rs_choose_init(rs_context *ctx, size_t longest, rs_choose_ws *ws)
{
    RS_ALLOC_DOUBLES(ctx, longest, &ws->work, &ws->tied);
    ws->first = NULL;
    return rs_allocated(ctx);
}

rs_status rs_choose_first(rs_context *ctx, size_t count,
                          const unsigned char *first, rs_choose_ws *ws)
{
    ws->first = first;
    if (first)
        ws->value = rs_alloc_double(ctx, count);
    return rs_allocated(ctx);
}

/* the largest modulus; -INFINITY stands for places that are out */
static double largest_modulus(size_t count, const double *value)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        if (value[i] > -INFINITY)
            largest = fmax(largest, fabs(value[i]));
    return largest;
}

/*
 * keep[i] = 1 above the k-th largest value by more than a tie; tied[i]: the
 * second value of one that ties with it, else -INFINITY. Returns how many of
 * the tied ones are wanted.
 */
static size_t split_at_tie(size_t count, const double *value,
                           const double *second, size_t period, size_t k,
                           unsigned char *keep, rs_choose_ws *ws)
{
    const double width = RS_CHOOSE_TIE * largest_modulus(count, value);
    const double cut = rs_kth_largest(count, value, k, ws->work);
    for (size_t i = 0; i < count; i++) {
        const int is_tied = fabs(value[i] - cut) <= width;
        ws->tied[i] =
            is_tied ? (second ? second[i % period] : 0.0) : -INFINITY;
        keep[i] = !is_tied && value[i] > cut;
        k -= keep[i];
    }
    return k;
}

/* the `wanted` tied ones of largest second value, then of smallest index */
static void add_tied(size_t count, size_t wanted, unsigned char *keep,
                     rs_choose_ws *ws)
{
    const double width = RS_CHOOSE_TIE * largest_modulus(count, ws->tied);
    const double cut = rs_kth_largest(count, ws->tied, wanted, ws->work);
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

rs_status rs_choose_mask(size_t count, const double *value,
                         const double *second, size_t period, size_t k,
                         unsigned char *keep, rs_choose_ws *ws)
{
    size_t marked = 0;
    memset(keep, 0, count);
    for (size_t i = 0; i < count && ws->first; i++)
        marked += ws->first[i] != 0;
    for (size_t i = 0; i < count; i++)
        if (!(ws->first && ws->first[i]) && !isfinite(value[i]))
            return RS_NOT_FINITE;
    if (second && !rs_all_finite(period, second))
        return RS_NOT_FINITE;
    if (k >= count) {
        memset(keep, 1, count);
        return RS_OK;
    }
    for (size_t i = 0; i < count && marked > 0; i++)
        ws->value[i] = ws->first[i] ? -INFINITY : value[i];
    if (k > marked)
        add_tied(count,
                 split_at_tie(count, marked > 0 ? ws->value : value, second,
                              period, k - marked, keep, ws),
                 keep, ws);
    for (size_t i = 0; i < count && marked > 0; i++)
        keep[i] |= ws->first[i] != 0;
    return RS_OK;
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
