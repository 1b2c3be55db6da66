#include "data/sparse.h"

#include <math.h>

#include "data/sparse_rows.h"
#include "la/linalg.h"

typedef struct {
    rs_sparse_slots slot;
    rs_sparse_rows by_row;
    /* room for products: rows and columns of a factor, each contiguous */
    double *rows_t;   /* block x n */
    double *cols_t;   /* block x d */
    double *levels_t; /* block x L */
    /* what is taken off entries, and out of sums over them; see below */
    rs_base *base; /* L x d */
    double *rest;  /* L x d */
    int *held;     /* L: scratch */
    int *next;     /* d: the first entry of each column not yet met */
    double *pull;  /* n x L, scratch of Gram matrices of the samples */
} sparse_data;

static double weight_of(const rs_data *X, int j)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    return S->slot.weight ? S->slot.weight[j] : 1.0;
}

static int level_at(const sparse_data *S, int at)
{
    return rs_level_of(&S->slot.centring, S->slot.row[at]);
}

/* held[l] = entries of column j in rows of level l */
static void count_entries(const sparse_data *S, int j, int *held)
{
    const int levels = S->slot.centring.levels;
    if (levels == 1) {
        held[0] = S->slot.p[j + 1] - S->slot.p[j];
        return;
    }
    for (int l = 0; l < levels; l++)
        held[l] = 0;
    for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++)
        held[level_at(S, at)]++;
}

/*
 * Sparse columns, z = (x - mu 1) w within each level. A column without holes
 * there may have a mean that is large beside its deviation, so its entries are
 * centred one by one: base = mu, rest = 0. One with holes has
 * mu^2 <= (entries / holes) deviation^2 and its mean may be taken out of sums
 * over the entries: base = 0, rest = mu.
 */
static void split_means(const rs_data *X)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const rs_centring *centring = &S->slot.centring;
    const int levels = centring->levels;
    const rs_base nothing = {0.0, 0.0};
    for (int j = 0; j < X->d; j++) {
        const double *mean = rs_level_means(centring, j);
        count_entries(S, j, S->held);
        for (int l = 0; l < levels; l++) {
            const int full = S->held[l] == rs_level_size(centring, X->n, l);
            S->base[l + (size_t)levels * j] =
                full ? rs_level_base(centring, j, l) : nothing;
            S->rest[l + (size_t)levels * j] = full ? 0.0 : mean[l];
        }
    }
}

/* the L of column j */
static const rs_base *base_of(const sparse_data *S, int j)
{
    return S->base + (size_t)S->slot.centring.levels * j;
}

static const double *rest_of(const sparse_data *S, int j)
{
    return S->rest + (size_t)S->slot.centring.levels * j;
}

/* ---- products ----------------------------------------------------------- */

/* rows that are transposed together */
#define RS_TRANSPOSED 32

/* B (q x p) = A' for A (p x q) */
static void transpose(int p, int q, const double *A, double *B)
{
    for (int from = 0; from < p; from += RS_TRANSPOSED) {
        const int to = rs_min_int(p, from + RS_TRANSPOSED);
        for (int j = 0; j < q; j++)
            for (int i = from; i < to; i++)
                B[j + (size_t)i * q] = A[i + (size_t)j * p];
    }
}

/*
 * Products go through groups of rows whose part of the factor with a row for
 * each sample stays near, and which have some entries in most columns.
 */
#define RS_NEAR_NUMBERS (1 << 15)
#define RS_MET_AT_ONCE 8.0

static int rows_at_once(const rs_data *X, int m)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const double met = (S->slot.p[X->d] + 1.0) / ((double)X->n * X->d);
    const double rows =
        fmax(RS_NEAR_NUMBERS / (double)m, RS_MET_AT_ONCE / met);
    return rows < X->n ? (int)rows : X->n;
}

static void start_columns(const rs_data *X)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    for (int j = 0; j < X->d; j++)
        S->next[j] = S->slot.p[j];
}

/* columns whose entries times m stay within RS_FLOPS_PER_CALL */
#define RS_ENTRIES_PER_POLL (1 << 22)

static rs_status poll_after(const rs_data *X, size_t *since_poll)
{
    if (*since_poll <= RS_ENTRIES_PER_POLL)
        return RS_OK;
    *since_poll = 0;
    return rs_poll(X->ctx);
}

