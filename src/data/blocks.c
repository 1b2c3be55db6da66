#include "data/blocks.h"

#include "base/arena.h"
#include "data/dense.h"
#include "la/linalg.h"

/* a block in memory */
typedef struct {
    int place, number; /* of the block; -1: none */
    double *values;    /* widest x d: centred and scaled; NULL where sparse */
    rs_arena arena;    /* what belongs to `rows` */
    rs_data rows;      /* Z_b */
} held_block;

typedef struct {
    rs_block_source source;
    int widest, width; /* rows of the largest block; widest product with one */
    held_block *first; /* the block that was read last */
    held_block *other; /* a second one, when it is asked for */
    double *thin;      /* widest x width: some columns, or a product */
    double *product;   /* d x width: some rows, or a product */
} block_data;

static int height_of(const block_data *B, int b)
{
    return B->source.start[b + 1] - B->source.start[b];
}

/* ---- reading ------------------------------------------------------------ */

/* to->rows <- block b, of whose slots the means and levels are missing */
static rs_status hold_sparse(const rs_data *X, int b, rs_sparse_slots *slots,
                             held_block *to)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_centring *whole = &B->source.centring;
    slots->weight = B->source.weight;
    slots->centring = *whole;
    if (whole->code)
        RS_TRY(rs_centre_levels(&to->arena.ctx, height_of(B, b), whole->levels,
                                whole->code + B->source.start[b], whole->mean,
                                whole->fine, &slots->centring));
    return rs_data_sparse(&to->arena.ctx, height_of(B, b), X->d, slots,
                          B->width, &to->rows);
}

static rs_status hold_dense(const rs_data *X, int b, held_block *to)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_block_source *from = &B->source;
    const int height = height_of(B, b);
    for (int j = 0; j < X->d; j++)
        rs_take_off(&from->centring, j, from->start[b], height,
                    from->weight ? from->weight[j] : 1.0,
                    to->values + (size_t)j * height);
    return rs_data_dense(&to->arena.ctx, height, X->d, to->values, B->width,
                         &to->rows);
}

/* to->rows <- block b, centred and scaled */
static rs_status load(const rs_data *X, int b, held_block *to)
{
    const rs_block_source *from = &((const block_data *)X->kept)->source;
    rs_sparse_slots slots;
    if (to->number == b)
        return RS_OK;
    RS_TRY(rs_poll(X->ctx));
    to->number = -1;
    RS_TRY(from->read(from->state, b, to->place, to->values, &slots));
    /* sizes that grow from block to block fill an arena with small pieces */
    if (to->arena.count > RS_ARENA_PIECES / 2)
        rs_arena_init(X->ctx, &to->arena);
    rs_arena_clear(&to->arena);
    RS_TRY(from->sparse ? hold_sparse(X, b, &slots, to)
                        : hold_dense(X, b, to));
    to->number = b;
    return RS_OK;
}

/* the next block of a pass, in *rows */
static rs_status next_block(const rs_data *X, int b, const rs_data **rows)
{
    held_block *first = ((const block_data *)X->kept)->first;
    *rows = &first->rows;
    return load(X, b, first);
}

static rs_status hold_room(rs_context *ctx, int d, int place, block_data *B,
                           held_block **out)
{
    held_block *held = (held_block *)rs_alloc(ctx, 1, sizeof *held);
    RS_TRY_ALLOC(held);
    held->place = place;
    held->number = -1;
    held->values = NULL;
    rs_arena_init(ctx, &held->arena);
    if (!B->source.sparse)
        held->values = rs_alloc_double(ctx, (size_t)B->widest * d);
    *out = held;
    return rs_allocated(ctx);
}

/* out, of n rows from `at` on, <- rows (height x count) */
static void put_rows(const rs_data *X, int at, int height, int count,
                     const double *rows, double *out)
{
    for (int c = 0; c < count; c++)
        rs_copy((size_t)height, rows + (size_t)c * height,
                out + at + (size_t)c * X->n);
}

/* ---- products ----------------------------------------------------------- */

/* rows of Y in turn: Z_b W */
static rs_status blocks_times(const rs_data *X, int m, const double *W,
                              double *Y)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_data *rows;
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b, &rows));
        RS_TRY(rs_data_times(rows, m, W, B->thin));
        put_rows(X, B->source.start[b], rows->n, m, B->thin, Y);
    }
    return RS_OK;
}

