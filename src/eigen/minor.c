#include "eigen/minor.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/reweight.h"

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

/* the sample that is furthest from the span; -1 if the distances are rounding */
static int furthest(int n, const double *distance, double least)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (distance[i] > least) {
            least = distance[i];
            best = i;
        }
    return best;
}

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

/* pivot (n): the samples that span the row space, *rank of them */
static rs_status choose_samples(rs_context *ctx, const rs_data *X, int *rank,
                                int *pivot)
{
    const int n = X->n;
    double *K, *L, *distance, *row, largest = 0.0;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * n, &K, &L);
    RS_ALLOC_DOUBLES(ctx, (size_t)n, &distance, &row);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_gram_samples(X, NULL, K));
    for (int i = 0; i < n; i++) {
        distance[i] = K[i + (size_t)i * n];
        largest = fmax(largest, distance[i]);
    }
    if (!isfinite(largest))
        return RS_NOT_FINITE;
    for (*rank = 0; *rank < rs_min_int(n, X->d); (*rank)++) {
        const int p = furthest(n, distance, RS_NOTHING * largest);
        if (p < 0)
            break;
        pivot[*rank] = p;
        add_column(n, *rank, p, K, L, distance, row);
        RS_TRY(rs_poll(ctx));
    }
    return *rank > 0 ? RS_OK : RS_BAD_INPUT;
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
            RS_TRY(rs_gemm_polled(ctx, 'T', 'N', j, width, d, 1.0, V, d,
                                  columns, d, 0.0, inner, r));
            RS_TRY(rs_gemm_polled(ctx, 'N', 'N', d, width, j, -1.0, V, d,
                                  inner, r, 1.0, columns, d));
            RS_TRY(rs_qr_orthonormal(d, width, columns, &qr));
        }
    }
    return RS_OK;
}

static rs_status find_row_space(rs_context *ctx, rs_data *X,
                                rs_row_space *space)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    double *inner;
    int *pivot = rs_alloc_int(ctx, n);
    RS_TRY_ALLOC(pivot);
    RS_TRY(choose_samples(ctx, X, &space->rank, pivot));
    const size_t r = (size_t)space->rank;
    space->basis = rs_alloc_double(ctx, d * r);
    space->coordinates = rs_alloc_double(ctx, n * r);
    inner = rs_alloc_double(ctx, r * RS_PANEL);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_rows(X, space->rank, pivot, space->basis));
    RS_TRY(orthonormalise(ctx, X->d, space->rank, space->basis, inner));
    return rs_data_times(X, space->rank, space->basis, space->coordinates);
}

/* ---- preparation ------------------------------------------------------------ */

static rs_status find_features(const double *square, rs_minor *s)
{
    s->kept = rs_alloc_int(s->X->ctx, (size_t)s->d);
    RS_TRY_ALLOC(s->kept);
    for (int j = 0; j < s->d; j++)
        if (square[j] > 0.0)
            s->kept[s->order++] = j;
    if (s->order < s->n)
        return RS_OK;
    s->kept = NULL;
    RS_TRY(find_row_space(s->X->ctx, s->X, &s->space));
    s->order = s->space.rank;
    return RS_OK;
}

static rs_status take_room(rs_minor *s)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d, r = (size_t)s->order;
    const size_t block = (size_t)rs_minor_block(s->m);
    s->T = rs_alloc_double(s->X->ctx, r * r);
    s->B = rs_alloc_double(s->X->ctx, r * s->m);
    s->W = rs_alloc_double(s->X->ctx, d * s->m);
    RS_ALLOC_DOUBLES(s->X->ctx, d, &s->square, &s->weight);
    RS_ALLOC_DOUBLES(s->X->ctx, n * block, &s->panel, &s->images);
    s->product = rs_alloc_double(s->X->ctx, d * block);
    s->TB = rs_alloc_double(s->X->ctx, r * block);
    RS_TRY(rs_allocated(s->X->ctx));
    return rs_smallest_init(s->X->ctx, s->order, s->m, &s->smallest);
}

rs_status rs_minor_init(rs_data *X, int m, const double *square, rs_minor *s)
{
    *s = (rs_minor){.X = X, .n = X->n, .d = X->d};
    RS_TRY(find_features(square, s));
    if (m < 1 || s->order < 1)
        return RS_BAD_INPUT;
    s->m = rs_min_int(m, s->order);
    RS_TRY(take_room(s));
    rs_fill((size_t)s->order * s->m, 0.0, s->B);
    for (int c = 0; c < s->m; c++)
        s->B[c + (size_t)c * s->order] = 1.0;
    return RS_OK;
}

/* columns from, ..., of T are Y' times the images */
static rs_status set_columns(int from, int width, rs_minor *s)
{
    const size_t r = (size_t)s->order;
    double *T = s->T + r * from;
    if (!s->kept)
        return rs_gemm_polled(s->X->ctx, 'T', 'N', s->order, width, s->n, 1.0,
                              s->space.coordinates, s->n, s->images, s->n, 0.0,
                              T, s->order);
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
            columns = s->space.coordinates + (size_t)from * s->n;
        else
            RS_TRY(rs_data_columns(s->X, width, s->kept + from, s->panel));
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
        const double *V = s->space.basis + from;
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

static double unit_for(double gamma)
{
    return gamma > RS_MINOR_LARGE ? 1.0 / gamma : 1.0;
}

/* the matrix of s->smallest = T + gamma P + shift I in a unit of gamma, both triangles */
static rs_status form(double gamma, double shift, rs_minor *s)
{
    const size_t r = (size_t)s->order;
    const double unit = unit_for(gamma);
    double *H = s->smallest.system.A;
    rs_copy(r * r, s->T, H);
    if (unit < 1.0)
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
                              s->space.basis, s->d, s->B, s->order, 0.0, s->W,
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

void rs_minor_reset(rs_minor *s)
{
    rs_fill((size_t)s->d, 1.0, s->weight);
}

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
        rs_minor_reset(s);
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
        return rs_gemm_polled(s->X->ctx, 'N', 'N', s->n, s->m, s->order, 1.0,
                              s->space.coordinates, s->n, s->B, s->order, 0.0,
                              ZW, s->n);
    return rs_data_times(s->X, s->m, s->W, ZW);
}
