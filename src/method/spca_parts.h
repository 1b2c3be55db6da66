/*
 * method/spca_parts.h: the pieces of the SPCA-PSD solvers.
 */
#ifndef RS_SPCA_PARTS_H
#define RS_SPCA_PARTS_H

#include "la/linalg.h"
#include "solve/eigs_positive.h"
#include "solve/ridge.h"
#include "method/spca_psd.h"

/* eigenvalues of Omega below this count as zero (they lie in [0, 1]) */
#define RS_SPCA_RANK_TOL 1e-10

/* ---- method/spca_model.c: data, centre, objective --------------------------- */

/* Y (n x m) = Xt W and W (d x m) = Xt'Y with Xt = Xc - 1 c' */
rs_status rs_spca_times(const rs_spca *pr, int m, const double *W, double *Y);
rs_status rs_spca_crossprod(const rs_spca *pr, int m, const double *Y,
                            double *W);
/* the same with Xc */
rs_status rs_spca_times_plain(const rs_spca *pr, int m, const double *W,
                              double *Y);
rs_status rs_spca_crossprod_plain(const rs_spca *pr, int m, const double *Y,
                                  double *W);
/* c = sum_i t_i x_i / sum_i t_i, the best centre for the weights t */
rs_status rs_spca_set_centre(rs_spca *pr, const double *t);
/* A, C, the squares and the trace from at->F */
rs_status rs_spca_measure(const rs_spca *pr, rs_spca_point *at);
/* t_i = 2 or 1/sqrt(||r_i||^2 + floor), D_j = 1/sqrt(||omega_j||^2 + floor) */
void rs_spca_weights(const rs_spca *pr, const rs_spca_floors *floors,
                     rs_spca_point *at);
/* the objective with floors under the roots */
double rs_spca_objective(const rs_spca *pr, const rs_spca_floors *floors,
                         const rs_spca_point *at);
/* columns from .. from + width - 1 of Xt into pr->panel */
void rs_spca_panel(const rs_spca *pr, int from, int width);
typedef enum {
    RS_SPCA_GOES_ON = 0,
    RS_SPCA_DONE,
    RS_SPCA_STALLED
} rs_spca_end;

/* Keeps the objective f of an iteration; *end says whether it was the last: f
 * changed by less than tol, relative, or only rounding moves it. */
rs_status rs_spca_record(const rs_spca *pr, double f, double tol,
                         rs_history *history, rs_spca_end *end);
/* what an iteration that ended so returns */
rs_status rs_spca_ending(rs_spca_end end);
/* rows of M (rows x cols) times scale */
void rs_scale_rows(int rows, int cols, const double *scale, double *M);

/* ---- method/spca_ridge.c: (Xt' diag(t/2) Xt + diag(c))^{-1} ----------------- */

/* solve/ridge.h for the shifted data Xt, with the samples' s = 2 / t */
typedef struct {
    int dense;     /* d x d matrix, or n x n after Woodbury's formula */
    double *c, *e; /* d; e = 1 / c */
    double *s;     /* n */
    double *Y;     /* n x width, scratch */
    int width;
    rs_ridge system;
} rs_spca_ridge;

rs_status rs_spca_ridge_init(const rs_spca *pr, int dense, int width,
                             rs_spca_ridge *ridge);
/* S_T (d x d) = Xt' diag(t/2) Xt; half (n) and g (d) are scratch */
rs_status rs_spca_scatter(const rs_spca *pr, const double *t, double *half,
                          double *g, double *S);
/* K (n x n) = Xt diag(e) Xt' (e = NULL: the identity); g (n) is scratch */
rs_status rs_spca_gram(const rs_spca *pr, const double *e, double *g,
                       double *K);
/* factor for the diagonal ridge->c; `scatter` is S_T (dense form only) */
rs_status rs_spca_ridge_factor(const rs_spca *pr, const double *t,
                               const double *scatter, rs_spca_ridge *ridge);
/* Y <- Q Y, n x m, with Q = (diag(s) + Xt E Xt')^{-1}, E = diag(1/c), so that
 * Xt'Q Xt = B = S_T (I + E S_T)^{-1}; not for the dense form */
rs_status rs_spca_ridge_kernel(int m, double *Y, const rs_spca_ridge *ridge);
/* V <- (S_T + diag(c))^{-1} V, d x m, m <= width; W is d x m scratch */
rs_status rs_spca_ridge_solve(const rs_spca *pr, int m, double *V, double *W,
                              rs_spca_ridge *ridge);

/* ---- method/spca_start.c: principal components ------------------------------ */

