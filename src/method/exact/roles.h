/*
 * method/exact/roles.h: the role of every feature among the sets of k features
 * that explain nearly as much as the best one.
 */
#ifndef RS_EXACT_ROLES_H
#define RS_EXACT_ROLES_H

#include "proof/role_engine.h"
#include "sets/lsq.h"

/* problem: c > 0; YtY: c x c. Values are shares of ||Y||^2. */
rs_status rs_exact_roles(rs_context *ctx, const rs_lsq *problem,
                         const rs_role_settings *asked, const double *YtY,
                         rs_role_fit *fit);

#endif
