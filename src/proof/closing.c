/*
 * The bound of proof/tree.h by eigenvalues, and the last two or three features
 * of a set, exactly. With R and H what T leaves, a pair adds
 *
 *     tr(R_ab^{-1} H_ab) = (H_aa R_bb + H_bb R_aa - 2 R_ab H_ab) / D,
 *     D = R_aa R_bb - R_ab^2,
 *
 * and a better set of three holds three pairs of which each has
 *
 *     what it adds + the largest eigenvalue that it leaves > what is needed.
 *
 * That eigenvalue is at most the one that either feature alone leaves. The pairs
 * that pass make a graph: its triangles are evaluated, row by row from the last.
 */
#include "proof/closing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"

/* halvings of the bracket of an eigenvalue */
#define RS_CLOSING_HALVINGS 14

/* triples of one response are looked for among near neighbours of so many
 * candidates, or more, as long as these are fewer than a share of all triples */
#define RS_CLOSING_APICES 200
#define RS_CLOSING_APEX_SHARE 0.2
/* what a feature leaves is not told from nothing: so many times its error */
#define RS_CLOSING_UNTOLD 64.0

typedef rs_closing_search search;
typedef rs_closing_kernel kernel;
typedef rs_closing_node node;
typedef rs_closing_spectrum spectrum;
typedef rs_closing_left left_of;

static rs_status make_node(const kernel *s, node *p)
{
    rs_context *ctx = s->ctx;
    const size_t count = (size_t)s->count, k = (size_t)s->k, q = (size_t)s->q;
    const size_t padding = RS_CLOSING_STRIP;
    spectrum *f = &p->spectrum;
    left_of *left = &p->left;
    p->in.set = rs_alloc_int(ctx, k);
    RS_ALLOC_INTS(ctx, count, &p->list, &p->order);
    RS_ALLOC_DOUBLES(ctx, count, &p->g, &p->score);
    RS_ALLOC_DOUBLES(ctx, count + padding, &left->p, &left->m, &left->r,
                     &left->h, &left->cap);
    RS_ALLOC_DOUBLES(ctx, k * count, &p->P, &p->M);
    RS_ALLOC_DOUBLES(ctx, q * count, &p->Z, &f->W);
    p->work = rs_alloc_double(ctx, (k + q) * count);
    RS_ALLOC_DOUBLES(ctx, k * k, &p->in.L, &p->in.N);
    p->in.V = rs_alloc_double(ctx, q * k);
    RS_ALLOC_DOUBLES(ctx, q, &f->mu, &f->squares);
    RS_ALLOC_DOUBLES(ctx, q * q, &f->A, &f->Y);
    RS_TRY(rs_allocated(ctx));
    rs_fill(count + padding, 0.0, left->p);
    rs_fill(count + padding, 0.0, left->m);
    return rs_eigen_init(ctx, s->q, &f->eigen);
}

static int padded(int count)
{
    return (count + RS_CLOSING_STRIP - 1) / RS_CLOSING_STRIP *
           RS_CLOSING_STRIP;
}

/* ---- what T leaves ----------------------------------------------------------- */

/* out (t x count) = the rows of T of the candidates' columns, from the columns
 * of T; G (t x t) = those of T */
static void take_rows(const node *p, int at, int width, const double **column,
                      double *G, double *out)
{
    for (int b = 0; b < width; b++) {
        for (int i = 0; i < p->in.t; i++)
            G[i + (size_t)p->in.t * (at + b)] = column[b][p->in.set[i]];
        for (int a = 0; a < p->count; a++)
            out[at + b + (size_t)p->in.t * a] = column[b][p->list[a]];
    }
}

/* C_TT = L L' and P; *least: of what a feature keeps beside those before it */
static rs_status factor(kernel *s, node *p, double *least)
{
    const int t = p->in.t;
    const double *column[RS_PANEL];
    for (int at = 0; at < t; at += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, t - at);
        RS_TRY(rs_closing_columns(s, width, p->in.set + at, column));
        take_rows(p, at, width, column, p->in.L, p->P);
    }
    *least = 0.0;
    const rs_status status = rs_cholesky(t, p->in.L, t);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    *least = 1.0;
    for (int i = 0; i < t; i++)
        *least = fmin(*least, p->in.L[i * (t + 1)] * p->in.L[i * (t + 1)]);
    rs_triangular_solve('L', 'T', t, p->count, p->in.L, t, p->P, t);
    for (int i = 0; i < t; i++)
        rs_copy((size_t)s->q, s->Z + (size_t)s->q * p->in.set[i],
                p->in.V + (size_t)s->q * i);
    rs_triangular_solve('R', 'N', s->q, t, p->in.L, t, p->in.V, s->q);
    return RS_OK;
}

