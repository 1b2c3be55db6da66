/*
 * solve/qsolve.h: problem (Q) of solve/qproblem.h by one of its three
 * interchangeable solvers:
 *     mm     W <- polar(2 S W + C), a descent step for positive semidefinite S
 *            (generalised power iteration; Nie, Zhang, Li 2017)
 *     rtr    Riemannian trust region with truncated conjugate gradients
 *            (Absil, Baker, Gallivan 2007)
 *     pencf  exact-penalty first-order method with Barzilai-Borwein steps
 *            (Xiao, Liu, Yuan 2022)
 */
#ifndef RS_QSOLVE_H
#define RS_QSOLVE_H

#include "solve/q_pencf.h"
#include "solve/q_rtr.h"
#include "solve/qproblem.h"

typedef enum { RS_Q_MM = 0, RS_Q_RTR = 1, RS_Q_PENCF = 2 } rs_q_method;

typedef struct {
    rs_q_method method;
    rs_q_limits limits;
} rs_q_control;

typedef struct {
    int iterations;  /* of the solver's own loop */
    double value;    /* g(W) at the end */
    double residual; /* ||rgrad g|| / ||egrad g|| at the end */
} rs_q_info;

/* the workspace of one method; mm needs the base alone */
typedef struct {
    rs_q_base base;
    rs_q_rtr_ws rtr;
    rs_q_pencf_ws pencf;
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

#endif
