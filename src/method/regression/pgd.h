/*
 * method/regression/pgd.h: least squares with k nonzero rows by projected gradient (Pang,
 * Nie, Han and Li 2019).
 */
#ifndef RS_PGD_H
#define RS_PGD_H

#include "base/history.h"
#include "method/regression/l20.h"

/*
 * PGD: W <- the k largest rows of W - step X'(X W - Y), with the loss
 * ||X W - Y||^2; it never rises for step <= 1 / sigma_max(X)^2. Ends when the
 * loss changes by at most tol (relative). W: start, then the end.
 */
rs_status rs_pgd(rs_context *ctx, const rs_l20_problem *problem, double step,
                 double tol, int maxit, double *W, rs_history *history);

#endif