/* Yt -= (E M D W)' for the rests M, D W row by row in Wt */
static void take_off_rests(const rs_data *X, int m, const double *Wt,
                           double *Yt)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int levels = S->slot.centring.levels;
    double *shift = S->levels_t;
    rs_fill((size_t)m * levels, 0.0, shift);
    for (int j = 0; j < X->d; j++) {
        const double *rest = rest_of(S, j), *w = Wt + (size_t)j * m;
        for (int l = 0; l < levels; l++)
            for (int c = 0; c < m; c++)
                shift[c + (size_t)m * l] += rest[l] * w[c];
    }
    for (int i = 0; i < X->n; i++) {
        const double *off =
            shift + (size_t)m * rs_level_of(&S->slot.centring, i);
        double *y = Yt + (size_t)i * m;
        for (int c = 0; c < m; c++)
            y[c] -= off[c];
    }
}

/* Wt = (D W)' */
static void weigh_rows(const rs_data *X, int m, const double *W, double *Wt)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    transpose(X->d, m, W, Wt);
    for (int j = 0; j < X->d && S->slot.weight; j++)
        rs_scale((size_t)m, S->slot.weight[j], Wt + (size_t)j * m);
}

/* Yt += x_j w' for the entries less base of column j in rows before `end`;
 * returns how many */
static size_t spread_column(const rs_data *X, int j, int end, int m,
                            const double *w, double *Yt)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const rs_base *base = base_of(S, j);
    const int first = S->next[j];
    int at = first;
    for (; at < S->slot.p[j + 1] && S->slot.row[at] < end; at++) {
        const double value =
            rs_entry_less(S->slot.value[at], base[level_at(S, at)]);
        double *y = Yt + (size_t)S->slot.row[at] * m;
        for (int c = 0; c < m; c++)
            y[c] += value * w[c];
    }
    S->next[j] = at;
    return (size_t)(at - first);
}

/*
 * rows_t = (X D W)' row by row, then Y = X D W - E (M D W), where X and M are
 * the entries less their base and the rest. The rows of W and Y lie contiguous
 * in the transposes, so the inner loop runs over m.
 */
static rs_status sparse_times(const rs_data *X, int m, const double *W,
                              double *Y)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int n = X->n, rows = rows_at_once(X, m);
    double *Yt = S->rows_t, *Wt = S->cols_t;
    size_t since_poll = 0;

    weigh_rows(X, m, W, Wt);
    rs_fill((size_t)m * n, 0.0, Yt);
    start_columns(X);
    for (int end = 0; end < n;) {
        end += rs_min_int(rows, n - end);
        for (int j = 0; j < X->d; j++) {
            since_poll +=
                (1 + spread_column(X, j, end, m, Wt + (size_t)j * m, Yt)) *
                (size_t)m;
            RS_TRY(poll_after(X, &since_poll));
        }
    }
    take_off_rests(X, m, Wt, Yt);
    transpose(m, n, Yt, Y);
    return RS_OK;
}

/* sums of the rows of Y of each level, from its transpose */
static void sum_levels(const rs_data *X, int m, const double *Yt,
                       double *totals)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    rs_fill((size_t)m * S->slot.centring.levels, 0.0, totals);
    for (int i = 0; i < X->n; i++) {
        const double *y = Yt + (size_t)i * m;
        double *total = totals + (size_t)m * rs_level_of(&S->slot.centring, i);
        for (int c = 0; c < m; c++)
            total[c] += y[c];
    }
}

/* w += sum of v_ij w_j y_i for the entries less base of column j in rows before
 * `end`; returns how many */
static size_t collect_column(const rs_data *X, int j, int end, int m,
                             const double *Yt, double *w)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const rs_base *base = base_of(S, j);
    const double weight = weight_of(X, j);
    const int first = S->next[j];
    int at = first;
    for (; at < S->slot.p[j + 1] && S->slot.row[at] < end; at++) {
        const double value =
            rs_entry_less(S->slot.value[at], base[level_at(S, at)]) * weight;
        const double *y = Yt + (size_t)S->slot.row[at] * m;
        for (int c = 0; c < m; c++)
            w[c] += value * y[c];
    }
    S->next[j] = at;
    return (size_t)(at - first);
}

/* Wt -= (D M'(E'Y))' for the sums E'Y of the levels */
static void take_off_totals(const rs_data *X, int m, const double *totals,
                            double *Wt)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    for (int j = 0; j < X->d; j++) {
        const double *rest = rest_of(S, j), weight = weight_of(X, j);
        double *w = Wt + (size_t)j * m;
        for (int l = 0; l < S->slot.centring.levels; l++)
            for (int c = 0; c < m; c++)
                w[c] -= weight * rest[l] * totals[c + (size_t)m * l];
    }
}