/* without a response: N and M, the column of H being at hand */
static void take_products(const kernel *s, node *p)
{
    const int t = p->in.t;
    const double *column[1];
    for (int i = 0; i < t; i++) {
        column[0] = s->H + (size_t)s->count * p->in.set[i];
        take_rows(p, i, 1, column, p->in.N, p->M);
    }
    rs_triangular_solve('L', 'T', t, t, p->in.L, t, p->in.N, t);
    rs_triangular_solve('R', 'N', t, t, p->in.L, t, p->in.N, t);
    rs_triangular_solve('L', 'T', t, p->count, p->in.L, t, p->M, t);
    rs_gemm('N', 'N', t, p->count, t, -0.5, p->in.N, t, p->P, t, 1.0, p->M, t);
    p->in.value = 0.0;
    for (int i = 0; i < t; i++)
        p->in.value += p->in.N[i * (t + 1)];
}

/* the largest sum of the |entries| of a column */
static double largest_sum(int rows, int columns, const double *x)
{
    double most = 0.0;
    for (int j = 0; j < columns; j++, x += rows)
        most = fmax(most, rs_sum_moduli((size_t)rows, x));
    return most;
}

static void bound_errors(const kernel *s, node *p)
{
    const double products = s->product_error + (p->in.t + 8) * DBL_EPSILON;
    const double responses = s->response_error + (p->in.t + 8) * DBL_EPSILON;
    const int t = p->in.t;
    double *inverse = p->in.N, *coefficient = p->work;
    rs_copy((size_t)t * (size_t)t, p->in.L, inverse);
    rs_cholesky_inverse(t, inverse);
    rs_copy((size_t)t * (size_t)p->count, p->P, coefficient);
    rs_triangular_solve('L', 'N', t, p->count, p->in.L, t, coefficient, t);
    const double grown = 1.0 + largest_sum(t, p->count, coefficient);
    p->in.product_error = products * grown * grown;
    p->in.response_error =
        responses * grown * grown +
        2.0 * t * largest_sum(t, t, inverse) * products * grown;
}

/* P and V from an orthonormal basis, the features that depend on those before
 * them left out */
static rs_status project_from_data(kernel *s, node *p)
{
    const rs_lsq *problem = s->problem;
    const int t = p->in.t;
    int *columns = p->order;
    for (int i = 0; i < t; i++)
        columns[i] = s->list[p->in.set[i]];
    rs_accurate_explained(&s->axes.accurate, t, columns);
    rs_fill((size_t)t * (size_t)p->count, 0.0, p->P);
    rs_fill((size_t)t * (size_t)s->q, 0.0, p->in.V);
    for (int i = 0; i < t; i++) {
        if (s->axes.accurate.residual[i] <= 0.0)
            continue;
        rs_accurate_basis(&s->axes.accurate, i, s->axes.axis, s->axes.moved);
        rs_gemv('T', problem->c, s->q, 1.0 / sqrt(problem->total),
                s->axes.turn, problem->c, s->axes.moved, 0.0,
                p->in.V + (size_t)s->q * i);
        RS_TRY(rs_data_crossprod(problem->X, 1, s->axes.axis, s->axes.image));
        for (int a = 0; a < p->count; a++)
            p->P[i + (size_t)t * a] =
                s->axes.image[s->list[p->list[a]]] * s->unit[p->list[a]];
    }
    p->in.product_error = (4.0 + 4.0 * t) * s->product_error;
    p->in.response_error = (4.0 + 4.0 * t) * s->response_error;
    return rs_poll(s->ctx);
}

