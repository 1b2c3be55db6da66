/*
 * method/exact/wide.h: the bound of method/exact/perspective.h for all
 * features at once where there are too many for their cross-products: with a
 * ridge, D = ridge, and columns of the cross-products are made as features come
 * in.
 */
#ifndef RS_CDLSR_WIDE_H
#define RS_CDLSR_WIDE_H

#include "method/exact/proof.h"

/*
 * problem: X and a ridge. fit->feature: a good set. *bound: what sets explain
 * at most, as a share of ||Y||^2; keep (d): 0 for the features that are in no
 * set that explains more than `cut`. RS_LATE leaves what was known until then.
 */
rs_status rs_cdlsr_wide(rs_context *ctx, const rs_lsq *problem,
                        const rs_exact_settings *settings,
                        const rs_exact_fit *fit, double cut, double *bound,
                        unsigned char *keep);

#endif
