#include "data/sparse.h"

#include "la/linalg.h"

/* the entries once more, row by row; start = NULL: not made yet */
typedef struct {
    int *start;    /* n + 1 */
    int *column;   /* ascending within a row */
    double *value; /* centred and scaled */
    double *hole;  /* d: what stands where there is no entry */
    double *pull;  /* n: products of the rows, entries less their base, with
                    * the rest that is taken out of the columns */
    double rest_square; /* sum of the squares of that rest */
    double meetings;    /* pairs of entries that share a column */
} row_slots;

typedef struct {
    rs_sparse_slots slot;
    row_slots by_row;
    /* room for products: rows and columns of a factor, each contiguous */
    double *rows_t; /* block x n */
    double *cols_t; /* block x d */
} sparse_data;

static double weight_of(const rs_data *X, int j)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    return S->slot.weight ? S->slot.weight[j] : 1.0;
}

/*
 * Sparse columns, z = (x - mu 1) w. A column without holes may have a mean
 * that is large beside its deviation, so its entries are centred one by one:
 * base = mu, rest = 0. One with holes has mu^2 <= (entries / holes) deviation^2
 * and its mean may be taken out of sums over the entries: base = 0, rest = mu.
 */
static double base_of(const rs_data *X, int j)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    return S->slot.p[j + 1] - S->slot.p[j] == X->n ? S->slot.mean[j] : 0.0;
}

static double rest_of(const rs_data *X, int j)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    return S->slot.p[j + 1] - S->slot.p[j] == X->n ? 0.0 : S->slot.mean[j];
}

/* ---- products ----------------------------------------------------------- */

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
    const sparse_data *S = (const sparse_data *)X->kept;
    const int n = X->n, d = X->d;
    double *Yt = S->rows_t, *Wt = S->cols_t;
    size_t since_poll = 0;

    transpose(d, m, W, Wt);
    rs_fill((size_t)m * n, 0.0, Yt);
    for (int j = 0; j < d; j++) {
        double *w = Wt + (size_t)j * m;
        const double base = base_of(X, j);
        if (S->slot.weight)
            for (int c = 0; c < m; c++)
                w[c] *= S->slot.weight[j];
        for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
            double value = S->slot.value[at] - base;
            double *y = Yt + (size_t)S->slot.row[at] * m;
            for (int c = 0; c < m; c++)
                y[c] += value * w[c];
        }
        since_poll +=
            ((size_t)(S->slot.p[j + 1] - S->slot.p[j]) + 1) * (size_t)m;
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
    const sparse_data *S = (const sparse_data *)X->kept;
    const int n = X->n, d = X->d;
    double *Yt = S->rows_t, *Wt = S->cols_t;
    size_t since_poll = 0;

    transpose(n, m, Y, Yt);
    for (int j = 0; j < d; j++) {
        double *w = Wt + (size_t)j * m;
        const double base = base_of(X, j), weight = weight_of(X, j);
        rs_fill((size_t)m, 0.0, w);
        for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
            double value = (S->slot.value[at] - base) * weight;
            const double *y = Yt + (size_t)S->slot.row[at] * m;
            for (int c = 0; c < m; c++)
                w[c] += value * y[c];
        }
        since_poll +=
            ((size_t)(S->slot.p[j + 1] - S->slot.p[j]) + 1) * (size_t)m;
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

/* ---- columns and sums of squares ---------------------------------------- */

static void sparse_column(const rs_data *X, int j, double *z)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const double mean = S->slot.mean[j], weight = weight_of(X, j);
    rs_fill((size_t)X->n, -mean * weight, z);
    for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++)
        z[S->slot.row[at]] = (S->slot.value[at] - mean) * weight;
}

static rs_status sparse_columns(const rs_data *X, int count, const int *index,
                                int from, double *out)
{
    for (int c = 0; c < count; c++)
        sparse_column(X, index ? index[c] : from + c, out + (size_t)c * X->n);
    return RS_OK;
}

