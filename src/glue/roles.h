/*
 * glue/roles.h: what is asked about the roles of features, and the list of what
 * was found.
 */
#ifndef R_ROLES_H
#define R_ROLES_H

#include "glue/result.h"
#include "proof/roles.h"

/* sets: given and best, 1-based; settings: k, tolerance (ascending), sets (most
 * that are listed), time_limit */
rs_role_settings r_role_settings(SEXP sets, SEXP settings, int d,
                                 rs_context *ctx);
/*
 * Everything that was found, values in units of the core times `unit`. Of the
 * sets that were met, those that reach the cut of each tolerance: `count`,
 * `complete` (had all sets been met?), `frequency`, and of the largest tolerance
 * the `wanted` best ones, with their values.
 */
SEXP r_roles(const rs_role_settings *asked, const rs_role_fit *fit, int wanted,
             double unit);

#endif
