/*
 * method/css/exact.h: is there no better column subset? By the tree of
 * proof/tree.h and the bound of proof/closing.h.
 */
#ifndef RS_CSS_EXACT_H
#define RS_CSS_EXACT_H

#include "method/css/sets.h"

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
    rs_bnb_trace trace;
} rs_css_proof;

/* fit->set: a good set of fit->count features, k at most, and what it explains
 */
rs_status rs_css_exact(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_css_proof *fit);

#endif
