/*
 * solve/ridge.h: the weighted ridge problem, for Z (n x d),
 *
 *     min  sum_i ||y_i - z_i V||^2 / s_i + sum_j w_j ||v_j||^2,
 *
 * with w_j > 0 for the features (rows v_j of V) and s_i > 0 for the samples.
 * With E = diag(1/w) and S = diag(s) one system of equations tells V:
 *
 *     primal (d x d)   A = Z'S^{-1}Z + diag(w),   V = A^{-1} Z'S^{-1} Y
 *     dual   (n x n)   K = Z E Z' + diag(s),      V = E Z' K^{-1} Y
 *
 * The caller puts Z'S^{-1}Z or Z E Z' into ridge->A: it may be a Gram matrix
 * that was kept, of some features only, or of shifted data.
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
    double *block;    /* for the inverse */
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

#endif
