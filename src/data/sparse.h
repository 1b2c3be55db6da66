/*
 * data/sparse.h: compressed columns. Centring and scaling happen inside the
 * products:
 *     Z = (X - 1 mu') D,   D = diag(weight),
 *     Z W   = X (D W) - 1 (mu' D W),
 *     Z'Y   = D (X'Y - mu (1'Y)).
 * A column without holes is centred entry by entry instead, so that nothing
 * cancels however large its mean.
 */
#ifndef RS_SPARSE_H
#define RS_SPARSE_H

#include "data/data.h"

/* the slots of an n x d matrix: entries p[j] .. p[j+1]-1 of `row` and `value`
 * are those of column j, rows ascending */
typedef struct {
    const int *p, *row;
    const double *value;
    const double *mean;   /* d */
    const double *weight; /* d, 1/scale, or NULL for 1 */
} rs_sparse_slots;

/* the arrays are kept by reference; block: the widest product to come */
rs_status rs_data_sparse(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slots, int block, rs_data *X);

#endif