/* what is multiplied by Z_b' in a sum over the blocks: Y_b of a given Y, or
 * factor Z_b W, or the listed columns of Z_b */
typedef struct {
    const double *Y, *W;
    double factor;
    const int *index;
} right_side;

/* `m` columns of it from column `from` on, for the block whose rows begin at `at` */
static rs_status find_right_side(const rs_data *X, const rs_data *rows, int at,
                                 int from, int m, const right_side *of,
                                 double *thin)
{
    const size_t height = (size_t)rows->n;
    if (of->index)
        return rs_data_columns(rows, m, of->index + from, 0, thin);
    for (int c = 0; of->Y && c < m; c++)
        rs_copy(height, of->Y + at + (size_t)(from + c) * X->n,
                thin + c * height);
    if (of->W) {
        RS_TRY(rs_data_times(rows, m, of->W + (size_t)X->d * from, thin));
        rs_scale(height * m, of->factor, thin);
    }
    return RS_OK;
}

/* out (d x m) = their sum, in one pass */
static rs_status sum_products(const rs_data *X, int m, const right_side *of,
                              double *out)
{
    const block_data *B = (const block_data *)X->kept;
    const size_t d = (size_t)X->d;
    const rs_data *rows;
    rs_fill(d * m, 0.0, out);
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b, &rows));
        for (int c = 0; c < m; c += B->width) {
            const int width = rs_min_int(B->width, m - c);
            RS_TRY(find_right_side(X, rows, B->source.start[b], c, width, of,
                                   B->thin));
            RS_TRY(rs_data_crossprod(rows, width, B->thin, B->product));
            rs_axpy(d * width, 1.0, B->product, out + d * c);
        }
    }
    return RS_OK;
}

static rs_status blocks_crossprod(const rs_data *X, int m, const double *Y,
                                  double *W)
{
    return sum_products(X, m, &(right_side){.Y = Y}, W);
}

static rs_status blocks_scatter(const rs_data *X, int m, double factor,
                                const double *W, double *SW)
{
    return sum_products(X, m, &(right_side){.W = W, .factor = factor}, SW);
}

static rs_status blocks_column_products(const rs_data *X, int count,
                                        const int *index, double *C)
{
    return sum_products(X, count, &(right_side){.index = index}, C);
}

/* ---- columns, rows and sums of squares ---------------------------------- */

static rs_status blocks_columns(const rs_data *X, int count, const int *index,
                                int from, double *out)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_data *rows;
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b, &rows));
        for (int c = 0; c < count; c += RS_PANEL) {
            const int width = rs_min_int(RS_PANEL, count - c);
            RS_TRY(rows->ops->columns(rows, width, index ? index + c : NULL,
                                      from + c, B->thin));
            put_rows(X, B->source.start[b], rows->n, width, B->thin,
                     out + (size_t)c * X->n);
        }
    }
    return RS_OK;
}

/* every block that holds one of the rows is read once */
static rs_status blocks_rows(const rs_data *X, int count, const int *index,
                             int from, double *out)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_data *rows;
    for (int b = 0; b < B->source.blocks; b++)
        for (int c = 0; c < count; c++) {
            const int i = (index ? index[c] : from + c) - B->source.start[b];
            if (i < 0 || i >= height_of(B, b))
                continue;
            RS_TRY(next_block(X, b, &rows));
            RS_TRY(rs_data_rows(rows, 1, NULL, i, out + (size_t)c * X->d));
        }
    return RS_OK;
}

static rs_status blocks_column_squares(const rs_data *X, double *squares)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_data *rows;
    rs_fill((size_t)X->d, 0.0, squares);
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b, &rows));
        RS_TRY(rs_data_column_squares(rows, B->product));
        rs_axpy((size_t)X->d, 1.0, B->product, squares);
    }
    return RS_OK;
}

static rs_status blocks_row_squares(const rs_data *X, const double *e,
                                    double *squares)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_data *rows;
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b, &rows));
        RS_TRY(rs_data_row_squares(rows, e, squares + B->source.start[b]));
    }
    return RS_OK;
}

