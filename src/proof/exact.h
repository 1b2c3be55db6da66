/*
 * proof/exact.h: the best set of k features for least squares, proved, and the
 * role of every feature among those near it. Two bounds of the tree serve:
 * proof/subsets.h, where cross-products have a splitting, and proof/closing.h.
 *
 * A proof is stated only where it is known to within tol what the set explains
 * and which features depend on others: by twice the working precision where the
 * data are at hand, else as far as the cross-products tell (proof/value.h).
 * Fewer features than asked for prove something only in the first case, as
 * products do not tell dependent features from nearly dependent ones; but what
 * explains all of the response is best in any case.
 */
#ifndef RS_EXACT_H
#define RS_EXACT_H

#include "proof/role_engine.h"
#include "proof/subsets.h"

/* what proofs of several sizes share; all 0 at first */
typedef struct {
    rs_tree *tree;
    rs_subsets subsets;
    rs_bound bound;
} rs_exact_shared;

typedef struct {
    int k;
    int most; /* the largest k of all sizes */
    rs_exact_shared *shared;
    /* progress, after every node of a tree; or NULL */
    void (*report)(void *state, const rs_tree_progress *now);
    void *report_state;
    double tol;        /* gains relative to ||Y||^2 that do not count */
    double time_limit; /* seconds */
    const double *YtY; /* c x c */
} rs_exact_settings;

typedef struct {
    int *feature;     /* k; in: a good set, out: the best one */
    int count;        /* fewer than k where no more are independent */
    double explained; /* out: E of it */
    double bound;     /* no set of k features explains more */
    int complete;     /* 0: stopped by the time limit, or unresolved */
    int resolved;     /* 0: rounding hides what some set explains */
    double nodes, seconds;
    double dropped, joined; /* features, before the first branch */
    rs_tree_trace trace;     /* shares of ||Y||^2 */
} rs_exact_fit;

/* problem: c > 0; X (products of RS_PANEL columns allowed) or S. RS_UNSOUND where
 * a bound is stated that the set itself exceeds */
rs_status rs_cdlsr_exact(rs_context *ctx, const rs_lsq *problem,
                         const rs_exact_settings *settings, rs_exact_fit *fit);

/* the same problem; values are shares of ||Y||^2 */
rs_status rs_cdlsr_roles(rs_context *ctx, const rs_lsq *problem,
                         const rs_role_settings *asked, const double *YtY,
                         rs_role_fit *fit);

/* ---- columns of css() ----------------------------------------------------------- */

/*
 * Is there no better set of columns, and what is the role of every feature among
 * those that reproduce nearly as much? A set in which a feature keeps less of its
 * square beside the others than the bound's `least` counts for nothing. Values
 * come from the cross-products of all features, off by their errors times tr
 * C_JJ^{-1}; where that does not do, and the data are at hand, from these, whose
 * rounding errors count times the root of it.
 *
 * Roles: where the search can be expected to end, for up to four features, or
 * five of few, it meets all sets beyond a lower cut, and what it prunes is a
 * bound. Beyond that there are witnesses only, by exchanges.
 */

/* what is known beside the problem */
typedef struct {
    const double *YtY; /* c x c, where there is a response */
    rs_data *X;        /* the data, also where the problem is given by S; NULL
                        * where they are not at hand */
} rs_css_input;

typedef struct {
    double tol;        /* differences that do not count, of the total */
    double time_limit; /* seconds */
    rs_css_input input;
} rs_css_settings;

typedef struct {
    int count, *set;  /* k features; fewer where no more are independent */
    double explained; /* by it */
    double bound;     /* no set explains more */
    int complete;     /* proved, to within tol of the total */
    int resolved;     /* rounding hides no better set */
    double nodes, seconds;
    rs_tree_trace trace;
} rs_css_proof;

/* fit->set: a good set of fit->count features, k at most, and what it explains
 */
rs_status rs_css_exact(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_css_proof *fit);
/* values are shares of the total */
rs_status rs_css_roles(rs_context *ctx, const rs_lsq *problem,
                       const rs_role_settings *asked,
                       const rs_css_input *input, rs_role_fit *fit);

#endif