/* W = D (X'Y - M'(E'Y)) */
static rs_status sparse_crossprod(const rs_data *X, int m, const double *Y,
                                  double *W)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int n = X->n, rows = rows_at_once(X, m);
    double *Yt = S->rows_t, *Wt = S->cols_t;
    size_t since_poll = 0;

    transpose(n, m, Y, Yt);
    sum_levels(X, m, Yt, S->levels_t);
    rs_fill((size_t)m * X->d, 0.0, Wt);
    start_columns(X);
    for (int end = 0; end < n;) {
        end += rs_min_int(rows, n - end);
        for (int j = 0; j < X->d; j++) {
            since_poll +=
                (1 + collect_column(X, j, end, m, Yt, Wt + (size_t)j * m)) *
                (size_t)m;
            RS_TRY(poll_after(X, &since_poll));
        }
    }
    take_off_totals(X, m, S->levels_t, Wt);
    transpose(m, X->d, Wt, W);
    return RS_OK;
}

/* ---- columns and sums of squares ---------------------------------------- */

static void sparse_column(const rs_data *X, int j, double *z)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const rs_centring *centring = &S->slot.centring;
    const double *mean = rs_level_means(centring, j);
    const double weight = weight_of(X, j);
    if (centring->code == NULL)
        rs_fill((size_t)X->n, -mean[0] * weight, z);
    else
        for (int i = 0; i < X->n; i++)
            z[i] = -mean[centring->code[i]] * weight;
    for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++)
        z[S->slot.row[at]] =
            rs_entry_less(S->slot.value[at],
                          rs_level_base(centring, j, level_at(S, at))) *
            weight;
}

static rs_status sparse_columns(const rs_data *X, int count, const int *index,
                                int from, double *out)
{
    for (int c = 0; c < count; c++)
        sparse_column(X, index ? index[c] : from + c, out + (size_t)c * X->n);
    return RS_OK;
}

static rs_status sparse_rows(const rs_data *X, int count, const int *index,
                             int from, double *out)
{
    sparse_data *S = (sparse_data *)X->kept;
    return rs_sparse_rows_get(&S->by_row, count, index, from, out);
}

/* with more levels the products of rows and rests are as many as these of rows
 * and a block */
#define RS_MANY_LEVELS 64

static rs_status sparse_row_products(const rs_data *X, int count,
                                     const int *index, int from,
                                     const double *rows, double *out)
{
    sparse_data *S = (sparse_data *)X->kept;
    if (S->slot.centring.levels > RS_MANY_LEVELS)
        return sparse_times(X, count, rows, out);
    return rs_sparse_rows_products(&S->by_row, count, index, from, out);
}

/* a column with entries in more of its rows is taken about its means: its
 * products are no less accurate then */
#define RS_HALF_FULL 0.5

/* Z'z_j = Z'x_j, as the columns of Z are centred */
static rs_status sparse_column_product(const rs_data *X, int j, double *z,
                                       double *c)
{
    sparse_data *S = (sparse_data *)X->kept;
    const int first = S->slot.p[j], last = S->slot.p[j + 1];
    const rs_base *base = base_of(S, j);
    const double weight = weight_of(X, j);
    if (last - first > RS_HALF_FULL * X->n) {
        sparse_column(X, j, z);
    } else {
        rs_fill((size_t)X->n, 0.0, z);
        for (int at = first; at < last; at++)
            z[S->slot.row[at]] =
                rs_entry_less(S->slot.value[at], base[level_at(S, at)]) *
                weight;
    }
    return rs_sparse_rows_crossprod(&S->by_row, z, c);
}

