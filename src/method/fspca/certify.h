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

rs_status rs_fspca_certify(rs_context *ctx, rs_covop *op, int k, int m,
                           const rs_certify_settings *settings,
                           rs_certificate *found);

#endif
