/*
 * method/exact/search.h: the best set of k features, with a proof: by the
 * relaxation (method/exact/tree.h) or by the last features at once
 * (proof/closing.h).
 */
#ifndef RS_CDLSR_EXACT_H
#define RS_CDLSR_EXACT_H

#include "method/exact/proof.h"

/* problem: c > 0; X (products of RS_EXACT_PANEL columns allowed) or S */
rs_status rs_cdlsr_exact(rs_context *ctx, const rs_lsq *problem,
                         const rs_exact_settings *settings, rs_exact_fit *fit);
/* the second of these */
rs_status rs_cdlsr_ordered(rs_context *ctx, const rs_lsq *problem,
                           const rs_exact_settings *settings,
                           rs_exact_fit *fit);

#endif
