/*
 * method/spca_psd/median.h: the geometric median, smoothed,
 *
 *   min over v (q)   sum_i (||u_i - v||^2 + floor)^{1/2},
 *
 * of the rows u_i of a matrix, and how its weights follow changes, by Newton's
 * method with conjugate gradients.
 */
#ifndef RS_SPCA_MEDIAN_H
#define RS_SPCA_MEDIAN_H

#include "base/core.h"
#include "solve/tcg.h"

typedef struct {
    rs_context *ctx;
    int n, q;
    double *R;        /* n x q: r_i = u_i - v */
    double *square;   /* n: ||r_i||^2 */
    double *t, *cube; /* n: (||r_i||^2 + floor)^{-1/2}, its cube */
    double total;     /* sum of t */
    double *sample;   /* n, scratch */
    double *gradient; /* q */
    rs_tcg_ws cg;
} rs_median;

rs_status rs_median_init(rs_context *ctx, int n, int q, rs_median *ws);
/* the squares and weights of the caller's R; the value */
double rs_median_weigh(double floor, rs_median *ws);
/* R, its squares and weights become those of the median; there sum_i t_i r_i = 0 */
rs_status rs_median_find(double floor, rs_median *ws);
/*
 * w (n): how the weights t change when the rows change and v stays; becomes how
 * they change with the best v: dv = H^{-1} R'w, w_i += t_i^3 r_i'dv, where
 * H = sum_i t_i I - t_i^3 r_i r_i'.
 */
rs_status rs_median_follow(double *w, rs_median *ws);

#endif
