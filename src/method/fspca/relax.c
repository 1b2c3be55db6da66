#include "method/fspca/relax.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/softtop.h"
#include "base/select.h"

/* eigenvalues so many widths below the m-th count for nothing */
#define RS_RELAX_REACH 28.0
/* share of the eigenvalues above which all of them are found sooner */
#define RS_RELAX_FEW 0.12
/* of the metric for U, L and log(alpha); only their ratios matter, and these were
 * found by trial: three times more or less of one costs little */
#define RS_RELAX_U 12.0
#define RS_RELAX_L 0.3
#define RS_RELAX_ALPHA 2.3
/* a constant of the error of all eigenvalues, and of sums */
#define RS_RELAX_EIGEN 16.0
/* slope in nu, per component, at which its search ends, and its steps */
#define RS_RELAX_FLAT 1e-9
#define RS_RELAX_STEPS 80
/* its first step, as a share of nu */
#define RS_RELAX_FIRST 0.01
#define RS_RELAX_SUM 8.0

rs_status rs_rlx_init(rs_context *ctx, int most, int room, int m, rs_rlx *s)
{
    const size_t p = (size_t)most, all = p + rs_max_int(room, m);
    *s = (rs_rlx){.ctx = ctx, .most = most, .m = m, .r = rs_rlx_rank(m)};
    RS_ALLOC_DOUBLES(ctx, p, &s->z, &s->price, &s->paid, &s->lambda, &s->h,
                     &s->tau, &s->weight, &s->row, &s->spread, &s->cut,
                     &s->work);
    RS_ALLOC_DOUBLES(ctx, p * p, &s->A, &s->V, &s->P);
    s->order = rs_alloc_int(ctx, p);
    s->room = room;
    RS_ALLOC_DOUBLES(ctx, (size_t)room, &s->length, &s->square, &s->own);
    RS_ALLOC_DOUBLES(ctx, all, &s->list, &s->share);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, most, &s->eigen);
}

size_t rs_rlx_size(const rs_rlx *s, int p)
{
    return (size_t)p * ((size_t)p + s->r + 1);
}

void rs_rlx_restrict(int p, int q, const int *kept, const double *x,
                     double *to, const rs_rlx *s)
{
    for (int i = 0; i < q; i++)
        for (int j = 0; j < q; j++)
            to[(size_t)i * q + j] = x[(size_t)kept[i] * p + kept[j]];
    for (int c = 0; c <= s->r; c++) /* L, and log(alpha) after it */
        for (int i = 0; i < q; i++)
            to[(size_t)q * (q + c) + i] = x[(size_t)p * (p + c) + kept[i]];
}

static const double *L_of(const double *x, const rs_rlx *s)
{
    return x + (size_t)s->p * s->p;
}

static const double *log_alpha_of(const double *x, const rs_rlx *s)
{
    return L_of(x, s) + (size_t)s->p * s->r;
}

void rs_rlx_about(int p, int k, const double *S, const unsigned char *in,
                  rs_rlx *s)
{
    s->p = p;
    s->k = k;
    s->S = S;
    s->in = in;
    s->level_known = 0;
    s->counted = 0;
    s->floor = 0.0;
    s->outside = 0;
    s->asking = RS_ASK_ALL;
    rs_fill((size_t)p, 0.0, s->cut);
}

void rs_rlx_ask(rs_ask asking, const unsigned char *asked, rs_rlx *s)
{
    s->asking = asking;
    s->asked = asked;
    s->last = 0.0;
}

void rs_rlx_start(const double *basis, const double *values, double alpha,
                  double *x, rs_rlx *s)
{
    const size_t p = (size_t)s->p;
    double *L = (double *)L_of(x, s),
           *log_alpha = (double *)log_alpha_of(x, s);
    rs_fill(p * p, 0.0, x);
    rs_quasi_random(p * s->r, 0, L);
    rs_scale(p * s->r, 0.1 * sqrt(alpha), L);
    for (int c = 0; basis && c < s->m; c++)
        rs_axpy(p, sqrt(fmax(values[c], 0.0)), basis + p * c, L + p * c);
    rs_fill(p, log(alpha), log_alpha);
}