static rs_status sparse_column_products(const rs_data *X, int count,
                                        const int *index, double *room,
                                        double *C)
{
    for (int c = 0; c < count; c++)
        RS_TRY(sparse_column_product(X, index[c], room, C + (size_t)X->d * c));
    return RS_OK;
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
    const rs_centring *centring = &S->slot.centring;
    const double *mean = rs_level_means(centring, j);
    const double weight = weight_of(X, j);
    double sum = 0.0;
    for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
        double gap =
            rs_entry_less(S->slot.value[at],
                          rs_level_base(centring, j, level_at(S, at))) *
            weight;
        sum += gap * gap;
    }
    count_entries(S, j, S->held);
    for (int l = 0; l < centring->levels; l++) {
        const int holes = rs_level_size(centring, X->n, l) - S->held[l];
        const double hole = mean[l] * weight;
        sum = holes > 0 ? sum + holes * (hole * hole) : sum;
    }
    return sum;
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
    const int levels = S->slot.centring.levels;
    /* sum_j e_j (w_j mu_j)^2: a row of each level without entries */
    double *shift = S->levels_t;
    rs_fill((size_t)levels, 0.0, shift);
    rs_fill((size_t)X->n, 0.0, squares);
    for (int j = 0; j < X->d; j++) {
        const double factor = e ? e[j] : 1.0, weight = weight_of(X, j);
        const rs_base *base = base_of(S, j);
        const double *rests = rest_of(S, j);
        for (int l = 0; l < levels; l++) {
            const double rest = rests[l] * weight;
            shift[l] += factor * rest * rest;
        }
        for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
            const int l = level_at(S, at);
            const double rest = rests[l] * weight;
            double value = rs_entry_less(S->slot.value[at], base[l]) * weight;
            squares[S->slot.row[at]] += factor * value * (value - 2.0 * rest);
        }
    }
    for (int i = 0; i < X->n; i++)
        squares[i] += shift[rs_level_of(&S->slot.centring, i)];
    return RS_OK;
}

/* ---- Gram matrices ------------------------------------------------------ */

/* the feature at a position of a list; NULL lists all of them */
static inline int listed(const int *index, int position)
{
    return index ? index[position] : position;
}

/*
 * The column of Z'TZ of a feature, with the first `count` of the listed ones.
 * The column z of that feature is made dense and times t, so that only the
 * means of the other one are left to be taken out, and little where T is the
 * identity:
 *     w_i (x_i'Tz - mu_i'(E'Tz))
 */
static void sparse_gram_column(const rs_data *X, const double *t,
                               const int *index, int feature, int count,
                               double *z, double *g)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int levels = S->slot.centring.levels;
    sparse_column(X, feature, z);
    if (t)
        for (int r = 0; r < X->n; r++)
            z[r] *= t[r];
    sum_levels(X, 1, z, S->levels_t);
    for (int row = 0; row < count; row++) {
        const int i = listed(index, row);
        const rs_base *base = base_of(S, i);
        const double *rest = rest_of(S, i);
        double sum = 0.0;
        for (int l = 0; l < levels; l++)
            sum -= rest[l] * S->levels_t[l];
        for (int a = S->slot.p[i]; a < S->slot.p[i + 1]; a++)
            sum += rs_entry_less(S->slot.value[a], base[level_at(S, a)]) *
                   z[S->slot.row[a]];
        g[row] = sum * weight_of(X, i);
    }
}

/* a column whose mean square is this many times its variance loses digits when
 * its mean is taken out of sums, and is centred entry by entry */
#define RS_APART 16.0

/* what sums over whole columns need: c = sums of the weighted entries less
 * their base in each level, the rests with their weights, and which columns are
 * better made dense */
static void find_apart(const rs_data *X, double *sums, double *rests,
                       unsigned char *apart)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const rs_centring *centring = &S->slot.centring;
    const int levels = centring->levels;
    rs_fill((size_t)levels * X->d, 0.0, sums);
    for (int j = 0; j < X->d; j++) {
        const rs_base *base = base_of(S, j);
        const double weight = weight_of(X, j);
        double *sum = sums + (size_t)levels * j, mean = 0.0, square = 0.0;
        double *rest = rests + (size_t)levels * j;
        for (int at = S->slot.p[j]; at < S->slot.p[j + 1]; at++) {
            const int l = level_at(S, at);
            const double value =
                rs_entry_less(S->slot.value[at], base[l]) * weight;
            sum[l] += value;
            square += value * value;
        }
        for (int l = 0; l < levels; l++) {
            rest[l] = rest_of(S, j)[l] * weight;
            mean += rs_level_size(centring, X->n, l) * rest[l] * rest[l];
        }
        apart[j] = mean > RS_APART * (square - mean);
    }
}

/* the upper triangle: G_ij -= sum over levels of
 *     rest_i (c_j - n rest_j / 2) + rest_j (c_i - n rest_i / 2) */
