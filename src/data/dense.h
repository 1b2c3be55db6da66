/*
 * data/dense.h: a matrix in memory, centred and scaled beforehand, and the rows
 * that it is made from.
 */
#ifndef RS_DENSE_H
#define RS_DENSE_H

#include "data/centring.h"
#include "data/data.h"

/* values (n x d) are kept by reference; block: the widest product to come */
rs_status rs_data_dense(rs_context *ctx, int n, int d, const double *values,
                        int block, rs_data *X);

/* rows as they were given: Z = (X - E M) diag(w), as in data/centring.h */
typedef struct {
    int n, d;
    const double *real; /* X, n x d */
    const int *whole;   /* the same where `real` is NULL */
    rs_centring centring;
    const double *weight; /* d; NULL: ones */
} rs_raw;

/* Z (count x d) = the rows of Z from row `first` on */
rs_status rs_raw_centre(rs_context *ctx, const rs_raw *X, int first, int count,
                        double *Z);
/* upper triangle of G (d x d) += Z'Z; room for rs_raw_stripe() rows of Z at a time */
int rs_raw_stripe(const rs_raw *X);
rs_status rs_raw_add_gram(rs_context *ctx, const rs_raw *X, double *room,
                          double *G);

#endif
