/*
 * method/css/proof.h: column subsets of css() with a proof, by the tree of
 * proof/tree.h and the bound of proof/closing.h: is there no better one, and
 * what is the role of every feature among those that reproduce nearly as much?
 *
 * A set in which a feature keeps less of its square beside the others than the
 * bound's `least` counts for nothing. Values come from the cross-products of all
 * features, off by their errors times tr C_JJ^{-1}; where that does not do, and
 * the data are at hand, from these, whose rounding errors count times the root
 * of it.
 *
 * Roles: where the search can be expected to end, for up to four features, or
 * five of few, it meets all sets beyond a lower cut, and what it prunes is a
 * bound. Beyond that there are witnesses only, by exchanges.
 */
#ifndef RS_CSS_PROOF_H
#define RS_CSS_PROOF_H

#include "proof/role_engine.h"
#include "sets/lsq.h"

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
    int tied;         /* does another set explain as much? */
    double nodes, seconds;
    rs_bnb_trace trace;
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
