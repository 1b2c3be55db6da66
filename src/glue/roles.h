/*
 * glue/roles.h: what is asked about the roles of features, and the list of what
 * was found.
 */
#ifndef R_ROLES_H
#define R_ROLES_H

#include "glue/result.h"
#include "search/role_search.h"

/* sets: given and best, 1-based; settings: k, tolerance (ascending), sets (most
 * that are listed), time_limit */
rs_role_settings r_role_settings(SEXP sets, SEXP settings, int d,
                                 rs_context *ctx);
/* everything that was found, values in units of the core times `unit`; wanted:
 * sets of the largest tolerance that are listed */
SEXP r_roles(const rs_role_settings *asked, const rs_role_fit *fit, int wanted,
             double unit);

#endif
