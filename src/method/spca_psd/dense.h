/*
 * method/spca_psd/dense.h: one step of the published iteration by LAPACK, with
 * d x d matrices.
 */
#ifndef RS_SPCA_DENSE_H
#define RS_SPCA_DENSE_H

#include "la/linalg.h"
#include "method/spca_psd/model.h"
#include "solve/ridge.h"

typedef struct {
    const double *fixed; /* d x d: S_T where it does not change, or NULL */
    double *S;           /* d x d: S_T, where it does */
    rs_ridge system;     /* its A: a factor, or sym(Omega_half) */
    double *half;        /* n */
    double *values;      /* d */
    double *vectors;     /* d x d */
    rs_eigen_ws eigen;
} rs_spca_dense_ws;

rs_status rs_spca_dense_init(const rs_spca *pr, rs_spca_dense_ws *ws);
/* at->F <- factor of the PSD part of
 * sym((S_T - eta/2 I)(S_T + diag(c))^{-1}) */
rs_status rs_spca_dense_step(const rs_spca *pr, const double *c,
                             rs_spca_point *at, rs_spca_dense_ws *ws);

#endif