static rs_status project(kernel *s, node *p)
{
    double least;
    p->in.dependent = p->in.unresolved = 0;
    p->in.value = 0.0;
    p->in.product_error = s->product_error;
    p->in.response_error = s->response_error;
    if (p->in.t == 0)
        return RS_OK;
    RS_TRY(factor(s, p, &least));
    if (least < RS_LEFT_PLAIN && s->axes.accurate.able && s->problem->X) {
        RS_TRY(project_from_data(s, p));
    } else if (least <= 0.0 || (s->least == 0.0 && least < RS_LEFT_SLIGHT)) {
        p->in.dependent = s->least > 0.0;
        p->in.unresolved = !p->in.dependent;
        return RS_OK;
    } else {
        bound_errors(s, p);
    }
    if (s->H)
        take_products(s, p);
    else
        p->in.value = rs_sum_squares((size_t)s->q * (size_t)p->in.t, p->in.V);
    /* tr(C_TT^{-1} H_TT) is off by no more than its terms are */
    p->in.value += (p->in.t + 1) * p->in.response_error;
    return RS_OK;
}

/* Z - V P, and the diagonals of R and H */
static void leave(const kernel *s, node *p)
{
    const size_t q = (size_t)s->q, t = (size_t)p->in.t;
    for (int a = 0; a < p->count; a++)
        rs_copy(q, s->Z + q * p->list[a], p->Z + q * a);
    if (t > 0)
        rs_gemm('N', 'N', s->q, p->count, p->in.t, -1.0, p->in.V, s->q, p->P,
                p->in.t, 1.0, p->Z, s->q);
    for (int a = 0; a < p->count; a++) {
        p->left.r[a] = 1.0 - rs_sum_squares(t, p->P + t * a);
        if (s->H)
            p->left.h[a] = s->H[(size_t)(s->count + 1) * p->list[a]] -
                           2.0 * rs_dot(t, p->P + t * a, p->M + t * a);
        else
            p->left.h[a] = rs_sum_squares(q, p->Z + q * a);
    }
}

/* ---- eigenvalues ----------------------------------------------------------- */

/* of A - V V', and W */
static rs_status find_spectrum(const kernel *s, node *p)
{
    spectrum *f = &p->spectrum;
    const int q = s->q;
    rs_copy((size_t)q * q, s->A, f->A);
    if (p->in.t > 0)
        rs_gemm('N', 'T', q, q, p->in.t, -1.0, p->in.V, q, p->in.V, q, 1.0,
                f->A, q);
    RS_TRY(rs_eigen_largest(q, f->A, q, f->mu, f->Y, &f->eigen));
    f->rest = s->rest + q * p->in.response_error +
              8.0 * q * DBL_EPSILON * fmax(f->mu[0], 0.0);
    for (f->q = 0; f->q < q && f->mu[f->q] > 0.0;)
        f->q++;
    if (f->q > 0)
        rs_gemm('T', 'N', f->q, p->count, q, 1.0, f->Y, q, p->Z, q, 0.0, f->W,
                f->q);
    return RS_OK;
}

/* is 1 - sum w_i^2 / (r (mu_i - x)) > 0? Then eigenvalue number `at` of what is
 * left, which lies between mu[at + 1] and mu[at], is not below x */
static int is_below(const spectrum *f, double r, double x)
{
    const double *restrict mu = f->mu, *restrict square = f->squares;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < f->q; i++)
        sum += square[i] / (mu[i] - x);
    return sum < r;
}

/* candidate number a, of which r is left, is projected out: the sum of the m
 * largest eigenvalues that there are then, at most, and the first of them */
static double sum_without(const node *p, int a, double r, int m, double *first)
{
    const spectrum *f = &p->spectrum;
    const double *w = f->W + (size_t)f->q * a;
    double sum = 0.0;
    *first = 0.0;
    if (f->q == 0)
        return 0.0;
    const double error = p->in.product_error + p->in.response_error;
    const double off = 8.0 * f->q * (error / r + DBL_EPSILON) * f->mu[0];
    for (int i = 0; i < f->q; i++)
        f->squares[i] = w[i] * w[i];
    for (int at = 0; at < m && at < f->q; at++) {
        double high = f->mu[at], low = at + 1 < f->q ? f->mu[at + 1] : 0.0;
        for (int turn = 0; turn < RS_CLOSING_HALVINGS && high > low; turn++) {
            const double x = 0.5 * (low + high);
            if (is_below(f, r, x))
                low = x;
            else
                high = x;
        }
        sum += fmin(high + off, f->mu[at]);
        if (at == 0)
            *first = sum;
    }
    return sum;
}

