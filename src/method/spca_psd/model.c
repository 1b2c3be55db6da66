#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/model.h"
#include "solve/reweight.h"

rs_status rs_spca_init(rs_context *ctx, rs_data *X, rs_spca_loss loss,
                       int adaptive, double lambda, double eta, rs_spca *pr)
{
    size_t n = (size_t)X->n, d = (size_t)X->d;
    pr->X = X;
    pr->n = X->n;
    pr->d = X->d;
    pr->loss = loss;
    pr->adaptive = adaptive;
    pr->lambda = lambda;
    pr->eta = eta;
    pr->S = NULL;
    pr->lead = NULL;
    pr->ctx = ctx;
    pr->data_square = rs_alloc_double(ctx, n);
    pr->row_square = rs_alloc_double(ctx, n);
    pr->weight = adaptive ? rs_alloc_double(ctx, n) : NULL;
    pr->centre = adaptive ? rs_alloc_double(ctx, d) : NULL;
    pr->panel = rs_alloc_double(ctx, n * RS_PANEL);
    if (!pr->data_square || !pr->row_square || !pr->panel ||
        (adaptive && (!pr->weight || !pr->centre)))
        return RS_NO_MEMORY;
    RS_TRY(rs_data_row_squares(X, NULL, pr->data_square));
    rs_copy(n, pr->data_square, pr->row_square);
    pr->trace = 0.0;
    for (size_t i = 0; i < n; i++)
        pr->trace += pr->data_square[i];
    if (adaptive) {
        rs_fill(n, 0.0, pr->weight);
        rs_fill(d, 0.0, pr->centre);
    }
    return RS_OK;
}

rs_status rs_spca_point_init(rs_spca *pr, int capacity, rs_spca_point *at)
{
    size_t n = (size_t)pr->n, d = (size_t)pr->d, r = (size_t)capacity;
    at->r = 0;
    at->capacity = capacity;
    at->F = rs_alloc_double(pr->ctx, d * r);
    at->A = rs_alloc_double(pr->ctx, n * r);
    at->C = rs_alloc_double(pr->ctx, r * r);
    at->column_square = rs_alloc_double(pr->ctx, d);
    at->residual_square = rs_alloc_double(pr->ctx, n);
    at->t = rs_alloc_double(pr->ctx, n);
    at->D = rs_alloc_double(pr->ctx, d);
    at->FC = rs_alloc_double(pr->ctx, d * r);
    at->AC = rs_alloc_double(pr->ctx, n * r);
    RS_TRY(rs_allocated(pr->ctx));
    return RS_OK;
}

rs_status rs_spca_point_room(rs_spca *pr, int r, rs_spca_point *at)
{
    if (r <= at->capacity)
        return RS_OK;
    rs_spca_point old = *at;
    RS_TRY(rs_spca_point_init(pr, rs_min_int(2 * r, pr->d), at));
    at->column_square = old.column_square;
    at->residual_square = old.residual_square;
    at->trace = old.trace;
    at->t = old.t;
    at->D = old.D;
    return RS_OK;
}

/* columns that a start gains before its room has to double: few starts do */
#define RS_COLUMNS_TO_GAIN 8

rs_status rs_spca_point_copy(rs_spca *pr, int r, const double *F,
                             rs_spca_point *at)
{
    RS_TRY(
        rs_spca_point_init(pr, rs_min_int(r + RS_COLUMNS_TO_GAIN, pr->d), at));
    at->r = r;
    rs_copy((size_t)pr->d * r, F, at->F);
    return RS_OK;
}

/* ---- products ----------------------------------------------------------- */

/* columns that the data object has room for at once */
static int product_width(const rs_spca *pr)
{
    return rs_min_int(RS_SPCA_BLOCK, pr->X->block);
}

rs_status rs_spca_times_plain(const rs_spca *pr, int m, const double *W,
                              double *Y)
{
    int step = product_width(pr);
    for (int j = 0; j < m; j += step)
        RS_TRY(rs_data_times(pr->X, rs_min_int(step, m - j),
                             W + (size_t)j * pr->d, Y + (size_t)j * pr->n));
    return RS_OK;
}

rs_status rs_spca_crossprod_plain(const rs_spca *pr, int m, const double *Y,
                                  double *W)
{
    int step = product_width(pr);
    for (int j = 0; j < m; j += step)
        RS_TRY(rs_data_crossprod(pr->X, rs_min_int(step, m - j),
                                 Y + (size_t)j * pr->n,
                                 W + (size_t)j * pr->d));
    return RS_OK;
}

