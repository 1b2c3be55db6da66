#include "method/score/spec.h"

#include <math.h>

#include "la/linalg.h"

/* ||D^{1/2}f||^2 of the feature with its mean */
static double raw_square(const rs_roughness *r, int j, double mean)
{
    const double square =
        r->square[j] + mean * (2.0 * r->sum[j] + mean * r->total);
    return fmax(square, 0.0);
}

/* phi (d) = sum_l (2 - value_l) (f_j'D^{1/2} xi_l)^2; the mean does not count,
 * since D^{1/2}1 is orthogonal to all xi_l */
static rs_status agreement(rs_context *ctx, const rs_data *X,
                           const rs_spec_pairs *pairs, double *phi)
{
    const size_t n = (size_t)X->n, m = (size_t)pairs->m;
    double *Y = rs_alloc_double(ctx, n * m);
    RS_TRY_ALLOC(Y);
    for (size_t l = 0; l < m; l++) {
        const double root = sqrt(fmax(0.0, 2.0 - pairs->values[l]));
        for (size_t i = 0; i < n; i++)
            Y[i + n * l] = root * sqrt(pairs->degree[i]) * pairs->U[i + n * l];
    }
    return rs_data_product_squares(X, pairs->m, Y, phi);
}

rs_status rs_spec(rs_context *ctx, const rs_data *X, const double *mean,
                  const rs_roughness *r, rs_spec_style style,
                  const rs_spec_pairs *pairs, double *phi)
{
    if ((style == RS_SPEC_PHI3) != (pairs != NULL))
        return RS_BAD_INPUT;
    if (pairs)
        RS_TRY(agreement(ctx, X, pairs, phi));
    for (int j = 0; j < X->d; j++) {
        const double square = raw_square(r, j, mean[j]);
        switch (style) {
        case RS_SPEC_PHI1:
            phi[j] = square > 0.0 ? fmin(r->rough[j] / square, 2.0) : 2.0;
            break;
        case RS_SPEC_PHI2:
            phi[j] = rs_relative_roughness(r, j);
            break;
        case RS_SPEC_PHI3:
            phi[j] = square > 0.0 ? fmin(phi[j] / square, 2.0) : 0.0;
        }
    }
    return RS_OK;
}
