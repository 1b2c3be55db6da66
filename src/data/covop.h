/*
 * data/covop.h: the covariance operator S = factor * Xc'Xc.
 *
 * The PCA-type solvers touch the data only through products S W, the diagonal
 * and the trace. Two forms exist: an explicit S, or the two thin products
 * Xc'(Xc W) that never form a d x d matrix. rs_covop_prefers_explicit() says
 * which one costs fewer flops.
 */
#ifndef RS_COVOP_H
#define RS_COVOP_H

#include "data/data.h"

typedef struct {
    int d;
    double factor;    /* the operator is factor * (S or X'X) */
    const double *S;  /* d x d, both triangles, or NULL */
    rs_data *X;       /* used when S is NULL */
    double *XW;       /* n x block, transient */
    int block;        /* widest product that was provided for */
    double *diagonal; /* d, factor included */
    double trace;     /* factor included */
    double products;  /* columns multiplied so far */
    rs_context *ctx;
    int room, held; /* columns of S that are kept, at most and now */
    int *place;     /* d: their number from 1 on, or 0 */
    double *kept;   /* d x room */
} rs_covop;

/* Is forming S, and multiplying it so often by m columns, cheaper than as many
 * pairs of products with the data? */
int rs_covop_prefers_explicit(const rs_data *X, double m, double iterations);

/* From an explicit S (kept by reference), or from data (X initialised with at
 * least `block` columns). factor = 1 until rs_covop_normalise(). */
rs_status rs_covop_from_matrix(rs_context *ctx, int d, const double *S,
                               int block, rs_covop *op);
rs_status rs_covop_from_data(rs_context *ctx, rs_data *X, int block,
                             rs_covop *op);
/* factor <- d / trace, so that the average feature has unit variance */
void rs_covop_normalise(rs_covop *op);
/* factor <- 1 / unit with the power of two next to the mean of the diagonal, which is
 * exact, so that no square leaves the double range; the unit is returned */
double rs_covop_use_unit(rs_covop *op);

/* SW (d x m) = S W, m <= block */
rs_status rs_covop_apply(rs_covop *op, int m, const double *W, double *SW);
/* from now on the first `room` columns that are read are kept, for those who ask
 * again where they would be products with the data; the factor stays */
rs_status rs_covop_keep(int room, rs_covop *op);
/* out (d x count) = the columns index[0..count) of S, whatever the block */
rs_status rs_covop_columns(rs_covop *op, int count, const int *index,
                           double *out);

#endif
