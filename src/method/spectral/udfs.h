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

#include "graph/local_discriminant.h"
#include "method/spectral/directions.h"

typedef struct {
    rs_directions_problem base;
    const rs_neighbours *near; /* of the samples, `neighbours` at least */
    double lambda;
    int relative_lambda; /* lambda is a share of the local scatter */
} rs_udfs_problem;

typedef struct {
    rs_directions_fit base;
    double lambda;
    double penalised; /* the objective without smoothing */
} rs_udfs_fit;

rs_status rs_udfs(rs_context *ctx, const rs_udfs_problem *p, rs_udfs_fit *fit);

#endif
