/*
 * method/score/lapscore.h: Laplacian score (He, Cai and Niyogi, 2005), the variation
 * of a feature along the edges of a graph over its variance, samples weighed
 * by their degrees:
 *
 *     score_j = f_j'L f_j / (f_j'D f_j - (deg'f_j)^2 / sum deg),   0 .. 2.
 */
#ifndef RS_LAPSCORE_H
#define RS_LAPSCORE_H

#include "graph/roughness.h"

/* score (d); 2, the worst, for a feature that is constant where there are
 * edges */
void rs_lapscore(const rs_roughness *r, int d, double *score);

#endif
