/*
 * base/softtop.h: smooth stand-ins for the sum of the k largest of some numbers.
 * Weights in [0, 1] that sum to k say how much of each is in it: they are the
 * gradient.
 */
#ifndef RS_SOFTTOP_H
#define RS_SOFTTOP_H

#include <stddef.h>

/*
 * min over v of k v + sum_i width log(1 + exp((x_i - v) / width)), which is
 * above the sum of the k largest and near it for a small width, 0 < k < count.
 * v comes in as a guess and goes out as the minimiser.
 */
double rs_softtop_log(size_t count, const double *x, double k, double width,
                      double *weight, double *v);

/*
 * max over weights of sum_i w_i x_i - width / 2 sum_i w_i^2, which is below
 * the sum of the k largest by k width / 2 at most: w_i = (x_i - v) / width
 * within [0, 1]. All ones for k >= count. v as above.
 */
double rs_softtop_square(size_t count, const double *x, double k, double width,
                         double *weight, double *v);

#endif
