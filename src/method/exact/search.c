/* The proof for a set: which search is made, and for how long, from the problem
 * and the best set known. */
#include "method/exact/search.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "sets/copies.h"
#include "method/exact/branch.h"
#include "method/exact/claim.h"

/* A search looks at the clock itself, and then bounds what it has not searched.
 * So many seconds beyond its limit, and a share of that, whatever is under way
 * is broken off: nothing is known of it then. */
#define RS_GRACE_SECONDS 0.3
#define RS_GRACE_SHARE 0.05
/* So many features are searched for among ordered sets as well, where the other
 * search has not ended within this share of the time. */
#define RS_FEW_FEATURES 4
#define RS_TREE_TIME 0.5

/* what is to be proved */
typedef struct {
    rs_context *ctx;
    const rs_lsq *given;
    rs_lsq problem; /* without copies and features that no better set holds */
    rs_exact_settings settings;
    rs_exact_fit *fit;
    int candidates;       /* features that are not barred, */
    int open;             /* and how many of k are to choose among them */
    double bound;         /* what sets explain at most, as a share */
    int count, *set;      /* the set that was evaluated last; -1: none */
    rs_cdlsr_value value; /* of it */
    rs_clock clock;
} proof;

/* features that are not barred */
static void count_candidates(proof *s)
{
    s->candidates = 0;
    s->open = s->settings.k;
    for (int j = 0; j < s->problem.d; j++) {
        s->candidates += !s->problem.barred[j];
        s->open -= s->problem.first && s->problem.first[j];
    }
}

/* one feature of those that are copies of each other, if k are left */
static rs_status leave_out_copies(proof *s, const rs_lsq *problem)
{
    const unsigned char *distinct;
    int left = 0;
    s->problem = *problem;
    RS_TRY(rs_bar_copies(s->ctx, problem, s->settings.k, s->fit->feature,
                         &distinct));
    for (int j = 0; j < problem->d; j++)
        left += !distinct[j];
    if (left >= s->settings.k)
        s->problem.barred = distinct;
    count_candidates(s);
    return RS_OK;
}

/* the value of the set of the fit: once, however often it is asked for */
static rs_status evaluate_set(proof *s)
{
    const int count = s->fit->count;
    const size_t bytes = (size_t)count * sizeof(int);
    if (count == s->count && memcmp(s->set, s->fit->feature, bytes) == 0)
        return RS_OK;
    RS_TRY(rs_cdlsr_evaluate(s->ctx, &s->problem, count, s->fit->feature,
                             &s->value));
    memcpy(s->set, s->fit->feature, bytes);
    s->count = count;
    return RS_OK;
}

/* what the set that is known explains, whatever the caller says of it */
static rs_status evaluate_known(proof *s)
{
    RS_TRY(evaluate_set(s));
    s->fit->explained = s->value.explained * s->problem.total;
    return RS_OK;
}

/* nothing was searched: fewer than k features are independent, or there was no
 * time */
static void know_nothing(proof *s)
{
    s->fit->bound = s->problem.total;
    s->fit->complete = 0;
    s->fit->resolved = 1;
}

/* ---- searches --------------------------------------------------------------- */

/* all that a share of the time that is left allows is done within it; *late:
 * it was broken off */
typedef rs_status (*searcher)(proof *s);

static rs_status in_time(proof *s, double share, searcher search, int *late)
{
    rs_clock clock;
    const double left = share * fmax(rs_clock_left(&s->clock), 0.0);
    s->settings.time_limit = left;
    rs_clock_start(RS_GRACE_SECONDS + (1.0 + RS_GRACE_SHARE) * left, &clock);
    s->ctx->clock = &clock;
    const rs_status status = search(s);
    s->ctx->clock = NULL;
    *late = status == RS_LATE;
    return *late ? RS_OK : status;
}

