#include "method/css/spectrum.h"

#include <float.h>
#include <math.h>

/* halvings of the bracket of an eigenvalue */
#define RS_CSS_HALVINGS 14
/* a level keeps so much of a step away from every eigenvalue */
#define RS_CSS_APART 0.02

static int padded_rows(int q)
{
    return (q + 7) / 8 * 8;
}

rs_status rs_css_spectrum_init(const rs_css_space *s, int t, int most,
                               rs_css_spectrum *f)
{
    rs_context *ctx = s->ctx;
    const size_t q = (size_t)s->q, count = (size_t)s->count;
    f->space = s;
    f->most = rs_min_int(most, s->q);
    f->rows = padded_rows(f->most);
    f->W = rs_alloc_double(ctx, (size_t)f->rows * count);
    RS_ALLOC_DOUBLES(ctx, (size_t)f->rows * RS_CSS_LEVELS, &f->weight,
                     &f->scaled);
    RS_ALLOC_DOUBLES(ctx, q, &f->mu, &f->values);
    f->V = rs_alloc_double(ctx, q * (size_t)rs_max_int(t, 1));
    f->Z = rs_alloc_double(ctx, (size_t)(s->q + 8 + t) * count);
    RS_ALLOC_DOUBLES(ctx, q * q, &f->A, &f->Y);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, s->q, &f->eigen);
}

/* A_T = A - V V', V = Z_T L^{-T} */
static void take_off(const rs_css_projection *p, rs_css_spectrum *f)
{
    const rs_css_space *s = f->space;
    const int q = s->q, t = p->t;
    rs_copy((size_t)q * (size_t)q, s->A, f->A);
    if (t == 0)
        return;
    for (int j = 0; j < t; j++)
        rs_copy((size_t)q, s->Z + (size_t)q * p->set[j], f->V + (size_t)q * j);
    rs_triangular_solve('R', 'N', q, t, p->L, t, f->V, q);
    rs_gemm('N', 'T', q, q, t, -1.0, f->V, q, f->V, q, 1.0, f->A, q);
}

/* mu: the leading eigenvalues less the next one, which the rest gets; rows of
 * Y' by what that leaves of them */
static rs_status split(const rs_css_projection *p, rs_css_spectrum *f)
{
    const int q = f->space->q, count = rs_min_int(f->most + 1, q);
    RS_TRY(rs_eigen_largest(q, f->A, count, f->values, f->Y, &f->eigen));
    const double *value = f->values;
    const double next = count > f->most ? fmax(value[f->most], 0.0) : 0.0;
    f->error = p->product_error + p->response_error;
    f->rest = f->space->rest + next + q * p->response_error +
              8.0 * q * DBL_EPSILON * fmax(value[0], 0.0);
    for (f->q = 0; f->q < f->most; f->q++) {
        const double excess = value[f->q] - next;
        if (!(excess > 0.0))
            break;
        f->mu[f->q] = excess;
        rs_scale((size_t)q, sqrt(excess / value[f->q]),
                 f->Y + (size_t)q * f->q);
    }
    return RS_OK;
}

/* W = Y' (Z - V P') of the candidates */
static void take_coordinates(const rs_css_projection *p, int count,
                             const int *list, rs_css_spectrum *f)
{
    const rs_css_space *s = f->space;
    const int q = s->q, t = p->t, stride = s->stride;
    double *P = f->Z + (size_t)q * (size_t)count;
    for (int a = 0; a < count; a++)
        rs_copy((size_t)q, s->Z + (size_t)q * list[a], f->Z + (size_t)q * a);
    for (int j = 0; j < t; j++)
        for (int a = 0; a < count; a++)
            P[a + (size_t)count * j] = p->P[list[a] + (size_t)stride * j];
    if (t > 0)
        rs_gemm('N', 'T', q, count, t, -1.0, f->V, q, P, count, 1.0, f->Z, q);
    f->rows = padded_rows(rs_max_int(f->q, 1));
    rs_fill((size_t)f->rows * (size_t)count, 0.0, f->W);
    if (f->q > 0)
        rs_gemm('T', 'N', f->q, count, q, 1.0, f->Y, q, f->Z, q, 0.0, f->W,
                f->rows);
}

