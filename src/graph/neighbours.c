#include "graph/graph.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/linalg.h"

/* rows of a tile, and numbers of its inner products (32 MB) */
#define RS_NEIGHBOUR_TILE 256
#define RS_TILE_NUMBERS 4000000
/* the same where what is read again for every tile costs more (512 MB) */
#define RS_WIDE_TILE_NUMBERS 64e6
/* a squared distance that is known less accurately is computed again */
#define RS_ACCURATE 1e-8
/* pairs that are kept whatever n and k, and per neighbour */
#define RS_PAIRS ((size_t)1 << 25)
#define RS_PAIRS_PER_NEIGHBOUR 64

/* a neighbour that row `row` of the tile may have */
typedef struct {
    double low, high; /* bounds of the squared distance */
    double distance;
    int index, row;
    int rough; /* to be computed again */
} candidate;

/* a pair to be computed again: its place among the pairs */
typedef struct {
    int index;
    size_t at;
} request;

/* the search by one metric */
typedef struct {
    rs_metric_rows rows;
    double *spread; /* n: |error of ||a_i - a_j||^2| <= spread_i + spread_j */
    double *base;   /* n: ||a_i||^2 - spread_i */
    rs_neighbours *found;
    size_t room;
    double largest, sum; /* squared, and of the distances; every pair once */
} geometry;

typedef struct {
    rs_data *X;
    int n, d, k, ties, width;
    double *rows;     /* d x width: the tile */
    double *others;   /* d x width: rows it is compared with again */
    double *products; /* n x width: inner products with all rows */
    double *least;    /* k least upper bounds so far, ascending */
    candidate *pairs; /* of the tile, row by row */
    size_t room, count;
    size_t *start;  /* width + 1: where rows begin among the pairs */
    request *again; /* the rough ones, by index; room for as many */
    int *listed;    /* width: indices of `others` */
    size_t most;    /* pairs that may be kept */
    rs_context *ctx;
} search;

int rs_neighbours_block(int n, int d)
{
    int longest = rs_max_int(n, d);
    /* two tiles of rows are held, a small part of the data where n is small */
    int fitting = rs_min_int(RS_TILE_NUMBERS / longest, n / 16);
    return rs_min_int(n,
                      rs_min_int(RS_NEIGHBOUR_TILE, rs_max_int(16, fitting)));
}

int rs_neighbours_wide_block(int n, int d, int most)
{
    /* products, two tiles and the columns that these are multiplied with */
    const double fitting = RS_WIDE_TILE_NUMBERS / ((double)n + 3.0 * d);
    return rs_max_int(rs_neighbours_block(n, d), (int)fmin(fitting, most));
}

/* ---- room --------------------------------------------------------------- */

static rs_status make_room_for_pairs(search *s, size_t count)
{
    if (count <= s->room)
        return RS_OK;
    size_t room = 2 * count;
    candidate *pairs = (candidate *)rs_alloc(s->ctx, room, sizeof(candidate));
    request *again = (request *)rs_alloc(s->ctx, room, sizeof(request));
    RS_TRY(rs_allocated(s->ctx));
    if (s->count > 0)
        memcpy(pairs, s->pairs, s->count * sizeof *pairs);
    s->pairs = pairs;
    s->again = again;
    s->room = room;
    return RS_OK;
}

/* for `count` entries, of which `held` are there */
static rs_status make_room_in_lists(search *s, size_t held, size_t count,
                                    geometry *g)
{
    rs_neighbours *f = g->found;
    if (count > s->most)
        return RS_TOO_MANY_TIES;
    if (count <= g->room)
        return RS_OK;
    size_t room = 2 * count < s->most ? 2 * count : s->most;
    int *index = rs_alloc_int(s->ctx, room);
    double *distance = rs_alloc_double(s->ctx, room);
    RS_TRY(rs_allocated(s->ctx));
    if (held > 0)
        memcpy(index, f->index, held * sizeof *index);
    rs_copy(held, f->distance, distance);
    f->index = index;
    f->distance = distance;
    g->room = room;
    return RS_OK;
}

/* ---- the rows by a metric ------------------------------------------------ */

