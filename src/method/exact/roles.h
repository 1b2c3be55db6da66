/*
 * method/exact/roles.h: the role of every feature among the sets of k features
 * that explain nearly as much as the best one.
 *
 * With v what the best set known explains and a tolerance eps, those sets
 * explain at least
 *
 *     cut = (1 - eps) v - slack,
 *
 * where the slack covers rounding. Witnesses and bounds of each feature's
 * question (search/roles.h) come from
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

#include "method/exact/proof.h"
#include "search/near_sets.h"
#include "search/roles.h"

typedef struct {
    int k;
    const int *given, *best; /* k: a set, and one to begin with */
    int tolerances;
    const double *tolerance; /* ascending */
    int list;                /* are all sets wanted, and how many there are? */
    double time_limit;
    const double *YtY; /* c x c */
} rs_exact_roles_settings;

/* values are shares of ||Y||^2 */
typedef struct {
    rs_roles roles;
    rs_near_sets near;
    double *exchange; /* k x d: what the best set explains with a feature in
                       * the place of its i-th; NaN: not known */
    double given;     /* of the given set */
    double bound;     /* no set explains more */
    double slack;
    int *complete; /* tolerances: were all sets met? */
    int proved;    /* do the bounds come from a search? */
    int decided;   /* is the answer to every question known? */
    double nodes, questions, seconds;
} rs_exact_roles;

/* problem: c > 0; X (products of RS_EXACT_PANEL columns allowed) or S */
rs_status rs_exact_find_roles(rs_context *ctx, const rs_lsq *problem,
                              const rs_exact_roles_settings *settings,
                              rs_exact_roles *fit);

#endif