/* ---- the candidates, best first ----------------------------------------------- */

/* what sets with T and candidate number a have at most; -INFINITY where it
 * counts as dependent */
static double bound_of(const kernel *s, int a, node *p)
{
    const spectrum *f = &p->spectrum;
    double first, gain = (f->q > 0 ? f->mu[0] : 0.0) + f->rest;
    if (s->least > 0.0 && !(p->left.r[a] + p->in.product_error > s->least))
        return -INFINITY;
    const double r = fmax(p->left.r[a] - p->in.product_error, s->least);
    if (r > 0.0)
        gain = fmin(gain, (p->left.h[a] + p->in.response_error) / r);
    gain += sum_without(p, a, fmax(r, DBL_MIN), p->m - 1, &first);
    p->left.cap[a] = p->m == 3 ? first : 0.0;
    return p->in.value + (p->m - 1) * f->rest + 64.0 * DBL_EPSILON + gain;
}

/* the candidates in the order that is kept */
static void reorder(size_t size, const node *p, double *x)
{
    for (int i = 0; i < p->count; i++)
        rs_copy(size, x + size * p->order[i], p->work + size * i);
    rs_copy(size * (size_t)p->count, p->work, x);
}

static void sort_candidates(const kernel *s, double cut, node *p)
{
    int kept = 0;
    for (int a = 0; a < p->count; a++) {
        p->score[a] = bound_of(s, a, p);
        if (p->score[a] > cut)
            p->order[kept++] = a;
    }
    rs_sort_indices(p->score, kept, p->order);
    p->count = kept;
    for (int i = 0; i < kept; i++)
        p->g[i] = p->score[p->order[i]];
    reorder((size_t)p->in.t, p, p->P);
    if (s->H)
        reorder((size_t)p->in.t, p, p->M);
    reorder((size_t)s->q, p, p->Z);
    reorder(1, p, p->left.r);
    reorder(1, p, p->left.h);
    reorder(1, p, p->left.cap);
    for (int i = 0; i < kept; i++)
        p->order[i] = p->list[p->order[i]];
    memcpy(p->list, p->order, (size_t)kept * sizeof *p->list);
    for (int a = kept; a < kept + RS_CLOSING_STRIP; a++) {
        p->left.h[a] = p->left.cap[a] = 0.0;
        p->left.r[a] = 1.0;
    }
}

/* candidates that are in no set with more than the cut are left out */
static rs_status open_node(const rs_node *of, search *c)
{
    kernel *s = &c->kernel;
    node *p = &c->node;
    c->tree = of->tree;
    p->in.t = of->count;
    p->m = of->m;
    p->count = of->open;
    for (int i = 0; i < p->in.t; i++)
        p->in.set[i] = s->place[of->set[i]];
    for (int a = 0; a < p->count; a++)
        p->list[a] = s->place[of->free[a]];
    RS_TRY(project(s, p));
    if (p->in.dependent || p->in.unresolved)
        return RS_OK;
    leave(s, p);
    RS_TRY(find_spectrum(s, p));
    sort_candidates(s, rs_tree_cut(of->tree), p);
    return RS_OK;
}

/* ---- what T leaves of products -------------------------------------------------- */

/* room for so many rows of the candidates; twice as much each time, but no more
 * than all of them can take */
static rs_status make_room(int count, search *c)
{
    rs_context *ctx = c->kernel.ctx;
    rs_closing_rows *rows = &c->rows;
    rows->stride = padded(c->node.count);
    const size_t cells = (size_t)rows->stride * (size_t)count;
    if (cells <= rows->room)
        return RS_OK;
    const size_t all = (size_t)padded(c->kernel.count) * c->kernel.count;
    rows->room = 2 * rows->room < all ? 2 * rows->room : all;
    if (rows->room < cells)
        rows->room = cells;
    RS_ALLOC_DOUBLES(ctx, rows->room, &rows->R, &rows->H);
    RS_ALLOC_BYTES(ctx, rows->room, &rows->joined);
    return rs_allocated(ctx);
}

/* `width` rows of R and H, the first for candidate number `at`, from this on;
 * zeros behind the last candidate */
