/*
 * method/convex/convex.h: convex sparse PCA on the PSD cone,
 *
 *   min  loss(R) + lambda sum_j ||omega_j|| + eta tr(Omega),   Omega >= 0,
 *
 * R = (Xc - 1 c')(I - Omega), loss = ||R||^2 (SPCA-PSD) or the sum of the row
 * norms of R with c = 0 (CSPCA-PSD) or c free (AW-SPCA-PSD): the problem, its
 * points and the objective there, from products with the data.
 *
 * Omega is never formed: Omega = F F' with F d x r. With A = (Xc - 1 c') F and
 * C = F'F the column norms, the residuals and the trace follow from F, A, C.
 */
#ifndef RS_CONVEX_H
#define RS_CONVEX_H

#include "base/arena.h"
#include "base/history.h"
#include "data/data.h"
#include "eigen/ritz.h"
#include "la/linalg.h"
#include "solve/penalty.h"
#include "solve/ridge.h"
#include "solve/tcg.h"

typedef enum { RS_LOSS_FROBENIUS = 0, RS_LOSS_L21 } rs_spca_loss;

/*
 * Leading eigenpairs of S = Xc'Xc, which the start, the preconditioner and the
 * bound for the loss ||R||^2 share. At most 2 tr(S) / eta eigenvalues exceed
 * eta / 2: Ritz pairs for so many, which are rough where samples and features
 * are many, or all pairs.
 */
typedef struct {
    int m;
    double *values; /* m, descending */
    double *V, *SV; /* d x m, V orthonormal */
    double square;  /* ||S||^2 */
    double rest;    /* v'Sv <= rest for all unit vectors v beside V */
} rs_spca_pairs;

/* the problem; it does not change once it is set up */
typedef struct {
    rs_data *X; /* block >= RS_PANEL */
    int n, d;
    rs_spca_loss loss;
    int adaptive; /* is the centre c free? */
    double lambda, eta;
    double trace;                /* ||Xc||^2 */
    double *data_square;         /* n: ||x_i||^2 */
    double *panel;               /* n x RS_PANEL, scratch */
    double *scratch;             /* n + d */
    const rs_row_groups *groups; /* rows penalised together, or NULL */
    const double *S;             /* d x d: Xc'Xc, or NULL */
    rs_spca_pairs pairs;         /* for the loss ||R||^2 */
    rs_context *ctx;
} rs_spca;

/* eigenvalues of Omega below this count as zero (they lie in [0, 1]) */
#define RS_SPCA_RANK_TOL 1e-10

