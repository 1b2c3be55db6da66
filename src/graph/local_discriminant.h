/*
 * graph/local_discriminant.h: how badly linear functions of the samples
 * separate them within neighbourhoods (Yang et al., 2011). Neighbourhood i
 * holds sample i and its q nearest; with their rows X_i centred, Z_i = C X_i,
 * C = I - 11'/(q + 1),
 *
 *     N = sum_i E_i C (Z_i Z_i' + lambda I)^{-1} C E_i',
 *
 * E_i scattering the q + 1 numbers into n. The matrix in brackets belongs to
 * the samples, not to the features, whichever are fewer: it serves any d. N is
 * positive semidefinite, N1 = 0, and kept as its n dense pieces.
 */
#ifndef RS_LOCAL_DISCRIMINANT_H
#define RS_LOCAL_DISCRIMINANT_H

#include "graph/neighbours.h"

typedef struct {
    int n, size;    /* size: q + 1 */
    int *index;     /* size x n: the members, sample i the first of the i-th */
    double *piece;  /* size x size x n */
    double scatter; /* mean of tr(Z_i Z_i') / q */
    double *values; /* size: scratch of products */
    rs_context *ctx;
} rs_local_discriminant;

/* the pieces Z_i Z_i', and the scatter */
rs_status rs_local_gather(rs_context *ctx, rs_data *X,
                          const rs_neighbours *near, int q,
                          rs_local_discriminant *N);
/* the pieces C (Z_i Z_i' + lambda I)^{-1} C, lambda > 0 */
rs_status rs_local_invert(double lambda, rs_local_discriminant *N);
/* NV = N V, both n x m; an rs_apply_fn */
rs_status rs_local_apply(void *N, int m, const double *V, double *NV);

#endif
