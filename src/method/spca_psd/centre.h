/*
 * method/spca_psd/centre.h: the best centre for a given Omega, which is the
 * geometric median of its residuals (method/spca_psd/median.h).
 */
#ifndef RS_SPCA_CENTRE_H
#define RS_SPCA_CENTRE_H

#include "method/spca_psd/model.h"

/*
 * The centre that minimises the sum of the row norms for residuals whose
 * coordinates U (n x q) are given, in any orthonormal basis; residual_square (n)
 * follows, if it falls.
 */
rs_status rs_spca_best_centre(const rs_spca *pr, int q, const double *U,
                              double *residual_square, rs_spca_centre *centre);
/* the same at a point, where the centre is free; sets fit->objective */
rs_status rs_spca_centre_point(const rs_spca *pr, rs_spca_point *at,
                               rs_spca_fit *fit);

#endif
