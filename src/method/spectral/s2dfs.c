#include "method/spectral/spectral.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"
#include "sets/search.h"
#include "sets/value_trace.h"

/* exchanges are for so many features at most, fewer where their columns take
 * more numbers, in sets of up to so many; and end after so many operations */
#define RS_S2DFS_CANDIDATES 1000
#define RS_S2DFS_COLUMNS 4e7
#define RS_S2DFS_LARGEST 200
#define RS_S2DFS_EXCHANGE_WORK 2e11
/* perturbed sets in a row that lead to no better one */
#define RS_S2DFS_PERTURB 3

/* the best set and the candidates to take its places */
typedef struct {
    int size;               /* of the pool; 0: no exchanges */
    int proved;             /* candidates none of which improves the set */
    int *members;           /* size: the best set first */
    double *columns;        /* n x size */
    double *means;          /* c x size */
    double *gram, *A;       /* size x size */
    double *promise, *work; /* d */
    double *part;           /* k */
    int *trial, *set;       /* k */
    rs_covop op;            /* A as an operator */
    rs_groups groups;
    int *include; /* k: of the groups */
    rs_value_trace trace;
    rs_search_settings settings;
    rs_search search;
} exchange_pool;

typedef struct {
    rs_context *ctx;
    const rs_s2dfs_problem *p;
    rs_s2dfs_fit *fit;
    int n, d, k, m;
    rs_projection base;
    double *a, *G;           /* N = -lambda I + (1 + lambda) F F' */
    double *total, *between; /* d: diagonals of S_t, S_b */
    double *FXV;             /* c x m */
    double ratio;            /* of the present set */
    int *kept;               /* k: the best set of all starts */
    exchange_pool pool;
    rs_history path; /* of one start */
} s2dfs_state;

static rs_status init_exchanges(s2dfs_state *s)
{
    rs_context *ctx = s->ctx;
    exchange_pool *t = &s->pool;
    const int k = s->k;
    const double most =
        fmin(fmin(RS_S2DFS_CANDIDATES, s->d - k), RS_S2DFS_COLUMNS / s->n - k);
    const int candidates =
        s->m < k && k <= RS_S2DFS_LARGEST ? (int)fmax(most, 0.0) : 0;
    const size_t q = (size_t)k + candidates;
    if (candidates == 0)
        return RS_OK;
    t->size = (int)q;
    t->members = rs_alloc_int(ctx, q);
    t->columns = rs_alloc_double(ctx, (size_t)s->n * q);
    t->means = rs_alloc_double(ctx, (size_t)s->p->c * q);
    RS_ALLOC_DOUBLES(ctx, q * q, &t->gram, &t->A);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d, &t->promise, &t->work);
    t->part = rs_alloc_double(ctx, (size_t)k);
    RS_ALLOC_INTS(ctx, (size_t)k, &t->trial, &t->set, &t->include);
    RS_TRY(rs_allocated(ctx));
    rs_fill(q * q, 0.0, t->A);
    RS_TRY(rs_covop_from_matrix(ctx, t->size, t->A, s->m, &t->op));
    RS_TRY(rs_groups_of_one(ctx, t->size, t->op.diagonal, NULL, NULL,
                            &t->groups));
    t->groups.include = t->include;
    RS_TRY(rs_value_trace_init(ctx, &t->op, &t->groups, k, s->m, &t->trace));
    t->settings = (rs_search_settings){
        .k = k, .perturb = RS_S2DFS_PERTURB, .maxit = INT_MAX, .tol = RS_TIE};
    return rs_search_init(ctx, &t->groups, &t->trace.as_value, &t->settings,
                          &t->search);
}

