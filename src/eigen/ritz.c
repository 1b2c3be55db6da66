#include "eigen/ritz.h"

#include <math.h>

#include "base/random.h"

/* rows of the basis that are rotated at a time */
#define RS_RITZ_ROWS 512
/* columns that are made orthonormal in one piece, at least */
#define RS_RITZ_PANEL 16
/* values are taken to be at least this share of the largest */
#define RS_RITZ_LEAST 1e-3
/* single vectors: the pairs are looked at after so many beyond the wanted ones */
#define RS_RITZ_LOOK 10

/*
 * A block of one vector shows only one direction of a repeated eigenvalue, so
 * its convergence is confirmed by another cycle from a vector that was not in
 * the space. All pairs are looked at in every step of wider blocks.
 */
static int is_single(const rs_ritz *ws)
{
    return ws->block == 1;
}

int rs_ritz_block(int d, int wanted)
{
    return rs_min_int(d, wanted + RS_RITZ_EXTRA);
}

int rs_ritz_capacity(int d, int wanted, int block)
{
    return rs_min_int(d, block == 1 ? 4 * wanted + 6 * RS_RITZ_LOOK + 1
                                    : 7 * block + RS_RITZ_LOOK);
}

rs_status rs_ritz_init(rs_context *ctx, int d, int wanted, int block,
                       int capacity, rs_ritz *ws)
{
    *ws = (rs_ritz){.ctx = ctx,
                    .d = d,
                    .wanted = wanted,
                    .block = block,
                    .capacity = capacity};
    const size_t wide = (size_t)ws->capacity;
    const size_t rows = (size_t)rs_max_int(ws->capacity, 2 * RS_RITZ_ROWS);
    RS_ALLOC_DOUBLES(ctx, d * wide, &ws->basis, &ws->images);
    RS_ALLOC_DOUBLES(ctx, wide * wide, &ws->H, &ws->vectors);
    RS_ALLOC_DOUBLES(ctx, wide, &ws->values, &ws->norms);
    ws->scratch = rs_alloc_double(ctx, rows * wide);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, ws->capacity, &ws->eigen));
    return rs_qr_init(ctx, d, block, &ws->qr);
}

static double *column(const rs_ritz *ws, int j)
{
    return ws->basis + (size_t)j * ws->d;
}

/* ---- the basis ------------------------------------------------------------- */

/* the fixed sequence from number `draw` on, in `count` columns */
static void draw_columns(size_t draw, int count, double *block,
                         const rs_ritz *ws)
{
    for (size_t i = 0; i < (size_t)ws->d * count; i++)
        block[i] = rs_quasi_number(draw + i);
    rs_scale_rows(ws->d, count, ws->control->weights, block);
}

/* the rows of weight 0, where QR leaves rounding: the operator maps it to
 * nothing, and divided by small residuals it would grow from step to step */
static void clear_rows(int width, double *block, const rs_ritz *ws)
{
    const double *weights = ws->control->weights;
    for (int c = 0; weights && c < width; c++)
        for (int i = 0; i < ws->d; i++)
            if (weights[i] == 0.0)
                block[i + (size_t)c * ws->d] = 0.0;
}

rs_status rs_leave_span(rs_context *ctx, int rows, int k, const double *Q,
                        int m, double *block, double *inner)
{
    if (k == 0)
        return RS_OK;
    RS_TRY(rs_gemm_polled(ctx, 'T', 'N', k, m, rows, 1.0, Q, rows, block, rows,
                          0.0, inner, k));
    return rs_gemm_polled(ctx, 'N', 'N', rows, m, k, -1.0, Q, rows, inner, k,
                          1.0, block, rows);
}

/* block -= basis (basis' block), with the first `size` columns of the basis */
static rs_status project(int size, int width, double *block, rs_ritz *ws)
{
    return rs_leave_span(ws->ctx, ws->d, size, ws->basis, width, block,
                         ws->scratch);
}

