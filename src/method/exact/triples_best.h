/*
 * method/exact/triples_best.h: the best set of three so far. Sets that may be
 * better are evaluated from the data in twice the working precision, where
 * these are at hand; where they are not, a set whose rounding errors hide
 * whether it is better stays unresolved.
 */
#ifndef RS_CDLSR_TRIPLES_BEST_H
#define RS_CDLSR_TRIPLES_BEST_H

#include "sets/accurate.h"
#include "method/exact/proof.h"
#include "method/exact/triples_features.h"

typedef struct {
    rs_triple_features *features;
    rs_accurate accurate;
    double tol;                /* gains that do not count */
    const rs_exact_near *near; /* or NULL */
    int *feature;              /* 3: columns of the data */
    double explained;          /* E of the set */
    double unresolved;         /* sets that rounding hides explain no more */
    double *image;             /* (all columns) x 2: X'Q of a close pair */
    double *response;          /* 2 x c: its Y'Q along V, and scratch */
} rs_triple_best;

/* feature: a set to begin with, explained: E of it, relative to ||Y||^2 */
rs_status rs_triple_best_init(rs_triple_features *f,
                              const rs_exact_settings *settings, int *feature,
                              double explained, rs_triple_best *best);
/* what a better set explains more than */
double rs_triple_to_beat(const rs_triple_best *best);
/* the set of the features j, k, i; A: the column of k */
void rs_triple_try(int j, int k, int i, const double *A, rs_triple_best *best);
/*
 * All sets with the features j and i, so close that double precision cannot
 * tell what the second adds.
 */
rs_status rs_triple_try_close(int j, int i, rs_triple_best *best);

#endif
