/*
 * solve/momentum.h: Nesterov's sequence, 1 at a start, and the weight of an
 * extrapolation that belongs to it.
 */
#ifndef RS_MOMENTUM_H
#define RS_MOMENTUM_H

#include <math.h>

static inline double rs_momentum_next(double t)
{
    return 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
}

static inline double rs_momentum_weight_at(double t)
{
    return (t - 1.0) / rs_momentum_next(t);
}

#endif
