/*
 * method/pca/bsufs.h: BSUFS, bi-sparse PCA by proximal alternating minimisation of
 *
 *   f(W, U, V) = -tr(W'SW) + lambda1 sum_i ||v_i||^p + lambda2 sum_ij |u_ij|^q
 *                + beta1/2 ||W - U||^2 + beta2/2 ||W - V||^2,   W'W = I.
 *
 * A zero lambda switches its copy off: U = W or V = W, without a coupling.
 */
#ifndef RS_BSUFS_H
#define RS_BSUFS_H

#include "solve/palm.h"
#include "solve/reweight.h"

typedef struct {
    double lambda1, lambda2; /* rows, elements */
    double p, q;             /* exponents of rows, elements */
    double beta1, beta2;     /* coupling of U, of V */
    double tau;              /* proximal weight of all three steps */
    rs_q_control inner;
    double tol;
    int maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_bsufs_settings;

typedef struct {
    double *W, *U, *V; /* d x m */
    rs_palm_fit end;
} rs_bsufs_fit;

/*
 * W (d x m, orthonormal) is the start and receives the end; fit->W, U and V
 * must point to d x m blocks.
 */
rs_status rs_bsufs(rs_context *ctx, rs_covop *op, int m,
                   const rs_bsufs_settings *settings, rs_bsufs_fit *fit);

/*
 * Fits for lambda1[0], lambda1[1], ..., which take the place of the one in the
 * settings, each from where the one before has ended. take() is given every
 * one in turn, with how it ended; fit is the same room for all.
 */
typedef rs_status (*rs_bsufs_taker)(void *state, int at, rs_status ending,
                                    const rs_bsufs_fit *fit);

rs_status rs_bsufs_path(rs_context *ctx, rs_covop *op, int m,
                        const rs_bsufs_settings *settings, int count,
                        const double *lambda1, rs_bsufs_taker take,
                        void *state, rs_bsufs_fit *fit);

#endif
