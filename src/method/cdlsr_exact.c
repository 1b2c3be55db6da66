#include "method/cdlsr_exact.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/copies.h"
#include "method/cdlsr_branch.h"
#include "method/cdlsr_claim.h"
#include "method/cdlsr_relax.h"
#include "method/cdlsr_tree.h"
#include "method/cdlsr_triples.h"

/*
 * Share of the time limit that the additive bound may take before a search,
 * seconds that it may take in any case, and operations in a second, at least.
 */
#define RS_RELAX_SHARE 0.1
#define RS_RELAX_SECONDS 0.05
/* A search looks at the clock itself, and then bounds what it has not searched.
 * So many seconds beyond its limit, and a share of that, whatever is under way
 * is broken off: nothing is known of it then. */
#define RS_GRACE_SECONDS 0.3
#define RS_GRACE_SHARE 0.05
#define RS_RELAX_RATE 2e9

/* what is to be proved, and the bound that adds up over features */
typedef struct {
    rs_context *ctx;
    rs_lsq problem; /* without copies and features that no better set holds */
    unsigned char *barred;
    rs_exact_settings settings;
    rs_exact_fit *fit;
    rs_additive additive; /* most = 1: nothing is known */
    int count, *set;      /* the set that was evaluated last; -1: none */
    rs_cdlsr_value value; /* of it */
    rs_clock clock;
} proof;