/*
 * Columns size, size + 1, ... made orthonormal, also to those before; twice is
 * enough. Columns that vanish are drawn; those that depend on their neighbours
 * become rounding noise, which the second pass turns into new directions.
 */
static rs_status orthonormalise_panel(int size, int width, rs_ritz *ws)
{
    const size_t d = (size_t)ws->d;
    double *block = column(ws, size);
    for (int c = 0; c < width; c++)
        ws->norms[c] = rs_norm(d, block + d * c);
    RS_TRY(project(size, width, block, ws));
    for (int c = 0; c < width; c++) {
        double *q = block + d * c;
        if (rs_norm(d, q) > RS_ROUNDING * ws->norms[c])
            continue;
        draw_columns(d * (size + c), 1, q, ws);
        RS_TRY(project(size, 1, q, ws));
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass > 0)
            RS_TRY(project(size, width, block, ws));
        RS_TRY(rs_qr_orthonormal(ws->d, width, block, &ws->qr));
        clear_rows(width, block, ws);
    }
    return RS_OK;
}

static rs_status orthonormalise(int size, int width, rs_ritz *ws)
{
    const int step =
        rs_max_int(RS_RITZ_PANEL, rs_columns_per_call(ws->d, width, width));
    for (int end = size + width; size < end; size += step)
        RS_TRY(orthonormalise_panel(size, rs_min_int(step, end - size), ws));
    return rs_poll(ws->ctx);
}

/* the power of two next to the largest modulus of an image of unit vectors where
 * its squares may leave the double range, 1 elsewhere */
static double unit_of(size_t count, const double *image)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(image[i]));
    return largest > 1e-100 && largest < 1e100 ? 1.0 : rs_power_near(largest);
}

/* the images of `width` new columns behind `size`, in the unit of the operator,
 * which the first of them tell, and H[, new] = basis' images */
static rs_status take_images(const rs_operator *A, int size, int width,
                             rs_ritz *ws)
{
    const size_t length = (size_t)ws->d * width;
    double *images = ws->images + (size_t)size * ws->d;
    RS_TRY(A->apply(A->state, width, column(ws, size), images));
    if (size == 0)
        ws->unit = unit_of(length, images);
    if (ws->unit != 1.0)
        rs_scale(length, 1.0 / ws->unit, images);
    if (!rs_all_finite(length, images))
        return RS_NOT_FINITE;
    return rs_gemm_polled(ws->ctx, 'T', 'N', size + width, width, ws->d, 1.0,
                          ws->basis, ws->d, images, ws->d, 0.0,
                          ws->H + (size_t)size * ws->capacity, ws->capacity);
}

/* ---- the Ritz pairs ---------------------------------------------------------- */

/* all pairs of H, of order `size` */
static rs_status solve_small(int size, rs_ritz *ws)
{
    for (int j = 0; j < size; j++)
        rs_copy((size_t)j + 1, ws->H + (size_t)j * ws->capacity,
                ws->scratch + (size_t)j * size);
    return rs_eigen_largest(size, ws->scratch, size, ws->values, ws->vectors,
                            &ws->eigen);
}

/* do residuals, weighted, expand the basis? */
static int is_weighted(const rs_ritz *ws)
{
    return ws->control->weights || ws->control->shift;
}

/*
 * ws->norms: of the residuals A v - theta v of the first `count` Ritz pairs, times
 * the weights; the first `kept` of the residuals go to `out`.
 */
