/*
 * method/spectral/s2dfs.h: S2DFS, discriminant analysis on exactly k features (Wang, Nie,
 * Tian, Wang and Li, 2020),
 *
 *   max tr(W'S_b W) / tr(W'(S_w + delta I) W),   W'W = I_m, k nonzero rows,
 *
 * by Dinkelbach's iteration: with lambda the ratio at W, trace maximisation of
 * S_b - lambda S_w on k features cannot lower it.
 */
#ifndef RS_S2DFS_H
#define RS_S2DFS_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;
    const double *F; /* n x c: S_b = X'F F'X, F F' a projection */
    int c, k, m;
    double delta;
    const double *ties;            /* d: equal scores go to the larger one */
    const unsigned char *constant; /* d: features that are chosen last */
    const unsigned char *first;    /* d: chosen in any case, or NULL */
    const int *starts;             /* k x count: subsets */
    int count;
    double tol; /* relative change of the ratio */
    int maxit;  /* of the ratio, and of the updates for each */
} rs_s2dfs_problem;

typedef struct {
    int *subset;    /* k, ascending */
    double *V;      /* k x m */
    double *values; /* m: eigenvalues of the last trace problem */
    double *scores; /* d */
    double ratio;
    int start;          /* the one that led there */
    int candidates;     /* features none of which improves it for another */
    int is_global;      /* m = k: the ratio is separable */
    rs_history history; /* minus the ratio, from that start */
} rs_s2dfs_fit;

rs_status rs_s2dfs(rs_context *ctx, const rs_s2dfs_problem *p,
                   rs_s2dfs_fit *fit);

#endif
