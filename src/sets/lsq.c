/* The least-squares problem and its products, from the data and the response. */
#include "sets/lsq.h"

#include <math.h>
#include <string.h>

#include "data/dense.h"
#include "data/sparse.h"
#include "la/linalg.h"

/* features that come near to a set: for each member so many, while their products
 * with the members are no more than, and beside the members no fewer than */
#define RS_LSQ_EACH 100
#define RS_LSQ_PRODUCTS 15000
#define RS_LSQ_LEAST 200

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
        RS_TRY(rs_data_columns(problem->X, width, NULL, j, block));
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
    rs_row_squares(problem->d, problem->c, problem->B, base);
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
    rs_data_columns(problem->X, 1, NULL, j, z);
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

int rs_lsq_few(const rs_lsq *problem, int k)
{
    const int few = rs_min_int(RS_LSQ_EACH * k, RS_LSQ_PRODUCTS / k);
    return rs_min_int(rs_max_int(few, k + RS_LSQ_LEAST), problem->d);
}

int rs_lsq_prefers_products(const rs_lsq *problem, int k)
{
    const int d = problem->d;
    return problem->X &&
           (problem->Y ? d == rs_lsq_few(problem, k) : d <= problem->n);
}

rs_status rs_lsq_form_products(rs_context *ctx, rs_lsq *problem)
{
    const size_t d = (size_t)problem->d;
    double *S = rs_alloc_double(ctx, d * d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_gram_weighted(problem->X, NULL, S));
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

/* the `rows` numbers of each of the listed columns; NULL of NULL */
static double *pick(rs_context *ctx, const double *from, size_t rows,
                    int count, const int *column)
{
    double *to = from ? rs_alloc_double(ctx, rows * (size_t)count) : NULL;
    for (int a = 0; a < count && to; a++)
        rs_copy(rows, from + rows * (size_t)column[a], to + rows * (size_t)a);
    return to;
}

static unsigned char *pick_marks(rs_context *ctx, const unsigned char *from,
                                 int count, const int *column)
{
    unsigned char *to = (unsigned char *)rs_alloc(ctx, (size_t)count, 1);
    for (int a = 0; a < count && to; a++)
        to[a] = from && from[column[a]];
    return to;
}

/* S from the columns in the data, which are kept, and as they were given, if `data` */
static rs_status pick_data(rs_context *ctx, const rs_lsq *all, int count,
                           const int *feature, int data, double *S,
                           rs_lsq *some)
{
    const size_t n = (size_t)all->n, q = (size_t)count;
    const int given = all->given.raw || all->given.whole || all->X->given;
    double *values = rs_alloc_double(ctx, n * q);
    double *raw = given && data ? rs_alloc_double(ctx, n * q) : NULL;
    some->X = data ? (rs_data *)rs_alloc(ctx, 1, sizeof *some->X) : NULL;
    RS_TRY(rs_allocated(ctx));
    for (int a = 0; a < count; a++) {
        rs_lsq_column(all, feature[a], values + n * (size_t)a);
        if (raw)
            rs_lsq_raw_column(all, feature[a], raw + n * (size_t)a);
    }
    some->given.raw = raw;
    some->given.whole = NULL;
    if (!all->S) {
        rs_fill(q * q, 0.0, S);
        RS_TRY(rs_gram_add(ctx, all->n, count, values, all->n, S));
        rs_mirror_upper(count, S);
    }
    return data ? rs_data_dense(ctx, all->n, count, values, 1, some->X)
                : RS_OK;
}

rs_status rs_lsq_some(rs_context *ctx, const rs_lsq *all, int count,
                      const int *feature, int data, rs_lsq *some)
{
    const size_t d = (size_t)all->d, q = (size_t)count;
    const size_t levels = (size_t)rs_max_int(all->centring.levels, 1);
    double *S = rs_alloc_double(ctx, q * q);
    double *B = rs_alloc_double(ctx, q * (size_t)all->c);
    *some = *all;
    some->d = count;
    some->shared = NULL;
    some->base = pick(ctx, all->base, 1, count, feature);
    some->square = pick(ctx, all->square, 1, count, feature);
    some->deviation = pick(ctx, all->deviation, 1, count, feature);
    some->given.weight = pick(ctx, all->given.weight, 1, count, feature);
    some->centring.mean =
        pick(ctx, all->centring.mean, levels, count, feature);
    some->centring.fine =
        pick(ctx, all->centring.fine, levels, count, feature);
    some->first = pick_marks(ctx, all->first, count, feature);
    some->barred = pick_marks(ctx, all->barred, count, feature);
    RS_TRY(rs_allocated(ctx));
    for (size_t l = 0; l < (size_t)all->c; l++)
        for (size_t a = 0; a < q; a++)
            B[a + q * l] = all->B[(size_t)feature[a] + d * l];
    for (size_t b = 0; b < q && all->S; b++)
        for (size_t a = 0; a < q; a++)
            S[a + q * b] = all->S[feature[a] + d * (size_t)feature[b]];
    some->B = B;
    some->S = S;
    some->X = NULL;
    if (!data)
        some->Y = NULL;
    return all->X && (data || !all->S)
               ? pick_data(ctx, all, count, feature, data, S, some)
               : RS_OK;
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
    *cache = (rs_columns){.ctx = ctx, .d = problem->d, .slots = slots};
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

double *rs_columns_claim(rs_columns *cache, int j)
{
    int *owner = cache->owner;
    const int slot = cache->next;
    cache->next = (slot + 1) % cache->slots;
    if (owner[slot] >= 0)
        cache->slot_of[owner[slot]] = -1;
    owner[slot] = j;
    cache->slot_of[j] = slot;
    if (!cache->columns[slot])
        cache->columns[slot] = rs_alloc_double(cache->ctx, (size_t)cache->d);
    return cache->columns[slot];
}

rs_status rs_columns_get(rs_columns *cache, const rs_lsq *problem, int j,
                         const double **at)
{
    if (!problem->S && cache->slot_of[j] < 0) {
        double *column = rs_columns_claim(cache, j);
        RS_TRY_ALLOC(column);
        rs_lsq_column(problem, j, cache->z);
        RS_TRY(rs_data_crossprod(problem->X, 1, cache->z, column));
    }
    *at = problem->S ? problem->S + (size_t)problem->d * j
                     : cache->columns[cache->slot_of[j]];
    return RS_OK;
}
