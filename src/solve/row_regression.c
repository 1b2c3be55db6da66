#include "solve/row_regression.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_row_regression_init(rs_context *ctx, rs_data *X, int c,
                                 rs_row_regression *reg)
{
    const int n = X->n, d = X->d;
    *reg = (rs_row_regression){
        .X = X, .c = c, .by_samples = rs_ridge_prefers_dual(n, d)};
    reg->u = rs_alloc_double(ctx, (size_t)d);
    reg->weight = rs_alloc_double(ctx, (size_t)rs_min_int(n, d));
    reg->Z = rs_alloc_double(ctx, (size_t)n * c);
    reg->gram = reg->inverse = NULL;
    if (!reg->by_samples) {
        reg->gram = rs_alloc_double(ctx, (size_t)d * d);
        reg->inverse = rs_alloc_double(ctx, (size_t)n);
    }
    RS_TRY(rs_allocated(ctx));
    return rs_ridge_init(ctx, rs_min_int(n, d), &reg->equations);
}

/* A <- D X'V^{-1}X D */
static rs_status features_system(rs_row_regression *reg)
{
    const int n = reg->X->n, d = reg->X->d;
    double *A = reg->equations.A;
    for (int i = 0; i < n && reg->v; i++)
        reg->inverse[i] = 1.0 / reg->v[i];
    if (reg->v)
        RS_TRY(rs_data_gram_weighted(reg->X, reg->inverse, A));
    else if (!reg->has_gram) {
        RS_TRY(rs_data_gram_features(reg->X, reg->gram));
        reg->has_gram = 1;
    }
    const double *gram = reg->v ? A : reg->gram;
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            A[i + (size_t)d * j] =
                reg->u[i] * reg->u[j] * gram[i + (size_t)d * j];
    return RS_OK;
}

/* A <- X U X' */
static rs_status samples_system(const double *u, rs_row_regression *reg)
{
    const size_t n = (size_t)reg->X->n;
    double *A = reg->equations.A;
    if (u)
        return rs_data_gram_samples(reg->X, u, A);
    if (!reg->gram) {
        reg->gram = rs_alloc_double(reg->equations.ctx, n * n);
        RS_TRY(rs_allocated(reg->equations.ctx));
    }
    if (!reg->has_gram)
        RS_TRY(rs_data_gram_samples(reg->X, NULL, reg->gram));
    reg->has_gram = 1;
    rs_copy(n * n, reg->gram, A);
    return RS_OK;
}

rs_status rs_row_regression_factor(double beta, const double *u,
                                   const double *v, rs_row_regression *reg)
{
    const int n = reg->X->n, d = reg->X->d;
    const int order = reg->by_samples ? n : d;
    reg->v = v;
    for (int j = 0; j < d; j++)
        reg->u[j] = !u ? 1.0 : reg->by_samples ? u[j] : sqrt(u[j]);
    for (int i = 0; i < order; i++)
        reg->weight[i] = reg->by_samples && v ? beta * v[i] : beta;
    RS_TRY(reg->by_samples ? samples_system(u, reg) : features_system(reg));
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

static rs_status solve_by_features(const double *T, double *W, double *R,
                                   rs_row_regression *reg)
{
    const int n = reg->X->n, d = reg->X->d, c = reg->c;
    for (int l = 0; l < c; l++)
        for (int i = 0; i < n; i++)
            reg->Z[i + (size_t)n * l] =
                T[i + (size_t)n * l] * (reg->v ? reg->inverse[i] : 1.0);
    RS_TRY(rs_data_crossprod(reg->X, c, reg->Z, W));
    rs_scale_rows(d, c, reg->u, W);
    RS_TRY(rs_ridge_solve(c, W, &reg->equations));
    rs_scale_rows(d, c, reg->u, W);
    if (!R)
        return RS_OK;
    RS_TRY(rs_data_times(reg->X, c, W, reg->Z));
    for (size_t i = 0; i < (size_t)n * c; i++)
        R[i] = T[i] - reg->Z[i];
    return RS_OK;
}

rs_status rs_row_regression_solve(const double *T, double *W, double *R,
                                  rs_row_regression *reg)
{
    return reg->by_samples ? solve_by_samples(T, W, R, reg)
                           : solve_by_features(T, W, R, reg);
}

/* by features W = A^{-1} (X'T + beta D); by samples around D */
rs_status rs_row_regression_solve_about(const double *T, const double *D,
                                        double *W, double *R,
                                        rs_row_regression *reg)
{
    const size_t n_cells = (size_t)reg->X->n * reg->c;
    const size_t d_cells = (size_t)reg->X->d * reg->c;
    if (reg->by_samples) {
        RS_TRY(rs_data_times(reg->X, reg->c, D, R));
        for (size_t i = 0; i < n_cells; i++)
            R[i] = T[i] - R[i];
        RS_TRY(rs_row_regression_solve(R, W, R, reg));
        rs_axpy(d_cells, 1.0, D, W);
        return RS_OK;
    }
    RS_TRY(rs_data_crossprod(reg->X, reg->c, T, W));
    rs_axpy(d_cells, reg->weight[0], D, W);
    RS_TRY(rs_ridge_solve(reg->c, W, &reg->equations));
    RS_TRY(rs_data_times(reg->X, reg->c, W, R));
    for (size_t i = 0; i < n_cells; i++)
        R[i] = T[i] - R[i];
    return RS_OK;
}
