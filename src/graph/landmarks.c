#include "graph/graph.h"

#include <math.h>
#include <string.h>

#include "data/dense.h"
#include "la/linalg.h"

/* ---- nearest landmarks -------------------------------------------------------- */

/* the search by one metric */
typedef struct {
    rs_metric_rows rows;
    rs_nearest_landmarks *nearest; /* distances squared until the end */
} geometry;

/* lists without landmarks */
static rs_status empty_lists(rs_context *ctx, int n, int k,
                             rs_nearest_landmarks *nearest)
{
    const size_t size = (size_t)n * k;
    nearest->n = n;
    nearest->k = k;
    nearest->index = rs_alloc_int(ctx, size);
    nearest->distance = rs_alloc_double(ctx, size);
    RS_TRY(rs_allocated(ctx));
    memset(nearest->index, 0, size * sizeof *nearest->index);
    rs_fill(size, INFINITY, nearest->distance);
    return RS_OK;
}

/* landmark j, nearer to i than the last of its list, takes its place in it */
static void insert(rs_nearest_landmarks *near, int i, int j, double square)
{
    const size_t n = (size_t)near->n;
    double *distance = near->distance + i;
    int *index = near->index + i;
    size_t at = (size_t)near->k - 1;
    for (; at > 0 && distance[n * (at - 1)] > square; at--) {
        distance[n * at] = distance[n * (at - 1)];
        index[n * at] = index[n * (at - 1)];
    }
    distance[n * at] = square;
    index[n * at] = j;
}

/* landmark j is row `own` of the data; product: its n inner products */
static void offer(geometry *g, int j, int own, const double *product)
{
    const int n = g->nearest->n;
    const double *last =
        g->nearest->distance + (size_t)n * ((size_t)g->nearest->k - 1);
    const double *factor = g->rows.factor, *square = g->rows.square;
    const double twice = 2.0 * rs_metric_factor(&g->rows, own);
    for (int i = 0; i < n; i++) {
        const double inner = factor ? factor[i] * product[i] : product[i];
        const double gap = square[i] + square[own] - twice * inner;
        const double positive = gap > 0.0 ? gap : 0.0;
        if (positive < last[i])
            insert(g->nearest, i, j, i == own ? 0.0 : positive);
    }
}

static int are_sound(const rs_data *X, const rs_landmarks *landmarks, int k)
{
    int previous = -1;
    for (int b = 0; b < landmarks->count; b++) {
        if (landmarks->row[b] <= previous || landmarks->row[b] >= X->n)
            return 0;
        previous = landmarks->row[b];
    }
    return k >= 1 && k < landmarks->count;
}

/* the lists of all samples by every metric, from the inner products; rows (d x
 * landmarks): theirs */
static rs_status search_all(rs_data *X, const rs_landmarks *landmarks,
                            int metrics, geometry *g, double *products,
                            double *rows)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    for (int from = 0; from < landmarks->count; from += X->block) {
        const int width = rs_min_int(X->block, landmarks->count - from);
        const int *row = landmarks->row + from;
        RS_TRY(rs_data_rows(X, width, row, rows + d * from));
        RS_TRY(rs_data_row_products(X, width, row, rows + d * from, products));
        for (int c = 0; c < width; c++)
            for (int a = 0; a < metrics; a++)
                offer(g + a, from + c, row[c], products + n * c);
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

/* the neighbours of the landmarks as samples of their own */
static rs_status search_among(rs_context *ctx, int count, int d,
                              const double *rows, int k, int metrics,
                              const rs_metric *metric, rs_neighbours *among)
{
    rs_data X;
    double *Z = rs_alloc_double(ctx, (size_t)count * d);
    RS_TRY_ALLOC(Z);
    for (int b = 0; b < count; b++)
        for (int j = 0; j < d; j++)
            Z[b + (size_t)j * count] = rows[j + (size_t)b * d];
    RS_TRY(rs_data_dense(ctx, count, d, Z, rs_neighbours_block(count, d), &X));
    return rs_neighbours_find(ctx, &X, k, RS_TIES, metrics, metric, among);
}

rs_status rs_landmarks_find(rs_context *ctx, rs_data *X,
                            const rs_landmarks *landmarks, int k, int metrics,
                            const rs_metric *metric, rs_neighbours *among,
                            rs_nearest_landmarks *of_all)
{
    const size_t n = (size_t)X->n, count = (size_t)landmarks->count;
    if (!are_sound(X, landmarks, k) || metrics < 1)
        return RS_BAD_INPUT;
    double *squares = rs_alloc_double(ctx, n);
    double *products = rs_alloc_double(ctx, n * (size_t)X->block);
    double *rows = rs_alloc_double(ctx, count * (size_t)X->d);
    geometry *g = (geometry *)rs_alloc(ctx, (size_t)metrics, sizeof *g);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_row_squares(X, NULL, squares));
    if (!rs_all_finite(n, squares))
        return RS_NOT_FINITE;
    for (int a = 0; a < metrics; a++) {
        g[a].nearest = of_all + a;
        RS_TRY(empty_lists(ctx, X->n, k, of_all + a));
        RS_TRY(rs_metric_rows_init(ctx, X->n, metric[a], squares, &g[a].rows));
    }
    RS_TRY(search_all(X, landmarks, metrics, g, products, rows));
    for (int a = 0; a < metrics; a++)
        for (size_t at = 0; at < n * (size_t)k; at++)
            of_all[a].distance[at] = sqrt(of_all[a].distance[at]);
    return search_among(ctx, landmarks->count, X->d, rows, k, metrics, metric,
                        among);
}