/* Xt W = Xc W - 1 (c'W) */
rs_status rs_spca_times(const rs_spca *pr, int m, const double *W, double *Y)
{
    RS_TRY(rs_spca_times_plain(pr, m, W, Y));
    for (int j = 0; pr->adaptive && j < m; j++) {
        double shift =
            rs_dot((size_t)pr->d, pr->centre, W + (size_t)j * pr->d);
        for (int i = 0; i < pr->n; i++)
            Y[i + (size_t)j * pr->n] -= shift;
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
rs_status rs_spca_crossprod(const rs_spca *pr, int m, const double *Y,
                            double *W)
{
    RS_TRY(rs_spca_crossprod_plain(pr, m, Y, W));
    for (int j = 0; pr->adaptive && j < m; j++)
        rs_axpy((size_t)pr->d, -sum((size_t)pr->n, Y + (size_t)j * pr->n),
                pr->centre, W + (size_t)j * pr->d);
    return RS_OK;
}

void rs_scale_rows(int rows, int cols, const double *scale, double *M)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            M[i + (size_t)j * rows] *= scale[i];
}

/* ||x_i - c||^2 = ||x_i||^2 - 2 x_i'c + ||c||^2 */
rs_status rs_spca_set_centre(rs_spca *pr, const double *t)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    if (!pr->adaptive)
        return RS_OK;
    double total = sum(n, t);
    for (size_t i = 0; i < n; i++)
        pr->weight[i] = t[i] / total;
    RS_TRY(rs_data_crossprod_vector(pr->X, pr->weight, pr->centre));
    RS_TRY(rs_data_times(pr->X, 1, pr->centre, pr->row_square));
    double square = rs_sum_squares(d, pr->centre);
    for (size_t i = 0; i < n; i++)
        pr->row_square[i] =
            fmax(pr->data_square[i] - 2.0 * pr->row_square[i] + square, 0.0);
    return RS_OK;
}

/* ---- the point ---------------------------------------------------------- */

/* out_i = row i of M times row i of N, both rows x cols */
static void row_products(int rows, int cols, const double *M, const double *N,
                         double *out)
{
    rs_fill((size_t)rows, 0.0, out);
    for (int j = 0; j < cols; j++) {
        const double *m = M + (size_t)j * rows, *n = N + (size_t)j * rows;
        for (int i = 0; i < rows; i++)
            out[i] += m[i] * n[i];
    }
}

/* ||r_i||^2 = ||xt_i||^2 - 2 ||a_i||^2 + a_i C a_i' */
static void residuals_from_squares(const rs_spca *pr, rs_spca_point *at)
{
    const int n = pr->n, r = at->r;
    rs_matmul(n, r, r, at->A, at->C, at->AC);
    for (size_t i = 0; i < (size_t)n * r; i++)
        at->AC[i] -= 2.0 * at->A[i];
    row_products(n, r, at->AC, at->A, at->residual_square);
    for (int i = 0; i < n; i++)
        at->residual_square[i] =
            fmax(at->residual_square[i] + pr->row_square[i], 0.0);
}

void rs_spca_panel(const rs_spca *pr, int from, int width)
{
    rs_data_column_range(pr->X, from, width, pr->panel);
    for (int c = 0; c < width; c++) {
        double *column = pr->panel + (size_t)c * pr->n;
        for (int i = 0; pr->adaptive && i < pr->n; i++)
            column[i] -= pr->centre[from + c];
    }
}

/*
 * The same from R = Xt - A F', some columns at a time: exact also where a row
 * is reconstructed to many digits, which the roots of the l21 loss need.
 */
static rs_status residuals_from_columns(const rs_spca *pr, rs_spca_point *at)
{
    const int n = pr->n, d = pr->d, r = at->r;
    rs_fill((size_t)n, 0.0, at->residual_square);
    for (int j = 0; j < d; j += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, d - j);
        rs_spca_panel(pr, j, width);
        rs_gemm('N', 'T', n, width, r, -1.0, at->A, n, at->F + j, d, 1.0,
                pr->panel, n);
        for (int c = 0; c < width; c++)
            for (int i = 0; i < n; i++) {
                double entry = pr->panel[i + (size_t)c * n];
                at->residual_square[i] += entry * entry;
            }
        RS_TRY(rs_poll(pr->ctx));
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
        rs_copy((size_t)pr->n, pr->row_square, at->residual_square);
        return RS_OK;
    }
    RS_TRY(rs_spca_times(pr, r, at->F, at->A));
    rs_gram(d, r, at->F, at->C);
    RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, r, r, 1.0, at->F, d, at->C, r,
                          0.0, at->FC, d));
    row_products(d, r, at->FC, at->F, at->column_square);
    for (int j = 0; j < d; j++)
        at->column_square[j] = fmax(at->column_square[j], 0.0);
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
    rs_reweight_all(d, at->column_square, floors->column, 1.0, at->D);
    rs_reweight_all(n, at->residual_square, floors->residual, loss_power,
                    at->t);
    rs_scale(d, 2.0, at->D);
    rs_scale(n, 2.0, at->t);
}

double rs_spca_objective(const rs_spca *pr, const rs_spca_floors *floors,
                         const rs_spca_point *at)
{
    double norms =
        rs_smoothed_sum((size_t)pr->d, at->column_square, floors->column, 1.0);
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
