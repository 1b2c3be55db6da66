/*
 * sets/group_products.h: the cross-products S = factor X'X that groups of
 * features need: their columns, made when they are asked for, and the blocks
 * on the diagonal. S itself is never formed here.
 */
#ifndef RS_GROUP_PRODUCTS_H
#define RS_GROUP_PRODUCTS_H

#include "data/data.h"
#include "sets/value.h"

typedef struct {
    int d;
    const double *S; /* d x d, or NULL */
    rs_data *X;      /* where S is NULL */
    double factor;
    const rs_groups *groups;
    size_t *block; /* count + 1: where the block of each group begins */
    double *panel; /* n x widest: transient */
} rs_group_products;

rs_status rs_group_products_init(rs_context *ctx, const rs_groups *groups,
                                 int d, const double *S, rs_data *X,
                                 double factor, rs_group_products *products);
/* out (d x size of g) = the columns of group g */
rs_status rs_group_product_columns(const rs_group_products *products, int g,
                                   double *out);
/* out (products->block[count] numbers) = S_gg, g = 0, 1, ... */
rs_status rs_group_product_blocks(rs_context *ctx,
                                  const rs_group_products *products,
                                  double *out);

#endif
