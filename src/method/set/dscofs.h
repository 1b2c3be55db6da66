/*
 * method/set/dscofs.h: DSCOFS, double-sparsity constrained PCA by proximal alternating
 * minimisation of
 *
 *   f(W, Y, Z) = -tr(W'SW) + mu1 ||W - Y||^2 + mu2 ||W - Z||^2
 *
 * over W'W = I, Y with at most s nonzero entries and Z with at most k nonzero
 * rows. s = d m switches the copy Y off, k = d the copy Z: the copy equals W
 * then, without a coupling.
 */
#ifndef RS_DSCOFS_H
#define RS_DSCOFS_H

#include "solve/palm.h"

typedef struct {
    int k; /* rows of Z */
    const unsigned char
        *first;      /* d: rows that are kept in any case, or NULL */
    size_t s;        /* entries of Y */
    double mu1, mu2; /* coupling of Y (elements), of Z (rows) */
    double tau1;     /* proximal weight of the W step, in units of S */
    double tau2;     /* inertia of Y and Z, beside 1 */
    rs_q_control inner;
    double tol;
    int maxit;
} rs_dscofs_settings;

typedef struct {
    double *W, *Y, *Z; /* d x m */
    double *B;         /* d x m: Z within both constraints */
    rs_palm_fit end;
} rs_dscofs_fit;

/*
 * W (d x m, orthonormal) is the start and receives the end; fit->W, Y, Z and B
 * must point to d x m blocks.
 */
rs_status rs_dscofs(rs_context *ctx, rs_covop *op, int m,
                    const rs_dscofs_settings *settings, rs_dscofs_fit *fit);

#endif
