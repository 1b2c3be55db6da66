/*
 * method/css/roles.h: the role of every feature among the column subsets that
 * reproduce nearly as much as the best one.
 *
 * Where the search of method/css/exact.h can be expected to end, for up to four
 * features, or five of few, it meets all sets beyond a lower cut, and what it
 * prunes is a bound. Beyond that there are witnesses only: exchanges of single
 * features, all of them, and climbs from the best with the feature held in or
 * out.
 */
#ifndef RS_CSS_ROLES_H
#define RS_CSS_ROLES_H

#include "method/css/exact.h"
#include "proof/role_engine.h"

/* values are shares of the total */
rs_status rs_css_roles(rs_context *ctx, const rs_lsq *problem,
                       const rs_role_settings *asked,
                       const rs_css_input *input, rs_role_fit *fit);

#endif
