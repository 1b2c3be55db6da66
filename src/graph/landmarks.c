#include "graph/graph.h"

#include <math.h>
#include <string.h>

#include "data/dense.h"
#include "la/linalg.h"

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

/* landmark j is row `own` of the data; product: its n inner products; distances are
 * squared until the end */
static void offer(const rs_metric_rows *rows, int j, int own,
                  const double *product, rs_nearest_landmarks *near)
{
    const int n = near->n;
    const double *last = near->distance + (size_t)n * ((size_t)near->k - 1);
    const double *factor = rows->factor, *square = rows->square;
    const double twice = 2.0 * factor[own];
    for (int i = 0; i < n; i++) {
        const double inner = factor[i] * product[i];
        const double gap = square[i] + square[own] - twice * inner;
        const double positive = gap > 0.0 ? gap : 0.0;
        if (positive < last[i])
            insert(near, i, j, i == own ? 0.0 : positive);
    }
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
    return rs_neighbours_find(ctx, &X, k, 1, metrics, metric, among);
}

/* lists without landmarks, and the rows as the metric sees them */
static rs_status begin(rs_context *ctx, int n, int k, rs_metric metric,
                       const double *squares, rs_metric_rows *rows,
                       rs_nearest_landmarks *near)
{
    const size_t size = (size_t)n * k;
    *near = (rs_nearest_landmarks){.n = n, .k = k};
    near->index = rs_alloc_int(ctx, size);
    near->distance = rs_alloc_double(ctx, size);
    RS_TRY(rs_allocated(ctx));
    memset(near->index, 0, size * sizeof *near->index);
    rs_fill(size, INFINITY, near->distance);
    return rs_metric_rows_init(ctx, n, metric, squares, rows);
}

rs_status rs_landmarks_find(rs_data *X, int count, const int *row, int k,
                            int metrics, const rs_metric *metric,
                            rs_neighbours *among, rs_nearest_landmarks *of_all)
{
    rs_context *ctx = X->ctx;
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    int is_sound = metrics >= 1 && k >= 1 && k < count && row[0] >= 0 &&
                   row[count - 1] < X->n;
    for (int b = 1; b < count; b++)
        is_sound = is_sound && row[b] > row[b - 1];
    if (!is_sound)
        return RS_BAD_INPUT;
    double *squares = rs_alloc_double(ctx, n);
    double *products = rs_alloc_double(ctx, n * (size_t)X->block);
    double *rows = rs_alloc_double(ctx, d * (size_t)count);
    rs_metric_rows *by = rs_alloc(ctx, (size_t)metrics, sizeof *by);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_row_squares(X, NULL, squares));
    if (!rs_all_finite(n, squares))
        return RS_NOT_FINITE;
    for (int a = 0; a < metrics; a++)
        RS_TRY(begin(ctx, X->n, k, metric[a], squares, by + a, of_all + a));
    for (int from = 0; from < count; from += X->block) {
        const int width = rs_min_int(X->block, count - from);
        double *tile = rows + d * from;
        RS_TRY(rs_data_rows(X, width, row + from, 0, tile));
        RS_TRY(rs_data_row_products(X, width, row + from, 0, tile, products));
        for (int c = 0; c < width; c++)
            for (int a = 0; a < metrics; a++)
                offer(by + a, from + c, row[from + c], products + n * c,
                      of_all + a);
        RS_TRY(rs_poll(ctx));
    }
    for (int a = 0; a < metrics; a++)
        for (size_t at = 0; at < n * (size_t)k; at++)
            of_all[a].distance[at] = sqrt(of_all[a].distance[at]);
    return search_among(ctx, count, X->d, rows, k, metrics, metric, among);
}
