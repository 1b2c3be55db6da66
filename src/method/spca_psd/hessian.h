/*
 * method/spca_psd/hessian.h: the smoothed objective as a function of the factor F:
 * the state of the exact solver, value, gradient and products with the Hessian,
 * by thin products with the data or with S.
 *
 * f(F) = objective at Omega = F F', roots smoothed by floors far below the
 * wanted gap; F is rotated so that F'F = diag(L). The gradient is 2 G F,
 * G = eta I - sym(Xt'Y) + lambda sym(Omega D). A free centre is at its best for
 * every F.
 */
#ifndef RS_SPCA_HESSIAN_H
#define RS_SPCA_HESSIAN_H

#include "la/linalg.h"
#include "method/spca_psd/median.h"
#include "method/spca_psd/ridge.h"
#include "method/spca_psd/slack.h"
#include "solve/tcg.h"

#define RS_GROUPS 8 /* most factorisations of one preconditioner */

typedef struct {
    double gap;      /* relative duality gap to reach */
    int maxit;       /* Newton steps in all */
    int inner_maxit; /* conjugate gradient steps of one Newton step */
    double flops;    /* of all these steps; F may gain columns on the way */
} rs_spca_exact_settings;

/* the best bound so far, and eigenvectors of the slack that F may gain */
typedef struct {
    double bound, margin;
    int room, count; /* d x room; how many there are */
    double *vectors;
} rs_spca_dual;

typedef struct {
    const rs_spca *pr;
    const rs_spca_exact_settings *set;
    rs_spca_fit *fit;
    rs_spca_point *at, trial;
    rs_spca round;         /* the problem with the penalties of this round */
    rs_spca_floors floors; /* squares */
    rs_spca_floors widest; /* norms */
    int d, n, r;
    size_t size; /* d * r */
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
    const rs_spca *weighed; /* the problem that the preconditioner sees, */
    const double *weights;  /* with these weights of its samples, NULL: t */
    double *scatter, *half; /* d x d, n: dense preconditioner under l21 */
    int *group;             /* r */
    double *block;          /* d x r: gathered columns */
    rs_tcg_ws tcg;          /* d x r: conjugate gradients */
    rs_eigen_ws eigen;
    rs_spca_slack slack;
    rs_median median, probe; /* a free centre: of the point, of any other F */
    rs_spca_dual best;
} rs_exact;

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

#endif