/*
 * Eigenvalues of S_T above `above`, descending, with orthonormal eigenvectors
 * V (d x *count), both allocated; from the n x n or the d x d matrix,
 * whichever is smaller.
 */
rs_status rs_spca_components(rs_spca *pr, const double *t, double above,
                             int *count, double **values, double **V);

/* ---- method/spca_dense.c, method/spca_lowrank.c: one step of the paper ---------- */

typedef struct {
    double *S;       /* d x d: S_T */
    rs_ridge system; /* its A: the inverse, then sym(Omega_half) */
    double *half;    /* n */
    double *values;  /* d */
    int fixed;       /* S_T does not change */
    rs_eigen_ws eigen;
} rs_spca_dense_ws;

rs_status rs_spca_dense_init(rs_spca *pr, rs_spca_dense_ws *ws);
/* at->F <- factor of the PSD part of
 * sym((S_T - eta/2 I)(S_T + diag(c))^{-1}) */
rs_status rs_spca_dense_step(rs_spca *pr, const double *c, rs_spca_point *at,
                             rs_spca_dense_ws *ws);

typedef struct {
    rs_spca *pr;
    rs_spca_ridge ridge;
    double *E;        /* d: 1 / c */
    double *shift;    /* d: (eta/2) E */
    double *XV, *XEV; /* n x block */
    double *EV, *BW;  /* d x block */
    double *values;   /* wanted */
    double *P;        /* d x wanted: the last eigenvectors */
    int found;        /* of these */
    rs_eigs_ws eigs;
} rs_spca_lowrank_ws;

/* room for `wanted` positive eigenvalues */
rs_status rs_spca_lowrank_init(rs_spca *pr, int wanted,
                               rs_spca_lowrank_ws *ws);
/* as rs_spca_dense_step(); *full says that there may be more eigenvalues */
rs_status rs_spca_lowrank_step(const double *c, double tol, int maxit,
                               int *full, rs_spca_point *at,
                               rs_spca_lowrank_ws *ws);

/* ---- method/spca_bound.c: the dual bound ------------------------------------ */

/* columns of one product with the slack */
#define RS_SLACK_BLOCK 64

/* the dual slack M at a point; zero at first, the bound makes room */
typedef struct {
    rs_spca *pr;
    const rs_spca_point *at;
    const double *B;      /* d x r */
    const double *extra;  /* d or NULL */
    int units;            /* entries of extra above 0 */
    double shrink;        /* of Y, so that its centred rows are short enough */
    int columns, rank;    /* there is room for */
    int k;                /* columns of the basis */
    double *Q, *MQ;       /* d x k */
    double *H;            /* k x k: -Q'MQ */
    double *values, *U;   /* k; k x k */
    double *XV, *YV;      /* n x RS_SLACK_BLOCK */
    double *V1, *V2, *V3; /* r x RS_SLACK_BLOCK */
    double *W;            /* d x RS_SLACK_BLOCK */
    double *Xq, *Y, *WX;  /* n x k, for the sum of row norms as the rest */
    double *Fq, *Bq, *HF; /* k x r */
    double *Zq, *T;       /* k x k */
    double *K1, *K2;      /* k x k */
    int moved;            /* columns of Z that may move */
    double *QJ, *ZJ, *u;  /* k x k; k x k; k */
    double *length, *w;   /* n */
    rs_eigen_ws eigen;
    rs_qr_ws qr;
} rs_spca_slack;

/*
 * Rounding errors are taken to be at most so many machine epsilons times the
 * root of the number of terms times the product of the norms involved.
 */
#define RS_MARGIN 8.0

/*
 * A lower bound of the optimum from the weights t of the point and
 * Z = F B' + diag(extra), whose columns must not be longer than lambda
 * (B = lambda D F where the norms are differentiable; extra >= 0, or NULL, may
 * be positive where row j of F is zero); the smallest eigenvalue of the dual
 * slack M, and the eigenvectors (d x *count, at most `room`) of eigenvalues
 * below `below` * (lambda + eta).
 */
rs_status rs_spca_bound(rs_spca *pr, const rs_spca_point *at, const double *B,
                        const double *extra, double below, int room,
                        int *count, double *vectors, rs_spca_fit *fit,
                        rs_spca_slack *ws);

/* ---- method/spca_multiplier.c: the same for the sum of row norms ------------ */

/* with the workspace and the basis ready; corrects the multipliers until the
 * bound reaches `wanted` */
rs_status rs_spca_bound_rows(rs_spca_slack *ws, double below, int room,
                             int *count, double *vectors, double wanted,
                             rs_spca_fit *fit);

#endif
