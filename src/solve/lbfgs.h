/*
 * solve/lbfgs.h: minimisation of a smooth function by the quasi-Newton method
 * with limited memory: the inverse Hessian is made of the last changes of the
 * point and of the gradient. Steps satisfy the weak Wolfe conditions.
 */
#ifndef RS_LBFGS_H
#define RS_LBFGS_H

#include "base/core.h"

/* value and gradient at x */
typedef rs_status (*rs_smooth_fn)(void *state, const double *x, double *value,
                                  double *gradient);

typedef struct {
    size_t size;
    rs_smooth_fn smooth;
    void *state;
    int evaluations;      /* at most; the one at the start counts */
    double tol;           /* stop where the steps of the window lower the
                            * value by less than this share of it */
    const double *metric; /* size, positive: the inverse Hessian's diagonal up
                           * to a factor */
} rs_lbfgs_problem;

/* pairs that are kept, and values that are looked back on */
enum { RS_LBFGS_MEMORY = 8, RS_LBFGS_WINDOW = 15 };

typedef struct {
    rs_context *ctx;
    int count, next;                                       /* of the pairs */
    double *gradient, *direction, *trial, *trial_gradient; /* size */
    double *steps, *changes; /* size x RS_LBFGS_MEMORY */
    double curvature[RS_LBFGS_MEMORY], weight[RS_LBFGS_MEMORY];
    double past[RS_LBFGS_WINDOW];
    double value;    /* at the end */
    int evaluations; /* done */
    int steps_taken;
} rs_lbfgs;

rs_status rs_lbfgs_init(rs_context *ctx, size_t size, rs_lbfgs *ws);
/*
 * x (start and end) is lowered until one of the limits: RS_OK where the value stands,
 * RS_MAXIT after all evaluations, RS_STALLED where no step lowers it.
 */
rs_status rs_lbfgs_minimise(const rs_lbfgs_problem *problem, double *x,
                            rs_lbfgs *ws);

#endif
