/*
 * method/spca_psd/spca_psd.h: convex sparse PCA on the PSD cone,
 *
 *   min  loss(R) + lambda sum_j ||omega_j|| + eta tr(Omega),   Omega >= 0,
 *
 * R = (Xc - 1 c')(I - Omega), loss = ||R||^2 (SPCA-PSD) or the sum of the row
 * norms of R with c = 0 (CSPCA-PSD) or c free (AW-SPCA-PSD).
 *
 * Omega is never formed: Omega = F F' with F d x r. With A = (Xc - 1 c') F and
 * C = F'F the column norms, the residuals and the trace follow from F, A, C.
 */
#ifndef RS_SPCA_PSD_H
#define RS_SPCA_PSD_H

#include "base/history.h"
#include "data/data.h"

typedef enum { RS_LOSS_FROBENIUS = 0, RS_LOSS_L21 } rs_spca_loss;

/* method/spca_psd/leading.h */
typedef struct rs_spca_lead rs_spca_lead;

/* the problem: data, model, parameters */
typedef struct {
    rs_data *X; /* block >= RS_SPCA_BLOCK */
    int n, d;
    rs_spca_loss loss;
    int adaptive; /* is the centre c free? */
    double lambda, eta;
    double trace;        /* ||Xc||^2 */
    double *data_square; /* n: ||x_i||^2 */
    double *row_square;  /* n: ||x_i - c||^2 */
    double *weight;      /* n: c = Xc' weight; adaptive only */
    double *centre;      /* d: c; adaptive only */
    double *panel;       /* n x RS_PANEL, scratch */
    double *S;           /* d x d: Xc'Xc, NULL as long as none was asked for */
    const rs_spca_lead *lead; /* the same of its leading eigenpairs */
    rs_context *ctx;
} rs_spca;

/* columns of one product with the data */
#define RS_SPCA_BLOCK 128

/* Omega = F F' and what follows from it */
typedef struct {
    int r, capacity;         /* columns in use, columns there is room for */
    double *F;               /* d x r */
    double *A;               /* n x r: (Xc - 1 c') F */
    double *C;               /* r x r: F'F */
    double *column_square;   /* d: ||omega_j||^2 */
    double *residual_square; /* n: ||row i of R||^2 */
    double trace;            /* tr(Omega) */
    double *t;  /* n: half the derivative of the loss is -t_i r_i / 2 */
    double *D;  /* d: 1 / ||omega_j|| */
    double *FC; /* d x r, scratch */
    double *AC; /* n x r, scratch */
} rs_spca_point;

/* added under the roots of ||omega_j|| and ||r_i|| */
typedef struct {
    double column, residual;
} rs_spca_floors;

typedef enum { RS_ROUTE_DENSE = 0, RS_ROUTE_LOWRANK } rs_spca_route;

typedef struct {
    rs_spca_route route;
    rs_spca_floors floors;
    double ridge;     /* added to the diagonal of the linear system */
    int record_start; /* is the start a point whose objective is known? */
    double tol, inner_tol;
    int maxit, inner_maxit;
} rs_spca_paper_settings;

typedef struct {
    rs_history history;
    int iterations;       /* changes of the point, or of its smoothing */
    int inner_iterations; /* conjugate gradient steps of the exact solver */
    double objective;     /* without smoothing */
    double bound;         /* a lower bound of the optimum, */
    double margin;        /* lowered by this for rounding */
    double wanted;        /* relative gap at which the bound is good enough */
    double lowest;        /* smallest eigenvalue of the dual slack */
    double kkt;
} rs_spca_fit;

typedef struct {
    double gap;      /* relative duality gap to reach */
    int maxit;       /* Newton steps in all */
    int inner_maxit; /* conjugate gradient steps of one Newton step */
    double flops;    /* of all these steps; F may gain columns on the way */
} rs_spca_exact_settings;