static rs_status measure(int size, int count, int kept, double *out,
                         rs_ritz *ws)
{
    const int d = ws->d;
    const double *weights = ws->control->weights, *shift = ws->control->shift;
    const double least = RS_RITZ_LEAST * fabs(ws->values[0]);
    rs_fill((size_t)count, 0.0, ws->norms);
    for (int i = 0; i < d; i += RS_RITZ_ROWS) {
        const int rows = rs_min_int(RS_RITZ_ROWS, d - i);
        double *v = ws->scratch, *r = v + (size_t)rows * count;
        rs_gemm('N', 'N', rows, count, size, 1.0, ws->basis + i, d,
                ws->vectors, size, 0.0, v, rows);
        rs_gemm('N', 'N', rows, count, size, 1.0, ws->images + i, d,
                ws->vectors, size, 0.0, r, rows);
        for (int j = 0; j < count; j++, v += rows, r += rows) {
            rs_axpy((size_t)rows, -ws->values[j], v, r);
            rs_scale_rows(rows, 1, weights ? weights + i : NULL, r);
            ws->norms[j] += rs_sum_squares((size_t)rows, r);
            const double theta = fmax(fabs(ws->values[j]), least);
            for (int k = 0; shift && k < rows; k++)
                r[k] *= theta / (theta + shift[i + k]);
            if (j < kept)
                rs_copy((size_t)rows, r, out + i + (size_t)j * d);
        }
        RS_TRY(rs_poll(ws->ctx));
    }
    for (int j = 0; j < count; j++)
        ws->norms[j] = sqrt(ws->norms[j]);
    return RS_OK;
}

/* does the pair need no more digits, whatever its residual? */
static int is_negative(int j, const rs_ritz *ws)
{
    return ws->control->shift && ws->values[j] + ws->norms[j] < 0.0;
}

/* ws->residual of the wanted pairs, relative to the largest of `size` values */
static void set_residual(int size, rs_ritz *ws)
{
    double largest = 0.0, scale = fmax(0.0, ws->values[0]);
    if (!ws->control->shift)
        scale = fmax(scale, fabs(ws->values[size - 1]));
    for (int j = 0; j < rs_min_int(ws->wanted, size); j++)
        if (!is_negative(j, ws))
            largest = fmax(largest, ws->norms[j]);
    ws->residual = largest > 0.0 ? largest / scale : 0.0;
}

/* the residuals of pairs that are not done come first; their number, or all */
static int open_residuals(int count, double *residuals, rs_ritz *ws)
{
    const double limit = ws->control->tol * fmax(ws->values[0], 0.0);
    int open = 0;
    for (int j = 0; j < count; j++)
        if (ws->norms[j] > limit && !is_negative(j, ws))
            rs_copy((size_t)ws->d, residuals + (size_t)j * ws->d,
                    residuals + (size_t)open++ * ws->d);
    return open > 0 ? open : count;
}

/* block (d x size) <- its products with the first `kept` vectors of H */
static rs_status rotate(int size, int kept, double *block, rs_ritz *ws)
{
    for (int i = 0; i < ws->d; i += RS_RITZ_ROWS) {
        const int rows = rs_min_int(RS_RITZ_ROWS, ws->d - i);
        for (int j = 0; j < size; j++)
            rs_copy((size_t)rows, block + i + (size_t)j * ws->d,
                    ws->scratch + (size_t)j * rows);
        rs_gemm('N', 'N', rows, kept, size, 1.0, ws->scratch, rows,
                ws->vectors, size, 0.0, block + i, ws->d);
        RS_TRY(rs_poll(ws->ctx));
    }
    return RS_OK;
}

/* the first `kept` Ritz vectors become the basis, followed by the `width`
 * columns that stood behind the old one */
static rs_status restart(int size, int kept, int width, rs_ritz *ws)
{
    RS_TRY(rotate(size, kept, ws->basis, ws));
    RS_TRY(rotate(size, kept, ws->images, ws));
    for (int c = 0; c < width; c++)
        rs_copy((size_t)ws->d, column(ws, size + c), column(ws, kept + c));
    for (int j = 0; j < kept; j++) {
        rs_fill((size_t)j, 0.0, ws->H + (size_t)j * ws->capacity);
        ws->H[j + (size_t)j * ws->capacity] = ws->values[j];
    }
    return RS_OK;
}