rs_status rs_metric_rows_init(rs_context *ctx, int n, rs_metric metric,
                              const double *squares, rs_metric_rows *rows)
{
    const double least = RS_ROUNDING * RS_ROUNDING * rs_largest(n, squares);
    RS_ALLOC_DOUBLES(ctx, (size_t)n, &rows->factor, &rows->square);
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < n; i++) {
        double squared = 1.0; /* factor^2 */
        if (metric == RS_COSINE_DISTANCE)
            squared = squares[i] > least ? 1.0 / squares[i] : 0.0;
        rows->factor[i] = sqrt(squared);
        rows->square[i] = squares[i] * squared;
    }
    return RS_OK;
}

/* squares: those of the rows of Z */
static rs_status new_geometry(search *s, rs_metric metric,
                              const double *squares, rs_neighbours *found,
                              geometry *g)
{
    const size_t n = (size_t)s->n;
    const double unit = (s->d + 64.0) * DBL_EPSILON;
    RS_ALLOC_DOUBLES(s->ctx, n, &g->spread, &g->base);
    g->largest = g->sum = 0.0;
    g->room = n * (size_t)s->k;
    g->found = found;
    *found = (rs_neighbours){.n = s->n, .k = s->k, .ties = s->ties};
    found->start = (size_t *)rs_alloc(s->ctx, n + 1, sizeof(size_t));
    found->index = rs_alloc_int(s->ctx, g->room);
    found->distance = rs_alloc_double(s->ctx, g->room);
    RS_TRY(rs_allocated(s->ctx));
    found->start[0] = 0;
    RS_TRY(rs_metric_rows_init(s->ctx, s->n, metric, squares, &g->rows));
    for (size_t i = 0; i < n; i++) {
        const double factor = g->rows.factor[i];
        g->spread[i] =
            unit * (squares[i] + 2.0 * s->X->shift_square) * (factor * factor);
        g->base[i] = g->rows.square[i] - g->spread[i];
    }
    return RS_OK;
}

/* ---- candidates from the inner products ----------------------------------- */

/* low (n) = lower bounds of the squared distances of row i */
static void bound_distances(const search *s, const geometry *g, int i,
                            const double *restrict product,
                            double *restrict low)
{
    const double *restrict factor = g->rows.factor;
    const double *restrict base = g->base;
    const double own = base[i], twice = 2.0 * factor[i];
#pragma omp simd
    for (int j = 0; j < s->n; j++)
        low[j] = own + base[j] - twice * (factor[j] * product[j]);
    low[i] = 0.0;
}

/* what the distances to later rows, every pair once, add to the largest and the sum */
static void note_distances(const search *s, geometry *g, int i,
                           const double *low)
{
    double largest = g->largest, sum = 0.0;
    for (int j = i + 1; j < s->n; j++) {
        largest = low[j] > largest ? low[j] : largest;
        sum += sqrt(low[j] > 0.0 ? low[j] : 0.0);
    }
    g->largest = largest;
    g->sum += sum;
}

/* append the pairs of row i whose lower bound is not above the k-th least
 * upper bound; `low` has n numbers */
static rs_status collect(search *s, const geometry *g, int i, int row,
                         const double *low)
{
    const size_t first = s->count;
    double limit = INFINITY;
    int held = 0;
    RS_TRY(make_room_for_pairs(s, first + (size_t)s->n));
    candidate *to = s->pairs + first;
    for (int j = 0; j < s->n; j++) {
        if (!(low[j] <= limit) || j == i)
            continue;
        double high = low[j] + 2.0 * (g->spread[i] + g->spread[j]);
        candidate found = {low[j], high, 0.0, j, row, 0};
        *to++ = found;
        if (held == s->k && high >= limit)
            continue;
        held = rs_min_int(held + 1, s->k);
        int at = held - 1;
        for (; at > 0 && s->least[at - 1] > high; at--)
            s->least[at] = s->least[at - 1];
        s->least[at] = high;
        if (held == s->k)
            limit = s->least[s->k - 1];
    }
    candidate *end = to;
    to = s->pairs + first;
    for (const candidate *from = to; from < end; from++)
        if (from->low <= limit)
            *to++ = *from;
    s->count = (size_t)(to - s->pairs);
    return RS_OK;
}

