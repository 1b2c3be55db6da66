#include "data/sparse.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* lines of a sparse matrix: its columns, or its rows; indices ascend */
typedef struct {
    const size_t *start;
    const int *index;
    const double *value;
} sparse_lines;

typedef struct {
    rs_sparse_slots slot;
    const double *mean;   /* L x d: R */
    sparse_lines columns; /* V */
    sparse_lines rows;    /* V'; start = NULL: not made yet */
    /* room for products: rows and columns of a factor, each contiguous */
    double *rows_t;   /* block x n */
    double *cols_t;   /* block x d */
    double *levels_t; /* block x L */
    size_t *next;     /* d: the first entry of each column not yet met */
    /* NULL: not asked for yet */
    double *sums;  /* L x (d + 1): for cross-products */
    double *pull;  /* L x n: V diag(e) R', for inner products of rows */
    double *among; /* L x L: R diag(e) R' */
    int is_plain;  /* e = 1 in both */
} sparse_data;

static int level_of(const sparse_data *S, int row)
{
    return rs_level_of(&S->slot.centring, row);
}

static const double *means_of(const sparse_data *S, int j)
{
    return S->mean + (size_t)S->slot.centring.levels * j;
}

/* ---- V and R ------------------------------------------------------------ */

/* full[l]: has column j entries in more than half of the rows of level l?
 * Returns how many entries it has when the holes of these are filled. */
static size_t find_full(const rs_sparse_slots *slot, int n, int j, int *full)
{
    const rs_centring *c = &slot->centring;
    size_t entries = 0;
    memset(full, 0, (size_t)c->levels * sizeof *full);
    for (int at = slot->p[j]; at < slot->p[j + 1]; at++)
        full[rs_level_of(c, slot->row[at])]++;
    for (int l = 0; l < c->levels; l++) {
        const int held = full[l], size = rs_level_size(c, n, l);
        full[l] = held > size / 2;
        entries += (size_t)(full[l] ? size : held);
    }
    return entries;
}

/* the entries of column j in V, and its means in R */
static void fill_column(const rs_sparse_slots *slot, int n, int j,
                        const int *full, size_t entries, int *row,
                        double *value, double *mean)
{
    const rs_centring *c = &slot->centring;
    const double *means = rs_level_means(c, j);
    const double weight = slot->weight ? slot->weight[j] : 1.0;
    const size_t holes = entries - (size_t)(slot->p[j + 1] - slot->p[j]);
    int at = slot->p[j];
    size_t to = 0;
    for (int l = 0; l < c->levels; l++)
        mean[l] = full[l] ? 0.0 : means[l] * weight;
    for (int i = 0; i < n && to < entries; i++) {
        i = holes == 0 ? slot->row[at] : i;
        const int held = at < slot->p[j + 1] && slot->row[at] == i;
        const int l = rs_level_of(c, i);
        const double given = held ? slot->value[at++] : 0.0;
        if (!held && !full[l])
            continue;
        row[to] = i;
        value[to++] =
            weight *
            (full[l] ? (given - means[l]) - rs_level_fine(c, j, l) : given);
    }
}

static rs_status split_means(rs_context *ctx, int n, int d, sparse_data *S)
{
    const rs_sparse_slots *slot = &S->slot;
    const size_t levels = (size_t)slot->centring.levels;
    size_t *start = (size_t *)rs_alloc(ctx, (size_t)d + 1, sizeof *start);
    int *full = rs_alloc_int(ctx, levels), any = slot->weight != NULL;
    RS_TRY(rs_allocated(ctx));
    start[0] = 0;
    for (int j = 0; j < d; j++) {
        start[j + 1] = start[j] + find_full(slot, n, j, full);
        for (size_t l = 0; l < levels; l++)
            any |= full[l];
    }
    S->mean = slot->centring.mean;
    S->columns = (sparse_lines){start, slot->row, slot->value};
    if (!any) /* nothing is to be copied */
        return RS_OK;
    int *row = rs_alloc_int(ctx, start[d]);
    double *value = rs_alloc_double(ctx, start[d]);
    double *mean = rs_alloc_double(ctx, levels * d);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < d; j++) {
        find_full(slot, n, j, full);
        fill_column(slot, n, j, full, start[j + 1] - start[j], row + start[j],
                    value + start[j], mean + levels * j);
        if (j % 256 == 0)
            RS_TRY(rs_poll(ctx));
    }
    S->mean = mean;
    S->columns = (sparse_lines){start, row, value};
    return rs_poll(ctx);
}

