/* The search from a forward selection and from given sets. */
#include "method/set/find.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/set/near.h"

/* rounds of perturbations, each among the features near the best set so far */
#define RS_NEAR_ROUNDS 3

typedef struct {
    rs_find *fit;
    const rs_find_settings *settings;
    const rs_search_settings *wanted; /* of these */
    rs_search *search;
    rs_clock clock;
    int ends;
    int *set,
        *other;     /* k, or the size of a start: the present set; and room */
    double *course; /* of the present end */
    rs_near near;   /* of thousands of features; else of none */
} state;

/* the features of a regression, where products with all of them take longest */
static rs_status open_near(state *s)
{
    const rs_value_lsq *lsq = s->settings->lsq;
    if (!lsq || !lsq->single || lsq->problem->c == 0 || s->wanted->rules ||
        s->settings->sweeps || !s->wanted->exchange)
        return RS_OK;
    const int count = rs_lsq_few(lsq->problem, s->wanted->k);
    return count < lsq->problem->d
               ? rs_near_init(s->search->ctx, lsq->problem, count, &s->near)
               : RS_OK;
}

static rs_status init(rs_context *ctx, const rs_groups *groups,
                      const rs_value *value, state *s)
{
    const rs_find_settings *settings = s->settings;
    RS_ALLOC_INTS(ctx, (size_t)rs_max_int(s->wanted->k, settings->size),
                  &s->set, &s->other);
    s->course = rs_alloc_double(ctx, (size_t)s->wanted->maxit + 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_search_init(ctx, groups, value, s->wanted, s->search));
    rs_clock_start(settings->seconds, &s->clock);
    return open_near(s);
}

static rs_status move(const state *s, double *worth)
{
    const rs_value *of = s->search->of;
    return of->move(of->state, s->wanted->k, s->set, worth);
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
    const double least = s->wanted->tol * s->search->of->total;
    for (int i = 0; i < s->wanted->k; i++)
        fit->set[at + (size_t)i * s->ends] = s->set[i];
    fit->value[at] = worth;
    fit->sweeps[at] = rs_min_int(s->search->sweeps, s->wanted->maxit);
    fit->converged[at] = s->search->ending == RS_OK;
    if (at > 0 && !(worth > fit->value[fit->best] + least))
        return;
    fit->best = at;
    fit->ending = s->search->ending;
    memcpy(fit->last, s->set, (size_t)s->wanted->k * sizeof *s->set);
    rs_copy((size_t)s->wanted->maxit + 1, s->course, fit->course);
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
    } else if (s->wanted->exchange) {
        start_clock(s->settings->work, s);
        RS_TRY(end_clock(
            rs_search_exchange(s->search, s->wanted->k, s->set, &worth), s));
    }
    note_end(at, worth, s);
    return RS_OK;
}

/* sets of all sizes after exchanges among the features of largest merit */
static rs_status improve_near(state *s, rs_search_path *path)
{
    const int k = s->wanted->k;
    RS_TRY(rs_near_open(&s->near, s->wanted, 0));
    for (int size = 1; size <= k; size++)
        rs_near_renumber(size, s->near.place,
                         path->set + (size_t)k * (size - 1));
    const rs_status status = rs_search_improve(&s->near.among.search, 1, path);
    for (int size = 1; size <= k; size++)
        rs_near_renumber(size, s->near.feature,
                         path->set + (size_t)k * (size - 1));
    return status;
}

/* exchanges of all sizes that are asked for */
static rs_status improve(state *s, rs_search_path *path)
{
    rs_status status = RS_OK;
    start_clock(INFINITY, s);
    if (s->near.all && s->wanted->sizes)
        status = improve_near(s, path);
    if (status == RS_OK)
        status = rs_search_improve(
            s->search, s->wanted->sizes && !s->near.all ? 1 : s->wanted->k,
            path);
    s->fit->sizes = s->wanted->sizes && status != RS_LATE;
    return end_clock(status, s);
}

/* forward selection, then exchanges of all sizes */
static rs_status run_forward(state *s)
{
    rs_search_path *path = &s->fit->path;
    const size_t k = (size_t)s->wanted->k;
    s->search->merit = s->near.merit;
    RS_TRY(rs_search_grow(s->search, 0, (int)k, path->set + k * (k - 1),
                          path->forward, path->margin));
    s->search->merit = NULL;
    for (size_t size = 1; size < k; size++)
        memcpy(path->set + k * (size - 1), path->set + k * (k - 1),
               size * sizeof *path->set);
    rs_copy(k, path->forward, path->value);
    s->fit->sizes = s->wanted->sizes;
    s->search->sweeps = 0;
    s->course[0] = path->forward[k - 1];
    if (s->wanted->exchange)
        RS_TRY(improve(s, path));
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
    const int size = s->settings->size, k = s->wanted->k;
    memcpy(s->set, s->settings->start + (size_t)size * at,
           (size_t)size * sizeof *s->set);
    if (size > k)
        return rs_search_shrink(s->search, size, k, s->set);
    return size < k ? rs_search_grow(s->search, size, k, s->set,
                                     s->fit->path.value, NULL)
                    : RS_OK;
}

/* merit: the most that the set is worth where a feature takes the place of a member */
static rs_status judge(state *s)
{
    rs_search *all = s->search;
    const int k = s->wanted->k, d = s->near.all->d;
    double worth, *merit = s->near.merit;
    RS_TRY(move(s, &worth));
    rs_fill((size_t)d, -INFINITY, merit);
    for (int at = all->groups->included; at < k; at++) {
        RS_TRY(all->of->exchanges(all->of->state, at, all->value));
        for (int j = 0; j < d; j++)
            merit[j] = fmax(merit[j], all->value[j]);
    }
    for (int i = 0; i < k; i++)
        merit[s->set[i]] = INFINITY;
    return RS_OK;
}

/* a better set than the present one from perturbations among the features that are
 * near, with so much work for each round of them */
static rs_status perturb_near(state *s, double work, double *worth)
{
    const rs_value *of = s->search->of;
    const size_t bytes = (size_t)s->wanted->k * sizeof *s->set;
    for (int round = 0; round < RS_NEAR_ROUNDS; round++) {
        double found;
        RS_TRY(judge(s));
        memcpy(s->other, s->set, bytes);
        RS_TRY(rs_near_descend(&s->near, s->wanted, s->wanted->k, work,
                               s->other));
        RS_TRY(of->move(of->state, s->wanted->k, s->other, &found));
        RS_TRY(rs_search_exchange(s->search, s->wanted->k, s->other, &found));
        if (!(found > *worth + s->wanted->tol * of->total))
            break;
        memcpy(s->set, s->other, bytes);
        *worth = found;
    }
    return RS_OK;
}

/* better sets than the best one, from perturbed ones */
static rs_status perturb(state *s)
{
    rs_find *fit = s->fit;
    const size_t k = (size_t)s->wanted->k;
    double *worth = fit->value + fit->best;
    memcpy(s->set, fit->last, k * sizeof *s->set);
    s->search->course = fit->course;
    s->search->sweeps = fit->sweeps[fit->best];
    /* no regression explains more than all */
    const double all = s->search->of->total * (1.0 - RS_TIE);
    const int open = !s->settings->lsq || *worth < all;
    if (s->wanted->exchange && s->wanted->perturb > 0 && open) {
        const double work = s->settings->perturb_work;
        start_clock(s->near.all ? INFINITY : work, s);
        RS_TRY(end_clock(
            s->near.all ? perturb_near(s, work, worth)
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
               .wanted = &settings->search,
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
