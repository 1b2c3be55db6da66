#include "method/css/refine.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"

rs_status rs_css_refiner_init(const rs_css_space *space, int k,
                              rs_css_refiner *r)
{
    const rs_lsq *p = space->problem;
    const size_t n = (size_t)p->n, width = (size_t)k;
    r->space = space;
    r->k = k;
    r->width = space->X ? rs_min_int(k, space->X->block) : 0;
    if (!space->X)
        return RS_OK;
    r->Q = rs_alloc_double(space->ctx, n * width);
    r->R = rs_alloc_double(space->ctx, width * width);
    r->D = rs_alloc_double(space->ctx, p->c > 0
                                           ? (size_t)p->c * width
                                           : (size_t)p->d * (size_t)r->width);
    return rs_allocated(space->ctx);
}

/* columns of unit length made orthonormal, twice: X_J = QR */
static rs_status orthonormalise(rs_css_refiner *r, const int *set)
{
    const rs_css_space *s = r->space;
    const size_t n = (size_t)s->problem->n, k = (size_t)r->k;
    rs_fill(k * k, 0.0, r->R);
    for (size_t i = 0; i < k; i++) {
        double *q = r->Q + n * i, *to = r->R + k * i;
        const int j = s->list[set[i]];
        RS_TRY(rs_data_column(s->X, j, q));
        rs_centre_again(&s->problem->centring, s->problem->n, q);
        rs_scale(n, 1.0 / sqrt(s->problem->square[j]), q);
        for (int pass = 0; pass < 2; pass++)
            for (size_t l = 0; l < i; l++) {
                const double a = rs_dot(n, r->Q + n * l, q);
                rs_axpy(n, -a, r->Q + n * l, q);
                to[l] += a;
            }
        to[i] = rs_norm(n, q);
        if (!(to[i] > 0.0))
            return RS_SINGULAR;
        rs_scale(n, 1.0 / to[i], q);
    }
    return RS_OK;
}

/* ||X'Q||^2 */
static rs_status explained_data(rs_css_refiner *r, double *sum)
{
    const rs_lsq *p = r->space->problem;
    *sum = 0.0;
    for (int i = 0; i < r->k; i += r->width) {
        const int width = rs_min_int(r->width, r->k - i);
        RS_TRY(rs_data_crossprod(r->space->X, width, r->Q + (size_t)p->n * i,
                                 r->D));
        *sum += rs_sum_squares((size_t)p->d * (size_t)width, r->D);
    }
    return RS_OK;
}

/* ||Y'Q||^2, Y'Q = B_J'R^{-1} */
static void explained_response(rs_css_refiner *r, const int *set, double *sum)
{
    const rs_css_space *s = r->space;
    const rs_lsq *p = s->problem;
    const int c = p->c;
    for (int i = 0; i < r->k; i++) {
        const int j = s->list[set[i]];
        const double unit = 1.0 / sqrt(p->square[j]);
        for (int l = 0; l < c; l++)
            r->D[l + (size_t)c * i] = unit * p->B[j + (size_t)p->d * l];
    }
    rs_triangular_solve('R', 'N', c, r->k, r->R, r->k, r->D, c);
    *sum = rs_sum_squares((size_t)c * (size_t)r->k, r->D);
}

rs_status rs_css_refine(rs_css_refiner *r, const int *set, rs_css_value *value)
{
    const rs_css_space *s = r->space;
    double sum;
    if (!s->X)
        return RS_OK;
    const double error = 4.0 * sqrt((double)r->k * value->inverse) *
                             (s->column_error + (r->k + 8) * DBL_EPSILON) +
                         (s->problem->d + 8) * DBL_EPSILON;
    if (!(error < value->error))
        return RS_OK;
    const rs_status status = orthonormalise(r, set);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    if (s->problem->c > 0)
        explained_response(r, set, &sum);
    else
        RS_TRY(explained_data(r, &sum));
    value->value = sum / s->problem->total;
    value->error = error;
    return rs_poll(s->ctx);
}
