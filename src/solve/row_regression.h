/*
 * solve/row_regression.h: the step of every method that regresses on all
 * features with a penalty on the rows of its coefficients,
 *
 *     min  sum_i ||t_i - x_i W||^2 / v_i + beta sum_j ||w_j||^2 / u_j,
 *
 * with u_j >= 0 for the features (u_j = 0: row j is zero), v_i > 0 for the
 * samples and beta > 0. Half-quadratic methods take u_j = 1 / q_j with the
 * weights of solve/reweight.h; no norm of a row is ever divided by.
 *
 *     d <= n   W = D (D X'V^{-1}X D + beta I)^{-1} D X'V^{-1} T,  D = U^{1/2}
 *     d >  n   W = U X'(X U X' + beta V)^{-1} T
 *
 * and the residual T - X W = beta V (X U X' + beta V)^{-1} T, which for V = I is
 * the smoother of T.
 */
#ifndef RS_ROW_REGRESSION_H
#define RS_ROW_REGRESSION_H

#include "solve/ridge.h"

typedef struct {
    rs_data *X;
    int c;
    int by_samples; /* n x n equations */
    int has_gram;
    const double *v; /* of the last system; NULL: ones */
    double *gram;    /* X'X, by features; XX', by samples, once u is NULL */
    double *u;       /* d; by features their roots */
    double *weight;  /* of the equations */
    double *inverse; /* n: 1 / v, by features */
    double *Z;       /* n x c */
    rs_ridge equations;
} rs_row_regression;

/* for targets of c columns; X must allow for products with as many */
rs_status rs_row_regression_init(rs_context *ctx, rs_data *X, int c,
                                 rs_row_regression *reg);
/* the equations; v (n) is kept by reference; NULL stands for ones. With u and v
 * NULL the products of the data are taken once for all systems. */
rs_status rs_row_regression_factor(double beta, const double *u,
                                   const double *v, rs_row_regression *reg);
/* for T (n x c): W (d x c) and, where it is not NULL, R (n x c) = T - X W */
rs_status rs_row_regression_solve(const double *T, double *W, double *R,
                                  rs_row_regression *reg);
/* W = argmin ||T - X W||^2 + beta ||W - D||^2 and R = T - X W, where the
 * equations have u = v = NULL; D (d x c) */
rs_status rs_row_regression_solve_about(const double *T, const double *D,
                                        double *W, double *R,
                                        rs_row_regression *reg);

#endif
