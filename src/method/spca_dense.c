#include <math.h>

#include "la/linalg.h"
#include "method/spca_dense.h"
#include "method/spca_model.h"
#include "method/spca_ridge.h"

rs_status rs_spca_dense_init(rs_spca *pr, rs_spca_dense_ws *ws)
{
    size_t square = (size_t)pr->d * pr->d;
    ws->S = rs_alloc_double(pr->ctx, square);
    RS_TRY(rs_ridge_init(pr->ctx, pr->d, &ws->system));
    ws->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    ws->values = rs_alloc_double(pr->ctx, (size_t)pr->d);
    RS_TRY(rs_allocated(pr->ctx));
    ws->fixed = pr->loss == RS_LOSS_FROBENIUS;
    if (ws->fixed)
        RS_TRY(rs_spca_scatter(pr, NULL, NULL, NULL, ws->S));
    return rs_eigen_init(pr->ctx, pr->d, &ws->eigen);
}

/*
 * With N = (S_T + diag(c))^{-1}, S_T N = I - diag(c) N, so
 * sym(Omega_half) = I - N * ((c_i + c_j + eta) / 2), element by element.
 */
static rs_status half_step(const rs_spca *pr, const double *c,
                           rs_spca_dense_ws *ws)
{
    const int d = pr->d;
    double *M = ws->system.A;
    rs_copy((size_t)d * d, ws->S, M);
    RS_TRY(rs_ridge_factor(d, c, &ws->system));
    RS_TRY(rs_poll(pr->ctx));
    RS_TRY(rs_cholesky_inverse(d, M));
    for (int j = 0; j < d; j++) {
        double *column = M + (size_t)j * d;
        for (int i = 0; i < d; i++)
            column[i] *= -0.5 * (c[i] + c[j] + pr->eta);
        column[j] += 1.0;
    }
    return rs_poll(pr->ctx);
}

rs_status rs_spca_dense_step(rs_spca *pr, const double *c, rs_spca_point *at,
                             rs_spca_dense_ws *ws)
{
    if (!ws->fixed)
        RS_TRY(rs_spca_scatter(pr, at->t, ws->half, ws->values, ws->S));
    RS_TRY(half_step(pr, c, ws));
    RS_TRY(rs_eigen_above(pr->d, ws->system.A, RS_SPCA_RANK_TOL, &at->r,
                          ws->values, at->F, &ws->eigen));
    for (int k = 0; k < at->r; k++)
        rs_scale((size_t)pr->d, sqrt(ws->values[k]),
                 at->F + (size_t)k * pr->d);
    return RS_OK;
}
