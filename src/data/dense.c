#include "data/dense.h"

#include <math.h>

#include "la/linalg.h"

typedef struct {
    const double *values; /* n x d */
    double *panel;        /* see panel_of() */
} dense_data;

/* n x 2 RS_PANEL for a few scaled columns, from when they are first needed */
static double *panel_of(const rs_data *X)
{
    dense_data *Z = (dense_data *)X->kept;
    if (!Z->panel)
        Z->panel = rs_alloc_double(X->ctx, 2 * (size_t)X->n * RS_PANEL);
    return Z->panel;
}

/* ---- products ----------------------------------------------------------- */

static rs_status dense_times(const rs_data *X, int m, const double *W,
                             double *Y)
{
    const dense_data *Z = (const dense_data *)X->kept;
    return rs_times_polled(X->ctx, X->n, X->d, m, 1.0, Z->values, W, Y);
}

/* products this narrow go column by column: dgemm would copy all of Z */
#define RS_NARROW 3

/* W[J, ] = Z[, J]' Y */
static rs_status dense_crossprod(const rs_data *X, int m, const double *Y,
                                 double *W)
{
    const dense_data *Z = (const dense_data *)X->kept;
    const int n = X->n, narrow = m <= RS_NARROW;
    const int cached = (int)(RS_CACHED / sizeof(double)) / n;
    const int step =
        narrow ? rs_max_int(1, cached) : rs_columns_per_call(n, m, X->d);
    double since_poll = 0.0;
    for (int j = 0; j < X->d; j += step) {
        const int width = rs_min_int(step, X->d - j);
        const double *z = Z->values + (size_t)j * n;
        for (int c = 0; narrow && c < m; c++)
            rs_gemv('T', n, width, 1.0, z, n, Y + (size_t)c * n, 0.0,
                    W + j + (size_t)c * X->d);
        if (!narrow)
            rs_gemm('T', 'N', width, m, n, 1.0, z, n, Y, n, 0.0, W + j, X->d);
        RS_TRY(rs_poll_after(X->ctx, 2.0 * n * width * m, &since_poll));
    }
    return rs_poll(X->ctx);
}

/* ---- Gram matrices ------------------------------------------------------ */

static rs_status dense_add_gram(const rs_data *X, const double *t, int count,
                                const int *index, double *room, double *G)
{
    const dense_data *Z = (const dense_data *)X->kept;
    (void)room;
    if (!t)
        return rs_gram_add(X->ctx, X->n, X->d, Z->values, X->n, G);
    RS_TRY_ALLOC(panel_of(X));
    return rs_data_add_panels(X, t, count, index, Z->panel, G);
}

/* K = sum over panels J of (Z[, J] E_J^{1/2}) (Z[, J] E_J^{1/2})', without the
 * columns where e is 0 */
static rs_status dense_gram_samples(const rs_data *X, const double *e,
                                    double *K)
{
    const dense_data *Z = (const dense_data *)X->kept;
    const size_t n = (size_t)X->n;
    double *panel = panel_of(X);
    RS_TRY_ALLOC(panel);
    rs_fill(n * n, 0.0, K);
    for (int j = 0, width = 0; j < X->d; j++) {
        if (!e || e[j] > 0.0) {
            double *column = panel + n * width++;
            rs_copy(n, Z->values + n * j, column);
            if (e)
                rs_scale(n, sqrt(e[j]), column);
        }
        if (width < RS_PANEL && j + 1 < X->d)
            continue;
        rs_syrk_add(X->n, width, panel, X->n, K);
        width = 0;
        RS_TRY(rs_poll(X->ctx));
    }
    rs_mirror_upper(X->n, K);
    return RS_OK;
}

/* ---- columns and sums of squares ---------------------------------------- */

static rs_status dense_columns(const rs_data *X, int count, const int *index,
                               int from, double *out)
{
    const dense_data *Z = (const dense_data *)X->kept;
    const size_t n = (size_t)X->n;
    for (int c = 0; c < count; c++)
        rs_copy(n, Z->values + n * (index ? index[c] : from + c), out + n * c);
    return RS_OK;
}

