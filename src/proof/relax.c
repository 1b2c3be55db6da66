/* The smoothed relaxation of row-sparse PCA and its bound, see relax.h. */
#include "proof/relax.h"

#include <float.h>
#include <math.h>

#include "base/softtop.h"
#include "base/select.h"

/* eigenvalues so many widths below the m-th count for nothing */
#define RS_RELAX_REACH 28.0
/* share of the eigenvalues above which all of them are found sooner */
#define RS_RELAX_FEW 0.12

rs_status rs_relax_init(rs_context *ctx, int most, int m, rs_relax *s)
{
    const size_t p = (size_t)most;
    *s = (rs_relax){.m = m, .r = rs_max_int(12, 3 * m)};
    RS_ALLOC_DOUBLES(ctx, p, &s->z, &s->cut, &s->lambda, &s->h, &s->tau);
    RS_ALLOC_DOUBLES(ctx, p * p, &s->A, &s->V);
    s->scratch = rs_alloc_double(ctx, 3 * p);
    s->order = rs_alloc_int(ctx, p);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, most, &s->eigen);
}

size_t rs_relax_size(const rs_relax *s, int p)
{
    return (size_t)p * ((size_t)p + s->r + 1);
}

static const double *L_of(const double *x, const rs_relax *s)
{
    return x + (size_t)s->p * s->p;
}

static const double *log_alpha_of(const double *x, const rs_relax *s)
{
    return L_of(x, s) + (size_t)s->p * s->r;
}

void rs_relax_move(int p, const double *x, int q, const int *from, double *to,
                   const rs_relax *s)
{
    rs_fill(rs_relax_size(s, q), 0.0, to);
    for (int i = 0; i < q; i++) {
        if (from[i] < 0)
            continue;
        for (int j = 0; j < q; j++)
            if (from[j] >= 0)
                to[(size_t)i * q + j] = x[(size_t)from[i] * p + from[j]];
        for (int c = 0; c <= s->r; c++) /* L, log(alpha) */
            to[(size_t)q * (q + c) + i] = x[(size_t)p * (p + c) + from[i]];
    }
}

void rs_relax_about(int p, int k, const double *S, const unsigned char *in,
                    rs_relax *s)
{
    s->p = p;
    s->k = k;
    s->S = S;
    s->in = in;
    s->level = NAN;
    rs_fill((size_t)p, 0.0, s->cut);
}

/* ---- the matrix ------------------------------------------------------------ */

/* upper triangle of A = S - LL' - (U + U') / 2 + Diag(alpha) */
static void form_matrix(const double *x, rs_relax *s)
{
    const int p = s->p, tile = 32;
    const double *U = x, *L = L_of(x, s), *a = log_alpha_of(x, s);
    rs_copy((size_t)p * p, s->S, s->A);
    rs_gemm('N', 'T', p, p, s->r, -1.0, L, p, L, p, 1.0, s->A, p);
    for (int j0 = 0; j0 < p; j0 += tile)
        for (int i0 = 0; i0 <= j0; i0 += tile)
            for (int j = j0; j < rs_min_int(j0 + tile, p); j++)
                for (int i = i0; i <= rs_min_int(i0 + tile - 1, j); i++)
                    s->A[i + (size_t)j * p] -=
                        0.5 * (U[i + (size_t)j * p] + U[j + (size_t)i * p]);
    for (int i = 0; i < p; i++)
        s->A[i * ((size_t)p + 1)] += exp(a[i]);
}

/* the eigenpairs that count, those above the reach below the m-th value: where
 * they were few in the last evaluation, by its value; else all are found */
static rs_status pairs_that_count(int *count, rs_relax *s)
{
    const double reach = RS_RELAX_REACH * s->width, level = s->level;
    rs_status status = RS_LAPACK_FAILED;
    if (isfinite(level))
        status = rs_eigen_above(s->p, s->A, level - reach, count, s->lambda,
                                s->V, &s->eigen);
    if (status != RS_OK && status != RS_LAPACK_FAILED)
        return status;
    if (status != RS_OK || *count < s->m ||
        s->lambda[s->m - 1] < level - 0.3 * reach) {
        RS_TRY(rs_eigen_largest(s->p, s->A, s->p, s->lambda, s->V, &s->eigen));
        *count = s->m;
        while (*count < s->p &&
               s->lambda[*count] > s->lambda[s->m - 1] - reach)
            (*count)++;
    }
    s->level = *count <= RS_RELAX_FEW * s->p ? s->lambda[s->m - 1] : NAN;
    return RS_OK;
}