static rs_status init_state(rs_context *ctx, const rs_s2dfs_problem *p,
                            rs_s2dfs_fit *fit, s2dfs_state *s)
{
    rs_data *X = p->base.X;
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    *s = (s2dfs_state){.ctx = ctx,
                       .p = p,
                       .fit = fit,
                       .n = X->n,
                       .d = X->d,
                       .k = p->base.k,
                       .m = p->base.m};
    s->a = rs_alloc_double(ctx, n);
    s->G = rs_alloc_double(ctx, n * p->c);
    RS_ALLOC_DOUBLES(ctx, d, &s->total, &s->between);
    s->FXV = rs_alloc_double(ctx, (size_t)p->c * s->m);
    s->kept = rs_alloc_int(ctx, (size_t)s->k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(init_exchanges(s));
    RS_TRY(rs_history_init(ctx, p->base.maxit + 1, &s->path));
    RS_TRY(rs_data_column_squares(X, s->total));
    RS_TRY(rs_data_product_squares(X, p->c, p->F, s->between));
    return rs_projection_init(ctx, &p->base, s->a, p->c, s->G, NULL,
                              &fit->base, &s->base);
}

/* A = S_b - lambda S_w */
static void use_ratio(double lambda, s2dfs_state *s)
{
    rs_fill((size_t)s->n, -lambda, s->a);
    rs_copy((size_t)s->n * s->p->c, s->p->F, s->G);
    rs_scale((size_t)s->n * s->p->c, sqrt(1.0 + lambda), s->G);
}

/* the best W on the present set for A as it is: its ratio */
static rs_status measure(s2dfs_state *s)
{
    const int m = s->m, c = s->p->c;
    RS_TRY(rs_projection_solve(&s->base));
    rs_crossprod(s->n, c, m, s->p->F, s->base.XV, s->FXV);
    const double above = rs_sum_squares((size_t)c * m, s->FXV);
    const double total = rs_sum_squares((size_t)s->n * m, s->base.XV);
    const double below = fmax(total - above, 0.0) + m * s->p->delta;
    const int is_zero = !(below > 1e-14 * above);
    s->ratio = is_zero ? 0.0 : above / below;
    return is_zero && above > 0.0 ? RS_SINGULAR : RS_OK;
}

/* the best W on the present set: its ratio, from the one below it in s->ratio */
static rs_status solve_basis(s2dfs_state *s)
{
    for (int it = 0; it < RS_INNER_STEPS; it++) {
        const double last = s->ratio;
        use_ratio(last, s);
        RS_TRY(measure(s));
        RS_TRY(rs_poll(s->ctx));
        if (s->ratio <= last * (1.0 + RS_ROUNDING))
            return RS_OK;
    }
    return RS_OK;
}

/* The members: the best set, whose places are tried in the order of their parts
 * of the trace, sum_c theta_c w_jc^2, the largest first, as neither the order of
 * the columns may decide, nor variances, which are equal in scaled data; and the
 * features outside that add most to the trace next to it, to second order:
 * sum_c (a_j'w_c)^2 / |theta_c - a_jj|. Returns their number */
static int list_members(s2dfs_state *s)
{
    exchange_pool *t = &s->pool;
    const int k = s->k, d = s->d;
    int live = k;
    for (int j = 0, i = 0; j < d; j++) {
        const int inside = s->base.trace.keep[j];
        const double own =
            s->between[j] - s->ratio * (s->total[j] - s->between[j]);
        double *part = inside ? t->part + i : t->promise + j;
        *part = 0.0;
        for (int c = 0; c < s->m; c++) {
            const double theta = s->fit->base.values[c];
            const double a = s->base.trace.AW[j + (size_t)d * c];
            const double v = inside ? s->fit->base.V[i + (size_t)k * c] : 0.0;
            const double gap =
                fmax(fabs(theta - own), 1e-8 * s->total[j] + 1e-300);
            *part += inside ? theta * v * v : a * a / gap;
        }
        if (inside || s->p->base.constant[j])
            t->promise[j] = -1.0;
        i += inside;
    }
    rs_topk_order(k, t->part, k, t->set, t->work);
    for (int i = 0; i < k; i++)
        t->members[i] = s->base.best[t->set[i]];
    rs_topk_order(d, t->promise, t->size - k, t->members + k, t->work);
    while (live < t->size && t->promise[t->members[live]] >= 0.0)
        live++;
    return live;
}

/* the members, their columns and cross-products */
static rs_status choose_members(s2dfs_state *s)
{
    exchange_pool *t = &s->pool;
    use_ratio(s->ratio, s);
    rs_trace_set(s->base.best, &s->base.trace);
    RS_TRY(measure(s));
    RS_TRY(rs_trace_project(&s->base.trace));
    const int live = list_members(s);
    t->op.d = t->groups.count = live;
    RS_TRY(rs_data_columns(s->p->base.X, live, t->members, 0, t->columns));
    RS_TRY(rs_poll(s->ctx));
    RS_TRY(rs_gemm_polled(s->ctx, 'T', 'N', live, live, s->n, 1.0, t->columns,
                          s->n, t->columns, s->n, 0.0, t->gram, live));
    rs_symmetrise(live, t->gram);
    return rs_gemm_polled(s->ctx, 'T', 'N', s->p->c, live, s->n, 1.0, s->p->F,
                          s->n, t->columns, s->n, 0.0, t->means, s->p->c);
}

/* A = (1 + lambda) (F'X)'F'X - lambda X'X of the members */
static rs_status form_members(s2dfs_state *s)
{
    exchange_pool *t = &s->pool;
    const int q = t->op.d;
    rs_copy((size_t)q * q, t->gram, t->A);
    RS_TRY(rs_gemm_polled(s->ctx, 'T', 'N', q, q, s->p->c, 1.0 + s->ratio,
                          t->means, s->p->c, t->means, s->p->c, -s->ratio,
                          t->A, q));
    rs_symmetrise(q, t->A);
    for (int i = 0; i < q; i++)
        t->op.diagonal[i] = t->A[i + (size_t)i * q];
    return RS_OK;
}

/* A search at the present ratio from the set in s->pool.trial, as places among the
 * members; step 0: by exchanges, 1: until no other is left, 2: from perturbed
 * sets. *improved: the ratio of the set is larger */
static rs_status search_once(double work, int step, int *improved,
                             s2dfs_state *s)
{
    exchange_pool *t = &s->pool;
    rs_value *of = &t->trace.as_value;
    const unsigned char *first = s->p->base.first;
    const double last = s->ratio;
    double before, worth;
    RS_TRY(form_members(s));
    /* of k features between the classes, at most */
    of->total = s->k * rs_largest(s->d, s->between);
    of->exceeds = step == 1 ? rs_trace_exceeds : NULL;
    t->groups.included = 0;
    for (int i = 0; i < s->k; i++)
        if (first && first[t->members[t->trial[i]]])
            t->include[t->groups.included++] = t->trial[i];
    RS_TRY(of->move(&t->trace, 0, t->trial, &before)); /* A is new */
    RS_TRY(of->move(&t->trace, s->k, t->trial, &before));
    worth = before;
    t->search.end = t->trace.work + work;
    RS_TRY(step < 2 ? rs_search_exchange(&t->search, s->k, t->trial, &worth)
                    : rs_search_perturb(&t->search, s->k, t->trial, &worth));
    *improved = 0;
    if (!(worth > before))
        return RS_OK;
    for (int i = 0; i < s->k; i++)
        t->set[i] = t->members[t->trial[i]];
    rs_trace_set(t->set, &s->base.trace);
    RS_TRY(solve_basis(s));
    *improved = s->ratio > last;
    return RS_OK;
}

/* single features of the best set for candidates, until no exchange raises the
 * ratio; *improved: some did, and the present set is the last one */
static rs_status exchange(s2dfs_state *s, int *improved)
{
    exchange_pool *t = &s->pool;
    const double last = s->ratio;
    const double *work = &t->trace.work;
    const double end = *work + RS_S2DFS_EXCHANGE_WORK;
    RS_TRY(choose_members(s));
    *improved = 0;
    for (int i = 0; i < s->k; i++)
        t->trial[i] = i;
    for (int step = 0, again; step < 3 && *work < end;
         step = again ? 0 : step + 1) {
        RS_TRY(search_once(end - *work, step, &again, s));
        *improved |= again;
    }
    *improved = *improved && s->ratio > last;
    if (!*improved) {
        s->ratio = last;
        t->proved = *work < end ? t->op.d - s->k : 0;
    }
    return RS_OK;
}

/* the ratio from one start; it never falls */
static rs_status run_start(const int *start, s2dfs_state *s)
{
    rs_history_clear(&s->path);
    rs_trace_set(start, &s->base.trace);
    s->ratio = 0.0;
    s->pool.proved = 0;
    RS_TRY(solve_basis(s));
    for (int it = 0;; it++) {
        const double last = s->ratio;
        rs_history_add(&s->path, -last);
        rs_projection_keep(&s->base);
        if (it == s->p->base.maxit)
            return RS_MAXIT;
        use_ratio(last, s);
        RS_TRY(rs_projection_climb(&s->base));
        RS_TRY(solve_basis(s));
        int improved = s->ratio > last * (1.0 + s->p->base.tol);
        if (!improved && s->pool.size > 0) {
            s->ratio = last;
            RS_TRY(exchange(s, &improved));
        }
        if (!improved)
            return RS_OK;
    }
}

/* the fit of the best start, once more, with its scores; where the ratio is
 * separable diag(S_b - lambda S_w), zero where that is rounding */
static rs_status finish(s2dfs_state *s)
{
    rs_trace_set(s->kept, &s->base.trace);
    s->ratio = -rs_history_last(&s->fit->base.history);
    use_ratio(s->ratio, s);
    RS_TRY(rs_projection_score(&s->base));
    for (int c = 0; c < s->m; c++)
        s->fit->base.values[c] -= s->base.form.shift + s->ratio * s->p->delta;
    s->fit->ratio = s->ratio;
    for (int j = 0; j < s->d && s->m == s->k; j++) {
        const double between = s->between[j];
        const double gain =
            between - s->ratio * fmax(0.0, s->total[j] - between);
        s->fit->base.scores[j] =
            fabs(gain) <= RS_CHOOSE_TIE * between ? 0.0 : gain;
    }
    return RS_OK;
}

static rs_status run_starts(s2dfs_state *s)
{
    rs_status ended = RS_OK;
    rs_history *held = &s->fit->base.history;
    for (int at = 0; at < s->p->count; at++) {
        rs_status status = run_start(s->p->starts + (size_t)s->k * at, s);
        if (!rs_is_usable(status))
            return status;
        const double ratio = -rs_history_last(&s->path);
        /* of equal ends the first is kept */
        if (at > 0 && ratio <= -rs_history_last(held) * (1.0 + RS_TIE))
            continue;
        const rs_history path = s->path;
        s->path = *held;
        *held = path;
        memcpy(s->kept, s->base.best, (size_t)s->k * sizeof(int));
        s->fit->start = at;
        s->fit->candidates = s->pool.proved;
        ended = status;
    }
    return ended;
}

rs_status rs_s2dfs(rs_context *ctx, const rs_s2dfs_problem *p,
                   rs_s2dfs_fit *fit)
{
    s2dfs_state s;
    RS_TRY(init_state(ctx, p, fit, &s));
    rs_status status = run_starts(&s);
    if (rs_is_usable(status))
        RS_TRY(finish(&s));
    return status;
}
