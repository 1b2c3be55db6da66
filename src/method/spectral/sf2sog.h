/*
 * method/spectral/sf2sog.h: SF2SOG, a projection on exactly k features that varies
 * little on a graph of the samples, which is learned with it (Wang, Zhang, Bian,
 * Wang, Nie and Li, 2023),
 *
 *   min  tr(F'LF) + lambda ||XW - F||^2 + gamma ||A - A_0||^2
 *
 * over F (n x m), W'W = I_m with k nonzero rows, and A with rows on the simplex
 * over the neighbours; L is the Laplacian of (A + A') / 2. F is eliminated:
 *
 *   F = lambda (L + lambda I)^{-1} XW,   T = lambda L (L + lambda I)^{-1},
 *   min  tr(W'X'TXW) + gamma ||A - A_0||^2.
 */
#ifndef RS_SF2SOG_H
#define RS_SF2SOG_H

#include "graph/adaptive.h"
#include "method/spectral/projection.h"

typedef struct {
    rs_projection_problem base;
    const rs_neighbours *near;
    int neighbours;
    double lambda, gamma; /* gamma 0: by the first projection */
} rs_sf2sog_problem;

typedef struct {
    rs_projection_fit base;
    rs_adaptive A;
    double gamma; /* the one that was used */
    int is_zero;  /* is the objective, but for rounding? */
    int is_any;   /* so it is on the features of largest ties as well */
} rs_sf2sog_fit;

rs_status rs_sf2sog(rs_context *ctx, const rs_sf2sog_problem *p,
                    rs_sf2sog_fit *fit);

#endif