/* the smoothed sum of the m largest of `count` eigenvalues; A becomes its
 * gradient P = V diag(weights) V' */
static double eigen_sum(int count, rs_relax *s)
{
    const int p = s->p;
    double *weight = s->scratch, v = s->lambda[s->m - 1], sum = 0.0;
    if (count > s->m) {
        sum = rs_softtop_log((size_t)count, s->lambda, s->m, s->width, weight,
                             &v);
    } else {
        rs_fill((size_t)count, 1.0, weight);
        sum = rs_sum(count, s->lambda);
    }
    for (int c = 0; c < count; c++)
        rs_scale((size_t)p, sqrt(weight[c]), s->V + (size_t)c * p);
    rs_gemm('N', 'T', p, p, count, 1.0, s->V, p, s->V, p, 0.0, s->A, p);
    return sum;
}

/* ---- the rows -------------------------------------------------------------- */

/*
 * Smoothed h_i; spread_i = s_i / (4 alpha_i) with the weights of the smoothing,
 * which times u_ij / (2 alpha_i) go into the gradient.
 */
static void row_terms(const double *x, double *gradient, double *spread,
                      rs_relax *s)
{
    const size_t p = (size_t)s->p;
    const double *a = log_alpha_of(x, s);
    const double width = s->width / s->k;
    double *row = s->scratch, *weight = s->scratch + p;
    rs_row_squares(s->p, s->r, L_of(x, s), s->h);
    for (size_t i = 0; i < p; i++) {
        const double *u = x + i * p, quarter = 0.25 * exp(-a[i]);
        double *g = gradient + i * p, h = 0.0;
        for (size_t j = 0; j < p; j++)
            row[j] = u[j] * u[j] * quarter;
        spread[i] = row[i];
        s->h[i] += row[i];
        /* the diagonal entry goes to the end and is counted in any case */
        row[i] = row[p - 1];
        if (p > 1)
            h = rs_softtop_square(p - 1, row, s->k - 1.0, width, weight,
                                  &s->cut[i]);
        s->h[i] += h;
        weight[p - 1] = weight[i];
        weight[i] = 1.0;
        for (size_t j = 0; j < p; j++) {
            if (j != i)
                spread[i] += weight[j] * u[j] * u[j] * quarter;
            g[j] = 2.0 * quarter * weight[j] * u[j];
        }
    }
}

/* the smoothed sum of the k largest h; z: 1 for rows in every set, and weights of
 * the others */
static double rows_sum(rs_relax *s)
{
    int free = 0, rest = s->k;
    double *list = s->scratch, *share = s->scratch + s->p, sum = 0.0, v = 0.0;
    for (int i = 0; i < s->p; i++) {
        if (s->in[i]) {
            sum += s->h[i];
            rest--;
        } else {
            list[free++] = s->h[i];
        }
    }
    if (rest > 0 && rest < free)
        sum += rs_softtop_log((size_t)free, list, rest, s->width, share, &v);
    else
        rs_fill((size_t)free, rest > 0 ? 1.0 : 0.0, share);
    for (int i = 0; i < free && rest >= free; i++)
        sum += list[i];
    for (int i = 0, at = 0; i < s->p; i++)
        s->z[i] = s->in[i] ? 1.0 : share[at++];
    return sum;
}

