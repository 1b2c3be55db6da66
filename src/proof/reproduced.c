/* What sets of css() explain, from the products that the bound holds, or from the
 * data. */
#include "proof/exact.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"

/* errors of values that will do */
#define RS_REPRODUCED_ENOUGH 1e-11

typedef rs_reproduced sets;

/* ---- by cross-products ---------------------------------------------------------- */

typedef struct {
    double value, error; /* by how much the value may be off; value -1: a */
    double inverse;      /* feature depends on others; tr C_JJ^{-1} */
} estimate;

static double sum_of_moduli(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* G (k x k) of C, and of H = Z'Z where that is not held */
static void take_blocks(const sets *s, int k, const int *columns, double *G,
                        double *H)
{
    const rs_closing_kernel *from = s->kernel;
    const size_t count = (size_t)from->count, q = (size_t)from->q;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            const size_t a = (size_t)s->kernel->place[columns[i]];
            const size_t b = (size_t)s->kernel->place[columns[j]];
            G[i + k * j] = from->C[a + count * b];
            H[i + k * j] = from->H
                               ? from->H[a + count * b]
                               : rs_dot(q, from->Z + q * a, from->Z + q * b);
        }
}

/* f = tr(GH), G = C^{-1}; an error e of C and h of H make it off by at most
 * e sum |GHG| + h sum |G| */
static estimate evaluate(const sets *s, int k, const int *columns)
{
    const rs_closing_kernel *from = s->kernel;
    const size_t cells = (size_t)k * (size_t)k;
    double *G = s->room, *H = G + cells, *GH = H + cells, *GHG = GH + cells;
    estimate out = {-1.0, 0.0, 0.0};
    take_blocks(s, k, columns, G, H);
    if (rs_cholesky(k, G, k) != RS_OK || rs_cholesky_inverse(k, G) != RS_OK)
        return out;
    for (int i = 0; i < k; i++)
        if (!(G[i * (k + 1)] * from->least < 1.0))
            return out;
    rs_matmul(k, k, k, G, H, GH);
    rs_matmul(k, k, k, GH, G, GHG);
    out.value = 0.0;
    for (int i = 0; i < k; i++) {
        out.value += GH[i * (k + 1)];
        out.inverse += G[i * (k + 1)];
    }
    const double rounding = (k + 8) * DBL_EPSILON;
    out.error = (from->product_error + rounding) * sum_of_moduli(cells, GHG) +
                (from->response_error + rounding) * sum_of_moduli(cells, G);
    return out;
}

/* ---- by the data ------------------------------------------------------------------ */

/* columns of unit length made orthonormal, twice: X_J = QR */
static rs_status orthonormalise(sets *s, int count, const int *columns)
{
    const rs_lsq *p = s->problem;
    const size_t n = (size_t)p->n, k = (size_t)count;
    rs_fill(k * k, 0.0, s->R);
    for (size_t i = 0; i < k; i++) {
        double *q = s->Q + n * i, *to = s->R + k * i;
        RS_TRY(rs_data_column_range(s->X, columns[i], 1, q));
        rs_centre_again(&p->centring, p->n, q);
        rs_scale(n, 1.0 / sqrt(p->square[columns[i]]), q);
        for (int pass = 0; pass < 2; pass++)
            for (size_t l = 0; l < i; l++) {
                const double a = rs_dot(n, s->Q + n * l, q);
                rs_axpy(n, -a, s->Q + n * l, q);
                to[l] += a;
            }
        to[i] = rs_norm(n, q);
        if (!(to[i] > 0.0))
            return RS_SINGULAR;
        rs_scale(n, 1.0 / to[i], q);
    }
    return RS_OK;
}

/* ||X'Q||^2, or ||Y'Q||^2 with Y'Q = B_J'R^{-1} */
static rs_status explained_by_basis(sets *s, int k, const int *columns,
                                    double *sum)
{
    const rs_lsq *p = s->problem;
    const int c = p->c;
    *sum = 0.0;
    for (int i = 0; c == 0 && i < k; i += s->width) {
        const int width = rs_min_int(s->width, k - i);
        RS_TRY(rs_data_crossprod(s->X, width, s->Q + (size_t)p->n * i, s->D));
        *sum += rs_sum_squares((size_t)p->d * (size_t)width, s->D);
    }
    if (c == 0)
        return RS_OK;
    for (int i = 0; i < k; i++)
        for (int l = 0; l < c; l++)
            s->D[l + (size_t)c * i] = p->B[columns[i] + (size_t)p->d * l] /
                                      sqrt(p->square[columns[i]]);
    rs_triangular_solve('R', 'N', c, k, s->R, k, s->D, c);
    *sum = rs_sum_squares((size_t)c * (size_t)k, s->D);
    return RS_OK;
}

/* a better value, where there is one */
static rs_status refine(sets *s, int k, const int *columns, estimate *v)
{
    const rs_lsq *p = s->problem;
    const double error = 4.0 * sqrt(k * v->inverse) *
                             (s->column_error + (k + 8) * DBL_EPSILON) +
                         (p->d + 8) * DBL_EPSILON;
    double sum;
    if (!s->X || !(error < v->error))
        return RS_OK;
    const rs_status status = orthonormalise(s, k, columns);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    RS_TRY(explained_by_basis(s, k, columns, &sum));
    v->value = sum / p->total;
    v->error = error;
    return RS_OK;
}

rs_status rs_reproduced_value(int k, const int *columns, double cut,
                              double *least, double *most, rs_reproduced *s)
{
    estimate v = evaluate(s, k, columns);
    *least = *most = -INFINITY;
    if (v.value < 0.0)
        return RS_OK;
    if (v.value + v.error > cut &&
        (v.value - v.error <= cut || v.error > RS_REPRODUCED_ENOUGH))
        RS_TRY(refine(s, k, columns, &v));
    *least = v.value - v.error;
    *most = v.value + v.error;
    return RS_OK;
}

rs_status rs_reproduced_init(rs_context *ctx, const rs_lsq *p, int k,
                             rs_data *X, const rs_closing_kernel *kernel,
                             rs_reproduced *s)
{
    const size_t n = (size_t)p->n, width = (size_t)k;
    rs_lsq given = *p;
    given.X = X;
    *s = (sets){.problem = p,
                .X = X,
                .kernel = kernel,
                .column_error = rs_product_error(&given),
                .width = X ? rs_min_int(k, X->block) : 0};
    s->room = rs_alloc_double(ctx, 4 * width * width);
    if (X) {
        s->Q = rs_alloc_double(ctx, n * width);
        s->R = rs_alloc_double(ctx, width * width);
        s->D = rs_alloc_double(ctx, p->c > 0 ? (size_t)p->c * width
                                             : (size_t)p->d * s->width);
    }
    return rs_allocated(ctx);
}
