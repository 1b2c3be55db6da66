/* The solvers that methods share, one by one. */
#include "glue/entries.h"

#if ROWSPARSE_TESTING

#include "la/linalg.h"
#include "solve/lbfgs.h"
#include "solve/palm.h"
#include "solve/prox.h"
#include "solve/q.h"
#include "solve/ridge.h"
#include "solve/row_regression.h"
#include "solve/tcg.h"
#include "glue/glue.h"

typedef struct {
    int d;
    const double *H;
    const double *scale; /* diagonal of the preconditioner */
} tcg_operators;

static rs_status apply_hessian(void *state, const double *in, double *out)
{
    const tcg_operators *op = (const tcg_operators *)state;
    rs_matmul(op->d, op->d, 1, op->H, in, out);
    return RS_OK;
}

static rs_status divide_by_scale(void *state, const double *in, double *out)
{
    const tcg_operators *op = (const tcg_operators *)state;
    for (int i = 0; i < op->d; i++)
        out[i] = in[i] / op->scale[i];
    return RS_OK;
}

/* truncated conjugate gradients; scale: the diagonal of M, or NULL */
SEXP C_tcg(SEXP H, SEXP gradient, SEXP scale, SEXP settings)
{
    rs_context ctx = r_context();
    const int plain = scale == R_NilValue;
    tcg_operators op = {Rf_nrows(H), REAL_RO(H),
                        plain ? NULL : REAL_RO(scale)};
    rs_tcg_problem problem = {.size = (size_t)op.d,
                              .state = &op,
                              .hessian = apply_hessian,
                              .precondition = plain ? NULL : divide_by_scale,
                              .radius = r_number(settings, "radius"),
                              .reduction = r_number(settings, "reduction"),
                              .maxit = r_integer(settings, "maxit")};
    const double *g = REAL_RO(gradient);
    rs_tcg_ws ws;
    rs_tcg_info info;
    double square;
    r_check_status(rs_tcg_init(&ctx, problem.size, !plain, &ws), "step");
    r_check_status(rs_tcg_begin(&problem, g, &square, &ws), "step");
    r_check_status(rs_tcg_solve(&problem, g, square, &info, &ws), "step");
    r_result out = r_open();
    r_add_doubles(&out, "step", problem.size, ws.step);
    R_ADD_NUMBERS(&out, info.length, info.decrease);
    r_add_flag(&out, "at_boundary", info.at_boundary);
    r_add_integer(&out, "iterations", info.iterations);
    return r_close(&out);
}

/*
 * (Z'S^{-1}Z + diag(w))^{-1} B for s (n) and w (d), by the d x d or the n x n
 * equations, what rounding made the diagonal grow by, and the inverse of the
 * system
 */
SEXP C_ridge(SEXP data, SEXP B, SEXP w, SEXP s, SEXP dual)
{
    rs_context ctx = r_context();
    rs_ridge ridge;
    const int m = Rf_ncols(B), by_samples = Rf_asLogical(dual);
    rs_data *X = r_data(data, m, &ctx);
    const int n = X->n, d = X->d, order = by_samples ? n : d;
    const int others = by_samples ? d : n;
    const double *weight = REAL_RO(by_samples ? w : s);
    double *inverse = r_room(&ctx, (size_t)others);
    double *Y = r_room(&ctx, (size_t)n * m);
    double *V = r_room(&ctx, (size_t)d * m);
    for (int i = 0; i < others; i++)
        inverse[i] = 1.0 / weight[i];
    r_result out = r_open();
    double *solution = r_add_matrix(&out, "solution", d, m);
    rs_copy((size_t)d * m, REAL_RO(B), solution);
    r_check_status(rs_ridge_init(&ctx, order, &ridge), "ridge");
    r_check_status(by_samples ? rs_data_gram_samples(X, inverse, ridge.A)
                              : rs_data_gram_weighted(X, inverse, ridge.A),
                   "Gram matrix");
    r_check_status(
        rs_ridge_factor_grown(order, REAL_RO(by_samples ? s : w), &ridge),
        "ridge");
    r_check_status(
        by_samples ? rs_ridge_solve_dual(X, inverse, m, solution, Y, V, &ridge)
                   : rs_ridge_solve(m, solution, &ridge),
        "ridge");
    r_add_number(&out, "growth", ridge.growth);
    r_check_status(
        rs_ridge_inverse(r_add_matrix(&out, "inverse", order, order), &ridge),
        "ridge");
    return r_close(&out);
}

