/*
 * method/spectral/tsfs.h: the linear student of a teacher,
 *
 *     min f(W) = ||T - X W||^2 + lambda sum_j ||w_j||,
 *
 * by coordinate descent in the rows w_j of W (d x m): with g = x_j'R +
 * ||x_j||^2 w_j and the residual R = T - X W,
 *
 *     w_j <- (1 - lambda / (2 ||g||))_+ g / ||x_j||^2
 *
 * is the best row with the others fixed. The rows that the dual
 *
 *     max <Theta, T> - ||Theta||^2 / 4   s.t.  ||x_j'Theta|| <= lambda
 *
 * asks for are visited; 2 R, shortened until it is feasible, bounds the
 * minimum from below.
 */
#ifndef RS_TSFS_H
#define RS_TSFS_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;      /* products of m columns must be possible */
    const double *T; /* n x m, centred */
    int m;
    double lambda;       /* above 0 */
    double tol;          /* relative duality gap */
    int maxit;           /* rounds of RS_TSFS_SWEEPS sweeps */
    const double *start; /* d x m, or NULL */
} rs_tsfs_problem;

#define RS_TSFS_SWEEPS 10

typedef struct {
    double *W;    /* d x m */
    double *pull; /* d: 2 ||x_j'(T - X W)||, at most lambda at the minimum */
    double bound; /* of the minimum, from below */
    rs_history history; /* f */
} rs_tsfs_fit;

rs_status rs_tsfs(rs_context *ctx, const rs_tsfs_problem *problem,
                  rs_tsfs_fit *fit);

#endif
