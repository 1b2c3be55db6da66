/*
 * method/alignment/alignment.h: features whose linear kernel K_J = X_J X_J' is
 * aligned with a kernel K_Y = Y Y',
 *
 *     max over |J| = k of  <K_J, K_Y> / (||K_J||_F^2 + ridge)^(1/2),
 *
 * by sets/search of sets/value_alignment, one feature at a time. Where products
 * with several features take no longer, as of data that are read block by block,
 * the features to come are predicted. The search goes on among a panel of the best
 * ones, whose cross-products are one pass, and another makes the products of all
 * features with those it took. They hold whether or not the prediction does; a
 * feature that was not predicted begins another panel.
 */
#ifndef RS_ALIGNMENT_H
#define RS_ALIGNMENT_H

#include "base/arena.h"
#include "sets/value_alignment.h"

typedef struct {
    int k;
    int most;         /* features whose products are held */
    int held;         /* of them now */
    int *feature;     /* most: whose */
    double *products; /* d x most */
    double *columns;  /* scratch */
    int size;         /* features of a panel */
    int *panel;
    double *gram, *room;   /* size x size; scratch of it */
    double *merit, *order; /* d: room */
    rs_arena arena;        /* of one prediction */
} rs_alignment_ahead;

/* the products of groups of one are made ahead, for up to k members, where that
 * pays */
rs_status rs_alignment_read_ahead(rs_context *ctx, int k,
                                  rs_alignment_ahead *ahead,
                                  rs_value_alignment *value);

#endif
