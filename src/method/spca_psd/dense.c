#include "method/spca_psd/dense.h"

#include <math.h>

#include "method/spca_psd/ridge.h"

rs_status rs_spca_dense_init(const rs_spca *pr, rs_spca_dense_ws *ws)
{
    const size_t square = (size_t)pr->d * pr->d;
    ws->fixed = pr->S;
    ws->S = pr->S ? NULL : rs_alloc_double(pr->ctx, square);
    ws->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    ws->values = rs_alloc_double(pr->ctx, (size_t)pr->d);
    ws->vectors = rs_alloc_double(pr->ctx, square);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_ridge_init(pr->ctx, pr->d, &ws->system));
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
    rs_copy((size_t)d * d, ws->fixed ? ws->fixed : ws->S, M);
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

rs_status rs_spca_dense_step(const rs_spca *pr, const double *c,
                             rs_spca_point *at, rs_spca_dense_ws *ws)
{
    int found;
    if (!ws->fixed)
        RS_TRY(rs_spca_scatter(pr, at->centre.c, at->t, ws->half, ws->values,
                               ws->S));
    RS_TRY(half_step(pr, c, ws));
    RS_TRY(rs_eigen_above(pr->d, ws->system.A, RS_SPCA_RANK_TOL, &found,
                          ws->values, ws->vectors, &ws->eigen));
    return rs_spca_point_from_pairs(pr, found, ws->values, ws->vectors, at);
}
