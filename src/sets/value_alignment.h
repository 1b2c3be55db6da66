/*
 * sets/value_alignment.h: the value of a set of groups that is the alignment of
 * its kernel with a target,
 *
 *     sum of t_j / sqrt(sum of (x_a'x_b)^2 over all pairs of its columns + ridge).
 */
#ifndef RS_VALUE_ALIGNMENT_H
#define RS_VALUE_ALIGNMENT_H

#include "data/covop.h"
#include "sets/value.h"

typedef struct rs_value_alignment {
    rs_context *ctx;
    rs_covop *op;
    const rs_groups *groups;
    double ridge, total;
    rs_members set;
    double *target;  /* groups: sums of t_j */
    double *own;     /* groups: squared norm of S_gg */
    double *beside;  /* groups x k: those of S_gh for the members h */
    double *sum;     /* groups: of `beside` over the members */
    double *columns; /* d x widest */
    /* S of the columns of a group, d x size, into `columns` or elsewhere */
    rs_status (*products)(struct rs_value_alignment *alignment, int g,
                          const double **columns);
    void *state; /* for that */
} rs_value_alignment;

/* target: by column; sets of up to k groups */
rs_status rs_value_alignment_init(rs_context *ctx, rs_covop *op,
                                  const rs_groups *groups, int k,
                                  const double *target, double ridge,
                                  rs_value_alignment *alignment);
/* as a value of sets; alignment must stay where it is */
rs_value rs_alignment_as_value(rs_value_alignment *alignment);
/* of groups of one: how many others have a correlation of at least `least` with
 * member number `at`, of either sign */
int rs_alignment_near_copies(const rs_value_alignment *alignment, int at,
                             double least);

#endif
