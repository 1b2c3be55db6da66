#include "method/s2dfs.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"
#include "la/linalg.h"
#include "solve/sample_form.h"

/* on one set the ratio is settled to that relative change */
#define RS_S2DFS_SETTLED 1e-13
#define RS_S2DFS_SETTLE_MAXIT 100
/* features that enter by exchange are tried in the order of what they promise:
 * as many as take so many operations, and at least the second number of them,
 * unless these take more than the third */
#define RS_S2DFS_EXCHANGE_WORK 1e8
#define RS_S2DFS_EXCHANGE_LEAST 10
#define RS_S2DFS_EXCHANGE_MOST 1e9
/* relative gain below which an exchange, or another start, is none */
#define RS_S2DFS_GAIN 1e-9

typedef struct {
    rs_context *ctx;
    const rs_s2dfs_problem *p;
    rs_s2dfs_fit *fit;
    int n, d;
    rs_sample_form form;
    rs_trace_ws trace;
    double *a, *G;            /* N = -lambda I + (1 + lambda) F F' */
    double *total, *between;  /* d: diagonals of S_t, S_b */
    double *XV, *FXV;         /* n x m, c x m */
    double ratio;             /* of the present set */
    int *best, *trial;        /* k */
    int exchanges;            /* how many features are tried */
    double *promise, *work;   /* d */
    int *order;               /* d: those that may enter */
    double *share;            /* k */
    int *leaving;             /* k: places in `best`, the least score first */
    rs_history path, updates; /* of one start; of one trace problem */
} s2dfs_state;

static int affordable(const s2dfs_state *s)
{
    const double k = s->p->k, one = k * (s->n * k * k + 10.0 * k * k * k);
    const double count =
        fmax(RS_S2DFS_EXCHANGE_LEAST, floor(RS_S2DFS_EXCHANGE_WORK / one));
    if (count * one > RS_S2DFS_EXCHANGE_MOST)
        return 0;
    return count < s->d ? (int)count : s->d;
}

static rs_status init_state(rs_context *ctx, const rs_s2dfs_problem *p,
                            rs_s2dfs_fit *fit, s2dfs_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d;
    s->ctx = ctx;
    s->p = p;
    s->fit = fit;
    s->n = p->X->n;
    s->d = p->X->d;
    s->a = rs_alloc_double(ctx, n);
    s->G = rs_alloc_double(ctx, n * p->c);
    s->total = rs_alloc_double(ctx, d);
    s->between = rs_alloc_double(ctx, d);
    s->XV = rs_alloc_double(ctx, n * p->m);
    s->FXV = rs_alloc_double(ctx, (size_t)p->c * p->m);
    s->best = rs_alloc_int(ctx, (size_t)p->k);
    s->trial = rs_alloc_int(ctx, (size_t)p->k);
    s->promise = rs_alloc_double(ctx, d);
    s->work = rs_alloc_double(ctx, d);
    s->share = rs_alloc_double(ctx, (size_t)p->k);
    s->order = rs_alloc_int(ctx, d);
    s->leaving = rs_alloc_int(ctx, (size_t)p->k);
    s->exchanges = affordable(s);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &s->path));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &s->updates));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(rs_data_column_squares(p->X, s->total));
    RS_TRY(rs_data_product_squares(p->X, p->c, p->F, s->between));
    RS_TRY(rs_sample_form_init(ctx, p->X, p->k, p->m, s->a, p->c, s->G, NULL,
                               &s->form));
    const rs_trace_problem problem =
        rs_sample_form_trace(&s->form, p->ties, p->constant, p->first);
    return rs_trace_init(ctx, &problem, fit->subset, fit->V, fit->values,
                         fit->scores, &s->trace);
}

/* A = S_b - lambda S_w */
static void use_ratio(double lambda, s2dfs_state *s)
{
    rs_fill((size_t)s->n, -lambda, s->a);
    rs_copy((size_t)s->n * s->p->c, s->p->F, s->G);
    rs_scale((size_t)s->n * s->p->c, sqrt(1.0 + lambda), s->G);
    s->form.shift = 0.0;
}

static rs_status divide(double between, double within, double delta,
                        double *ratio)
{
    const double below = fmax(within, 0.0) + delta;
    if (!(below > 1e-14 * between))
        return between > 0.0 ? RS_SINGULAR : (*ratio = 0.0, RS_OK);
    *ratio = between / below;
    return RS_OK;
}

/* ---- m < k ---------------------------------------------------------------- */

static rs_status ratio_of_basis(s2dfs_state *s, double *ratio)
{
    const rs_s2dfs_problem *p = s->p;
    RS_TRY(
        rs_sample_form_components(s->fit->subset, s->fit->V, s->XV, &s->form));
    rs_crossprod(s->n, p->c, p->m, p->F, s->XV, s->FXV);
    double between = rs_sum_squares((size_t)p->c * p->m, s->FXV);
    double total = rs_sum_squares((size_t)s->n * p->m, s->XV);
    return divide(between, total - between, p->m * p->delta, ratio);
}

