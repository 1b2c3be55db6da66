/*
 * sets/group_alignment.h: the alignment of the kernel of a set of groups with a
 * target,
 *
 *     sum of t_j / sqrt(sum of (x_a'x_b)^2 over all pairs of its columns + ridge).
 */
#ifndef RS_GROUP_ALIGNMENT_H
#define RS_GROUP_ALIGNMENT_H

#include "sets/group_products.h"

typedef struct {
    rs_context *ctx;
    const rs_group_products *products;
    double ridge, total;
    int members;
    int *set;
    unsigned char *inside;
    double *target;  /* groups: sums of t_j */
    double *own;     /* groups: squared norm of S_gg */
    double *beside;  /* groups x k: those of S_gh for the members h */
    double *sum;     /* groups: of `beside` over the members */
    double *columns; /* d x widest */
} rs_group_alignment;

rs_status rs_group_alignment_init(rs_context *ctx,
                                  const rs_group_products *products, int k,
                                  const double *target, double ridge,
                                  rs_group_alignment *alignment);
/* as a value of sets; alignment must stay where it is */
rs_value rs_group_alignment_value(rs_group_alignment *alignment);

#endif
