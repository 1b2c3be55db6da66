/*
 * method/cdlsr_relax.h: a bound of what sets of k features explain that adds up
 * over their features.
 *
 * With S = X'X, B = X'Y and a diagonal delta >= 0 for which S - diag(delta) = M
 * is positive semidefinite, D = ridge + delta, the objective of a set T is the
 * least value over V with rows in T of
 *
 *     ||Y||^2 - 2 <B, V> + <V, M V> + sum_T D_j ||v_j||^2.
 *
 * <V, M V> lies above its tangent at any U, and what is left separates:
 *
 *     f(T) >= ||Y||^2 - <U, M U> - sum_T ||B_j - (M U)_j||^2 / D_j,
 *
 * so that T explains at most base + sum_T weight_j. delta = 0 needs a ridge; a
 * delta > 0 (method/cdlsr_relax_diagonal.h) needs more samples than features.
 * For delta = 0 the same holds with any Theta (n x c) in the place of Y - X U,
 *
 *     f(T) >= 2 <Theta, Y> - ||Theta||^2 - sum_T ||x_j'Theta||^2 / ridge,
 *
 * among them all t (Y - X U): the best t has a closed form.
 *
 * U comes from the relaxation with 0 <= z_j <= 1, sum z = k, and
 * D_j ||v_j||^2 / z_j in the place of D_j ||v_j||^2 (the perspective): given z,
 * U solves (M + diag(D / z)) U = B; given U, the best z_j are in proportion to
 * sqrt(D_j) ||u_j|| below 1. Doing these in turns lowers the relaxation, and at
 * its minimum bound and relaxation agree. Features enter by their weights.
 *
 * Rounding. Inner products of x_i and x_j are off by at most error ||x_i||
 * ||x_j||; what that may take from base and weights is added to them.
 */
#ifndef RS_CDLSR_RELAX_H
#define RS_CDLSR_RELAX_H

#include "method/cdlsr_relax_state.h"

/*
 * *able = 0 where nothing is known: no ridge, and no delta. With `flops` the
 * operations that finding a delta may take.
 */
rs_status rs_cdlsr_relax_init(rs_context *ctx, const rs_lsq *problem, int k,
                              double flops, rs_cdlsr_relax *relax, int *able);
/*
 * relax->best <- the bound by the z of the set `known` (k columns), and by
 * what follows from there until it is at most `enough` or bound and relaxation
 * agree; RS_LATE leaves the best until then.
 */
rs_status rs_cdlsr_relax_run(rs_cdlsr_relax *relax, const int *known,
                             double enough);
/*
 * hopeless[q] = 1 where no set with candidate q explains more than `enough`,
 * by relax->best; returns how many are left.
 */
int rs_cdlsr_relax_eliminate(rs_cdlsr_relax *relax, double enough,
                             unsigned char *hopeless);

#endif
