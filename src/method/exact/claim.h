/*
 * method/exact/claim.h: what is stated of a search for the best set, whatever
 * the search was and whatever the data are.
 *
 * A proof is stated only where it is known to within tol what the set explains
 * and which features depend on others. The set is evaluated once more here,
 * from nothing but the data and its features:
 *
 *   - in twice the working precision where the data are at hand;
 *   - else by its cross-products, A = X_J'X_J + ridge I and b = X_J'Y of unit
 *     columns and ||Y|| = 1. With W near A^{-1} b and every product off by at
 *     most e,
 *
 *         2 <b, W> - <W, A W>
 *
 *     is off by at most 2 e (1 + l)^2, l^2 = the sum over the responses of
 *     ||w||_1^2: nearly dependent features have a large W.
 *
 * Fewer features than asked for prove something only in the first case, as
 * products do not tell dependent features from nearly dependent ones; but what
 * explains all of the response is best in any case.
 */
#ifndef RS_CDLSR_CLAIM_H
#define RS_CDLSR_CLAIM_H

#include "method/exact/proof.h"

/* what a set explains, as a share of ||Y||^2, and by how much that may be off;
 * from_data: it is known which features depend on others */
typedef struct {
    double explained, error;
    int from_data;
} rs_cdlsr_value;

rs_status rs_cdlsr_evaluate(rs_context *ctx, const rs_lsq *problem, int k,
                            const int *set, rs_cdlsr_value *out);
/*
 * fit->explained, bound, complete and resolved, as they are to be stated of the
 * set fit->feature, whose value is given; RS_UNSOUND where the search states a
 * bound that the set itself exceeds.
 */
rs_status rs_cdlsr_claim(const rs_lsq *problem,
                         const rs_exact_settings *settings,
                         const rs_cdlsr_value *value, rs_exact_fit *fit);

#endif
