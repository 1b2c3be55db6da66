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

#include "method/spectral/projection.h"

typedef struct {
    rs_projection_problem base;
    const double *F; /* n x c: S_b = X'F F'X, F F' a projection */
    int c;
    double delta;
    const int *starts; /* k x count: subsets */
    int count;
} rs_s2dfs_problem;

typedef struct {
    rs_projection_fit base; /* history: minus the ratio, from the best start */
    double ratio;
    int start;      /* the one that led there */
    int candidates; /* features none of which improves it for another */
    int is_global;  /* m = k: the ratio is separable */
} rs_s2dfs_fit;

rs_status rs_s2dfs(rs_context *ctx, const rs_s2dfs_problem *p,
                   rs_s2dfs_fit *fit);

#endif
