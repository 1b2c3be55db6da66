/*
 * method/exact/branch_last.h: the last feature of a set.
 */
#ifndef RS_CDLSR_BRANCH_LAST_H
#define RS_CDLSR_BRANCH_LAST_H

#include "method/exact/branch_step.h"

/* all sets that add p and one candidate after it to the node */
rs_status rs_branch_scan_last(rs_branch *s, int depth, int p,
                              const rs_branch_step *to);

#endif
