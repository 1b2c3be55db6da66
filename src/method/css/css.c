#include "method/css/css.h"

#include "la/linalg.h"

/* most columns of X in one product with K: from there on BLAS gains nothing,
 * and the block would only take more memory */
#define RS_COLUMNS_AT_ONCE 64

/* base_j = x_j'K x_j, a block of columns at a time */
static rs_status base_from_samples(rs_context *ctx, const rs_lsq *problem,
                                   const double *K, double *base)
{
    const int n = problem->n, d = problem->d;
    const int step = rs_columns_per_call(n, n, RS_COLUMNS_AT_ONCE);
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

rs_status rs_css_prepare(rs_context *ctx, rs_lsq *problem)
{
    const size_t n = (size_t)problem->n, d = (size_t)problem->d;
    double *base = rs_alloc_double(ctx, d);
    RS_TRY_ALLOC(base);
    problem->total = 0.0;
    for (size_t j = 0; j < d; j++)
        problem->total += problem->square[j];
    if (problem->X) {
        double *K = rs_alloc_double(ctx, n * n);
        RS_TRY_ALLOC(K);
        RS_TRY(rs_data_gram_samples(problem->X, NULL, K));
        RS_TRY(base_from_samples(ctx, problem, K, base));
        problem->K = K;
    } else {
        for (size_t j = 0; j < d; j++)
            base[j] = rs_sum_squares(d, problem->S + d * j);
    }
    problem->base = base;
    return RS_OK;
}
