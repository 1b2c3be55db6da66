/* The penalised loss of a family on sets of features. */
#include "sets/value_family.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* what a step of Newton's method promises, as a share of F(none), where it is the last
 * one: what it leaves is near the square of that */
#define RS_FAMILY_TOL 1e-7
#define RS_FAMILY_EXACT 1e-13
/* least share of its own square that a column keeps beside the set */
#define RS_FAMILY_LEFT 1e-8

typedef rs_value_family family;

/* ---- the data ------------------------------------------------------------------ */

static void divide_rows(const rs_family_problem *p, int count, double *out)
{
    const int n = p->X->n;
    for (int j = 0; j < count && p->root; j++)
        for (int i = 0; i < n; i++)
            out[i + (size_t)n * j] /= p->root[i];
}

rs_status rs_family_columns(const rs_family_problem *p, int count,
                            const int *index, double *out)
{
    RS_TRY(rs_data_columns(p->X, count, index, 0, out));
    divide_rows(p, count, out);
    return RS_OK;
}

/* W (d x m) = X'Y; Y is divided by the roots */
static rs_status multiply(family *s, int m, double *Y, double *W)
{
    s->work += (double)s->problem->X->n * s->d * m;
    divide_rows(s->problem, m, Y);
    return rs_data_crossprod(s->problem->X, m, Y, W);
}

/* ---- the fit of a set ------------------------------------------------------------ */

/* of a column among `count` of them; -1: nowhere */
static int place_of(int column, int count, const int *among)
{
    int place = count - 1;
    while (place >= 0 && among[place] != column)
        place--;
    return place;
}

/* columns, penalties, signs and first coefficients, of those that `from` has its own */
static rs_status load(family *s, const rs_family_set *from, int count,
                      const int *set, rs_family_set *to)
{
    const rs_family *f = s->problem->family;
    const size_t n = (size_t)f->n;
    const int b0 = f->intercept;
    int p = b0, old = from->fit.of.p;
    for (int i = 0; i < count; i++)
        p += rs_group_size(s->groups, set[i]);
    memcpy(to->set, set, (size_t)count * sizeof *set);
    to->count = count;
    to->ready = 0;
    to->fit.of.p = p;
    for (int l = 0; l < f->q && b0; l++)
        to->fit.of.B[(size_t)p * l] = from->fit.of.B[(size_t)old * l];
    for (int i = 0, at = b0; i < count; i++)
        for (int a = 0; a < rs_group_size(s->groups, set[i]); a++, at++) {
            const int j = rs_group_columns(s->groups, set[i])[a];
            const int place = place_of(j, old - b0, from->fit.column);
            to->fit.column[at - b0] = j;
            if (to->fit.sign)
                to->fit.sign[at] = s->problem->sign[j];
            for (int l = 0; l < f->q; l++)
                to->fit.of.B[at + (size_t)p * l] =
                    place < 0 ? 0.0
                              : from->fit.of.B[b0 + place + (size_t)old * l];
            if (place < 0)
                RS_TRY(
                    rs_family_columns(s->problem, 1, &j, to->fit.P + n * at));
            else
                rs_copy(n, from->fit.P + n * (b0 + place), to->fit.P + n * at);
        }
    return RS_OK;
}

static int holds(const rs_family_set *a, int count, const int *set)
{
    return a->count == count &&
           memcmp(a->set, set, (size_t)count * sizeof *set) == 0;
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    family *s = (family *)state;
    if (!holds(&s->sets[s->now], count, set)) {
        rs_family_set *to = &s->sets[1 - s->now];
        const double before = s->newton.work;
        if (!holds(to, count, set)) {
            RS_TRY(load(s, &s->sets[s->now], count, set, to));
            const rs_status status =
                rs_newton_minimise(s->tol * s->null, &to->fit.of, &s->newton);
            if (status != RS_OK)
                to->count = -1;
            RS_TRY(status);
        }
        s->work += s->newton.work - before;
        s->now = 1 - s->now;
    }
    *value = s->null - s->sets[s->now].fit.of.objective;
    return RS_OK;
}

/* ---- the quadratic model ----------------------------------------------------------- */

