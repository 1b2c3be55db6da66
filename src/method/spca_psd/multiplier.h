/*
 * method/spca_psd/multiplier.h: the dual bound for the sum of row norms, from
 * explicit multipliers Y of the residuals, which it corrects.
 */
#ifndef RS_SPCA_MULTIPLIER_H
#define RS_SPCA_MULTIPLIER_H

#include "method/spca_psd/slack.h"

/* with the workspace and the basis ready; corrects the multipliers until the
 * bound reaches `wanted` */
rs_status rs_spca_bound_rows(rs_spca_slack *ws, double below, int room,
                             int *count, double *vectors, double wanted,
                             rs_spca_fit *fit);

#endif