static rs_status fill_rows(int at, int width, double *R, double *H, search *c)
{
    const node *p = &c->node;
    const kernel *s = &c->kernel;
    const int stride = c->rows.stride, t = p->in.t, q = s->q;
    const size_t ld = (size_t)stride;
    const int rest = p->count - at;
    const double *column[RS_PANEL];
    RS_TRY(rs_closing_columns(&c->kernel, width, p->list + at, column));
    for (int b = 0; b < width; b++) {
        const double *h =
            s->H ? s->H + (size_t)s->count * p->list[at + b] : NULL;
        for (int a = at; a < p->count; a++)
            R[a + ld * b] = column[b][p->list[a]];
        for (int a = at; h && a < p->count; a++)
            H[a + ld * b] = h[p->list[a]];
        for (size_t a = (size_t)p->count; a < ld; a++)
            R[a + ld * b] = H[a + ld * b] = 0.0;
    }
    const double *P = p->P + (size_t)t * at, *M = p->M + (size_t)t * at;
    const double *Z = p->Z + (size_t)q * at;
    if (t > 0)
        rs_gemm('T', 'N', rest, width, t, -1.0, P, t, P, t, 1.0, R + at,
                stride);
    if (!s->H)
        rs_gemm('T', 'N', rest, width, q, 1.0, Z, q, Z, q, 0.0, H + at,
                stride);
    if (s->H && t > 0) {
        rs_gemm('T', 'N', rest, width, t, -1.0, P, t, M, t, 1.0, H + at,
                stride);
        rs_gemm('T', 'N', rest, width, t, -1.0, M, t, P, t, 1.0, H + at,
                stride);
    }
    return rs_poll(s->ctx);
}

/* ---- pairs ---------------------------------------------------------------------- */

/* what is fixed in a row of tests of what two features add */
typedef struct {
    double p, m, r, h, cap;
    double need;  /* what is to be added, less what is left beyond mu */
    double slack; /* error of the two sides of the test */
} row_of;

/* excess[b] > 0 where the pair, and what may follow (up to cap; 0 unless they are
 * `capped`), add enough: what it adds times D, less n D. R and H: as they were
 * before p and m were taken off */
static inline void test_strip(const row_of *a, int capped,
                              const double *restrict R,
                              const double *restrict H, const left_of *of,
                              int from, double *restrict excess)
{
    const double *restrict p = of->p + from, *restrict m = of->m + from;
    const double *restrict r = of->r + from, *restrict h = of->h + from;
    const double *restrict cap = of->cap + from;
    const double pa = a->p, ma = a->m, ra = a->r, ha = a->h, ca = a->cap;
    const double need = a->need, slack = a->slack;
    for (int b = 0; b < RS_CLOSING_STRIP; b++) {
        const double n = !capped ? need : need - (cap[b] < ca ? cap[b] : ca);
        const double cross = R[b] - pa * p[b];
        const double mixed = H[b] - (pa * m[b] + ma * p[b]);
        excess[b] = slack + h[b] * ra + (ha - n * ra) * r[b] -
                    cross * (2.0 * mixed - n * cross);
    }
}

static double slack_of(double products, double responses)
{
    return 4.0 * responses + 8.0 * products + 32.0 * DBL_EPSILON;
}

static rs_status offer(int a, int b, int l, search *c)
{
    const node *p = &c->node;
    const int *list = c->kernel.list;
    int count = p->in.t;
    for (int i = 0; i < count; i++)
        c->set[i] = list[p->in.set[i]];
    c->set[count++] = list[p->list[a]];
    if (b >= 0)
        c->set[count++] = list[p->list[b]];
    if (l >= 0)
        c->set[count++] = list[p->list[l]];
    return rs_tree_offer(c->set, c->tree);
}

/* the candidates after a that it may be in a better set with */
static row_of find_near(int a, const double *R, const double *H,
                        unsigned char *joined, search *c)
{
    const node *p = &c->node;
    const row_of row = {
        .r = fmax(p->left.r[a], c->kernel.least),
        .h = p->left.h[a],
        .cap = p->left.cap[a],
        .need =
            rs_tree_cut(c->tree) - p->in.value - (p->m - 2) * p->spectrum.rest,
        .slack = slack_of(p->in.product_error, p->in.response_error)};
    for (int b = (a + 1) / RS_CLOSING_STRIP * RS_CLOSING_STRIP; b < p->count;
         b += RS_CLOSING_STRIP)
        test_strip(&row, 1, R + b, H + b, &p->left, b, c->excess + b);
    c->near.count = 0;
    for (int b = a + 1; b < p->count; b++) {
        joined[b] = c->excess[b] > 0.0;
        if (joined[b])
            c->near.at[c->near.count++] = b;
    }
    c->polled += p->count - a;
    return row;
}

