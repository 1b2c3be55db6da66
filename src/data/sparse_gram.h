/*
 * data/sparse_gram.h: cross-products of sparse columns. Row by row, every entry
 * meets those before it: half the sum of the squared lengths of the rows, where
 * column by column every pair of columns would meet.
 */
#ifndef RS_SPARSE_GRAM_H
#define RS_SPARSE_GRAM_H

#include "data/slots.h"

/*
 * Upper triangle of G (d x d) += V'V for the entries V = (value - base) weight
 * (base: levels x d, of the level of their row). Columns that are `apart` are
 * left out.
 */
rs_status rs_sparse_cross_products(rs_context *ctx, int n, int d,
                                   const rs_sparse_slots *slot,
                                   const rs_base *base,
                                   const unsigned char *apart, double *G);

#endif
