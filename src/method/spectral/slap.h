/*
 * method/spectral/slap.h: local adaptive projection for classes, in the reading of
 * method/spectral/sogfs.h restricted to pairs of samples of the same class,
 *
 *     min  tr(W'Z'LZW) + (alpha / 2) sum_ij a_ij^2 + gamma sum_j ||w_j||,
 *
 * rows of A on the simplex over others of the class, L the Laplacian of
 * (A + A')/2, W'W = I_m. A and W are updated in turn; the objective never
 * rises.
 */
#ifndef RS_SLAP_H
#define RS_SLAP_H

#include "graph/adaptive.h"
#include "method/spectral/directions.h"

typedef struct {
    rs_directions_problem base;
    const int *label; /* n: the classes, from 0 */
} rs_slap_problem;

typedef struct {
    rs_directions_fit base;
    rs_adaptive A;
} rs_slap_fit;

rs_status rs_slap(rs_context *ctx, const rs_slap_problem *p, rs_slap_fit *fit);

#endif
