#include "method/cdlsr_relax_diagonal.h"

#include <math.h>

#include "la/linalg.h"

#define RS_EPS 2.220446049250313e-16
/* products of the power method; the estimate only has to be near */
#define RS_POWERS 60
/* factors tried until one is proved, each smaller than the one before */
#define RS_TRIALS 12
#define RS_SHRINK 0.85

double rs_certified_diagonal_flops(int d)
{
    /* two or three factorisations and an inverse */
    return 3.0 * d * ((double)d * d);
}

/* T (unit diagonal) = S scaled */
static void scale_to_unit(int d, const double *S, const double *unit,
                          double *T)
{
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            T[i + (size_t)d * j] = S[i + (size_t)d * j] * unit[i] * unit[j];
    for (int j = 0; j < d; j++)
        T[j + (size_t)d * j] = 1.0;
}

/* the largest eigenvalue of P T^{-1} P, about; T^{-1} is given */
static double largest_scaled(int d, const double *inverse, const double *p,
                             double *v, double *w)
{
    double value = 1.0;
    for (int i = 0; i < d; i++)
        v[i] = 1.0 + 0.5 * sin(1.0 + i); /* no eigenvector is orthogonal */
    for (int power = 0; power < RS_POWERS; power++) {
        double norm = rs_norm((size_t)d, v);
        for (int i = 0; i < d; i++)
            v[i] *= sqrt(p[i]) / norm;
        rs_gemv('N', d, d, 1.0, inverse, d, v, 0.0, w);
        for (int i = 0; i < d; i++)
            v[i] = w[i] * sqrt(p[i]);
        value = rs_norm((size_t)d, v);
    }
    return value;
}

/* does T - diag(t p) - slack I have a Cholesky factor? */
static rs_status is_proved(rs_context *ctx, int d, const double *S,
                           const double *unit, const double *p, double t,
                           double slack, double *T, int *proved)
{
    rs_status status;
    scale_to_unit(d, S, unit, T);
    for (int j = 0; j < d; j++)
        T[j + (size_t)d * j] -= t * p[j] + slack;
    status = rs_cholesky_polled(ctx, d, T);
    *proved = status == RS_OK;
    return status == RS_SINGULAR ? RS_OK : status;
}

rs_status rs_certified_diagonal(rs_context *ctx, int d, const double *S,
                                double error, double *delta, int *found)
{
    const size_t size = (size_t)d;
    const double slack = 2.0 * d * (error + (d + 2.0) * RS_EPS);
    double *T = rs_alloc_double(ctx, size * size);
    double *unit = rs_alloc_double(ctx, size), *p = rs_alloc_double(ctx, size);
    double *v = rs_alloc_double(ctx, size), *w = rs_alloc_double(ctx, size), t;
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < d; j++) {
        unit[j] = 1.0 / sqrt(S[j + size * j]);
        p[j] = 0.0;
    }
    RS_TRY(is_proved(ctx, d, S, unit, p, 0.0, slack, T, found));
    if (!*found)
        return RS_OK;
    RS_TRY(rs_cholesky_inverse(d, T));
    for (int j = 0; j < d; j++)
        p[j] = 1.0 / T[j + size * j];
    t = (1.0 - 1e-3) / largest_scaled(d, T, p, v, w);
    *found = 0;
    for (int trial = 0; trial < RS_TRIALS && !*found; trial++) {
        RS_TRY(is_proved(ctx, d, S, unit, p, t, slack, T, found));
        if (!*found)
            t *= RS_SHRINK;
    }
    for (int j = 0; j < d; j++)
        delta[j] = t * p[j] / unit[j] / unit[j] * (1.0 - 4.0 * RS_EPS);
    return RS_OK;
}