static rs_status dense_rows(const rs_data *X, int count, const int *index,
                            int from, double *out)
{
    const dense_data *Z = (const dense_data *)X->kept;
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    for (size_t j = 0; j < d; j++)
        for (int c = 0; c < count; c++)
            out[j + d * c] = Z->values[(index ? index[c] : from + c) + n * j];
    return rs_poll(X->ctx);
}

static rs_status dense_column_squares(const rs_data *X, double *squares)
{
    const dense_data *Z = (const dense_data *)X->kept;
    const size_t n = (size_t)X->n;
    for (int j = 0; j < X->d; j++)
        squares[j] = rs_sum_squares(n, Z->values + n * j);
    return RS_OK;
}

static rs_status dense_row_squares(const rs_data *X, const double *e,
                                   double *squares)
{
    const dense_data *Z = (const dense_data *)X->kept;
    const int n = X->n;
    rs_fill((size_t)n, 0.0, squares);
    for (int j = 0; j < X->d; j++) {
        const double factor = e ? e[j] : 1.0;
        const double *z = Z->values + (size_t)j * n;
        for (int i = 0; i < n; i++)
            squares[i] += factor * z[i] * z[i];
    }
    return RS_OK;
}

static const rs_data_ops dense_ops = {.times = dense_times,
                                      .crossprod = dense_crossprod,
                                      .columns = dense_columns,
                                      .rows = dense_rows,
                                      .add_gram = dense_add_gram,
                                      .gram_samples = dense_gram_samples,
                                      .column_squares = dense_column_squares,
                                      .row_squares = dense_row_squares};

rs_status rs_data_dense(rs_context *ctx, int n, int d, const double *values,
                        int block, rs_data *X)
{
    dense_data *Z = (dense_data *)rs_alloc(ctx, 1, sizeof *Z);
    RS_TRY_ALLOC(Z);
    Z->values = values;
    Z->panel = NULL;
    const double size = (double)n * d;
    *X = (rs_data){.ops = &dense_ops,
                   .kept = Z,
                   .n = n,
                   .d = d,
                   .block = block,
                   .work = {size, size * d, size * n},
                   .subset_room = 2 * (size_t)n * RS_PANEL,
                   .contiguous = 1,
                   .ctx = ctx};
    return rs_allocated(ctx);
}

/* ---- as they were given -------------------------------------------------- */

/* numbers of the rows that are centred together, about 25 MB; such rows come
 * in multiples of the depth that products take at a time */
#define RS_STRIPE_NUMBERS ((size_t)3 << 20)

rs_status rs_raw_centre(rs_context *ctx, const rs_raw *X, int first, int count,
                        double *Z)
{
    const int step = rs_columns_per_call(count, 1.0, X->d);
    for (int j = 0; j < X->d; j++) {
        const size_t from = (size_t)j * X->n + first;
        double *z = Z + (size_t)j * count;
        for (int i = 0; i < count; i++)
            z[i] = X->real ? X->real[from + i] : X->whole[from + i];
        rs_take_off(&X->centring, j, first, count,
                    X->weight ? X->weight[j] : 1.0, z);
        if (j % step == 0)
            RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

int rs_raw_stripe(const rs_raw *X)
{
    const size_t step = (size_t)RS_GRAM_DEPTH * (size_t)rs_max_int(1, X->d);
    const size_t steps = RS_STRIPE_NUMBERS / step;
    const size_t rows = RS_GRAM_DEPTH * (steps > 1 ? steps : 1);
    return rows < (size_t)X->n ? (int)rows : X->n;
}

rs_status rs_raw_add_gram(rs_context *ctx, const rs_raw *X, double *Z,
                          double *G)
{
    const int step = rs_raw_stripe(X);
    for (int first = 0; first < X->n; first += step) {
        const int count = rs_min_int(step, X->n - first);
        RS_TRY(rs_raw_centre(ctx, X, first, count, Z));
        RS_TRY(rs_gram_add(ctx, count, X->d, Z, count, G));
    }
    return RS_OK;
}
