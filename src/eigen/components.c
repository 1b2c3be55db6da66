#include "eigen/components.h"

#include <math.h>

rs_status rs_components_init(rs_context *ctx, rs_covop *op, int m,
                             rs_components_ws *ws)
{
    ws->op = op;
    ws->m = m;
    RS_ALLOC_DOUBLES(ctx, (size_t)op->d * m, &ws->SV, &ws->product);
    RS_ALLOC_DOUBLES(ctx, (size_t)m * m, &ws->inner, &ws->vectors);
    ws->values = rs_alloc_double(ctx, (size_t)m);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, m, &ws->eigen);
}

/* with the eigenpairs (l, b) of V'SV the sum of ||S V b||^2 / l */
rs_status rs_components_share(const double *V, double *share,
                              rs_components_ws *ws)
{
    const int m = ws->m, d = ws->op->d;
    double carried = 0.0;
    RS_TRY(rs_covop_apply(ws->op, m, V, ws->SV));
    rs_crossprod(d, m, m, V, ws->SV, ws->inner);
    rs_symmetrise(m, ws->inner);
    RS_TRY(rs_eigen_largest(m, ws->inner, m, ws->values, ws->vectors,
                            &ws->eigen));
    rs_matmul(d, m, m, ws->SV, ws->vectors, ws->product);
    for (int j = 0; j < m && ws->values[j] > 0.0 &&
                    ws->values[j] > RS_NOTHING * ws->values[0];
         j++)
        carried += rs_sum_squares((size_t)d, ws->product + (size_t)j * d) /
                   ws->values[j];
    *share = ws->op->trace > 0.0 ? fmin(1.0, carried / ws->op->trace) : 0.0;
    return rs_poll(ws->op->ctx);
}
