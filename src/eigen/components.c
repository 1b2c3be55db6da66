#include "eigen/leading.h"

#include <math.h>

#include "la/linalg.h"

/* with the eigenpairs (l, b) of V'SV the sum of ||S V b||^2 / l */
rs_status rs_components_share(rs_covop *op, int m, const double *V,
                              double *share)
{
    const int d = op->d;
    double *SV, *product, *inner, *vectors, *values, carried = 0.0;
    rs_eigen_ws eigen;
    RS_ALLOC_DOUBLES(op->ctx, (size_t)d * m, &SV, &product);
    RS_ALLOC_DOUBLES(op->ctx, (size_t)m * m, &inner, &vectors);
    values = rs_alloc_double(op->ctx, (size_t)m);
    RS_TRY(rs_allocated(op->ctx));
    RS_TRY(rs_eigen_init(op->ctx, m, &eigen));
    RS_TRY(rs_covop_apply(op, m, V, SV));
    rs_crossprod(d, m, m, V, SV, inner);
    rs_symmetrise(m, inner);
    RS_TRY(rs_eigen_largest(m, inner, m, values, vectors, &eigen));
    rs_matmul(d, m, m, SV, vectors, product);
    for (int j = 0; j < m && values[j] > RS_NOTHING * fmax(0.0, values[0]);
         j++)
        carried +=
            rs_sum_squares((size_t)d, product + (size_t)j * d) / values[j];
    *share = op->trace > 0.0 ? fmin(1.0, carried / op->trace) : 0.0;
    return rs_poll(op->ctx);
}
