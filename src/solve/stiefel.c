#include "solve/stiefel.h"

#include <math.h>

/* below this one a second pass restores full orthonormality */
#define RS_POLAR_SECOND_PASS 1e-3

rs_status rs_stiefel_init(rs_context *ctx, int d, int m, rs_stiefel_ws *ws)
{
    size_t square = (size_t)m * m;
    ws->d = d;
    ws->m = m;
    RS_ALLOC_DOUBLES(ctx, square, &ws->gram, &ws->vectors, &ws->root);
    ws->values = rs_alloc_double(ctx, (size_t)m);
    ws->moved = rs_alloc_double(ctx, (size_t)d * m);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, m, &ws->eigen));
    RS_TRY(rs_qr_init(ctx, d, m, &ws->qr));
    return rs_qr_svd_init(ctx, &ws->qr);
}

/* root = P diag(values^{-1/2}) P' from gram = P diag(values) P' */
static void inverse_root(rs_stiefel_ws *ws)
{
    const int m = ws->m;
    for (int j = 0; j < m; j++) {
        double scale = 1.0 / sqrt(sqrt(ws->values[j]));
        rs_scale((size_t)m, scale, ws->vectors + (size_t)j * m);
    }
    rs_gemm('N', 'T', m, m, m, 1.0, ws->vectors, m, ws->vectors, m, 0.0,
            ws->root, m);
}

/* M = Q R, R = left sigma right': polar(M) = Q left right', any rank */
static rs_status polar_by_qr(double *M, rs_stiefel_ws *ws)
{
    const int m = ws->m;
    RS_TRY(rs_qr_orthonormal(ws->d, m, M, &ws->qr));
    RS_TRY(rs_qr_svd_of_r(m, &ws->qr));
    rs_matmul(m, m, m, ws->qr.left, ws->qr.rightT, ws->root);
    rs_matmul(ws->d, m, m, M, ws->root, ws->moved);
    rs_copy((size_t)ws->d * m, ws->moved, M);
    return RS_OK;
}

rs_status rs_stiefel_polar(double *M, rs_stiefel_ws *ws)
{
    const int m = ws->m;
    double ratio = 0.0;
    for (int pass = 0; pass < 2 && ratio < RS_POLAR_SECOND_PASS; pass++) {
        rs_gram(ws->d, m, M, ws->gram);
        if (!rs_all_finite((size_t)m * m, ws->gram))
            return RS_NOT_FINITE;
        RS_TRY(rs_eigen_largest(m, ws->gram, m, ws->values, ws->vectors,
                                &ws->eigen));
        ratio = ws->values[0] > 0.0 ? ws->values[m - 1] / ws->values[0] : 0.0;
        if (ratio < RS_NOTHING)
            return polar_by_qr(M, ws);
        inverse_root(ws);
        rs_matmul(ws->d, m, m, M, ws->root, ws->moved);
        rs_copy((size_t)ws->d * m, ws->moved, M);
    }
    return RS_OK;
}

void rs_stiefel_sym_product(const double *A, const double *B, double *out,
                            rs_stiefel_ws *ws)
{
    rs_crossprod(ws->d, ws->m, ws->m, A, B, out);
    rs_symmetrise(ws->m, out);
}

void rs_stiefel_project(const double *W, double *M, rs_stiefel_ws *ws)
{
    rs_stiefel_sym_product(W, M, ws->root, ws);
    rs_gemm('N', 'N', ws->d, ws->m, ws->m, -1.0, W, ws->d, ws->root, ws->m,
            1.0, M, ws->d);
}
