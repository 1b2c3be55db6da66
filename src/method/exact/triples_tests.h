/*
 * method/exact/triples_tests.h: sets of three tested side by side, in single
 * precision. A set that a test lets through is evaluated; one that it does not
 * is no better than the best, rounding included.
 */
#ifndef RS_CDLSR_TRIPLES_TESTS_H
#define RS_CDLSR_TRIPLES_TESTS_H

#include "method/exact/triples_best.h"
#include "method/exact/triples_index.h"

/* what a column of A and C says of a feature */
typedef struct {
    float rho, joint;
} rs_triple_cell;

/* a panel of second features */
typedef struct {
    const rs_triple_features *features;
    const rs_triple_question *question;
    const rs_triple_index *index;
    rs_triple_best *best;
    const double *A, *C;   /* their columns */
    rs_triple_cell *cells; /* d x RS_EXACT_PANEL: the same, as floats */
} rs_triple_tests;

rs_status rs_triple_tests_init(const rs_triple_features *f,
                               const rs_triple_question *q,
                               const rs_triple_index *index,
                               rs_triple_best *best, rs_triple_tests *tests);
/* so many features become the second ones; A, C: their columns, which must
 * stay */
void rs_triple_set_seconds(int width, const double *A, const double *C,
                           rs_triple_tests *tests);
/* all sets with apex number a of the index whose larger entry is at k, number b
 * of the panel; returns how many were tested */
double rs_triple_test(int a, int k, int b, rs_triple_tests *tests);

#endif
