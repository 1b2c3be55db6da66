#include "method/spca_psd/model.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/reweight.h"

const rs_spca_floors rs_spca_unsmoothed = {0.0, 0.0};

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
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_row_squares(X, NULL, pr->data_square));
    for (size_t i = 0; i < n; i++)
        pr->trace += pr->data_square[i];
    return RS_OK;
}

/* ---- points --------------------------------------------------------------- */

static rs_status init_centre(const rs_spca *pr, rs_spca_centre *centre)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    *centre = (rs_spca_centre){.row_square = pr->data_square};
    if (!pr->adaptive)
        return RS_OK;
    centre->c = rs_alloc_double(pr->ctx, d);
    RS_ALLOC_DOUBLES(pr->ctx, n, &centre->weight, &centre->row_square);
    RS_TRY(rs_allocated(pr->ctx));
    rs_fill(d, 0.0, centre->c);
    rs_fill(n, 0.0, centre->weight);
    rs_copy(n, pr->data_square, centre->row_square);
    return RS_OK;
}

void rs_spca_copy_centre(const rs_spca *pr, const rs_spca_centre *from,
                         rs_spca_centre *to)
{
    if (!pr->adaptive)
        return;
    rs_copy((size_t)pr->d, from->c, to->c);
    rs_copy((size_t)pr->n, from->weight, to->weight);
    rs_copy((size_t)pr->n, from->row_square, to->row_square);
}

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
    at->r = 0;
    RS_ALLOC_DOUBLES(pr->ctx, d, &at->column_square, &at->D);
    RS_ALLOC_DOUBLES(pr->ctx, n, &at->residual_square, &at->t);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(init_centre(pr, &at->centre));
    return alloc_factor(pr, capacity, at);
}

rs_status rs_spca_point_room(const rs_spca *pr, int r, rs_spca_point *at)
{
    if (r <= at->capacity)
        return RS_OK;
    return alloc_factor(pr, rs_min_int(2 * r, pr->d), at);
}

/* columns that a start gains before its room has to double: few starts do */
#define RS_COLUMNS_TO_GAIN 8

rs_status rs_spca_point_copy(const rs_spca *pr, int r, const double *F,
                             rs_spca_point *at)
{
    RS_TRY(
        rs_spca_point_init(pr, rs_min_int(r + RS_COLUMNS_TO_GAIN, pr->d), at));
    at->r = r;
    rs_copy((size_t)pr->d * r, F, at->F);
    return RS_OK;
}

rs_status rs_spca_point_from_pairs(const rs_spca *pr, int count,
                                   const double *values, const double *V,
                                   rs_spca_point *at)
{
    const size_t d = (size_t)pr->d;
    RS_TRY(rs_spca_point_room(pr, count, at));
    for (at->r = 0; at->r < count && values[at->r] > RS_SPCA_RANK_TOL;
         at->r++) {
        double *f = at->F + d * at->r;
        rs_copy(d, V + d * at->r, f);
        rs_scale(d, sqrt(values[at->r]), f);
    }
    return RS_OK;
}

/* ---- products ----------------------------------------------------------- */

/* Xt W = Xc W - 1 (c'W) */
rs_status rs_spca_times(const rs_spca *pr, const double *c, int m,
                        const double *W, double *Y)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    RS_TRY(rs_data_times(pr->X, m, W, Y));
    for (int j = 0; c && j < m; j++) {
        const double shift = rs_dot(d, c, W + j * d);
        for (size_t i = 0; i < n; i++)
            Y[i + j * n] -= shift;
    }
    return RS_OK;
}

static double sum(size_t n, const double *x)
{
    double total = 0.0;
    for (size_t i = 0; i < n; i++)
        total += x[i];
    return total;
}