/* ---- triangles ------------------------------------------------------------------ */

/* what a takes off for those near it, p = R_a. / R_aa^{1/2} and m likewise, and
 * what it leaves of them */
static void take_off(const row_of *row, const double *R, const double *H,
                     search *c)
{
    rs_closing_near *near = &c->near;
    left_of *to = &near->left;
    const double inverse = 1.0 / sqrt(row->r), half = 0.5 * row->h / row->r;
    for (int i = 0; i < near->count; i++) {
        const int b = near->at[i];
        to->p[i] = R[b] * inverse;
        to->m[i] = H[b] * inverse - half * to->p[i];
        to->r[i] = c->node.left.r[b] - to->p[i] * to->p[i];
        to->h[i] = c->node.left.h[b] - 2.0 * to->p[i] * to->m[i];
    }
    for (int i = near->count; i < padded(near->count); i++)
        to->p[i] = to->m[i] = to->r[i] = to->h[i] = near->R[i] = near->H[i] =
            0.0;
}

/* the triples of a, number i of those near it and those after that one; value:
 * of T with a */
static rs_status close_triangles(int a, int i, double value, double slack,
                                 search *c)
{
    rs_closing_near *near = &c->near;
    const left_of *left = &near->left;
    const int b = near->at[i], count = near->count, *restrict at = near->at;
    const size_t row = (size_t)c->rows.stride * b;
    const double *R = c->rows.R + row, *H = c->rows.H + row;
    const unsigned char *joined = c->rows.joined + row;
    const row_of own = {.p = left->p[i],
                        .m = left->m[i],
                        .r = left->r[i],
                        .h = left->h[i],
                        .need = rs_tree_cut(c->tree) - value,
                        .slack = slack};
    for (int e = i + 1; e < count; e++) {
        near->R[e] = R[at[e]];
        near->H[e] = H[at[e]];
    }
    for (int s = (i + 1) / RS_CLOSING_STRIP * RS_CLOSING_STRIP; s < count;
         s += RS_CLOSING_STRIP) {
        double excess[RS_CLOSING_STRIP];
        test_strip(&own, 0, near->R + s, near->H + s, left, s, excess);
        const int last = rs_min_int(count - s, RS_CLOSING_STRIP);
        for (int e = rs_max_int(i + 1 - s, 0); e < last; e++)
            if (excess[e] > 0.0 && joined[at[s + e]])
                RS_TRY(offer(a, b, at[s + e], c));
    }
    c->polled += 1.5 * (count - i);
    return RS_OK;
}

/* all triples of a, as rounding hides what it adds */
static rs_status offer_near(int a, search *c)
{
    const int count = c->near.count, *at = c->near.at;
    for (int i = 0; i < count; i++)
        for (int e = i + 1; e < count; e++)
            if (c->rows.joined[at[e] + (size_t)c->rows.stride * at[i]])
                RS_TRY(offer(a, at[i], at[e], c));
    return RS_OK;
}

static rs_status find_triangles(int a, const row_of *row, const double *R,
                                const double *H, search *c)
{
    const rs_closing_set *in = &c->node.in;
    const double root = 1.0 / sqrt(fmax(row->r, DBL_MIN));
    const double grown = (1.0 + root) * (1.0 + root);
    const double products = in->product_error * grown + 4.0 * DBL_EPSILON;
    const double responses = in->response_error * grown +
                             4.0 * in->product_error * root * (1.0 + root) +
                             8.0 * DBL_EPSILON;
    const double first =
        (row->h + 2.0 * (in->response_error + in->product_error)) *
        (root * root);
    if (!(row->r > RS_CLOSING_UNTOLD * in->product_error))
        return offer_near(a, c);
    take_off(row, R, H, c);
    for (int i = 0; i + 1 < c->near.count; i++)
        RS_TRY(close_triangles(a, i, in->value + first,
                               slack_of(products, responses), c));
    return RS_OK;
}

