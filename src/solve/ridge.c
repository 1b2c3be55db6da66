#include "solve/ridge.h"

#include <math.h>

#include "la/linalg.h"

/* share of the diagonal that is added to a system that rounding spoilt: a
 * hundred times more each time */
#define RS_RIDGE_LARGEST_GROWTH 1e-6
#define RS_RIDGE_GROWTH_FACTOR 100.0

rs_status rs_ridge_init(rs_context *ctx, int largest, rs_ridge *ridge)
{

    *ridge = (rs_ridge){.ctx = ctx, .largest = largest};
    ridge->A = rs_alloc_double(ctx, (size_t)largest * largest);
    ridge->diagonal = rs_alloc_double(ctx, (size_t)largest);
    return rs_allocated(ctx);
}

/* A += diag(weight); the diagonal is kept */
static void add_weights(const double *weight, rs_ridge *ridge)
{
    const size_t step = (size_t)ridge->order + 1;
    for (int j = 0; j < ridge->order; j++) {
        ridge->A[j * step] += weight ? weight[j] : 1.0;
        ridge->diagonal[j] = ridge->A[j * step];
    }
}

rs_status rs_ridge_factor(int order, const double *weight, rs_ridge *ridge)
{
    if (order > ridge->largest)
        return RS_BAD_INPUT;
    ridge->order = order;
    ridge->growth = 0.0;
    add_weights(weight, ridge);
    return rs_cholesky_polled(ridge->ctx, order, ridge->A);
}

/* the upper triangle again from the lower one, with a larger diagonal */
static void grow(rs_ridge *ridge)
{
    const size_t order = (size_t)ridge->order;
    double *A = ridge->A;
    ridge->growth = fmax(RS_RIDGE_GROWTH_FACTOR * ridge->growth, RS_ROUNDING);
    for (size_t j = 0; j < order; j++) {
        for (size_t i = 0; i < j; i++)
            A[i + order * j] = A[j + order * i];
        A[j + order * j] = (1.0 + ridge->growth) * ridge->diagonal[j];
    }
}

rs_status rs_ridge_factor_grown(int order, const double *weight,
                                rs_ridge *ridge)
{
    rs_status status = rs_ridge_factor(order, weight, ridge);
    while (status == RS_SINGULAR && ridge->growth < RS_RIDGE_LARGEST_GROWTH) {
        grow(ridge);
        status = rs_cholesky_polled(ridge->ctx, order, ridge->A);
    }
    return status;
}

rs_status rs_ridge_solve(int m, double *B, const rs_ridge *ridge)
{
    const int order = ridge->order,
              step = rs_columns_per_call(order, order, m);
    for (int l = 0; l < m; l += step) {
        RS_TRY(rs_cholesky_solve(order, rs_min_int(step, m - l), ridge->A,
                                 order, B + (size_t)order * l, order));
        RS_TRY(rs_poll(ridge->ctx));
    }
    return RS_OK;
}

rs_status rs_ridge_inverse(double *P, const rs_ridge *ridge)
{
    rs_copy((size_t)ridge->order * ridge->order, ridge->A, P);
    return rs_cholesky_inverse_polled(ridge->ctx, ridge->order, P);
}
