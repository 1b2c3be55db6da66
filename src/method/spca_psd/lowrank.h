/*
 * method/spca_psd/lowrank.h: one step of the published iteration by its positive
 * eigenvalues, found iteratively: without a d x d matrix, or from the factor of
 * one.
 */
#ifndef RS_SPCA_LOWRANK_H
#define RS_SPCA_LOWRANK_H

#include "eigen/eigs_positive.h"
#include "method/spca_psd/ridge.h"

typedef struct {
    const rs_spca *pr;
    const rs_spca_centre *centre; /* of the step */
    rs_spca_ridge ridge;
    double *E; /* d: 1 / c, or c + eta / 2 beside a factor of S_T + diag(c) */
    double *shift;    /* d: (eta/2) E */
    double *XV, *XEV; /* n x block */
    double *EV, *BW;  /* d x block */
    double *values;   /* wanted */
    double *P;        /* d x wanted: the last eigenvectors */
    int found;        /* of these */
    rs_eigs_ws eigs;
} rs_spca_lowrank_ws;

/* room for `wanted` positive eigenvalues; dense: by S_T + diag(c), S_T = pr->S */
rs_status rs_spca_lowrank_init(const rs_spca *pr, int dense, int wanted,
                               rs_spca_lowrank_ws *ws);
/* at->F as from rs_spca_dense_step(); *full says that there may be more eigenvalues */
rs_status rs_spca_lowrank_step(const double *c, double tol, int maxit,
                               int *full, rs_spca_point *at,
                               rs_spca_lowrank_ws *ws);

#endif