/* Xt'Y = Xc'Y - c (1'Y) */
rs_status rs_spca_crossprod(const rs_spca *pr, const double *c, int m,
                            const double *Y, double *W)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    RS_TRY(rs_data_crossprod(pr->X, m, Y, W));
    for (int j = 0; c && j < m; j++)
        rs_axpy(d, -sum(n, Y + j * n), c, W + j * d);
    return RS_OK;
}

/* ||x_i - c||^2 = ||x_i||^2 - 2 x_i'c + ||c||^2 */
rs_status rs_spca_set_centre(const rs_spca *pr, const double *t,
                             rs_spca_centre *centre)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    double *square = centre->row_square;
    if (!pr->adaptive)
        return RS_OK;
    const double total = sum(n, t);
    for (size_t i = 0; i < n; i++)
        centre->weight[i] = t[i] / total;
    RS_TRY(rs_data_crossprod_vector(pr->X, centre->weight, centre->c));
    RS_TRY(rs_data_times(pr->X, 1, centre->c, square));
    const double own = rs_sum_squares(d, centre->c);
    for (size_t i = 0; i < n; i++)
        square[i] = fmax(pr->data_square[i] - 2.0 * square[i] + own, 0.0);
    return RS_OK;
}

/* ---- the objective at a point ------------------------------------------------ */

void rs_row_products(int rows, int cols, const double *M, const double *N,
                     double *out)
{
    rs_fill((size_t)rows, 0.0, out);
    for (int j = 0; j < cols; j++) {
        const double *m = M + (size_t)j * rows, *n = N + (size_t)j * rows;
        for (int i = 0; i < rows; i++)
            out[i] += m[i] * n[i];
    }
    for (int i = 0; i < rows; i++)
        out[i] = fmax(out[i], 0.0);
}

/* ||r_i||^2 = ||xt_i||^2 - 2 ||a_i||^2 + a_i C a_i' */
static void residuals_from_squares(const rs_spca *pr, rs_spca_point *at)
{
    const int n = pr->n, r = at->r;
    double *square = at->residual_square;
    rs_matmul(n, r, r, at->A, at->C, at->AC);
    rs_copy((size_t)n, at->centre.row_square, square);
    for (int k = 0; k < r; k++) {
        const double *a = at->A + (size_t)k * n, *ac = at->AC + (size_t)k * n;
        for (int i = 0; i < n; i++)
            square[i] += (ac[i] - 2.0 * a[i]) * a[i];
    }
    for (int i = 0; i < n; i++)
        square[i] = fmax(square[i], 0.0);
}

rs_status rs_spca_residual_panel(const rs_spca *pr, const rs_spca_point *at,
                                 int from, int width, double *R)
{
    const double *c = at->centre.c;
    rs_data_column_range(pr->X, from, width, R);
    for (int j = 0; c && j < width; j++)
        for (int i = 0; i < pr->n; i++)
            R[i + (size_t)j * pr->n] -= c[from + j];
    if (at->r > 0)
        rs_gemm('N', 'T', pr->n, width, at->r, -1.0, at->A, pr->n,
                at->F + from, pr->d, 1.0, R, pr->n);
    return rs_poll(pr->ctx);
}

rs_status rs_spca_residuals(const rs_spca *pr, const rs_spca_point *at,
                            double *R)
{
    for (int j = 0; j < pr->d; j += RS_PANEL)
        RS_TRY(rs_spca_residual_panel(pr, at, j,
                                      rs_min_int(RS_PANEL, pr->d - j),
                                      R + (size_t)j * pr->n));
    return RS_OK;
}

/*
 * The same from R = Xt - A F', some columns at a time: exact also where a row
 * is reconstructed to many digits, which the roots of the l21 loss need.
 */
static rs_status residuals_from_columns(const rs_spca *pr, rs_spca_point *at)
{
    const int n = pr->n, d = pr->d;
    rs_fill((size_t)n, 0.0, at->residual_square);
    for (int j = 0; j < d; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, d - j);
        RS_TRY(rs_spca_residual_panel(pr, at, j, width, pr->panel));
        for (int c = 0; c < width; c++)
            for (int i = 0; i < n; i++) {
                double entry = pr->panel[i + (size_t)c * n];
                at->residual_square[i] += entry * entry;
            }
    }
    return RS_OK;
}

