/*
 * method/cdlsr_exact.h: the best set of k features with a proof, by branch and
 * bound over ordered sets.
 *
 * Candidates stand in a fixed order, the incumbent's features first, then by
 * what each explains alone; a node holds the features I, and its children add
 * one feature that comes later in the order. The last feature of a set is
 * found by scoring all candidates at once. With m features still to choose
 * from F, no set below a node explains more than any of
 *
 *   E(I) + the m largest eigenvalues of the residual cross-products Y_I'Y_I,
 *   E(I + F), where F is small and I + F has fewer than n features,
 *   (sum over I of s_j + the m largest s_j in F) / (1 - (k - 1) mu),
 *
 * s_j = ||B_j||^2 / (||x_j||^2 + ridge) and mu the largest absolute
 * correlation in the node: Gershgorin's bound of the smallest eigenvalue.
 *
 * Rounding. Columns have unit length here and ||Y|| = 1, so that an inner
 * product is off by at most (n + c + 16) eps; from there every level knows
 * how far its numbers may be off, bounds are raised by that, and a set that
 * may win when the errors are added is evaluated by solve/accurate.h. Where the
 * data are not at hand (moments) such a set stays unresolved.
 *
 * Sets of three have a search of their own: method/cdlsr_triples.h.
 */
#ifndef RS_CDLSR_EXACT_H
#define RS_CDLSR_EXACT_H

#include "solve/subset.h"

typedef struct {
    int k;
    double tol;        /* gains relative to ||Y||^2 that do not count */
    double time_limit; /* seconds of processor time */
    const double *YtY; /* c x c */
} rs_exact_settings;

typedef struct {
    int *feature;     /* k; in: a good set, out: the best one */
    double explained; /* E of it */
    double bound;     /* no set of k features explains more */
    int complete;     /* 0: stopped by the time limit, or unresolved */
    int resolved;     /* 0: rounding hides what some set explains */
    double nodes; /* sets whose last feature was searched for, or bounded */
    double seconds;
} rs_exact_fit;

/* columns of the cross-products computed together */
#define RS_EXACT_PANEL 64

/* explained[j] = what feature j explains alone, -1 where it is barred */
void rs_explained_alone(const rs_lsq *problem, double *explained);
/*
 * out (d x width): the cross-products of the columns wanted[0..width) with
 * the columns order[0..d). columns (n x width) and raw (all columns x width)
 * are scratch, and not used where the problem is given by S.
 */
rs_status rs_ordered_products(const rs_lsq *problem, const int *order, int d,
                              const int *wanted, int width, double *columns,
                              double *raw, double *out);

/* problem: c > 0; X (products of RS_EXACT_PANEL columns allowed) or S */
rs_status rs_cdlsr_exact(rs_context *ctx, const rs_lsq *problem,
                         const rs_exact_settings *settings, rs_exact_fit *fit);

#endif
