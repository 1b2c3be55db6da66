/*
 * method/convex/bound.h: a lower bound of the optimum for the loss ||R||^2 from
 * the multipliers of a point, by the smallest eigenvalue of the dual slack.
 */
#ifndef RS_SPCA_BOUND_H
#define RS_SPCA_BOUND_H

#include "base/arena.h"
#include "method/convex/model.h"

/*
 * Z = F B' + diag(extra) for a point, with columns not much longer than lambda
 * (B = lambda D F if the norms are differentiable; extra >= 0, or NULL, may be
 * positive if row j of F is zero), and the eigenvectors that are asked for.
 */
typedef struct {
    const rs_spca *pr;
    const rs_spca_point *at;
    const double *B, *extra; /* d x r; d */
    double below;            /* eigenvalues below this times lambda + eta */
    int room, count; /* most of their vectors, and how many there are */
    double *vectors; /* d x room */
    rs_arena *arena; /* memory of one bound */
} rs_spca_dual;

/* objective, bound, margin, kkt and the slack's smallest eigenvalue; and the
 * vectors */
rs_status rs_spca_bound(rs_spca_dual *dual, rs_spca_fit *fit);
/* the same of a point by itself, with B = lambda D F; refreshes the weights */
rs_status rs_spca_bound_point(const rs_spca *pr, rs_spca_point *at,
                              rs_spca_fit *fit);

#endif
