/*
 * method/convex/exact.h: the optimum for the loss ||R||^2, to a certified gap, by
 * Newton's method on the factor F.
 *
 * f(F) = objective at Omega = F F', roots smoothed by a floor far below the
 * wanted gap; F is rotated so that F'F = diag(L). The gradient is 2 G F,
 * G = eta I - 2 sym(Xc'R) + lambda sym(Omega D). A point with G F = 0 and
 * G >= 0 is the optimum of the convex problem; if G has negative eigenvalues F
 * gains their eigenvectors as columns (Burer and Monteiro; Journee, Bach, Absil
 * and Sepulchre).
 */
#ifndef RS_SPCA_EXACT_H
#define RS_SPCA_EXACT_H

#include <math.h>

#include "base/arena.h"
#include "la/linalg.h"
#include "method/convex/model.h"
#include "solve/ridge.h"
#include "solve/tcg.h"

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

/* objective, bound, margin, kkt and the slack's smallest eigenvalue; and the
 * vectors */
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

/* ---- f near a point (hessian.c) ------------------------------------------- */

typedef struct {
    const rs_spca *pr;
    rs_spca_point *at;
    double floor;         /* under the roots of the column norms */
    double *active;       /* d: 1, or 0 if row j of F is kept at 0 */
    double f;             /* f(F) */
    double *L;            /* r: F'F = diag(L) */
    double *FL, *SF, *g;  /* d x r: F diag(L), S F, the gradient */
    double *own;          /* r x r: 2 A'A + lambda F'DF */
    double *dD;           /* d, scratch as all that follows */
    double *SV, *FS, *W;  /* d x r */
    double *XV;           /* n x r */
    double *S1, *S2, *S3; /* r x r */
    rs_eigen_ws eigen;
} rs_spca_curve;

rs_status rs_spca_curve_init(const rs_spca *pr, rs_spca_point *at,
                             rs_spca_curve *f);
/* room for as many columns as the point has room for; what depends on them is
 * void */
rs_status rs_spca_curve_room(rs_spca_curve *f);
/* rows of features whose column of Omega is kept at zero become zero */
void rs_spca_mask(const rs_spca_curve *f, double *M);
/* f at a point that was measured, with the present floor */
double rs_spca_value(const rs_spca_curve *f, const rs_spca_point *at);
/* the weights of f; D = 0 for inactive columns */
void rs_spca_refresh_weights(rs_spca_curve *f);
/* F rotated so that F'F = diag(L), vanished columns dropped; measures, f */
rs_status rs_spca_refresh(rs_spca_curve *f);
/* g = 2 G F, all rows */
rs_status rs_spca_gradient(rs_spca_curve *f);
/* out = Hessian of f along V (d x r), rows masked */
rs_status rs_spca_hessian(rs_spca_curve *f, const double *V, double *out);
/* columns taken out, or back (returned: not again); the gradient is at hand */
int rs_spca_screen(rs_spca_curve *f, int *returned);
/* the dual's Z = F B' + diag(extra); square: ||x_j||^2 */
void rs_spca_dual_columns(const rs_spca_curve *f, const double *square,
                          double *B, double *extra);

/* ---- Newton's method (newton.c) -------------------------------------------- */

#define RS_GROUPS 8 /* most factorisations of one preconditioner */

typedef struct {
    int dense;                  /* d x d systems, or by the pairs of S */
    rs_ridge system[RS_GROUPS]; /* of columns with about the same shift */
    double *diagonal[RS_GROUPS];
    double *root, *scaled; /* d x m: V diag(values)^{1/2} */
    int *group;            /* r */
    double *block, *W, *Y; /* d x r; m x r */
} rs_spca_preconditioner;

/* the best point and bound so far */
typedef struct {
    double *F; /* d x r */
    int r;
    double value; /* without smoothing */
    double bound, margin;
} rs_spca_best;

typedef struct {
    const rs_spca_exact_settings *set;
    rs_spca_fit *fit;
    rs_spca_curve f;
    rs_spca_point trial;
    rs_spca_preconditioner pre;
    rs_tcg_ws tcg;
    double radius, flops;   /* of the trust region; of the steps so far */
    int steps;              /* tried */
    int at_rounding;        /* did rounding end the last ones? */
    double widest;          /* smoothing of a norm at first */
    int *returned;          /* d: taken out and come back? */
    double *before;         /* d: active, before columns change */
    double *square, *extra; /* d: ||x_j||^2; diagonal of the dual's Z */
    rs_spca_best best;
    rs_spca_dual dual;
    rs_arena arena;
} rs_exact;

rs_status rs_exact_newton_init(rs_exact *s);
/* room for as many columns as the point has room for */
rs_status rs_exact_newton_room(rs_exact *s);
/*
 * Newton steps with the number of columns fixed, until the squared
 * preconditioned gradient norm falls below tol * f. RS_OK, RS_MAXIT.
 */
rs_status rs_exact_newton(rs_exact *s, double tol);

/* ---- the solver (exact.c) ---------------------------------------------------- */

/* room from this point on; all arguments stay where they are */
rs_status rs_exact_init(const rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit, rs_exact *s);
/* room for so many more columns behind those of F */
rs_status rs_exact_make_room(rs_exact *s, int extra);
/*
 * The optimum of a problem on the same data, from the point. The smoothing
 * starts at `widening` times the last one: RS_COLD, or less from a point that
 * is near the optimum. RS_OK, RS_MAXIT, RS_STALLED.
 */
#define RS_COLD INFINITY
rs_status rs_exact_solve(const rs_spca *pr, double widening, rs_exact *s);

/* ---- a row of penalties (path.c) ---------------------------------------------- */

/*
 * What does not depend on the penalties is kept: the data, S, its leading
 * eigenpairs, all workspaces; each optimum starts from the last one.
 */

typedef struct {
    rs_spca pr; /* with the last penalties */
    rs_spca_exact_settings set;
    rs_spca_point at; /* the last optimum */
    rs_spca_fit fit;
    rs_exact solver;
    int begun;
    int is_optimum; /* is the point one, of some columns? */
} rs_spca_path;

/* loss ||R||^2 only; F (d x r) is a start, or NULL; the path must stay where it
 * is */
rs_status rs_spca_path_init(const rs_spca *pr,
                            const rs_spca_exact_settings *set, int r,
                            const double *F, rs_spca_path *path);
/* the optimum for these penalties: path->at, path->fit. RS_OK, RS_MAXIT,
 * RS_STALLED */
rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta);
/* share of ||Xc||^2 that regression on the components Xc F of the last optimum
 * reproduces */
rs_status rs_spca_path_explained(rs_spca_path *path, double *share);

#endif