/* by_row <- the slots by counting */
static rs_status compress_rows(const rs_data *X)
{
    sparse_data *S = (sparse_data *)X->kept;
    row_slots *by = &S->by_row;
    const int n = X->n, *p = S->slot.p;
    const size_t entries = (size_t)p[X->d];
    int *start = rs_alloc_int(X->ctx, (size_t)n + 1);
    by->column = rs_alloc_int(X->ctx, entries);
    by->value = rs_alloc_double(X->ctx, entries);
    by->hole = rs_alloc_double(X->ctx, (size_t)X->d);
    by->pull = rs_alloc_double(X->ctx, (size_t)n);
    RS_TRY(rs_allocated(X->ctx));
    rs_fill((size_t)n, 0.0, by->pull);
    by->rest_square = by->meetings = 0.0;
    for (int i = 0; i <= n; i++)
        start[i] = 0;
    for (size_t at = 0; at < entries; at++)
        start[S->slot.row[at] + 1]++;
    for (int i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int j = 0; j < X->d; j++) {
        const double mean = S->slot.mean[j], weight = weight_of(X, j);
        const double base = base_of(X, j), rest = rest_of(X, j) * weight;
        const double held = (double)(p[j + 1] - p[j]);
        by->hole[j] = -mean * weight;
        by->rest_square += rest * rest;
        by->meetings += held * held;
        for (int at = p[j]; at < p[j + 1]; at++) {
            const int i = S->slot.row[at], to = start[i]++;
            by->column[to] = j;
            by->value[to] = (S->slot.value[at] - mean) * weight;
            by->pull[i] += rest * (S->slot.value[at] - base) * weight;
        }
    }
    for (int i = n; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    by->start = start;
    return RS_OK;
}

static rs_status sparse_rows(const rs_data *X, int count, const int *index,
                             int from, double *out)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const row_slots *by = &S->by_row;
    if (by->start == NULL)
        RS_TRY(compress_rows(X));
    for (int c = 0; c < count; c++) {
        const int i = index ? index[c] : from + c;
        double *z = out + (size_t)c * X->d;
        rs_copy((size_t)X->d, by->hole, z);
        for (int at = by->start[i]; at < by->start[i + 1]; at++)
            z[by->column[at]] = by->value[at];
    }
    return rs_poll(X->ctx);
}

/*
 * z_i'z_r = v_i'v_r - pull_i - pull_r + rest'rest with v the entries less
 * their base: the entries of row i meet those that share a column with them.
 */
static void meet(const rs_data *X, int i, double *products)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const row_slots *by = &S->by_row;
    for (int r = 0; r < X->n; r++)
        products[r] = by->rest_square - by->pull[i] - by->pull[r];
    for (int at = by->start[i]; at < by->start[i + 1]; at++) {
        const int j = by->column[at];
        const double base = base_of(X, j), weight = weight_of(X, j);
        const double value = (by->value[at] + rest_of(X, j) * weight) * weight;
        for (int to = S->slot.p[j]; to < S->slot.p[j + 1]; to++)
            products[S->slot.row[to]] += value * (S->slot.value[to] - base);
    }
}

/* adding to scattered places takes this many times as long as in a product
 * with a block of columns, which is made of runs */
#define RS_SCATTER_COST 5.0

static rs_status sparse_row_products(const rs_data *X, int count,
                                     const int *index, int from,
                                     const double *rows, double *out)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const row_slots *by = &S->by_row;
    double since_poll = 0.0;
    if (by->start == NULL)
        RS_TRY(compress_rows(X));
    const double each = by->meetings / X->n;
    if (RS_SCATTER_COST * each >= (double)S->slot.p[X->d])
        return sparse_times(X, count, rows, out);
    for (int c = 0; c < count; c++) {
        meet(X, index ? index[c] : from + c, out + (size_t)c * X->n);
        since_poll += each + X->n;
        if (since_poll > (double)RS_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(X->ctx));
            since_poll = 0.0;
        }
    }
    return rs_poll(X->ctx);
}

static rs_status sparse_raw_column(const rs_data *X, int j, double *out)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    rs_fill((size_t)X->n, 0.0, out);
    for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++)
        out[S->slot.row[at]] = S->slot.value[at];
    return RS_OK;
}

/* sum over the column of ((x - mu) w)^2: entries present, then the zeros */
static double sparse_column_square(const rs_data *X, int j)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const double mean = S->slot.mean[j], weight = weight_of(X, j);
    const double hole = mean * weight;
    double sum = 0.0;
    for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
        double gap = (S->slot.value[at] - mean) * weight;
        sum += gap * gap;
    }
    int holes = X->n - (S->slot.p[j + 1] - S->slot.p[j]);
    return holes > 0 ? sum + holes * (hole * hole) : sum;
}

static rs_status sparse_column_squares(const rs_data *X, double *squares)
{
    for (int j = 0; j < X->d; j++)
        squares[j] = sparse_column_square(X, j);
    return RS_OK;
}

