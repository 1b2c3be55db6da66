/*
 * sets/search.h: good sets of k groups under any value of a set. Forward
 * selection, exchanges, and exchanges from perturbed sets.
 */
#ifndef RS_SEARCH_H
#define RS_SEARCH_H

#include "sets/rules.h"
#include "sets/value.h"

typedef struct {
    int k;
    int exchange; /* exchange groups after forward selection? */
    int sizes;    /* also for the sizes before k? */
    int perturb;  /* perturbations in a row that lead to no better set */
    int maxit;    /* sweeps of exchanges */
    double tol;   /* gains that count, as a share of the total */
    rs_rules
        *rules; /* of sets of k, where each group is one feature; or NULL */
} rs_search;

/* Sets of the sizes 1, ..., k, those of size i one after the other from
 * set[(i - 1) * k] on, in the order in which they were found. */
typedef struct {
    int *set;        /* k x k */
    double *value;   /* k */
    double *forward; /* k: of forward selection alone */
    int sweeps;
    rs_status ending; /* RS_OK or RS_MAXIT */
    double *course;   /* value at the start of the last size and after each
                       * sweep: maxit + 1 */
} rs_search_path;

rs_status rs_search_run(rs_context *ctx, const rs_groups *groups,
                        const rs_value *value, const rs_search *search,
                        rs_search_path *path);
/* set[0..count) in the order in which forward selection within the set takes
 * its groups, the included ones first; explained (count): values of its
 * beginnings */
rs_status rs_search_order(rs_context *ctx, const rs_groups *groups,
                          const rs_value *value, int count, int *set,
                          double *explained);

#endif
