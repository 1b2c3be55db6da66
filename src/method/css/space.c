#include "method/css/space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* eigenvectors of K that are kept, at least, and for each feature of a set */
#define RS_CSS_LEADING 30
#define RS_CSS_LEADING_EACH 3

/* the features that are searched, and 1 / their lengths */
static rs_status list_candidates(const rs_lsq *p, double *inverse,
                                 rs_css_space *s)
{
    RS_ALLOC_INTS(s->ctx, (size_t)p->d, &s->list, &s->place);
    RS_TRY(rs_allocated(s->ctx));
    s->count = 0;
    for (int j = 0; j < p->d; j++) {
        s->place[j] = -1;
        if (p->barred[j] || !(p->square[j] > 0.0))
            continue;
        inverse[j] = 1.0 / sqrt(p->square[j]);
        s->place[j] = s->count;
        s->list[s->count++] = j;
    }
    s->stride = rs_css_padded(s->count);
    return RS_OK;
}

/* ---- C and H -------------------------------------------------------------- */

typedef struct {
    const rs_lsq *problem;
    const double *inverse;  /* d: 1 / lengths */
    double *columns, *rows; /* n x panel: columns, and K times these */
    double *right;          /* d x panel, or c x panel: the factor of H */
    double *product;        /* d x panel */
    double *thin;           /* c x d: the response's products, as rows */
} maker;

static rs_status init_maker(rs_context *ctx, const rs_lsq *p, int panel,
                            const double *inverse, maker *m)
{
    const size_t n = p->X ? (size_t)p->n : 0, d = (size_t)p->d;
    const size_t width = (size_t)panel;
    m->problem = p;
    m->inverse = inverse;
    m->columns = rs_alloc_double(ctx, n * width);
    m->rows = rs_alloc_double(ctx, p->c == 0 ? n * width : 0);
    m->right = rs_alloc_double(ctx, rs_max_int(p->d, p->c) * width);
    m->product = rs_alloc_double(ctx, d * width);
    return rs_allocated(ctx);
}

/* the panel of X'X or of S */
static rs_status take_products(maker *m, const int *wanted, int width)
{
    const rs_lsq *p = m->problem;
    const size_t n = (size_t)p->n, d = (size_t)p->d;
    for (int b = 0; b < width; b++) {
        if (p->X)
            rs_lsq_column(p, wanted[b], m->columns + n * b);
        else
            rs_copy(d, p->S + d * wanted[b], m->product + d * b);
    }
    return p->X ? rs_data_crossprod(p->X, width, m->columns, m->product)
                : RS_OK;
}

/* the panel of X'KX; right holds its factor where that has other rows than X */
static rs_status take_responses(rs_context *ctx, maker *m, const int *wanted,
                                int width)
{
    const rs_lsq *p = m->problem;
    const int n = p->n, d = p->d, c = p->c;
    if (c == 0 && p->X) {
        rs_matmul(n, n, width, p->K, m->columns, m->rows);
        return rs_data_crossprod(p->X, width, m->rows, m->product);
    }
    if (c == 0) {
        for (int b = 0; b < width; b++)
            rs_copy((size_t)d, p->S + (size_t)d * wanted[b],
                    m->right + (size_t)d * b);
        return rs_gemm_polled(ctx, 'N', 'N', d, width, d, 1.0, p->S, d,
                              m->right, d, 0.0, m->product, d);
    }
    for (int b = 0; b < width; b++)
        for (int l = 0; l < c; l++)
            m->right[l + (size_t)c * b] = p->B[wanted[b] + (size_t)d * l];
    return rs_gemm_polled(ctx, 'N', 'N', d, width, c, 1.0, p->B, d, m->right,
                          c, 0.0, m->product, d);
}

/* the candidates' rows of the panel, in units */
static void put_panel(const rs_css_space *s, const maker *m, int from,
                      int width, double unit, double *to)
{
    const size_t d = (size_t)m->problem->d;
    for (int b = 0; b < width; b++) {
        const double *restrict raw = m->product + d * b;
        double *restrict out = to + (size_t)s->stride * (from + b);
        const double scale = unit * m->inverse[s->list[from + b]];
        for (int a = 0; a < s->count; a++)
            out[a] = scale * m->inverse[s->list[a]] * raw[s->list[a]];
    }
}

static rs_status make_products(const rs_lsq *p, const double *inverse,
                               rs_css_space *s)
{
    const size_t cells = (size_t)s->stride * (size_t)s->count;
    const int panel = rs_columns_per_call(rs_min_int(p->n, p->d), p->d,
                                          rs_min_int(RS_PANEL, s->count));
    maker m;
    RS_ALLOC_DOUBLES(s->ctx, cells, &s->C, &s->H);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(init_maker(s->ctx, p, panel, inverse, &m));
    rs_fill(cells, 0.0, s->C);
    rs_fill(cells, 0.0, s->H);
    for (int j = 0; j < s->count; j += panel) {
        const int width = rs_min_int(panel, s->count - j);
        RS_TRY(take_products(&m, s->list + j, width));
        put_panel(s, &m, j, width, 1.0, s->C);
        RS_TRY(take_responses(s->ctx, &m, s->list + j, width));
        put_panel(s, &m, j, width, 1.0 / p->total, s->H);
        RS_TRY(rs_poll(s->ctx));
    }
    for (int j = 0; j < s->count; j++)
        s->C[j + (size_t)s->stride * j] = 1.0;
    return RS_OK;
}

/* ---- A and Z --------------------------------------------------------------- */

/* Z (q x count) from rows of right numbers: image (d x q), each times its scale
 */