rs_status rs_css_spectrum_of(const rs_css_projection *p, int count,
                             const int *list, rs_css_spectrum *f)
{
    f->count = count;
    f->levels = 0;
    take_off(p, f);
    RS_TRY(split(p, f));
    take_coordinates(p, count, list, f);
    return RS_OK;
}

void rs_css_spectrum_keep(int count, const int *order, rs_css_spectrum *f)
{
    const size_t rows = (size_t)f->rows;
    rs_copy(rows * (size_t)f->count, f->W, f->Z);
    for (int a = 0; a < count; a++)
        rs_copy(rows, f->Z + rows * (size_t)order[a], f->W + rows * (size_t)a);
    f->count = count;
}

/* ---- one feature less ------------------------------------------------------ */

/* is 1 - sum w_i^2 / (r (mu_i - x)) > 0? Then eigenvalue number `at` of what is
 * left, which lies between mu[at + 1] and mu[at], is not below x */
static int is_below(const rs_css_spectrum *f, const double *restrict square,
                    double r, double x)
{
    const double *restrict mu = f->mu;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < f->q; i++)
        sum += square[i] / (mu[i] - x);
    return sum < r;
}

double rs_css_sum_without(const rs_css_spectrum *f, int a, double r, int m)
{
    const double *w = f->W + (size_t)f->rows * a;
    double *square = f->values, sum = 0.0;
    for (int i = 0; i < f->q; i++)
        square[i] = w[i] * w[i];
    for (int at = 0; at < m && at < f->q; at++) {
        double high = f->mu[at], low = at + 1 < f->q ? f->mu[at + 1] : 0.0;
        for (int turn = 0; turn < RS_CSS_HALVINGS && high > low; turn++) {
            const double x = 0.5 * (low + high);
            if (is_below(f, square, r, x))
                low = x;
            else
                high = x;
        }
        sum += high;
    }
    return sum + 8.0 * f->q * (f->error / r + DBL_EPSILON) * f->mu[0];
}

/* ---- levels ------------------------------------------------------------------ */

/* x, moved up until no eigenvalue is near */
static double keep_apart(const rs_css_spectrum *f, double x)
{
    for (int i = f->q - 1; i >= 0; i--)
        if (fabs(f->mu[i] - x) < RS_CSS_APART * f->step)
            x = f->mu[i] + RS_CSS_APART * f->step;
    return x;
}

static void set_weights(int level, rs_css_spectrum *f)
{
    const double x = f->level[level];
    double *weight = f->weight + (size_t)f->rows * level, largest = 0.0;
    f->above[level] = 0;
    for (int i = 0; i < f->rows; i++) {
        weight[i] = i < f->q ? 1.0 / (f->mu[i] - x) : 0.0;
        largest = fmax(largest, fabs(weight[i]));
        f->above[level] += i < f->q && f->mu[i] > x;
    }
    f->spread[level] = 8.0 * (f->error + (f->rows + 8) * DBL_EPSILON) *
                       (1.0 + largest * f->mu[0]);
}

void rs_css_spectrum_levels(int lowest, rs_css_spectrum *f)
{
    f->levels = 0;
    if (f->q == 0)
        return;
    const double high = f->mu[0];
    const double low = lowest < f->q ? f->mu[lowest] : 0.0;
    f->low = low;
    f->step = (high - low) / RS_CSS_LEVELS;
    if (!(f->step > 1e-6 * high))
        return;
    f->levels = RS_CSS_LEVELS;
    for (int i = 0; i < f->levels; i++) {
        f->level[i] = keep_apart(f, low + i * f->step);
        set_weights(i, f);
    }
}

void rs_css_level_products(const rs_css_spectrum *f, int level, int a,
                           int count, double *out)
{
    double *scaled = f->scaled + (size_t)f->rows * level;
    const double *w = f->W + (size_t)f->rows * a;
    const double *weight = f->weight + (size_t)f->rows * level;
    for (int i = 0; i < f->rows; i++)
        scaled[i] = weight[i] * w[i];
    rs_gemv('T', f->rows, count, 1.0, f->W, f->rows, scaled, 0.0, out);
}
