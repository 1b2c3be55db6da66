/*
 * solve/q_rtr.h: Riemannian trust region for (Q) on the Stiefel manifold,
 * after Absil, Baker and Gallivan (2007): the outer loop knows radius, ratio
 * and acceptance, the inner one is solve/tcg.h on the tangent space.
 */
#ifndef RS_Q_RTR_H
#define RS_Q_RTR_H

#include "solve/qproblem.h"
#include "solve/tcg.h"

typedef struct {
    double *gradient;       /* d x m: Riemannian gradient at W */
    double *curvature;      /* m x m: sym(W' egrad) */
    double *trial, *Strial; /* d x m: the next W, if accepted, and S W */
    rs_tcg_ws tcg;
} rs_q_rtr_ws;

rs_status rs_q_rtr_init(rs_context *ctx, int d, int m, rs_q_rtr_ws *ws);
rs_status rs_q_rtr(rs_q_run *run, rs_q_rtr_ws *ws);

#endif
