#include "data/data.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_data_init(rs_context *ctx, int block, rs_data *X)
{
    X->ctx = ctx;
    X->block = block;
    X->rows_t = NULL;
    X->cols_t = NULL;
    X->panel = NULL;
    if (X->dense) {
        X->panel = rs_alloc_double(ctx, (size_t)X->n * RS_PANEL);
        return rs_allocated(ctx);
    }
    X->rows_t = rs_alloc_double(ctx, (size_t)block * X->n);
    X->cols_t = rs_alloc_double(ctx, (size_t)block * X->d);
    return rs_allocated(ctx);
}

static double weight_of(const rs_data *X, int j)
{
    return X->weight ? X->weight[j] : 1.0;
}

/*
 * Sparse columns, z = (x - mu 1) w. A column without holes may have a mean
 * that is large beside its deviation, so its entries are centred one by one:
 * base = mu, rest = 0. One with holes has mu^2 <= (entries / holes) deviation^2
 * and its mean may be taken out of sums over the entries: base = 0, rest = mu.
 */
static double base_of(const rs_data *X, int j)
{
    return X->p[j + 1] - X->p[j] == X->n ? X->mean[j] : 0.0;
}

static double rest_of(const rs_data *X, int j)
{
    return X->p[j + 1] - X->p[j] == X->n ? 0.0 : X->mean[j];
}

/* ---- dense -------------------------------------------------------------- */

