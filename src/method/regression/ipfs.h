/*
 * method/regression/ipfs.h: k nonzero rows as a relaxed 0-1 programme (Zhang et al. 2021).
 */
#ifndef RS_IPFS_H
#define RS_IPFS_H

#include "base/history.h"
#include "method/regression/l20.h"

/*
 * IPFS: ||X diag(v) B - Y||^2 + ridge ||B||^2 with v in {0, 1}^d, sum v = k,
 * as the box [0, 1]^d and the sphere ||v - 1/2||^2 = d/4 by an alternating
 * direction method; the penalty starts at 1 and grows by rho. v (d): the end.
 * Ends when v, the box copy and the sphere copy agree to tol.
 */
rs_status rs_ipfs(rs_context *ctx, const rs_l20_problem *problem, double ridge,
                  double rho, double tol, int maxit, double *v,
                  rs_history *history);

#endif
