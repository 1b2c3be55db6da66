/* What a set explains, from its cross-products or from the data. */
#include "proof/value.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"

/* 2 <b, w> - <w, A w> */
static double form_at(int k, const double *A, const double *b, const double *w)
{
    double sum = 0.0;
    for (int j = 0; j < k; j++)
        sum += w[j] * (2.0 * b[j] - rs_dot((size_t)k, A + (size_t)k * j, w));
    return sum;
}

double rs_value_error(double e, int k, int c, const double *W)
{
    double s = 0.0, square = 0.0;
    for (int l = 0; l < c; l++) {
        const double length = rs_sum_moduli((size_t)k, W + (size_t)k * l);
        s += length;
        square += length * length;
    }
    const double l = 1.0 + sqrt(square);
    return 2.0 * e * fmin(l * l, 2.0 * s + square);
}

void rs_set_explained(rs_set_value *v, double *explained, double *error)
{
    const int k = v->k;
    rs_copy((size_t)k * k, v->A, v->L);
    rs_copy((size_t)k * v->problem->c, v->b, v->W);
    *explained = 0.0;
    *error = 1.0;
    if (rs_cholesky(k, v->L, k) != RS_OK ||
        rs_cholesky_solve(k, v->problem->c, v->L, k, v->W, k) != RS_OK)
        return;
    for (int l = 0; l < v->problem->c; l++) {
        const size_t at = (size_t)k * l;
        *explained += form_at(k, v->A, v->b + at, v->W + at);
    }
    *error = rs_value_error(v->e + k * DBL_EPSILON, k, v->problem->c, v->W);
}

rs_status rs_set_value_init(rs_context *ctx, const rs_lsq *problem,
                            const double *S, int k, double enough,
                            rs_set_value *value)
{
    const size_t n = S || problem->S ? 0 : (size_t)problem->n;
    const size_t p = (size_t)k;
    value->problem = problem;
    value->S = S ? S : problem->S;
    value->enough = enough;
    value->e = rs_product_error(problem);
    value->columns = rs_alloc_double(ctx, n * p);
    value->unit = rs_alloc_double(ctx, (size_t)problem->d);
    value->set = rs_alloc_int(ctx, p);
    RS_ALLOC_DOUBLES(ctx, p * p, &value->A, &value->L);
    RS_ALLOC_DOUBLES(ctx, p * (size_t)problem->c, &value->b, &value->W);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < problem->d; j++)
        value->unit[j] = 1.0 / sqrt(problem->square[j] + problem->ridge);
    return rs_accurate_init(ctx, problem, k, &value->accurate);
}

/* A, where the kernel has all of it */
static int take_held(rs_set_value *v)
{
    const rs_closing_kernel *from = v->kernel;
    int held = from && from->C;
    for (int j = 0; j < v->k && held; j++)
        held = from->place[v->set[j]] >= 0;
    for (int j = 0; j < v->k && held; j++)
        for (int i = 0; i < v->k; i++)
            v->A[i + (size_t)v->k * j] =
                from->C[from->place[v->set[i]] +
                        (size_t)from->count * from->place[v->set[j]]];
    return held;
}

void rs_set_products(int count, const int *set, rs_set_value *v)
{
    const rs_lsq *p = v->problem;
    v->k = 0;
    for (int j = 0; j < count; j++) {
        int at = v->k;
        if (p->barred[set[j]])
            continue;
        for (; at > 0 && v->set[at - 1] > set[j]; at--)
            v->set[at] = v->set[at - 1];
        v->set[at] = set[j];
        v->k++;
    }
    const int k = v->k, held = take_held(v);
    if (!v->S && !held && k > 0) {
        for (int j = 0; j < k; j++)
            rs_lsq_column(p, v->set[j], v->columns + (size_t)p->n * j);
        rs_gram(p->n, k, v->columns, v->A);
    } else if (!held) {
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                v->A[i + (size_t)k * j] =
                    v->S[v->set[i] + (size_t)p->d * v->set[j]];
    }
    for (int j = 0; j < k; j++) {
        const int own = v->set[j];
        for (int i = 0; i < k && !held; i++)
            v->A[i + (size_t)k * j] *= v->unit[own] * v->unit[v->set[i]];
        v->A[j + (size_t)k * j] = 1.0;
        for (int l = 0; l < p->c; l++)
            v->b[j + (size_t)k * l] =
                p->B[own + (size_t)p->d * l] * v->unit[own] / sqrt(p->total);
    }
}

/* a column that is off by what counts as no residual turns its direction by that
 * over its residual */
static double rounding_of(const rs_accurate *acc, double value)
{
    double turn = 0.0;
    for (int l = 0; l < acc->count; l++)
        if (acc->residual[l] > 0.0)
            turn = fmax(turn, acc->none[l] / acc->residual[l]);
    return 2.0 * turn * sqrt(value * fmax(1.0 - value, 0.0));
}

int rs_is_near(int k, const double *L)
{
    for (size_t j = 0; j < (size_t)k; j++)
        if (!(L[j + k * j] * L[j + k * j] > RS_LEFT_SLIGHT))
            return 1;
    return 0;
}

void rs_set_value_of(int count, const int *set, double cut, double *least,
                     double *most, rs_set_value *v)
{
    double value, error;
    rs_set_products(count, set, v);
    rs_set_explained(v, &value, &error);
    int near = rs_is_near(v->k, v->L);
    v->rounding = 0.0;
    if (v->accurate.able &&
        (near || (error > v->enough && value + error >= cut))) {
        near = 0;
        value = rs_accurate_explained(&v->accurate, v->k, v->set) /
                v->problem->total;
        v->rounding = rounding_of(&v->accurate, value);
        error = 2.0 * (v->k + 16.0) * DBL_EPSILON * sqrt(value);
    }
    *least = near ? 0.0 : fmax(value - error, 0.0);
    *most = near ? 1.0 : fmin(value + error, 1.0);
}
