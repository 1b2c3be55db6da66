/*
 * method/spca_psd/exact.h: the optimum, to a certified gap, by Newton's method on
 * the factor F.
 *
 * A point with G F = 0 and G >= 0 (method/spca_psd/hessian.h) is the optimum of
 * the convex problem; where G has negative eigenvalues F gains their
 * eigenvectors as columns (Burer and Monteiro; Journee, Bach, Absil and
 * Sepulchre).
 */
#ifndef RS_SPCA_EXACT_H
#define RS_SPCA_EXACT_H

#include <math.h>

#include "method/spca_psd/hessian.h"

/* from the point; RS_OK, RS_MAXIT, RS_STALLED */
rs_status rs_spca_exact(const rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit);

/* the same in its parts, for paths: room for the solver from this point on; set,
 * at and fit stay where they are */
rs_status rs_exact_init(const rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit, rs_exact *s);
/* room for so many more columns behind those of F */
rs_status rs_exact_make_room(rs_exact *s, int extra);
/*
 * The optimum of a problem on the same data with other penalties, from s->at. The
 * smoothing starts at `widening` times the last one: RS_COLD, or less from a
 * point that is near the optimum.
 */
#define RS_COLD INFINITY
rs_status rs_exact_solve(const rs_spca *pr, double widening, rs_exact *s);

#endif
