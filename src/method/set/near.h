/*
 * method/set/near.h: the search for sets of least squares among the features that come
 * nearest to a set, by their cross-products. Exchanges and perturbations cost as many
 * products as there are features; of thousands nearly all never come near. What is
 * found here is a start for exchanges with all of them.
 */
#ifndef RS_NEAR_SETS_H
#define RS_NEAR_SETS_H

#include "base/arena.h"
#include "sets/search.h"
#include "sets/value_lsq.h"

typedef struct {
    const rs_lsq *all;
    int count;
    double *merit, *order; /* d: how near a feature comes, and room */
    int *place;     /* d: where it stands among those near; -1: nowhere */
    int *feature;   /* those near, ascending */
    rs_arena arena; /* of all that follows */
    rs_lsq some;
    rs_groups groups;
    rs_value_lsq lsq;
    rs_value value;
    rs_search search;
} rs_near;

/* `count` features will be near; near must stay where it is */
rs_status rs_near_init(rs_context *ctx, const rs_lsq *all, int count,
                       rs_near *near);
/* Sets of path->set, k x k, after exchanges among the features of largest merit */
rs_status rs_near_improve(rs_near *near, const rs_search_settings *settings,
                          rs_search_path *path);
/* the set after exchanges, and perturbations with so much work, among the features of
 * largest merit */
rs_status rs_near_descend(rs_near *near, const rs_search_settings *settings,
                          int k, double work, int *set);
/* A better set of k from perturbations of this one, with so much work for each
 * round of them; `s` searches all features */
rs_status rs_near_perturb(rs_near *near, rs_search *s, int k, double work,
                          int *set, double *worth);

#endif
