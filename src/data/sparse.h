/*
 * data/sparse.h: compressed columns. Centring and scaling happen inside the
 * products, with the levels E and their means M of data/centring.h:
 *     Z = (X - E M) D,   D = diag(weight),
 *     Z W   = X (D W) - E (M D W),
 *     Z'Y   = D (X'Y - M'(E'Y)).
 * A column without holes in a level is centred entry by entry there instead, so
 * that nothing cancels however large its mean.
 */
#ifndef RS_SPARSE_H
#define RS_SPARSE_H

#include "data/data.h"
#include "data/slots.h"

/* the arrays are kept by reference; block: the widest product to come */
rs_status rs_data_sparse(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slots, int block, rs_data *X);

#endif
