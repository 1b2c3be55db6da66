/*
 * method/groups/exact.h: the best set of k groups, proved by branch and bound.
 * The last group of a set is enumerated; sets of which more is open are bounded
 * by what belongs to their value, see bounds.h.
 */
#ifndef RS_GROUPS_EXACT_H
#define RS_GROUPS_EXACT_H

#include "proof/bnb.h"
#include "sets/value.h"

/* marks of groups at a node */
enum { RS_GROUP_FREE, RS_GROUP_IN, RS_GROUP_OUT };

typedef struct {
    void *state;
    /*
     * No set of k groups that holds the marked ones has more than *bound, and
     * none without the free group g more than without[g]; *split: the free
     * group that decides most. `inside`: the marked ones, `count` of them.
     */
    rs_status (*of)(void *state, const unsigned char *mark, int count,
                    const int *inside, int k, double *bound, double *without,
                    int *split);
} rs_group_bounds;

typedef struct {
    int k;
    double tol, seconds;
} rs_groups_limits;

typedef struct {
    int *set; /* k: the best known; in and out */
    double value, bound, nodes, seconds;
    int complete;
    int dropped, joined; /* groups decided at the root */
    rs_bnb_trace trace;
} rs_groups_proof;

rs_status rs_groups_exact(rs_context *ctx, const rs_groups *groups,
                          const rs_value *value,
                          const rs_group_bounds *bounds,
                          const rs_groups_limits *limits,
                          rs_groups_proof *proof);

#endif
