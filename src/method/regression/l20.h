/*
 * method/regression/l20.h: regression with exactly k nonzero rows,
 *
 *     min loss(X W - Y)  s.t.  W (d x c) has k nonzero rows,
 *
 * by projected gradient (Pang, Nie, Han and Li 2019), an augmented Lagrangian
 * method (Cai, Nie and Huang 2013), and as a relaxed 0-1 programme (Zhang et al.
 * 2021).
 */
#ifndef RS_L20_H
#define RS_L20_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;      /* products of c columns must be possible */
    const double *Y; /* n x c */
    int n, d, c, k;
    double tol;
    int maxit;
} rs_l20_problem;

/* R (n x c) = X W - Y */
rs_status rs_l20_residual(const rs_l20_problem *problem, const double *W,
                          double *R);

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

#endif
