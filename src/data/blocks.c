#include "data/blocks.h"

#include <math.h>

#include "la/linalg.h"

typedef struct {
    rs_block_source source;
    int widest;      /* rows of the largest block */
    double *rows;    /* widest x d: the block that was read last, centred */
    double *other;   /* the same for a second one, when it is asked for */
    double *scratch; /* widest x the widest product, or x RS_PANEL */
} block_data;

static int height_of(const block_data *B, int b)
{
    return B->source.start[b + 1] - B->source.start[b];
}

/* rows (height x d) <- block b, centred and scaled */
static rs_status load(const rs_data *X, int b, double *rows)
{
    block_data *B = (block_data *)X->kept;
    const rs_block_source *from = &B->source;
    const int height = height_of(B, b);
    RS_TRY(rs_poll(X->ctx));
    RS_TRY(from->read(from->state, b, height, rows));
    for (int j = 0; j < X->d; j++)
        rs_take_off(&from->centring, j, from->start[b], height,
                    from->weight ? from->weight[j] : 1.0,
                    rows + (size_t)j * height);
    return RS_OK;
}

static rs_status next_block(const rs_data *X, int b)
{
    return load(X, b, ((const block_data *)X->kept)->rows);
}

/* ---- products ----------------------------------------------------------- */

/* rows of Y in turn: Z_b W */
static rs_status blocks_times(const rs_data *X, int m, const double *W,
                              double *Y)
{
    const block_data *B = (const block_data *)X->kept;
    for (int b = 0; b < B->source.blocks; b++) {
        const int height = height_of(B, b);
        RS_TRY(next_block(X, b));
        rs_gemm('N', 'N', height, m, X->d, 1.0, B->rows, height, W, X->d, 0.0,
                Y + B->source.start[b], X->n);
    }
    return RS_OK;
}

/* W = sum over b of Z_b'Y_b */
static rs_status blocks_crossprod(const rs_data *X, int m, const double *Y,
                                  double *W)
{
    const block_data *B = (const block_data *)X->kept;
    for (int b = 0; b < B->source.blocks; b++) {
        const int height = height_of(B, b);
        RS_TRY(next_block(X, b));
        rs_gemm('T', 'N', X->d, m, height, 1.0, B->rows, height,
                Y + B->source.start[b], X->n, b > 0 ? 1.0 : 0.0, W, X->d);
    }
    return RS_OK;
}

/* ---- columns and sums of squares ---------------------------------------- */

static rs_status blocks_columns(const rs_data *X, int count, const int *index,
                                int from, double *out)
{
    const block_data *B = (const block_data *)X->kept;
    rs_fill((size_t)X->n * count, 0.0, out);
    for (int b = 0; b < B->source.blocks; b++) {
        const size_t height = (size_t)height_of(B, b);
        RS_TRY(next_block(X, b));
        for (int c = 0; c < count; c++)
            rs_copy(height, B->rows + height * (index ? index[c] : from + c),
                    out + B->source.start[b] + (size_t)c * X->n);
    }
    return RS_OK;
}

/* every block that holds one of the rows is read once */
static rs_status blocks_rows(const rs_data *X, int count, const int *index,
                             int from, double *out)
{
    const block_data *B = (const block_data *)X->kept;
    for (int b = 0; b < B->source.blocks; b++) {
        const int first = B->source.start[b], height = height_of(B, b);
        int loaded = 0;
        for (int c = 0; c < count; c++) {
            const int i = (index ? index[c] : from + c) - first;
            if (i < 0 || i >= height)
                continue;
            if (!loaded)
                RS_TRY(next_block(X, b));
            loaded = 1;
            for (int j = 0; j < X->d; j++)
                out[j + (size_t)c * X->d] = B->rows[i + (size_t)j * height];
        }
    }
    return RS_OK;
}

static rs_status blocks_column_squares(const rs_data *X, double *squares)
{
    const block_data *B = (const block_data *)X->kept;
    rs_fill((size_t)X->d, 0.0, squares);
    for (int b = 0; b < B->source.blocks; b++) {
        const size_t height = (size_t)height_of(B, b);
        RS_TRY(next_block(X, b));
        for (int j = 0; j < X->d; j++)
            squares[j] += rs_sum_squares(height, B->rows + height * j);
    }
    return RS_OK;
}

static rs_status blocks_row_squares(const rs_data *X, const double *e,
                                    double *squares)
{
    const block_data *B = (const block_data *)X->kept;
    rs_fill((size_t)X->n, 0.0, squares);
    for (int b = 0; b < B->source.blocks; b++) {
        const int height = height_of(B, b);
        double *sum = squares + B->source.start[b];
        RS_TRY(next_block(X, b));
        for (int j = 0; j < X->d; j++) {
            const double factor = e ? e[j] : 1.0;
            const double *z = B->rows + (size_t)j * height;
            for (int i = 0; i < height; i++)
                sum[i] += factor * z[i] * z[i];
        }
    }
    return RS_OK;
}

/* ---- Gram matrices ------------------------------------------------------ */