void rs_rlx_metric(double unit, double *metric, const rs_rlx *s)
{
    const size_t p = (size_t)s->p;
    rs_fill(p * p, RS_RELAX_U * unit, metric);
    rs_fill(p * s->r, RS_RELAX_L, metric + p * p);
    rs_fill(p, RS_RELAX_ALPHA / unit, metric + p * (p + s->r));
}

/* ---- the matrix ------------------------------------------------------------ */

/* upper triangle of A = S - LL' - (U + U') / 2 + Diag(alpha) */
static void form_matrix(const double *x, rs_rlx *s)
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

/*
 * The eigenpairs that count: those above the reach below the m-th value, which
 * is where it was in the last evaluation, or looked up.
 */
static rs_status pairs_that_count(int *count, rs_rlx *s)
{
    const int p = s->p, m = s->m;
    const double reach = RS_RELAX_REACH * s->width;
    for (int t = 0; t < 2 && s->counted <= RS_RELAX_FEW * p; t++) {
        if (!s->level_known) {
            RS_TRY(rs_eigen_largest(p, s->A, m, s->lambda, NULL, &s->eigen));
            s->level = s->lambda[m - 1];
        }
        rs_status status = rs_eigen_above(p, s->A, s->level - reach, count,
                                          s->lambda, s->V, &s->eigen);
        if (status != RS_OK && status != RS_LAPACK_FAILED)
            return status;
        s->level_known = 0;
        if (status == RS_OK && *count >= m &&
            s->lambda[m - 1] >= s->level - 0.3 * reach) {
            s->level_known = 1;
            s->level = s->lambda[m - 1];
            s->counted = *count;
            return RS_OK;
        }
    }
    s->level_known = 1;
    RS_TRY(rs_eigen_largest(p, s->A, p, s->lambda, s->V, &s->eigen));
    s->level = s->lambda[m - 1];
    *count = m;
    while (*count < p && s->lambda[*count] > s->level - reach)
        (*count)++;
    s->counted = *count;
    return RS_OK;
}

/*
 * The smoothed sum of the m largest of `count` eigenvalues and of nu, which the
 * rows outside have; weights of the former, and the slope in nu.
 */
static double eigen_sum(int count, double *slope, rs_rlx *s)
{
    const int copies = rs_min_int(s->m, s->outside), all = count + copies;
    double sum = 0.0, v = s->level;
    *slope = 0.0;
    if (all == s->m) {
        for (int c = 0; c < count; c++) {
            s->weight[c] = 1.0;
            sum += s->lambda[c];
        }
        return sum;
    }
    rs_copy((size_t)count, s->lambda, s->list);
    rs_fill((size_t)copies, s->nu, s->list + count);
    sum = rs_softtop_log((size_t)all, s->list, s->m, s->width, s->share, &v);
    rs_copy((size_t)count, s->share, s->weight);
    for (int c = count; c < all; c++)
        *slope += s->share[c];
    return sum;
}

/* P = V diag(weights) V', the gradient of the smoothed sum of m eigenvalues */
static void form_P(int count, rs_rlx *s)
{
    const int p = s->p;
    for (int c = 0; c < count; c++)
        rs_scale((size_t)p, sqrt(s->weight[c]), s->V + (size_t)c * p);
    rs_gemm('N', 'T', p, p, count, 1.0, s->V, p, s->V, p, 0.0, s->P, p);
}

/* ---- the rows -------------------------------------------------------------- */

/*
 * Smoothed h_i; spread_i = s_i / (4 alpha_i) with the weights of the smoothing,
 * which times u_ij / (2 alpha_i) go into the gradient.
 */
