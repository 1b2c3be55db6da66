/*
 * method/spectral/mcfs.h: features by sparse regression of the smoothest vectors on a
 * graph (Cai, Zhang and He, 2010): for each of m vectors y_l the coefficients
 * a_l of the lasso at the end of its path with k features, divided by their
 * norm, and
 *
 *     score_j = max_l |a_lj|.
 */
#ifndef RS_MCFS_H
#define RS_MCFS_H

#include "solve/lars.h"

/* score, nearness (d): the largest |a_lj|, and the largest share of lambda
 * that the correlation of a feature with a residual reaches, by which features
 * that never entered can be ordered. paths: of rs_lars(). */
void rs_mcfs(int d, int m, const rs_lars_fit *paths, double *score,
             double *nearness);

#endif
