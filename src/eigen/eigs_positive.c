#include "eigen/eigs_positive.h"

#include <math.h>

/* pairs behind the positive ones that must turn out negative */
#define RS_GUARDS 2

static int count_positive(int size, const rs_eigs_ws *ws)
{
    int count = 0;
    while (count < size && ws->ritz_values[count] > 0.0)
        count++;
    return rs_min_int(count, ws->wanted);
}

/*
 * Residuals r = A v - theta v of the first `pairs` Ritz pairs. Those that are
 * not done, divided by theta + shift, are moved to the front of ws->residuals,
 * *open of them.
 */
static rs_status open_directions(int size, int positive, int pairs, double tol,
                                 const double *shift, int *open,
                                 rs_eigs_ws *ws)
{
    const size_t d = (size_t)ws->d;
    const double scale = fmax(ws->ritz_values[0], 0.0);
    *open = 0;
    RS_TRY(rs_eigs_combine(size, pairs, ws->images, ws->residuals, ws));
    RS_TRY(rs_eigs_combine(size, pairs, ws->basis, ws->front, ws));
    for (int j = 0; j < pairs; j++) {
        double theta = ws->ritz_values[j];
        double *r = ws->residuals + (size_t)j * d;
        rs_axpy(d, -theta, ws->front + (size_t)j * d, r);
        double norm = rs_norm(d, r);
        if (norm <= tol * scale || (j >= positive && theta + norm < 0.0))
            continue;
        double *direction = ws->residuals + (size_t)*open * d;
        double floor = fmax(fabs(theta), 1e-3 * scale) + norm;
        for (size_t i = 0; i < d; i++)
            direction[i] = r[i] / (floor + shift[i]);
        (*open)++;
    }
    return RS_OK;
}

/* the open directions become the next columns; a full basis restarts first */
static rs_status place_directions(int open, int pairs, int *size, int *width,
                                  rs_eigs_ws *ws)
{
    if (*size + open > ws->capacity && ws->capacity < ws->d) {
        RS_TRY(rs_eigs_restart(*size, rs_min_int(*size, pairs), ws));
        *size = rs_min_int(*size, pairs);
    }
    *width = rs_min_int(open, ws->capacity - *size);
    rs_copy((size_t)ws->d * *width, ws->residuals,
            ws->basis + (size_t)*size * ws->d);
    return RS_OK;
}

rs_status rs_eigs_positive(rs_apply_fn apply, void *state, const double *shift,
                           int nstart, const double *start, double tol,
                           int maxit, int *count, double *values, double *V,
                           rs_eigs_ws *ws)
{
    int size = 0, open = 1;
    int width = rs_min_int(nstart + RS_GUARDS, ws->block);

    if (nstart > ws->block || ws->wanted + RS_GUARDS > ws->block)
        return RS_BAD_INPUT;
    rs_eigs_first_block(nstart, start, ws);
    for (int it = 1; width > 0; it++) {
        double *fresh = ws->basis + (size_t)size * ws->d;
        RS_TRY(rs_eigs_orthonormalise(size, width, ws));
        RS_TRY(apply(state, width, fresh, ws->images + (size_t)size * ws->d));
        RS_TRY(rs_eigs_extend(size, width, ws));
        size += width;
        RS_TRY(rs_eigs_ritz(size, ws));
        *count = count_positive(size, ws);
        int pairs = rs_min_int(*count + RS_GUARDS, size);
        RS_TRY(open_directions(size, *count, pairs, tol, shift, &open, ws));
        width = 0;
        if (size < ws->d && it != maxit)
            RS_TRY(place_directions(open, pairs, &size, &width, ws));
    }
    rs_copy((size_t)*count, ws->ritz_values, values);
    rs_copy((size_t)ws->d * *count, ws->front, V);
    return open == 0 || size == ws->d ? RS_OK : RS_MAXIT;
}
