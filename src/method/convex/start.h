/*
 * method/convex/start.h: principal components of the data: what the solvers
 * start from, and penalties below which Omega = 0 is not optimal.
 */
#ifndef RS_SPCA_START_H
#define RS_SPCA_START_H

#include "method/convex/model.h"

/*
 * The last step of the set-up for the loss ||R||^2: pr->S, if there are not
 * many more features than samples, and pr->pairs, which serve every eta from
 * this one on.
 */
rs_status rs_spca_prepare(rs_spca *pr);
/*
 * Eigenpairs of S_T = Xc' diag(t/2) Xc that are not zero, descending, from the
 * smaller Gram matrix: values (*count, and what comes behind them), V
 * (d x *count) orthonormal; both are allocated.
 */
rs_status rs_spca_components(const rs_spca *pr, const double *t, int *count,
                             double **values, double **V);
/* F = V diag(sqrt((s - eta/2) / (s + (lambda/2) sqrt(d/r)))) from the pairs
 * (s, V) above eta/2; allocates the point */
rs_status rs_spca_point_pca(const rs_spca *pr, rs_spca_point *at);

/* penalties eta0 + s eta1 on the trace, lambda0 + s lambda1 on the columns */
typedef struct {
    double eta0, eta1, lambda0, lambda1;
} rs_spca_line;

/*
 * A lower bound of the s from which on Omega = 0 is optimal for the penalties
 * of the line (centre 0); the search ends early once it reaches `enough`.
 */
rs_status rs_spca_reach(const rs_spca *pr, const rs_spca_line *line,
                        double enough, double *reach);

#endif