/* Y = sum over column blocks J of Z[, J] W[J, ] */
static rs_status dense_times(const rs_data *X, int m, const double *W,
                             double *Y)
{
    int step = rs_columns_per_call(X->n, m, X->d);
    for (int j = 0; j < X->d; j += step) {
        int width = rs_min_int(step, X->d - j);
        rs_gemm('N', 'N', X->n, m, width, 1.0, X->dense + (size_t)j * X->n,
                X->n, W + j, X->d, j > 0 ? 1.0 : 0.0, Y, X->n);
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

/* products this narrow go column by column: dgemm would copy all of Z */
#define RS_NARROW 3
/* bytes of a block of Z that stays in the second-level cache */
#define RS_CACHED (1 << 18)

/* W[J, ] = Z[, J]' Y for a few columns of Y: one pass over Z */
static rs_status dense_crossprod_narrow(const rs_data *X, int m,
                                        const double *Y, double *W)
{
    const int n = X->n;
    double since_poll = 0.0;
    int step = (int)(RS_CACHED / sizeof(double)) / n;
    if (step < 1)
        step = 1;
    for (int j = 0; j < X->d; j += step) {
        int width = rs_min_int(step, X->d - j);
        for (int c = 0; c < m; c++)
            rs_gemv('T', n, width, 1.0, X->dense + (size_t)j * n, n,
                    Y + (size_t)c * n, 0.0, W + j + (size_t)c * X->d);
        since_poll += 2.0 * n * width * m;
        if (since_poll > RS_FLOPS_PER_CALL) {
            RS_TRY(rs_poll(X->ctx));
            since_poll = 0.0;
        }
    }
    return rs_poll(X->ctx);
}

/* W[J, ] = Z[, J]' Y */
static rs_status dense_crossprod(const rs_data *X, int m, const double *Y,
                                 double *W)
{
    if (m <= RS_NARROW)
        return dense_crossprod_narrow(X, m, Y, W);

    int step = rs_columns_per_call(X->n, m, X->d);
    for (int j = 0; j < X->d; j += step) {
        int width = rs_min_int(step, X->d - j);
        rs_gemm('T', 'N', width, m, X->n, 1.0, X->dense + (size_t)j * X->n,
                X->n, Y, X->n, 0.0, W + j, X->d);
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

/* ---- sparse ------------------------------------------------------------- */

/* B (q x p) = A' for A (p x q) */
static void transpose(int p, int q, const double *A, double *B)
{
    for (int j = 0; j < q; j++)
        for (int i = 0; i < p; i++)
            B[j + (size_t)i * q] = A[i + (size_t)j * p];
}

/* columns whose entries times m stay within RS_FLOPS_PER_CALL */
#define RS_ENTRIES_PER_POLL (1 << 22)

/*
 * rows_t = (X D W)' row by row, then Y = X D W - 1 (mu' D W), where X and mu
 * are the entries less their base and the rest. The rows of W and Y lie
 * contiguous in the transposes, so the inner loop runs over m.
 */
static rs_status sparse_times(const rs_data *X, int m, const double *W,
                              double *Y)
{
    const int n = X->n, d = X->d;
    double *Yt = X->rows_t, *Wt = X->cols_t;
    size_t since_poll = 0;

    transpose(d, m, W, Wt);
    rs_fill((size_t)m * n, 0.0, Yt);
    for (int j = 0; j < d; j++) {
        double *w = Wt + (size_t)j * m;
        const double base = base_of(X, j);
        if (X->weight)
            for (int c = 0; c < m; c++)
                w[c] *= X->weight[j];
        for (int at = X->p[j]; at < X->p[j + 1]; at++) {
            double value = X->value[at] - base;
            double *y = Yt + (size_t)X->row[at] * m;
            for (int c = 0; c < m; c++)
                y[c] += value * w[c];
        }
        since_poll += ((size_t)(X->p[j + 1] - X->p[j]) + 1) * (size_t)m;
        if (since_poll > RS_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(X->ctx));
            since_poll = 0;
        }
    }
    transpose(m, n, Yt, Y);
    for (int c = 0; c < m; c++) {
        double shift = 0.0; /* mu' D w_c */
        for (int j = 0; j < d; j++)
            shift += rest_of(X, j) * Wt[c + (size_t)j * m];
        double *y = Y + (size_t)c * n;
        for (int i = 0; i < n; i++)
            y[i] -= shift;
    }
    return RS_OK;
}

/* W = D (X'Y - mu (1'Y)) */
static rs_status sparse_crossprod(const rs_data *X, int m, const double *Y,
                                  double *W)
{
    const int n = X->n, d = X->d;
    double *Yt = X->rows_t, *Wt = X->cols_t;
    size_t since_poll = 0;

    transpose(n, m, Y, Yt);
    for (int j = 0; j < d; j++) {
        double *w = Wt + (size_t)j * m;
        const double base = base_of(X, j), weight = weight_of(X, j);
        rs_fill((size_t)m, 0.0, w);
        for (int at = X->p[j]; at < X->p[j + 1]; at++) {
            double value = (X->value[at] - base) * weight;
            const double *y = Yt + (size_t)X->row[at] * m;
            for (int c = 0; c < m; c++)
                w[c] += value * y[c];
        }
        since_poll += ((size_t)(X->p[j + 1] - X->p[j]) + 1) * (size_t)m;
        if (since_poll > RS_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(X->ctx));
            since_poll = 0;
        }
    }
    transpose(m, d, Wt, W);
    for (int c = 0; c < m; c++) {
        double total = 0.0; /* 1'y_c */
        const double *y = Y + (size_t)c * n;
        for (int i = 0; i < n; i++)
            total += y[i];
        double *w = W + (size_t)c * d;
        for (int j = 0; j < d; j++)
            w[j] -= weight_of(X, j) * rest_of(X, j) * total;
    }
    return RS_OK;
}

/* ---- both --------------------------------------------------------------- */

rs_status rs_data_times(const rs_data *X, int m, const double *W, double *Y)
{
    if (m > X->block)
        return RS_BAD_INPUT;
    return X->dense ? dense_times(X, m, W, Y) : sparse_times(X, m, W, Y);
}

rs_status rs_data_crossprod(const rs_data *X, int m, const double *Y,
                            double *W)
{
    if (m > X->block)
        return RS_BAD_INPUT;
    return X->dense ? dense_crossprod(X, m, Y, W)
                    : sparse_crossprod(X, m, Y, W);
}

rs_status rs_data_crossprod_vector(const rs_data *X, const double *z,
                                   double *c)
{
    return rs_data_crossprod(X, 1, z, c);
}

void rs_data_column(const rs_data *X, int j, double *z)
{
    if (X->dense) {
        rs_copy((size_t)X->n, X->dense + (size_t)j * X->n, z);
        return;
    }
    const double mean = X->mean[j], weight = weight_of(X, j);
    rs_fill((size_t)X->n, -mean * weight, z);
    for (int at = X->p[j]; at < X->p[j + 1]; at++)
        z[X->row[at]] = (X->value[at] - mean) * weight;
}

/* sum over the column of ((x - mu) w)^2: entries present, then the zeros */
static double sparse_column_square(const rs_data *X, int j)
{
    const double mean = X->mean[j], weight = weight_of(X, j);
    const double hole = mean * weight;
    double sum = 0.0;
    for (int at = X->p[j]; at < X->p[j + 1]; at++) {
        double gap = (X->value[at] - mean) * weight;
        sum += gap * gap;
    }
    int holes = X->n - (X->p[j + 1] - X->p[j]);
    return holes > 0 ? sum + holes * (hole * hole) : sum;
}

void rs_data_column_squares(const rs_data *X, double *squares)
{
    for (int j = 0; j < X->d; j++)
        squares[j] = X->dense ? rs_sum_squares((size_t)X->n,
                                               X->dense + (size_t)j * X->n)
                              : sparse_column_square(X, j);
}

void rs_data_row_squares(const rs_data *X, const double *e, double *squares)
{
    const int n = X->n;
    double shift = 0.0; /* sum_j e_j (w_j mu_j)^2: a row without entries */
    rs_fill((size_t)n, 0.0, squares);
    for (int j = 0; j < X->d; j++) {
        double factor = e ? e[j] : 1.0;
        if (X->dense) {
            const double *z = X->dense + (size_t)j * n;
            for (int i = 0; i < n; i++)
                squares[i] += factor * z[i] * z[i];
            continue;
        }
        const double base = base_of(X, j), weight = weight_of(X, j);
        const double rest = rest_of(X, j) * weight;
        shift += factor * rest * rest;
        for (int at = X->p[j]; at < X->p[j + 1]; at++) {
            double value = (X->value[at] - base) * weight;
            squares[X->row[at]] += factor * value * (value - 2.0 * rest);
        }
    }
    for (int i = 0; i < n; i++)
        squares[i] += shift;
}

/* G[I, J] = Z[, I]' diag(t) Z[, J] over column blocks with I <= J */
static rs_status dense_gram_features(const rs_data *X, const double *t,
                                     double *G)
{
    const int n = X->n, d = X->d;
    int step = t ? RS_PANEL : 256;
    for (int j = 0; j < d; j += step) {
        int width = rs_min_int(step, d - j);
        const double *block = X->dense + (size_t)j * n;
        int rows = rs_columns_per_call(n, width, d);
        if (t) {
            for (int c = 0; c < width; c++)
                for (int i = 0; i < n; i++)
                    X->panel[i + (size_t)c * n] =
                        t[i] * block[i + (size_t)c * n];
            block = X->panel;
        }
        for (int i = 0; i < j + width; i += rows) {
            int height = rs_min_int(rows, j + width - i);
            rs_gemm('T', 'N', height, width, n, 1.0, X->dense + (size_t)i * n,
                    n, block, n, 0.0, G + i + (size_t)j * d, d);
            RS_TRY(rs_poll(X->ctx));
        }
    }
    rs_mirror_upper(d, G);
    return RS_OK;
}

/* the feature at a position of a list; NULL lists all of them */
static inline int listed(const int *index, int position)
{
    return index ? index[position] : position;
}

/*
 * Column `at` of Z'TZ for the listed features, down to the diagonal. The
 * column z of that feature is made dense and times t, so that only the mean
 * of the other one is left to be taken out, and little where T is the identity:
 *     w_i (x_i'Tz - mu_i (1'Tz))
 */
static void sparse_gram_column(const rs_data *X, const double *t,
                               const int *index, int at, double *z, double *g)
{
    double total = 0.0;
    rs_data_column(X, listed(index, at), z);
    for (int r = 0; r < X->n; r++) {
        if (t)
            z[r] *= t[r];
        total += z[r];
    }
    for (int row = 0; row <= at; row++) {
        const int i = listed(index, row);
        const double base = base_of(X, i);
        double sum = -rest_of(X, i) * total;
        for (int a = X->p[i]; a < X->p[i + 1]; a++)
            sum += (X->value[a] - base) * z[X->row[a]];
        g[row] = sum * weight_of(X, i);
    }
}

static rs_status sparse_gram_features(const rs_data *X, const double *t,
                                      int count, const int *index, double *G)
{
    for (int at = 0; at < count; at++) {
        sparse_gram_column(X, t, index, at, X->rows_t, G + (size_t)at * count);
        RS_TRY(rs_poll(X->ctx));
    }
    rs_mirror_upper(count, G);
    return RS_OK;
}

rs_status rs_data_gram_weighted(const rs_data *X, const double *t, double *G)
{
    return X->dense ? dense_gram_features(X, t, G)
                    : sparse_gram_features(X, t, X->d, NULL, G);
}

/* listed columns of Z side by side, each times t */
static void gather_columns(const rs_data *X, const double *t, int width,
                           const int *index, double *panel)
{
    const int n = X->n;
    for (int c = 0; c < width; c++) {
        const double *z = X->dense + (size_t)index[c] * n;
        double *out = panel + (size_t)c * n;
        for (int i = 0; i < n; i++)
            out[i] = t ? t[i] * z[i] : z[i];
    }
}

/* G[I, J] = Z[, I]' (T Z[, J]) over panels of listed columns with I <= J */
static rs_status dense_gram_subset(const rs_data *X, const double *t,
                                   int count, const int *index, double *room,
                                   double *G)
{
    for (int j = 0; j < count; j += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, count - j);
        gather_columns(X, t, width, index + j, X->panel);
        for (int i = 0; i <= j; i += RS_PANEL) {
            int height = rs_min_int(RS_PANEL, count - i);
            gather_columns(X, NULL, height, index + i, room);
            rs_gemm('T', 'N', height, width, X->n, 1.0, room, X->n, X->panel,
                    X->n, 0.0, G + i + (size_t)j * count, count);
            RS_TRY(rs_poll(X->ctx));
        }
    }
    rs_mirror_upper(count, G);
    return RS_OK;
}

rs_status rs_data_gram_subset(const rs_data *X, const double *t, int count,
                              const int *index, double *room, double *G)
{
    return X->dense ? dense_gram_subset(X, t, count, index, room, G)
                    : sparse_gram_features(X, t, count, index, G);
}

rs_status rs_data_gram_features(const rs_data *X, double *G)
{
    return rs_data_gram_weighted(X, NULL, G);
}

/* the next columns with e_j > 0, times e_j^{1/2}, from feature *j on; how
 * many fit into the panel */
static int fill_panel(const rs_data *X, const double *e, int *j)
{
    int width = 0;
    for (; *j < X->d && width < RS_PANEL; (*j)++) {
        if (e[*j] <= 0.0)
            continue;
        double *column = X->panel + (size_t)width * X->n;
        rs_copy((size_t)X->n, X->dense + (size_t)*j * X->n, column);
        rs_scale((size_t)X->n, sqrt(e[*j]), column);
        width++;
    }
    return width;
}

/* K = sum over panels J of (Z[, J] E_J^{1/2}) (Z[, J] E_J^{1/2})' */
static rs_status dense_gram_samples(const rs_data *X, const double *e,
                                    double *K)
{
    const int n = X->n;
    rs_fill((size_t)n * n, 0.0, K);
    for (int j = 0; j < X->d;) {
        const double *panel = X->dense + (size_t)j * n;
        int width = rs_min_int(RS_PANEL, X->d - j);
        if (e) {
            width = fill_panel(X, e, &j);
            panel = X->panel;
        } else {
            j += width;
        }
        rs_syrk_add(n, width, panel, n, K);
        RS_TRY(rs_poll(X->ctx));
    }
    rs_mirror_upper(n, K);
    return RS_OK;
}

/*
 * With F = D E D: K = X F X' - u 1' - 1 u' + c 1 1', u = X F mu,
 * c = mu' F mu, where X and mu are the entries less their base and the rest.
 * The products of the entries of each column fill the upper triangle (rows
 * ascend within a column).
 */
static rs_status sparse_gram_samples(const rs_data *X, const double *e,
                                     double *K)
{
    const int n = X->n;
    double *u = X->rows_t, c = 0.0;
    size_t since_poll = 0;

    rs_fill((size_t)n * n, 0.0, K);
    rs_fill((size_t)n, 0.0, u);
    for (int j = 0; j < X->d; j++) {
        const double factor = e ? e[j] : 1.0, weight = weight_of(X, j);
        const double base = base_of(X, j), rest = rest_of(X, j);
        if (factor == 0.0)
            continue;
        c += factor * (rest * weight) * (rest * weight);
        for (int b = X->p[j]; b < X->p[j + 1]; b++) {
            double scaled = (X->value[b] - base) * weight * factor * weight;
            double *column = K + (size_t)X->row[b] * n;
            for (int a = X->p[j]; a <= b; a++)
                column[X->row[a]] += (X->value[a] - base) * scaled;
            u[X->row[b]] += scaled * rest;
            since_poll += (size_t)(b - X->p[j]) + 1;
        }
        if (since_poll > RS_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(X->ctx));
            since_poll = 0;
        }
    }
    for (int b = 0; b < n; b++)
        for (int a = 0; a <= b; a++)
            K[a + (size_t)b * n] += c - u[a] - u[b];
    rs_mirror_upper(n, K);
    return RS_OK;
}

rs_status rs_data_gram_samples(const rs_data *X, const double *e, double *K)
{
    return X->dense ? dense_gram_samples(X, e, K)
                    : sparse_gram_samples(X, e, K);
}
