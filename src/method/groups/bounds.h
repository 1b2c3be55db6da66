/*
 * method/groups/bounds.h: what no set of groups exceeds.
 *
 * Explained sums of squares: those of the regression on all groups that are
 * left, and without each of them (Furnival and Wilson's leaps); and what the
 * groups of the node explain with the largest eigenvalues of what they leave of
 * the response. Leading eigenvalues: those on all columns that are left, and by
 * pinching the sums of single groups.
 */
#ifndef RS_GROUPS_BOUNDS_H
#define RS_GROUPS_BOUNDS_H

#include "la/linalg.h"
#include "method/groups/exact.h"
#include "sets/group_lsq.h"
#include "sets/value_trace.h"

typedef struct {
    rs_context *ctx;
    const rs_groups *groups;
    const double *S; /* d x d */
    int d;
    rs_group_lsq *lsq; /* one of the two */
    rs_value_trace *trace;
    const double *YtY; /* c x c, or NULL */
    int rank;          /* most columns that can be independent */
    double *sums; /* groups: of the leading eigenvalues of single groups */
    int *column, *owner; /* d: columns that are left, and their groups */
    int *sizes;          /* groups: scratch */
    double *A, *H;       /* d x d */
    double *beta, *corner, *part; /* d x c; widest x widest; widest x c */
    double *residual, *values;
    rs_eigen_ws eigen;
} rs_groups_bounds;

rs_status rs_groups_bounds_lsq(rs_context *ctx, const rs_groups *groups,
                               const double *S, rs_group_lsq *lsq,
                               const double *YtY, int rank,
                               rs_groups_bounds *bounds);
rs_status rs_groups_bounds_trace(rs_context *ctx, const rs_groups *groups,
                                 const double *S, rs_value_trace *trace,
                                 rs_groups_bounds *bounds);
/* as the search asks for them; bounds must stay where it is */
rs_group_bounds rs_groups_bounds_of(rs_groups_bounds *bounds);

#endif
