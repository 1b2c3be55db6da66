/*
 * solve/q.h: the sub-problem on the Stiefel manifold that the PCA-type methods
 * share,
 *
 *     min  g(W) = -tr(W'SW) - <W, C>   subject to  W'W = I_m,          (Q)
 *
 * by one of three interchangeable solvers:
 *     mm     W <- polar(2 S W + C), a descent step for positive semidefinite S
 *            (generalised power iteration; Nie, Zhang, Li 2017)
 *     rtr    Riemannian trust region with truncated conjugate gradients on the
 *            tangent space (Absil, Baker, Gallivan 2007)
 *     pencf  exact-penalty first-order method with Barzilai-Borwein steps
 *            (Xiao, Liu, Yuan 2022): the iterate leaves the manifold, stays in
 *            a ball, and is brought back by the polar factor at the end
 */
#ifndef RS_Q_H
#define RS_Q_H

#include "data/covop.h"
#include "solve/stiefel.h"
#include "solve/tcg.h"

typedef enum { RS_Q_MM = 0, RS_Q_RTR = 1, RS_Q_PENCF = 2 } rs_q_method;

typedef struct {
    rs_q_method method;
    double tol; /* on ||rgrad g|| / ||egrad g|| */
    int maxit;
} rs_q_control;

typedef struct {
    rs_covop *op;
    int d, m;
    size_t size;     /* d * m */
    const double *C; /* d x m: of the problem at hand */
    rs_stiefel_ws stiefel;
    double *gradient;          /* d x m */
    double *small, *excess;    /* m x m: sym(W' egrad); W'W - I */
    double *start, *Sstart;    /* d x m: W and S W on entry */
    double *other, *direction; /* d x m: another W, and its S W or gradient */
    rs_tcg_ws tcg;
    int iterations; /* of the last solution's own loop */
} rs_q;

rs_status rs_q_init(rs_context *ctx, rs_covop *op, int m, rs_q_method method,
                    rs_q *q);

/*
 * Improve W (orthonormal, d x m) for C. SW = S W on entry and on return. The
 * value g never rises: a solver that ends above its start gives the start back
 * with RS_STALLED. RS_OK, RS_MAXIT and RS_STALLED are usable. With maxit = 1
 * mm takes its step without a look at the residual.
 */
rs_status rs_q_solve(const rs_q_control *control, const double *C, double *W,
                     double *SW, rs_q *q);

/* ||rgrad g(W)|| / ||egrad g(W)||, 0 where g is constant; q->gradient receives
 * rgrad g(W) */
double rs_q_residual(const double *C, const double *W, const double *SW,
                     rs_q *q);
/* g(W) */
double rs_q_value(const rs_q *q, const double *W, const double *SW);

#endif