/* ---- the search ---------------------------------------------------------------- */

/* has the basis no room for a block after the next one? */
static int is_full(int size, const rs_ritz *ws)
{
    return ws->capacity < ws->d && size + 2 * ws->block > ws->capacity;
}

/* the Ritz pairs and their residuals; with weights these are what comes next,
 * *width columns */
static rs_status look(int size, int *width, rs_ritz *ws)
{
    const int weighted = is_weighted(ws);
    const int wanted = rs_min_int(ws->wanted, size);
    const int next = rs_min_int(ws->block, ws->d - size);
    const int count = weighted ? rs_min_int(ws->block, size) : wanted;
    RS_TRY(solve_small(size, ws));
    RS_TRY(measure(size, count, weighted ? next : 0, column(ws, size), ws));
    set_residual(weighted ? wanted : size, ws);
    if (ws->control->shift && next > 0)
        *width = open_residuals(rs_min_int(next, count), column(ws, size), ws);
    return RS_OK;
}

/* the next columns behind the first *size, `width` of them */
static rs_status place_next(int *size, int width, int looked, rs_ritz *ws)
{
    if (!is_weighted(ws))
        rs_copy((size_t)ws->d * width,
                ws->images + (size_t)(*size - ws->block) * ws->d,
                column(ws, *size));
    if (!looked || !is_full(*size, ws))
        return RS_OK;
    /* the part outside the old basis is what goes on from the new one */
    RS_TRY(orthonormalise(*size, width, ws));
    const int kept = ws->wanted + (*size - ws->wanted) / 2;
    RS_TRY(restart(*size, kept, width, ws));
    *size = kept;
    return RS_OK;
}

rs_status rs_ritz_largest(const rs_operator *A, const rs_ritz_control *control,
                          int nstart, const double *start, double *values,
                          double *V, rs_ritz *ws)
{
    const size_t d = (size_t)ws->d;
    int size = 0, width = ws->block, looks = 0, confirming = 0;
    int look_at = is_single(ws) ? 2 * ws->wanted + RS_RITZ_LOOK : 0;

    if (nstart > ws->block || control->maxit < 1)
        return RS_BAD_INPUT;
    ws->control = control;
    rs_copy(d * nstart, start, ws->basis);
    draw_columns(d * nstart, ws->block - nstart, column(ws, nstart), ws);
    for (;;) {
        RS_TRY(orthonormalise(size, width, ws));
        RS_TRY(take_images(A, size, width, ws));
        size += width;
        width = rs_min_int(width, ws->d - size);
        const int looked = size >= look_at || width == 0 || is_full(size, ws);
        int converged = 0;
        if (looked) {
            RS_TRY(look(size, &width, ws));
            converged = ws->residual <= control->tol;
            if (width == 0 || ++looks == control->maxit ||
                (converged && (confirming || !is_single(ws))))
                break;
            confirming = converged;
        }
        if (converged) {
            /* a fresh vector behind the converged ones alone, as the others
             * would have residuals that the new basis does not hold */
            RS_TRY(restart(size, ws->wanted, 0, ws));
            size = ws->wanted;
            draw_columns(d * (d + looks), 1, column(ws, size), ws);
        } else {
            RS_TRY(place_next(&size, width, looked, ws));
        }
        if (looked && is_single(ws))
            look_at = size + RS_RITZ_LOOK + (converged ? 0 : ws->wanted / 2);
    }
    rs_copy((size_t)ws->wanted, ws->values, values);
    rs_scale((size_t)ws->wanted, ws->unit, values);
    RS_TRY(rs_gemm_polled(ws->ctx, 'N', 'N', ws->d, ws->wanted, size, 1.0,
                          ws->basis, ws->d, ws->vectors, size, 0.0, V, ws->d));
    rs_scale((size_t)ws->wanted, ws->unit, ws->norms);
    return ws->residual <= control->tol || size == ws->d ? RS_OK : RS_MAXIT;
}