/* penalties eta0 + s eta1 on the trace, lambda0 + s lambda1 on the columns */
typedef struct {
    double eta0, eta1, lambda0, lambda1;
} rs_spca_line;

rs_status rs_spca_init(rs_context *ctx, rs_data *X, rs_spca_loss loss,
                       int adaptive, double lambda, double eta, rs_spca *pr);
rs_status rs_spca_point_init(rs_spca *pr, int capacity, rs_spca_point *at);
/* room for an F of r columns, which is not kept; the rest of the point is */
rs_status rs_spca_point_room(rs_spca *pr, int r, rs_spca_point *at);
/* a point with the given F (d x r), and room for some columns more */
rs_status rs_spca_point_copy(rs_spca *pr, int r, const double *F,
                             rs_spca_point *at);
/* squares, trace and weights of Omega = diag(w); F is not set */
void rs_spca_point_diagonal(const rs_spca *pr, const double *w,
                            const rs_spca_floors *floors, rs_spca_point *at);
/* unit weights D = 2; t = 2, or 1/||x_i|| for the l21 loss with centre 0 */
void rs_spca_point_unit(const rs_spca *pr, const rs_spca_floors *floors,
                        rs_spca_point *at);
/* the weights of Omega = F F' for the given F (d x r) */
rs_status rs_spca_point_factor(const rs_spca *pr, int r, const double *F,
                               const rs_spca_floors *floors,
                               rs_spca_point *at);
/* F = V diag(sqrt((s - eta/2) / (s + (lambda/2) sqrt(d/r)))) from the
 * eigenpairs (s, V) of S_T above eta/2; allocates the point */
rs_status rs_spca_point_pca(rs_spca *pr, rs_spca_point *at);
/*
 * Under the sum of row norms, where that lowers the objective, Omega becomes
 * the best of the projectors onto leading right singular vectors of the data.
 * That onto all of them, which leaves no residual, is the optimum for small
 * penalties.
 */
rs_status rs_spca_try_projector(rs_spca *pr, rs_spca_point *at, int *taken);
/*
 * The centre that minimises the sum of the row norms for residuals whose
 * coordinates U (n x q) are given, in any orthonormal basis; residual_square (n)
 * follows, if it falls.
 */
rs_status rs_spca_best_centre(rs_spca *pr, int q, const double *U,
                              double *residual_square);
/* the same at a point, where the centre is free; sets fit->objective */
rs_status rs_spca_centre_point(rs_spca *pr, rs_spca_point *at,
                               rs_spca_fit *fit);
/* bound, objective and first-order residual of a point, weights refreshed */
rs_status rs_spca_certify(rs_spca *pr, rs_spca_point *at, rs_spca_fit *fit);

/*
 * Smoothing and ridge of the published code, in the units of the data: column
 * norms are smoothed by machine epsilon (||R||^2) or 1e-3, residual norms and
 * the diagonal by small multiples of their mean.
 */
void rs_spca_published(const rs_spca *pr, rs_spca_paper_settings *set);

/*
 * The published iteration from the weights at->t, at->D; the point receives
 * the last Omega. RS_OK, RS_MAXIT.
 */
rs_status rs_spca_paper(rs_spca *pr, const rs_spca_paper_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit);

/*
 * The optimum, to a certified gap, by Newton's method on the factor F, which
 * gains columns until the dual slack is positive semidefinite. Starts at the
 * point; RS_OK, RS_MAXIT, RS_STALLED.
 */
rs_status rs_spca_exact(rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit);

/*
 * A lower bound of the s from which on Omega = 0 is optimal for the penalties
 * of the line (centre 0); the search ends early once it reaches `enough`.
 */
rs_status rs_spca_reach(rs_spca *pr, const rs_spca_line *line, double enough,
                        double *reach);

/* which route costs fewer flops, for about r positive eigenvalues */
rs_spca_route rs_spca_cheaper_route(const rs_spca *pr, double r);

#endif