/* Omega = F F' and what follows from it */
typedef struct {
    int r, capacity;         /* columns in use, columns there is room for */
    double *F;               /* d x r */
    double *c;               /* d: the centre, or NULL: the mean, 0 */
    double *row_square;      /* n: ||x_i - c||^2 */
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

typedef struct {
    rs_history history;
    int iterations;       /* changes of the point, or of its smoothing */
    int inner_iterations; /* conjugate gradient steps of the exact solver */
    double objective;     /* without smoothing */
    double bound;         /* a lower bound of the optimum, */
    double margin;        /* lowered by this for rounding */
    double lowest;        /* smallest eigenvalue of the dual slack */
    double kkt;
} rs_spca_fit;

/* without S and the pairs, which rs_spca_prepare() finds */
rs_status rs_spca_init(rs_context *ctx, rs_data *X, rs_spca_loss loss,
                       int adaptive, double lambda, double eta, rs_spca *pr);

/* ---- points --------------------------------------------------------------- */

rs_status rs_spca_point_init(const rs_spca *pr, int capacity,
                             rs_spca_point *at);
/* room for an F of r columns, which is not kept; the rest of the point is */
rs_status rs_spca_point_room(const rs_spca *pr, int r, rs_spca_point *at);
/* F = V diag(values)^{1/2}; values = NULL: ones */
rs_status rs_spca_point_set(const rs_spca *pr, int r, const double *values,
                            const double *V, rs_spca_point *at);
/* A, C, the squares and the trace from at->F and the centre */
rs_status rs_spca_measure(const rs_spca *pr, rs_spca_point *at);
/* with floors added under the roots of ||omega_j|| and of ||r_i||: the weights
 * t_i = 2 or 1/sqrt(||r_i||^2 + residual), D_j = 1/sqrt(||omega_j||^2 + column) */
void rs_spca_weights(const rs_spca *pr, double column, double residual,
                     rs_spca_point *at);
/* and the objective */
double rs_spca_objective(const rs_spca *pr, double column, double residual,
                         const rs_spca_point *at);
/* Y (n x m) = Xt W, Xt = Xc - 1 c' */
rs_status rs_spca_times(const rs_spca *pr, const rs_spca_point *at, int m,
                        const double *W, double *Y);
/* columns from .. from + width - 1 of R = Xt - A F', n x width */
rs_status rs_spca_residuals(const rs_spca *pr, const rs_spca_point *at,
                            int from, int width, double *R);

/* ---- principal components (start.c) ------------------------------------------ */

/*
 * The last step of the set-up for the loss ||R||^2: pr->S, if there are not
 * many more features than samples, and pr->pairs, which serve every eta from
 * this one on.
 */
rs_status rs_spca_prepare(rs_spca *pr);
/*
 * Eigenpairs of S_T = Xc' diag(t/2) Xc but for their SV and rest, from the
 * smaller Gram matrix: pairs->m rough ones where that is few of all, else (also
 * where it is 0) all that are not zero. values has one more, what comes behind.
 */
rs_status rs_spca_components(const rs_spca *pr, const double *t,
                             rs_spca_pairs *pairs);
/* F = V diag(sqrt((s - eta/2) / (s + (lambda/2) sqrt(d/r)))) from the pairs
 * (s, V) above eta/2; allocates the point */
rs_status rs_spca_point_pca(const rs_spca *pr, rs_spca_point *at);

/* penalties eta0 + s eta1 on the trace, lambda0 + s lambda1 on the columns */
typedef struct {
    double eta0, eta1, lambda0, lambda1;
} rs_spca_line;

/*
 * A lower bound of the s from which on Omega = 0 is optimal for the penalties
 * of the line (centre 0); the search ends early once it reaches `enough`.
 */
rs_status rs_spca_reach(const rs_spca *pr, const rs_spca_line *line,
                        double enough, double *reach);

/* ==== the loss ||R||^2 on the cone ========================================== */

/*
 * The optimum for the loss ||R||^2, to a certified gap, by
 * Newton's method on the factor F.
 *
 * f(F) = objective at Omega = F F', roots smoothed by a floor far below the
 * wanted gap; F is rotated so that F'F = diag(L). The gradient is 2 G F,
 * G = eta I - 2 sym(Xc'R) + lambda sym(Omega D). A point with G F = 0 and
 * G >= 0 is the optimum of the convex problem; if G has negative eigenvalues F
 * gains their eigenvectors as columns (Burer and Monteiro; Journee, Bach, Absil
 * and Sepulchre).
 */

/* ---- a lower bound (bound.c) --------------------------------------------------- */

/*
 * Z = F B' + diag(extra) for a point, with columns not much longer than lambda
 * (B = lambda D F if the norms are differentiable; extra >= 0, or NULL, may be
 * positive if row j of F is zero), and the eigenvectors that are asked for.
 */
typedef struct {
    const rs_spca *pr;
    const rs_spca_point *at;
    const double *B, *extra; /* d x r; d */
    double below;            /* eigenvalues below this times lambda + eta */
    int room, count; /* most of their vectors, and how many there are */
    double *vectors; /* d x room */
    rs_arena *arena; /* memory of one bound */
} rs_spca_dual;

/* objective, bound, margin, kkt and the slack's smallest eigenvalue; and the vectors */
rs_status rs_spca_bound(rs_spca_dual *dual, rs_spca_fit *fit);
/* the same of a point by itself, with B = lambda D F; refreshes the weights */
rs_status rs_spca_bound_point(const rs_spca *pr, rs_spca_point *at,
                              rs_spca_fit *fit);

/* ---- the solver ----------------------------------------------------------------- */

typedef struct {
    double gap;      /* relative duality gap to reach */
    int maxit;       /* Newton steps in all */
    int inner_maxit; /* conjugate gradient steps of one Newton step */
    double flops;    /* of all these steps; F may gain columns on the way */
} rs_spca_exact_settings;

/* ---- a row of penalties (exact.c) ---------------------------------------------- */

/*
 * What does not depend on the penalties is kept: the data, S, its leading
 * eigenpairs, all workspaces; each optimum starts from the last one.
 */

typedef struct {
    rs_spca pr; /* with the last penalties */
    rs_spca_exact_settings set;
    rs_spca_point at; /* the last optimum */
    rs_spca_fit fit;
    struct rs_exact *solver;
    int begun;
    int is_optimum; /* is the point one, of some columns? */
} rs_spca_path;

/* loss ||R||^2 only; F (d x r) is a start, or NULL; the path must stay where it is */
rs_status rs_spca_path_init(const rs_spca *pr,
                            const rs_spca_exact_settings *set, int r,
                            const double *F, rs_spca_path *path);
/* the optimum for these penalties: path->at, path->fit. RS_OK, RS_MAXIT, RS_STALLED */
rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta);
/* share of ||Xc||^2 that regression on the components Xc F of the last optimum
 * reproduces */
rs_status rs_spca_path_explained(rs_spca_path *path, double *share);

/* ==== the reweighted iteration ============================================== */

/*
 * The reweighted iteration, which solves for Omega
 * with fixed weights of its columns, of the residuals and of its singular values.
 *
 * On the PSD cone that is the published iteration: the solution without
 * the cone is projected on it, and the objective need not fall. Without the cone
 * each step minimises a quadratic above the smoothed objective of CSPCA
 * and AW-SPCA,
 *
 *   min  loss(R) + lambda sum_j ||w^j|| + eta ||W||_*,   R = (Xc - 1 c')(I - W),
 *
 * with w^j the rows of W (d x d) and ||W||_* its nuclear norm.
 */

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

/* W = L V': V is I or, if samples are few, a basis of their space (d x q) */
typedef struct {
    int q;
    double *V;     /* d x q, or NULL */
    double *L, *R; /* d x q, n x q: the residuals are R V' */
    double *last_L, *last_R;
    double *U, *LU;    /* q x q, d x q: L U has orthogonal columns, */
    double *nu, *s;    /* q: of these lengths, see reweighted.c */
    double nu_0;       /* 0: the weight of the nuclear norm is diagonal */
    double *e, *g;     /* d; max(n, d) */
    double *B, *Y, *M; /* d x q; n x q; q x q */
    double *S;         /* d x d: S_T, if V is I */
    rs_ridge system;
    rs_eigen_ws eigen;
} rs_spca_plain;

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