/* by distance, then by index */
static int by_distance(const void *a_, const void *b_)
{
    const candidate *a = (const candidate *)a_, *b = (const candidate *)b_;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/*
 * Mark those of the `count` pairs of one row whose order among the first k, or
 * whose distance, the bounds leave open. Pairs whose bounds overlap, one with
 * the next, are in doubt together.
 */
static void find_rough(int count, int k, candidate *pair)
{
    for (int a = 0; a < count; a++)
        pair[a].distance = pair[a].low;
    qsort(pair, (size_t)count, sizeof(candidate), by_distance);
    for (int a = 0; a < count; a++)
        pair[a].distance = sqrt(fmax(0.5 * (pair[a].low + pair[a].high), 0.0));
    for (int first = 0, end; first < count && first < k; first = end) {
        double reach = pair[first].high;
        for (end = first + 1; end < count && pair[end].low <= reach; end++)
            reach = fmax(reach, pair[end].high);
        for (int a = first; a < end; a++) {
            double middle = pair[a].distance * pair[a].distance;
            double width = pair[a].high - pair[a].low;
            pair[a].rough =
                end > first + 1 || !(width <= 2.0 * RS_ACCURATE * middle);
        }
    }
}

/* ---- distances from differences -------------------------------------------- */

static double distance_of(int d, double fa, const double *a, double fb,
                          const double *b)
{
    double sum = 0.0;
    for (int j = 0; j < d; j++) {
        double gap = fa * a[j] - fb * b[j];
        sum += gap * gap;
    }
    return sqrt(sum);
}

static int by_index(const void *a_, const void *b_)
{
    const request *a = (const request *)a_, *b = (const request *)b_;
    return (a->index > b->index) - (a->index < b->index);
}

/* the rough pairs, those with the same other row side by side */
static size_t list_rough(search *s)
{
    size_t count = 0;
    for (size_t at = 0; at < s->count; at++) {
        request wanted = {s->pairs[at].index, at};
        if (s->pairs[at].rough)
            s->again[count++] = wanted;
    }
    qsort(s->again, count, sizeof(request), by_index);
    return count;
}

/* the requests from .. to, whose rows are s->listed; the tile begins at row
 * `tile` of the data */
static rs_status compute_again(search *s, const geometry *g, int tile,
                               size_t from, size_t to)
{
    double since_poll = 0.0;
    for (int c = -1; from < to; from++) {
        candidate *pair = s->pairs + s->again[from].at;
        if (c < 0 || s->listed[c] != pair->index)
            c++;
        pair->distance = distance_of(s->d, g->rows.factor[tile + pair->row],
                                     s->rows + (size_t)pair->row * s->d,
                                     g->rows.factor[pair->index],
                                     s->others + (size_t)c * s->d);
        RS_TRY(rs_poll_after(s->ctx, 3.0 * s->d, &since_poll));
    }
    return RS_OK;
}

/* all rough pairs, reading as many of the other rows at a time as fit */
static rs_status resolve(search *s, const geometry *g, int tile)
{
    const size_t count = list_rough(s);
    for (size_t from = 0, to; from < count; from = to) {
        int rows = 0;
        for (to = from; to < count; to++) {
            const int index = s->again[to].index;
            if (rows > 0 && s->listed[rows - 1] == index)
                continue;
            if (rows == s->width)
                break;
            s->listed[rows++] = index;
        }
        RS_TRY(rs_data_rows(s->X, rows, s->listed, 0, s->others));
        RS_TRY(compute_again(s, g, tile, from, to));
    }
    return RS_OK;
}

/* ---- the lists --------------------------------------------------------------- */

/* rounding of the distance of rows i and j from their differences */
static double rounding_of(const search *s, const geometry *g, int i, int j,
                          double distance)
{
    const double *square = g->rows.square;
    return DBL_EPSILON * (4.0 * (sqrt(square[i]) + sqrt(square[j])) +
                          (16.0 + 0.25 * s->d) * distance);
}

/*
 * Order the pairs of row i with the distances that are known now, give equal
 * ones the same value, and return how many are neighbours.
 */
static int order_neighbours(const search *s, const geometry *g, int i,
                            int count, candidate *pair)
{
    int end = 0;
    qsort(pair, (size_t)count, sizeof(candidate), by_distance);
    for (int first = 0; first < count && first < s->k; first = end) {
        const double least = pair[first].distance;
        for (end = first + 1; end < count; end++) {
            const double more = pair[end].distance - least;
            if (more > rounding_of(s, g, i, pair[end].index, least))
                break;
        }
        for (int a = first; a < end; a++)
            pair[a].distance = least;
        qsort(pair + first, (size_t)(end - first), sizeof(candidate),
              by_distance);
    }
    return s->ties ? end : s->k;
}

/* ---- tiles ------------------------------------------------------------------- */

/* the lists of the `width` rows from `tile` on, whose pairs are collected */
static rs_status finish_tile(search *s, geometry *g, int tile, int width)
{
    rs_neighbours *f = g->found;
    RS_TRY(resolve(s, g, tile));
    for (int c = 0; c < width; c++) {
        candidate *pair = s->pairs + s->start[c];
        int count = (int)(s->start[c + 1] - s->start[c]);
        size_t to = f->start[tile + c];
        count = order_neighbours(s, g, tile + c, count, pair);
        RS_TRY(make_room_in_lists(s, to, to + (size_t)count, g));
        for (int a = 0; a < count; a++, to++) {
            f->index[to] = pair[a].index;
            f->distance[to] = pair[a].distance;
        }
        f->start[tile + c + 1] = to;
    }
    return rs_poll(s->ctx);
}

/* the neighbours of the `width` rows from `tile` on, whose inner products
 * with all rows are known; `low` has n numbers */
static rs_status search_tile(search *s, geometry *g, int tile, int width,
                             double *low)
{
    s->count = 0;
    for (int c = 0; c < width; c++) {
        s->start[c] = s->count;
        bound_distances(s, g, tile + c, s->products + (size_t)c * s->n, low);
        note_distances(s, g, tile + c, low);
        RS_TRY(collect(s, g, tile + c, c, low));
        find_rough((int)(s->count - s->start[c]), s->k,
                   s->pairs + s->start[c]);
    }
    s->start[width] = s->count;
    return finish_tile(s, g, tile, width);
}

static rs_status new_search(rs_context *ctx, rs_data *X, int k, int ties,
                            search *s)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    *s = (search){.X = X,
                  .n = X->n,
                  .d = X->d,
                  .k = k,
                  .ties = ties,
                  .ctx = ctx,
                  .width = rs_min_int(X->n, X->block)};
    const size_t width = (size_t)s->width;
    const size_t most = RS_PAIRS_PER_NEIGHBOUR * n * (size_t)k;
    s->most = most > RS_PAIRS ? most : RS_PAIRS;
    RS_ALLOC_DOUBLES(ctx, d * width, &s->rows, &s->others);
    s->products = rs_alloc_double(ctx, n * width);
    s->least = rs_alloc_double(ctx, (size_t)k);
    s->start = (size_t *)rs_alloc(ctx, width + 1, sizeof(size_t));
    s->listed = rs_alloc_int(ctx, width);
    RS_TRY(rs_allocated(ctx));
    return make_room_for_pairs(s, n);
}

