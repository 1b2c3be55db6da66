/* The least-squares problem and its products, from the data and the response. */
#include "sets/lsq.h"

#include <math.h>
#include <string.h>

#include "data/sparse.h"
#include "la/linalg.h"

double rs_lsq_farthest(const rs_lsq *problem)
{
    double reach = 0.0;
    for (int j = 0; j < problem->d; j++) {
        const double *mean = rs_level_means(&problem->centring, j);
        for (int l = 0; l < problem->centring.levels; l++)
            if (!problem->barred[j])
                reach = fmax(reach, fabs(mean[l]) / problem->deviation[j]);
    }
    return reach;
}

/* base_j = x_j'K x_j, a block of columns at a time */
static rs_status base_from_samples(rs_context *ctx, const rs_lsq *problem,
                                   const double *K, double *base)
{
    const int n = problem->n, d = problem->d;
    const int step = rs_columns_per_call(n, n, RS_PANEL);
    double *block, *image;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * step, &block, &image);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < d; j += step) {
        int width = step < d - j ? step : d - j;
        RS_TRY(rs_data_column_range(problem->X, j, width, block));
        rs_matmul(n, n, width, K, block, image);
        for (int b = 0; b < width; b++)
            base[j + b] = rs_dot((size_t)n, block + (size_t)n * b,
                                 image + (size_t)n * b);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

/* the same for Y = X, and ||X||^2 */
static rs_status prepare_self(rs_context *ctx, rs_lsq *problem, double *base)
{
    const size_t n = (size_t)problem->n, d = (size_t)problem->d;
    problem->total = 0.0;
    for (size_t j = 0; j < d; j++)
        problem->total += problem->square[j];
    for (size_t j = 0; j < d && !problem->X; j++)
        base[j] = rs_sum_squares(d, problem->S + d * j);
    if (!problem->X)
        return RS_OK;
    double *K = rs_alloc_double(ctx, n * n);
    RS_TRY_ALLOC(K);
    problem->K = K;
    RS_TRY(rs_data_gram_samples(problem->X, NULL, K));
    return base_from_samples(ctx, problem, K, base);
}

rs_status rs_lsq_prepare(rs_context *ctx, rs_lsq *problem)
{
    const size_t d = (size_t)problem->d, c = (size_t)problem->c;
    double *base = rs_alloc_double(ctx, d);
    RS_TRY_ALLOC(base);
    problem->base = base;
    if (c == 0)
        return prepare_self(ctx, problem, base);
    if (problem->X && !problem->B) {
        double *B = rs_alloc_double(ctx, d * c);
        RS_TRY_ALLOC(B);
        RS_TRY(rs_data_crossprod(problem->X, problem->c, problem->Y, B));
        problem->B = B;
    }
    rs_row_norms(problem->d, problem->c, problem->B, base);
    for (size_t j = 0; j < d; j++)
        base[j] *= base[j];
    return RS_OK;
}

/* ---- columns ------------------------------------------------------------ */

void rs_lsq_raw_column(const rs_lsq *p, int j, double *z)
{
    const size_t n = (size_t)p->n;
    if (p->given.raw)
        rs_copy(n, p->given.raw + n * j, z);
    else if (!p->given.whole)
        rs_sparse_raw_column(p->X->given, p->n, j, z);
    else
        for (size_t i = 0; i < n; i++)
            z[i] = p->given.whole[n * j + i];
}

void rs_lsq_column(const rs_lsq *problem, int j, double *z)
{
    rs_data_column_range(problem->X, j, 1, z);
    rs_centre_again(&problem->centring, problem->n, z);
}

/* ---- products ----------------------------------------------------------- */

double rs_product_error(const rs_lsq *problem)
{
    /* products with sparse columns take means off afterwards, which are no
     * longer than the columns: see data/sparse.h */
    const int before = problem->X && problem->X->shift_square > 0.0;
    return ((problem->n + problem->c + 16.0) * (before ? 2.0 : 1.0) +
            8.0 * problem->reach) *
           2.220446049250313e-16;
}

int rs_lsq_prefers_products(const rs_lsq *problem, int k)
{
    const int d = problem->d;
    return problem->X && d <= problem->n && (!problem->Y || d <= 8.0 * k);
}

rs_status rs_lsq_form_products(rs_context *ctx, rs_lsq *problem)
{
    const size_t d = (size_t)problem->d;
    double *S = rs_alloc_double(ctx, d * d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_gram_features(problem->X, S));
    problem->S = S;
    return RS_OK;
}

rs_status rs_lsq_use_products(rs_context *ctx, rs_lsq *problem)
{
    RS_TRY(rs_lsq_form_products(ctx, problem));
    problem->X = NULL;
    problem->Y = NULL;
    return RS_OK;
}

rs_status rs_ordered_products(const rs_lsq *problem, const int *order, int d,
                              const int *wanted, int width, double *columns,
                              double *raw, double *out)
{
    const size_t n = (size_t)problem->n, all = (size_t)problem->d;
    if (!problem->S) {
        for (int b = 0; b < width; b++)
            rs_lsq_column(problem, wanted[b], columns + n * b);
        RS_TRY(rs_data_crossprod(problem->X, width, columns, raw));
    }
    for (int b = 0; b < width; b++) {
        const double *from =
            problem->S ? problem->S + all * wanted[b] : raw + all * b;
        for (int q = 0; q < d; q++)
            out[q + (size_t)d * b] = from[order[q]];
    }
    return RS_OK;
}

/* ---- columns of the products --------------------------------------------------- */

rs_status rs_columns_init(rs_context *ctx, const rs_lsq *problem, int k,
                          rs_columns *cache)
{
    const size_t d = (size_t)problem->d, stored = problem->S == NULL;
    /* columns that are kept beyond those of a set */
    const int spare = RS_PANEL + RS_CACHED / problem->d;
    const int slots = rs_min_int(k + spare, problem->d);
    *cache = (rs_columns){.ctx = ctx, .slots = slots};
    cache->columns =
        (double **)rs_alloc(ctx, (size_t)slots, sizeof *cache->columns);
    cache->z = rs_alloc_double(ctx, stored * problem->n);
    cache->owner = rs_alloc_int(ctx, (size_t)slots);
    cache->slot_of = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    memset(cache->owner, -1, (size_t)slots * sizeof *cache->owner);
    memset(cache->slot_of, -1, d * sizeof *cache->slot_of);
    for (int slot = 0; slot < slots; slot++)
        cache->columns[slot] = NULL;
    return RS_OK;
}

rs_status rs_columns_get(rs_columns *cache, const rs_lsq *problem, int j,
                         const unsigned char *member, const double **at)
{
    int *owner = cache->owner, slot = cache->slot_of[j];
    if (!problem->S && slot < 0) {
        slot = cache->next;
        while (member && owner[slot] >= 0 && member[owner[slot]])
            slot = (slot + 1) % cache->slots;
        cache->next = (slot + 1) % cache->slots;
        if (owner[slot] >= 0)
            cache->slot_of[owner[slot]] = -1;
        owner[slot] = -1;
        if (!cache->columns[slot])
            cache->columns[slot] =
                rs_alloc_double(cache->ctx, (size_t)problem->d);
        RS_TRY_ALLOC(cache->columns[slot]);
        rs_lsq_column(problem, j, cache->z);
        RS_TRY(
            rs_data_crossprod(problem->X, 1, cache->z, cache->columns[slot]));
        owner[slot] = j;
        cache->slot_of[j] = slot;
    }
    *at = problem->S ? problem->S + (size_t)problem->d * j
                     : cache->columns[slot];
    return RS_OK;
}
