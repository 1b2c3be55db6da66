/*
 * method/spca_psd/start.h: principal components of the weighted data.
 */
#ifndef RS_SPCA_START_H
#define RS_SPCA_START_H

#include "method/spca_psd/spca_psd.h"

/*
 * Eigenvalues of S_T above `above`, descending, with orthonormal eigenvectors
 * V (d x *count): the Ritz pairs of pr->lead where these are all, otherwise
 * from the n x n or the d x d matrix, whichever is smaller.
 */
rs_status rs_spca_components(rs_spca *pr, const double *t, double above,
                             int *count, const double **values,
                             const double **V);

#endif
