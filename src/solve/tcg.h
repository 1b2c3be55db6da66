/*
 * solve/tcg.h: truncated conjugate gradients in a trust region (Steihaug 1983,
 * Toint 1981),
 *
 *     min  <g, p> + <p, H p> / 2   over   ||p||_M <= radius,
 *
 * with H known by its products, positive definite or not, and M a
 * preconditioner. The iteration starts at p = 0 and ends where the residual
 * r = g + H p is short enough, at the boundary, or after maxit products.
 */
#ifndef RS_TCG_H
#define RS_TCG_H

#include "base/core.h"

/* out = A in, both of the problem's size */
typedef rs_status (*rs_tcg_apply_fn)(void *state, const double *in,
                                     double *out);

typedef struct {
    size_t size;
    void *state;
    rs_tcg_apply_fn hessian;      /* out = H in */
    rs_tcg_apply_fn precondition; /* out = M^{-1} in; NULL: M = I */
    double radius;
    double reduction; /* of sqrt(<r, M^{-1} r>), below 1 */
    int maxit;
} rs_tcg_problem;

typedef struct {
    double *step, *Hstep; /* p and H p */
    double *residual;
    double *preconditioned; /* M^{-1} r */
    double *direction, *Hdirection;
} rs_tcg_ws;

typedef struct {
    int iterations; /* products with H */
    int at_boundary;
    double length;   /* ||p||_M */
    double decrease; /* -<g, p> - <p, H p> / 2 */
} rs_tcg_info;

/* a step is taken if f falls by more than this share of what the model says;
 * reduction of the residual that is enough for that */
#define RS_TCG_ACCEPT 0.1
#define RS_TCG_REDUCTION 0.1
/* the radius after a step with this ratio of the two decreases */
double rs_tcg_radius(double ratio, const rs_tcg_info *info, double radius);

/* room for problems of at most `size` numbers */
rs_status rs_tcg_init(rs_context *ctx, size_t size, int preconditioned,
                      rs_tcg_ws *ws);
/* r = g and M^{-1} r; *square = <g, M^{-1} g>, from which the caller may set
 * radius and reduction */
rs_status rs_tcg_begin(const rs_tcg_problem *problem, const double *gradient,
                       double *square, rs_tcg_ws *ws);
/* after rs_tcg_begin(): the step in ws->step, H times it in ws->Hstep */
rs_status rs_tcg_solve(const rs_tcg_problem *problem, const double *gradient,
                       double square, rs_tcg_info *info, rs_tcg_ws *ws);

#endif
