/*
 * solve/qproblem.h: the sub-problem on the Stiefel manifold that the PCA-type
 * methods share,
 *
 *     min  g(W) = -tr(W'SW) - <W, C>   subject to  W'W = I_m,          (Q)
 *
 * and what its solvers (solve/q_mm.h, q_rtr.h, q_pencf.h) have in common.
 * solve/qsolve.h picks one of them.
 */
#ifndef RS_QPROBLEM_H
#define RS_QPROBLEM_H

#include "data/covop.h"
#include "solve/stiefel.h"

typedef struct {
    rs_covop *op;
    int d, m;
    const double *C; /* d x m */
} rs_q_problem;

typedef struct {
    double tol; /* on ||rgrad g|| / ||egrad g|| */
    int maxit;
} rs_q_limits;

/* the workspace that every solver needs */
typedef struct {
    rs_stiefel_ws stiefel;
    double *gradient; /* d x m */
} rs_q_base;

/* what a solver works on; it begins and ends with W'W = I */
typedef struct {
    const rs_q_problem *problem;
    rs_q_limits limits;
    double *W, *SW; /* d x m: the start, and the end; S W */
    rs_q_base *base;
    int iterations; /* of the solver's own loop */
} rs_q_run;

rs_status rs_q_base_init(rs_context *ctx, int d, int m, rs_q_base *base);

/* g(W) = -<W, S W> - <W, C> */
double rs_q_value(const rs_q_problem *problem, const double *W,
                  const double *SW);
/* out = egrad g(W) = -2 S W - C */
void rs_q_gradient(const rs_q_problem *problem, const double *SW, double *out);
/* ||rgrad g(W)|| / ||egrad g(W)||, 0 where g is constant; base->gradient
 * receives rgrad g(W) */
double rs_q_residual(const rs_q_problem *problem, const double *W,
                     const double *SW, rs_q_base *base);
/* the unit of g: the mean of the diagonal of S; without S the size of C */
double rs_q_unit(const rs_q_problem *problem);

#endif
