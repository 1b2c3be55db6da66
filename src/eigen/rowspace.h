/*
 * eigen/rowspace.h: an orthonormal basis of the row space of the data, for
 * problems with more features than samples: W = V B and Z W = Y B with
 * Y = Z V (n x rank) in the place of the n x d data.
 *
 * Samples are taken one by one, always the one that is furthest from the span
 * of those before (Cholesky factorisation of ZZ' with pivots), until what is
 * left of every sample is rounding. O(n^2 (n + d)).
 */
#ifndef RS_ROWSPACE_H
#define RS_ROWSPACE_H

#include "data/data.h"

/* squared distances from the span below this share of the largest squared norm
 * of a sample are rounding */
#define RS_ROWSPACE_TOL 1e-11

typedef struct {
    int rank;
    double *basis;       /* rank x d: V' */
    double *coordinates; /* n x rank: Z V */
} rs_row_space;

rs_status rs_row_space_find(rs_context *ctx, const rs_data *X,
                            rs_row_space *space);

#endif
