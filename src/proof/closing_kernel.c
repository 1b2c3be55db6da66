/* Products, and coordinates of the leading eigenvectors, of all candidates. */
#include <float.h>
#include <math.h>

#include "proof/closing.h"

/* eigenvectors of K that are kept, at least, and for each feature of a set */
#define RS_CLOSING_LEADING 30
#define RS_CLOSING_LEADING_EACH 3

typedef rs_closing_kernel kernel;

/* ---- candidates ------------------------------------------------------------- */

static rs_status list_candidates(kernel *s)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)p->d;
    const size_t n = p->X ? (size_t)p->n : 0;
    RS_ALLOC_INTS(s->ctx, d, &s->list, &s->place);
    s->unit = rs_alloc_double(s->ctx, d);
    s->scratch.columns = rs_alloc_double(s->ctx, n * RS_PANEL);
    s->scratch.raw = rs_alloc_double(s->ctx, d * RS_PANEL);
    s->scratch.wanted = rs_alloc_int(s->ctx, RS_PANEL);
    RS_TRY(rs_allocated(s->ctx));
    for (int j = 0; j < p->d; j++) {
        s->place[j] = p->barred[j] ? -1 : s->count;
        if (p->barred[j])
            continue;
        s->unit[s->count] = 1.0 / sqrt(p->square[j] + p->ridge);
        s->list[s->count++] = j;
    }
    return RS_OK;
}

rs_status rs_closing_products(kernel *s, int width, const int *at, double *out)
{
    const size_t count = (size_t)s->count;
    rs_closing_scratch *room = &s->scratch;
    for (int b = 0; b < width; b++)
        room->wanted[b] = s->list[at[b]];
    RS_TRY(rs_ordered_products(s->problem, s->list, s->count, room->wanted,
                               width, room->columns, room->raw, out));
    for (int b = 0; b < width; b++) {
        double *column = out + count * b;
        for (size_t a = 0; a < count; a++)
            column[a] *= s->unit[a] * s->unit[at[b]];
        column[at[b]] = 1.0;
    }
    return RS_OK;
}

rs_status rs_closing_columns(kernel *s, int width, const int *at,
                             const double **column)
{
    const double *all = s->C ? s->C : s->scratch.panel;
    for (int b = 0; b < width; b++)
        column[b] = all + (size_t)s->count * (s->C ? at[b] : b);
    return s->C ? RS_OK : rs_closing_products(s, width, at, s->scratch.panel);
}

/* ---- C and H -------------------------------------------------------------- */

/* the panel of H = X'K X whose columns were the last of rs_closing_products() */
static rs_status take_responses(kernel *s, int from, int width, double *image)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)p->d;
    double *raw = s->scratch.raw;
    if (p->K) {
        rs_matmul(p->n, p->n, width, p->K, s->scratch.columns, image);
        RS_TRY(rs_data_crossprod(p->X, width, image, raw));
    } else {
        for (int b = 0; b < width; b++)
            rs_copy(d, p->S + d * s->list[from + b], image + d * b);
        RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', p->d, width, p->d, 1.0, p->S,
                              p->d, image, p->d, 0.0, raw, p->d));
    }
    for (int b = 0; b < width; b++) {
        double *out = s->H + (size_t)s->count * (from + b);
        const double scale = s->unit[from + b] / p->total;
        for (int a = 0; a < s->count; a++)
            out[a] = scale * s->unit[a] * raw[s->list[a] + d * b];
    }
    return RS_OK;
}

static rs_status make_products(kernel *s)
{
    const rs_lsq *p = s->problem;
    const size_t count = (size_t)s->count;
    const size_t cells = count * count, height = (size_t)(p->K ? p->n : p->d);
    double *C = rs_alloc_double(s->ctx, cells), *image = NULL;
    int at[RS_PANEL];
    if (p->c == 0) {
        s->H = rs_alloc_double(s->ctx, cells);
        image = rs_alloc_double(s->ctx, height * RS_PANEL);
    }
    RS_TRY(rs_allocated(s->ctx));
    for (int j = 0; j < s->count; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, s->count - j);
        for (int b = 0; b < width; b++)
            at[b] = j + b;
        RS_TRY(rs_closing_products(s, width, at, C + count * j));
        if (p->c == 0)
            RS_TRY(take_responses(s, j, width, image));
        RS_TRY(rs_poll(s->ctx));
    }
    s->C = C;
    return RS_OK;
}

/* ---- A and Z --------------------------------------------------------------- */

/* the response turned to the eigenvectors of Y'Y that are not rounding; what
 * the others have counts as an error */
