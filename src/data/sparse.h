/*
 * data/sparse.h: compressed columns. Centring happens inside the products, with
 * the levels E of data/centring.h and means R (L x d):
 *     Z = V - E R,   Z W = V W - E (R W),   Z'Y = V'Y - R'(E'Y).
 * Where a column has entries in more than half of the rows of a level, its
 * holes there become entries, all of them less the mean, and R is 0. Elsewhere
 * V is the data and R the mean, both scaled, and the square of the mean is at
 * most the variance: nothing cancels, however far from zero the data are.
 */
#ifndef RS_SPARSE_H
#define RS_SPARSE_H

#include "data/centring.h"
#include "data/data.h"

/* a matrix of compressed columns, as it is given: entries p[j] .. p[j+1]-1 of
 * `row` and `value` are those of column j, rows ascending */
typedef struct rs_sparse_slots {
    const int *p, *row;
    const double *value;
    rs_centring centring;
    const double *weight; /* d, 1/scale, or NULL for 1 */
} rs_sparse_slots;

/* z (n) = column j as it was given */
void rs_sparse_raw_column(const rs_sparse_slots *slots, int n, int j,
                          double *z);

/* the arrays are kept by reference; block: the widest product to come */
rs_status rs_data_sparse(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slots, int block, rs_data *X);

/* the largest length of the means of a level, scaled, squared: means (L x d) */
double rs_sparse_shift(int levels, int d, const double *means,
                       const double *weight);

#endif
