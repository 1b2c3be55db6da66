/*
 * glue/roles.h: the roles of features as the list that engines return.
 */
#ifndef R_ROLES_H
#define R_ROLES_H

#include "glue/result.h"
#include "search/near_sets.h"
#include "search/roles.h"

/* value, best, low, high and witness, a matrix of d columns (NA: none), in units
 * of the core times `unit` */
void r_add_roles(r_result *out, const rs_roles *roles, double unit);
/*
 * count, complete, frequency, sets and set_values by tolerance; complete: were
 * all sets met? wanted: sets of the largest tolerance that are listed.
 */
void r_add_near_sets(r_result *out, const rs_near_sets *near, int tolerances,
                     const double *tolerance, double value, double slack,
                     const int *complete, int wanted, double unit);

#endif
