/*
 * solve/palm.h: proximal alternating minimisation over W'W = I_m and two
 * copies of W that carry the penalties,
 *
 *     f(W, U_1, U_2) = -tr(W'SW) + sum_i (h_i(U_i) + beta_i/2 ||W - U_i||^2).
 *
 * A round takes W from problem (Q) with C = sum_i beta_i U_i + tau W, and then
 * every copy as the proximal point of h_i that belongs to
 *     (beta_i W + rho_i U_i) / (beta_i + rho_i),   rho_i = inertia_i beta_i,
 * so that it cannot rise. With M = 2 S W + C the W step of the solver "mm" is
 * polar(M): extrapolating M, M + weight (M - M_last), moves with the momentum of
 * the whole point and costs no product with S. A round is first tried so, and
 * again without where f falls short of the decrease that the plain one
 * guarantees.
 */
#ifndef RS_PALM_H
#define RS_PALM_H

#include "base/history.h"
#include "data/covop.h"
#include "solve/stiefel.h"
#include "solve/tcg.h"

/*
 * The sub-problem on the Stiefel manifold that the PCA-type methods
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
    const double *W;           /* the point at hand of rtr */
    double *small;             /* m x m: sym(W' egrad), or W'W - I */
    double *start, *Sstart;    /* d x m: W and S W on entry */
    double *other, *direction; /* d x m: another W, and its S W or gradient */
    rs_tcg_ws tcg;
    int iterations; /* of the last solution's own loop */
    int rejected;   /* solutions of pencf that rose, and were replaced */
} rs_q;

rs_status rs_q_init(rs_context *ctx, rs_covop *op, int m, rs_q_method method,
                    rs_q *q);

/*
 * Improve W (orthonormal, d x m) for C. SW = S W on entry and on return. The
 * value g never rises: pencf that ends above its start takes a step of mm from
 * there. RS_OK, RS_MAXIT and RS_STALLED are usable. With maxit = 1 mm takes its
 * step without a look at the residual.
 */
rs_status rs_q_solve(const rs_q_control *control, const double *C, double *W,
                     double *SW, rs_q *q);

/* ||rgrad g(W)|| / ||egrad g(W)||, 0 where g is constant; q->gradient receives
 * rgrad g(W) */
double rs_q_residual(const double *C, const double *W, const double *SW,
                     rs_q *q);
/* g(W) */
double rs_q_value(const rs_q *q, const double *W, const double *SW);

#define RS_PALM_COPIES 2

typedef struct {
    double *U;      /* d x m */
    int is_active;  /* 0: U = W, without penalty or coupling */
    double beta;    /* coupling */
    double inertia; /* proximal weight of its step, relative to beta */
    void *state;    /* of the callbacks */
    /* U <- argmin h(U') + weight/2 ||U' - U||^2, and h there */
    rs_status (*prox)(void *state, double weight, double *U, double *h);
    /* how far U is from stationary at W; NULL: the distance between U and the
     * proximal point of W */
    double (*gap)(void *state, const double *W, const double *U);
} rs_palm_copy;

typedef struct {
    double tau;         /* proximal weight of the W step */
    rs_q_control inner; /* its solver */
    int extrapolates;   /* try extrapolated rounds? */
    double
        tol; /* on the change of f, relative to it or to the mean variance */
    int maxit;
} rs_palm_settings;

typedef struct {
    rs_history history;   /* f */
    double kkt;           /* first-order residual, relative */
    int inner_iterations; /* summed over the W steps */
    int rejected;         /* W steps that rose and were replaced */
} rs_palm_fit;

/*
 * W (d x m, orthonormal) is the start and receives the end, as do the copies.
 * RS_OK: f is flat and kkt within rs_residual_limit(); RS_STALLED: f stands
 * at a point that is not stationary.
 */
rs_status rs_palm(rs_context *ctx, rs_covop *op, int m,
                  const rs_palm_settings *settings, double *W,
                  const rs_palm_copy *copies, rs_palm_fit *fit);

#endif
