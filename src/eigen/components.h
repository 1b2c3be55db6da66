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
    double *SV, *product;    /* d x m */
    double *inner, *vectors; /* m x m */
    double *values;          /* m */
    rs_eigen_ws eigen;
} rs_components_ws;

/* for V's of m columns */
rs_status rs_components_init(rs_context *ctx, rs_covop *op, int m,
                             rs_components_ws *ws);

rs_status rs_components_share(const double *V, double *share,
                              rs_components_ws *ws);

#endif
