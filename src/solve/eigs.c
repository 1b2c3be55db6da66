#include "solve/eigs.h"

#include <math.h>

#include "base/random.h"
#include "solve/eigs_steps.h"

/*
 * Block Lanczos with thick restart, written as Rayleigh-Ritz on a growing
 * orthonormal basis that is expanded by the residuals of the leading Ritz
 * vectors (without rounding, both span the same block Krylov spaces). The
 * images of the basis are kept, so a restart costs no product.
 */

rs_status rs_eigs_init(rs_context *ctx, int d, int wanted, rs_eigs_ws *ws)
{
    int block = rs_min_int(d, wanted + 2);
    return rs_eigs_init_sized(ctx, d, wanted, block, 5 * block + 10, ws);
}

rs_status rs_eigs_init_sized(rs_context *ctx, int d, int wanted, int block,
                             int capacity, rs_eigs_ws *ws)
{
    ws->d = d;
    ws->wanted = wanted;
    ws->block = block;
    ws->capacity = rs_min_int(d, capacity);
    size_t wide = (size_t)d * ws->capacity;
    size_t square = (size_t)ws->capacity * ws->capacity;
    ws->basis = rs_alloc_double(ctx, wide);
    ws->images = rs_alloc_double(ctx, wide);
    ws->keep = rs_alloc_double(ctx, wide);
    ws->H = rs_alloc_double(ctx, square);
    ws->ritz_vectors = rs_alloc_double(ctx, square);
    ws->packed = rs_alloc_double(ctx, square);
    ws->ritz_values = rs_alloc_double(ctx, (size_t)ws->capacity);
    ws->front = rs_alloc_double(ctx, (size_t)d * ws->block);
    ws->residuals = rs_alloc_double(ctx, (size_t)d * ws->block);
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

/* block (d x count) <- diag(weights) block */
static void weigh_rows(int count, double *block, const rs_eigs_ws *ws)
{
    if (!ws->precondition)
        return;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < ws->d; i++)
            block[i + (size_t)j * ws->d] *= ws->precondition[i];
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
    weigh_rows(ws->block - nstart, ws->basis + given, ws);
}

/*
 * Make the `width` columns behind the first `size` ones orthonormal, also to
 * those; twice is enough. Columns that vanish in the first pass become
 * rounding noise, which the second pass turns into new directions.
 */
rs_status rs_eigs_orthonormalise(int size, int width, rs_eigs_ws *ws)
{
    double *block = ws->basis + (size_t)size * ws->d;
    for (int pass = 0; pass < 2; pass++) {
        if (size > 0) {
            /* block -= basis (basis' block) */
            rs_gemm('T', 'N', size, width, ws->d, 1.0, ws->basis, ws->d, block,
                    ws->d, 0.0, ws->small, ws->capacity);
            rs_gemm('N', 'N', ws->d, width, size, -1.0, ws->basis, ws->d,
                    ws->small, ws->capacity, 1.0, block, ws->d);
        }
        RS_TRY(rs_qr_orthonormal(ws->d, width, block, &ws->qr));
    }
    return rs_poll(ws->ctx);
}

/* H[, new] = basis' A new, the new columns being the last `width` */
void rs_eigs_extend(int size, int width, rs_eigs_ws *ws)
{
    int total = size + width;
    const double *images = ws->images + (size_t)size * ws->d;
    double *H = ws->H + (size_t)size * ws->capacity;
    rs_gemm('T', 'N', total, width, ws->d, 1.0, ws->basis, ws->d, images,
            ws->d, 0.0, H, ws->capacity);
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
void rs_eigs_combine(int size, int count, const double *from, double *out,
                     const rs_eigs_ws *ws)
{
    rs_gemm('N', 'N', ws->d, count, size, 1.0, from, ws->d, ws->ritz_vectors,
            size, 0.0, out, ws->d);
}

double rs_operator_unit(size_t count, const double *image)
{
    double largest = 0.0;
    int exponent;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(image[i]));
    if (!(largest > 0.0) || !isfinite(largest) ||
        (largest > RS_ORDINARY_LEAST && largest < RS_ORDINARY_LARGEST))
        return 1.0;
    frexp(largest, &exponent);
    return ldexp(1.0, rs_max_int(-1000, rs_min_int(exponent, 1000)));
}

/* images of `width` columns behind the first `size`, in the unit of the
 * operator, which the first of them tell */