/* the best W on the present set: its ratio, from the one below it in s->ratio */
static rs_status settle(s2dfs_state *s)
{
    for (int it = 0; it < RS_S2DFS_SETTLE_MAXIT; it++) {
        const double last = s->ratio;
        use_ratio(last, s);
        rs_history_clear(&s->updates);
        RS_TRY(rs_trace_solve(&s->updates, &s->trace));
        RS_TRY(ratio_of_basis(s, &s->ratio));
        RS_TRY(rs_poll(s->ctx));
        if (s->ratio <= last * (1.0 + RS_S2DFS_SETTLED))
            return RS_OK;
    }
    return RS_OK;
}

/* the trace problem of the present ratio, from the present set */
static rs_status update_set(s2dfs_state *s)
{
    use_ratio(s->ratio, s);
    return rs_sample_form_climb(s->p->maxit, &s->updates, &s->form, &s->trace);
}

/* may the set in `trial` have a larger ratio than the best? */
static rs_status is_promising(s2dfs_state *s, int *answer)
{
    const double lambda = s->ratio;
    rs_trace_set(s->trial, &s->trace);
    rs_history_clear(&s->updates);
    RS_TRY(rs_trace_solve(&s->updates, &s->trace));
    *answer = -s->updates.objective[0] >
              s->p->m * lambda * s->p->delta * (1.0 + RS_S2DFS_GAIN);
    return RS_OK;
}

/* the features outside in the order of what they add to the trace next to the
 * best set, to second order: sum_c (a_j'w_c)^2 / |theta_c - a_jj| */
static void order_entering(s2dfs_state *s)
{
    for (int j = 0; j < s->d; j++) {
        const double own =
            s->between[j] - s->ratio * (s->total[j] - s->between[j]);
        double sum = 0.0;
        for (int c = 0; c < s->p->m; c++) {
            const double part = s->trace.AW[j + (size_t)s->d * c];
            const double gap = fabs(s->fit->values[c] - own);
            sum += part * part / fmax(gap, 1e-8 * s->total[j] + 1e-300);
        }
        s->promise[j] = s->trace.keep[j] || s->p->constant[j] ? -1.0 : sum;
    }
    rs_topk_order(s->d, s->promise, s->exchanges, s->order, s->work);
}

/* the features of the best set in the order of their part of the trace,
 * sum_c theta_c w_jc^2 */
static void order_leaving(s2dfs_state *s)
{
    const int k = s->p->k;
    double *share = s->share;
    for (int i = 0; i < k; i++) {
        share[i] = 0.0;
        for (int c = 0; c < s->p->m; c++) {
            const double v = s->fit->V[i + (size_t)k * c];
            share[i] -= s->fit->values[c] * v * v;
        }
    }
    rs_topk_order(k, share, k, s->leaving, s->work);
}

/* which features are exchanged first does not depend on the order of the
 * columns */
static rs_status order_exchanges(s2dfs_state *s)
{
    rs_trace_set(s->best, &s->trace);
    rs_history_clear(&s->updates);
    RS_TRY(rs_trace_solve(&s->updates, &s->trace));
    RS_TRY(rs_trace_project(&s->trace));
    order_entering(s);
    order_leaving(s);
    return RS_OK;
}

/* one feature of the best set for another; *improved: one such set was better,
 * and is now the present one */
static rs_status exchange(s2dfs_state *s, int *improved)
{
    const int k = s->p->k;
    const double last = s->ratio;
    *improved = 0;
    use_ratio(last, s);
    RS_TRY(order_exchanges(s));
    for (int at = 0; at < s->exchanges; at++)
        for (int i = 0; i < k && s->promise[s->order[at]] >= 0.0; i++) {
            int promising;
            if (s->p->first && s->p->first[s->best[s->leaving[i]]])
                continue;
            memcpy(s->trial, s->best, (size_t)k * sizeof(int));
            s->trial[s->leaving[i]] = s->order[at];
            RS_TRY(is_promising(s, &promising));
            RS_TRY(rs_poll(s->ctx));
            if (!promising)
                continue;
            RS_TRY(settle(s));
            *improved = s->ratio > last * (1.0 + RS_S2DFS_GAIN);
            if (*improved)
                return RS_OK;
            s->ratio = last;
            use_ratio(last, s);
        }
    return RS_OK;
}

static void keep_best(s2dfs_state *s)
{
    rs_history_add(&s->path, -s->ratio);
    memcpy(s->best, s->fit->subset, (size_t)s->p->k * sizeof(int));
}

