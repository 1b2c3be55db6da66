#include "eigen/minor.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/penalty.h"

int rs_minor_block(int m)
{
    return rs_max_int(m, RS_PANEL);
}

/* ---- the row space ----------------------------------------------------------- */

/*
 * Samples are taken one by one, always the one that is furthest from the span
 * of those before (Cholesky factorisation of ZZ' with pivots), until what is
 * left of every sample is rounding. O(n^2 (n + d)).
 */

/* L[, r] = (K[, p] - L[, <r] L[p, <r]') / sqrt(distance of p), and the squared
 * distances from the span that has p in it; row: r numbers */
static void add_column(int n, int r, int p, const double *K, double *L,
                       double *distance, double *row)
{
    double *column = L + (size_t)r * n;
    const double root = sqrt(distance[p]);
    for (int c = 0; c < r; c++)
        row[c] = L[p + (size_t)c * n];
    rs_copy((size_t)n, K + (size_t)p * n, column);
    if (r > 0)
        rs_gemv('N', n, r, -1.0, L, n, row, 1.0, column);
    for (int i = 0; i < n; i++) {
        column[i] /= root;
        distance[i] = fmax(distance[i] - column[i] * column[i], 0.0);
    }
    distance[p] = 0.0;
}

/* pivot (n): the samples that span the row space, s->order of them */
static rs_status choose_samples(rs_minor *s, int *pivot)
{
    rs_context *ctx = s->X->ctx;
    const int n = s->X->n;
    double *K, *L, *distance, *row;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * n, &K, &L);
    RS_ALLOC_DOUBLES(ctx, (size_t)n, &distance, &row);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_gram_samples(s->X, NULL, K));
    for (int i = 0; i < n; i++)
        distance[i] = K[i + (size_t)i * n];
    if (!rs_all_finite((size_t)n, distance))
        return RS_NOT_FINITE;
    const double rounding = RS_NOTHING * rs_largest(n, distance);
    for (s->order = 0; s->order < rs_min_int(n, s->d); s->order++) {
        int p = 0; /* the sample that is furthest from the span */
        for (int i = 1; i < n; i++)
            if (distance[i] > distance[p])
                p = i;
        if (!(distance[p] > rounding))
            break;
        pivot[s->order] = p;
        add_column(n, s->order, p, K, L, distance, row);
        RS_TRY(rs_poll(ctx));
    }
    return s->order > 0 ? RS_OK : RS_BAD_INPUT;
}

/* V (d x r) orthonormal, some columns at a time, which leave the span of those
 * before them twice; inner: r x RS_PANEL */
static rs_status orthonormalise(rs_context *ctx, int d, int r, double *V,
                                double *inner)
{
    const int step = rs_columns_per_call(d, RS_PANEL, rs_min_int(r, RS_PANEL));
    rs_qr_ws qr;
    RS_TRY(rs_qr_init(ctx, d, step, &qr));
    for (int j = 0; j < r; j += step) {
        const int width = rs_min_int(step, r - j);
        double *columns = V + (size_t)j * d;
        for (int pass = 0; pass < 2; pass++) {
            RS_TRY(rs_leave_span(ctx, d, j, V, width, columns, inner));
            RS_TRY(rs_qr_orthonormal(d, width, columns, &qr));
        }
    }
    return RS_OK;
}

static rs_status find_row_space(rs_minor *s)
{
    rs_context *ctx = s->X->ctx;
    int *pivot = rs_alloc_int(ctx, (size_t)s->X->n);
    RS_TRY_ALLOC(pivot);
    RS_TRY(choose_samples(s, pivot));
    const size_t r = (size_t)s->order;
    double *inner = rs_alloc_double(ctx, r * RS_PANEL);
    s->basis = rs_alloc_double(ctx, s->d * r);
    s->coordinates = rs_alloc_double(ctx, s->X->n * r);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_rows(s->X, s->order, pivot, 0, s->basis));
    RS_TRY(orthonormalise(ctx, s->d, s->order, s->basis, inner));
    return rs_data_times(s->X, s->order, s->basis, s->coordinates);
}

/* ---- preparation ------------------------------------------------------------ */

static rs_status find_features(const double *square, rs_minor *s)
{
    s->kept = rs_alloc_int(s->X->ctx, (size_t)s->d);
    RS_TRY_ALLOC(s->kept);
    for (int j = 0; j < s->d; j++)
        if (square[j] > 0.0)
            s->kept[s->order++] = j;
    if (s->order < s->X->n)
        return RS_OK;
    s->kept = NULL;
    return find_row_space(s);
}

