/*
 * method/spectral/spdfs.h: SPDFS, a fuzzy partition and a projection on exactly k features
 * that explain each other (Dong, Nie, Tian, Wang and Li, 2025),
 *
 *   min  sum_ij y_ij^r ||W'x_i - mu_j||^2 / tr(W'S_t W)
 *
 * over partitions Y with rows on the simplex, centres mu, and W'W = I_m with k
 * nonzero rows; x_i are centred, S_t is their scatter.
 */
#ifndef RS_SPDFS_H
#define RS_SPDFS_H

#include "method/spectral/projection.h"

typedef struct {
    rs_projection_problem base;
    int clusters;
    double r;         /* fuzziness, at least 1 */
    const int *start; /* k features */
} rs_spdfs_problem;

typedef struct {
    rs_projection_fit base; /* history: the ratio */
    double *Y;              /* n x clusters: on entry the first partition */
    int is_zero;            /* is the ratio zero, but for rounding? */
} rs_spdfs_fit;

rs_status rs_spdfs(rs_context *ctx, const rs_spdfs_problem *p,
                   rs_spdfs_fit *fit);

#endif
