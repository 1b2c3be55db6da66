/* What a set explains, from its cross-products or from the data. */
#include "method/exact/value.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"

/* 2 <b, w> - <w, A w>, and ||w||_1 */
static double form_at(int k, const double *A, const double *b, const double *w,
                      double *length)
{
    double sum = 0.0;
    *length = 0.0;
    for (int j = 0; j < k; j++) {
        double image = 0.0;
        for (int i = 0; i < k; i++)
            image += A[i + (size_t)k * j] * w[i];
        sum += w[j] * (2.0 * b[j] - image);
        *length += fabs(w[j]);
    }
    return sum;
}

void rs_value_by_products(int k, int c, const double *A, const double *b,
                          double e, double *L, double *W, double *explained,
                          double *error)
{
    double lengths = 0.0, sum = 0.0;
    rs_copy((size_t)k * k, A, L);
    rs_copy((size_t)k * c, b, W);
    *explained = 0.0;
    *error = 1.0;
    if (rs_cholesky(k, L, k) != RS_OK ||
        rs_cholesky_solve(k, c, L, k, W, k) != RS_OK)
        return;
    for (int l = 0; l < c; l++) {
        double length;
        *explained +=
            form_at(k, A, b + (size_t)k * l, W + (size_t)k * l, &length);
        lengths += length * length;
        sum += length;
    }
    *error = 2.0 * (e + k * DBL_EPSILON) *
             fmin((1.0 + sqrt(lengths)) * (1.0 + sqrt(lengths)),
                  2.0 * sum + lengths);
}

rs_status rs_set_value_init(rs_context *ctx, const rs_lsq *problem, int k,
                            double enough, rs_set_value *value)
{
    const size_t n = problem->X ? (size_t)problem->n : 0, p = (size_t)k;
    value->problem = problem;
    value->enough = enough;
    value->e = rs_product_error(problem);
    value->columns = rs_alloc_double(ctx, n * p);
    value->A = rs_alloc_double(ctx, p * p);
    value->L = rs_alloc_double(ctx, p * p);
    value->b = rs_alloc_double(ctx, p * (size_t)problem->c);
    value->W = rs_alloc_double(ctx, p * (size_t)problem->c);
    RS_TRY(rs_allocated(ctx));
    return rs_accurate_init(ctx, problem, k, &value->accurate);
}

/* A and b of unit columns, ||Y|| = 1 */
static void take_products(int k, const int *set, rs_set_value *v)
{
    const rs_lsq *p = v->problem;
    if (p->X) {
        for (int j = 0; j < k; j++)
            rs_lsq_column(p, set[j], v->columns + (size_t)p->n * j);
        rs_gram(p->n, k, v->columns, v->A);
    } else {
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                v->A[i + (size_t)k * j] = p->S[set[i] + (size_t)p->d * set[j]];
    }
    for (int j = 0; j < k; j++) {
        const double unit = 1.0 / sqrt(p->square[set[j]] + p->ridge);
        for (int i = 0; i < k; i++)
            v->A[i + (size_t)k * j] *=
                unit / sqrt(p->square[set[i]] + p->ridge);
        v->A[j + (size_t)k * j] = 1.0;
        for (int l = 0; l < p->c; l++)
            v->b[j + (size_t)k * l] =
                p->B[set[j] + (size_t)p->d * l] * unit / sqrt(p->total);
    }
}

/* does a feature nearly depend on those before it, by the factor? */
static int is_near(int k, const double *L)
{
    for (size_t j = 0; j < (size_t)k; j++)
        if (L[j + k * j] * L[j + k * j] < RS_LEFT_SLIGHT)
            return 1;
    return 0;
}

void rs_set_value_of(int k, const int *set, double *least, double *most,
                     int *dependent, rs_set_value *v)
{
    double value, error;
    *dependent = 0;
    take_products(k, set, v);
    rs_value_by_products(k, v->problem->c, v->A, v->b, v->e, v->L, v->W,
                         &value, &error);
    if (v->accurate.able && (error > v->enough || is_near(k, v->L))) {
        for (int i = 1; i <= k; i++) {
            value = rs_accurate_explained(&v->accurate, i, set) /
                    v->problem->total;
            *dependent |= v->accurate.residual[i - 1] <= 0.0;
        }
        error = 2.0 * (k + 16.0) * DBL_EPSILON * sqrt(value);
    }
    *least = fmax(value - error, 0.0);
    *most = fmin(value + error, 1.0);
}
