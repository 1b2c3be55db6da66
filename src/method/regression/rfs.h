/*
 * method/regression/rfs.h: robust feature selection (Nie, Huang, Cai, Ding 2010),
 *
 *     min f(W) = sum_i ||y_i - x_i W|| + gamma sum_j ||w_j||,   W is d x c,
 *
 * with x_i, y_i the rows of the centred data and w_j the rows of W, by
 * reweighted least squares. Every iteration is one weighted ridge regression,
 * solved in n x n or, with fewer active features than samples, in the active
 * features. The problem is convex, and its dual
 *
 *     max <Theta, Y>  s.t.  ||theta_i|| <= 1,  ||x_j' Theta|| <= gamma
 *
 * certifies how far the objective is from its minimum.
 */
#ifndef RS_RFS_H
#define RS_RFS_H

#include "method/regression/rfs_problem.h"

/*
 * pull_j = ||x_j' Theta|| for Theta = y_i / ||y_i||, rows of zeros where
 * y_i = 0. W = 0 is the solution from gamma = max_j pull_j on.
 */
rs_status rs_rfs_pull_at_zero(rs_context *ctx, const rs_data *X,
                              const double *Y, int c, double *pull);

rs_status rs_rfs(rs_context *ctx, const rs_rfs_problem *problem,
                 rs_rfs_fit *fit);

/*
 * Fits for gamma[0], gamma[1], ..., which take the place of the one of the
 * problem: the products of the data are kept, the regressions begin where the
 * fit before has ended, and the splitting goes on with its multipliers and
 * penalties. take() is given every fit in turn, with how it ended, and may set
 * *go_on to 0; fit is the same room for all.
 */
typedef rs_status (*rs_rfs_taker)(void *state, int at, rs_status ending,
                                  const rs_rfs_fit *fit, int *go_on);

rs_status rs_rfs_walk(rs_context *ctx, const rs_rfs_problem *problem,
                      int count, const double *gamma, rs_rfs_taker take,
                      void *state, rs_rfs_fit *fit);

#endif
