#include "method/spca_psd/ridge.h"

#include "la/linalg.h"

rs_status rs_spca_ridge_init(const rs_spca *pr, int dense, int width,
                             rs_spca_ridge *ridge)
{
    ridge->dense = dense;
    ridge->width = width;
    RS_ALLOC_DOUBLES(pr->ctx, (size_t)pr->d, &ridge->c, &ridge->e);
    ridge->s = rs_alloc_double(pr->ctx, (size_t)pr->n);
    ridge->Y = rs_alloc_double(pr->ctx, (size_t)pr->n * (width + 1));
    RS_TRY(rs_allocated(pr->ctx));
    return rs_ridge_init(pr->ctx, dense ? pr->d : pr->n, &ridge->system);
}

/* Xt'TXt = Xc'TXc - g c' - c g' + (1'T1) c c', g = Xc'T1 */
static rs_status shift_scatter(const rs_spca *pr, const double *c,
                               const double *half, double *g, double *S)
{
    const int d = pr->d;
    double total = 0.0;
    for (int i = 0; i < pr->n; i++)
        total += half[i];
    RS_TRY(rs_data_crossprod_vector(pr->X, half, g));
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            S[i + (size_t)j * d] +=
                total * c[i] * c[j] - g[i] * c[j] - c[i] * g[j];
    return RS_OK;
}

rs_status rs_spca_scatter(const rs_spca *pr, const double *c, const double *t,
                          double *half, double *g, double *S)
{
    if (pr->loss == RS_LOSS_FROBENIUS)
        return rs_data_gram_features(pr->X, S);
    for (int i = 0; i < pr->n; i++)
        half[i] = 0.5 * t[i];
    RS_TRY(rs_data_gram_weighted(pr->X, half, S));
    return c ? shift_scatter(pr, c, half, g, S) : RS_OK;
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

rs_status rs_spca_gram(const rs_spca *pr, const rs_spca_centre *centre,
                       const double *e, double *g, double *K)
{
    RS_TRY(rs_data_gram_samples(pr->X, e, K));
    if (centre->c)
        centre_gram(pr->n, centre->weight, g, K);
    return RS_OK;
}

rs_status rs_spca_ridge_factor(const rs_spca *pr, const rs_spca_centre *centre,
                               const double *t, const double *scatter,
                               rs_spca_ridge *ridge)
{
    const size_t d = (size_t)pr->d;
    if (ridge->dense) {
        rs_copy(d * d, scatter, ridge->system.A);
        RS_TRY(rs_ridge_factor(pr->d, ridge->c, &ridge->system));
        return rs_poll(pr->ctx);
    }
    for (size_t j = 0; j < d; j++)
        ridge->e[j] = 1.0 / ridge->c[j];
    for (int i = 0; i < pr->n; i++)
        ridge->s[i] = 2.0 / t[i];
    RS_TRY(rs_spca_gram(pr, centre, ridge->e, ridge->Y, ridge->system.A));
    RS_TRY(rs_ridge_factor(pr->n, ridge->s, &ridge->system));
    return rs_poll(pr->ctx);
}

rs_status rs_spca_ridge_kernel(int m, double *Y, const rs_spca_ridge *ridge)
{
    return rs_ridge_solve(m, Y, &ridge->system);
}

typedef struct {
    const rs_spca *pr;
    const double *c;
} shifted_data;

static rs_status times(const void *state, int m, const double *W, double *Y)
{
    const shifted_data *Xt = (const shifted_data *)state;
    return rs_spca_times(Xt->pr, Xt->c, m, W, Y);
}

static rs_status crossprod(const void *state, int m, const double *Y,
                           double *W)
{
    const shifted_data *Xt = (const shifted_data *)state;
    return rs_spca_crossprod(Xt->pr, Xt->c, m, Y, W);
}

rs_status rs_spca_ridge_solve(const rs_spca *pr, const rs_spca_centre *centre,
                              int m, double *V, double *W,
                              rs_spca_ridge *ridge)
{
    const shifted_data shifted = {pr, centre->c};
    const rs_ridge_data Xt = {&shifted, times, crossprod};
    if (ridge->dense)
        return rs_ridge_solve(m, V, &ridge->system);
    return rs_ridge_solve_dual(&Xt, pr->n, pr->d, ridge->e, m, V, ridge->Y, W,
                               &ridge->system);
}
