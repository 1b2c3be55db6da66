/*
 * method/cdlsr_relax_diagonal.h: how much of the diagonal can be taken off a
 * matrix of cross-products.
 *
 * What all others leave of feature j, p_j = 1 / (S^{-1})_jj, is the most that
 * can be taken off S_jj alone; t p with t = 1 / lambda_max(P S^{-1} P),
 * P = diag(sqrt(p)), can be taken off all at once. t is found by the power
 * method, and proved: S - diag(t p) - slack has a Cholesky factor, where the
 * slack is more than what rounding moves eigenvalues by in S and in the
 * factorisation.
 */
#ifndef RS_CDLSR_RELAX_DIAGONAL_H
#define RS_CDLSR_RELAX_DIAGONAL_H

#include "base/core.h"

/* operations it takes for d features */
double rs_certified_diagonal_flops(int d);
/*
 * delta (d) >= 0 with S - diag(delta) positive semidefinite, S (d x d) with
 * inner products off by at most error ||x_i|| ||x_j||; *found = 0 where S is
 * not positive definite to within rounding.
 */
rs_status rs_certified_diagonal(rs_context *ctx, int d, const double *S,
                                double error, double *delta, int *found);

#endif