/* S (size x size) = x' diag(w) x + ridge I */
static void weigh_group(const family *s, int size, const double *x,
                        const double *w, double *S)
{
    const size_t n = (size_t)s->problem->X->n;
    for (int b = 0; b < size; b++) {
        for (size_t i = 0; i < n; i++)
            s->room.weighed[i] = w[i] * x[i + n * b];
        for (int a = 0; a < size; a++)
            S[a + size * b] = rs_dot(n, s->room.weighed, x + n * a);
        S[b * (size + 1)] += s->problem->ridge;
    }
}

/* left_g of all groups, without the set */
static rs_status weigh_groups(family *s, const double *w, double *left)
{
    const rs_groups *groups = s->groups;
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        RS_TRY(rs_family_columns(s->problem, size, rs_group_columns(groups, g),
                                 s->room.panel));
        weigh_group(s, size, s->room.panel, w, left + s->block[g]);
    }
    return rs_poll(s->ctx);
}

/* WP R^-1 of predictor l in s->room.product; R beside it */
static rs_status factor_set(family *s, rs_family_set *a, int l)
{
    const int n = s->problem->X->n, p = a->fit.of.p;
    double *R = a->R + (size_t)s->most * s->most * l;
    rs_copy((size_t)n * p, a->fit.P, s->room.product);
    rs_scale_rows(n, p, a->fit.of.w + (size_t)n * l, s->room.product);
    rs_gemm('T', 'N', p, p, n, 1.0, a->fit.P, n, s->room.product, n, 0.0, R,
            p);
    for (int i = 0; i < p; i++) {
        double *own = R + i * ((size_t)p + 1);
        *own += a->fit.ridge[i] + RS_SHIFT * (*own + a->fit.ridge[i]) +
                RS_NOTHING * RS_NOTHING;
    }
    RS_TRY(rs_cholesky(p, R, p));
    rs_triangular_solve('R', 'N', n, p, R, p, s->room.product, n);
    return RS_OK;
}

static double *left_of(const family *s, const rs_family_set *a, int g, int l)
{
    return a->left + s->block[s->groups->count] * l + s->block[g];
}

/* C of predictor l, and left_g less C_g C_g' */
static rs_status project(family *s, rs_family_set *a, int l)
{
    const size_t d = (size_t)s->d;
    const int p = a->fit.of.p;
    double *C = a->C + d * s->most * l;
    RS_TRY(factor_set(s, a, l));
    RS_TRY(multiply(s, p, s->room.product, C));
    for (int g = 0; g < s->groups->count; g++) {
        const int size = rs_group_size(s->groups, g);
        const int *own = rs_group_columns(s->groups, g);
        double *block = left_of(s, a, g, l);
        for (int b = 0; b < size * size; b++) {
            const int u = own[b % size], v = own[b / size];
            const double whole = block[b];
            for (int i = 0; i < p; i++)
                block[b] -= C[u + d * i] * C[v + d * i];
            if (u == v)
                block[b] = fmax(block[b], RS_FAMILY_LEFT * whole);
        }
    }
    return RS_OK;
}

static rs_status prepare(family *s, rs_family_set *a)
{
    const rs_family *f = s->problem->family;
    const size_t n = (size_t)f->n, cells = s->block[s->groups->count];
    if (a->ready)
        return RS_OK;
    for (int l = 0; l < f->q; l++) {
        for (size_t i = 0; i < n; i++)
            s->room.product[i] = -a->fit.of.g[i + n * l];
        RS_TRY(multiply(s, 1, s->room.product, a->rest + (size_t)s->d * l));
        RS_TRY(weigh_groups(s, a->fit.of.w + n * l, a->left + cells * l));
        s->work += (double)n * cells;
    }
    for (int l = 0; l < f->q && a->fit.of.p > 0; l++)
        RS_TRY(project(s, a, l));
    a->ready = 1;
    return RS_OK;
}

/* rest' left^-1 rest / 2 of group g of predictor l, after what a member leaves: h and
 * G (d x away), or away = 0 */
