/*
 * method/spca_dense.h: one step of the published iteration with d x d matrices.
 */
#ifndef RS_SPCA_DENSE_H
#define RS_SPCA_DENSE_H

#include "la/linalg.h"
#include "solve/ridge.h"
#include "method/spca_psd.h"

typedef struct {
    double *S;       /* d x d: S_T */
    rs_ridge system; /* its A: the inverse, then sym(Omega_half) */
    double *half;    /* n */
    double *values;  /* d */
    int fixed;       /* S_T does not change */
    rs_eigen_ws eigen;
} rs_spca_dense_ws;

rs_status rs_spca_dense_init(rs_spca *pr, rs_spca_dense_ws *ws);
/* at->F <- factor of the PSD part of
 * sym((S_T - eta/2 I)(S_T + diag(c))^{-1}) */
rs_status rs_spca_dense_step(rs_spca *pr, const double *c, rs_spca_point *at,
                             rs_spca_dense_ws *ws);

#endif
