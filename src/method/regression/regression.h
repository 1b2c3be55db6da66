/*
 * method/regression/regression.h: regressions of classes or responses on all
 * features, whose nonzero rows are the selection.
 */
#ifndef RS_REGRESSION_H
#define RS_REGRESSION_H

#include "base/history.h"
#include "data/data.h"

/*
 * Regression with exactly k nonzero rows,
 *
 *     min loss(X W - Y)  s.t.  W (d x c) has k nonzero rows,
 *
 * by projected gradient (Pang, Nie, Han and Li 2019), an augmented Lagrangian
 * method (Cai, Nie and Huang 2013), and as a relaxed 0-1 programme (Zhang et al.
 * 2021).
 */
typedef struct {
    rs_data *X;      /* products of c columns must be possible */
    const double *Y; /* n x c */
    int n, d, c, k;
    double tol;
    int maxit;
} rs_l20_problem;

/*
 * PGD: W <- the k largest rows of W - step X'(X W - Y), with the loss
 * ||X W - Y||^2; it never rises for step <= 1 / sigma_max(X)^2. Ends when the
 * loss changes by at most tol (relative). W: start, then the end.
 */
rs_status rs_pgd(rs_context *ctx, const rs_l20_problem *problem, double step,
                 double *W, rs_history *history);

/*
 * RPFS: the loss is the sum of the row norms of X W + 1 b' - Y. Copies V = W
 * (k nonzero rows) and E = the residual, multipliers, penalty mu <- rho mu.
 * V: start, then the best V met, E: n x c start. Ends when both copies agree
 * to tol (absolute, largest entry).
 */
rs_status rs_rpfs(rs_context *ctx, const rs_l20_problem *problem, double mu,
                  double rho, double *V, double *E, rs_history *history);

/*
 * IPFS: ||X diag(v) B - Y||^2 + ridge ||B||^2 with v in {0, 1}^d, sum v = k,
 * as the box [0, 1]^d and the sphere ||v - 1/2||^2 = d/4 by an alternating
 * direction method; the penalty starts at 1 and grows by rho. v (d): the end.
 * Ends when v, the box copy and the sphere copy agree to tol.
 */
rs_status rs_ipfs(rs_context *ctx, const rs_l20_problem *problem, double ridge,
                  double rho, double *v, rs_history *history);

/*
 * Correntropy-induced robust feature selection (He, Tan, Wang and
 * Zheng, 2012), for residuals e_i = y_i - W'x_i and a width s = 2 sigma^2,
 *
 *     min over W of  sum_i s (1 - exp(-||e_i||^2 / s)) + lambda sum_j ||w_j||,
 *
 * by half-quadratic steps: regressions with the weights exp(-||e_i||^2 / s) of
 * the samples and 1 / (2 ||w_j||) of the rows.
 */
typedef struct {
    rs_data *X;
    const double *Y; /* n x c */
    int c;
    double lambda;
    const double *u; /* d: 1 / weights of the rows in the first regression */
    double eps;   /* ||w||^2 + eps; negative: a share of the first W's rows */
    double width; /* s; 0: 4 times the mean ||e_i||^2 */
    double least; /* s is not below */
    int width_steps; /* iterations that estimate s; it is held afterwards */
    double tol;
    int maxit;
} rs_crfs_problem;

typedef struct {
    double *W;      /* d x c */
    double *sample; /* n: weights of the samples at the end */
    double width;   /* s at the end */
    double eps;
    /* objective at the first regression and after each iteration, all of them
     * with the last s and rows smoothed by eps */
    rs_history history;
} rs_crfs_fit;

rs_status rs_crfs(rs_context *ctx, const rs_crfs_problem *p, rs_crfs_fit *fit);

/*
 * Robust feature selection (Nie, Huang, Cai, Ding 2010),
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
typedef struct {
    rs_data *X;      /* products of c columns must be possible */
    const double *Y; /* n x c, centred, not zero */
    int c;
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

typedef struct rs_rfs_state rs_rfs_state;

/* `fit` is the same room for all gamma that follow */
rs_status rs_rfs_init(rs_context *ctx, const rs_rfs_problem *problem,
                      rs_rfs_fit *fit, rs_rfs_state **state);
/* the fit for gamma > 0, from where the one before has ended */
rs_status rs_rfs_next(double gamma, rs_rfs_state *state);

#endif