/* the ratio from one start; it never falls */
static rs_status run_start(const int *start, s2dfs_state *s)
{
    rs_history_clear(&s->path);
    rs_trace_set(start, &s->trace);
    s->ratio = 0.0;
    RS_TRY(settle(s));
    keep_best(s);
    for (int it = 0; it < s->p->maxit; it++) {
        const double last = s->ratio;
        RS_TRY(update_set(s));
        RS_TRY(settle(s));
        int improved = s->ratio > last * (1.0 + s->p->tol);
        if (!improved && s->exchanges > 0) {
            s->ratio = last;
            RS_TRY(exchange(s, &improved));
        }
        if (!improved)
            return RS_OK;
        keep_best(s);
    }
    return RS_MAXIT;
}

/* the fit of the best start, once more, with its scores */
static rs_status finish(const int *subset, s2dfs_state *s)
{
    rs_trace_set(subset, &s->trace);
    s->ratio = -s->fit->history.objective[s->fit->history.count - 1];
    use_ratio(s->ratio, s);
    RS_TRY(rs_sample_form_solve(&s->updates, &s->form, &s->trace));
    RS_TRY(rs_trace_project(&s->trace));
    for (int c = 0; c < s->p->m; c++)
        s->fit->values[c] -= s->form.shift + s->ratio * s->p->delta;
    s->fit->ratio = s->ratio;
    return RS_OK;
}

static rs_status run_starts(s2dfs_state *s, int *kept)
{
    rs_status ended = RS_OK;
    for (int at = 0; at < s->p->count; at++) {
        rs_status status = run_start(s->p->starts + (size_t)s->p->k * at, s);
        if (!rs_is_usable(status))
            return status;
        const double ratio = -s->path.objective[s->path.count - 1];
        const rs_history *held = &s->fit->history;
        /* of equal ends the first is kept */
        if (at > 0 &&
            ratio <= -held->objective[held->count - 1] * (1.0 + RS_S2DFS_GAIN))
            continue;
        rs_history_clear(&s->fit->history);
        for (int i = 0; i < s->path.count; i++)
            rs_history_add(&s->fit->history, s->path.objective[i]);
        memcpy(kept, s->best, (size_t)s->p->k * sizeof(int));
        s->fit->start = at;
        ended = status;
    }
    return ended;
}

/* ---- m = k: sums of diagonals ---------------------------------------------- */

static rs_status ratio_of_set(s2dfs_state *s)
{
    double between = 0.0, within = 0.0;
    for (int i = 0; i < s->p->k; i++) {
        const int j = s->fit->subset[i];
        between += s->between[j];
        within += fmax(0.0, s->total[j] - s->between[j]);
    }
    return divide(between, within, s->p->k * s->p->delta, &s->ratio);
}

/* diag(S_b - lambda S_w), zero where it is rounding */
static double gain_of_feature(const s2dfs_state *s, int j, double lambda)
{
    const double between = s->between[j];
    const double gain = between - lambda * fmax(0.0, s->total[j] - between);
    return fabs(gain) <= RS_CHOOSE_TIE * between ? 0.0 : gain;
}

/* lambda, then the k largest diag(S_b - lambda S_w), until lambda stays */
static rs_status sort_features(s2dfs_state *s)
{
    rs_trace_set(s->p->starts, &s->trace);
    RS_TRY(ratio_of_set(s));
    rs_history_add(&s->fit->history, -s->ratio);
    for (int it = 0; it < s->p->maxit; it++) {
        const double last = s->ratio;
        memcpy(s->best, s->fit->subset, (size_t)s->p->k * sizeof(int));
        for (int j = 0; j < s->d; j++)
            s->fit->scores[j] = gain_of_feature(s, j, last);
        RS_TRY(rs_trace_choose(&s->trace));
        RS_TRY(ratio_of_set(s));
        if (!(s->ratio > last * (1.0 + RS_S2DFS_SETTLED))) {
            rs_trace_set(s->best, &s->trace);
            s->fit->ratio = last;
            return RS_OK;
        }
        rs_history_add(&s->fit->history, -s->ratio);
    }
    s->fit->ratio = s->ratio;
    return RS_MAXIT;
}

rs_status rs_s2dfs(rs_context *ctx, const rs_s2dfs_problem *p,
                   rs_s2dfs_fit *fit)
{
    s2dfs_state s;
    RS_TRY(init_state(ctx, p, fit, &s));
    fit->start = 0;
    fit->is_global = p->m == p->k;
    if (fit->is_global) {
        rs_status status = sort_features(&s);
        if (!rs_is_usable(status))
            return status;
        use_ratio(fit->ratio, &s);
        RS_TRY(rs_trace_solve(&s.updates, &s.trace));
        return status;
    }
    int *kept = rs_alloc_int(ctx, (size_t)p->k);
    RS_TRY(rs_allocated(ctx));
    rs_status status = run_starts(&s, kept);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(finish(kept, &s));
    return status;
}
