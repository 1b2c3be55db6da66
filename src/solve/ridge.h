/*
 * solve/ridge.h: systems of a Gram matrix and a positive diagonal, Z'S^{-1}Z +
 * diag(w) or Z E Z' + diag(s). The caller puts the Gram matrix into ridge->A: it
 * may be one that was kept, of some features only, or of shifted data. And the
 * regressions on all features that are solved by them.
 */
#ifndef RS_RIDGE_H
#define RS_RIDGE_H

#include "data/data.h"

typedef struct {
    rs_context *ctx;
    int largest;      /* order that there is room for */
    int order;        /* of the last system */
    double *A;        /* order x order: the system, then its factor */
    double *diagonal; /* of the system */
    double growth;    /* share of it that was added by rs_ridge_factor_grown */
} rs_ridge;

rs_status rs_ridge_init(rs_context *ctx, int largest, rs_ridge *ridge);

/* A += diag(weight) (NULL: the identity), then its Cholesky factor from the
 * upper triangle; RS_SINGULAR where it is not positive definite */
rs_status rs_ridge_factor(int order, const double *weight, rs_ridge *ridge);
/* the same, but where rounding has made A (both triangles) indefinite its
 * diagonal grows by the fraction ridge->growth until it is not */
rs_status rs_ridge_factor_grown(int order, const double *weight,
                                rs_ridge *ridge);
/* B (order x m) <- A^{-1} B */
rs_status rs_ridge_solve(int m, double *B, const rs_ridge *ridge);
/* P (order x order, both triangles) <- A^{-1} */
rs_status rs_ridge_inverse(double *P, const rs_ridge *ridge);

/*
 * The step of every method that regresses on all
 * features with a penalty on the rows of its coefficients,
 *
 *     min  sum_i ||t_i - x_i W||^2 / v_i + beta sum_j ||w_j||^2 / u_j,
 *
 * with u_j >= 0 for the features (u_j = 0: row j is zero, and costs nothing),
 * v_i > 0 for the samples and beta > 0. Half-quadratic methods take u_j = 1 / q_j
 * with the weights of solve/penalty.h; no norm of a row is ever divided by. By
 * the smaller one of two systems, J the features with u_j > 0:
 *
 *     |J| <= n   W = D (D X_J'V^{-1}X_J D + beta I)^{-1} D X_J'V^{-1} T,
 *                D = U^{1/2}
 *     |J| >  n   W = U X'(X U X' + beta V)^{-1} T
 *
 * and the residual T - X W = beta V (X U X' + beta V)^{-1} T, which for V = I is
 * the smoother of T.
 */
typedef struct {
    rs_data *X;
    int c;
    int by_samples;    /* was the last system n x n? */
    int count, *index; /* d: J of the last system */
    const double *v;   /* of the last system; NULL: ones */
    double *gram;      /* X'X or XX', once it is needed */
    double *u;         /* d; by features their roots */
    double *weight;    /* min(n, d): of the equations */
    double *inverse;   /* n: 1 / v, by features */
    double *Z, *B;     /* n x c; min(n, d) x c */
    double *panel;     /* X->subset_room */
    rs_ridge equations;
} rs_row_regression;

/* for targets of c columns; X must allow for products with as many */
rs_status rs_row_regression_init(rs_context *ctx, rs_data *X, int c,
                                 rs_row_regression *reg);
/* the equations; v (n) is kept by reference; NULL stands for ones. Without v the
 * products of the features, with neither those of the samples, are taken once
 * for all systems. */
rs_status rs_row_regression_factor(double beta, const double *u,
                                   const double *v, rs_row_regression *reg);
/* for T (n x c): W (d x c) and, where it is not NULL, R (n x c) = T - X W */
rs_status rs_row_regression_solve(const double *T, double *W, double *R,
                                  rs_row_regression *reg);
/* by features, B = (D X_J'V^{-1}X_J D + beta I)^{-1} F_J for F (d x c), with
 * rows of zeros elsewhere; B may be F */
rs_status rs_row_regression_invert(const double *F, double *B,
                                   rs_row_regression *reg);
/* W = argmin ||T - X W||^2 + beta ||W - D||^2 and R = T - X W, where the
 * equations have u = v = NULL; D (d x c) */
rs_status rs_row_regression_solve_about(const double *T, const double *D,
                                        double *W, double *R,
                                        rs_row_regression *reg);

#endif
