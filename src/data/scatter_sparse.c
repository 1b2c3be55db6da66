/*
 * Z'Z of sparse columns by their rows: each row of X adds the products of the
 * pairs of its entries, which are few, and the means come off at the end,
 *     Z'Z = X'X - M' N M,   N = diag(rows of each level).
 * That cancels where means are large beside deviations. Such columns, full
 * ones for instance, are `far`, and made as those of any data are.
 */
#include "data/scatter.h"

#include "la/linalg.h"

/* a sum of squares may shrink to this share when the mean is taken off */
#define RS_NEAR 0.2
/* numbers of the part of S that is added to at a time */
#define RS_SCATTER_CACHE (1 << 17)

typedef struct {
    int n, d;
    const rs_sparse_slots *slot;
    double *size;       /* L: rows of each level */
    unsigned char *far; /* d */
    int *index;         /* the far columns */
    int count;          /* of them */
    int *start, *at;    /* n + 1, n: near entries row by row, columns */
    int *column;        /* ascending */
    double *value;
} near_rows;

static double weight_of(const near_rows *s, int j)
{
    return s->slot->weight ? s->slot->weight[j] : 1.0;
}

/* sum over the levels of rows times mean_i mean_j */
static double mean_product(const near_rows *s, int i, int j)
{
    const rs_centring *centring = &s->slot->centring;
    const double *a = rs_level_means(centring, i);
    const double *b = rs_level_means(centring, j);
    double sum = 0.0;
    for (int l = 0; l < centring->levels; l++)
        sum += s->size[l] * a[l] * b[l];
    return sum * weight_of(s, i) * weight_of(s, j);
}

static void find_far(near_rows *s)
{
    s->count = 0;
    for (int j = 0; j < s->d; j++) {
        double square = 0.0;
        for (int a = s->slot->p[j]; a < s->slot->p[j + 1]; a++)
            square += s->slot->value[a] * s->slot->value[a];
        square *= weight_of(s, j) * weight_of(s, j);
        s->far[j] = mean_product(s, j, j) > (1.0 - RS_NEAR) * square;
        if (s->far[j])
            s->index[s->count++] = j;
    }
}

/* the near entries by row; at: where the next one of each row goes */
static void sort_by_row(near_rows *s)
{
    const rs_sparse_slots *slot = s->slot;
    for (int i = 0; i <= s->n; i++)
        s->start[i] = 0;
    for (int j = 0; j < s->d; j++)
        for (int a = slot->p[j]; a < slot->p[j + 1] && !s->far[j]; a++)
            s->start[slot->row[a] + 1]++;
    for (int i = 0; i < s->n; i++) {
        s->start[i + 1] += s->start[i];
        s->at[i] = s->start[i];
    }
    for (int j = 0; j < s->d; j++) {
        const double weight = weight_of(s, j);
        for (int a = slot->p[j]; a < slot->p[j + 1] && !s->far[j]; a++) {
            const int to = s->at[slot->row[a]]++;
            s->column[to] = j;
            s->value[to] = slot->value[a] * weight;
        }
    }
    for (int i = 0; i < s->n; i++)
        s->at[i] = s->start[i];
}

/* S[, from .. to) += the products of pairs of near entries; `at` goes on to
 * the first entry beyond */
static void add_pairs(near_rows *s, int to, double *S)
{
    const size_t d = (size_t)s->d;
    for (int i = 0; i < s->n; i++) {
        const int first = s->start[i], end = s->start[i + 1];
        int b = s->at[i];
        for (; b < end && s->column[b] < to; b++) {
            double *g = S + d * (size_t)s->column[b];
            const double v = s->value[b];
            for (int a = first; a <= b; a++)
                g[s->column[a]] += v * s->value[a];
        }
        s->at[i] = b;
    }
}

static void take_off_means(const near_rows *s, int from, int to, double *S)
{
    for (int j = from; j < to; j++)
        for (int i = 0; i <= j && !s->far[j]; i++)
            if (!s->far[i])
                S[i + (size_t)s->d * j] -= mean_product(s, i, j);
}

/* products of a far column with all that stand before it, and with the near
 * ones behind */
static void add_far_column(const near_rows *s, int j, const double *w,
                           double *S)
{
    const size_t d = (size_t)s->d;
    for (int i = 0; i < s->d; i++)
        if (i <= j)
            S[(size_t)i + d * (size_t)j] += w[i];
        else if (!s->far[i])
            S[(size_t)j + d * (size_t)i] += w[i];
}

static rs_status add_far(rs_context *ctx, const rs_data *X, const near_rows *s,
                         double *S)
{
    const size_t d = (size_t)s->d;
    double *panel = rs_alloc_double(ctx, (size_t)s->n * RS_SCATTER_BLOCK);
    double *W = rs_alloc_double(ctx, d * RS_SCATTER_BLOCK);
    RS_TRY(rs_allocated(ctx));
    for (int c = 0; c < s->count; c += RS_SCATTER_BLOCK) {
        const int width = rs_min_int(RS_SCATTER_BLOCK, s->count - c);
        RS_TRY(rs_data_columns(X, width, s->index + c, panel));
        RS_TRY(rs_data_crossprod(X, width, panel, W));
        for (int b = 0; b < width; b++)
            add_far_column(s, s->index[c + b], W + d * b, S);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

static rs_status room_for_rows(rs_context *ctx, near_rows *s)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d;
    const size_t stored = (size_t)s->slot->p[s->d];
    const int levels = s->slot->centring.levels;
    s->size = rs_alloc_double(ctx, (size_t)levels);
    s->far = (unsigned char *)rs_alloc(ctx, d, 1);
    s->index = rs_alloc_int(ctx, d);
    s->start = rs_alloc_int(ctx, n + 1);
    s->at = rs_alloc_int(ctx, n);
    s->column = rs_alloc_int(ctx, stored);
    s->value = rs_alloc_double(ctx, stored);
    RS_TRY(rs_allocated(ctx));
    for (int l = 0; l < levels; l++)
        s->size[l] = rs_level_size(&s->slot->centring, s->n, l);
    return RS_OK;
}

rs_status rs_scatter_add_sparse(rs_context *ctx, const rs_data *X,
                                const rs_sparse_slots *slots, double *S)
{
    near_rows s = {.n = X->n, .d = X->d, .slot = slots};
    const int step = rs_max_int(8, RS_SCATTER_CACHE / X->d);
    RS_TRY(room_for_rows(ctx, &s));
    find_far(&s);
    sort_by_row(&s);
    for (int j = 0; j < s.d; j += step) {
        const int to = rs_min_int(s.d, j + step);
        add_pairs(&s, to, S);
        take_off_means(&s, j, to, S);
        RS_TRY(rs_poll(ctx));
    }
    return s.count > 0 ? add_far(ctx, X, &s, S) : RS_OK;
}
