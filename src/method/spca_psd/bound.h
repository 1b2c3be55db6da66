/*
 * method/spca_psd/bound.h: a lower bound of the optimum from the multipliers of a
 * point, by the smallest eigenvalue of the dual slack.
 */
#ifndef RS_SPCA_BOUND_H
#define RS_SPCA_BOUND_H

#include "method/spca_psd/slack.h"

/*
 * A lower bound of the optimum from the weights t of the point and
 * Z = F B' + diag(extra), whose columns must not be longer than lambda
 * (B = lambda D F where the norms are differentiable; extra >= 0, or NULL, may
 * be positive where row j of F is zero); the smallest eigenvalue of the dual
 * slack M, and the eigenvectors (d x *count, at most `room`) of eigenvalues
 * below `below` * (lambda + eta).
 */
rs_status rs_spca_bound(const rs_spca *pr, const rs_spca_point *at,
                        const double *B, const double *extra, double below,
                        int room, int *count, double *vectors,
                        rs_spca_fit *fit, rs_spca_slack *ws);
/* bound, objective and first-order residual of a point by itself, with
 * B = lambda D F; refreshes the weights */
rs_status rs_spca_bound_point(const rs_spca *pr, rs_spca_point *at,
                              rs_spca_fit *fit);

#endif
