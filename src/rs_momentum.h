/*
 * rs_momentum.h: Nesterov's extrapolation for the MM step of problem (Q).
 *
 * The step is W <- polar(M) with M = 2 S W + C. Extrapolating M itself,
 * M + weight (M - M_last), moves with the momentum of the whole point that C
 * was made of, and costs no product with S. The caller checks the descent and
 * falls back to the plain step.
 */
#ifndef RS_MOMENTUM_H
#define RS_MOMENTUM_H

#include "rs_core.h"

typedef struct {
    size_t size;
    double t;                         /* Nesterov's sequence, 1 at a start */
    double *argument, *last_argument; /* M, M_last */
} rs_momentum;

rs_status rs_momentum_init(rs_context *ctx, size_t size, rs_momentum *mom);
/* (t - 1) / t_next: zero on the first step and after rs_momentum_stop() */
double rs_momentum_weight(const rs_momentum *mom);
/* C += weight (M - M_last); remembers M */
void rs_momentum_extrapolate(double weight, const double *SW, double *C,
                             rs_momentum *mom);
/* go on with the step just taken; `accepted` is 0 after a fall back */
void rs_momentum_advance(int accepted, rs_momentum *mom);

#endif
