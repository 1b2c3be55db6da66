/*
 * proof/newton.h: the best point of the relaxation of
 * proof/perspective.h, by two Newton methods.
 *
 * In B: at the best point the features with 0 < z < 1 have weights that are
 * equal, r^2, and rows B_j of lengths r z_j / sqrt(D_j). Given these features,
 * those with z = 1 and the directions U_j of the rows,
 *
 *     (A - diag(D on 0 < z < 1)) B = C - r E,   E_j = sqrt(D_j) U_j there,
 *
 * and r follows from the sum of z. One factorisation a step, and quadratic
 * convergence once the features are the right ones.
 *
 * In z, where that gets no further: the Hessian of G is
 *
 *     2 K o (Q Q') / (D D'),   Q = C - M B,   K = M - M (M + D/z)^{-1} M,
 *
 * on the features with z > 0 and those that want to come in; a step is the
 * minimum of the quadratic model within the bounds, taken as far as G falls.
 */
#ifndef RS_CDLSR_PERSPECTIVE_NEWTON_H
#define RS_CDLSR_PERSPECTIVE_NEWTON_H

#include "proof/perspective.h"

/*
 * Steps from the present point until the best bound is at most `enough`, or no
 * lower one is to be had but for a share of what it is above that.
 */
rs_status rs_perspective_minimise(double enough, double share, int steps,
                                  rs_perspective *p);

#endif
