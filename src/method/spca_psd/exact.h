/*
 * method/spca_psd/exact.h: the state of the exact solver and its parts.
 *
 * Newton's method on the factor: f(F) = objective at Omega = F F', roots
 * smoothed by floors far below the wanted gap. With Omega = F F' the gradient
 * is 2 G F, G = eta I - sym(Xt'Y) + lambda sym(Omega D), and a point with
 * G F = 0 and G >= 0 is the optimum of the convex problem; where G has
 * negative eigenvalues F gains their eigenvectors as columns (Burer and
 * Monteiro; Journee, Bach, Absil and Sepulchre). Steps come from truncated
 * conjugate gradients in a trust region (Steihaug), preconditioned by
 *
 *   2 ((eta + b_k) I + L_k (S_T + (lambda/2) D))   for column k,
 *
 * with F rotated so that F'F = diag(L), S_T = Xt' diag(t/2) Xt and
 * b_k = f_k'(S_T + (lambda/2) D) f_k. Columns of about the same
 * (eta + b_k) / L_k share one factorisation.
 */
#ifndef RS_SPCA_EXACT_H
#define RS_SPCA_EXACT_H

#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/median.h"
#include "method/spca_psd/ridge.h"
#include "method/spca_psd/slack.h"
#include "solve/tcg.h"

#define RS_GROUPS 8 /* most factorisations of one preconditioner */

/* the best bound so far, and eigenvectors of the slack that F may gain */
typedef struct {
    double bound, margin;
    int room, count; /* d x room; how many there are */
    double *vectors;
} rs_spca_dual;

typedef struct {
    rs_spca *pr;
    const rs_spca_exact_settings *set;
    rs_spca_fit *fit;
    rs_spca_point *at, trial;
    rs_spca_floors floors; /* squares */
    rs_spca_floors widest; /* norms */
    int d, n, r;
    size_t size;      /* d * r */
    double eta, tilt; /* of the problem; what the trace costs beyond it */
    double f, radius;
    int steps;                 /* Newton steps tried */
    double flops;              /* of the steps so far, about */
    int projector;             /* does it begin at the one that fits all? */
    int moved;                 /* F or the floors, since f was kept */
    int screened;              /* columns that were taken out or came back */
    int at_rounding;           /* did rounding end the last Newton steps? */
    double *L;                 /* r: F'F = diag(L) */
    double *Fdf, *Ata;         /* r x r: F'DF, A'tA */
    double *FL;                /* d x r: F diag(L) */
    double *g;                 /* d x r: gradient */
    double *dD;                /* d */
    double *w;                 /* n */
    double *AV, *AS, *U;       /* n x r */
    double *FS, *W;            /* d x r */
    double *SF, *SV;           /* d x r: S F, S V where S is at hand */
    double *S1, *S2, *S3, *S4; /* r x r */
    double *kept;              /* d x kept_rank: the best F so far, */
    int kept_rank;             /* and its objective without smoothing */
    double kept_value;
    double *before;         /* d: active, before columns change */
    double *active;         /* d: 1, or 0 where row j of F is kept at 0 */
    int *returned;          /* d: taken out and come back? */
    double *square, *extra; /* d: ||x_j||^2; diagonal of the dual's Z */
    int groups;
    rs_spca_ridge ridge[RS_GROUPS];
    rs_spca *weighed;       /* the problem that the preconditioner sees, */
    double *weights;        /* with these weights of its samples, NULL: t */
    double *scatter, *half; /* d x d, n: dense preconditioner only */
    int *group;             /* r */
    double *block;          /* d x r: gathered columns */
    rs_tcg_ws tcg;          /* d x r: conjugate gradients */
    rs_eigen_ws eigen;
    rs_spca_slack slack;
    rs_spca_median median; /* a free centre only */
    rs_spca_dual best;
} rs_exact;

/* ---- method/spca_psd/exact.c: the solver in its parts, for paths ---------------- */

/* room for the solver from this point on; pr, set, at and fit stay where they
 * are */
rs_status rs_exact_init(rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit, rs_exact *s);
/* room for so many more columns behind those of F */
rs_status rs_exact_make_room(rs_exact *s, int extra);
/*
 * The optimum for the penalties of the problem as they are now, from s->at. The
 * smoothing starts at `widening` times the last one: RS_COLD, or less from a
 * point that is near the optimum.
 */
#define RS_COLD INFINITY
rs_status rs_exact_solve(rs_exact *s, double widening);

/* ---- method/spca_psd/hessian.c: derivatives at F -------------------------------- */

/* rows of features whose column of Omega is kept at zero become zero */
void rs_exact_mask(const rs_exact *s, double *M);
/* the weights of the smoothed objective; D = 0 for inactive columns */
void rs_exact_weights(rs_exact *s);
/* the point measured, at the best centre where that is free */
rs_status rs_exact_measure(rs_exact *s, rs_spca_point *at);
/* F rotated so that F'F = diag(L), vanished columns dropped; measures, f */
rs_status rs_exact_refresh(rs_exact *s);
/* s->g = 2 G F, all rows */
rs_status rs_exact_gradient(rs_exact *s);
/* out = Hessian of f along V (d x r), rows masked */
rs_status rs_exact_hessian(rs_exact *s, const double *V, double *out);

/* ---- method/spca_psd/newton.c: trust region ------------------------------------- */

/*
 * Newton steps with the number of columns fixed, until the squared
 * preconditioned gradient norm falls below tol * f. RS_OK, RS_MAXIT.
 */
rs_status rs_exact_newton(rs_exact *s, double tol);
/* keeps f where F or the floors have changed since */
rs_status rs_exact_record(rs_exact *s);

/* ---- method/spca_psd/screen.c: columns of Omega that vanish --------------------- */

/* takes columns out and back; returns how many. s->g is the gradient at F */
int rs_exact_screen(rs_exact *s);
/* the dual's Z = F B' + diag(extra) */
void rs_exact_dual_columns(rs_exact *s, double *B, double *extra);

#endif
