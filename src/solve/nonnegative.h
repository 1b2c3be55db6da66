/*
 * solve/nonnegative.h: the multiplicative step on a matrix F >= 0. Where the
 * gradient of a smooth objective is `plus - minus`, both >= 0,
 *
 *     F <- F o (minus / plus)^e
 *
 * keeps F >= 0 and lowers the objective: with e = 1 where it is quadratic in
 * F, with e = 1/2 where it has a term ||F'F - I||^2 as well (e = 1 oscillates
 * there). An entry of zero stays zero.
 */
#ifndef RS_NONNEGATIVE_H
#define RS_NONNEGATIVE_H

#include <stddef.h>

/* F, plus, minus: `count` numbers; a factor is at most RS_NONNEGATIVE_MOST,
 * also where plus is 0 */
#define RS_NONNEGATIVE_MOST 1e8
void rs_nonnegative_step(size_t count, const double *minus, const double *plus,
                         double exponent, double *F);

/* ||G - I||^2 for G (c x c), the Gram matrix of F: how far its columns are from
 * being orthonormal */
double rs_orthonormality_gap(int c, const double *G);

#endif
