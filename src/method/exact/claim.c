/* What is claimed of a proof in the end, from the set evaluated once more. */
#include "method/exact/claim.h"

#include <float.h>
#include <math.h>

#include "sets/accurate.h"
#include "proof/value.h"

/* errors of rounding add up like a random walk, which is not so many times
 * farther from its start than expected */
#define RS_FAR_WALK 16.0

/* A (k x k) and b (k x c) of unit columns; ||Y|| = 1 */
static rs_status take_products(rs_context *ctx, const rs_lsq *p, int k,
                               const int *set, double *A, double *b)
{
    const size_t n = p->X ? (size_t)p->n : 0, all = p->X ? (size_t)p->d : 0;
    double *columns = rs_alloc_double(ctx, n * RS_EXACT_PANEL);
    double *raw = rs_alloc_double(ctx, all * RS_EXACT_PANEL);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < k; j += RS_EXACT_PANEL)
        RS_TRY(rs_ordered_products(p, set, k, set + j,
                                   rs_min_int(RS_EXACT_PANEL, k - j), columns,
                                   raw, A + (size_t)k * j));
    for (int j = 0; j < k; j++) {
        const double length = sqrt(p->square[set[j]] + p->ridge);
        for (int i = 0; i < k; i++)
            A[i + (size_t)k * j] /=
                length * sqrt(p->square[set[i]] + p->ridge);
        A[j + (size_t)k * j] = 1.0;
        for (int l = 0; l < p->c; l++)
            b[j + (size_t)k * l] =
                p->B[set[j] + (size_t)p->d * l] / length / sqrt(p->total);
    }
    return RS_OK;
}

static double error_of_products(const rs_lsq *p)
{
    const double steps = fmin((double)p->n, RS_FAR_WALK * sqrt((double)p->n));
    return DBL_EPSILON * (steps + p->c + 16.0 + 8.0 * p->reach);
}

static rs_status evaluate_by_products(rs_context *ctx, const rs_lsq *p, int k,
                                      const int *set, rs_cdlsr_value *out)
{
    const size_t cells = (size_t)k * (size_t)k, c = (size_t)p->c;
    double *A = rs_alloc_double(ctx, cells), *L = rs_alloc_double(ctx, cells);
    double *b = rs_alloc_double(ctx, k * c), *W = rs_alloc_double(ctx, k * c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(take_products(ctx, p, k, set, A, b));
    rs_value_by_products(k, p->c, A, b, error_of_products(p), L, W,
                         &out->explained, &out->error);
    return RS_OK;
}

rs_status rs_cdlsr_evaluate(rs_context *ctx, const rs_lsq *p, int k,
                            const int *set, rs_cdlsr_value *out)
{
    rs_accurate accurate;
    RS_TRY(rs_accurate_init(ctx, p, rs_max_int(k, 1), &accurate));
    out->from_data = accurate.able;
    if (!accurate.able)
        return evaluate_by_products(ctx, p, k, set, out);
    out->explained = 0.0;
    for (int i = 1; i <= k; i++) {
        out->explained = rs_accurate_explained(&accurate, i, set) / p->total;
        RS_TRY(rs_poll(ctx));
    }
    out->error = (k + 16.0) * DBL_EPSILON;
    return RS_OK;
}

rs_status rs_cdlsr_claim(const rs_lsq *problem,
                         const rs_exact_settings *settings,
                         const rs_cdlsr_value *value, rs_exact_fit *fit)
{
    const double total = problem->total, spare = settings->tol;
    int known, sound;
    /* what the search took the set for, and what it says of all sets */
    sound =
        fit->explained <= (value->explained + value->error + spare) * total &&
        fit->bound >= (value->explained - value->error - spare) * total;
    if (value->from_data && !sound)
        return RS_UNSOUND;
    known = value->from_data || (sound && value->error <= spare);
    if (fit->count < settings->k)
        fit->complete = fit->resolved = value->from_data;
    if (known && value->explained - value->error >= 1.0 - spare)
        fit->complete = fit->resolved = 1;
    fit->resolved = fit->resolved && known;
    fit->complete = fit->complete && known;
    fit->explained = value->explained * total;
    if (fit->complete)
        fit->bound = fit->explained;
    else
        fit->bound =
            fmin(fmax(fit->bound, (value->explained + value->error) * total),
                 total);
    return RS_OK;
}