/* a limit for what is under way, from now on */
static void limit_time(proof *s, double time, rs_clock *clock)
{
    rs_clock_start(time, clock);
    s->ctx->clock = clock;
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

static double enough(const proof *s)
{
    return s->fit->explained / s->problem.total + s->settings.tol;
}

/* features that no better set holds are barred; those of the set itself stay */
static rs_status bar_hopeless(proof *s, rs_cdlsr_relax *relax)
{
    unsigned char *hopeless =
        (unsigned char *)rs_alloc(s->ctx, (size_t)relax->d, 1);
    unsigned char *barred =
        (unsigned char *)rs_alloc(s->ctx, (size_t)s->problem.d, 1);
    RS_TRY(rs_allocated(s->ctx));
    memcpy(barred, s->problem.barred, (size_t)s->problem.d);
    rs_cdlsr_relax_eliminate(relax, enough(s), hopeless);
    for (int q = 0; q < relax->d; q++)
        barred[relax->list[q]] = hopeless[q];
    for (int i = 0; i < s->settings.k; i++)
        barred[s->fit->feature[i]] = 0;
    s->problem.barred = barred;
    return RS_OK;
}

static rs_status find_additive(proof *s, double time, rs_cdlsr_relax *relax)
{
    int able;
    RS_TRY(rs_cdlsr_relax_init(s->ctx, &s->problem, s->settings.k,
                               time * RS_RELAX_RATE, relax, &able));
    return able ? rs_cdlsr_relax_run(relax, s->fit->feature, enough(s))
                : RS_OK;
}

/* the additive bound, for so many seconds */
static rs_status relax_sets(proof *s, double time)
{
    const size_t all = (size_t)s->problem.d;
    rs_cdlsr_relax relax;
    rs_clock clock;
    limit_time(s, time, &clock);
    rs_status status = find_additive(s, time, &relax);
    s->ctx->clock = NULL;
    if (status != RS_LATE)
        RS_TRY(status);
    if (!(relax.best.most < 1.0))
        return RS_OK;
    s->additive = relax.best;
    s->additive.weight = rs_alloc_double(s->ctx, all);
    RS_TRY_ALLOC(s->additive.weight);
    rs_fill(all, 0.0, s->additive.weight);
    for (int q = 0; q < relax.d; q++)
        s->additive.weight[relax.list[q]] = relax.best.weight[q];
    return bar_hopeless(s, &relax);
}

/* the bound of a search beside the additive one */
static void keep_lower(proof *s)
{
    rs_exact_fit *fit = s->fit;
    const double total = s->problem.total;
    if (s->additive.most <= enough(s))
        fit->complete = fit->resolved = 1;
    fit->bound = fmin(fit->bound, s->additive.most * total);
    if (fit->complete)
        fit->bound = fit->explained;
    fit->bound = fmax(fit->bound, fit->explained);
}

/* fewer than k features are independent, or there was no time: nothing was
 * searched */
static void know_nothing(proof *s)
{
    s->fit->nodes = 0.0;
    s->fit->bound = s->problem.total;
    s->fit->complete = 0;
    s->fit->resolved = 1;
}

typedef rs_status (*searcher)(rs_context *, const rs_lsq *,
                              const rs_exact_settings *, rs_exact_fit *);

/* the search, for the time that is left */
static rs_status search_in_time(proof *s, searcher search)
{
    rs_clock clock;
    const double left = fmax(rs_clock_left(&s->clock), 0.0);
    s->settings.time_limit = left;
    limit_time(s, RS_GRACE_SECONDS + (1.0 + RS_GRACE_SHARE) * left, &clock);
    rs_status status = search(s->ctx, &s->problem, &s->settings, s->fit);
    s->ctx->clock = NULL;
    if (status != RS_LATE)
        return status;
    know_nothing(s);
    return evaluate_known(s);
}

/* sets of three have a search of their own, which seldom needs more */
static rs_status prove_three(proof *s)
{
    RS_TRY(search_in_time(s, rs_cdlsr_triples));
    if (s->fit->complete)
        return RS_OK;
    return relax_sets(s, RS_RELAX_SECONDS);
}

static rs_status prove_more(proof *s)
{
    RS_TRY(relax_sets(s, RS_RELAX_SECONDS +
                             RS_RELAX_SHARE * s->settings.time_limit));
    know_nothing(s);
    if (s->additive.most <= enough(s))
        return RS_OK;
    if (s->additive.most < 1.0)
        s->settings.additive = &s->additive;
    return search_in_time(s, rs_cdlsr_branch);
}

static rs_status grow_tree(proof *s, int *able)
{
    rs_clock clock;
    const double left = fmax(rs_clock_left(&s->clock), 0.0);
    s->settings.time_limit = left;
    limit_time(s, RS_GRACE_SECONDS + (1.0 + RS_GRACE_SHARE) * left, &clock);
    s->fit->nodes = 0.0;
    rs_status status =
        rs_cdlsr_tree(s->ctx, &s->problem, &s->settings, able, s->fit);
    s->ctx->clock = NULL;
    return status;
}

static rs_status search(proof *s, const rs_lsq *problem)
{
    int able = 0;
    RS_TRY(leave_out_copies(s, problem));
    if (s->settings.k > 2 && (problem->ridge > 0.0 || problem->n > problem->d))
        RS_TRY(grow_tree(s, &able));
    if (able)
        return RS_OK;
    if (s->settings.k < 3)
        return search_in_time(s, rs_cdlsr_branch);
    RS_TRY(s->settings.k == 3 ? prove_three(s) : prove_more(s));
    keep_lower(s);
    return RS_OK;
}

rs_status rs_cdlsr_exact(rs_context *ctx, const rs_lsq *problem,
                         const rs_exact_settings *settings, rs_exact_fit *fit)
{
    proof s;
    memset(&s, 0, sizeof s);
    s.ctx = ctx;
    s.settings = *settings;
    s.settings.additive = NULL;
    s.fit = fit;
    s.additive.most = 1.0;
    s.problem = *problem;
    s.count = -1;
    s.set = rs_alloc_int(ctx, (size_t)rs_max_int(settings->k, fit->count));
    RS_TRY_ALLOC(s.set);
    rs_clock_start(settings->time_limit, &s.clock);
    RS_TRY(evaluate_known(&s));
    if (fit->count == settings->k)
        RS_TRY(search(&s, problem));
    else
        know_nothing(&s);
    RS_TRY(evaluate_set(&s));
    RS_TRY(rs_cdlsr_claim(problem, settings, &s.value, fit));
    fit->seconds = rs_clock_seconds(&s.clock);
    return RS_OK;
}