/* `width` listed columns of the block, side by side, times t where given */
static void gather(const rs_data *X, int b, const double *t, int width,
                   const int *index, int from, double *out)
{
    const block_data *B = (const block_data *)X->kept;
    const int height = height_of(B, b);
    const double *weight = t ? t + B->source.start[b] : NULL;
    for (int c = 0; c < width; c++) {
        const double *z =
            B->rows + (size_t)height * (index ? index[from + c] : from + c);
        double *to = out + (size_t)c * height;
        for (int i = 0; i < height; i++)
            to[i] = weight ? weight[i] * z[i] : z[i];
    }
}

/* upper triangle of G += Z_b[, I]' diag(t_b) Z_b[, I], panels with I <= J */
static rs_status add_block(const rs_data *X, int b, const double *t, int count,
                           const int *index, double *room, double *G)
{
    const block_data *B = (const block_data *)X->kept;
    const int height = height_of(B, b);
    for (int j = 0; j < count; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, count - j);
        gather(X, b, t, width, index, j, B->scratch);
        for (int i = 0; i <= j; i += RS_PANEL) {
            const int rows = rs_min_int(RS_PANEL, count - i);
            const double *left = B->rows + (size_t)i * height;
            if (index) {
                gather(X, b, NULL, rows, index, i, room);
                left = room;
            }
            rs_gemm('T', 'N', rows, width, height, 1.0, left, height,
                    B->scratch, height, 1.0, G + i + (size_t)j * count, count);
        }
        RS_TRY(rs_poll(X->ctx));
    }
    return RS_OK;
}

static rs_status blocks_gram(const rs_data *X, const double *t, int count,
                             const int *index, double *room, double *G)
{
    const block_data *B = (const block_data *)X->kept;
    rs_fill((size_t)count * count, 0.0, G);
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b));
        RS_TRY(add_block(X, b, t, count, index, room, G));
    }
    rs_mirror_upper(count, G);
    return RS_OK;
}

static void scale_columns(int height, int d, const double *e, double *rows)
{
    for (int j = 0; j < d; j++)
        rs_scale((size_t)height, sqrt(e[j]), rows + (size_t)j * height);
}

/* K[a, b] = Z_a E Z_b' for all pairs of blocks a <= b */
static rs_status blocks_gram_samples(const rs_data *X, const double *e,
                                     double *K)
{
    block_data *B = (block_data *)X->kept;
    const int *start = B->source.start;
    if (B->other == NULL)
        B->other = rs_alloc_double(X->ctx, (size_t)B->widest * X->d);
    RS_TRY_ALLOC(B->other);
    for (int b = 0; b < B->source.blocks; b++) {
        const int width = height_of(B, b);
        RS_TRY(load(X, b, B->other));
        if (e)
            scale_columns(width, X->d, e, B->other);
        for (int a = 0; a <= b; a++) {
            const int height = height_of(B, a);
            const double *left = B->other;
            if (a < b) {
                RS_TRY(load(X, a, B->rows));
                if (e)
                    scale_columns(height, X->d, e, B->rows);
                left = B->rows;
            }
            rs_gemm('N', 'T', height, width, X->d, 1.0, left, height, B->other,
                    width, 0.0, K + start[a] + (size_t)start[b] * X->n, X->n);
        }
    }
    rs_mirror_upper(X->n, K);
    return RS_OK;
}

/* a number that is read costs what so many multiplications do */
#define RS_READ_COST 50.0

static double blocks_work(const rs_data *X, rs_data_task task)
{
    const block_data *B = (const block_data *)X->kept;
    const double n = X->n, d = X->d;
    switch (task) {
    case RS_TASK_GRAM_FEATURES:
        return n * d * (d + RS_READ_COST);
    case RS_TASK_GRAM_SAMPLES:
        return n * d * (n + RS_READ_COST * (B->source.blocks + 1) / 2.0);
    case RS_TASK_PRODUCT:
        break;
    }
    return n * d * (1.0 + RS_READ_COST);
}

static const rs_data_ops blocks_ops = {"blocks",
                                       blocks_times,
                                       blocks_crossprod,
                                       blocks_columns,
                                       blocks_rows,
                                       NULL,
                                       blocks_gram,
                                       blocks_gram_samples,
                                       blocks_column_squares,
                                       blocks_row_squares,
                                       NULL,
                                       blocks_work,
                                       NULL};

rs_status rs_data_blocks(rs_context *ctx, int d, const rs_block_source *source,
                         int block, rs_data *X)
{
    block_data *B = (block_data *)rs_alloc(ctx, 1, sizeof *B);
    RS_TRY_ALLOC(B);
    B->source = *source;
    B->widest = 0;
    for (int b = 0; b < source->blocks; b++)
        B->widest = rs_max_int(B->widest, height_of(B, b));
    B->rows = rs_alloc_double(ctx, (size_t)B->widest * d);
    B->scratch = rs_alloc_double(ctx, (size_t)B->widest * RS_PANEL);
    B->other = NULL;
    X->ops = &blocks_ops;
    X->kept = B;
    X->n = source->start[source->blocks];
    X->d = d;
    X->block = block;
    X->shift = NULL;
    X->shift_square = 0.0;
    X->subset_room = (size_t)B->widest * RS_PANEL;
    X->contiguous = 0;
    X->ctx = ctx;
    return rs_allocated(ctx);
}
