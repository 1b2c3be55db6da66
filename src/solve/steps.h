/*
 * solve/steps.h: two rules for the length of a step.
 */
#ifndef RS_STEPS_H
#define RS_STEPS_H

#include <math.h>
#include <stddef.h>

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

/*
 * The multiplicative step on a matrix F >= 0. Where the
 * gradient of a smooth objective is `plus - minus`, both >= 0,
 *
 *     F <- F o (minus / plus)^e
 *
 * keeps F >= 0 and lowers the objective: with e = 1 where it is quadratic in
 * F, with e = 1/2 where it has a term ||F'F - I||^2 as well (e = 1 oscillates
 * there). An entry of zero stays zero.
 *
 * F, plus, minus: `count` numbers; a factor is at most RS_NONNEGATIVE_MOST,
 * also where plus is 0
 */
#define RS_NONNEGATIVE_MOST 1e8
void rs_nonnegative_step(size_t count, const double *minus, const double *plus,
                         double exponent, double *F);

/* ||G - I||^2 for G (c x c), the Gram matrix of F: how far its columns are from
 * being orthonormal */
double rs_orthonormality_gap(int c, const double *G);

#endif
