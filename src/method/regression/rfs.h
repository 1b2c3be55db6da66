/*
 * method/regression/rfs.h: robust feature selection (Nie, Huang, Cai, Ding 2010),
 *
 *     min f(W) = sum_i ||y_i - x_i W|| + gamma sum_j ||w_j||,   W is d x c,
 *
 * with x_i, y_i the rows of the centred data and w_j the rows of W. With
 * R = Y - X W and V = W as variables of their own the alternating direction
 * method of multipliers (Boyd and others, 2011) needs one factorisation for many
 * steps, and its multipliers are points of the dual
 *
 *     max <Theta, Y>  s.t.  ||theta_i|| <= 1,  ||x_j' Theta|| <= gamma,
 *
 * which certifies how far the objective is from its minimum. Where that does not
 * close the gap soon, the published reweighted regressions go on from there.
 */
#ifndef RS_RFS_H
#define RS_RFS_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;      /* products of c columns must be possible */
    const double *Y; /* n x c, centred, not zero */
    int c;
    double gamma;        /* above 0 */
    double tol;          /* relative duality gap */
    int maxit;           /* steps and regressions */
    const double *start; /* d x c, or NULL */
} rs_rfs_problem;

typedef struct {
    double *W;          /* d x c; the best one met, on the caller's memory */
    double *pull;       /* d: ||x_j' Theta|| at the best dual point; as W */
    double bound;       /* of the minimum, from below */
    rs_history history; /* f of the best W: at the start, then by iteration */
} rs_rfs_fit;

/*
 * pull_j = ||x_j' Theta|| for Theta = y_i / ||y_i||, rows of zeros where
 * y_i = 0. W = 0 is the solution from gamma = max_j pull_j on.
 */
rs_status rs_rfs_pull_at_zero(rs_context *ctx, const rs_data *X,
                              const double *Y, int c, double *pull);

/*
 * Fits for gamma[0], gamma[1], ..., which take the place of the one of the
 * problem, each from where the one before has ended. take() is given
 * every fit in turn, with how it ended, and may set *go_on to 0; fit is the same
 * room for all.
 */
typedef rs_status (*rs_rfs_taker)(void *state, int at, rs_status ending,
                                  const rs_rfs_fit *fit, int *go_on);

rs_status rs_rfs_walk(rs_context *ctx, const rs_rfs_problem *problem,
                      int count, const double *gamma, rs_rfs_taker take,
                      void *state, rs_rfs_fit *fit);
/* the fit for the gamma of the problem */
rs_status rs_rfs(rs_context *ctx, const rs_rfs_problem *problem,
                 rs_rfs_fit *fit);

#endif
