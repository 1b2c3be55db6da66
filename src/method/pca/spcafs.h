/*
 * method/pca/spcafs.h: SPCAFS, PCA with an l_{2,p} penalty on the rows, 0 < p <= 1,
 *
 *   min -tr(W'SW) + lambda sum_j ||w_j||^p   subject to  W'W = I_m,
 *
 * by reweighting. What descends is the smoothed objective
 *
 *   F(W) = -tr(W'SW) + lambda sum over the nonzero rows of
 *          (||w_j||^2 + eps)^{p/2}:
 *
 * with q_j = (p/2) (||w_j||^2 + eps)^{p/2 - 1}, the next W holds the m leading
 * eigenvectors of S - lambda diag(q). A row that has shrunk into the smoothed
 * region is absorbed there: it is set to zero, which lowers F, and left out
 * from then on. Rows without which F is lower are dropped, many at a time.
 */
#ifndef RS_SPCAFS_H
#define RS_SPCAFS_H

#include "base/history.h"
#include "data/covop.h"
#include "solve/reweight.h"

typedef struct {
    double lambda, p;
    double eps; /* smoothing, in units of squared row norms */
    double tol;
    int maxit;
    double inner_tol; /* of the eigen-solver */
    int inner_maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_spcafs_settings;

typedef struct {
    double *W;          /* d x m */
    rs_history history; /* F */
    double penalised;   /* -tr(W'SW) + lambda sum_j ||w_j||^p */
    double kkt;         /* relative Riemannian gradient of F */
} rs_spcafs_fit;

/*
 * W (d x m, orthonormal) is the start and receives the end. `op` needs room
 * for products with m + 2 columns.
 */
rs_status rs_spcafs(rs_context *ctx, rs_covop *op, int m,
                    const rs_spcafs_settings *settings, rs_spcafs_fit *fit);

#endif
