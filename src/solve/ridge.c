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

rs_status rs_ridge_factor(int order, const double *weight, rs_ridge *ridge)
{
    if (order > ridge->largest)
        return RS_BAD_INPUT;
    ridge->order = order;
    ridge->growth = 0.0;
    for (int j = 0; j < order; j++) {
        double *own = ridge->A + j * ((size_t)order + 1);
        *own += weight ? weight[j] : 1.0;
        ridge->diagonal[j] = *own;
    }
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

/* ---- regression with weighted rows -------------------------------------------- */

rs_status rs_row_regression_init(rs_context *ctx, rs_data *X, int c,
                                 rs_row_regression *reg)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    const int order = rs_min_int(X->n, X->d);
    *reg = (rs_row_regression){.X = X, .c = c};
    reg->index = rs_alloc_int(ctx, d);
    reg->u = rs_alloc_double(ctx, d);
    reg->weight = rs_alloc_double(ctx, (size_t)order);
    reg->inverse = rs_alloc_double(ctx, n);
    reg->Z = rs_alloc_double(ctx, n * c);
    reg->B = rs_alloc_double(ctx, (size_t)order * c);
    reg->panel = rs_alloc_double(ctx, X->subset_room);
    RS_TRY(rs_allocated(ctx));
    return rs_ridge_init(ctx, order, &reg->equations);
}

/* gram <- X'X or XX', once */
static rs_status take_products(rs_row_regression *reg)
{
    const size_t order = (size_t)(reg->by_samples ? reg->X->n : reg->X->d);
    if (reg->gram)
        return RS_OK;
    RS_TRY_ALLOC(reg->gram =
                     rs_alloc_double(reg->equations.ctx, order * order));
    return reg->by_samples ? rs_data_gram_samples(reg->X, NULL, reg->gram)
                           : rs_data_gram_weighted(reg->X, NULL, reg->gram);
}

/* A <- D X_J'V^{-1}X_J D */
static rs_status features_system(rs_row_regression *reg)
{
    const size_t d = (size_t)reg->X->d, count = (size_t)reg->count;
    const int is_own = reg->v || reg->X->n < reg->X->d;
    double *A = reg->equations.A;
    for (int i = 0; i < reg->X->n && reg->v; i++)
        reg->inverse[i] = 1.0 / reg->v[i];
    if (is_own)
        RS_TRY(rs_data_gram_subset(reg->X, reg->v ? reg->inverse : NULL,
                                   reg->count, reg->index, reg->panel, A));
    else
        RS_TRY(take_products(reg));
    for (size_t b = 0; b < count; b++)
        for (size_t a = 0; a < count; a++) {
            const size_t i = (size_t)reg->index[a], j = (size_t)reg->index[b];
            const double *from =
                is_own ? A + a + count * b : reg->gram + i + d * j;
            A[a + count * b] = reg->u[i] * reg->u[j] * *from;
        }
    return RS_OK;
}

rs_status rs_row_regression_factor(double beta, const double *u,
                                   const double *v, rs_row_regression *reg)
{
    const int d = reg->X->d;
    reg->v = v;
    reg->count = 0;
    for (int j = 0; j < d; j++)
        if (!u || u[j] > 0.0)
            reg->index[reg->count++] = j;
    reg->by_samples = reg->X->n < reg->count;
    for (int j = 0; j < d; j++)
        reg->u[j] = !u ? 1.0 : reg->by_samples ? u[j] : sqrt(u[j]);
    const int order = reg->by_samples ? reg->X->n : reg->count;
    for (int i = 0; i < order; i++)
        reg->weight[i] = reg->by_samples && v ? beta * v[i] : beta;
    if (order == 0)
        return RS_OK;
    if (!reg->by_samples) {
        RS_TRY(features_system(reg));
    } else if (u) { /* A <- X U X' */
        RS_TRY(rs_data_gram_samples(reg->X, u, reg->equations.A));
    } else {
        RS_TRY(take_products(reg));
        rs_copy((size_t)order * order, reg->gram, reg->equations.A);
    }
    return rs_ridge_factor_grown(order, reg->weight, &reg->equations);
}

/* R = beta V Z: without cancellation where residuals vanish. A diagonal that
 * has grown acts like larger v. */
static rs_status solve_by_samples(const double *T, double *W, double *R,
                                  rs_row_regression *reg)
{
    const int n = reg->X->n, c = reg->c;
    const rs_ridge *equations = &reg->equations;
    rs_copy((size_t)n * c, T, reg->Z);
    RS_TRY(rs_ridge_solve(c, reg->Z, equations));
    RS_TRY(rs_data_crossprod(reg->X, c, reg->Z, W));
    rs_scale_rows(reg->X->d, c, reg->u, W);
    for (int l = 0; l < c && R; l++)
        for (int i = 0; i < n; i++)
            R[i + (size_t)n * l] =
                (reg->weight[i] + equations->growth * equations->diagonal[i]) *
                reg->Z[i + (size_t)n * l];
    return RS_OK;
}

rs_status rs_row_regression_invert(const double *F, double *B,
                                   rs_row_regression *reg)
{
    const size_t d = (size_t)reg->X->d, count = (size_t)reg->count;
    for (int l = 0; l < reg->c; l++)
        for (size_t a = 0; a < count; a++)
            reg->B[a + count * l] = F[reg->index[a] + d * l];
    if (count > 0)
        RS_TRY(rs_ridge_solve(reg->c, reg->B, &reg->equations));
    rs_fill(d * reg->c, 0.0, B);
    for (int l = 0; l < reg->c; l++)
        for (size_t a = 0; a < count; a++)
            B[reg->index[a] + d * l] = reg->B[a + count * l];
    return RS_OK;
}

rs_status rs_row_regression_solve(const double *T, double *W, double *R,
                                  rs_row_regression *reg)
{
    const int n = reg->X->n, d = reg->X->d, c = reg->c;
    if (reg->by_samples)
        return solve_by_samples(T, W, R, reg);
    rs_copy((size_t)n * c, T, reg->Z);
    rs_scale_rows(n, c, reg->v ? reg->inverse : NULL, reg->Z);
    RS_TRY(rs_data_crossprod(reg->X, c, reg->Z, W));
    rs_scale_rows(d, c, reg->u, W);
    RS_TRY(rs_row_regression_invert(W, W, reg));
    rs_scale_rows(d, c, reg->u, W);
    return R ? rs_data_residual(reg->X, c, T, W, R) : RS_OK;
}

/* by features W = A^{-1} (X'T + beta D); by samples around D */
rs_status rs_row_regression_solve_about(const double *T, const double *D,
                                        double *W, double *R,
                                        rs_row_regression *reg)
{
    const size_t d_cells = (size_t)reg->X->d * reg->c;
    if (reg->by_samples) {
        RS_TRY(rs_data_residual(reg->X, reg->c, T, D, R));
        RS_TRY(solve_by_samples(R, W, R, reg));
        rs_axpy(d_cells, 1.0, D, W);
        return RS_OK;
    }
    RS_TRY(rs_data_crossprod(reg->X, reg->c, T, W));
    rs_axpy(d_cells, reg->weight[0], D, W);
    RS_TRY(rs_ridge_solve(reg->c, W, &reg->equations));
    return rs_data_residual(reg->X, reg->c, T, W, R);
}