rs_status rs_minor_init(rs_data *X, int m, const double *square, rs_minor *s)
{
    *s = (rs_minor){.X = X, .d = X->d};
    RS_TRY(find_features(square, s));
    if (m < 1 || s->order < 1)
        return RS_BAD_INPUT;
    s->m = rs_min_int(m, s->order);
    const size_t n = (size_t)s->X->n, d = (size_t)s->d, r = (size_t)s->order;
    const size_t block = (size_t)rs_minor_block(s->m);
    s->T = rs_alloc_double(X->ctx, r * r);
    s->B = rs_alloc_double(X->ctx, r * s->m);
    s->W = rs_alloc_double(X->ctx, d * s->m);
    RS_ALLOC_DOUBLES(X->ctx, d, &s->square, &s->weight);
    RS_ALLOC_DOUBLES(X->ctx, n * block, &s->panel, &s->images);
    s->product = rs_alloc_double(X->ctx, d * block);
    s->TB = rs_alloc_double(X->ctx, r * block);
    RS_TRY(rs_allocated(X->ctx));
    rs_fill(r * s->m, 0.0, s->B);
    for (int c = 0; c < s->m; c++)
        s->B[c + r * c] = 1.0;
    return rs_smallest_init(X->ctx, s->order, s->m, &s->smallest);
}

/* columns from, ..., of T are Y' times the images */
static rs_status set_columns(int from, int width, rs_minor *s)
{
    const size_t r = (size_t)s->order;
    double *T = s->T + r * from;
    if (!s->kept)
        return rs_gemm_polled(s->X->ctx, 'T', 'N', s->order, width, s->X->n,
                              1.0, s->coordinates, s->X->n, s->images, s->X->n,
                              0.0, T, s->order);
    RS_TRY(rs_data_crossprod(s->X, width, s->images, s->product));
    for (int c = 0; c < width; c++)
        for (size_t i = 0; i < r; i++)
            T[i + r * c] = s->product[s->kept[i] + (size_t)c * s->d];
    return RS_OK;
}

rs_status rs_minor_set(rs_apply_fn N, void *state, rs_minor *s)
{
    const int block = rs_minor_block(s->m);
    for (int from = 0; from < s->order; from += block) {
        const int width = rs_min_int(block, s->order - from);
        const double *columns = s->panel;
        if (!s->kept)
            columns = s->coordinates + (size_t)from * s->X->n;
        else
            RS_TRY(rs_data_columns(s->X, width, s->kept + from, 0, s->panel));
        RS_TRY(N(state, width, columns, s->images));
        RS_TRY(set_columns(from, width, s));
        RS_TRY(rs_poll(s->X->ctx));
    }
    rs_symmetrise(s->order, s->T);
    s->level = 0.0;
    for (int i = 0; i < s->order; i++)
        s->level += s->T[i + (size_t)i * s->order] / s->order;
    return isfinite(s->level) ? RS_OK : RS_NOT_FINITE;
}

/* ---- the eigenproblem --------------------------------------------------------- */

/* H (upper triangle) += gamma V'diag(q)V, some features at a time */
static rs_status add_weights_wide(double gamma, double *H, rs_minor *s)
{
    const int r = s->order, block = rs_minor_block(s->m);
    double *root = s->product, *scaled = s->TB;
    for (int j = 0; j < s->d; j++)
        root[j] = sqrt(gamma * s->weight[j]);
    for (int from = 0; from < s->d; from += block) {
        const int width = rs_min_int(block, s->d - from);
        const double *V = s->basis + from;
        for (int i = 0; i < r; i++)
            for (int c = 0; c < width; c++)
                scaled[c + (size_t)i * width] =
                    root[from + c] * V[c + (size_t)i * s->d];
        RS_TRY(rs_gram_add(s->X->ctx, width, r, scaled, width, H));
    }
    return RS_OK;
}

/* what squares of its multiples of the weights would overflow by is taken out of
 * the whole matrix: neither its eigenvectors nor ratios know of it */
#define RS_MINOR_LARGE 1e100

/* the matrix of s->smallest = T + gamma P + shift I in a unit of gamma, both triangles */
static rs_status form(double gamma, double shift, rs_minor *s)
{
    const size_t r = (size_t)s->order;
    const double unit = gamma > RS_MINOR_LARGE ? 1.0 / gamma : 1.0;
    double *H = s->smallest.system.A;
    rs_copy(r * r, s->T, H);
    rs_scale(r * r, unit, H);
    if (!s->kept)
        RS_TRY(add_weights_wide(unit * gamma, H, s));
    for (size_t i = 0; i < r; i++)
        H[i + r * i] +=
            unit * (shift + (s->kept ? gamma * s->weight[s->kept[i]] : 0.0));
    rs_mirror_upper(s->order, H);
    return RS_OK;
}

