/*
 * method/exact/branch_init.h: room, the order of the candidates and what is
 * known of them before the search.
 */
#ifndef RS_CDLSR_BRANCH_INIT_H
#define RS_CDLSR_BRANCH_INIT_H

#include "method/exact/branch_search.h"

/* s: the problem and the settings, fit->feature a set to begin with */
rs_status rs_branch_init(rs_context *ctx, rs_branch *s);

#endif
