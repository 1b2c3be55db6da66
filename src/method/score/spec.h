/*
 * method/score/spec.h: spectral feature selection (Zhao and Liu, 2007). With
 * z_j = D^{1/2}f_j / ||D^{1/2}f_j||, f_j a feature as it was given, and the
 * eigenpairs (value_l, xi_l) of I - D^{-1/2} W D^{-1/2}, xi_1 = D^{1/2}1 the
 * trivial one,
 *
 *     phi1_j = z_j'(I - D^{-1/2} W D^{-1/2})z_j,
 *     phi2_j = phi1_j / (1 - (z_j'xi_1)^2),
 *     phi3_j = sum_l (2 - value_l) (z_j'xi_l)^2,   l = 2, ..., m + 1.
 *
 * phi1 and phi2 are small, phi3 is large for a feature that agrees with the
 * graph.
 */
#ifndef RS_SPEC_H
#define RS_SPEC_H

#include "graph/roughness.h"

typedef enum { RS_SPEC_PHI1, RS_SPEC_PHI2, RS_SPEC_PHI3 } rs_spec_style;

/* the eigenpairs of phi3, U (n x m) those of the symmetric Laplacian */
typedef struct {
    int m;
    const double *values, *U, *degree;
} rs_spec_pairs;

/*
 * phi (d); for a feature that is zero where there are edges the worst value, 2
 * or 0. r: of the centred data X; mean (d): what was taken off, in the units of
 * X. pairs: for phi3, NULL otherwise.
 */
rs_status rs_spec(rs_context *ctx, const rs_data *X, const double *mean,
                  const rs_roughness *r, rs_spec_style style,
                  const rs_spec_pairs *pairs, double *phi);

#endif