/* W = V B, and the squares of its rows */
static rs_status expand(rs_minor *s)
{
    const size_t d = (size_t)s->d, r = (size_t)s->order;
    if (!s->kept) {
        RS_TRY(rs_gemm_polled(s->X->ctx, 'N', 'N', s->d, s->m, s->order, 1.0,
                              s->basis, s->d, s->B, s->order, 0.0, s->W,
                              s->d));
    } else {
        rs_fill(d * s->m, 0.0, s->W);
        for (int c = 0; c < s->m; c++)
            for (size_t i = 0; i < r; i++)
                s->W[s->kept[i] + d * c] = s->B[i + r * c];
    }
    rs_row_squares(s->d, s->m, s->W, s->square);
    return rs_all_finite(d * s->m, s->W) ? RS_OK : RS_NOT_FINITE;
}

rs_status rs_minor_step(double gamma, rs_minor *s)
{
    RS_TRY(form(gamma, s->smallest.is_dense ? 0.0 : RS_SHIFT * s->level, s));
    RS_TRY(rs_smallest_of(1, s->B, &s->smallest));
    return expand(s);
}

/* ---- reweighting --------------------------------------------------------------- */

void rs_minor_reweigh(const rs_minor_control *set, rs_minor *s)
{
    rs_reweight_rows(s->groups, (size_t)s->d, s->square, set->eps, set->p,
                     s->weight);
}

double rs_minor_trace(rs_minor *s)
{
    rs_matmul(s->order, s->order, s->m, s->T, s->B, s->TB);
    return rs_dot((size_t)s->order * s->m, s->B, s->TB);
}

double rs_minor_penalty(const rs_minor_control *set, const rs_minor *s)
{
    return rs_smoothed_rows(s->groups, (size_t)s->d, s->square, set->eps,
                            set->p);
}

double rs_minor_objective(const rs_minor_control *set, rs_minor *s)
{
    return rs_minor_trace(s) + set->gamma * rs_minor_penalty(set, s);
}

/* G - B sym(B'G) beside G = (T + gamma P) B, with the q that belong to W */
rs_status rs_minor_stationarity(const rs_minor_control *set, rs_minor *s,
                                double *kkt)
{
    const size_t size = (size_t)s->order * s->m;
    const int r = s->order, m = s->m;
    double *inner = s->panel; /* m x m */
    rs_minor_reweigh(set, s);
    RS_TRY(form(set->gamma, 0.0, s));
    rs_matmul(r, r, m, s->smallest.system.A, s->B, s->TB);
    const double whole = rs_norm(size, s->TB);
    rs_crossprod(r, m, m, s->B, s->TB, inner);
    rs_symmetrise(m, inner);
    rs_gemm('N', 'N', r, m, m, -1.0, s->B, r, inner, m, 1.0, s->TB, r);
    *kkt = whole > 0.0 ? rs_norm(size, s->TB) / whole : 0.0;
    return RS_OK;
}

rs_status rs_minor_descend(const rs_minor_control *set, int restart,
                           rs_minor *s, double *objective, int *iterations)
{
    double before = INFINITY;
    *iterations = 0;
    *objective = INFINITY;
    if (restart)
        rs_fill((size_t)s->d, 1.0, s->weight);
    else
        rs_minor_reweigh(set, s);
    while (*iterations < set->maxit) {
        RS_TRY(rs_minor_step(set->gamma, s));
        before = *objective;
        *objective = rs_minor_objective(set, s);
        (*iterations)++;
        if (fabs(before - *objective) <= set->tol * fabs(*objective))
            return RS_OK;
        rs_minor_reweigh(set, s);
        RS_TRY(rs_poll(s->X->ctx));
    }
    return RS_MAXIT;
}

rs_status rs_minor_improve(const rs_minor_control *set, double *last,
                           rs_minor *s, double *objective, int *iterations)
{
    const double before = rs_minor_objective(set, s);
    int more = 0;
    rs_copy((size_t)s->order * s->m, s->B, last);
    rs_status status = rs_minor_descend(set, 1, s, objective, iterations);
    if (!rs_is_usable(status) || *objective <= before)
        return status;
    rs_copy((size_t)s->order * s->m, last, s->B);
    RS_TRY(expand(s));
    status = rs_minor_descend(set, 0, s, objective, &more);
    *iterations += more;
    return status;
}

rs_minor_control rs_minor_scaled(rs_minor_control set, int relative,
                                 const rs_minor *s)
{
    set.eps *= (double)s->m / s->d;
    if (relative)
        set.gamma *= s->level / rs_reweight((double)s->m / s->d, 0.0, set.p);
    return set;
}

rs_status rs_minor_project(const rs_minor *s, double *ZW)
{
    if (!s->kept)
        return rs_gemm_polled(s->X->ctx, 'N', 'N', s->X->n, s->m, s->order,
                              1.0, s->coordinates, s->X->n, s->B, s->order,
                              0.0, ZW, s->X->n);
    return rs_data_times(s->X, s->m, s->W, ZW);
}
