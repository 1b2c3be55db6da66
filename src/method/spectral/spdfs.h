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

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;
    int clusters, k, m;
    double r;                      /* fuzziness, at least 1 */
    const int *start;              /* k features */
    const double *ties;            /* d: equal scores go to the larger one */
    const unsigned char *constant; /* d: features that are chosen last */
    const unsigned char *first;    /* d: chosen in any case, or NULL */
    double tol;
    int maxit;
} rs_spdfs_problem;

typedef struct {
    double *Y;          /* n x clusters: on entry the first partition */
    int *subset;        /* k, ascending */
    double *V, *values; /* k x m, m */
    double *scores;     /* d */
    rs_history history; /* the ratio */
    int is_zero;        /* is it zero, but for rounding? */
} rs_spdfs_fit;

rs_status rs_spdfs(rs_context *ctx, const rs_spdfs_problem *p,
                   rs_spdfs_fit *fit);

#endif
