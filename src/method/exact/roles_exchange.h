/*
 * method/exact/roles_exchange.h: witnesses by exchanges of single features.
 */
#ifndef RS_EXACT_ROLES_EXCHANGE_H
#define RS_EXACT_ROLES_EXCHANGE_H

#include "method/exact/roles_search.h"

rs_status rs_roles_exchange_init(rs_roles_search *search);
/* all exchanges of the best set, fit->exchange: again from the start where one is
 * better */
rs_status rs_roles_sweep(rs_roles_search *search);
/* from the best witness of the feature, with it held in or out as its question
 * says, until no exchange explains more */
rs_status rs_roles_climb(int feature, rs_roles_search *search);

#endif
