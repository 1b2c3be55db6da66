/*
 * glue/l20.h: what the entry points of method/regression/pgd.h, method/regression/rpfs.h and
 * method/regression/ipfs.h share.
 */
#ifndef R_L20_H
#define R_L20_H

#include "method/regression/l20.h"
#include "glue/glue.h"
#include "glue/result.h"

void r_l20(SEXP data, SEXP Y, SEXP settings, rs_context *ctx,
           rs_l20_problem *problem);
/* history and ending, in a list of what was added */
SEXP r_close_l20(r_result *out, const rs_history *history, int iterations,
                 rs_status status);

#endif
