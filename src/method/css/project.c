#include "method/css/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"

rs_status rs_css_projection_init(const rs_css_space *space, int capacity,
                                 rs_css_projection *p)
{
    rs_context *ctx = space->ctx;
    const size_t t = (size_t)rs_max_int(capacity, 1);
    const size_t stride = (size_t)space->stride;
    p->space = space;
    p->t = 0;
    p->set = rs_alloc_int(ctx, t);
    RS_ALLOC_DOUBLES(ctx, t * t, &p->L, &p->inverse, &p->N, &p->work);
    RS_ALLOC_DOUBLES(ctx, stride * t, &p->P, &p->M, &p->beta);
    RS_ALLOC_DOUBLES(ctx, stride, &p->r, &p->h);
    return rs_allocated(ctx);
}

/* G (t x t) = the rows and columns of the set */
static void take_block(const rs_css_space *s, int t, const int *set,
                       const double *from, double *G)
{
    for (int j = 0; j < t; j++)
        for (int i = 0; i < t; i++)
            G[i + (size_t)t * j] = from[set[i] + (size_t)s->stride * set[j]];
}

static void take_columns(const rs_css_space *s, int t, const int *set,
                         const double *from, double *out)
{
    for (int j = 0; j < t; j++)
        rs_copy((size_t)s->stride, from + (size_t)s->stride * set[j],
                out + (size_t)s->stride * j);
}

/* C_TT = LL', L^{-1} and N */
static rs_status factor(rs_css_projection *p)
{
    const int t = p->t;
    const size_t cells = (size_t)t * (size_t)t;
    take_block(p->space, t, p->set, p->space->C, p->L);
    RS_TRY(rs_cholesky(t, p->L, t));
    rs_fill(cells, 0.0, p->inverse);
    for (int i = 0; i < t; i++)
        p->inverse[i * (t + 1)] = 1.0;
    rs_triangular_solve('L', 'T', t, t, p->L, t, p->inverse, t);
    take_block(p->space, t, p->set, p->space->H, p->N);
    rs_triangular_solve('L', 'T', t, t, p->L, t, p->N, t);
    rs_triangular_solve('R', 'N', t, t, p->L, t, p->N, t);
    p->value = 0.0;
    for (int i = 0; i < t; i++)
        p->value += p->N[i * (t + 1)];
    return RS_OK;
}

/* the largest absolute column sum of C_TT^{-1} = L^{-T} L^{-1} */
static double norm_of_inverse(rs_css_projection *p)
{
    const int t = p->t;
    double most = 0.0;
    rs_crossprod(t, t, t, p->inverse, p->inverse, p->work);
    for (int j = 0; j < t; j++) {
        double sum = 0.0;
        for (int i = 0; i < t; i++)
            sum += fabs(p->work[i + (size_t)t * j]);
        most = fmax(most, sum);
    }
    return most;
}

/* the largest sum of |coefficients| of a candidate on the set */
static double largest_regression(rs_css_projection *p)
{
    const int t = p->t, stride = p->space->stride;
    double *sum = p->r, most = 0.0;
    rs_gemm('N', 'N', stride, t, t, 1.0, p->P, stride, p->inverse, t, 0.0,
            p->beta, stride);
    rs_fill((size_t)stride, 0.0, sum);
    for (int j = 0; j < t; j++) {
        const double *restrict beta = p->beta + (size_t)stride * j;
        for (int a = 0; a < stride; a++)
            sum[a] += fabs(beta[a]);
    }
    for (int a = 0; a < p->space->count; a++)
        most = fmax(most, sum[a]);
    return most;
}

static void bound_errors(rs_css_projection *p)
{
    const rs_css_space *s = p->space;
    const double products = s->product_error + (p->t + 8) * DBL_EPSILON;
    const double responses = s->response_error + (p->t + 8) * DBL_EPSILON;
    const double grown = 1.0 + largest_regression(p);
    p->product_error = products * grown * grown;
    p->response_error = responses * grown * grown +
                        2.0 * p->t * norm_of_inverse(p) * products * grown;
}

static void leave_diagonals(rs_css_projection *p)
{
    const rs_css_space *s = p->space;
    const size_t stride = (size_t)s->stride;
    for (int a = 0; a < s->count; a++) {
        p->r[a] = 1.0;
        p->h[a] = s->H[a + stride * a];
    }
    for (int j = 0; j < p->t; j++) {
        const double *restrict P = p->P + stride * j;
        const double *restrict M = p->M + stride * j;
        double *restrict r = p->r, *restrict h = p->h;
        for (int a = 0; a < s->count; a++) {
            r[a] -= P[a] * P[a];
            h[a] -= 2.0 * P[a] * M[a];
        }
    }
}

rs_status rs_css_project(int t, const int *set, rs_css_projection *p)
{
    const rs_css_space *s = p->space;
    const int stride = s->stride;
    p->t = t;
    p->value = 0.0;
    memcpy(p->set, set, (size_t)t * sizeof *set);
    p->product_error = s->product_error;
    p->response_error = s->response_error;
    if (t > 0) {
        RS_TRY(factor(p));
        take_columns(s, t, set, s->C, p->P);
        take_columns(s, t, set, s->H, p->M);
        rs_triangular_solve('R', 'N', stride, t, p->L, t, p->P, stride);
        rs_triangular_solve('R', 'N', stride, t, p->L, t, p->M, stride);
        rs_gemm('N', 'N', stride, t, t, -0.5, p->P, stride, p->N, t, 1.0, p->M,
                stride);
        bound_errors(p);
    }
    leave_diagonals(p);
    return RS_OK;
}

/* ---- a set by itself -------------------------------------------------------- */

static double sum_of_moduli(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* f = tr(GH), G = C^{-1}; an error e of C and h of H make it off by at most
 * e sum |GHG| + h sum |G| */
rs_css_value rs_css_evaluate(const rs_css_space *s, int k, const int *set,
                             double *room)
{
    const size_t cells = (size_t)k * (size_t)k;
    double *G = room, *H = room + cells, *GH = H + cells, *GHG = GH + cells;
    rs_css_value out = {-1.0, 0.0, 0.0};
    take_block(s, k, set, s->C, G);
    take_block(s, k, set, s->H, H);
    if (rs_cholesky(k, G, k) != RS_OK || rs_cholesky_inverse(k, G) != RS_OK)
        return out;
    for (int i = 0; i < k; i++)
        if (!(G[i * (k + 1)] * s->least < 1.0))
            return out;
    rs_matmul(k, k, k, G, H, GH);
    rs_matmul(k, k, k, GH, G, GHG);
    out.value = 0.0;
    for (int i = 0; i < k; i++) {
        out.value += GH[i * (k + 1)];
        out.inverse += G[i * (k + 1)];
    }
    out.error =
        (s->product_error + (k + 8) * DBL_EPSILON) *
            sum_of_moduli(cells, GHG) +
        (s->response_error + (k + 8) * DBL_EPSILON) * sum_of_moduli(cells, G);
    return out;
}