static rs_status take_response(const double *YtY, kernel *s)
{
    const rs_lsq *p = s->problem;
    const size_t c = (size_t)p->c, d = (size_t)p->d, count = (size_t)s->count;
    rs_closing_axes *axes = &s->axes;
    double *lambda, *B = rs_alloc_double(s->ctx, count * c);
    rs_eigen_ws eigen;
    RS_ALLOC_DOUBLES(s->ctx, c, &lambda, &axes->moved);
    axes->turn = rs_alloc_double(s->ctx, c * c);
    axes->axis = rs_alloc_double(s->ctx, (size_t)p->n);
    axes->image = rs_alloc_double(s->ctx, d);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_eigen_init(s->ctx, p->c, &eigen));
    RS_TRY(rs_eigen_largest(p->c, YtY, p->c, lambda, axes->turn, &eigen));
    for (s->q = 1; s->q < p->c && lambda[s->q] > RS_ROUNDING * lambda[0];)
        s->q++;
    const size_t q = (size_t)s->q;
    for (size_t l = q; l < c; l++)
        s->response_error += fmax(lambda[l], 0.0) / p->total;
    for (size_t a = 0; a < count; a++)
        for (size_t l = 0; l < c; l++)
            B[l + c * a] =
                p->B[s->list[a] + d * l] * s->unit[a] / sqrt(p->total);
    s->Z = rs_alloc_double(s->ctx, q * count);
    s->A = rs_alloc_double(s->ctx, q * q);
    RS_TRY(rs_allocated(s->ctx));
    rs_gemm('T', 'N', s->q, s->count, p->c, 1.0, axes->turn, p->c, B, p->c,
            0.0, s->Z, s->q);
    rs_fill(q * q, 0.0, s->A);
    for (size_t i = 0; i < q; i++)
        s->A[i * (q + 1)] = lambda[i] / p->total;
    return rs_accurate_init(s->ctx, p, s->k, &axes->accurate);
}

/* eigenvalues of K or S, as shares: what exceeds the one after the q-th, into
 * A; what K may have beyond A, by the residuals and by the backward error of
 * the eigensolver, into rest */
static rs_status split_spectrum(int side, double *values, double *V, kernel *s)
{
    const rs_lsq *p = s->problem;
    const double *G = p->K ? p->K : p->S;
    const int q = s->q, count = rs_min_int(q + 1, side);
    double *image = rs_alloc_double(s->ctx, (size_t)side), residual = 0.0;
    rs_eigen_ws eigen;
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_eigen_init(s->ctx, side, &eigen));
    RS_TRY(rs_eigen_largest(side, G, count, values, V, &eigen));
    for (int i = 0; i < q; i++) {
        const double *v = V + (size_t)side * i;
        rs_gemv('N', side, side, 1.0, G, side, v, 0.0, image);
        rs_axpy((size_t)side, -values[i], v, image);
        residual += rs_norm((size_t)side, image);
        RS_TRY(rs_poll(s->ctx));
    }
    const double first = fmax(values[0], 0.0) / p->total;
    const double next = count > q ? fmax(values[q], 0.0) / p->total : 0.0;
    s->rest = next + residual / p->total + 8.0 * side * DBL_EPSILON * first;
    rs_fill((size_t)q * (size_t)q, 0.0, s->A);
    for (int i = 0; i < q; i++)
        s->A[i * (q + 1)] = fmax(values[i] / p->total - s->rest, 0.0);
    return RS_OK;
}

static rs_status take_spectrum(kernel *s)
{
    const rs_lsq *p = s->problem;
    const int side = p->K ? p->n : p->d;
    const int wanted =
        rs_max_int(RS_CLOSING_LEADING, RS_CLOSING_LEADING_EACH * s->k);
    const size_t d = (size_t)p->d;
    s->q = rs_min_int(side, wanted);
    const size_t q = (size_t)s->q;
    double *values = rs_alloc_double(s->ctx, (size_t)side);
    double *V = rs_alloc_double(s->ctx, (size_t)side * (q + 1));
    double *image = rs_alloc_double(s->ctx, d * RS_PANEL);
    s->Z = rs_alloc_double(s->ctx, q * (size_t)s->count);
    s->A = rs_alloc_double(s->ctx, q * q);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(split_spectrum(side, values, V, s));
    for (int from = 0; from < s->q; from += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, s->q - from);
        const double *v = V + (size_t)side * from;
        if (p->K)
            RS_TRY(rs_data_crossprod(p->X, width, v, image));
        else
            RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', p->d, width, p->d, 1.0,
                                  p->S, p->d, v, p->d, 0.0, image, p->d));
        for (int i = 0; i < width; i++) {
            const size_t l = (size_t)(from + i);
            const double excess = s->A[l * (q + 1)];
            /* the image is X'e, or S v = sqrt(value) X'e */
            const double scale =
                excess > 0.0 ? sqrt(p->K ? excess : excess / values[l]) : 0.0;
            for (int a = 0; a < s->count; a++)
                s->Z[l + q * a] =
                    scale * s->unit[a] * image[s->list[a] + d * i];
        }
    }
    return RS_OK;
}

/* ---- together -------------------------------------------------------------- */

rs_status rs_closing_kernel_open(rs_context *ctx, const rs_lsq *p, int k,
                                 const double *YtY, int keep, double least,
                                 kernel *s)
{
    *s = (kernel){.ctx = ctx, .problem = p, .k = k, .least = least};
    RS_TRY(list_candidates(s));
    s->product_error = rs_product_error(p);
    s->response_error =
        2.0 * s->product_error +
        (p->c > 0 ? p->c : rs_min_int(p->n, p->d) + p->d + 8) * DBL_EPSILON;
    if (!keep || s->count > RS_CLOSING_MOST)
        s->scratch.panel = rs_alloc_double(ctx, (size_t)s->count * RS_PANEL);
    else
        RS_TRY(make_products(s));
    RS_TRY(rs_allocated(ctx));
    return p->c > 0 ? take_response(YtY, s) : take_spectrum(s);
}