static void put_coordinates(const rs_css_space *s, const double *inverse,
                            size_t d, const double *image, int from, int width,
                            const double *scale, double *Z)
{
    for (int a = 0; a < s->count; a++)
        for (int i = 0; i < width; i++)
            Z[from + i + (size_t)s->q * a] = scale[from + i] *
                                             inverse[s->list[a]] *
                                             image[s->list[a] + d * i];
}

/* the response's own columns */
static rs_status take_response(const rs_lsq *p, const double *inverse,
                               const double *YtY, rs_css_space *s)
{
    const int q = p->c;
    const double root = 1.0 / sqrt(p->total);
    double *scale = rs_alloc_double(s->ctx, (size_t)q);
    s->q = q;
    s->Z = rs_alloc_double(s->ctx, (size_t)q * (size_t)s->count);
    s->A = rs_alloc_double(s->ctx, (size_t)q * (size_t)q);
    RS_TRY(rs_allocated(s->ctx));
    rs_fill((size_t)q, root, scale);
    put_coordinates(s, inverse, (size_t)p->d, p->B, 0, q, scale, s->Z);
    for (int i = 0; i < q * q; i++)
        s->A[i] = YtY[i] / p->total;
    s->rest = 0.0;
    return RS_OK;
}

/* ||G v - value v|| */
static double residual_of(int side, const double *G, const double *v,
                          double value, double *image)
{
    rs_gemv('N', side, side, 1.0, G, side, v, 0.0, image);
    rs_axpy((size_t)side, -value, v, image);
    return rs_norm((size_t)side, image);
}

/* eigenvalues of K or S, as shares: what exceeds the one after the q-th, into
 * A; what K may have beyond A, by the residuals and by the backward error of
 * the eigensolver, into rest */
static rs_status split_spectrum(const rs_lsq *p, int side, double *values,
                                double *V, rs_css_space *s)
{
    const double *G = p->X ? p->K : p->S;
    const int q = s->q, count = rs_min_int(q + 1, side);
    double *image = rs_alloc_double(s->ctx, (size_t)side), residual = 0.0;
    rs_eigen_ws eigen;
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_eigen_init(s->ctx, side, &eigen));
    RS_TRY(rs_eigen_largest(side, G, count, values, V, &eigen));
    for (int i = 0; i < q; i++) {
        residual +=
            residual_of(side, G, V + (size_t)side * i, values[i], image);
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

/* scale of a row of Z, whose image is X'e, or S v = sqrt(value) X'e */
static double coordinate_scale(const rs_lsq *p, double excess, double value)
{
    if (!(excess > 0.0))
        return 0.0;
    return p->X ? sqrt(excess) : sqrt(excess / value);
}

static rs_status leading_spectrum(const rs_lsq *p, const double *inverse,
                                  int k, rs_css_space *s)
{
    const int side = p->X ? p->n : p->d;
    const int q =
        rs_min_int(side, rs_max_int(RS_CSS_LEADING, RS_CSS_LEADING_EACH * k));
    const size_t d = (size_t)p->d;
    double *values = rs_alloc_double(s->ctx, (size_t)side);
    double *V = rs_alloc_double(s->ctx, (size_t)side * (size_t)(q + 1));
    double *scale = rs_alloc_double(s->ctx, (size_t)q);
    double *image = rs_alloc_double(s->ctx, d * RS_PANEL);
    s->q = q;
    s->Z = rs_alloc_double(s->ctx, (size_t)q * (size_t)s->count);
    s->A = rs_alloc_double(s->ctx, (size_t)q * (size_t)q);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(split_spectrum(p, side, values, V, s));
    for (int i = 0; i < q; i++)
        scale[i] = coordinate_scale(p, s->A[i * (q + 1)], values[i]);
    for (int i = 0; i < q; i += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, q - i);
        const double *v = V + (size_t)side * i;
        if (p->X)
            RS_TRY(rs_data_crossprod(p->X, width, v, image));
        else
            RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', p->d, width, p->d, 1.0,
                                  p->S, p->d, v, p->d, 0.0, image, p->d));
        put_coordinates(s, inverse, d, image, i, width, scale, s->Z);
    }
    return RS_OK;
}

rs_status rs_css_space_init(rs_context *ctx, const rs_lsq *problem,
                            const rs_css_input *input, int k, rs_css_space *s)
{
    double *inverse = rs_alloc_double(ctx, (size_t)problem->d);
    RS_TRY_ALLOC(inverse);
    rs_lsq given = *problem;
    *s = (rs_css_space){.ctx = ctx,
                        .problem = problem,
                        .X = given.X = (rs_data *)input->X,
                        .column_error = rs_product_error(&given),
                        .least = problem->X ? RS_LEFT_NONE : RS_LEFT_SLIGHT};
    RS_TRY(list_candidates(problem, inverse, s));
    s->product_error = rs_product_error(problem);
    s->response_error =
        2.0 * s->product_error +
        (rs_min_int(problem->n, problem->d) + problem->d + problem->c + 8) *
            DBL_EPSILON;
    RS_TRY(make_products(problem, inverse, s));
    return problem->c > 0 ? take_response(problem, inverse, input->YtY, s)
                          : leading_spectrum(problem, inverse, k, s);
}

int rs_css_take_set(const rs_lsq *problem, const rs_css_space *space, int k,
                    const int *set, int *places)
{
    const unsigned char *locked = problem->first;
    int at = 0, included = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < k; i++) {
            const int is_locked = locked && locked[set[i]];
            if (is_locked != (pass == 0))
                continue;
            included += is_locked;
            places[at++] = space->place[set[i]];
        }
    return included;
}
