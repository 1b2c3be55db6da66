/*
 * method/exact/roles_search.h: what the search for roles carries along, the
 * definitions are in method/exact/roles.h.
 */
#ifndef RS_EXACT_ROLES_SEARCH_H
#define RS_EXACT_ROLES_SEARCH_H

#include "sets/local_search.h"
#include "method/exact/roles.h"
#include "method/exact/value.h"

/* slack, as a share of what the best set explains */
#define RS_ROLES_SLACK 1e-9

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_exact_roles_settings *settings;
    rs_exact_roles *fit;
    rs_clock clock;
    double cut;       /* of the present tolerance */
    int asked;        /* the feature whose question is asked; -1: none */
    int better;       /* has a better set come up? */
    rs_status status; /* of keeping sets */
    rs_set_value value;
    rs_local local;
    rs_columns columns;
    int *set;        /* k: scratch */
    double *gain_at; /* d: of the best exchange by feature */
    int *slot_at;    /* d: and its place */
} rs_roles_search;

/* is the feature one that sets may hold or not? */
static inline int rs_roles_is_open(int j, const rs_roles_search *s)
{
    return !s->problem->barred[j] &&
           !(s->problem->first && s->problem->first[j]);
}

/* is its question undecided at the present cut? */
static inline int rs_roles_is_left(int j, const rs_roles_search *s)
{
    return rs_roles_is_open(j, s) &&
           !rs_roles_is_decided(j, s->cut, &s->fit->roles);
}

/* a set of k features is evaluated; nonzero where it is better than the best one,
 * or answers the question that is asked */
int rs_roles_consider(void *search, const int *set);

#endif
