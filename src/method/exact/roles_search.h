/*
 * method/exact/roles_search.h: what the search for roles carries along, the
 * definitions are in method/exact/roles.h.
 */
#ifndef RS_EXACT_ROLES_SEARCH_H
#define RS_EXACT_ROLES_SEARCH_H

#include "sets/local_search.h"
#include "proof/role_exchange.h"
#include "proof/value.h"

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_role_settings *asked;
    rs_role_fit *fit;
    rs_clock clock;
    double cut;   /* of the present tolerance */
    int question; /* the feature that is asked about; -1: none */
    rs_set_value value;
    rs_local local; /* exchanges in a tableau */
    rs_columns columns;
    rs_role_exchange exchange;
} rs_roles_search;

/* exchanges, of features that are not barred when they are scored */
rs_status rs_roles_exchange_init(rs_roles_search *search);
/* a set of k features is evaluated; nonzero where it is better than the best one,
 * or answers the question that is asked */
int rs_roles_consider(void *search, const int *set);

#endif
