/* The solvers that methods share, one by one. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "la/linalg.h"
#include "solve/palm.h"
#include "solve/ridge.h"

/* the inverse of Z'S^{-1}Z + diag(w) for s (n) and w (d), or of the n x n system
 * of the same problem, and what rounding made its diagonal grow by */
SEXP C_ridge(SEXP data, SEXP w, SEXP s, SEXP dual)
{
    rs_context ctx = r_context();
    rs_ridge ridge;
    const int by_samples = Rf_asLogical(dual);
    rs_data *X = r_data(data, 1, &ctx);
    const int order = by_samples ? X->n : X->d;
    const int others = by_samples ? X->d : X->n;
    const double *weight = REAL_RO(by_samples ? w : s);
    double *inverse = r_room((size_t)others);
    for (int i = 0; i < others; i++)
        inverse[i] = 1.0 / weight[i];
    r_result out = r_open();
    r_check_status(rs_ridge_init(&ctx, order, &ridge), "ridge");
    r_check_status(by_samples ? rs_data_gram_samples(X, inverse, ridge.A)
                              : rs_data_gram_weighted(X, inverse, ridge.A),
                   "Gram matrix");
    r_check_status(
        rs_ridge_factor_grown(order, REAL_RO(by_samples ? s : w), &ridge),
        "ridge");
    r_add_number(&out, "growth", ridge.growth);
    r_check_status(
        rs_ridge_inverse(r_add_matrix(&out, "inverse", order, order), &ridge),
        "ridge");
    return r_close(&out);
}

/* the regression with u (d) and v (n, or NULL), or about D (or NULL) */
SEXP C_row_regression(SEXP data, SEXP T, SEXP u, SEXP v, SEXP D)
{
    rs_context ctx = r_context();
    rs_row_regression reg;
    const int c = Rf_ncols(T), plain = D != R_NilValue;
    rs_data *X = r_data(data, c, &ctx);
    r_result out = r_open();
    double *W = r_add_matrix(&out, "W", X->d, c);
    double *R = r_add_matrix(&out, "R", X->n, c);
    r_check_status(rs_row_regression_init(&ctx, X, c, &reg), "regression");
    r_check_status(
        rs_row_regression_factor(0.7, plain ? NULL : REAL_RO(u),
                                 v == R_NilValue ? NULL : REAL_RO(v), &reg),
        "regression");
    r_check_status(plain ? rs_row_regression_solve_about(
                               REAL_RO(T), REAL_RO(D), W, R, &reg)
                         : rs_row_regression_solve(REAL_RO(T), W, R, &reg),
                   "regression");
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
    double *SW = r_room((size_t)d * m);
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

#endif
