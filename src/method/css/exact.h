/*
 * method/css/exact.h: is there no better column subset? Branch and bound over
 * the frames of method/css/frame.h: a node is a set T with the candidates that
 * may be added to it, its children the sets with one of them more and those
 * that come before it. Where four features are missing, each candidate and
 * three before it are searched at once.
 */
#ifndef RS_CSS_EXACT_H
#define RS_CSS_EXACT_H

#include "method/css/branch.h"
#include "method/css/frame.h"

typedef struct {
    double tol;        /* differences that do not count, of the total */
    double time_limit; /* seconds */
    rs_css_input input;
} rs_css_settings;

typedef struct {
    int count, *set;    /* k features; fewer where no more are independent */
    double explained;   /* by it */
    double bound;       /* no set explains more */
    double first_bound; /* as it was before the search */
    int complete;       /* proved, to within tol of the total */
    int resolved;       /* rounding hides no better set */
    double nodes, seconds;
    rs_bnb_trace trace;
} rs_css_proof;

/* fit->set: a good set of fit->count features, k at most, and what it explains
 */
rs_status rs_css_exact(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_css_proof *fit);

#endif
