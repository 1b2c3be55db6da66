/*
 * base/near.h: how nearly a feature depends on others, in rungs, each with what
 * may be computed above it.
 *
 * s^2 is the share of its squared length that a feature keeps beside a set. An
 * inner product of unit columns is off by e = (n + c + 16) eps at most
 * (rs_product_error()), 1e-13 for some hundred samples. From such products
 * follow
 *
 *     what the feature adds to the set, off by e / s^2 of itself,
 *     its direction beside the set,     off by e / s,
 *     s^2 itself,                       off by e.
 *
 * In twice the precision, from the data, all of them are good down to the
 * rounding of the data.
 */
#ifndef RS_NEAR_H
#define RS_NEAR_H

/* e / s^2 <= 1e-10, where gains tie: products say all that is asked for */
#define RS_LEFT_PLAIN 1e-3
/* e / s^2 = 1e-8: products find candidates, and do not rank them */
#define RS_LEFT_DOUBTFUL 1e-5
/* e / s = 1e-10: nor does a direction in double precision do, or what a set
 * explains when the response keeps no more; seven digits of s^2 are right */
#define RS_LEFT_MINUTE 1e-6
/* five digits of s^2 are right where both sides of a quotient are rounded:
 * below it a feature depends on the set, as far as products tell */
#define RS_LEFT_SLIGHT 1e-8
/* the same for residuals from the data, in double precision */
#define RS_LEFT_NONE 1e-9
/* s, relative to the column before centring, that is rounding of the data:
 * dependent, in any precision */
#define RS_RESIDUAL_NONE (16.0 * 2.220446049250313e-16)

#endif