/* the rows of V, by counting, once */
static rs_status find_rows(const rs_data *X)
{
    sparse_data *S = (sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const size_t n = (size_t)X->n, entries = V->start[X->d];
    if (S->rows.start)
        return RS_OK;
    size_t *start = (size_t *)rs_alloc(X->ctx, n + 2, sizeof *start);
    int *column = rs_alloc_int(X->ctx, entries);
    double *value = rs_alloc_double(X->ctx, entries);
    RS_TRY(rs_allocated(X->ctx));
    memset(start, 0, (n + 2) * sizeof *start);
    for (size_t at = 0; at < entries; at++)
        start[V->index[at] + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        start[i] += start[i - 1];
    for (int j = 0; j < X->d; j++)
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++) {
            const size_t to = start[V->index[at] + 1]++;
            column[to] = j;
            value[to] = V->value[at];
        }
    S->rows = (sparse_lines){start, column, value};
    return rs_poll(X->ctx);
}

/* ---- products ----------------------------------------------------------- */

/* B (q x p) = A' for A (p x q) */
static void transpose(int p, int q, const double *A, double *B)
{
    for (int from = 0; from < p; from += RS_PANEL) {
        const int to = rs_min_int(p, from + RS_PANEL);
        for (int j = 0; j < q; j++)
            for (int i = from; i < to; i++)
                B[j + (size_t)i * q] = A[i + (size_t)j * p];
    }
}

/* y += a x */
static inline void add(int m, double a, const double *x, double *y)
{
    for (int c = 0; c < m; c++)
        y[c] += a * x[c];
}

/* Products go through groups of rows whose part of the factor with a row for
 * each sample, so many numbers, stays near, and which have eight entries in most
 * columns. */
#define RS_NEAR_NUMBERS (1 << 15)

static int rows_at_once(const rs_data *X, int m)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const double met = (S->columns.start[X->d] + 1.0) / X->d;
    return (int)fmin(X->n,
                     fmax(RS_NEAR_NUMBERS / (double)m, 8.0 * X->n / met));
}

/* the entries of column j beyond those met before, in rows before `end` */
static size_t meet(const sparse_data *S, int j, int end, size_t *from)
{
    size_t to = *from = S->next[j];
    while (to < S->columns.start[j + 1] && S->columns.index[to] < end)
        to++;
    return S->next[j] = to;
}

static void meet_none(const sparse_data *S, int d)
{
    memcpy(S->next, S->columns.start, (size_t)d * sizeof *S->next);
}

/* Yt += V W, or Wt += V'Y, in their transposes, each row contiguous */
static rs_status add_products(const rs_data *X, int m, int transposed)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const int step = rows_at_once(X, m);
    double since_poll = 0.0;
    size_t from;
    meet_none(S, X->d);
    for (int end = 0; end < X->n;) {
        end += rs_min_int(step, X->n - end);
        for (int j = 0; j < X->d; j++) {
            const size_t to = meet(S, j, end, &from);
            double *w = S->cols_t + (size_t)j * m;
            for (size_t at = from; at < to; at++) {
                double *y = S->rows_t + (size_t)V->index[at] * m;
                if (transposed)
                    add(m, V->value[at], y, w);
                else
                    add(m, V->value[at], w, y);
            }
            RS_TRY(rs_poll_after(X->ctx, (to - from + 1.0) * m, &since_poll));
        }
    }
    return RS_OK;
}

static rs_status sparse_times(const rs_data *X, int m, const double *W,
                              double *Y)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int levels = S->slot.centring.levels;
    double *RW = S->levels_t;
    transpose(X->d, m, W, S->cols_t);
    rs_fill((size_t)m * X->n, 0.0, S->rows_t);
    rs_fill((size_t)m * levels, 0.0, RW);
    RS_TRY(add_products(X, m, 0));
    for (int j = 0; j < X->d; j++)
        for (int l = 0; l < levels; l++)
            add(m, means_of(S, j)[l], S->cols_t + (size_t)j * m,
                RW + (size_t)m * l);
    for (int i = 0; i < X->n; i++)
        add(m, -1.0, RW + (size_t)m * level_of(S, i),
            S->rows_t + (size_t)i * m);
    transpose(m, X->n, S->rows_t, Y);
    return RS_OK;
}