/* ||omega_j||^2 = f_j C f_j' */
rs_status rs_spca_measure(const rs_spca *pr, rs_spca_point *at)
{
    const int d = pr->d, r = at->r;
    at->trace = 0.0;
    if (r == 0) {
        rs_fill((size_t)d, 0.0, at->column_square);
        rs_copy((size_t)pr->n, at->centre.row_square, at->residual_square);
        return RS_OK;
    }
    RS_TRY(rs_spca_times(pr, at->centre.c, r, at->F, at->A));
    rs_gram(d, r, at->F, at->C);
    RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, r, r, 1.0, at->F, d, at->C, r,
                          0.0, at->FC, d));
    rs_row_products(d, r, at->FC, at->F, at->column_square);
    for (int k = 0; k < r; k++)
        at->trace += at->C[k + (size_t)k * r];
    if (pr->loss == RS_LOSS_L21)
        return residuals_from_columns(pr, at);
    residuals_from_squares(pr, at);
    return rs_poll(pr->ctx);
}

void rs_spca_weights(const rs_spca *pr, const rs_spca_floors *floors,
                     rs_spca_point *at)
{
    const size_t d = (size_t)pr->d, n = (size_t)pr->n;
    const double loss_power = pr->loss == RS_LOSS_FROBENIUS ? 2.0 : 1.0;
    rs_reweight_rows(pr->groups, d, at->column_square, floors->column, 1.0,
                     at->D);
    rs_reweight_all(n, at->residual_square, floors->residual, loss_power,
                    at->t);
    rs_scale(d, 2.0, at->D);
    rs_scale(n, 2.0, at->t);
}

double rs_spca_objective(const rs_spca *pr, const rs_spca_floors *floors,
                         const rs_spca_point *at)
{
    double norms = rs_smoothed_rows(pr->groups, (size_t)pr->d,
                                    at->column_square, floors->column, 1.0);
    double loss = 0.0;
    for (int i = 0; i < pr->n; i++)
        loss += pr->loss == RS_LOSS_FROBENIUS
                    ? at->residual_square[i]
                    : rs_smoothed_power(at->residual_square[i],
                                        floors->residual, 1.0);
    return loss + pr->lambda * norms + pr->eta * at->trace;
}

/* so many of the last values show that only rounding moves the objective */
#define RS_STALL_WINDOW 50
#define RS_STALL_TURNS 10

/* rises and falls in turn, or no change at all */
static int has_stalled(const rs_history *history)
{
    int rises = 0, falls = 0;
    if (history->count <= RS_STALL_WINDOW)
        return 0;
    const double *f = history->objective + history->count - RS_STALL_WINDOW;
    for (int k = 0; k < RS_STALL_WINDOW; k++) {
        rises += f[k] >= f[k - 1];
        falls += f[k] <= f[k - 1];
    }
    return rises >= RS_STALL_TURNS && falls >= RS_STALL_TURNS;
}

rs_status rs_spca_record(const rs_spca *pr, double f, double tol,
                         rs_history *history, rs_spca_end *end)
{
    if (!isfinite(f))
        return RS_NOT_FINITE;
    rs_history_add(history, f);
    if (rs_history_change(history, 0.0) < tol)
        *end = RS_SPCA_DONE;
    else if (has_stalled(history))
        *end = RS_SPCA_STALLED;
    return rs_poll(pr->ctx);
}

rs_status rs_spca_ending(rs_spca_end end)
{
    if (end == RS_SPCA_GOES_ON)
        return RS_MAXIT;
    return end == RS_SPCA_DONE ? RS_OK : RS_STALLED;
}
