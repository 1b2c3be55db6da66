/*
 * graph/roughness.h: how much features vary along the edges of a graph, and
 * how much between samples that are weighed by their degrees.
 */
#ifndef RS_ROUGHNESS_H
#define RS_ROUGHNESS_H

#include "data/data.h"
#include "graph/laplacian.h"

#define RS_ROUGHNESS_BLOCK 64

/* of the columns f of Z, with the weights W, the degrees W1 and D = diag(W1) */
typedef struct {
    double total;   /* sum of the degrees */
    double *sum;    /* d: f'D1 */
    double *square; /* d: f'Df */
    double *rough;  /* d: f'(D - W)f */
    int isolated;   /* samples of degree 0 */
} rs_roughness;

rs_status rs_roughness_init(rs_context *ctx, int d, rs_roughness *r);

/* L: unnormalised, made for products with RS_ROUGHNESS_BLOCK columns */
rs_status rs_roughness_on(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                          rs_roughness *r);

/*
 * The same on the full graph, where all samples are joined by exp(-d_ij^2 /
 * (2 t^2)), none with itself: by tiles of the weights, O(n^2 d) and never
 * n x n numbers. The distances are as accurate as the inner products make
 * them. X: made for products with rs_roughness_tile(n, d) columns.
 */
rs_status rs_roughness_full(rs_context *ctx, const rs_data *X,
                            rs_metric metric, double t, rs_roughness *r);
int rs_roughness_tile(int n, int d);

/* the variation along the edges over f'Df - (f'D1)^2 / total, 0 .. 2; 2 for a
 * feature that is constant where there are edges */
double rs_relative_roughness(const rs_roughness *r, int j);

#endif
