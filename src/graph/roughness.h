/*
 * graph/roughness.h: how much features vary along the edges of a graph, and
 * how much between samples that are weighed by their degrees.
 *
 * The variation along the edges over that between the samples is the Laplacian
 * score (He, Cai and Niyogi, 2005), 0 .. 2:
 *
 *     f'Lf / (f'Df - (f'D1)^2 / sum deg).
 */
#ifndef RS_ROUGHNESS_H
#define RS_ROUGHNESS_H

#include "data/data.h"
#include "graph/laplacian.h"

/* of the columns f of Z, with the weights W, the degrees W1 and D = diag(W1) */
typedef struct {
    double total;     /* sum of the degrees */
    double *sum;      /* d: f'D1 */
    double *square;   /* d: f'Df */
    double *rough;    /* d: f'(D - W)f */
    double *relative; /* d: the score; 2, the worst, for a feature that is
                       * constant where there are edges */
} rs_roughness;

/* columns that are read at a time */
#define RS_ROUGHNESS_BLOCK 64

/* L: unnormalised, made for products with RS_ROUGHNESS_BLOCK columns; the
 * arrays are the caller's */
rs_status rs_roughness_on(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                          rs_roughness *r);

#endif
