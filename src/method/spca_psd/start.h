/*
 * method/spca_psd/start.h: points to start from, by principal components of the
 * data and by the caller's weights.
 */
#ifndef RS_SPCA_START_H
#define RS_SPCA_START_H

#include "method/spca_psd/model.h"

/*
 * Eigenvalues of S_T = Xc' diag(t/2) Xc above `above`, descending, with
 * orthonormal eigenvectors V (d x *count): pr->leading where these are all,
 * otherwise from the n x n or the d x d matrix, whichever is smaller.
 */
rs_status rs_spca_components(const rs_spca *pr, const double *t, double above,
                             int *count, const double **values,
                             const double **V);

/* squares, trace and weights of Omega = diag(w); F is not set */
void rs_spca_point_diagonal(const rs_spca *pr, const double *w,
                            const rs_spca_floors *floors, rs_spca_point *at);
/* unit weights D = 2; t = 2, or 1/||x_i|| for the l21 loss with centre 0 */
void rs_spca_point_unit(const rs_spca *pr, const rs_spca_floors *floors,
                        rs_spca_point *at);
/* the weights of Omega = F F' for the given F (d x r) */
rs_status rs_spca_point_factor(const rs_spca *pr, int r, const double *F,
                               const rs_spca_floors *floors,
                               rs_spca_point *at);
/* F = V diag(sqrt((s - eta/2) / (s + (lambda/2) sqrt(d/r)))) from the
 * eigenpairs (s, V) of S_T above eta/2; allocates the point */
rs_status rs_spca_point_pca(const rs_spca *pr, rs_spca_point *at);
/*
 * Under the sum of row norms, where that lowers the objective, Omega becomes
 * the best of the projectors onto leading right singular vectors of the data.
 * That onto all of them, which leaves no residual, is the optimum for small
 * penalties.
 */
rs_status rs_spca_try_projector(const rs_spca *pr, rs_spca_point *at,
                                int *taken);

#endif
