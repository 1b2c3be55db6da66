/*
 * proof/groups.h: what no set of groups of columns exceeds, as bounds of
 * proof/tree.h.
 *
 * Explained sums of squares, as shares of ||Y||^2: those of the regression on
 * all groups that are left, and without each of them (Furnival and Wilson's
 * leaps); and what the groups of the node explain with the largest eigenvalues
 * of what they leave of the response. Columns that depend on others leave the
 * regression where twice the working precision says so; where they only
 * nearly do, nothing is said.
 *
 * Leading eigenvalues, as shares of the trace: those on all columns that are
 * left, and by pinching the sums of single groups.
 */
#ifndef RS_BOUND_GROUPS_H
#define RS_BOUND_GROUPS_H

#include "la/linalg.h"
#include "proof/tree.h"
#include "proof/value.h"
#include "sets/value_trace.h"

typedef struct {
    rs_context *ctx;
    rs_bound of;
    const rs_groups *groups;
    int k, *owner; /* d: the group of a column */
    int *columns;  /* of a set of groups */
    double *work;  /* 3 x groups, or more: numbers of groups */
    rs_eigen_ws eigen;
    double *A, *eigenvalues; /* of which they are */
    /* values are those of sets of `as` columns, where columns have a price; by
     * the caller */
    int as;
    /* least squares: as given, of k groups and of all that are left */
    const rs_lsq *problem;
    const double *YtY; /* c x c, or NULL */
    rs_set_value value, all;
    double *corner; /* of a group, and its coefficients behind it */
    /* columns that are left, what they explain, and without each group */
    double *kept;
    /* leading eigenvalues */
    rs_value_trace *trace;
    double *sums; /* groups: of the leading eigenvalues of single groups */
} rs_bound_groups;

/* sets of k groups. The problem as it was given, S: its cross-products where
 * they were formed; YtY, or NULL for one response */
rs_status rs_bound_groups_lsq(rs_context *ctx, const rs_groups *groups, int k,
                              const rs_lsq *problem, const double *S,
                              const double *YtY, rs_bound_groups *state);
/* see rs_accurate_is_whole() */
int rs_groups_are_whole(rs_bound_groups *state, const int *set);
rs_status rs_bound_groups_trace(rs_context *ctx, const rs_groups *groups,
                                int k, rs_value_trace *trace,
                                rs_bound_groups *state);

#endif
