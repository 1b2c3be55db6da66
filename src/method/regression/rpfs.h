/*
 * method/regression/rpfs.h: robust regression with k nonzero rows by an augmented Lagrangian
 * method (Cai, Nie and Huang 2013).
 */
#ifndef RS_RPFS_H
#define RS_RPFS_H

#include "base/history.h"
#include "method/regression/l20.h"

/*
 * RPFS: the loss is the sum of the row norms of X W + 1 b' - Y. Copies V = W
 * (k nonzero rows) and E = the residual, multipliers, penalty mu <- rho mu.
 * V: start, then the best V met, E: n x c start. Ends when both copies agree
 * to tol (absolute, largest entry).
 */
rs_status rs_rpfs(rs_context *ctx, const rs_l20_problem *problem, double mu,
                  double rho, double tol, int maxit, double *V, double *E,
                  rs_history *history);

#endif
