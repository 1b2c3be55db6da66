#include "graph/roughness.h"

#include <math.h>

#include "la/linalg.h"

/* a weighted variance below this share of f'Df is the rounding of a constant */
#define RS_ROUGHNESS_CONSTANT 1e-14

rs_status rs_roughness_init(rs_context *ctx, int d, rs_roughness *r)
{
    r->total = 0.0;
    r->isolated = 0;
    RS_ALLOC_DOUBLES(ctx, (size_t)d, &r->sum, &r->square, &r->rough);
    RS_TRY(rs_allocated(ctx));
    rs_fill((size_t)d, 0.0, r->sum);
    rs_fill((size_t)d, 0.0, r->square);
    rs_fill((size_t)d, 0.0, r->rough);
    return RS_OK;
}

double rs_relative_roughness(const rs_roughness *r, int j)
{
    const double spread =
        r->total > 0.0 ? r->square[j] - r->sum[j] * (r->sum[j] / r->total)
                       : 0.0;
    return spread > RS_ROUGHNESS_CONSTANT * r->square[j] ? r->rough[j] / spread
                                                         : 2.0;
}

/* ---- on a sparse graph ------------------------------------------------------ */

/* feature j is f, and Lf = L f */
static void add_feature(const rs_laplacian *L, int n, int j, const double *f,
                        const double *Lf, rs_roughness *r)
{
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        sum += L->degree[i] * f[i];
        square += L->degree[i] * f[i] * f[i];
    }
    r->sum[j] = sum;
    r->square[j] = square;
    r->rough[j] = rs_dot((size_t)n, f, Lf);
}

rs_status rs_roughness_on(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                          rs_roughness *r)
{
    const int n = X->n, d = X->d;
    const int step = rs_min_int(d, RS_ROUGHNESS_BLOCK);
    double *block, *image;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * step, &block, &image);
    RS_TRY(rs_allocated(ctx));
    r->isolated = L->isolated;
    r->total = 0.0;
    for (int i = 0; i < n; i++)
        r->total += L->degree[i];
    for (int from = 0; from < d; from += step) {
        const int width = rs_min_int(step, d - from);
        RS_TRY(rs_data_column_range(X, from, width, block));
        RS_TRY(rs_laplacian_apply(L, width, block, image));
        for (int c = 0; c < width; c++)
            add_feature(L, n, from + c, block + (size_t)n * c,
                        image + (size_t)n * c, r);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

/* ---- on the full graph ------------------------------------------------------- */

int rs_roughness_tile(int n, int d)
{
    return rs_neighbours_block(n, d);
}

typedef struct {
    rs_metric_rows rows;
    double rate; /* 1 / (2 t^2) */
} full_graph;

static rs_status new_full_graph(rs_context *ctx, const rs_data *X,
                                rs_metric metric, double t, full_graph *g)
{
    const size_t n = (size_t)X->n;
    double *squares = rs_alloc_double(ctx, n);
    RS_TRY_ALLOC(squares);
    g->rate = 0.5 / t / t;
    RS_TRY(rs_data_row_squares(X, NULL, squares));
    if (!rs_all_finite(n, squares))
        return RS_NOT_FINITE;
    return rs_metric_rows_init(ctx, X->n, metric, squares, &g->rows);
}

/* w (n): inner products with row i <- the weights of its edges; their sum */
static double weights_of(const full_graph *g, int n, int i, double *w)
{
    const double *square = g->rows.square;
    const double own = rs_metric_factor(&g->rows, i);
    double degree = 0.0;
    for (int l = 0; l < n; l++) {
        const double product = own * rs_metric_factor(&g->rows, l) * w[l];
        const double distance =
            fmax(0.0, square[i] + square[l] - 2.0 * product);
        w[l] = l == i ? 0.0 : exp(-g->rate * distance);
        degree += w[l];
    }
    return degree;
}

/* row (d): sample i, image (d): Z'w */
static void add_sample(int d, double degree, const double *row,
                       const double *image, rs_roughness *r)
{
    for (int j = 0; j < d; j++) {
        const double weighted = degree * row[j];
        r->sum[j] += weighted;
        r->square[j] += weighted * row[j];
        r->rough[j] += (weighted - image[j]) * row[j];
    }
    r->total += degree;
    r->isolated += degree <= 0.0;
}

rs_status rs_roughness_full(rs_context *ctx, const rs_data *X,
                            rs_metric metric, double t, rs_roughness *r)
{
    const int n = X->n, d = X->d;
    const int step = rs_min_int(rs_roughness_tile(n, d), X->block);
    full_graph g;
    double *rows, *images;
    RS_ALLOC_DOUBLES(ctx, (size_t)d * step, &rows, &images);
    double *weights = rs_alloc_double(ctx, (size_t)n * step);
    double *degree = rs_alloc_double(ctx, (size_t)step);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(new_full_graph(ctx, X, metric, t, &g));
    for (int from = 0; from < n; from += step) {
        const int width = rs_min_int(step, n - from);
        RS_TRY(rs_data_row_range(X, from, width, rows));
        RS_TRY(rs_data_row_range_products(X, from, width, rows, weights));
        for (int c = 0; c < width; c++)
            degree[c] = weights_of(&g, n, from + c, weights + (size_t)n * c);
        RS_TRY(rs_data_crossprod(X, width, weights, images));
        for (int c = 0; c < width; c++)
            add_sample(d, degree[c], rows + (size_t)d * c,
                       images + (size_t)d * c, r);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
