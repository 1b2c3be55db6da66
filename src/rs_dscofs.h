/*
 * rs_dscofs.h: DSCOFS, double-sparsity constrained PCA by proximal alternating
 * minimisation of
 *
 *   f(X, Y, Z) = -tr(X'SX) + mu1 ||X - Y||^2 + mu2 ||X - Z||^2
 *
 * over X'X = I, Y with at most s nonzero entries and Z with at most k nonzero
 * rows. s = d m switches the copy Y off, k = d the copy Z: the copy equals X
 * then, without a coupling.
 */
#ifndef RS_DSCOFS_H
#define RS_DSCOFS_H

#include "rs_history.h"
#include "rs_qsolve.h"

typedef struct {
    int k;           /* rows of Z */
    size_t s;        /* entries of Y */
    double mu1, mu2; /* coupling of Y (elements), of Z (rows) */
    double tau;      /* proximal weight of all three steps */
    rs_q_control inner;
    double tol;
    int maxit;
} rs_dscofs_settings;

typedef struct {
    double *X, *Y, *Z; /* d x m */
    double *B;         /* d x m: Z within both constraints */
    rs_history history;
    double kkt;           /* first-order residual, relative */
    int inner_iterations; /* summed over the X steps */
    int rejected;         /* X steps that rose and were replaced */
} rs_dscofs_fit;

/*
 * X (d x m, orthonormal) is the start and receives the end; fit->X, Y, Z and B
 * must point to d x m blocks.
 */
rs_status rs_dscofs(rs_context *ctx, rs_covop *op, int m,
                    const rs_dscofs_settings *settings, rs_dscofs_fit *fit);

#endif
