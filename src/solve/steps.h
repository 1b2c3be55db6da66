/*
 * solve/steps.h: rules for steps, and a term of objectives.
 */
#ifndef RS_STEPS_H
#define RS_STEPS_H

#include <math.h>
#include <stddef.h>

/* sufficient decrease: this share of what the slope predicts (Armijo) */
#define RS_DECREASE 1e-4

/* Nesterov's sequence, 1 at a start, and the weight of an extrapolation that
 * belongs to it. */
static inline double rs_momentum_next(double t)
{
    return 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
}

static inline double rs_momentum_weight_at(double t)
{
    return (t - 1.0) / rs_momentum_next(t);
}

/* ||G - I||^2 for G (c x c), the Gram matrix of F: how far its columns are from
 * being orthonormal */
static inline double rs_orthonormality_gap(int c, const double *G)
{
    double sum = 0.0;
    for (int a = 0; a < c; a++)
        for (int b = 0; b < c; b++) {
            const double off = G[a + (size_t)b * c] - (a == b);
            sum += off * off;
        }
    return sum;
}

#endif
