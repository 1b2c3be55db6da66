/*
 * method/spectral/jelsr.h: joint embedding learning and sparse regression (Hou et al.,
 * 2014),
 *
 *   f = tr(Y'LY) + beta (||X W - Y||^2 + alpha sum_j ||w_j||),  Y'Y = I,
 *
 * with Y (n x m) orthogonal to the constant vector. With sum_j ||w_j||^2 / u_j,
 * u_j = 2 ||w_j|| of the last W, in place of the penalty and K = X U X', W is
 * eliminated, and the two steps are
 *
 *   Y = m smallest eigenvectors of L + alpha beta (K + alpha I)^{-1},
 *   W = U X'(K + alpha I)^{-1} Y,
 *
 * both n x n, whatever d. No step raises f. For centred X the constant vector
 * would be an eigenvector of value beta, with W = 0.
 */
#ifndef RS_JELSR_H
#define RS_JELSR_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;      /* products of m columns must be possible */
    const double *L; /* n x n, positive semidefinite, L1 = 0 */
    int m;
    double alpha, beta; /* above 0 */
    double u;           /* of every row for the first W, above 0 */
    double tol;         /* relative change of f */
    int maxit;
} rs_jelsr_problem;

typedef struct {
    double *Y;          /* n x m */
    double *W;          /* d x m */
    double *pull;       /* d: ||x_j'(Y - X W)||, which orders zero rows */
    double level;       /* largest row norm of the first W */
    double terms[3];    /* tr(Y'LY), ||XW - Y||^2, sum ||w_j|| */
    rs_history history; /* f, of the first W on */
} rs_jelsr_fit;

rs_status rs_jelsr(rs_context *ctx, const rs_jelsr_problem *problem,
                   rs_jelsr_fit *fit);

/* *alpha = 2 max_j ||x_j'Y||, from which on W = 0 is the regression of Y, the m
 * smallest eigenvectors of L */
rs_status rs_jelsr_reach(rs_context *ctx, rs_data *X, const double *L, int m,
                         double *alpha);

#endif
