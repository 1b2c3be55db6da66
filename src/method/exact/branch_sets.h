/*
 * method/exact/branch_sets.h: sets of k features one by one, and the best of
 * them.
 */
#ifndef RS_CDLSR_BRANCH_SETS_H
#define RS_CDLSR_BRANCH_SETS_H

#include "method/exact/branch_search.h"

/* s->members <- columns of the node, of p and of `last` (none where negative);
 * returns how many */
int rs_branch_list(rs_branch *s, int depth, int p, int last);
/*
 * A set that may win: `most` is what it explains at most. What it explains is
 * found from the data; where they are not at hand, `about` is what rounding
 * lets one see of it.
 */
void rs_branch_try(rs_branch *s, int depth, int p, int last, double about,
                   double most);

#endif