static rs_status apply_in_unit(rs_apply_fn apply, void *state, int size,
                               int width, rs_eigs_ws *ws)
{
    const size_t length = (size_t)ws->d * width;
    double *images = ws->images + (size_t)size * ws->d;
    RS_TRY(apply(state, width, ws->basis + (size_t)size * ws->d, images));
    if (size == 0)
        ws->unit = rs_operator_unit(length, images);
    if (ws->unit != 1.0)
        rs_scale(length, 1.0 / ws->unit, images);
    return rs_all_finite(length, images) ? RS_OK : RS_NOT_FINITE;
}

static double largest_magnitude(int count, const double *values)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        if (fabs(values[i]) > largest)
            largest = fabs(values[i]);
    return largest;
}

/*
 * The leading Ritz vectors into `front`, their residuals A v - theta v into
 * `residuals`, preconditioned; returns the largest norm among the wanted,
 * relative to the largest Ritz value (of the wanted ones when preconditioned).
 */
static double leading_residuals(int size, rs_eigs_ws *ws)
{
    double largest = 0.0;
    int count = rs_min_int(ws->block, size);
    rs_eigs_combine(size, count, ws->images, ws->residuals, ws);
    rs_eigs_combine(size, count, ws->basis, ws->front, ws);
    for (int j = 0; j < count; j++) {
        double *r = ws->residuals + (size_t)j * ws->d;
        rs_axpy((size_t)ws->d, -ws->ritz_values[j],
                ws->front + (size_t)j * ws->d, r);
        weigh_rows(1, r, ws);
        double norm = rs_norm((size_t)ws->d, r);
        if (j < ws->wanted && norm > largest)
            largest = norm;
    }
    int compared = ws->precondition ? rs_min_int(ws->wanted, size) : size;
    double scale = largest_magnitude(compared, ws->ritz_values);
    return scale > 0.0 ? largest / scale : 0.0;
}

/* keep the `count` leading Ritz vectors as the basis, with their images */
void rs_eigs_restart(int size, int count, rs_eigs_ws *ws)
{
    size_t length = (size_t)ws->d * count;
    rs_eigs_combine(size, count, ws->basis, ws->keep, ws);
    rs_copy(length, ws->keep, ws->basis);
    rs_eigs_combine(size, count, ws->images, ws->keep, ws);
    rs_copy(length, ws->keep, ws->images);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++)
            ws->H[i + (size_t)j * ws->capacity] =
                i == j ? ws->ritz_values[j] : 0.0;
}

/* expand the basis by the residuals, after a restart when it is full */
static void place_next_block(int *size, int *width, rs_eigs_ws *ws)
{
    if (*size + *width > ws->capacity && ws->capacity < ws->d) {
        int kept = rs_min_int(*size, ws->capacity - 2 * ws->block);
        rs_eigs_restart(*size, kept, ws);
        *size = kept;
    }
    *width = rs_min_int(*width, ws->capacity - *size);
    rs_copy((size_t)ws->d * *width, ws->residuals,
            ws->basis + (size_t)*size * ws->d);
}

rs_status rs_eigs_largest(rs_apply_fn apply, void *state, int nstart,
                          const double *start, double tol, int maxit,
                          double *values, double *V, double *residual,
                          rs_eigs_ws *ws)
{
    int size = 0, width = ws->block, done = 0;

    if (nstart > ws->block || maxit < 1)
        return RS_BAD_INPUT;
    rs_eigs_first_block(start ? nstart : 0, start, ws);
    for (int it = 1; !done; it++) {
        RS_TRY(rs_eigs_orthonormalise(size, width, ws));
        RS_TRY(apply_in_unit(apply, state, size, width, ws));
        rs_eigs_extend(size, width, ws);
        size += width;
        RS_TRY(rs_eigs_ritz(size, ws));
        *residual = leading_residuals(size, ws);
        done = *residual <= tol || size == ws->d || it == maxit;
        width = ws->block;
        if (!done)
            place_next_block(&size, &width, ws);
    }
    rs_copy((size_t)ws->wanted, ws->ritz_values, values);
    rs_scale((size_t)ws->wanted, ws->unit, values);
    rs_copy((size_t)ws->d * ws->wanted, ws->front, V);
    return *residual <= tol || size == ws->d ? RS_OK : RS_MAXIT;
}
