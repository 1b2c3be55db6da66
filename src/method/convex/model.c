#include "method/convex/convex.h"

#include <math.h>

rs_status rs_spca_init(rs_context *ctx, rs_data *X, rs_spca_loss loss,
                       int adaptive, double lambda, double eta, rs_spca *pr)
{
    const size_t n = (size_t)X->n;
    *pr = (rs_spca){.X = X,
                    .n = X->n,
                    .d = X->d,
                    .loss = loss,
                    .adaptive = adaptive,
                    .lambda = lambda,
                    .eta = eta,
                    .ctx = ctx};
    pr->data_square = rs_alloc_double(ctx, n);
    pr->panel = rs_alloc_double(ctx, n * RS_PANEL);
    pr->scratch = rs_alloc_double(ctx, n + (size_t)X->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_row_squares(X, NULL, pr->data_square));
    pr->trace = rs_sum(X->n, pr->data_square);
    return RS_OK;
}

/* ---- points --------------------------------------------------------------- */

/* the blocks whose size depends on the columns of F */
static rs_status alloc_factor(const rs_spca *pr, int capacity,
                              rs_spca_point *at)
{
    size_t n = (size_t)pr->n, d = (size_t)pr->d, r = (size_t)capacity;
    at->capacity = capacity;
    RS_ALLOC_DOUBLES(pr->ctx, d * r, &at->F, &at->FC);
    RS_ALLOC_DOUBLES(pr->ctx, n * r, &at->A, &at->AC);
    at->C = rs_alloc_double(pr->ctx, r * r);
    return rs_allocated(pr->ctx);
}

rs_status rs_spca_point_init(const rs_spca *pr, int capacity,
                             rs_spca_point *at)
{
    size_t n = (size_t)pr->n, d = (size_t)pr->d;
    *at = (rs_spca_point){.row_square = pr->data_square};
    RS_ALLOC_DOUBLES(pr->ctx, d, &at->column_square, &at->D);
    RS_ALLOC_DOUBLES(pr->ctx, n, &at->residual_square, &at->t);
    if (pr->adaptive) {
        at->c = rs_alloc_double(pr->ctx, d);
        at->row_square = rs_alloc_double(pr->ctx, n);
        RS_TRY(rs_allocated(pr->ctx));
        rs_fill(d, 0.0, at->c);
        rs_copy(n, pr->data_square, at->row_square);
    }
    RS_TRY(rs_allocated(pr->ctx));
    return alloc_factor(pr, capacity, at);
}

rs_status rs_spca_point_room(const rs_spca *pr, int r, rs_spca_point *at)
{
    if (r <= at->capacity)
        return RS_OK;
    return alloc_factor(pr, rs_min_int(2 * r, pr->d), at);
}

rs_status rs_spca_point_set(const rs_spca *pr, int r, const double *values,
                            const double *V, rs_spca_point *at)
{
    const size_t d = (size_t)pr->d;
    RS_TRY(rs_spca_point_room(pr, r, at));
    at->r = r;
    rs_copy(d * r, V, at->F);
    for (int k = 0; values && k < r; k++)
        rs_scale(d, sqrt(values[k]), at->F + d * k);
    return RS_OK;
}

/* Xt W = Xc W - 1 (c'W) */
rs_status rs_spca_times(const rs_spca *pr, const rs_spca_point *at, int m,
                        const double *W, double *Y)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    RS_TRY(rs_data_times(pr->X, m, W, Y));
    for (int j = 0; at->c && j < m; j++) {
        const double shift = rs_dot(d, at->c, W + j * d);
        for (size_t i = 0; i < n; i++)
            Y[i + j * n] -= shift;
    }
    return RS_OK;
}

/* ---- the objective at a point ------------------------------------------------ */

