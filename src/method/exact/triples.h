/*
 * method/exact/triples.h: the best set of three features with a proof, without
 * looking at all of them and without a d x d matrix.
 *
 * Features have unit length here: A = X'X, b_i = Y'x_i, C_ij = b_i'b_j,
 * e_i = C_ii; a set S explains E(S) = tr(A_S^{-1} C_S). Is there a set with
 * E(S) > t? Let M = A - C / tau. The eigenvalues nu_1 >= nu_2 >= nu_3 of
 * A_S^{-1/2} C_S A_S^{-1/2} add up to E(S) and are at most the largest ones
 * of Y'Y (interlacing), and those of M_S^{-1} C_S are nu / (1 - nu / tau). If
 * M_S is positive definite and E(S) > t, these add up to more than
 *
 *     level = min sum_l nu_l / (1 - nu_l / tau)
 *             over sum nu_l = t, 0 <= nu_l <= lambda_l(Y'Y),
 *
 * while tr(M_S^{-1} C_S) <= sum_S e_i / (1 - e_i / tau) / lambda_min, with the
 * smallest eigenvalue of M_S scaled to a unit diagonal. So E(S) > t needs
 *
 *     lambda_min < sum_S share_i,  share_i = e_i / (1 - e_i / tau) / level.
 *
 * For one response and tau = t that is exact: level is infinite, and S is
 * better if and only if M_S is not positive definite. The two largest of the
 * three scaled entries, x >= y, share a feature, the apex, and
 *
 *     lambda_min >= 1 - (x + sqrt(x^2 + 8 y^2)) / 2:
 *
 * with L = 1 - sum_S share_i, only sets with y^2 > L (L - x) / 2 can be
 * better. For every apex the neighbours lie sorted by their entry, so that
 * only these are ever looked at. Pairs {j, i} with
 *
 *     E({j, i}) + min(lambda_1(R_j'R_j), lambda_1(R_i'R_i)) <= t
 *
 * (R_j: the response without what j explains of it) are left out as well.
 */
#ifndef RS_CDLSR_TRIPLES_H
#define RS_CDLSR_TRIPLES_H

#include "method/exact/proof.h"

/* as rs_cdlsr_branch, for settings->k = 3 */
rs_status rs_cdlsr_triples(rs_context *ctx, const rs_lsq *problem,
                           const rs_exact_settings *settings,
                           rs_exact_fit *fit);

#endif
