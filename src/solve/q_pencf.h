/*
 * solve/q_pencf.h: PenCF for (Q), the exact-penalty first-order method of
 * Xiao, Liu and Yuan (2022). The iterate leaves the manifold, stays in a ball,
 * and is brought back by the polar factor at the end.
 */
#ifndef RS_Q_PENCF_H
#define RS_Q_PENCF_H

#include "solve/qproblem.h"

typedef struct {
    double *direction;               /* d x m: D(W) */
    double *last_W, *last_direction; /* d x m */
    double *start, *Sstart;          /* d x m: W and S W on entry */
    double *multiplier;              /* m x m: sym(W' egrad) */
    double *excess;                  /* m x m: W'W - I */
} rs_q_pencf_ws;

rs_status rs_q_pencf_init(rs_context *ctx, int d, int m, rs_q_pencf_ws *ws);
/* RS_STALLED gives the start back */
rs_status rs_q_pencf(rs_q_run *run, rs_q_pencf_ws *ws);

#endif
