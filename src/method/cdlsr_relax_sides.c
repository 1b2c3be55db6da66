#include "method/cdlsr_relax_sides.h"

#include <math.h>

#include "base/topk.h"
#include "la/linalg.h"

double rs_cdlsr_relax_top(rs_cdlsr_relax *relax, const double *weight,
                          double *kth)
{
    const int count = rs_min_int(relax->k, relax->d);
    double sum = 0.0;
    rs_topk_order(relax->d, weight, count, relax->order, relax->work);
    for (int i = 0; i < count; i++)
        sum += weight[relax->order[i]];
    *kth = weight[relax->order[count - 1]];
    return sum;
}

/* weights of t (Y - X U) from those of t = 1; t, which is best where
 * base = 1 - 2 t y + t^2 h: y = <Theta, Y>, h = ||Theta||^2 */
static void rescale(rs_cdlsr_relax *relax, double y, double h)
{
    double kth,
        t = y / (h + rs_cdlsr_relax_top(relax, relax->now.weight, &kth));
    const int any = t > 0.0; /* not where a weight is infinite */
    relax->now.base = any ? 1.0 - 2.0 * t * y + t * t * h : 1.0;
    for (int q = 0; q < relax->d; q++)
        relax->now.weight[q] = any ? t * t * relax->now.weight[q] : 0.0;
}

/* K U = B on the support, K = (M + diag(D / z)) there; K holds S or X'X */
static rs_status solve_support(rs_cdlsr_relax *relax)
{
    const int m = relax->m, c = relax->c;
    for (int i = 0; i < m; i++) {
        int q = relax->support[i];
        relax->K[i + (size_t)m * i] +=
            relax->D[q] / relax->z[q] - relax->delta[q];
        for (int l = 0; l < c; l++)
            relax->U[i + (size_t)m * l] = relax->B[q + (size_t)relax->d * l];
    }
    RS_TRY(rs_cholesky(m, relax->K, m));
    return rs_cholesky_solve(m, c, relax->K, m, relax->U, m);
}

/* ---- by cross-products -------------------------------------------------- */

/* Q = B - M U */
static void products_left(rs_cdlsr_relax *relax)
{
    const int d = relax->d, c = relax->c, m = relax->m;
    rs_copy((size_t)d * c, relax->B, relax->Q);
    for (int i = 0; i < m; i += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, m - i);
        for (int b = 0; b < width; b++)
            rs_copy((size_t)d, relax->S + (size_t)d * relax->support[i + b],
                    relax->panel + (size_t)d * b);
        rs_gemm('N', 'N', d, c, width, -1.0, relax->panel, d, relax->U + i, m,
                1.0, relax->Q, d);
    }
    for (int i = 0; i < m; i++) {
        int q = relax->support[i];
        for (int l = 0; l < c; l++)
            relax->Q[q + (size_t)d * l] +=
                relax->delta[q] * relax->U[i + (size_t)m * l];
    }
}

/* <B, U>, <U, M U> and the sum of ||x_j|| ||u_j||, which scales the errors */
static void support_sums(const rs_cdlsr_relax *relax, double *linear,
                         double *quadratic, double *lengths)
{
    const int d = relax->d, m = relax->m;
    *linear = *quadratic = *lengths = 0.0;
    for (int i = 0; i < m; i++) {
        double square = 0.0;
        int q = relax->support[i];
        for (int l = 0; l < relax->c; l++) {
            double u = relax->U[i + (size_t)m * l];
            double b = relax->B[q + (size_t)d * l];
            *linear += b * u;
            *quadratic += (b - relax->Q[q + (size_t)d * l]) * u;
            square += u * u;
        }
        *lengths += relax->size[q] * sqrt(square);
    }
}

rs_status rs_cdlsr_relax_by_products(rs_cdlsr_relax *relax)
{
    const int d = relax->d, m = relax->m;
    double linear, quadratic, lengths, e;
    for (int j = 0; j < m; j++)
        for (int i = 0; i <= j; i++)
            relax->K[i + (size_t)m * j] =
                relax->S[relax->support[i] + (size_t)d * relax->support[j]];
    RS_TRY(solve_support(relax));
    products_left(relax);
    support_sums(relax, &linear, &quadratic, &lengths);
    e = 2.0 * relax->error + (m + 16.0) * 2.220446049250313e-16;
    rs_row_norms(d, relax->c, relax->Q, relax->now.weight);
    for (int q = 0; q < d; q++) {
        double w = relax->now.weight[q] + e * relax->size[q] * (1.0 + lengths);
        relax->now.weight[q] = w * w / relax->D[q];
    }
    relax->relaxed = 1.0 - linear;
    if (relax->has_delta)
        relax->now.base = quadratic;
    else
        rescale(relax, 1.0 - linear, 1.0 - 2.0 * linear + quadratic);
    relax->now.base += 8.0 * e * (1.0 + lengths) * (1.0 + lengths);
    return RS_OK;
}

/* ---- by the data -------------------------------------------------------- */

/* Theta = (I + X Z X' / ridge)^{-1} Y */
static rs_status solve_samples(rs_cdlsr_relax *relax)
{
    const int n = relax->problem->n, m = relax->m;
    for (int i = 0; i < m; i++)
        rs_scale((size_t)n,
                 sqrt(relax->z[relax->support[i]] / relax->problem->ridge),
                 relax->columns + (size_t)n * i);
    rs_fill((size_t)n * n, 0.0, relax->K);
    for (int i = 0; i < n; i++)
        relax->K[i + (size_t)n * i] = 1.0;
    rs_syrk_add(n, m, relax->columns, n, relax->K);
    RS_TRY(rs_cholesky(n, relax->K, n));
    return rs_cholesky_solve(n, relax->c, relax->K, n, relax->Theta, n);
}

/* the same as Y - X U, U from the equations of the support */
static rs_status solve_features(rs_cdlsr_relax *relax)
{
    const int n = relax->problem->n, m = relax->m;
    rs_fill((size_t)m * m, 0.0, relax->K);
    RS_TRY(rs_gram_add(relax->ctx, n, m, relax->columns, n, relax->K));
    RS_TRY(solve_support(relax));
    return rs_gemm_polled(relax->ctx, 'N', 'N', n, relax->c, m, -1.0,
                          relax->columns, n, relax->U, m, 1.0, relax->Theta,
                          n);
}

rs_status rs_cdlsr_relax_by_data(rs_cdlsr_relax *relax)
{
    const rs_lsq *p = relax->problem;
    const int n = p->n, c = relax->c;
    const size_t all = (size_t)n * c;
    double y, h, e;
    for (int i = 0; i < relax->m; i++)
        rs_lsq_column(p, relax->list[relax->support[i]],
                      relax->columns + (size_t)n * i);
    rs_copy(all, relax->Y, relax->Theta);
    RS_TRY(relax->m < n ? solve_features(relax) : solve_samples(relax));
    RS_TRY(rs_data_crossprod(p->X, c, relax->Theta, relax->image));
    y = rs_dot(all, relax->Theta, relax->Y);
    h = rs_sum_squares(all, relax->Theta);
    e = 4.0 * relax->error * sqrt(h);
    for (int q = 0; q < relax->d; q++) {
        double square = 0.0, w;
        for (int l = 0; l < c; l++) {
            w = relax->image[relax->list[q] + (size_t)p->d * l];
            square += w * w;
        }
        w = sqrt(square) + e * relax->size[q];
        relax->now.weight[q] = w * w / p->ridge;
    }
    relax->relaxed = y;
    rescale(relax, y, h);
    relax->now.base += 8.0 * relax->error;
    return RS_OK;
}