static void row_terms(const double *x, double *gradient, rs_rlx *s)
{
    const size_t p = (size_t)s->p;
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    const double width = s->width / s->k;
    for (size_t i = 0; i < p; i++) {
        const double *u = x + i * p, quarter = 0.25 * exp(-a[i]);
        double *g = gradient + i * p, own = u[i] * u[i] * quarter;
        for (size_t j = 0; j < p; j++)
            s->row[j] = u[j] * u[j] * quarter;
        /* the diagonal entry goes to the end and is counted in any case */
        s->row[i] = s->row[p - 1];
        const double h = p < 2
                             ? 0.0
                             : rs_softtop_square(p - 1, s->row, s->k - 1.0,
                                                 width, s->weight, &s->cut[i]);
        s->weight[p - 1] = s->weight[i];
        s->weight[i] = 1.0;
        s->spread[i] = own;
        for (size_t j = 0; j < p; j++) {
            if (j != i)
                s->spread[i] += s->weight[j] * u[j] * u[j] * quarter;
            g[j] = 2.0 * quarter * s->weight[j] * u[j];
        }
        s->h[i] = own + h + rs_rlx_length((int)i, p, L, s);
    }
}

double rs_rlx_excess(double beta, double square)
{
    const double root = sqrt(beta * beta + square);
    if (beta <= 0.0)
        return 0.5 * (root - beta);
    return square > 0.0 ? 0.5 * square / (root + beta) : 0.0;
}

/* the terms of the rows outside, after those of `free` rows */
static void outside_terms(int free, rs_rlx *s)
{
    for (int i = 0; i < s->outside; i++)
        s->list[free + i] =
            s->length[i] + rs_rlx_excess(s->nu - s->own[i], s->square[i]);
}

/* their slope in nu, with these weights */
static double outside_slope(const double *weight, const rs_rlx *s)
{
    double slope = 0.0;
    for (int i = 0; i < s->outside; i++) {
        const double beta = s->nu - s->own[i];
        const double root = sqrt(beta * beta + s->square[i]);
        if (root > 0.0)
            slope -= 0.5 * weight[i] * (1.0 - beta / root);
    }
    return slope;
}

/* what the rows asked about add: their largest h, or their smallest, with a
 * minus sign; weights into z */
static double asked_sum(rs_rlx *s)
{
    const double sign = s->asking == RS_ASK_WITH ? 1.0 : -1.0;
    int count = 0;
    double sum;
    for (int i = 0; i < s->p; i++)
        if (s->asked[i])
            s->price[count++] = sign * s->h[i];
    if (count > 1) {
        sum = rs_softtop_log((size_t)count, s->price, 1.0, s->width, s->paid,
                             &s->last);
    } else {
        sum = count > 0 ? s->price[0] : 0.0;
        s->paid[0] = 1.0;
    }
    for (int i = 0, at = 0; i < s->p; i++)
        if (s->asked[i])
            s->z[i] += sign * s->paid[at++];
    return sum;
}

/*
 * The smoothed sum of the k largest h, those of the rows outside among them, and
 * its slope in nu. z: 1 for rows in every set, weights of the others.
 */
static double rows_sum(double *slope, rs_rlx *s)
{
    int free = 0;
    int left =
        s->k - (s->asking == RS_ASK_WITH) + (s->asking == RS_ASK_WITHOUT);
    double sum = 0.0;
    for (int i = 0; i < s->p; i++) {
        if (s->in && s->in[i]) {
            sum += s->h[i];
            left--;
        } else {
            s->list[free++] = s->h[i];
        }
    }
    const int all = free + s->outside;
    outside_terms(free, s);
    if (left > 0 && left < all)
        sum += rs_softtop_log((size_t)all, s->list, left, s->width, s->share,
                              &s->floor);
    else
        rs_fill((size_t)all, left > 0 ? 1.0 : 0.0, s->share);
    for (int i = 0; i < all && left >= all; i++)
        sum += s->list[i];
    for (int i = 0, at = 0; i < s->p; i++) {
        const int inside = s->in && s->in[i];
        s->z[i] = inside ? 1.0 : s->share[at];
        at += !inside;
    }
    *slope = outside_slope(s->share + free, s);
    return s->asking == RS_ASK_ALL ? sum : sum + asked_sum(s);
}

