/*
 * method/exact/proof.h: what a search for the best set of k features is given,
 * and what it proves.
 */
#ifndef RS_CDLSR_PROOF_H
#define RS_CDLSR_PROOF_H

#include "proof/subsets.h"
#include "sets/lsq.h"

/* what proofs of several sizes share; all 0 at first */
typedef struct {
    rs_tree *tree;
    rs_subsets subsets;
    rs_bound bound;
} rs_exact_shared;

/*
 * Where sets near the best one are wanted as well, tol is below zero: no set is
 * taken for the best one then, and each that may explain more than the cut is
 * met, once or several times.
 */
typedef struct {
    /* k columns; nonzero: that is enough */
    int (*meet)(void *state, const int *set);
    void *state;
} rs_exact_near;

typedef struct {
    int k;
    int most; /* the largest k of all sizes */
    rs_exact_shared *shared;
    /* progress, after every node of a tree; or NULL */
    void (*report)(void *state, const rs_bnb *search);
    void *report_state;
    double tol;        /* gains relative to ||Y||^2 that do not count */
    double time_limit; /* seconds */
    const double *YtY; /* c x c */
    const rs_exact_near *near; /* or NULL */
} rs_exact_settings;

typedef struct {
    int *feature;     /* k; in: a good set, out: the best one */
    int count;        /* fewer than k where no more are independent */
    double explained; /* out: E of it */
    double bound;     /* no set of k features explains more */
    int complete;     /* 0: stopped by the time limit, or unresolved */
    int resolved;     /* 0: rounding hides what some set explains */
    double nodes; /* sets whose last feature was searched for, or bounded */
    double seconds;
    double dropped, joined; /* features, before the first branch */
    rs_bnb_trace trace;     /* shares of ||Y||^2 */
} rs_exact_fit;

/* columns of the cross-products computed together */
#define RS_EXACT_PANEL 64

#endif