/* out_i += row i of M times row i of N (rows x cols), at least 0 */
static void add_row_products(int rows, int cols, const double *M,
                             const double *N, double *out)
{
    for (int j = 0; j < cols; j++) {
        const double *m = M + (size_t)j * rows, *n = N + (size_t)j * rows;
        for (int i = 0; i < rows; i++)
            out[i] += m[i] * n[i];
    }
    for (int i = 0; i < rows; i++)
        out[i] = fmax(out[i], 0.0);
}

/* ||r_i||^2 = ||xt_i||^2 + a_i (C - 2 I) a_i' */
static void residuals_from_squares(const rs_spca *pr, rs_spca_point *at)
{
    const int n = pr->n, r = at->r;
    rs_matmul(n, r, r, at->A, at->C, at->AC);
    rs_axpy((size_t)n * r, -2.0, at->A, at->AC);
    rs_copy((size_t)n, at->row_square, at->residual_square);
    add_row_products(n, r, at->A, at->AC, at->residual_square);
}

rs_status rs_spca_residuals(const rs_spca *pr, const rs_spca_point *at,
                            int from, int width, double *R)
{
    const double *c = at->c;
    RS_TRY(rs_data_columns(pr->X, width, NULL, from, R));
    for (int j = 0; c && j < width; j++)
        for (int i = 0; i < pr->n; i++)
            R[i + (size_t)j * pr->n] -= c[from + j];
    return rs_gemm_polled(pr->ctx, 'N', 'T', pr->n, width, at->r, -1.0, at->A,
                          pr->n, at->F + from, pr->d, 1.0, R, pr->n);
}

/* The same from R, some columns at a time: exact also where a row is
 * reconstructed to many digits, which the roots of the l21 loss need. */
static rs_status residuals_from_columns(const rs_spca *pr, rs_spca_point *at)
{
    rs_fill((size_t)pr->n, 0.0, at->residual_square);
    for (int j = 0; j < pr->d; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, pr->d - j);
        RS_TRY(rs_spca_residuals(pr, at, j, width, pr->panel));
        add_row_products(pr->n, width, pr->panel, pr->panel,
                         at->residual_square);
    }
    return RS_OK;
}

/* ||omega_j||^2 = f_j C f_j' */
rs_status rs_spca_measure(const rs_spca *pr, rs_spca_point *at)
{
    const int d = pr->d, r = at->r;
    at->trace = 0.0;
    rs_fill((size_t)d, 0.0, at->column_square);
    if (r > 0) {
        RS_TRY(rs_spca_times(pr, at, r, at->F, at->A));
        rs_gram(d, r, at->F, at->C);
        RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, r, r, 1.0, at->F, d, at->C,
                              r, 0.0, at->FC, d));
        add_row_products(d, r, at->FC, at->F, at->column_square);
    }
    for (int k = 0; k < r; k++)
        at->trace += at->C[k + (size_t)k * r];
    if (pr->loss == RS_LOSS_L21)
        return residuals_from_columns(pr, at);
    residuals_from_squares(pr, at);
    return rs_poll(pr->ctx);
}

void rs_spca_weights(const rs_spca *pr, double column, double residual,
                     rs_spca_point *at)
{
    const size_t d = (size_t)pr->d, n = (size_t)pr->n;
    const double power = pr->loss == RS_LOSS_FROBENIUS ? 2.0 : 1.0;
    rs_reweight_rows(pr->groups, d, at->column_square, column, 1.0, at->D);
    rs_reweight_rows(NULL, n, at->residual_square, residual, power, at->t);
    rs_scale(d, 2.0, at->D);
    rs_scale(n, 2.0, at->t);
}

double rs_spca_objective(const rs_spca *pr, double column, double residual,
                         const rs_spca_point *at)
{
    const double norms = rs_smoothed_rows(pr->groups, (size_t)pr->d,
                                          at->column_square, column, 1.0);
    double loss = rs_sum(pr->n, at->residual_square);
    if (pr->loss == RS_LOSS_L21)
        loss = rs_smoothed_rows(NULL, (size_t)pr->n, at->residual_square,
                                residual, 1.0);
    return loss + pr->lambda * norms + pr->eta * at->trace;
}
