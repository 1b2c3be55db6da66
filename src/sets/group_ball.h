/*
 * sets/group_ball.h: the best set that is known within some exchanges of a
 * given one, and what each of these exchanges gains.
 */
#ifndef RS_GROUP_BALL_H
#define RS_GROUP_BALL_H

#include "sets/group_sets.h"

typedef struct {
    int k, swaps;
    int maxit;       /* exchanges that the search makes at most */
    double tol;      /* gains that count, as a share of the total */
    const int *from; /* k: the given set */
    rs_rules *rules; /* where each group is one feature; or NULL */
} rs_group_ball;

/* `set` (k) is given where `known`, else found. The exchanges that lead to it
 * from the given set, each the best of those that are left: `count` times
 * group out[i] for into[i], and the value after it (k of each). */
typedef struct {
    int known;
    int *set;
    double before, value;
    int count, *out, *into;
    double *after;
    rs_status ending; /* RS_OK or RS_MAXIT */
} rs_group_exchanges;

rs_status rs_group_improve(rs_context *ctx, const rs_groups *groups,
                           const rs_group_value *value,
                           const rs_group_ball *ball, rs_group_exchanges *out);

#endif
