/*
 * method/pca/pca.h: principal components with few features, of the covariance
 * operator S: of each method its problem, what is found, and its solver. W
 * (d x m) is the start and receives the end; the operator needs room for m
 * columns.
 */
#ifndef RS_PCA_H
#define RS_PCA_H

#include "solve/palm.h"
#include "solve/penalty.h"

/*
 * BSUFS, bi-sparse PCA by proximal alternating minimisation of
 *
 *   f(W, U, V) = -tr(W'SW) + lambda1 sum_i ||v_i||^p + lambda2 sum_ij |u_ij|^q
 *                + beta1/2 ||W - U||^2 + beta2/2 ||W - V||^2,   W'W = I.
 *
 * A zero lambda switches its copy off: U = W or V = W, without a coupling.
 */
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

/* W: orthonormal */
rs_status rs_bsufs(rs_context *ctx, rs_covop *op, int m,
                   const rs_bsufs_settings *settings, rs_bsufs_fit *fit);

/*
 * FEN-PCAFS (Gao et al., 2024), PCA with an elastic net
 * whose two parts are weighed by a number a in [0, 1],
 *
 *   f = ||X - X W Z'||^2 + ridge ||W||^2
 *       + lambda (a^u ||W||^2 + t (1 - a)^u sum_j (||w_j||^2 + eps)^{p/2}),
 *
 * over W (d x m), Z'Z = I and a. Each iteration takes Z from the polar factor
 * of S W, a from its stationary point, and W from the quadratic that majorises
 * f at the last W. The steps in Z and W lower f; the one in a minimises it for
 * u > 1 and MAXIMISES it for 0 < u < 1, where f may rise: the best iterate is
 * kept.
 */
typedef struct {
    double lambda, p, u, t; /* u != 1 */
    double ridge;
    double eps; /* smoothing, in units of squared row norms */
    double tol;
    int maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_fen_settings;

typedef struct {
    double *W;          /* d x m */
    double *Z;          /* d x m */
    double a;           /* of the best iterate, as W and Z are */
    rs_history history; /* f of the best iterate so far */
    rs_history trace;   /* f of every iterate */
} rs_fen_fit;

/* W is the start and receives the end; `op` needs room for m columns */
rs_status rs_fen_pcafs(rs_context *ctx, rs_covop *op, int m,
                       const rs_fen_settings *settings, rs_fen_fit *fit);

/*
 * SPCAFS, PCA with an l_{2,p} penalty on the rows, 0 < p <= 1,
 *
 *   min -tr(W'SW) + lambda sum_j ||w_j||^p   subject to  W'W = I_m,
 *
 * by reweighting. What descends is the smoothed objective
 *
 *   F(W) = -tr(W'SW) + lambda sum over the nonzero rows of
 *          (||w_j||^2 + eps)^{p/2}:
 *
 * with q_j = (p/2) (||w_j||^2 + eps)^{p/2 - 1}, the next W holds the m leading
 * eigenvectors of S - lambda diag(q). A row that has shrunk into the smoothed
 * region is absorbed there: it is set to zero, which lowers F, and left out
 * from then on. Rows without which F is lower are dropped, many at a time.
 */
typedef struct {
    double lambda, p;
    double eps; /* smoothing, in units of squared row norms */
    double tol;
    int maxit;
    double inner_tol; /* of the eigen-solver */
    int inner_maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_spcafs_settings;

typedef struct {
    double *W;          /* d x m */
    rs_history history; /* F */
    double penalised;   /* -tr(W'SW) + lambda sum_j ||w_j||^p */
    double kkt;         /* relative Riemannian gradient of F */
} rs_spcafs_fit;

/*
 * W (d x m, orthonormal) is the start and receives the end. `op` needs room
 * for products with m + 2 columns.
 */
rs_status rs_spcafs(rs_context *ctx, rs_covop *op, int m,
                    const rs_spcafs_settings *settings, rs_spcafs_fit *fit);

#endif