static rs_status sparse_crossprod(const rs_data *X, int m, const double *Y,
                                  double *W)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int levels = S->slot.centring.levels;
    double *EY = S->levels_t;
    transpose(X->n, m, Y, S->rows_t);
    rs_fill((size_t)m * X->d, 0.0, S->cols_t);
    rs_fill((size_t)m * levels, 0.0, EY);
    RS_TRY(add_products(X, m, 1));
    for (int i = 0; i < X->n; i++)
        add(m, 1.0, S->rows_t + (size_t)i * m,
            EY + (size_t)m * level_of(S, i));
    for (int j = 0; j < X->d; j++)
        for (int l = 0; l < levels; l++)
            add(m, -means_of(S, j)[l], EY + (size_t)m * l,
                S->cols_t + (size_t)j * m);
    transpose(m, X->d, S->cols_t, W);
    return RS_OK;
}

/* ---- columns, rows and sums of squares ---------------------------------- */

static rs_status sparse_columns(const rs_data *X, int count, const int *index,
                                int from, double *out)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    for (int c = 0; c < count; c++) {
        const int j = index ? index[c] : from + c;
        const double *mean = means_of(S, j);
        double *z = out + (size_t)c * X->n;
        for (int i = 0; i < X->n; i++)
            z[i] = -mean[level_of(S, i)];
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++)
            z[V->index[at]] = V->value[at] - mean[level_of(S, V->index[at])];
    }
    return RS_OK;
}

static rs_status sparse_rows(const rs_data *X, int count, const int *index,
                             int from, double *out)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const sparse_lines *V = &S->rows;
    RS_TRY(find_rows(X));
    for (int c = 0; c < count; c++) {
        const int i = index ? index[c] : from + c, l = level_of(S, i);
        double *z = out + (size_t)c * X->d;
        for (int j = 0; j < X->d; j++)
            z[j] = -means_of(S, j)[l];
        for (size_t at = V->start[i]; at < V->start[i + 1]; at++)
            z[V->index[at]] += V->value[at];
    }
    return rs_poll(X->ctx);
}

/* the entries, and the holes of each level */
static rs_status sparse_column_squares(const rs_data *X, double *squares)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const rs_centring *centring = &S->slot.centring;
    for (int j = 0; j < X->d; j++) {
        const double *mean = means_of(S, j);
        double sum = 0.0;
        for (int l = 0; l < centring->levels; l++)
            sum += rs_level_size(centring, X->n, l) * (mean[l] * mean[l]);
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++) {
            const double hole = mean[level_of(S, V->index[at])];
            const double z = V->value[at] - hole;
            sum += z * z - hole * hole;
        }
        squares[j] = sum;
    }
    return RS_OK;
}

static rs_status sparse_row_squares(const rs_data *X, const double *e,
                                    double *squares)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const int levels = S->slot.centring.levels;
    rs_fill((size_t)levels, 0.0, S->levels_t);
    rs_fill((size_t)X->n, 0.0, squares);
    for (int j = 0; j < X->d; j++) {
        const double *mean = means_of(S, j);
        const double factor = e ? e[j] : 1.0;
        for (int l = 0; l < levels; l++)
            S->levels_t[l] += factor * mean[l] * mean[l];
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++) {
            const double v = V->value[at];
            squares[V->index[at]] +=
                factor * v * (v - 2.0 * mean[level_of(S, V->index[at])]);
        }
    }
    for (int i = 0; i < X->n; i++)
        squares[i] += S->levels_t[level_of(S, i)];
    return RS_OK;
}

/* ---- inner products ----------------------------------------------------- */

/* out += sum over some entries of `of` of v factor times the line of theirs in
 * `lines`, up to its place `last`; factor = NULL: ones. Returns how many. */
static size_t add_lines(const sparse_lines *of, size_t from, size_t to,
                        const double *factor, const sparse_lines *lines,
                        int last, double *out)
{
    size_t met = 1;
    for (size_t at = from; at < to; at++) {
        const int k = of->index[at];
        const double by = of->value[at] * (factor ? factor[k] : 1.0);
        const size_t end = lines->start[k + 1];
        size_t b = lines->start[k];
        for (; b < end && lines->index[b] <= last; b++)
            out[lines->index[b]] += by * lines->value[b];
        met += b - lines->start[k] + 1;
    }
    return met;
}

/* E'TV (L x d) and the totals of T (L), for T = diag(t) or the identity */
static rs_status sum_levels(const rs_data *X, const double *t)
{
    sparse_data *S = (sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const size_t levels = (size_t)S->slot.centring.levels;
    const size_t size = levels * X->d;
    if (S->sums == NULL)
        S->sums = rs_alloc_double(X->ctx, size + levels);
    RS_TRY_ALLOC(S->sums);
    rs_fill(size + levels, 0.0, S->sums);
    for (int i = 0; i < X->n; i++)
        S->sums[size + level_of(S, i)] += t ? t[i] : 1.0;
    for (int j = 0; j < X->d; j++)
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++)
            S->sums[levels * j + level_of(S, V->index[at])] +=
                V->value[at] * (t ? t[V->index[at]] : 1.0);
    return rs_poll(X->ctx);
}

