/*
 * method/set/near.h: the search for sets of least squares, of all units of a problem or
 * among the features that come nearest to a set, by their cross-products. Exchanges and
 * perturbations cost as many products as there are features; of thousands nearly all
 * never come near. What is found here is a start for exchanges with all of them.
 */
#ifndef RS_NEAR_SETS_H
#define RS_NEAR_SETS_H

#include "base/arena.h"
#include "sets/search.h"
#include "sets/value_lsq.h"

/* a regression, and the search for sets of its groups; it must stay where it is */
typedef struct {
    rs_lsq problem;
    rs_groups groups; /* none: of single features */
    rs_value_lsq lsq;
    rs_search search;
} rs_lsq_search;

typedef struct {
    const rs_lsq *all;
    int count;             /* how many will be near */
    double *merit, *order; /* d: how near a feature comes, and room */
    int *place;     /* d: where it stands among those near; -1: nowhere */
    int *feature;   /* d: those near, ascending */
    rs_arena arena; /* of all that follows */
    rs_lsq_search among;
} rs_near;

/* of the problem and the groups that are here already */
rs_status rs_lsq_search_init(rs_context *ctx,
                             const rs_search_settings *settings,
                             rs_lsq_search *s);

/* no feature has merit; near must stay where it is */
rs_status rs_near_init(rs_context *ctx, const rs_lsq *all, int count,
                       rs_near *near);
/* the search among the features of largest merit; `data`: with their columns, where
 * these are at hand */
rs_status rs_near_open(rs_near *near, const rs_search_settings *settings,
                       int data);
/* a set among the features in the numbers of the others: near->place, or back:
 * near->feature */
void rs_near_renumber(int count, const int *number, int *set);
/* the set after exchanges, and perturbations with so much work, among the features of
 * largest merit */
rs_status rs_near_descend(rs_near *near, const rs_search_settings *settings,
                          int k, double work, int *set);

#endif