/* where the slope of the sum in nu is known */
typedef struct {
    double nu, slope;
} slope_at;

/*
 * The next nu: away from the one known by growing steps as long as the slope has
 * one sign, then by turns where the chord is zero and halfway.
 */
static double next_nu(int it, const slope_at *low, const slope_at *high)
{
    const double by = 1.0 + ldexp(RS_RELAX_FIRST, rs_min_int(it, 10));
    if (!isfinite(high->nu))
        return low->nu * by;
    if (!isfinite(low->nu))
        return high->nu / by;
    if (it % 2)
        return 0.5 * (low->nu + high->nu);
    return low->nu -
           low->slope * (high->nu - low->nu) / (high->slope - low->slope);
}

double rs_rlx_sums(int count, rs_rlx *s)
{
    slope_at low = {INFINITY, 0.0}, high = {INFINITY, 0.0};
    double sum = 0.0, by_eigen, by_rows;
    for (int it = 0; it < RS_RELAX_STEPS; it++) {
        sum = eigen_sum(count, &by_eigen, s);
        sum += rows_sum(&by_rows, s);
        const slope_at here = {s->nu, by_eigen + by_rows};
        if (s->outside < 1 || !(fabs(here.slope) > RS_RELAX_FLAT * s->m))
            break;
        *(here.slope > 0.0 ? &high : &low) = here;
        s->nu = next_nu(it, &low, &high);
        if (s->nu == here.nu)
            break;
    }
    return sum;
}

rs_status rs_rlx_smooth(void *state, const double *x, double *value,
                        double *gradient)
{
    rs_rlx *s = (rs_rlx *)state;
    const size_t p = (size_t)s->p;
    const double *L = L_of(x, s);
    double *gL = (double *)L_of(gradient, s);
    double *ga = (double *)log_alpha_of(gradient, s);
    int count;
    s->evaluations += 1.0;
    *value = INFINITY;
    /* a step too far: not a number that LAPACK is to see */
    if (!rs_all_finite(rs_rlx_size(s, s->p), x))
        return RS_OK;
    form_matrix(x, s);
    if (!rs_all_finite(p * p, s->A))
        return RS_OK;
    RS_TRY(pairs_that_count(&count, s));
    row_terms(x, gradient, s);
    *value = rs_rlx_sums(count, s);
    form_P(count, s);
    for (size_t i = 0; i < p; i++) {
        double *g = gradient + i * p;
        const double *P = s->P + i * p;
        for (size_t j = 0; j < p; j++)
            g[j] = s->z[i] * g[j] - P[j];
        ga[i] = exp(log_alpha_of(x, s)[i]) * P[i] - s->z[i] * s->spread[i];
    }
    rs_gemm('N', 'N', s->p, s->r, s->p, -2.0, s->P, s->p, L, s->p, 0.0, gL,
            s->p);
    for (int c = 0; c < s->r; c++)
        for (size_t i = 0; i < p; i++)
            gL[i + p * c] += 2.0 * s->z[i] * L[i + p * c];
    return RS_OK;
}

void rs_rlx_round(const int *names, int *set, double *work, rs_rlx *s)
{
    for (int i = 0; i < s->p; i++)
        s->row[i] = s->z[i] + (s->in && s->in[i] ? 2.0 : 0.0);
    rs_topk_order(s->p, s->row, s->k, set, work);
    for (int a = 0; a < s->k; a++)
        set[a] = names[set[a]];
}

/* ---- the bound ------------------------------------------------------------- */

/*
 * How far computed eigenvalues may be from those of the exact matrix: rounding
 * of its entries, and a backward stable method, both in the Frobenius norm.
 */
static double eigen_error(const double *x, const rs_rlx *s)
{
    const size_t p = (size_t)s->p;
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    double alpha = 0.0, A = 0.0;
    for (size_t i = 0; i < p; i++) {
        alpha = hypot(alpha, exp(a[i]));
        for (size_t j = 0; j < i; j++)
            A += 2.0 * s->A[j + i * p] * s->A[j + i * p];
        A += s->A[i + i * p] * s->A[i + i * p];
    }
    const double parts = rs_norm(p * p, s->S) + rs_sum_squares(p * s->r, L) +
                         rs_norm(p * p, x) + alpha;
    return DBL_EPSILON *
           ((s->r + RS_RELAX_SUM) * parts + RS_RELAX_EIGEN * p * sqrt(A));
}

