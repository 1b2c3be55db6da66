#include <math.h>

#include "method/spca_parts.h"

rs_status rs_spca_ridge_init(const rs_spca *pr, int dense, int width,
                             rs_spca_ridge *ridge)
{
    size_t order = (size_t)(dense ? pr->d : pr->n);
    ridge->dense = dense;
    ridge->order = (int)order;
    ridge->width = width;
    ridge->R = rs_alloc_double(pr->ctx, order * order);
    ridge->c = rs_alloc_double(pr->ctx, (size_t)pr->d);
    ridge->root = rs_alloc_double(pr->ctx, (size_t)pr->n);
    ridge->Y = rs_alloc_double(pr->ctx, (size_t)pr->n * (width + 1));
    RS_TRY(rs_allocated(pr->ctx));
    return RS_OK;
}

/* Xt'TXt = Xc'TXc - g c' - c g' + (1'T1) c c', g = Xc'T1 */
static rs_status shift_scatter(const rs_spca *pr, const double *half,
                               double *g, double *S)
{
    const int d = pr->d;
    double total = 0.0;
    for (int i = 0; i < pr->n; i++)
        total += half[i];
    RS_TRY(rs_data_crossprod_vector(pr->X, half, g));
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            S[i + (size_t)j * d] += total * pr->centre[i] * pr->centre[j] -
                                    g[i] * pr->centre[j] -
                                    pr->centre[i] * g[j];
    return RS_OK;
}

rs_status rs_spca_scatter(const rs_spca *pr, const double *t, double *half,
                          double *g, double *S)
{
    if (pr->loss == RS_LOSS_FROBENIUS)
        return rs_data_gram_features(pr->X, S);
    for (int i = 0; i < pr->n; i++)
        half[i] = 0.5 * t[i];
    RS_TRY(rs_data_gram_weighted(pr->X, half, S));
    return pr->adaptive ? shift_scatter(pr, half, g, S) : RS_OK;
}

/* K <- (I - 1 w') K (I - w 1') = K - 1 g' - g 1' + (w'g) 1 1', g = K w */
static void centre_gram(int n, const double *w, double *g, double *K)
{
    rs_gemv('N', n, n, 1.0, K, n, w, 0.0, g);
    double constant = rs_dot((size_t)n, w, g);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            K[i + (size_t)j * n] += constant - g[i] - g[j];
}

rs_status rs_spca_gram(const rs_spca *pr, const double *e, double *g,
                       double *K)
{
    RS_TRY(rs_data_gram_samples(pr->X, e, K));
    if (pr->adaptive)
        centre_gram(pr->n, pr->weight, g, K);
    return RS_OK;
}

/* K = I + T^{1/2} Xt diag(1/c) Xt' T^{1/2} */
static rs_status sample_matrix(const rs_spca *pr, rs_spca_ridge *ridge)
{
    const int n = pr->n;
    double *K = ridge->R, *c = ridge->c;
    for (int j = 0; j < pr->d; j++)
        c[j] = 1.0 / c[j];
    RS_TRY(rs_spca_gram(pr, c, ridge->Y, K));
    for (int j = 0; j < pr->d; j++)
        c[j] = 1.0 / c[j];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            K[i + (size_t)j * n] *= ridge->root[i] * ridge->root[j];
        K[j + (size_t)j * n] += 1.0;
    }
    return RS_OK;
}

rs_status rs_spca_ridge_factor(const rs_spca *pr, const double *t,
                               const double *scatter, rs_spca_ridge *ridge)
{
    const int p = ridge->order;
    for (int i = 0; i < pr->n; i++)
        ridge->root[i] = sqrt(0.5 * t[i]);
    if (ridge->dense) {
        rs_copy((size_t)p * p, scatter, ridge->R);
        for (int j = 0; j < p; j++)
            ridge->R[j + (size_t)j * p] += ridge->c[j];
    } else {
        RS_TRY(sample_matrix(pr, ridge));
    }
    RS_TRY(rs_poll(pr->ctx));
    return rs_cholesky(p, ridge->R, p);
}

/* Q = T^{1/2} K^{-1} T^{1/2} */
rs_status rs_spca_ridge_kernel(const rs_spca *pr, int m, double *Y,
                               const rs_spca_ridge *ridge)
{
    rs_scale_rows(pr->n, m, ridge->root, Y);
    RS_TRY(rs_cholesky_solve(pr->n, m, ridge->R, pr->n, Y, pr->n));
    rs_scale_rows(pr->n, m, ridge->root, Y);
    return RS_OK;
}

/* (S_T + diag(c))^{-1} V = E V - E Xt'Q Xt E V, E = diag(1/c) */
rs_status rs_spca_ridge_solve(const rs_spca *pr, int m, double *V, double *W,
                              rs_spca_ridge *ridge)
{
    const int d = pr->d;
    if (ridge->dense)
        return rs_cholesky_solve(d, m, ridge->R, d, V, d);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < d; i++)
            V[i + (size_t)j * d] /= ridge->c[i];
    RS_TRY(rs_spca_times(pr, m, V, ridge->Y));
    RS_TRY(rs_spca_ridge_kernel(pr, m, ridge->Y, ridge));
    RS_TRY(rs_spca_crossprod(pr, m, ridge->Y, W));
    for (int j = 0; j < m; j++)
        for (int i = 0; i < d; i++)
            V[i + (size_t)j * d] -= W[i + (size_t)j * d] / ridge->c[i];
    return RS_OK;
}
