/*
 * method/exact/roles.h: the role of every feature among the sets of k features
 * that explain nearly as much as the best one.
 *
 * Witnesses and bounds of each feature's question come from
 *
 *   - exchanges of single features, all of them, and climbs from the best of
 *     them with the feature held in or out (roles_exchange.h);
 *   - the searches for the best set with this lower cut, which meet all sets
 *     beyond it: for up to five features, where that can be done in time;
 *   - else the root of the tree, whose relaxations bound every feature's answer,
 *     and the tree once more for each question that is left, with the feature in
 *     every set or in none, until the first witness (tree_roles.h).
 *
 * Of features that depend on others in a set nothing is claimed: without a
 * ridge only sets of independent features are looked at.
 */
#ifndef RS_EXACT_ROLES_H
#define RS_EXACT_ROLES_H

#include "proof/role_search.h"
#include "sets/lsq.h"

/* problem: c > 0; X (products of RS_EXACT_PANEL columns allowed) or S; YtY: c x
 * c. Values are shares of ||Y||^2. */
rs_status rs_exact_roles(rs_context *ctx, const rs_lsq *problem,
                         const rs_role_settings *asked, const double *YtY,
                         rs_role_fit *fit);

#endif
