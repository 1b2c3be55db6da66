/*
 * method/spca_psd/median.h: the free centre as a function of Omega.
 *
 * With v = (I - Omega) c the residuals are r_i = u_i - v, u_i = (I - Omega) x_i,
 * and the smoothed loss sum_i (||r_i||^2 + floor)^{1/2} is convex in v. The exact
 * solver minimises over F what remains when v is the best one, so that its
 * steps take the centre along.
 */
#ifndef RS_SPCA_MEDIAN_H
#define RS_SPCA_MEDIAN_H

#include "method/spca_psd/spca_psd.h"

typedef struct {
    double *R;              /* n x d: residuals */
    double *square;         /* n: ||r_i||^2 */
    double *t, *cube;       /* n: (||r_i||^2 + floor)^{-1/2}, its cube */
    double total;           /* sum of t */
    double *sample;         /* n, scratch */
    double *z, *g, *p, *Hp; /* d */
} rs_spca_median;

rs_status rs_spca_median_init(rs_spca *pr, rs_spca_median *ws);
/* the residuals of a point that was measured at the present centre, and t */
rs_status rs_spca_median_at(rs_spca *pr, const rs_spca_point *at, double floor,
                            rs_spca_median *ws);
/* the centre of the problem becomes the best one for Omega, by Newton's method
 * in v; the point is measured there */
rs_status rs_spca_median_settle(rs_spca *pr, double floor, rs_spca_point *at,
                                rs_spca_median *ws);
/*
 * w (n): how the weights t change when Omega changes and v stays; becomes how
 * they change with the best v: dv = H^{-1} R'w, w_i += t_i^3 r_i'dv, where
 * H = sum_i t_i I - t_i^3 r_i r_i'.
 */
rs_status rs_spca_median_follow(rs_spca *pr, double *w, rs_spca_median *ws);

#endif
