/*
 * method/spca_psd/dense.h: one step of the published iteration with d x d matrices.
 */
#ifndef RS_SPCA_DENSE_H
#define RS_SPCA_DENSE_H

#include "la/linalg.h"
#include "eigen/eigs_steps.h"
#include "solve/ridge.h"
#include "method/spca_psd/spca_psd.h"

typedef struct {
    double *S;       /* d x d: S_T */
    rs_ridge system; /* its A: a factor, or sym(Omega_half) */
    double *half;    /* n */
    double *values;  /* d */
    int fixed;       /* S_T does not change */
    double *all;     /* d x d, for a search by LAPACK; NULL before the first */
    rs_eigen_ws eigen; /* the same */
    int found;         /* positive eigenvalues of the step before, */
    double *P;         /* d x wanted: their eigenvectors, */
    double *shift;     /* d */
    double *Y;         /* d x 2 block */
    rs_eigs_ws eigs;   /* for `wanted` of them; 0 as long as there are none */
} rs_spca_dense_ws;

rs_status rs_spca_dense_init(rs_spca *pr, rs_spca_dense_ws *ws);
/* at->F <- factor of the PSD part of
 * sym((S_T - eta/2 I)(S_T + diag(c))^{-1}); where that has few eigenvectors
 * they are found from those of the step before, to the tolerance */
rs_status rs_spca_dense_step(rs_spca *pr, const double *c, double tol,
                             int maxit, rs_spca_point *at,
                             rs_spca_dense_ws *ws);

#endif
