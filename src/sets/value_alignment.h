/*
 * sets/value_alignment.h: the value of a set of groups that is the alignment of
 * its kernel with a target,
 *
 *     sum of t_j / sqrt(sum of (x_a'x_b)^2 over all pairs of its columns + ridge).
 *
 * Where products with several features take no longer, as of data that are read block
 * by block, those of the features that promise most are made at once; one that was not
 * among them begins anew.
 */
#ifndef RS_VALUE_ALIGNMENT_H
#define RS_VALUE_ALIGNMENT_H

#include "data/covop.h"
#include "sets/value.h"

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    const rs_groups *groups;
    double ridge;
    rs_members set;
    double *target;  /* groups: sums of t_j */
    double *own;     /* groups: squared norm of S_gg */
    double *beside;  /* groups x k: those of S_gh for the members h */
    double *sum;     /* groups: of `beside` over the members */
    double *columns; /* d x widest: S of the columns of a group */
    /* or, of groups of one, S of several that are made at once */
    int most, held;        /* at most, 0: one by one; and now */
    int *ahead, *column;   /* d: of which groups, and theirs */
    double *products;      /* d x most */
    double *room;          /* scratch */
    double *merit, *order; /* d: room */
    rs_value as_value;
} rs_value_alignment;

/* target: by column; sets of up to k groups; alignment must stay where it is */
rs_status rs_value_alignment_init(rs_context *ctx, rs_covop *op,
                                  const rs_groups *groups, int k,
                                  const double *target, double ridge,
                                  rs_value_alignment *alignment);
/* of groups of one: how many others are near copies of member number `at` */
int rs_alignment_near_copies(const rs_value_alignment *alignment, int at);

#endif