/* ---- Gram matrices ------------------------------------------------------ */

static rs_status blocks_add_gram(const rs_data *X, const double *t, int count,
                                 const int *index, double *room, double *G)
{
    const block_data *B = (const block_data *)X->kept;
    const rs_data *rows;
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(next_block(X, b, &rows));
        RS_TRY(rs_data_add_gram(rows, t ? t + B->source.start[b] : NULL, count,
                                index, room, G));
    }
    return RS_OK;
}

/* K[a, b] = Z_a E Z_b', a panel of the rows of Z_b after another */
static rs_status meet(const rs_data *X, const double *e, const held_block *a,
                      const held_block *b, double *K)
{
    const block_data *B = (const block_data *)X->kept;
    const int *start = B->source.start;
    for (int from = 0; from < b->rows.n; from += RS_PANEL) {
        const int count = rs_min_int(RS_PANEL, b->rows.n - from);
        RS_TRY(rs_data_rows(&b->rows, count, NULL, from, B->product));
        rs_scale_rows(X->d, count, e, B->product);
        RS_TRY(rs_data_times(&a->rows, count, B->product, B->thin));
        put_rows(X, start[a->number], a->rows.n, count, B->thin,
                 K + ((size_t)start[b->number] + from) * X->n);
    }
    return RS_OK;
}

/* for all pairs of blocks a <= b */
static rs_status blocks_gram_samples(const rs_data *X, const double *e,
                                     double *K)
{
    block_data *B = (block_data *)X->kept;
    if (B->other == NULL)
        RS_TRY(hold_room(X->ctx, X->d, 1, B, &B->other));
    for (int b = 0; b < B->source.blocks; b++) {
        RS_TRY(load(X, b, B->other));
        RS_TRY(meet(X, e, B->other, B->other, K));
        for (int a = 0; a < b; a++) {
            RS_TRY(load(X, a, B->first));
            RS_TRY(meet(X, e, B->first, B->other, K));
        }
    }
    rs_mirror_upper(X->n, K);
    return RS_OK;
}

/* a number that is read costs what so many multiplications do, and those with
 * stored entries cost so many of a dense product */
#define RS_READ_COST 50.0
#define RS_ENTRY_COST 4.0

static const rs_data_ops blocks_ops = {.times = blocks_times,
                                       .crossprod = blocks_crossprod,
                                       .columns = blocks_columns,
                                       .rows = blocks_rows,
                                       .add_gram = blocks_add_gram,
                                       .gram_samples = blocks_gram_samples,
                                       .column_squares = blocks_column_squares,
                                       .row_squares = blocks_row_squares,
                                       .scatter = blocks_scatter,
                                       .column_products =
                                           blocks_column_products};

rs_status rs_data_blocks(rs_context *ctx, int d, const rs_block_source *source,
                         int block, rs_data *X)
{
    block_data *B = (block_data *)rs_alloc(ctx, 1, sizeof *B);
    RS_TRY_ALLOC(B);
    B->source = *source;
    B->width = rs_max_int(block, RS_PANEL);
    B->widest = 0;
    for (int b = 0; b < source->blocks; b++)
        B->widest = rs_max_int(B->widest, height_of(B, b));
    RS_TRY(hold_room(ctx, d, 0, B, &B->first));
    B->other = NULL;
    B->thin = rs_alloc_double(ctx, (size_t)B->widest * B->width);
    B->product = rs_alloc_double(ctx, (size_t)d * B->width);
    const int n = source->start[source->blocks];
    const double entries = source->entries;
    const double each = source->sparse ? RS_ENTRY_COST : 1.0;
    *X = (rs_data){
        .ops = &blocks_ops,
        .kept = B,
        .n = n,
        .d = d,
        .block = block,
        .work = {entries * (each + RS_READ_COST),
                 entries * (each * d + RS_READ_COST),
                 entries *
                     (each * n + RS_READ_COST * (source->blocks + 1) / 2.0)},
        .subset_room = 2 * (size_t)B->widest * RS_PANEL,
        .shift_square =
            source->sparse
                ? rs_sparse_shift(source->centring.levels, d,
                                  source->centring.mean, source->weight)
                : 0.0,
        .is_read = 1,
        .ctx = ctx};
    return rs_allocated(ctx);
}
