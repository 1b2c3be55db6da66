/*
 * method/css/css.h: column subset selection, the problem of method/cdlsr/cdlsr.h with Y = X:
 * the k features that best reproduce all the others.
 */
#ifndef RS_CSS_H
#define RS_CSS_H

#include "sets/lsq.h"

/*
 * What Y = X needs beyond X or S: base_j = ||X'x_j||^2 and ||X||^2, from
 * K = XX' (n x n, kept) when X is given and from S otherwise. c must be 0.
 */
rs_status rs_css_prepare(rs_context *ctx, rs_lsq *problem);

#endif
