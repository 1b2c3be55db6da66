/*
 * eigen/components.h: what components carry. The share of tr(S) that a
 * regression of the data Z on the components Z V reproduces,
 *
 *     tr((V'SV)^+ (SV)'(SV)) / tr(S),
 *
 * for loadings V of full rank or not, of which rows may be zero.
 */
#ifndef RS_COMPONENTS_H
#define RS_COMPONENTS_H

#include "data/covop.h"
#include "la/linalg.h"

typedef struct {
    rs_covop *op;
    int m;
    /* by features: S V; by samples: K (Z V) with K = Z Z' */
    int by_samples;
    int order;     /* rows of the products: d or n */
    double *K;     /* n x n; by samples only */
    double *ZV;    /* n x m; by samples only */
    double *SV;    /* order x m */
    double *basis; /* order x m */
    double *inner, *vectors, *values;
    rs_eigen_ws eigen;
} rs_components_ws;

/* for `count` V's of m columns */
rs_status rs_components_init(rs_context *ctx, rs_covop *op, int m, int count,
                             rs_components_ws *ws);

rs_status rs_components_share(const double *V, double *share,
                              rs_components_ws *ws);

#endif
