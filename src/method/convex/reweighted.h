/*
 * method/convex/reweighted.h: the reweighted iteration, which solves for Omega
 * with fixed weights of its columns, of the residuals and of its singular values.
 *
 * On the PSD cone that is the published iteration (cone.c): the solution without
 * the cone is projected on it, and the objective need not fall. Without the cone
 * (plain.c) each step minimises a quadratic above the smoothed objective of CSPCA
 * and AW-SPCA,
 *
 *   min  loss(R) + lambda sum_j ||w^j|| + eta ||W||_*,   R = (Xc - 1 c')(I - W),
 *
 * with w^j the rows of W (d x d) and ||W||_* its nuclear norm.
 */
#ifndef RS_SPCA_REWEIGHTED_H
#define RS_SPCA_REWEIGHTED_H

#include "eigen/ritz.h"
#include "la/linalg.h"
#include "method/convex/model.h"
#include "solve/ridge.h"

/* by the Gram matrix of the features, or by that of the samples */
typedef enum {
    RS_ROUTE_DENSE = 0,
    RS_ROUTE_LOWRANK,
    RS_ROUTE_CHEAPEST
} rs_spca_route;

typedef struct {
    rs_spca_route route;
    double tol, inner_tol; /* inner: of the eigen-solver */
    int maxit, inner_maxit;
} rs_spca_settings;

/* the state of the iteration that both models share */
typedef struct {
    const rs_spca *pr;
    const rs_spca_settings *set;
    rs_spca_point *at; /* weights t, D, and the squares that they come from */
    rs_spca_fit *fit;
    rs_spca_floors floors;
    double ridge; /* added to the diagonal of the linear system */
    int levels;   /* of smaller floors that are still to come */
    int steps;    /* at this one */
    double *c;    /* d: (lambda/2) D + ridge */
    int is_dense; /* the route */
    /* without the cone: the weight of the nuclear norm is that of diag(first),
     * or 1; Nesterov's sequence, 0 before the first step; and the objective of
     * the last step */
    const double *first;
    double momentum, smoothed;
} rs_reweighted;

/* ---- on the cone ------------------------------------------------------------ */

typedef struct {
    rs_ridge system;
    double *S, *half, *vectors, *values; /* dense: d x d, n, d x d, d */
    rs_eigen_ws eigen;
    double *E, *shift; /* d: 1 / c, (eta/2) E */
    double *XV, *XEV;  /* n x block */
    double *EV, *BW;   /* d x block */
    double *P;         /* d x block: the last eigenvectors */
    int room, found;   /* of these */
    rs_ritz eigs;
} rs_spca_cone;

rs_status rs_spca_cone_init(rs_reweighted *s, rs_spca_cone *cone);
/* at->F from the weights, and what follows from it */
rs_status rs_spca_cone_step(rs_reweighted *s, rs_spca_cone *cone);

/* ---- without the cone ------------------------------------------------------- */

/* W = L V': V is I or, if samples are few, a basis of their space (d x q) */
typedef struct {
    int q;
    double *V;     /* d x q, or NULL */
    double *L, *R; /* d x q, n x q: the residuals are R V' */
    double *last_L, *last_R;
    double *U, *LU;    /* q x q, d x q: L U has orthogonal columns, */
    double *nu, *s;    /* q: of these lengths, see plain.c */
    double nu_0;       /* 0: the weight of the nuclear norm is diagonal */
    double *e, *g;     /* d; max(n, d) */
    double *B, *Y, *M; /* d x q; n x q; q x q */
    double *S;         /* d x d: S_T, if V is I */
    rs_ridge system;
    rs_eigen_ws eigen;
} rs_spca_plain;

rs_status rs_spca_plain_init(rs_reweighted *s, const double *start,
                             rs_spca_plain *plain);
rs_status rs_spca_plain_step(rs_reweighted *s, rs_spca_plain *plain);
/* the floors have changed */
void rs_spca_plain_refine(rs_reweighted *s, rs_spca_plain *plain);
/* ||A W - S_T|| / ||S_T|| with the weights of W, without the ridge */
rs_status rs_spca_plain_stationarity(rs_reweighted *s, rs_spca_plain *plain,
                                     double *kkt);

/* ---- both --------------------------------------------------------------------- */

/*
 * From Omega = F F' (start: d x r), or unit weights if r = 0; at receives the
 * last Omega. RS_OK, RS_MAXIT, RS_STALLED.
 */
rs_status rs_spca_on_cone(const rs_spca *pr, const rs_spca_settings *set,
                          int r, const double *start, rs_spca_point *at,
                          rs_spca_fit *fit, int *is_dense);
/* from W = diag(start), or unit weights if start is NULL; at receives the squares
 * of the rows of W and of the residuals */
rs_status rs_spca_without_cone(const rs_spca *pr, const rs_spca_settings *set,
                               const double *start, rs_spca_point *at,
                               rs_spca_plain *plain, rs_spca_fit *fit);

#endif