/* all eigenvalues, which a method finds that misses none */
static rs_status bound_eigenpart(const double *x, rs_rlx *s)
{
    form_matrix(x, s);
    RS_TRY(rs_eigen_largest(s->p, s->A, s->p, s->lambda, NULL, &s->eigen));
    const double error = eigen_error(x, s);
    s->eigenpart = s->m * error;
    for (int c = 0; c < s->m; c++)
        s->eigenpart += s->lambda[c];
    s->eigenpart += RS_RELAX_SUM * s->m * DBL_EPSILON * fabs(s->lambda[0]);
    s->least = s->lambda[s->m - 1] - error;
    s->level_known = 0;
    return RS_OK;
}

double rs_rlx_length(int i, size_t rows, const double *L, const rs_rlx *s)
{
    double length = 0.0;
    for (int c = 0; c < s->r; c++)
        length += L[i + rows * c] * L[i + rows * c];
    return length;
}

double rs_rlx_squares(int count, const double *u, double *smallest, int *index,
                      double *work, const rs_rlx *s)
{
    const int take = rs_min_int(s->k - 1, count);
    double sum = 0.0;
    if (take > 0)
        rs_topk_order(count, u, take, index, work);
    for (int t = 0; t < take; t++)
        sum += u[index[t]] * u[index[t]];
    *smallest = take > 0 && take == s->k - 1 ? u[index[take - 1]] : 0.0;
    return sum;
}

static void bound_rows(const double *x, rs_rlx *s)
{
    const size_t p = (size_t)s->p;
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    const double up = 1.0 + (s->k + s->r + RS_RELAX_SUM) * DBL_EPSILON;
    for (size_t i = 0; i < p; i++) {
        const double *u = x + i * p;
        for (size_t j = 0; j < p; j++)
            s->row[j] = fabs(u[j]);
        /* the diagonal entry is counted in any case */
        s->row[i] = s->row[p - 1];
        const double square =
            u[i] * u[i] +
            rs_rlx_squares(s->p - 1, s->row, &s->tau[i], s->order, s->work, s);
        s->h[i] =
            up * (rs_rlx_length((int)i, p, L, s) + square / (4.0 * exp(a[i])));
    }
}

double rs_rlx_sum(int count, const double *h, const unsigned char *in, int k,
                  double *smallest, double *next, double *work)
{
    int free = 0, left = k;
    double sum = 0.0, least = INFINITY, outside = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (in && in[i]) {
            sum += h[i];
            left--;
        } else {
            work[free++] = h[i];
        }
    }
    left = rs_min_int(left, free);
    for (int t = 0; t < left; t++) { /* the largest ones to the front */
        int at = t;
        for (int i = t + 1; i < free; i++)
            if (work[i] > work[at])
                at = i;
        const double value = work[at];
        work[at] = work[t];
        work[t] = value;
        sum += value;
        least = value;
    }
    for (int i = left > 0 ? left : 0; i < free; i++)
        outside = fmax(outside, work[i]);
    *smallest = least;
    *next = outside;
    return sum + (k + RS_RELAX_SUM) * DBL_EPSILON * fabs(sum);
}

rs_status rs_rlx_bound(const double *x, double *bound, rs_rlx *s)
{
    double smallest, next;
    if (!rs_all_finite(rs_rlx_size(s, s->p), x)) {
        *bound = INFINITY;
        return RS_OK;
    }
    RS_TRY(bound_eigenpart(x, s));
    bound_rows(x, s);
    *bound = s->eigenpart +
             rs_rlx_sum(s->p, s->h, s->in, s->k, &smallest, &next, s->row);
    if (isnan(*bound))
        *bound = INFINITY;
    return RS_OK;
}