/* ---- triples of one response ------------------------------------------------------ */

/*
 * Three features add more than n if and only if M = R - H / n is not positive
 * definite on them. Scaled to a unit diagonal, with entries of moduli x >= y >= z,
 * its smallest eigenvalue is at least 1 - (x + sqrt(x^2 + 8 y^2)) / 2: of the
 * neighbours of the feature that x and y share only those with
 *
 *     y^2 >= L (L - x) / 2,     L = 1 - what rounding may take,
 *
 * are looked at, and M - (1 - L) I is tested.
 */

/* L, the scales in `excess`; 0 where M tells too little */
static double scale_apices(double n, search *c)
{
    const node *p = &c->node;
    double most = 0.0;
    for (int a = 0; a < p->count; a++) {
        const double own = p->left.r[a] - p->left.h[a] / n;
        most = fmax(most, own > 0.0 ? 1.0 / own : INFINITY);
        c->excess[a] = 1.0 / sqrt(own);
    }
    const double L = 1.0 - 3.0 * most *
                               (p->in.product_error +
                                p->in.response_error / n + 16.0 * DBL_EPSILON);
    return n > 0.0 && L > 0.99 ? L : 0.0;
}

/* all of M in place of R, with zeros on the diagonal */
static rs_status fill_apices(double n, search *c)
{
    const int count = c->node.count;
    const double *scale = c->excess;
    RS_TRY(make_room(count, c));
    const size_t ld = (size_t)c->rows.stride;
    for (int at = 0; at < count; at += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, count - at);
        double *R = c->rows.R + ld * at, *H = c->rows.H;
        RS_TRY(fill_rows(at, width, R, H, c));
        for (int a = at; a < count; a++)
            for (int b = 0; b < width && at + b <= a; b++)
                c->rows.R[at + b + ld * a] = R[a + ld * b] =
                    a == at + b ? 0.0
                                : (R[a + ld * b] - H[a + ld * b] / n) *
                                      scale[a] * scale[at + b];
    }
    return RS_OK;
}

/* the triples whose two largest entries are in the row of a; *tests counts them */
static rs_status try_apex(int a, double L, double *tests, search *c)
{
    const size_t ld = (size_t)c->rows.stride;
    const double *row = c->rows.R + ld * a;
    double *size = c->near.R, most = 0.0;
    int *at = c->near.at, count = 0;
    for (int b = 0; b < c->node.count; b++)
        most = fmax(most, size[b] = fabs(row[b]));
    for (int b = 0; b < c->node.count; b++)
        if (b != a && size[b] * size[b] >= 0.5 * L * (L - most))
            at[count++] = b;
    rs_sort_indices(size, count, at);
    for (int i = 0; i < count; i++) {
        const double x = row[at[i]], *third = c->rows.R + ld * at[i];
        const double least = 0.5 * L * (L - fabs(x));
        for (int e = i + 1; e < count; e++, *tests += 1.0) {
            const double y = row[at[e]], z = third[at[e]];
            if (y * y < least)
                break;
            if (fabs(z) <= fabs(y) &&
                (fabs(x) >= L ||
                 L * (L * L - x * x - y * y - z * z) + 2.0 * x * y * z <=
                     16.0 * DBL_EPSILON))
                RS_TRY(offer(a, at[i], at[e], c));
        }
    }
    return rs_poll(c->kernel.ctx);
}

/* *done = 0 where all triples are as well tested one by one */
static rs_status try_apices(int *done, search *c)
{
    const double count = c->node.count;
    const double n = rs_tree_cut(c->tree) - c->node.in.value;
    double tests = 0.0, L = 0.0;
    if (c->node.m == 3 && c->kernel.problem->c == 1 &&
        count >= RS_CLOSING_APICES)
        L = scale_apices(n, c);
    *done = L > 0.0;
    if (*done)
        RS_TRY(fill_apices(n, c));
    for (int a = 0; a < count && *done; a++) {
        RS_TRY(try_apex(a, L, &tests, c));
        *done = tests <= RS_CLOSING_APEX_SHARE * count * count * (a + 1) / 6.0;
    }
    return RS_OK;
}

