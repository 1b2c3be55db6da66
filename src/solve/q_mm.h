/*
 * solve/q_mm.h: W <- polar(2 S W + C) for problem (Q), a descent step for a
 * positive semidefinite S (generalised power iteration; Nie, Zhang, Li 2017).
 */
#ifndef RS_Q_MM_H
#define RS_Q_MM_H

#include "solve/qproblem.h"

/* with maxit = 1 the one step is taken without a look at the residual */
rs_status rs_q_mm(rs_q_run *run);

#endif
