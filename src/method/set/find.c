/* The search from a forward selection and from given sets. */
#include "method/set/find.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/set/near.h"

typedef struct {
    rs_find *fit;
    const rs_find_settings *settings;
    rs_search *search;
    rs_clock clock;
    int ends;
    int *set;       /* k, or the size of a start: the present set */
    double *course; /* of the present end */
    rs_near *near;  /* of thousands of features; else NULL */
} state;

/* the features of a regression, where products with all of them take longest */
static rs_status open_near(state *s)
{
    const rs_search_settings *wanted = &s->fit->wanted;
    const rs_value_lsq *lsq = s->settings->lsq;
    s->near = NULL;
    if (!lsq || !lsq->single || lsq->problem->c == 0 || wanted->rules ||
        s->settings->sweeps || !wanted->exchange)
        return RS_OK;
    const int count = rs_lsq_few(lsq->problem, wanted->k);
    if (count == lsq->problem->d)
        return RS_OK;
    s->near = rs_alloc(s->search->ctx, 1, sizeof *s->near);
    RS_TRY_ALLOC(s->near);
    return rs_near_init(s->search->ctx, lsq->problem, count, s->near);
}

static rs_status init(rs_context *ctx, const rs_groups *groups,
                      const rs_value *value, state *s)
{
    const rs_find_settings *settings = s->settings;
    rs_search_settings *wanted = &s->fit->wanted;
    const int k = settings->search.k, most = rs_max_int(k, settings->size);
    *wanted = settings->search;
    wanted->k = most;
    s->set = rs_alloc_int(ctx, (size_t)most);
    s->course = rs_alloc_double(ctx, (size_t)wanted->maxit + 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_search_init(ctx, groups, value, wanted, s->search));
    wanted->k = k;
    rs_clock_start(settings->seconds, &s->clock);
    return open_near(s);
}

static rs_status move(const state *s, double *worth)
{
    const rs_value *of = s->search->of;
    return of->move(of->state, s->settings->search.k, s->set, worth);
}

/* from here to end_clock() steps end, and keep their sets, when time is over or so
 * much work is done */
static void start_clock(double work, state *s)
{
    const rs_value *of = s->search->of;
    s->search->end = of->work ? *of->work + work : work;
    s->search->ctx->clock = &s->clock;
}

static rs_status end_clock(rs_status status, state *s)
{
    s->search->ctx->clock = NULL;
    return status == RS_LATE ? RS_OK : status;
}

/* the present set, as end number `at` */
static void note_end(int at, double worth, state *s)
{
    rs_find *fit = s->fit;
    const rs_search_settings *wanted = &s->settings->search;
    const double least = wanted->tol * s->search->of->total;
    for (int i = 0; i < wanted->k; i++)
        fit->set[at + (size_t)i * s->ends] = s->set[i];
    fit->value[at] = worth;
    fit->sweeps[at] = rs_min_int(s->search->sweeps, wanted->maxit);
    fit->converged[at] = s->search->ending == RS_OK;
    if (at > 0 && !(worth > fit->value[fit->best] + least))
        return;
    fit->best = at;
    fit->ending = s->search->ending;
    memcpy(fit->last, s->set, (size_t)wanted->k * sizeof *s->set);
    rs_copy((size_t)wanted->maxit + 1, s->course, fit->course);
    fit->course[fit->sweeps[at]] = worth;
}

/* from the present set, to end number `at` */
static rs_status descend(int at, state *s)
{
    double worth;
    s->search->sweeps = 0;
    s->search->ending = RS_OK;
    RS_TRY(move(s, &worth));
    s->course[0] = worth;
    if (s->settings->sweeps) {
        RS_TRY(rs_cd_sweeps(s->settings, s->search, s->set));
        RS_TRY(move(s, &worth));
    } else if (s->fit->wanted.exchange) {
        start_clock(s->settings->work, s);
        RS_TRY(end_clock(rs_search_exchange(s->search, s->settings->search.k,
                                            s->set, &worth),
                         s));
    }
    note_end(at, worth, s);
    return RS_OK;
}