/* by the perspective relaxation, with what an earlier search has opened */
static rs_status search_tree(proof *s)
{
    const rs_exact_settings *settings = &s->settings;
    rs_exact_shared *shared = settings->shared;
    rs_exact_fit *fit = s->fit;
    const double total = s->problem.total;
    const rs_tree_settings search = {.k = settings->k,
                                     .excluded = s->problem.barred,
                                     .fixed = s->problem.first,
                                     .tie = settings->tol,
                                     .seconds = settings->time_limit,
                                     .nodes = INFINITY,
                                     .report = settings->report,
                                     .report_state = settings->report_state};
    rs_tree_fit found = {.set = fit->feature, .bound = 1.0};
    if (!shared->tree) {
        RS_TRY(rs_subsets_init(s->ctx, s->given, settings->most,
                               &shared->subsets, &shared->bound));
        RS_TRY(rs_tree_open(s->ctx, s->problem.d, settings->most,
                            &shared->bound, &shared->tree));
    }
    RS_TRY(rs_subsets_open(s->problem.barred, &shared->subsets));
    if (!shared->subsets.able)
        return RS_OK;
    shared->subsets.k = settings->k;
    RS_TRY(rs_tree_search(&search, shared->tree, &found));
    fit->explained = found.value * total;
    fit->bound = fmin(found.bound, 1.0) * total;
    fit->complete = found.complete;
    fit->resolved = found.resolved;
    fit->nodes = found.nodes;
    fit->dropped = found.excluded;
    fit->joined = found.fixed;
    fit->trace = found.trace;
    s->bound = fmin(s->bound, found.bound);
    return RS_OK;
}

static rs_status search_ordered(proof *s)
{
    return rs_cdlsr_branch(s->ctx, &s->problem, &s->settings, s->fit);
}

/* the course of an earlier search comes first */
static void join_traces(const rs_bnb_trace *before, double started, proof *s)
{
    rs_bnb_trace now = s->fit->trace, *all = &s->fit->trace;
    *all = *before;
    for (int i = 0; i < now.count && all->count < RS_BNB_TRACE; i++) {
        all->seconds[all->count] = started + now.seconds[i];
        all->value[all->count] = now.value[i];
        all->bound[all->count] = fmin(now.bound[i], s->bound);
        all->count++;
    }
}

/* among ordered sets, for the time that is left */
static rs_status search_rest(proof *s)
{
    const rs_bnb_trace before = s->fit->trace;
    const double started = rs_clock_seconds(&s->clock);
    int late;
    RS_TRY(in_time(s, 1.0, search_ordered, &late));
    if (late) {
        know_nothing(s);
        return evaluate_known(s);
    }
    join_traces(&before, started, s);
    return RS_OK;
}

/* where cross-products have a splitting: with a ridge, or more samples */
static int may_split(const proof *s)
{
    return s->open > 2 &&
           (s->problem.ridge > 0.0 || s->problem.n > s->candidates);
}

static rs_status search(proof *s, const rs_lsq *problem)
{
    const int few = s->settings.k <= RS_FEW_FEATURES;
    int late;
    RS_TRY(leave_out_copies(s, problem));
    if (may_split(s))
        RS_TRY(in_time(s, few ? RS_TREE_TIME : 1.0, search_tree, &late));
    if (!s->fit->complete && s->fit->resolved &&
        s->bound > s->fit->explained / problem->total + s->settings.tol &&
        (few || !may_split(s)))
        RS_TRY(search_rest(s));
    return RS_OK;
}

/* what is known of all sets, by any of the searches */
static void conclude(proof *s)
{
    rs_exact_fit *fit = s->fit;
    const double total = s->problem.total;
    fit->bound = fmin(fit->bound, s->bound * total);
    if (fit->bound <= fit->explained + s->settings.tol * total)
        fit->complete = fit->resolved = 1;
    fit->bound = fmax(fit->complete ? 0.0 : fit->bound, fit->explained);
}

rs_status rs_cdlsr_exact(rs_context *ctx, const rs_lsq *problem,
                         const rs_exact_settings *settings, rs_exact_fit *fit)
{
    proof s = {
        .ctx = ctx,
        .given = problem,
        .settings = *settings,
        .fit = fit,
        .bound = 1.0,
        .problem = *problem,
        .count = -1,
        .set = rs_alloc_int(ctx, (size_t)rs_max_int(settings->k, fit->count))};
    RS_TRY_ALLOC(s.set);
    rs_clock_start(settings->time_limit, &s.clock);
    fit->nodes = fit->dropped = fit->joined = 0.0;
    fit->trace.count = 0;
    RS_TRY(evaluate_known(&s));
    know_nothing(&s);
    if (fit->count == settings->k) {
        RS_TRY(search(&s, problem));
        conclude(&s);
    }
    RS_TRY(evaluate_set(&s));
    RS_TRY(rs_cdlsr_claim(problem, settings, &s.value, fit));
    fit->seconds = rs_clock_seconds(&s.clock);
    return RS_OK;
}