/* upper triangle of G += V'TV */
static rs_status add_entries(const rs_data *X, const double *t, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const double each = (S->columns.start[X->d] + 1.0) / X->n;
    const int step = (int)fmin(X->n, 1.0 + RS_CACHED / each);
    double since_poll = 0.0;
    size_t from;
    meet_none(S, X->d);
    for (int end = 0; end < X->n;) {
        end += rs_min_int(step, X->n - end);
        for (int j = 0; j < X->d; j++) {
            const size_t to = meet(S, j, end, &from);
            RS_TRY(rs_poll_after(X->ctx,
                                 add_lines(&S->columns, from, to, t, &S->rows,
                                           j, G + (size_t)X->d * j),
                                 &since_poll));
        }
    }
    return RS_OK;
}

/* the same of Z: less, with c_i = E'T v_i and the total T of each level,
 *     sum over levels of c_i r_j + r_i (c_j - T r_j) */
static rs_status sparse_add_gram(const rs_data *X, const double *t, int count,
                                 const int *index, double *room, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const size_t levels = (size_t)S->slot.centring.levels;
    double since_poll = 0.0;
    (void)index, (void)room;
    RS_TRY(find_rows(X));
    RS_TRY(sum_levels(X, t));
    RS_TRY(add_entries(X, t, G));
    for (int j = 0; j < count; j++) {
        const double *r_j = means_of(S, j), *c_j = S->sums + levels * j;
        const double *total = S->sums + levels * count;
        for (int i = 0; i <= j; i++) {
            const double *r_i = means_of(S, i), *c_i = S->sums + levels * i;
            for (size_t l = 0; l < levels; l++)
                G[i + (size_t)count * j] -=
                    c_i[l] * r_j[l] + r_i[l] * (c_j[l] - total[l] * r_j[l]);
        }
        RS_TRY(rs_poll_after(X->ctx, j + 1.0, &since_poll));
    }
    return RS_OK;
}

/* Z'z_j = V'v_j - R'E'v_j, as the columns of Z are centred */
static rs_status sparse_column_products(const rs_data *X, int count,
                                        const int *index, double *C)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const int levels = S->slot.centring.levels;
    RS_TRY(find_rows(X));
    for (int k = 0; k < count; k++) {
        const int j = index[k];
        double *c = C + (size_t)X->d * k;
        rs_fill((size_t)levels, 0.0, S->levels_t);
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++)
            S->levels_t[level_of(S, V->index[at])] += V->value[at];
        rs_fill((size_t)X->d, 0.0, c);
        add_lines(V, V->start[j], V->start[j + 1], NULL, &S->rows, X->d - 1,
                  c);
        for (int i = 0; i < X->d; i++)
            for (int l = 0; l < levels; l++)
                c[i] -= means_of(S, i)[l] * S->levels_t[l];
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

/* pull and among for inner products of rows with a weight e for each feature */
static rs_status weigh_features(const rs_data *X, const double *e)
{
    sparse_data *S = (sparse_data *)X->kept;
    const sparse_lines *V = &S->columns;
    const int levels = S->slot.centring.levels;
    const size_t size = (size_t)levels * X->n,
                 square = (size_t)levels * levels;
    RS_TRY(find_rows(X));
    if (!S->pull) {
        S->pull = rs_alloc_double(X->ctx, size);
        S->among = rs_alloc_double(X->ctx, square);
        RS_TRY(rs_allocated(X->ctx));
    }
    S->is_plain = e == NULL;
    rs_fill(size, 0.0, S->pull);
    rs_fill(square, 0.0, S->among);
    for (int j = 0; j < X->d; j++) {
        const double *mean = means_of(S, j);
        const double factor = e ? e[j] : 1.0;
        for (int l = 0; l < levels; l++)
            add(levels, factor * mean[l], mean, S->among + levels * l);
        for (size_t at = V->start[j]; at < V->start[j + 1]; at++)
            add(levels, factor * V->value[at], mean,
                S->pull + (size_t)levels * V->index[at]);
    }
    return RS_OK;
}

/* out_a = z_a'F z_i for the rows up to `last`, F = diag(e):
 *     v_a'F v_i + r(a)'F r(i) - v_a'F r(i) - v_i'F r(a) */
