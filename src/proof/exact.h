/*
 * proof/exact.h: the best set of k features for least squares, proved, and the
 * role of every feature among those near it. Two bounds of the tree serve:
 * proof/subsets.h, where cross-products have a splitting, and proof/closing.h.
 *
 * A proof is stated only where it is known to within tol what the set explains
 * and which features depend on others: by twice the working precision where the
 * data are at hand, else as far as the cross-products tell (proof/value.h).
 * Fewer features than asked for prove something only in the first case, as
 * products do not tell dependent features from nearly dependent ones. What leaves
 * no more than rounding is best in any case, what leaves less than tol unproved.
 *
 * Sets of css() have one bound, that of proof/closing.h, and roles of more than
 * four features, or five of few, have witnesses only, by exchanges.
 */
#ifndef RS_EXACT_H
#define RS_EXACT_H

#include "proof/roles.h"
#include "proof/subsets.h"

/* what is known beside the problem */
typedef struct {
    const double *YtY; /* c x c, where there is a response */
    /* are features that keep less of their square beside others than the bound
     * counts dependent, as css() has it? Values come from the cross-products of all
     * candidates, off by their errors times tr C_JJ^{-1}; where that does not do,
     * from what the set of exchanges adds up to, if the data are at hand */
    int reproduces;
} rs_exact_given;

typedef struct {
    int k;
    int most;           /* the largest k of all sizes */
    rs_subsets *shared; /* of all sizes */
    /* progress, after every node of a tree; or NULL */
    void (*report)(void *state, const rs_tree_progress *now);
    void *report_state;
    double tol;        /* gains relative to ||Y||^2 that do not count */
    double time_limit; /* seconds */
    rs_exact_given given;
} rs_exact_settings;

/* problem: X (products of RS_PANEL columns allowed) or S; c > 0 unless it is of
 * css(). RS_UNSOUND where a bound is stated that the set itself exceeds. fit->set: a good set of `count`
 * features, fewer than k where no more are independent; values are shares */
rs_status rs_sets_exact(rs_context *ctx, const rs_lsq *problem,
                        const rs_exact_settings *settings, int count,
                        rs_tree_fit *fit);

/* the same problem; values are shares of ||Y||^2 */
rs_status rs_sets_roles(rs_context *ctx, const rs_lsq *problem,
                        const rs_role_settings *asked,
                        const rs_exact_given *given, rs_role_fit *fit);

#endif
