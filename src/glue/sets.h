/*
 * glue/sets.h: the least-squares problem of a call, and rules of its sets, as
 * sets.c reads them.
 */
#ifndef R_SETS_H
#define R_SETS_H

#include "glue/glue.h"
#include "sets/lsq.h"
#include "sets/rules.h"

/*
 * response: Y (n x c, centred) or B (d x c), total, and reach, how far from zero it
 * was where B is made of parts; NULL for Y = X. search: the size of the sets that are
 * searched for, where the problem may be given by its cross-products; 0: the data
 * stay. least_block: products of so many columns must be possible.
 */
void r_lsq(SEXP data, SEXP response, SEXP settings, int search,
           int least_block, rs_context *ctx, rs_lsq *problem);
/* of, from 1; in: classes x sets; least, most; cost; budget; barred; k; or NULL */
rs_rules *r_rules(SEXP list, rs_context *ctx);
/* S beside the data, without a factor */
void r_form_products(rs_covop *op);

#endif