static rs_status take_out_rests(const rs_data *X, const double *sums,
                                const double *rests,
                                const unsigned char *apart, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const int d = X->d, levels = S->slot.centring.levels;
    for (int j = 0; j < d; j++) {
        const double *rest_j = rests + (size_t)levels * j;
        const double *c_j = sums + (size_t)levels * j;
        double *g = G + (size_t)d * j;
        for (int i = 0; i <= j && !apart[j]; i++) {
            if (apart[i])
                continue;
            const double *rest_i = rests + (size_t)levels * i;
            const double *c_i = sums + (size_t)levels * i;
            for (int l = 0; l < levels; l++) {
                const double half =
                    0.5 * rs_level_size(&S->slot.centring, X->n, l);
                g[i] -= rest_i[l] * (c_j[l] - half * rest_j[l]) +
                        rest_j[l] * (c_i[l] - half * rest_i[l]);
            }
        }
        if (j % 256 == 0)
            RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

/* column j of Z'Z, with those near it and those apart up to itself, onto the
 * upper triangle of G; g: room for it */
static void add_apart(const rs_data *X, int j, const unsigned char *apart,
                      double *g, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const size_t d = (size_t)X->d, at = (size_t)j;
    sparse_gram_column(X, NULL, NULL, j, X->d, S->rows_t, g);
    for (size_t i = 0; i < d; i++)
        if (i <= at)
            G[i + d * at] += g[i];
        else if (!apart[i])
            G[at + d * i] += g[i];
}

static rs_status sparse_add_gram(const rs_data *X, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const size_t d = (size_t)X->d, levels = (size_t)S->slot.centring.levels;
    double *sums, *rests;
    RS_ALLOC_DOUBLES(X->ctx, levels * d, &sums, &rests);
    double *g = rs_alloc_double(X->ctx, d);
    unsigned char *apart = (unsigned char *)rs_alloc(X->ctx, d, 1);
    RS_TRY(rs_allocated(X->ctx));
    find_apart(X, sums, rests, apart);
    RS_TRY(rs_sparse_cross_products(X->ctx, X->n, X->d, &S->slot, S->base,
                                    apart, G));
    RS_TRY(take_out_rests(X, sums, rests, apart, G));
    for (int j = 0; j < X->d; j++) {
        if (!apart[j])
            continue;
        add_apart(X, j, apart, g, G);
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

static rs_status sparse_gram(const rs_data *X, const double *t, int count,
                             const int *index, double *room, double *G)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    (void)room;
    for (int at = 0; at < count; at++) {
        sparse_gram_column(X, t, index, listed(index, at), at + 1, S->rows_t,
                           G + (size_t)at * count);
        RS_TRY(rs_poll(X->ctx));
    }
    rs_mirror_upper(count, G);
    return RS_OK;
}

/* K[a, b] += C[l_a, l_b] - U[a, l_b] - U[b, l_a], the upper triangle */
static void take_off_pulls(const rs_data *X, const double *U, const double *C,
                           double *K)
{
    const rs_centring *centring =
        &((const sparse_data *)X->kept)->slot.centring;
    const size_t n = (size_t)X->n, levels = (size_t)centring->levels;
    for (size_t b = 0; b < n; b++) {
        const size_t lb = (size_t)rs_level_of(centring, (int)b);
        for (size_t a = 0; a <= b; a++) {
            const size_t la = (size_t)rs_level_of(centring, (int)a);
            K[a + b * n] +=
                C[la + levels * lb] - U[lb + levels * a] - U[la + levels * b];
        }
    }
}

/*
 * With F = D diag(e) D: K = X F X' - U E' - E U' + E C E', U = X F M',
 * C = M F M', where X and M are the entries less their base and the rests.
 * The products of the entries of each column fill the upper triangle (rows
 * ascend within a column). U lies row by row, then C.
 */
static rs_status sparse_gram_samples(const rs_data *X, const double *e,
                                     double *K)
{
    sparse_data *S = (sparse_data *)X->kept;
    const size_t n = (size_t)X->n, levels = (size_t)S->slot.centring.levels;
    const size_t room = (n + levels) * levels;
    if (S->pull == NULL)
        S->pull = rs_alloc_double(X->ctx, room);
    RS_TRY_ALLOC(S->pull);
    double *U = S->pull, *C = U + n * levels;
    size_t since_poll = 0;

    rs_fill(n * n, 0.0, K);
    rs_fill(room, 0.0, U);
    for (int j = 0; j < X->d; j++) {
        const double factor = e ? e[j] : 1.0, weight = weight_of(X, j);
        const rs_base *base = base_of(S, j);
        const double *rest = rest_of(S, j);
        if (factor == 0.0)
            continue;
        for (size_t l = 0; l < levels * levels; l++)
            C[l] += factor * (rest[l % levels] * weight) *
                    (rest[l / levels] * weight);
        for (int b = S->slot.p[j]; b < S->slot.p[j + 1]; b++) {
            double scaled =
                rs_entry_less(S->slot.value[b], base[level_at(S, b)]) *
                weight * factor * weight;
            double *column = K + (size_t)S->slot.row[b] * n;
            double *u = U + (size_t)S->slot.row[b] * levels;
            for (int a = S->slot.p[j]; a <= b; a++)
                column[S->slot.row[a]] +=
                    rs_entry_less(S->slot.value[a], base[level_at(S, a)]) *
                    scaled;
            for (size_t l = 0; l < levels; l++)
                u[l] += scaled * rest[l];
            since_poll += (size_t)(b - S->slot.p[j]) + 1 + levels;
        }
        if (since_poll > RS_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(X->ctx));
            since_poll = 0;
        }
    }
    take_off_pulls(X, U, C, K);
    rs_mirror_upper((int)n, K);
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
        work = (double)X->d * X->d + work * (work / X->n);
    if (task == RS_TASK_GRAM_SAMPLES) {
        work = 0.0;
        for (int j = 0; j < X->d; j++)
            work += (double)(p[j + 1] - p[j]) * (p[j + 1] - p[j]);
    }
    return RS_SPARSE_COST * work;
}

static const rs_data_ops sparse_ops = {.times = sparse_times,
                                       .crossprod = sparse_crossprod,
                                       .columns = sparse_columns,
                                       .rows = sparse_rows,
                                       .row_products = sparse_row_products,
                                       .add_gram = sparse_add_gram,
                                       .gram = sparse_gram,
                                       .gram_samples = sparse_gram_samples,
                                       .column_squares = sparse_column_squares,
                                       .row_squares = sparse_row_squares,
                                       .raw_column = sparse_raw_column,
                                       .work = sparse_work,
                                       .column_products =
                                           sparse_column_products};

static rs_status room_for_sparse(rs_context *ctx, int n, int d, int block,
                                 sparse_data *S)
{
    const size_t levels = (size_t)S->slot.centring.levels;
    S->pull = NULL;
    S->rows_t = rs_alloc_double(ctx, (size_t)block * n);
    S->cols_t = rs_alloc_double(ctx, (size_t)block * d);
    S->levels_t = rs_alloc_double(ctx, (size_t)block * levels);
    S->base = (rs_base *)rs_alloc(ctx, levels * d, sizeof *S->base);
    S->rest = rs_alloc_double(ctx, levels * d);
    S->held = rs_alloc_int(ctx, levels);
    S->next = rs_alloc_int(ctx, (size_t)d);
    return rs_allocated(ctx);
}

/* shift: the means of the columns, or of those of their levels the root of the
 * mean square; shift_square: the largest of any level */
static rs_status find_shifts(rs_context *ctx, rs_data *X)
{
    const sparse_data *S = (const sparse_data *)X->kept;
    const rs_centring *centring = &S->slot.centring;
    double *shift = rs_alloc_double(ctx, (size_t)X->d);
    RS_TRY_ALLOC(shift);
    X->shift = shift;
    X->shift_square = 0.0;
    for (int j = 0; j < X->d; j++) {
        const double *mean = rs_level_means(centring, j);
        double sum = 0.0;
        for (int l = 0; l < centring->levels; l++)
            sum = hypot(sum,
                        sqrt((double)rs_level_size(centring, X->n, l) / X->n) *
                            mean[l]);
        shift[j] = sum;
    }
    for (int l = 0; l < centring->levels; l++) {
        double square = 0.0;
        for (int j = 0; j < X->d; j++) {
            const double rest = rest_of(S, j)[l] * weight_of(X, j);
            square += rest * rest;
        }
        X->shift_square = fmax(X->shift_square, square);
    }
    return RS_OK;
}

rs_status rs_data_sparse(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slots, int block, rs_data *X)
{
    sparse_data *S = (sparse_data *)rs_alloc(ctx, 1, sizeof *S);
    RS_TRY_ALLOC(S);
    S->slot = *slots;
    RS_TRY(room_for_sparse(ctx, n, d, block, S));
    rs_sparse_rows_init(ctx, n, d, &S->slot, S->base, S->rest, &S->by_row);
    *X = (rs_data){.ops = &sparse_ops,
                   .kept = S,
                   .n = n,
                   .d = d,
                   .block = block,
                   .has_parts = 1,
                   .ctx = ctx};
    split_means(X);
    return find_shifts(ctx, X);
}
