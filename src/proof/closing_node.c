/* What the members of a node's sets leave of the candidates, and bounds of these. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "proof/closing.h"

/* halvings of the bracket of an eigenvalue */
#define RS_CLOSING_HALVINGS 14

typedef rs_closing_kernel kernel;
typedef rs_closing_node node;
typedef rs_closing_spectrum spectrum;

void rs_closing_make_left(rs_context *ctx, size_t count, rs_closing_left *left)
{
    RS_ALLOC_DOUBLES(ctx, count, &left->p, &left->m, &left->r, &left->h,
                     &left->cap);
    if (rs_allocated(ctx) == RS_OK) {
        rs_fill(count, 0.0, left->p);
        rs_fill(count, 0.0, left->m);
        rs_fill(count, 0.0, left->cap);
    }
}

rs_status rs_closing_node_init(const kernel *s, node *p)
{
    rs_context *ctx = s->ctx;
    const size_t count = (size_t)s->count, k = (size_t)s->k, q = (size_t)s->q;
    spectrum *f = &p->spectrum;
    memset(p, 0, sizeof *p);
    p->in.set = rs_alloc_int(ctx, k);
    RS_ALLOC_INTS(ctx, count, &p->list, &p->order);
    RS_ALLOC_DOUBLES(ctx, count, &p->g, &p->score);
    rs_closing_make_left(ctx, count + RS_CLOSING_STRIP, &p->left);
    RS_ALLOC_DOUBLES(ctx, k * count, &p->P, &p->M);
    RS_ALLOC_DOUBLES(ctx, q * count, &p->Z, &f->W);
    p->work = rs_alloc_double(ctx, (k + q) * count);
    RS_ALLOC_DOUBLES(ctx, k * k, &p->in.L, &p->in.N);
    p->in.V = rs_alloc_double(ctx, q * k);
    RS_ALLOC_DOUBLES(ctx, q, &f->mu, &f->squares);
    RS_ALLOC_DOUBLES(ctx, q * q, &f->A, &f->Y);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, s->q, &f->eigen);
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
    rs_fill((size_t)t * (size_t)t, 0.0, inverse);
    for (int i = 0; i < t; i++)
        inverse[i * (t + 1)] = 1.0;
    rs_cholesky_solve(t, t, p->in.L, t, inverse, t);
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

rs_status rs_closing_node_open(const rs_node *of, kernel *s, node *p)
{
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
