/*
 * eigen/eigs_positive.h: all positive eigenvalues of a matrix of low rank minus
 * a diagonal.
 */
#ifndef RS_EIGS_POSITIVE_H
#define RS_EIGS_POSITIVE_H

#include "eigen/eigs_steps.h"

/*
 * Every positive eigenvalue of `apply`, descending, with its eigenvector; at
 * most ws->wanted of them, *count says how many (ws->wanted may mean that
 * there are more). The operator is a matrix of low rank minus diag(shift),
 * shift >= 0: new directions are residuals divided by theta + shift, so that
 * the diagonal, however spread, does not slow the search down. `start` has
 * nstart columns, which may be 0. Stops when each residual of a positive pair
 * is at most tol * the largest eigenvalue and the next pair is negative
 * beyond its residual.
 */
rs_status rs_eigs_positive(rs_apply_fn apply, void *state, const double *shift,
                           int nstart, const double *start, double tol,
                           int maxit, int *count, double *values, double *V,
                           rs_eigs_ws *ws);

#endif