typedef struct {
    rs_context ctx;
    rs_data *X;
    rs_row_regression reg;
    r_result out;
    double *W, *R; /* of `out`: coefficients, d x c, and T - X W, n x c */
} regression_call;

static void open_regression(SEXP data, SEXP T, regression_call *call)
{
    const int c = Rf_ncols(T);
    call->ctx = r_context();
    call->X = r_data(data, c, &call->ctx);
    call->out = r_open();
    call->W = r_add_matrix(&call->out, "W", call->X->d, c);
    call->R = r_add_matrix(&call->out, "R", call->X->n, c);
    r_check_status(rs_row_regression_init(&call->ctx, call->X, c, &call->reg),
                   "regression");
}

/* the regression with u (d) and v (n, or NULL) */
SEXP C_row_regression(SEXP data, SEXP T, SEXP u, SEXP v, SEXP beta)
{
    regression_call call;
    open_regression(data, T, &call);
    r_check_status(rs_row_regression_factor(
                       Rf_asReal(beta), REAL_RO(u),
                       v == R_NilValue ? NULL : REAL_RO(v), &call.reg),
                   "regression");
    r_check_status(
        rs_row_regression_solve(REAL_RO(T), call.W, call.R, &call.reg),
        "regression");
    return r_close(&call.out);
}

/* the regression about D (d x c), without weights, for one beta after the other;
 * what the last one finds */
SEXP C_row_regression_about(SEXP data, SEXP T, SEXP D, SEXP beta)
{
    regression_call call;
    open_regression(data, T, &call);
    for (int i = 0; i < Rf_xlength(beta); i++) {
        r_check_status(
            rs_row_regression_factor(REAL_RO(beta)[i], NULL, NULL, &call.reg),
            "regression");
        r_check_status(rs_row_regression_solve_about(
                           REAL_RO(T), REAL_RO(D), call.W, call.R, &call.reg),
                       "regression");
    }
    return r_close(&call.out);
}

typedef struct {
    size_t size;
    double curvature;
} quadratic_penalty;

/* h(U) = curvature/2 ||U||^2 */
static rs_status prox_quadratic(void *state, double weight, double *U,
                                double *value)
{
    const quadratic_penalty *h = (const quadratic_penalty *)state;
    rs_scale(h->size, weight / (weight + h->curvature), U);
    *value = 0.5 * h->curvature * rs_sum_squares(h->size, U);
    return RS_OK;
}

static double quadratic_value(void *state, const double *U)
{
    const quadratic_penalty *h = (const quadratic_penalty *)state;
    return 0.5 * h->curvature * rs_sum_squares(h->size, U);
}

static rs_palm_settings read_palm_settings(SEXP settings)
{
    const rs_palm_settings set = {.tau = r_number(settings, "tau"),
                                  .inner = r_q_control(settings),
                                  .extrapolates =
                                      r_integer(settings, "extrapolates"),
                                  .tol = r_number(settings, "tol"),
                                  .maxit = r_integer(settings, "maxit")};
    return set;
}

/* proximal alternating minimisation with the penalties curvature/2 ||U||^2;
 * a negative curvature switches a copy off */
