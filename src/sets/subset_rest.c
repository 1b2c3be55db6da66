/* What is left of all features and of the response, after a change of the
 * factorised set. */
#include "la/linalg.h"
#include "sets/subset_inner.h"

/* left -= sign c^2;  rest -= sign c h';  base = row sums of rest^2 */
void rs_subset_shift_rest(rs_subset *s, double sign, const double *c,
                          const double *h)
{
    const size_t d = (size_t)s->problem->d;
    double *left = s->left, *base = s->base;
#pragma omp simd
    for (size_t j = 0; j < d; j++)
        left[j] -= sign * c[j] * c[j];
    if (rs_subset_is_self(s))
        return;
    rs_fill(d, 0.0, base);
    for (int l = 0; l < s->problem->c; l++) {
        double *rest = s->rest + d * (size_t)l;
        double a = sign * h[l];
#pragma omp simd
        for (size_t j = 0; j < d; j++) {
            rest[j] -= a * c[j];
            base[j] += rest[j] * rest[j];
        }
    }
}

/*
 * Y = X, basis grown by q: base -= 2 c v - c^2 kappa, the columns of Z lose
 * c (q'XX'q_l) and gain v - c kappa; kappa = ||c||^2.
 */
void rs_subset_grow_self(rs_subset *s, double kappa)
{
    const int d = s->problem->d, k = s->k;
    const double *c = s->pair_d, *v = s->pair_d + d;
    for (int j = 0; j < d; j++) {
        double base = s->base[j] - 2.0 * c[j] * v[j] + c[j] * c[j] * kappa;
        s->base[j] = base > 0.0 ? base : 0.0;
    }
    if (s->Z == NULL)
        return;
    if (k > 0) {
        rs_gemv('T', d, k, 1.0, s->C, d, c, 0.0, s->shift);
        rs_gemm('N', 'N', d, k, 1, -1.0, c, d, s->shift, 1, 1.0, s->Z, d);
    }
    double *z = rs_column(s->Z, d, k);
    for (int j = 0; j < d; j++)
        z[j] = v[j] - c[j] * kappa;
}

/* Y = X, basis without u: base += 2 g z + g^2 kappa, Z += g (u'XX'Q) */
void rs_subset_shrink_self(rs_subset *s, const double *g, const double *z,
                           double kappa)
{
    const int d = s->problem->d, k = s->k;
    for (int j = 0; j < d; j++) {
        double base = s->base[j] + 2.0 * g[j] * z[j] + g[j] * g[j] * kappa;
        s->base[j] = base > 0.0 ? base : 0.0;
    }
    if (k > 0) {
        rs_gemv('T', d, k, 1.0, s->C, d, g, 0.0, s->shift);
        rs_gemm('N', 'N', d, k, 1, 1.0, g, d, s->shift, 1, 1.0, s->Z, d);
    }
}
