/*
 * method/exact/pairs.h: the best pair of features, among those whose first
 * member is one of the best alone.
 */
#ifndef RS_CDLSR_PAIRS_H
#define RS_CDLSR_PAIRS_H

#include "sets/subset.h"

/*
 * pair[0..1] <- the best pair that explains more than `known`; *found = 0 if
 * there is none among those looked at. The set s is used up.
 */
rs_status rs_best_pair(rs_context *ctx, rs_subset *s, double known, int *pair,
                       int *found);

#endif