static size_t row_product(const sparse_data *S, const double *e, int i,
                          int last, double *out)
{
    const size_t levels = (size_t)S->slot.centring.levels;
    const size_t own = (size_t)level_of(S, i);
    for (int a = 0; a <= last; a++) {
        const size_t l = (size_t)level_of(S, a);
        out[a] = S->among[l + levels * own] - S->pull[own + levels * a] -
                 S->pull[l + levels * i];
    }
    return (size_t)last + add_lines(&S->rows, S->rows.start[i],
                                    S->rows.start[i + 1], e, &S->columns, last,
                                    out);
}

/* with more levels their products with rows are as many as those of a block */
#define RS_MANY_LEVELS 64

static rs_status sparse_row_products(const rs_data *X, int count,
                                     const int *index, int from,
                                     const double *rows, double *out)
{
    sparse_data *S = (sparse_data *)X->kept;
    if (S->slot.centring.levels > RS_MANY_LEVELS)
        return sparse_times(X, count, rows, out);
    if (!S->is_plain)
        RS_TRY(weigh_features(X, NULL));
    for (int c = 0; c < count; c++) {
        row_product(S, NULL, index ? index[c] : from + c, X->n - 1,
                    out + (size_t)X->n * c);
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

static rs_status sparse_gram_samples(const rs_data *X, const double *e,
                                     double *K)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    double since_poll = 0.0;
    RS_TRY(weigh_features(X, e));
    for (int i = 0; i < X->n; i++)
        RS_TRY(rs_poll_after(X->ctx,
                             row_product(S, e, i, i, K + (size_t)X->n * i),
                             &since_poll));
    rs_mirror_upper(X->n, K);
    return RS_OK;
}

/* a multiplication beside one of a product of dense matrices */
#define RS_SPARSE_COST 20.0

static void find_work(const sparse_data *S, rs_data *X)
{
    const size_t *start = S->columns.start;
    const double entries = RS_SPARSE_COST * start[X->d];
    X->work[RS_TASK_PRODUCT] = entries;
    X->work[RS_TASK_GRAM_FEATURES] =
        RS_SPARSE_COST * X->d * X->d + entries * start[X->d] / X->n;
    for (int j = 0; j < X->d; j++)
        X->work[RS_TASK_GRAM_SAMPLES] +=
            RS_SPARSE_COST * pow((double)(start[j + 1] - start[j]), 2.0);
}

static const rs_data_ops sparse_ops = {.times = sparse_times,
                                       .crossprod = sparse_crossprod,
                                       .columns = sparse_columns,
                                       .rows = sparse_rows,
                                       .row_products = sparse_row_products,
                                       .add_gram = sparse_add_gram,
                                       .gram_samples = sparse_gram_samples,
                                       .column_squares = sparse_column_squares,
                                       .row_squares = sparse_row_squares,
                                       .column_products =
                                           sparse_column_products};

void rs_sparse_raw_column(const rs_sparse_slots *slots, int n, int j,
                          double *z)
{
    rs_fill((size_t)n, 0.0, z);
    for (int at = slots->p[j]; at < slots->p[j + 1]; at++)
        z[slots->row[at]] = slots->value[at];
}

double rs_sparse_shift(int levels, int d, const double *means,
                       const double *weight)
{
    double largest = 0.0;
    for (int l = 0; l < levels; l++) {
        double square = 0.0;
        for (int j = 0; j < d; j++) {
            const double mean = means[l + (size_t)levels * j];
            square += pow(weight ? mean * weight[j] : mean, 2.0);
        }
        largest = fmax(largest, square);
    }
    return largest;
}

rs_status rs_data_sparse(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slots, int block, rs_data *X)
{
    const size_t levels = (size_t)slots->centring.levels;
    const size_t m = (size_t)rs_max_int(block, 1);
    if (levels < 1)
        return RS_BAD_INPUT;
    sparse_data *S = (sparse_data *)rs_alloc(ctx, 1, sizeof *S);
    RS_TRY_ALLOC(S);
    *S = (sparse_data){.slot = *slots};
    S->rows_t = rs_alloc_double(ctx, m * n);
    S->cols_t = rs_alloc_double(ctx, m * d);
    S->levels_t = rs_alloc_double(ctx, m * levels);
    S->next = (size_t *)rs_alloc(ctx, (size_t)d, sizeof *S->next);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(split_means(ctx, n, d, S));
    *X = (rs_data){.ops = &sparse_ops,
                   .kept = S,
                   .n = n,
                   .d = d,
                   .block = block,
                   .given = &S->slot,
                   .shift_square = rs_sparse_shift(slots->centring.levels, d,
                                                   S->mean, NULL),
                   .subset_room = 2 * (size_t)n * RS_PANEL,
                   .ctx = ctx};
    find_work(S, X);
    return RS_OK;
}
