/*
 * method/exact/branch.h: the best set of k features with a proof, by branch and
 * bound over ordered sets.
 *
 * Candidates stand in a fixed order, the incumbent's features first, then by
 * what each explains alone; a node holds the features I, and its children add
 * one feature that comes later in the order. The last feature of a set is
 * found by scoring all candidates at once. With m features still to choose
 * from F, no set below a node explains more than any of
 *
 *   E(I) + the m largest eigenvalues of the residual cross-products Y_I'Y_I,
 *   E(I + F), where F is small and I + F has fewer than n features,
 *   (sum over I of s_j + the m largest s_j in F) / (1 - (k - 1) mu),
 *
 * s_j = ||B_j||^2 / (||x_j||^2 + ridge) and mu the largest absolute
 * correlation in the node: Gershgorin's bound of the smallest eigenvalue. The
 * responses are turned to the eigenvectors of Y'Y that are not rounding.
 *
 * Rounding. Columns have unit length here and ||Y|| = 1, so that an inner
 * product is off by at most (n + c + 16) eps; from there every level knows
 * how far its numbers may be off, bounds are raised by that, and a set that
 * may win when the errors are added is evaluated by sets/accurate.h. Where the
 * data are not at hand (moments) such a set stays unresolved.
 *
 * By step, cdlsr_branch_*: _init (the order of the candidates), _products (of
 * their columns), _step (the residual problem of a child), _bounds (the four
 * above), _filter (the last feature but one), _last (the scores of the last
 * one), _sets (a set that may win); _search.h has the types.
 */
#ifndef RS_CDLSR_BRANCH_H
#define RS_CDLSR_BRANCH_H

#include "method/exact/proof.h"

/* problem: c > 0; X (products of RS_EXACT_PANEL columns allowed) or S */
rs_status rs_cdlsr_branch(rs_context *ctx, const rs_lsq *problem,
                          const rs_exact_settings *settings,
                          rs_exact_fit *fit);

#endif
