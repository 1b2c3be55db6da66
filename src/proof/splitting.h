/*
 * proof/splitting.h: how much of the diagonal can be taken off a matrix
 * of cross-products: D > 0 with A - diag(D) positive semidefinite.
 *
 * At first D = t / diag(A^{-1}), t = 1 / the largest eigenvalue of
 * diag(D)^{1/2} A^{-1} diag(D)^{1/2}. Later D follows the slopes g of a
 * concave function of it, by coordinate ascent of
 *
 *     sum g_j D_j + mu log det(A - diag(D)),
 *
 * with P = (A - diag(D))^{-1}: D_j may grow by 1 / P_jj at most, and grows so
 * far that mu / g_j of this is left; P follows by a rank-one update.
 *
 * Nothing of this needs to be right: what is returned is proved. A -
 * diag(D) - slack I has a Cholesky factor, where the slack is more than what
 * the rounding of A and of the factorisation moves eigenvalues by.
 */
#ifndef RS_CDLSR_SPLITTING_H
#define RS_CDLSR_SPLITTING_H

#include "base/core.h"

typedef struct {
    rs_context *ctx;
    double error;         /* of an entry of A, at most */
    double *P;            /* room x room */
    double *U, *V;        /* room x RS_PANEL: P waits for + V U' */
    double *column, *old; /* room */
} rs_splitting;

rs_status rs_splitting_init(rs_context *ctx, int room, double error,
                            rs_splitting *s);
/* D (N) for A (N x N, unit diagonal); *found = 0 where A is not positive
 * definite to within rounding */
rs_status rs_splitting_first(int N, const double *A, double *D, int *found,
                             rs_splitting *s);
/* is it proved that A - diag(D) is positive semidefinite? */
rs_status rs_splitting_prove(int N, const double *A, const double *D,
                             int *proved, rs_splitting *s);
/*
 * D <- half of the way to what a pass of coordinate ascent leads to along the slopes
 * g from D, which is proved; D_j of the features marked in `fixed` is left as it is.
 * *moved = 0 where nothing better could be proved: D is then as it was.
 */
rs_status rs_splitting_ascend(int N, const double *A, const double *g,
                              const unsigned char *fixed, double mu, double *D,
                              int *moved, rs_splitting *s);

#endif
