/*
 * solve/lars.h: paths of the lasso
 *
 *     min  ||y - Z a||^2 / 2 + lambda ||a||_1
 *
 * from lambda = max_j |z_j'y| downwards, by least angle regression with drops
 * (Efron, Hastie, Johnstone and Tibshirani, 2004): exact, one feature enters
 * or leaves at a time. A path ends where one feature more than `size` would
 * enter, or at lambda = 0.
 *
 * Several responses move step by step together, so that one product with the
 * data serves them all.
 */
#ifndef RS_LARS_H
#define RS_LARS_H

#include "data/data.h"

typedef struct {
    int size;     /* active features at the end, at most */
    double ridge; /* added to the Gram matrix of the active features, not to
                   * the correlations: 0 for the lasso */
} rs_lars_settings;

/* room of the caller: d x m, or m numbers */
typedef struct {
    double *coefficients; /* d x m */
    double *pull;         /* d x m: |z_j'(y - Z a)| / lambda, 1 for the active
                           * ones; where the path ends with lambda = 0, at the
                           * last event before */
    double *lambda;       /* m */
    int *steps;           /* m: features that entered or left */
} rs_lars_fit;

/*
 * Y (n x m), m <= X->block. A feature that depends linearly on the active ones
 * never joins them. Of features that tie, the one with the larger norm enters
 * first, then the smaller index; the path is the same whichever does. RS_MAXIT
 * where features kept coming and going.
 */
rs_status rs_lars(rs_context *ctx, rs_data *X, int m, const double *Y,
                  const rs_lars_settings *settings, rs_lars_fit *fit);

#endif
