/*
 * method/spectral/udfs.h: UDFS (Yang et al., 2011), minor components of the local
 * discriminative matrix with few features:
 *
 *     min  tr(W'Z'NZW) + gamma sum_j ||w_j||,   W'W = I_m,
 *
 * N of graph/local_discriminant.h, by the reweighting of eigen/minor.h from
 * weights of 1. What descends has (||w_j||^2 + eps)^{1/2} for the norms.
 */
#ifndef RS_UDFS_H
#define RS_UDFS_H

#include "base/history.h"
#include "graph/local_discriminant.h"
#include "eigen/minor.h"
#include "solve/reweight.h"

typedef struct {
    int m, neighbours;
    double lambda, gamma; /* or, if relative: */
    int relative_lambda;  /* as a share of the local scatter */
    int relative_gamma;   /* of the mean of the diagonal of T, where all rows
                           * have the same norm */
    double eps;           /* relative to the mean of ||w_j||^2 */
    double tol;
    int maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_udfs_settings;

typedef struct {
    rs_minor minor; /* W */
    double lambda, gamma, eps;
    rs_history history;
    double penalised; /* the objective without smoothing */
    double kkt;
} rs_udfs_fit;

/* near: of the samples, `neighbours` at least; square (d): as for
 * rs_minor_init(). X: made for rs_minor_block(m) columns. */
rs_status rs_udfs(rs_context *ctx, rs_data *X, const rs_neighbours *near,
                  const double *square, const rs_udfs_settings *settings,
                  rs_udfs_fit *fit);

#endif
