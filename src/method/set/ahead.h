/*
 * method/set/ahead.h: products for the search for features whose linear kernel is
 * aligned with another one, see sets/value_alignment.h. Where products with several
 * features take no longer, as of data that are read block by block, those of the
 * features that promise most are made at once; one that was not among them begins
 * anew.
 */
#ifndef RS_AHEAD_H
#define RS_AHEAD_H

#include "sets/value_alignment.h"

typedef struct {
    int most, held;        /* features whose products are held, and now */
    int *feature;          /* d: whose */
    double *products;      /* d x most */
    double *columns;       /* scratch */
    double *merit, *order; /* d: room */
} rs_alignment_ahead;

/* the products of groups of one are made ahead, for up to k members, where that pays */
rs_status rs_alignment_read_ahead(rs_context *ctx, int k,
                                  rs_alignment_ahead *ahead,
                                  rs_value_alignment *value);

#endif