rs_status rs_neighbours_find(rs_context *ctx, rs_data *X, int k, int ties,
                             int metrics, const rs_metric *metric,
                             rs_neighbours *found)
{
    search s;
    const size_t n = (size_t)X->n;
    if (k < 1 || k >= X->n || metrics < 1)
        return RS_BAD_INPUT;
    RS_TRY(new_search(ctx, X, k, ties, &s));
    double *squares, *low;
    RS_ALLOC_DOUBLES(ctx, n, &squares, &low);
    geometry *g = (geometry *)rs_alloc(ctx, (size_t)metrics, sizeof *g);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_row_squares(X, NULL, squares));
    if (!rs_all_finite(n, squares))
        return RS_NOT_FINITE;
    for (int a = 0; a < metrics; a++)
        RS_TRY(new_geometry(&s, metric[a], squares, found + a, g + a));

    for (int tile = 0; tile < X->n; tile += s.width) {
        const int width = rs_min_int(s.width, X->n - tile);
        RS_TRY(rs_data_rows(X, width, NULL, tile, s.rows));
        RS_TRY(rs_data_row_products(X, width, NULL, tile, s.rows, s.products));
        for (int a = 0; a < metrics; a++)
            RS_TRY(search_tile(&s, g + a, tile, width, low));
    }
    for (int a = 0; a < metrics; a++) {
        found[a].largest = sqrt(g[a].largest);
        found[a].mean = 2.0 * g[a].sum / ((double)X->n * X->n);
    }
    return RS_OK;
}

rs_status rs_neighbourhood(const rs_data *X, const rs_neighbours *near, int i,
                           int q, int *member, double *rows)
{
    const size_t d = (size_t)X->d;
    member[0] = i;
    for (int a = 0; a < q; a++)
        member[a + 1] = near->index[near->start[i] + (size_t)a];
    RS_TRY(rs_data_rows(X, q + 1, member, 0, rows));
    for (int a = 1; a <= q; a++)
        rs_axpy(d, -1.0, rows, rows + d * a);
    rs_fill(d, 0.0, rows);
    return rs_poll(X->ctx);
}
