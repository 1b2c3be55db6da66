/*
 * method/spca_sharpen.h: a better lower bound for a point that another
 * iteration left behind, and under the sum of row norms a better point. The dual
 * point that follows from it is far from tight, so some steps of the exact
 * solver from there give the bound.
 */
#ifndef RS_SPCA_SHARPEN_H
#define RS_SPCA_SHARPEN_H

#include "method/spca_psd.h"

/* steps of the exact solver that find the bound of another iteration's point */
rs_spca_exact_settings rs_spca_bound_settings(double gap, double flops);
/*
 * fit->bound and fit->margin, where steps to the relative `gap` find better
 * ones. Their work is a few times fit->flops, and `least_flops` at least. A
 * failure of the steps leaves what there is. With `finish` the point is where
 * they end, if the objective is lower there: one iteration more.
 */
rs_status rs_spca_sharpen(rs_spca *pr, rs_spca_point *at, double gap,
                          double least_flops, int finish, rs_spca_fit *fit);

#endif