static double gain_of(family *s, const rs_family_set *a, int g, int l,
                      int away)
{
    const int size = rs_group_size(s->groups, g);
    const int *own = rs_group_columns(s->groups, g);
    const size_t d = (size_t)s->d;
    const double *left = left_of(s, a, g, l), *G = s->room.G;
    double *r = s->room.rest, *M = s->room.left;
    for (int u = 0; u < size; u++) {
        r[u] = a->rest[own[u] + d * l];
        for (int i = 0; i < away; i++)
            r[u] += G[own[u] + d * i] * s->room.h[i];
        for (int v = 0; v < size; v++) {
            M[u + size * v] = left[u + size * v];
            for (int i = 0; i < away; i++)
                M[u + size * v] += G[own[u] + d * i] * G[own[v] + d * i];
        }
    }
    if (size == 1 && s->problem->sign && s->problem->sign[*own] * *r < 0.0)
        return 0.0;
    if (size == 1)
        return 0.5 * r[0] * r[0] / M[0];
    if (rs_cholesky(size, M, size) != RS_OK)
        return 0.0;
    rs_triangular_solve('L', 'T', size, 1, M, size, r, size);
    return 0.5 * rs_sum_squares((size_t)size, r);
}

/* value[g] += gains of predictor l, less what the set loses */
static void add_gains(family *s, const rs_family_set *a, int l, int away,
                      double *value)
{
    const double loss = 0.5 * rs_sum_squares((size_t)away, s->room.h);
    for (int g = 0; g < s->groups->count; g++)
        if (value[g] > -INFINITY)
            value[g] += gain_of(s, a, g, l, away) - loss;
}

static void begin_values(const family *s, const rs_family_set *a,
                         double *value)
{
    for (int g = 0; g < s->groups->count; g++)
        value[g] =
            s->groups->barred[g] ? -INFINITY : s->null - a->fit.of.objective;
    for (int i = 0; i < a->count; i++)
        value[a->set[i]] = -INFINITY;
}

static rs_status gains(void *state, double *value)
{
    family *s = (family *)state;
    rs_family_set *a = &s->sets[s->now];
    RS_TRY(prepare(s, a));
    begin_values(s, a, value);
    for (int l = 0; l < s->problem->family->q; l++)
        add_gains(s, a, l, 0, value);
    return RS_OK;
}

/* T (p x away) <- Q and h of the member in place `at`; returns its columns */
static int take_away(family *s, const rs_family_set *a, int at, int l)
{
    const int b0 = s->problem->family->intercept, p = a->fit.of.p;
    const double *R = a->R + (size_t)s->most * s->most * l;
    const int away = rs_group_size(s->groups, a->set[at]);
    int first = b0;
    for (int i = 0; i < at; i++)
        first += rs_group_size(s->groups, a->set[i]);
    rs_fill((size_t)p * away, 0.0, s->room.T);
    for (int i = 0; i < away; i++) {
        s->room.T[first + i + (size_t)p * i] = 1.0;
        s->room.h[i] = a->fit.of.B[first + i + (size_t)p * l];
    }
    rs_triangular_solve('L', 'T', p, away, R, p, s->room.T, p);
    rs_gram(p, away, s->room.T, s->room.U);
    if (rs_cholesky(away, s->room.U, away) != RS_OK)
        return 0;
    rs_triangular_solve('R', 'N', p, away, s->room.U, away, s->room.T, p);
    rs_triangular_solve('L', 'T', away, 1, s->room.U, away, s->room.h, away);
    return away;
}

static rs_status exchanges(void *state, int at, double *value)
{
    family *s = (family *)state;
    rs_family_set *a = &s->sets[s->now];
    const size_t d = (size_t)s->d;
    RS_TRY(prepare(s, a));
    begin_values(s, a, value);
    for (int l = 0; l < s->problem->family->q; l++) {
        const int away = take_away(s, a, at, l);
        rs_gemm('N', 'N', s->d, away, a->fit.of.p, 1.0, a->C + d * s->most * l,
                s->d, s->room.T, a->fit.of.p, 0.0, s->room.G, s->d);
        add_gains(s, a, l, away, value);
    }
    return rs_poll(s->ctx);
}

/* ---- the state ---------------------------------------------------------------------- */

