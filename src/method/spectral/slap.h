/*
 * method/spectral/slap.h: local adaptive projection for classes, in the reading of
 * method/spectral/sogfs.h restricted to pairs of samples of the same class,
 *
 *     min  tr(W'Z'LZW) + (alpha / 2) sum_ij a_ij^2 + gamma sum_j ||w_j||,
 *
 * rows of A on the simplex over others of the class, L the Laplacian of
 * (A + A')/2, W'W = I_m. A and W are updated in turn; the objective never
 * rises.
 */
#ifndef RS_SLAP_H
#define RS_SLAP_H

#include "base/history.h"
#include "graph/adaptive.h"
#include "eigen/minor.h"
#include "solve/reweight.h"

typedef struct {
    int m, neighbours;
    double gamma;
    int relative_gamma; /* as in method/spectral/udfs.h */
    double eps;
    double tol;
    int maxit;
    double inner_tol;
    int inner_maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_slap_settings;

typedef struct {
    rs_minor minor; /* W */
    rs_adaptive A;
    double gamma, eps;
    rs_history history;
    double kkt; /* of W */
} rs_slap_fit;

/* label (n): the classes, from 0; square (d): as for rs_minor_init() */
rs_status rs_slap(rs_context *ctx, rs_data *X, const int *label,
                  const double *square, const rs_slap_settings *settings,
                  rs_slap_fit *fit);

#endif
