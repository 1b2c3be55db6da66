/*
 * base/random.h: numbers that look random and are always the same, so that no
 * answer depends on the state of a generator. What is random in a method is
 * drawn in R.
 */
#ifndef RS_RANDOM_H
#define RS_RANDOM_H

#include <stddef.h>

/* number `index` of a fixed sequence in (-1, 1) */
double rs_quasi_number(size_t index);
/* the same as a whole number, 0 ... count - 1 */
int rs_quasi_below(int count, size_t index);
/* vector number `draw` of the sequence cut into vectors of `count` */
void rs_quasi_random(size_t count, size_t draw, double *out);

#endif
