/*
 * method/pca/fen_pcafs.h: FEN-PCAFS (Gao et al., 2024), PCA with an elastic net
 * whose two parts are weighed by a number a in [0, 1],
 *
 *   f = ||X - X W Z'||^2 + ridge ||W||^2
 *       + lambda (a^u ||W||^2 + t (1 - a)^u sum_j (||w_j||^2 + eps)^{p/2}),
 *
 * over W (d x m), Z'Z = I and a. Each iteration takes Z from the polar factor
 * of S W, a from its stationary point, and W from the quadratic that majorises
 * f at the last W. The steps in Z and W lower f; the one in a minimises it for
 * u > 1 and MAXIMISES it for 0 < u < 1, where f may rise: the best iterate is
 * kept.
 */
#ifndef RS_FEN_PCAFS_H
#define RS_FEN_PCAFS_H

#include "base/history.h"
#include "data/covop.h"
#include "solve/reweight.h"

typedef struct {
    double lambda, p, u, t; /* u != 1 */
    double ridge;
    double eps; /* smoothing, in units of squared row norms */
    double tol;
    int maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_fen_settings;

typedef struct {
    double *W;          /* d x m */
    double *Z;          /* d x m */
    double a;           /* of the best iterate, as W and Z are */
    rs_history history; /* f of the best iterate so far */
    rs_history trace;   /* f of every iterate */
} rs_fen_fit;

/* W is the start and receives the end; `op` needs room for m columns */
rs_status rs_fen_pcafs(rs_context *ctx, rs_covop *op, int m,
                       const rs_fen_settings *settings, rs_fen_fit *fit);

#endif