rs_status rs_relax_smooth(void *state, const double *x, double *value,
                          double *gradient)
{
    rs_relax *s = (rs_relax *)state;
    const size_t p = (size_t)s->p;
    const int r = s->r;
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    double *gL = gradient + p * p, *ga = gL + p * r;
    int count;
    *value = INFINITY;
    /* a step too far: not a number that LAPACK is to see */
    if (!rs_all_finite(rs_relax_size(s, s->p), x))
        return RS_OK;
    form_matrix(x, s);
    if (!rs_all_finite(p * p, s->A))
        return RS_OK;
    RS_TRY(pairs_that_count(&count, s));
    *value = eigen_sum(count, s);
    row_terms(x, gradient, ga, s);
    *value += rows_sum(s);
    for (size_t i = 0; i < p; i++) {
        double *g = gradient + i * p;
        const double *P = s->A + i * p;
        for (size_t j = 0; j < p; j++)
            g[j] = s->z[i] * g[j] - P[j];
        ga[i] = exp(a[i]) * P[i] - s->z[i] * ga[i];
    }
    rs_gemm('N', 'N', s->p, r, s->p, -2.0, s->A, s->p, L, s->p, 0.0, gL, s->p);
    for (int c = 0; c < r; c++)
        for (size_t i = 0; i < p; i++)
            gL[i + p * c] += 2.0 * s->z[i] * L[i + p * c];
    return RS_OK;
}

/* ---- the bound ------------------------------------------------------------- */

/*
 * How far computed eigenvalues may be from those of the exact matrix: rounding
 * of its entries, and a backward stable method, both in the Frobenius norm.
 */
static double eigen_error(const double *x, const rs_relax *s)
{
    const size_t p = (size_t)s->p, r = (size_t)s->r;
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    double alpha = 0.0, A = 0.0;
    for (size_t i = 0; i < p; i++) {
        alpha = hypot(alpha, exp(a[i]));
        for (size_t j = 0; j < i; j++)
            A += 2.0 * s->A[j + i * p] * s->A[j + i * p];
        A += s->A[i + i * p] * s->A[i + i * p];
    }
    const double parts = rs_norm(p * p, s->S) + rs_sum_squares(p * r, L) +
                         rs_norm(p * p, x) + alpha;
    return DBL_EPSILON * ((r + RS_ERRORS) * parts + RS_ERRORS * p * sqrt(A));
}

double rs_relax_squares(int count, const double *u, int k, double *smallest,
                        int *order, double *work)
{
    const int take = rs_min_int(k - 1, count);
    double sum = 0.0;
    if (take > 0)
        rs_topk_order(count, u, take, order, work);
    for (int t = 0; t < take; t++)
        sum += u[order[t]] * u[order[t]];
    *smallest = take > 0 && take == k - 1 ? u[order[take - 1]] : 0.0;
    return sum;
}

static void bound_rows(const double *x, rs_relax *s)
{
    const size_t p = (size_t)s->p;
    const double *a = log_alpha_of(x, s);
    const double up = 1.0 + (2.0 * s->k + s->r + RS_ERRORS) * DBL_EPSILON;
    double *row = s->scratch;
    rs_row_squares(s->p, s->r, L_of(x, s), s->h);
    for (size_t i = 0; i < p; i++) {
        const double *u = x + i * p;
        for (size_t j = 0; j < p; j++)
            row[j] = fabs(u[j]);
        /* the diagonal entry is counted in any case */
        row[i] = row[p - 1];
        const double square =
            u[i] * u[i] + rs_relax_squares(s->p - 1, row, s->k, &s->tau[i],
                                           s->order, s->scratch + p);
        s->h[i] = up * (s->h[i] + square / (4.0 * exp(a[i])));
    }
}

/* all eigenvalues, which a method finds that misses none */
rs_status rs_relax_bound(const double *x, rs_relax *s)
{
    s->eigen_part = INFINITY;
    if (!rs_all_finite(rs_relax_size(s, s->p), x))
        return RS_OK;
    form_matrix(x, s);
    if (!rs_all_finite((size_t)s->p * s->p, s->A))
        return RS_OK;
    RS_TRY(rs_eigen_largest(s->p, s->A, s->p, s->lambda, NULL, &s->eigen));
    const double error = eigen_error(x, s);
    s->eigen_part = rs_sum(s->m, s->lambda) + s->m * error +
                    RS_ERRORS * s->m * DBL_EPSILON * fabs(s->lambda[0]);
    if (isnan(s->eigen_part))
        s->eigen_part = INFINITY;
    s->least = s->lambda[s->m - 1] - error;
    s->level = NAN;
    bound_rows(x, s);
    return RS_OK;
}
