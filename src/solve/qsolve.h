/*
 * solve/qsolve.h: the sub-problem on the Stiefel manifold that the PCA-type
 * methods share,
 *
 *     min  g(W) = -tr(W'SW) - <W, C>   subject to  W'W = I_m,          (Q)
 *
 * and its three interchangeable solvers:
 *     mm     W <- polar(2 S W + C), a descent step for positive semidefinite S
 *            (generalised power iteration; Nie, Zhang, Li 2017)
 *     rtr    Riemannian trust region with truncated conjugate gradients
 *            (Absil, Baker, Gallivan 2007)
 *     pencf  exact-penalty first-order method with Barzilai-Borwein steps
 *            (Xiao, Liu, Yuan 2022)
 */
#ifndef RS_QSOLVE_H
#define RS_QSOLVE_H

#include "data/covop.h"
#include "solve/stiefel.h"

typedef enum { RS_Q_MM = 0, RS_Q_RTR = 1, RS_Q_PENCF = 2 } rs_q_method;

typedef struct {
    rs_covop *op;
    int d, m;
    const double *C; /* d x m */
} rs_q_problem;

typedef struct {
    rs_q_method method;
    double tol; /* on ||rgrad g|| / ||egrad g|| */
    int maxit;
} rs_q_control;

typedef struct {
    int iterations;  /* of the solver's own loop */
    double value;    /* g(W) at the end */
    double residual; /* ||rgrad g|| / ||egrad g|| at the end */
} rs_q_info;

/* how many d x m blocks a method needs */
#define RS_Q_BLOCKS 9

typedef struct {
    rs_q_method method;
    rs_stiefel_ws stiefel;
    double *blocks[RS_Q_BLOCKS]; /* d x m each; NULL beyond the need */
    double *small[2];            /* m x m each */
} rs_q_ws;

rs_status rs_q_init(rs_context *ctx, int d, int m, rs_q_method method,
                    rs_q_ws *ws);

/*
 * Improve W (orthonormal, d x m). SW = S W on entry and on return. The value
 * g never rises: a solver that ends above its start gives the start back with
 * RS_STALLED. RS_OK, RS_MAXIT and RS_STALLED are usable.
 */
rs_status rs_q_solve(const rs_q_problem *problem, const rs_q_control *control,
                     double *W, double *SW, rs_q_info *info, rs_q_ws *ws);

/* g(W) = -<W, S W> - <W, C> */
double rs_q_value(const rs_q_problem *problem, const double *W,
                  const double *SW);
/* ||rgrad g(W)|| / ||egrad g(W)||, 0 where g is constant */
double rs_q_residual(const rs_q_problem *problem, const double *W,
                     const double *SW, rs_q_ws *ws);

/* the three solvers; rs_q_solve() picks one */
rs_status rs_q_mm(const rs_q_problem *problem, const rs_q_control *control,
                  double *W, double *SW, rs_q_info *info, rs_q_ws *ws);
rs_status rs_q_rtr(const rs_q_problem *problem, const rs_q_control *control,
                   double *W, double *SW, rs_q_info *info, rs_q_ws *ws);
rs_status rs_q_pencf(const rs_q_problem *problem, const rs_q_control *control,
                     double *W, double *SW, rs_q_info *info, rs_q_ws *ws);

/* the unit of g: the mean of the diagonal of S; without S the size of C */
double rs_q_unit(const rs_q_problem *problem);
/* out = egrad g(W) = -2 S W - C */
void rs_q_gradient(const rs_q_problem *problem, const double *SW, double *out);

#endif
