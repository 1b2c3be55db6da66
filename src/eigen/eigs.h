/*
 * eigen/eigs.h: leading eigenpairs of a symmetric operator known by its
 * products, by Rayleigh-Ritz on a growing basis (eigen/eigs_steps.h).
 */
#ifndef RS_EIGS_H
#define RS_EIGS_H

#include "eigen/eigs_steps.h"

/*
 * The `wanted` algebraically largest eigenpairs of the symmetric operator
 * `apply`: values descending, eigenvectors in the columns of V (d x wanted).
 * `start` (d x nstart, nstart <= wanted) warm-starts the search, NULL draws a
 * fixed quasi-random block, so that the answer never depends on a generator.
 * Stops when every residual ||A v - theta v|| <= tol * max |theta|.
 * Returns RS_OK or RS_MAXIT (the best pairs found); *residual is the largest
 * relative residual.
 */
rs_status rs_eigs_largest(rs_apply_fn apply, void *state, int nstart,
                          const double *start, double tol, int maxit,
                          double *values, double *V, double *residual,
                          rs_eigs_ws *ws);

#endif
