/*
 * method/cdlsr_relax_state.h: what the relaxation carries along, the formulas
 * are in method/cdlsr_relax.h.
 */
#ifndef RS_CDLSR_RELAX_STATE_H
#define RS_CDLSR_RELAX_STATE_H

#include "method/cdlsr_proof.h"

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    int k, c, d;     /* d: candidates, the features that are not barred */
    int *list;       /* d: their columns */
    double error;    /* of an inner product of two unit columns, at most */
    double *size;    /* d: ||x_j|| */
    double *B;       /* d x c; ||Y|| = 1 */
    int has_delta;   /* 0: delta = 0 */
    double *delta;   /* d */
    double *D;       /* d */
    const double *S; /* d x d; NULL: products are those of the data */
    double *z;       /* d */
    int room;        /* most candidates with z > 0 */
    int m;           /* those with z > 0, */
    int *support;    /* listed */
    double *U;       /* support x c, or n x c: Theta by the samples */
    double *K;       /* equations for U, or for Theta */
    /* of the data: Y / ||Y||, Theta, columns of the support; X'Theta */
    double *Y, *Theta, *columns, *image;
    double *Q, *panel;    /* d x c: B - M U; d x RS_PANEL */
    double *score, *work; /* d each */
    int *order;           /* d */
    rs_additive now;      /* for the z at hand, by candidate */
    rs_additive best;     /* the lowest of all */
    double relaxed;       /* least share left, by the relaxation at z */
} rs_cdlsr_relax;

#endif