rs_status rs_family_open_fit(rs_context *ctx, const rs_family_problem *problem,
                             int columns, rs_family_fit *fit)
{
    const rs_family *f = problem->family;
    const size_t n = (size_t)f->n, q = (size_t)f->q;
    const size_t p = (size_t)(columns + f->intercept);
    *fit = (rs_family_fit){.sign = NULL};
    RS_ALLOC_DOUBLES(ctx, n * p, &fit->P);
    RS_ALLOC_DOUBLES(ctx, n * q, &fit->of.H, &fit->of.g, &fit->of.w);
    RS_ALLOC_DOUBLES(ctx, p, &fit->ridge, &fit->times);
    fit->of.B = rs_alloc_double(ctx, p * q);
    fit->column = rs_alloc_int(ctx, p);
    if (problem->sign)
        fit->sign = rs_alloc_int(ctx, p);
    RS_TRY(rs_allocated(ctx));
    rs_fill(p, 1.0, fit->times);
    rs_fill(p, problem->ridge, fit->ridge);
    rs_fill(p * q, 0.0, fit->of.B);
    rs_fill(n * (size_t)f->intercept, 1.0, fit->P);
    if (f->intercept)
        fit->ridge[0] = 0.0;
    if (fit->sign)
        fit->sign[0] = 0;
    fit->of.P = fit->P;
    fit->of.ridge = fit->ridge;
    fit->of.sign = fit->sign;
    return RS_OK;
}

static rs_status open_set(family *s, int k, rs_family_set *a)
{
    const size_t q = (size_t)s->problem->family->q, d = (size_t)s->d;
    const size_t p = (size_t)s->most;
    rs_context *ctx = s->ctx;
    *a = (rs_family_set){.count = -1};
    a->set = rs_alloc_int(ctx, (size_t)k);
    a->R = rs_alloc_double(ctx, p * p * q);
    a->C = rs_alloc_double(ctx, d * p * q);
    a->rest = rs_alloc_double(ctx, d * q);
    a->left = rs_alloc_double(ctx, s->block[s->groups->count] * q);
    RS_TRY(rs_allocated(ctx));
    return rs_family_open_fit(ctx, s->problem, s->most, &a->fit);
}

static rs_status open_room(size_t n, size_t d, size_t widest, family *s)
{
    rs_context *ctx = s->ctx;
    rs_family_room *r = &s->room;
    const size_t p = (size_t)s->most;
    r->panel = rs_alloc_double(ctx, n * widest);
    r->weighed = rs_alloc_double(ctx, n);
    r->product = rs_alloc_double(ctx, n * (p + 1));
    r->T = rs_alloc_double(ctx, p * widest);
    RS_ALLOC_DOUBLES(ctx, widest * widest, &r->U, &r->left);
    RS_ALLOC_DOUBLES(ctx, widest, &r->h, &r->rest);
    r->G = rs_alloc_double(ctx, d * widest);
    return rs_allocated(ctx);
}

static rs_status open_blocks(family *s)
{
    const rs_groups *groups = s->groups;
    s->block = rs_alloc(s->ctx, (size_t)groups->count + 1, sizeof *s->block);
    RS_TRY_ALLOC(s->block);
    s->block[0] = 0;
    for (int g = 0; g < groups->count; g++) {
        const size_t size = (size_t)rs_group_size(groups, g);
        s->block[g + 1] = s->block[g] + size * size;
    }
    return RS_OK;
}

rs_status rs_value_family_init(rs_context *ctx,
                               const rs_family_problem *problem,
                               const rs_groups *groups, int k, family *s)
{
    const size_t n = (size_t)problem->X->n, d = (size_t)problem->X->d;
    const size_t widest = (size_t)rs_group_widest(groups);
    double value;
    *s = (family){.ctx = ctx,
                  .problem = problem,
                  .groups = groups,
                  .tol = RS_FAMILY_TOL};
    s->d = (int)d;
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &s->most));
    s->most += problem->family->intercept;
    RS_TRY(open_blocks(s));
    RS_TRY(rs_newton_init(ctx, problem->family, s->most, &s->newton));
    for (int i = 0; i < 2; i++)
        RS_TRY(open_set(s, k, &s->sets[i]));
    RS_TRY(open_room(n, d, widest, s));
    s->sets[1].fit.of.p = problem->family->intercept;
    RS_TRY(move(s, 0, s->sets[0].set, &value));
    s->null = s->sets[s->now].fit.of.objective;
    s->as_value = (rs_value){.state = s,
                             .total = s->null,
                             .move = move,
                             .gains = gains,
                             .exchanges = exchanges,
                             .work = &s->work};
    return RS_OK;
}

void rs_value_family_refine(family *s)
{
    s->tol = RS_FAMILY_EXACT;
    s->sets[0].count = s->sets[1].count = -1;
}
