/*
 * method/spectral/ndfs.h: nonnegative discriminative feature selection (Li et al.,
 * 2012),
 *
 *   f = tr(F'LF) + alpha (||X W - F||^2 + beta sum_j ||w_j||)
 *       + (gamma / 2) ||F'F - I||^2,   F >= 0 (n x c), W (d x c),
 *
 * by steps in F and in W in turn. W solves the regression with the penalty
 * sum_j ||w_j||^2 / u_j, u_j = 2 ||w_j|| of the last W, which majorises that
 * of f. F takes a multiplicative step with W fixed, which lowers f. The
 * published step, kept for comparison, need not, and F can leave F >= 0.
 */
#ifndef RS_NDFS_H
#define RS_NDFS_H

#include "base/history.h"
#include "data/data.h"
#include "graph/laplacian.h"

typedef struct {
    rs_data *X;
    rs_laplacian *L; /* symmetric kind */
    int c;           /* clusters */
    double alpha, beta, gamma;
    double u; /* of every row for the first W, above 0 */
    int published;
    double tol;
    int maxit;
} rs_ndfs_problem;

typedef struct {
    double *F;       /* n x c: the start, then the end */
    double *W;       /* d x c */
    double *pull;    /* d: ||x_j'(F - X W)||, which orders zero rows */
    double level;    /* largest row norm of the first W */
    double terms[4]; /* tr(F'LF), ||XW - F||^2, sum ||w_j||, ||F'F - I||^2 */
    rs_history history; /* f */
} rs_ndfs_fit;

rs_status rs_ndfs(rs_context *ctx, const rs_ndfs_problem *problem,
                  rs_ndfs_fit *fit);

#endif
