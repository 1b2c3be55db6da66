/*
 * glue/lsq.h: the least-squares problem of a call, as cdlsr.c reads it.
 */
#ifndef R_LSQ_H
#define R_LSQ_H

#include <Rinternals.h>

#include "sets/lsq.h"

/*
 * response: Y (n x c, centred) or B (d x c), and total; NULL for Y = X. search:
 * the size of the sets that are searched for, where the problem may be given by
 * its cross-products; 0: the data stay. least_block: products of so many
 * columns must be possible.
 */
void r_lsq(SEXP data, SEXP response, SEXP settings, int search,
           int least_block, rs_context *ctx, rs_lsq *problem);

#endif
