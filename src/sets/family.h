/*
 * sets/family.h: losses of linear predictors, and their least values on given
 * columns.
 *
 * H (n x q) are the predictors, u_i the weights of the samples, o_i offsets:
 * L(H) is the saturated log likelihood minus that of H, so that it is convex and
 * never below 0. With h = H + o
 *
 *     gaussian      sum u (h - y)^2 / 2
 *     binomial      sum u (log(1 + e^h) - y h) + saturated,  y in [0, 1]
 *     multinomial   sum u (log sum_l e^{h_l} - h_y)
 *     poisson       sum u (e^h - y h) + saturated,           y >= 0
 *     cox           sum over events u (log S_i - h_i) + saturated, S_i the sum of
 *                   u e^h over the samples whose time is not below that of i
 *
 * (Breslow's treatment of ties). Cox has no intercept, nor has gaussian, of which y
 * and the data come centred; the others have q.
 */
#ifndef RS_FAMILY_H
#define RS_FAMILY_H

#include "base/core.h"

typedef enum {
    RS_GAUSSIAN,
    RS_BINOMIAL,
    RS_MULTINOMIAL,
    RS_POISSON,
    RS_COX
} rs_family_kind;

typedef struct {
    rs_family_kind kind;
    int n, q;
    int intercept;   /* is there one? */
    const double *y; /* n x q: numbers; indicators of classes; 1 for events */
    const double *weight, *offset; /* n, or NULL */
    /* cox: the samples by falling time, and for each place the last one of the
     * same time */
    const int *order, *last;
    /* what is added so that the least loss is 0: in all, or by sample */
    double saturated, *least;
    double *e, *S, *A, *B;  /* cox, n: by place; see family.c */
    double *square, *share; /* multinomial: q (q + 1), n x q */
} rs_family;

/* room, and what is added; all else is for the caller to fill in before */
rs_status rs_family_init(rs_context *ctx, rs_family *family);
/* L(H); g, its gradient, and w, the curvature by samples that quadratic models
 * take (both n x q), or NULL */
double rs_family_loss(const rs_family *f, const double *H, double *g,
                      double *w);
/* S = P' (Hessian of L at H) P for the p columns of P, pq x pq; w as above; room: n x
 * p */
void rs_family_hessian(const rs_family *f, const double *H, const double *w,
                       int p, const double *P, double *S, double *room);
/*
 * The bound L(H') >= L* + <g, H'> for every H' that is `dual` to g: at H, g
 * (n x q) <- the gradient with columns that sum to 0 where there are intercepts,
 * and the returned number is not above L*, which is found from g alone by the
 * conjugate of L, with room for rounding. -INFINITY: none is known.
 */
double rs_family_dual(const rs_family *f, const double *H, double *g);

/* ---- least values ------------------------------------------------------------ */

/* room of Newton's method for `most` columns beside the intercept */
typedef struct {
    rs_context *ctx;
    const rs_family *family;
    double *S, *gradient, *step, *trial; /* (1 + most) q, squared for S */
    double *H, *room;                    /* n x q, n x (1 + most) */
    double work;                         /* multiplications so far */
} rs_newton;

rs_status rs_newton_init(rs_context *ctx, const rs_family *family, int most,
                         rs_newton *newton);

/* a fit to columns */
typedef struct {
    int p;           /* columns of P, the ones of the intercept first */
    const double *P; /* n x p */
    const double
        *ridge;      /* p: penalty of each row of B, that of intercepts 0 */
    const int *sign; /* p: 1, -1, or 0 for any; NULL: any */
    double *B;       /* p x q; in: where to begin */
    double *H, *g,
        *w;           /* n x q: P B, and loss's gradient and curvature there */
    double objective; /* L(P B) + sum of ridge_i ||B_i||^2 / 2 */
    int converged;
} rs_newton_fit;

/* B <- the minimum of the objective, until a step promises to lower it by less than
 * `tol`; the fit holds for whatever B was reached */
rs_status rs_newton_minimise(double tol, rs_newton_fit *fit,
                             rs_newton *newton);

#endif
