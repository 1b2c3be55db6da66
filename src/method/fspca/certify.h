/*
 * method/fspca/certify.h: how good a set of k rows is for row-sparse PCA: an
 * upper bound of the best set's value by the relaxation of relax.h, the
 * rows that no better set holds or that every better one holds, and branch and
 * bound where few rows are left. Sets that are better by no more than a small
 * share are left out; the largest bound of what was left out stays in the
 * certified one.
 *
 * With many rows the relaxation is solved on some of them, the core, and
 * extended to the others (extend.h) so that the eigenvalue part stays.
 */
#ifndef RS_FSPCA_CERTIFY_H
#define RS_FSPCA_CERTIFY_H

#include "method/fspca/steps.h"

/* ---- its steps, for what else is asked of all sets ------------------------- */

/* the search, as the settings have it, on the root; its clock runs. s->roles may
 * be put in then */
rs_status rs_certify_open(rs_context *ctx, rs_covop *op, int k, int m,
                          const rs_certify_settings *settings,
                          rs_certificate *found, rs_certify *s);
/* what is under way is broken off by the context so long after the limit */
void rs_certify_break_off(double seconds, rs_clock *last, rs_context *ctx);
/* the free bound by the variances, the first core and its variables */
rs_status rs_certify_root(rs_certify *s);
/* rounds of the relaxation, until they are idle, or late */
rs_status rs_certify_rounds(rs_certify *s);
/* the same about the rows whose questions are open, on one side */
rs_status rs_certify_price_open(rs_ask asking, rs_certify *s);
/* all rows that are left join the core, where it has room for them */
rs_status rs_certify_gather(rs_certify *s);
/* after the cut rose, or rows were marked as out or in: the bound at the present
 * variables, and what follows */
rs_status rs_certify_again(rs_certify *s);

/* ---- all of it ------------------------------------------------------------- */

rs_status rs_fspca_certify(rs_context *ctx, rs_covop *op, int k, int m,
                           const rs_certify_settings *settings,
                           rs_certificate *found);

#endif
