#include "eigen/eigs_steps.h"

#include "base/random.h"

int rs_eigs_block(int d, int wanted)
{
    return rs_min_int(d, wanted + RS_EIGS_EXTRA);
}

int rs_eigs_capacity(int d, int wanted)
{
    return rs_min_int(d, 5 * rs_eigs_block(d, wanted) + 10);
}

rs_status rs_eigs_init(rs_context *ctx, int d, int wanted, rs_eigs_ws *ws)
{
    return rs_eigs_init_sized(ctx, d, wanted, rs_eigs_block(d, wanted),
                              rs_eigs_capacity(d, wanted), ws);
}

rs_status rs_eigs_init_sized(rs_context *ctx, int d, int wanted, int block,
                             int capacity, rs_eigs_ws *ws)
{

    *ws = (rs_eigs_ws){.d = d,
                       .wanted = wanted,
                       .block = block,
                       .capacity = rs_min_int(d, capacity)};
    size_t wide = (size_t)d * ws->capacity;
    size_t square = (size_t)ws->capacity * ws->capacity;
    RS_ALLOC_DOUBLES(ctx, wide, &ws->basis, &ws->images, &ws->keep);
    RS_ALLOC_DOUBLES(ctx, square, &ws->H, &ws->ritz_vectors, &ws->packed);
    ws->ritz_values = rs_alloc_double(ctx, (size_t)ws->capacity);
    RS_ALLOC_DOUBLES(ctx, (size_t)d * ws->block, &ws->front, &ws->residuals);
    ws->small = rs_alloc_double(ctx, (size_t)ws->capacity * ws->block);
    ws->ctx = ctx;
    ws->precondition = NULL;
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, ws->capacity, &ws->eigen));
    return rs_qr_init(ctx, d, ws->block, &ws->qr);
}

void rs_eigs_set_precondition(const double *weights, rs_eigs_ws *ws)
{
    ws->precondition = weights;
}

void rs_eigs_weigh_rows(int count, double *block, const rs_eigs_ws *ws)
{
    rs_scale_rows(ws->d, count, ws->precondition, block);
}

/* the first block: the caller's columns, filled up with the fixed sequence */
void rs_eigs_first_block(int nstart, const double *start, rs_eigs_ws *ws)
{
    size_t given = (size_t)ws->d * nstart;
    size_t total = (size_t)ws->d * ws->block;
    if (nstart > 0)
        rs_copy(given, start, ws->basis);
    for (size_t i = given; i < total; i++)
        ws->basis[i] = rs_quasi_number(i);
    rs_eigs_weigh_rows(ws->block - nstart, ws->basis + given, ws);
}

/* columns that are made orthonormal in one piece, at least */
#define RS_QR_COLUMNS 16

static rs_status orthonormalise_panel(int size, int width, rs_eigs_ws *ws)
{
    double *block = ws->basis + (size_t)size * ws->d;
    for (int pass = 0; pass < 2; pass++) {
        if (size > 0) {
            /* block -= basis (basis' block) */
            RS_TRY(rs_gemm_polled(ws->ctx, 'T', 'N', size, width, ws->d, 1.0,
                                  ws->basis, ws->d, block, ws->d, 0.0,
                                  ws->small, ws->capacity));
            RS_TRY(rs_gemm_polled(ws->ctx, 'N', 'N', ws->d, width, size, -1.0,
                                  ws->basis, ws->d, ws->small, ws->capacity,
                                  1.0, block, ws->d));
        }
        RS_TRY(rs_qr_orthonormal(ws->d, width, block, &ws->qr));
    }
    return rs_poll(ws->ctx);
}

/*
 * Make the `width` columns behind the first `size` ones orthonormal, also to
 * those; twice is enough. Columns that vanish in the first pass become
 * rounding noise, which the second pass turns into new directions.
 */
rs_status rs_eigs_orthonormalise(int size, int width, rs_eigs_ws *ws)
{
    const int step =
        rs_max_int(RS_QR_COLUMNS, rs_columns_per_call(ws->d, width, width));
    for (int end = size + width; size < end; size += step)
        RS_TRY(orthonormalise_panel(size, rs_min_int(step, end - size), ws));
    return RS_OK;
}

/* H[, new] = basis' A new, the new columns being the last `width` */
rs_status rs_eigs_extend(int size, int width, rs_eigs_ws *ws)
{
    int total = size + width;
    const double *images = ws->images + (size_t)size * ws->d;
    double *H = ws->H + (size_t)size * ws->capacity;
    return rs_gemm_polled(ws->ctx, 'T', 'N', total, width, ws->d, 1.0,
                          ws->basis, ws->d, images, ws->d, 0.0, H,
                          ws->capacity);
}

/* Ritz pairs of the first `size` columns, all, descending */
rs_status rs_eigs_ritz(int size, rs_eigs_ws *ws)
{
    double *packed = ws->packed;
    for (int j = 0; j < size; j++)
        for (int i = 0; i <= j; i++)
            packed[i + (size_t)j * size] = ws->H[i + (size_t)j * ws->capacity];
    return rs_eigen_largest(size, packed, size, ws->ritz_values,
                            ws->ritz_vectors, &ws->eigen);
}

/* out (d x count) = from Y[, 1..count], Y the Ritz vectors in coordinates */
rs_status rs_eigs_combine(int size, int count, const double *from, double *out,
                          const rs_eigs_ws *ws)
{
    return rs_gemm_polled(ws->ctx, 'N', 'N', ws->d, count, size, 1.0, from,
                          ws->d, ws->ritz_vectors, size, 0.0, out, ws->d);
}

/* keep the `count` leading Ritz vectors as the basis, with their images */
rs_status rs_eigs_restart(int size, int count, rs_eigs_ws *ws)
{
    size_t length = (size_t)ws->d * count;
    RS_TRY(rs_eigs_combine(size, count, ws->basis, ws->keep, ws));
    rs_copy(length, ws->keep, ws->basis);
    RS_TRY(rs_eigs_combine(size, count, ws->images, ws->keep, ws));
    rs_copy(length, ws->keep, ws->images);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++)
            ws->H[i + (size_t)j * ws->capacity] =
                i == j ? ws->ritz_values[j] : 0.0;
    return RS_OK;
}