/* ---- all sets of a node ----------------------------------------------------------- */

/* of two or three more features, from the last row: of three, all rows after the
 * present one are held */
static rs_status try_rows(search *c)
{
    const int count = c->node.count, triples = c->node.m == 3;
    RS_TRY(make_room(triples ? count : RS_PANEL, c));
    for (int at = (count - 1) / RS_PANEL * RS_PANEL; at >= 0; at -= RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, count - at);
        const size_t ld = (size_t)c->rows.stride;
        double *R = c->rows.R + (triples ? ld * at : 0);
        double *H = c->rows.H + (triples ? ld * at : 0);
        unsigned char *joined = c->rows.joined + (triples ? ld * at : 0);
        RS_TRY(fill_rows(at, width, R, H, c));
        for (int i = width - 1; i >= 0; i--) {
            const size_t j = ld * i;
            const row_of row = find_near(at + i, R + j, H + j, joined + j, c);
            if (triples)
                RS_TRY(find_triangles(at + i, &row, R + j, H + j, c));
            for (int e = 0; !triples && e < c->near.count; e++)
                RS_TRY(offer(at + i, c->near.at[e], -1, c));
            RS_TRY(rs_poll_after(c->kernel.ctx, 0.0, &c->polled));
        }
    }
    return RS_OK;
}

static rs_status try_all(search *c)
{
    const node *p = &c->node;
    int done = p->count < p->m;
    if (!done)
        RS_TRY(try_apices(&done, c));
    if (p->m > 1)
        return done ? RS_OK : try_rows(c);
    for (int a = 0; a < p->count; a++)
        if (p->g[a] > rs_tree_cut(c->tree))
            RS_TRY(offer(a, -1, -1, c));
    return RS_OK;
}

rs_status rs_closing_close(const rs_node *of, int *done, search *c)
{
    RS_TRY(open_node(of, c));
    *done = !c->node.in.unresolved;
    return *done && !c->node.in.dependent ? try_all(c) : RS_OK;
}

/* ---- the bound -------------------------------------------------------------------- */

static rs_status bound(void *state, const rs_node *of, rs_node_bound *says)
{
    search *c = (search *)state;
    const node *p = &c->node;
    RS_TRY(open_node(of, c));
    says->more = -1;
    says->value = -INFINITY;
    if (p->in.unresolved)
        rs_tree_hide(of->bound, of->tree);
    if (p->in.dependent || p->in.unresolved)
        return RS_OK;
    says->value = p->count < p->m ? rs_tree_cut(of->tree) : p->g[p->m - 1];
    says->has = RS_HAS_WITH;
    for (int a = 0; a < of->open; a++)
        says->with[of->free[a]] = p->score[a];
    return RS_OK;
}

static rs_status close_node(void *state, const rs_node *of, int *done)
{
    search *c = (search *)state;
    if (of->is_root && of->round == 0)
        return RS_OK; /* which a limit of time may leave open */
    if (of->round == 0)
        RS_TRY(open_node(of, c));
    if (c->node.in.unresolved)
        rs_tree_hide(of->bound, of->tree);
    *done = c->node.in.dependent || c->node.in.unresolved;
    if (*done || (of->m > 2 && c->node.count > RS_CLOSING_MOST))
        return RS_OK;
    *done = 1;
    return try_all(c);
}

rs_status rs_closing_open(rs_context *ctx, const rs_lsq *problem, int k,
                          const double *YtY, int keep, double least, search *c)
{
    *c = (search){.of = {.state = c,
                         .bound = bound,
                         .ordered = 1,
                         .closes = RS_CLOSING_LAST,
                         .close = close_node}};
    RS_TRY(
        rs_closing_kernel_open(ctx, problem, k, YtY, keep, least, &c->kernel));
    const size_t width = (size_t)padded(c->kernel.count);
    c->set = rs_alloc_int(ctx, (size_t)k);
    c->near.at = rs_alloc_int(ctx, width);
    left_of *near = &c->near.left;
    RS_ALLOC_DOUBLES(ctx, width, &c->excess, &c->near.R, &c->near.H, &near->p,
                     &near->m, &near->r, &near->h, &near->cap);
    RS_TRY(rs_allocated(ctx));
    return make_node(&c->kernel, &c->node);
}
