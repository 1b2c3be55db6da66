/*
 * solve/stiefel.h: the Stiefel manifold St(d, m) = { W : W'W = I_m }.
 */
#ifndef RS_STIEFEL_H
#define RS_STIEFEL_H

#include "base/core.h"
#include "la/linalg.h"

typedef struct {
    int d, m;
    double *gram;    /* m x m */
    double *vectors; /* m x m */
    double *root;    /* m x m */
    double *values;  /* m */
    double *moved;   /* d x m */
    rs_eigen_ws eigen;
    rs_qr_ws qr;
} rs_stiefel_ws;

rs_status rs_stiefel_init(rs_context *ctx, int d, int m, rs_stiefel_ws *ws);

/*
 * M <- polar(M) = M (M'M)^{-1/2}, the nearest matrix with orthonormal
 * columns. Rank-deficient input is completed to an orthonormal basis.
 */
rs_status rs_stiefel_polar(double *M, rs_stiefel_ws *ws);
/* out (m x m) = sym(A'B) */
void rs_stiefel_sym_product(const double *A, const double *B, double *out,
                            rs_stiefel_ws *ws);
/* M <- P_W(M) = M - W sym(W'M), the projection on the tangent space at W */
void rs_stiefel_project(const double *W, double *M, rs_stiefel_ws *ws);

#endif