SEXP C_palm(SEXP S, SEXP start, SEXP curvature, SEXP beta, SEXP settings)
{
    static const char *const names[RS_PALM_COPIES] = {"first", "second"};
    rs_context ctx = r_context();
    rs_covop op;
    rs_palm_fit fit;
    rs_palm_copy copies[RS_PALM_COPIES];
    quadratic_penalty h[RS_PALM_COPIES];
    const rs_palm_settings set = read_palm_settings(settings);
    const int d = Rf_nrows(start), m = Rf_ncols(start);
    const size_t size = (size_t)d * m;
    r_result out = r_open();
    double *W = r_add_matrix(&out, "W", d, m);
    rs_copy(size, REAL_RO(start), W);
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        h[i].size = size;
        h[i].curvature = REAL_RO(curvature)[i];
        copies[i] = (rs_palm_copy){r_add_matrix(&out, names[i], d, m),
                                   h[i].curvature >= 0.0,
                                   REAL_RO(beta)[i],
                                   r_number(settings, "inertia"),
                                   h + i,
                                   prox_quadratic,
                                   quadratic_value,
                                   NULL};
    }
    r_check_status(rs_covop_from_matrix(&ctx, d, REAL_RO(S), m, &op), "S");
    r_add_ending(&out, "palm", rs_palm(&ctx, &op, m, &set, W, copies, &fit));
    r_add_history(&out, &fit.history, 1.0);
    r_add_number(&out, "kkt", fit.kkt);
    return r_close(&out);
}

/* problem (Q) with an explicit S; settings as for the methods, and maxit */
SEXP C_qsolve(SEXP S, SEXP C, SEXP W, SEXP settings)
{
    rs_context ctx = r_context();
    rs_covop op;
    rs_q q;
    const int d = Rf_nrows(C), m = Rf_ncols(C);
    const rs_q_control control = r_q_control(settings);
    double *SW = r_room(&ctx, (size_t)d * m);
    r_check_status(rs_covop_from_matrix(&ctx, d, REAL_RO(S), m, &op), "S");
    r_check_status(rs_q_init(&ctx, &op, m, control.method, &q), "(Q)");
    r_check_status(rs_covop_apply(&op, m, REAL_RO(W), SW), "product");
    r_result out = r_open();
    double *end = r_add_copy(&out, "W", W);
    r_add_ending(&out, "(Q)", rs_q_solve(&control, REAL_RO(C), end, SW, &q));
    r_add_number(&out, "value", rs_q_value(&q, end, SW));
    r_add_number(&out, "residual", rs_q_residual(REAL_RO(C), end, SW, &q));
    r_add_integer(&out, "iterations", q.iterations);
    return r_close(&out);
}

/* sum over i of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2 */
static rs_status curved_valley(void *state, const double *x, double *value,
                               double *gradient)
{
    const int size = *(const int *)state;
    *value = 0.0;
    rs_fill((size_t)size, 0.0, gradient);
    for (int i = 0; i + 1 < size; i++) {
        const double rise = x[i + 1] - x[i] * x[i], far = 1.0 - x[i];
        *value += 100.0 * rise * rise + far * far;
        gradient[i + 1] += 200.0 * rise;
        gradient[i] -= 400.0 * rise * x[i] + 2.0 * far;
    }
    return RS_OK;
}

/* metric: NULL, or one number per variable */
SEXP C_lbfgs(SEXP start, SEXP evaluations, SEXP metric)
{
    rs_context ctx = r_context();
    int size = Rf_length(start);
    const rs_lbfgs_problem problem = {
        (size_t)size, curved_valley,
        &size,        Rf_asInteger(evaluations),
        10,           1e-14,
        -INFINITY,    metric == R_NilValue ? NULL : REAL_RO(metric)};
    rs_lbfgs ws;
    r_check_status(rs_lbfgs_init(&ctx, (size_t)size, 5, 10, &ws), "steps");
    r_result out = r_open();
    double *x = r_add_vector(&out, "x", size);
    rs_copy((size_t)size, REAL_RO(start), x);
    rs_status status = rs_lbfgs_minimise(&problem, x, &ws);
    if (status != RS_MAXIT && status != RS_STALLED)
        r_check_status(status, "steps");
    r_add_number(&out, "value", ws.value);
    r_add_integer(&out, "evaluations", ws.evaluations);
    return r_close(&out);
}

#endif
