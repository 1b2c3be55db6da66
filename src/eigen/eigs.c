#include "eigen/eigs.h"

#include <math.h>

/*
 * Block Lanczos with thick restart, written as Rayleigh-Ritz on a growing
 * orthonormal basis that is expanded by the residuals of the leading Ritz
 * vectors (without rounding, both span the same block Krylov spaces). The
 * images of the basis are kept, so a restart costs no product.
 */

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
 * `residuals`, preconditioned; *residual is the largest norm among the wanted,
 * relative to the largest Ritz value (of the wanted ones when preconditioned).
 */
static rs_status leading_residuals(int size, double *residual, rs_eigs_ws *ws)
{
    double largest = 0.0;
    int count = rs_min_int(ws->block, size);
    RS_TRY(rs_eigs_combine(size, count, ws->images, ws->residuals, ws));
    RS_TRY(rs_eigs_combine(size, count, ws->basis, ws->front, ws));
    for (int j = 0; j < count; j++) {
        double *r = ws->residuals + (size_t)j * ws->d;
        rs_axpy((size_t)ws->d, -ws->ritz_values[j],
                ws->front + (size_t)j * ws->d, r);
        rs_eigs_weigh_rows(1, r, ws);
        double norm = rs_norm((size_t)ws->d, r);
        if (j < ws->wanted && norm > largest)
            largest = norm;
    }
    int compared = ws->precondition ? rs_min_int(ws->wanted, size) : size;
    double scale = largest_magnitude(compared, ws->ritz_values);
    *residual = scale > 0.0 ? largest / scale : 0.0;
    return RS_OK;
}

/* expand the basis by the residuals, after a restart when it is full */
static rs_status place_next_block(int *size, int *width, rs_eigs_ws *ws)
{
    if (*size + *width > ws->capacity && ws->capacity < ws->d) {
        int kept = rs_min_int(*size, ws->capacity - 2 * ws->block);
        RS_TRY(rs_eigs_restart(*size, kept, ws));
        *size = kept;
    }
    *width = rs_min_int(*width, ws->capacity - *size);
    rs_copy((size_t)ws->d * *width, ws->residuals,
            ws->basis + (size_t)*size * ws->d);
    return RS_OK;
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
        RS_TRY(rs_eigs_extend(size, width, ws));
        size += width;
        RS_TRY(rs_eigs_ritz(size, ws));
        RS_TRY(leading_residuals(size, residual, ws));
        done = *residual <= tol || size == ws->d || it == maxit;
        width = ws->block;
        if (!done)
            RS_TRY(place_next_block(&size, &width, ws));
    }
    rs_copy((size_t)ws->wanted, ws->ritz_values, values);
    rs_scale((size_t)ws->wanted, ws->unit, values);
    rs_copy((size_t)ws->d * ws->wanted, ws->front, V);
    return *residual <= tol || size == ws->d ? RS_OK : RS_MAXIT;
}