/* exchanges of all sizes that are asked for; *done = 0: time was over before */
static rs_status improve(state *s, rs_search_path *path, int *done)
{
    const rs_search_settings *wanted = &s->fit->wanted;
    const int all = wanted->sizes && !s->near;
    rs_status status = RS_OK;
    start_clock(INFINITY, s);
    if (s->near && wanted->sizes)
        status = rs_near_improve(s->near, wanted, path);
    if (status == RS_OK)
        status = rs_search_improve(s->search, all ? 1 : wanted->k, path);
    *done = status != RS_LATE;
    return end_clock(status, s);
}

/* forward selection, then exchanges of all sizes */
static rs_status run_forward(state *s)
{
    rs_search_path *path = &s->fit->path;
    const size_t k = (size_t)s->fit->wanted.k;
    int done = 1;
    if (s->near)
        s->search->merit = s->near->merit;
    RS_TRY(rs_search_forward(s->search, path));
    s->search->merit = NULL;
    s->search->sweeps = 0;
    s->course[0] = path->forward[k - 1];
    if (s->fit->wanted.exchange)
        RS_TRY(improve(s, path, &done));
    s->fit->sizes = s->fit->wanted.sizes && done;
    memcpy(s->set, path->set + k * (k - 1), k * sizeof *s->set);
    if (s->settings->sweeps)
        return descend(0, s);
    note_end(0, path->value[k - 1], s);
    return RS_OK;
}

/* starting set number `at`, of k units: with the best ones beside it, or without
 * those that tell least */
static rs_status load_start(int at, state *s)
{
    const int size = s->settings->size, k = s->settings->search.k;
    memcpy(s->set, s->settings->start + (size_t)size * at,
           (size_t)size * sizeof *s->set);
    if (size > k)
        return rs_search_shrink(s->search, size, k, s->set);
    return size < k ? rs_search_grow(s->search, size, k, s->set,
                                     s->fit->path.value, NULL)
                    : RS_OK;
}

/* better sets than the best one, from perturbed ones */
static rs_status perturb(state *s)
{
    rs_find *fit = s->fit;
    const size_t k = (size_t)s->settings->search.k;
    double *worth = fit->value + fit->best;
    memcpy(s->set, fit->last, k * sizeof *s->set);
    s->search->course = fit->course;
    s->search->sweeps = fit->sweeps[fit->best];
    /* no regression explains more than all */
    const double all = s->search->of->total * (1.0 - RS_TIE);
    const int open = !s->settings->lsq || *worth < all;
    if (s->fit->wanted.exchange && s->fit->wanted.perturb > 0 && open) {
        const double work = s->settings->perturb_work;
        start_clock(s->near ? INFINITY : work, s);
        RS_TRY(end_clock(
            s->near ? rs_near_perturb(s->near, s->search, (int)k, work, s->set,
                                      worth)
                    : rs_search_perturb(s->search, (int)k, s->set, worth),
            s));
    }
    for (size_t i = 0; i < k; i++)
        fit->set[fit->best + i * s->ends] = fit->last[i] = s->set[i];
    fit->course[fit->sweeps[fit->best]] = *worth;
    return RS_OK;
}

rs_status rs_find_sets(rs_context *ctx, const rs_groups *groups,
                       const rs_value *value, const rs_find_settings *settings,
                       rs_find *fit)
{
    state s = {.fit = fit,
               .settings = settings,
               .search = &fit->search,
               .ends = settings->forward + settings->starts};
    fit->best = fit->sizes = 0;
    RS_TRY(init(ctx, groups, value, &s));
    s.search->course = s.course;
    if (settings->forward)
        RS_TRY(run_forward(&s));
    for (int i = 0; i < settings->starts; i++) {
        RS_TRY(load_start(i, &s));
        RS_TRY(descend(settings->forward + i, &s));
    }
    return perturb(&s);
}
