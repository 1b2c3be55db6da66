/*
 * method/lapscore.h: Laplacian score (He, Cai and Niyogi, 2005), the variation
 * of a feature along the edges of a graph over its variance, samples weighed
 * by their degrees:
 *
 *     score_j = f_j'L f_j / (f_j'D f_j - (deg'f_j)^2 / sum deg),   0 .. 2.
 */
#ifndef RS_LAPSCORE_H
#define RS_LAPSCORE_H

#include "data/data.h"
#include "graph/laplacian.h"

#define RS_LAPSCORE_BLOCK 64

/* L: unnormalised, made for products with RS_LAPSCORE_BLOCK columns; score
 * (d); 2, the worst, for a feature that is constant where there are edges */
rs_status rs_lapscore(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                      double *score);

#endif
