/*
 * data/dense.h: a matrix in memory, centred and scaled beforehand.
 */
#ifndef RS_DENSE_H
#define RS_DENSE_H

#include "data/data.h"

/* values (n x d) are kept by reference; block: the widest product to come */
rs_status rs_data_dense(rs_context *ctx, int n, int d, const double *values,
                        int block, rs_data *X);

#endif