static rs_status sparse_row_squares(const rs_data *X, const double *e,
                                    double *squares)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    double shift = 0.0; /* sum_j e_j (w_j mu_j)^2: a row without entries */
    rs_fill((size_t)X->n, 0.0, squares);
    for (int j = 0; j < X->d; j++) {
        const double factor = e ? e[j] : 1.0;
        const double base = base_of(X, j), weight = weight_of(X, j);
        const double rest = rest_of(X, j) * weight;
        shift += factor * rest * rest;
        for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
            double value = (S->slot.value[at] - base) * weight;
            squares[S->slot.row[at]] += factor * value * (value - 2.0 * rest);
        }
    }
    for (int i = 0; i < X->n; i++)
        squares[i] += shift;
    return RS_OK;
}

/* ---- Gram matrices ------------------------------------------------------ */

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
    const sparse_data *S = (const sparse_data *)X->kept;
    double total = 0.0;
    sparse_column(X, listed(index, at), z);
    for (int r = 0; r < X->n; r++) {
        if (t)
            z[r] *= t[r];
        total += z[r];
    }
    for (int row = 0; row <= at; row++) {
        const int i = listed(index, row);
        const double base = base_of(X, i);
        double sum = -rest_of(X, i) * total;
        for (int a = S->slot.p[i]; a < S->slot.p[i + 1]; a++)
            sum += (S->slot.value[a] - base) * z[S->slot.row[a]];
        g[row] = sum * weight_of(X, i);
    }
}

static rs_status sparse_gram(const rs_data *X, const double *t, int count,
                             const int *index, double *room, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    (void)room;
    for (int at = 0; at < count; at++) {
        sparse_gram_column(X, t, index, at, S->rows_t, G + (size_t)at * count);
        RS_TRY(rs_poll(X->ctx));
    }
    rs_mirror_upper(count, G);
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
    const sparse_data *S = (const sparse_data *)X->kept;
    const int n = X->n;
    double *u = S->rows_t, c = 0.0;
    size_t since_poll = 0;

    rs_fill((size_t)n * n, 0.0, K);
    rs_fill((size_t)n, 0.0, u);
    for (int j = 0; j < X->d; j++) {
        const double factor = e ? e[j] : 1.0, weight = weight_of(X, j);
        const double base = base_of(X, j), rest = rest_of(X, j);
        if (factor == 0.0)
            continue;
        c += factor * (rest * weight) * (rest * weight);
        for (int b = S->slot.p[j]; b < S->slot.p[j + 1]; b++) {
            double scaled =
                (S->slot.value[b] - base) * weight * factor * weight;
            double *column = K + (size_t)S->slot.row[b] * n;
            for (int a = S->slot.p[j]; a <= b; a++)
                column[S->slot.row[a]] += (S->slot.value[a] - base) * scaled;
            u[S->slot.row[b]] += scaled * rest;
            since_poll += (size_t)(b - S->slot.p[j]) + 1;
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

/* a multiplication beside one of a product of dense matrices */
#define RS_SPARSE_COST 20.0

static double sparse_work(const rs_data *X, rs_data_task task)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int *p = S->slot.p;
    double work = p[X->d];
    if (task == RS_TASK_GRAM_FEATURES)
        work = (double)X->d * (p[X->d] + (double)X->n);
    if (task == RS_TASK_GRAM_SAMPLES) {
        work = 0.0;
        for (int j = 0; j < X->d; j++)
            work += (double)(p[j + 1] - p[j]) * (p[j + 1] - p[j]);
    }
    return RS_SPARSE_COST * work;
}

static rs_status sparse_twin(rs_context *ctx, const rs_data *X, rs_data *twin)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    return rs_data_sparse(ctx, X->n, X->d, &S->slot, X->block, twin);
}

static const rs_data_ops sparse_ops = {
    "sparse",           sparse_times,        sparse_crossprod,
    sparse_columns,     sparse_rows,         sparse_row_products,
    sparse_gram,        sparse_gram_samples, sparse_column_squares,
    sparse_row_squares, sparse_raw_column,   sparse_work,
    sparse_twin};

rs_status rs_data_sparse(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slots, int block, rs_data *X)
{
    sparse_data *S = (sparse_data *)rs_alloc(ctx, 1, sizeof *S);
    RS_TRY_ALLOC(S);
    S->slot = *slots;
    S->by_row.start = NULL;
    S->rows_t = rs_alloc_double(ctx, (size_t)block * n);
    S->cols_t = rs_alloc_double(ctx, (size_t)block * d);
    X->ops = &sparse_ops;
    X->kept = S;
    X->n = n;
    X->d = d;
    X->block = block;
    X->shift = slots->mean;
    X->shift_square = 0.0;
    for (int j = 0; j < d; j++) {
        const double rest = rest_of(X, j) * weight_of(X, j);
        X->shift_square += rest * rest;
    }
    X->subset_room = 0;
    X->contiguous = 0;
    X->ctx = ctx;
    return rs_allocated(ctx);
}
