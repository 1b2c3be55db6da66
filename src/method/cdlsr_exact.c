#include "method/cdlsr_exact.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "la/linalg.h"
#include "solve/accurate.h"
#include "solve/copies.h"
#include "method/cdlsr_branch.h"
#include "method/cdlsr_relax.h"
#include "method/cdlsr_triples.h"

/*
 * Share of the time limit that the additive bound may take before a search,
 * seconds that it may take in any case, and operations in a second, at least.
 */
#define RS_RELAX_SHARE 0.1
#define RS_RELAX_SECONDS 0.05
#define RS_RELAX_RATE 2e9

/* what is to be proved, and the bound that adds up over features */
typedef struct {
    rs_context *ctx;
    rs_lsq problem; /* without copies and features that no better set holds */
    unsigned char *barred;
    rs_exact_settings settings;
    rs_exact_fit *fit;
    rs_additive additive; /* most = 1: nothing is known */
    clock_t started;
} proof;

static double seconds(const proof *s)
{
    return (double)(clock() - s->started) / CLOCKS_PER_SEC;
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

/* what the set that is known explains, from the data where they are at hand */
static rs_status evaluate_known(proof *s)
{
    rs_accurate accurate;
    RS_TRY(rs_accurate_init(s->ctx, &s->problem, s->settings.k, &accurate));
    if (accurate.able)
        s->fit->explained =
            rs_accurate_explained(&accurate, s->settings.k, s->fit->feature);
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

/* the additive bound, for so many seconds */
static rs_status relax_sets(proof *s, double time)
{
    const size_t all = (size_t)s->problem.d;
    rs_cdlsr_relax relax;
    int able;
    RS_TRY(rs_cdlsr_relax_init(s->ctx, &s->problem, s->settings.k,
                               time * RS_RELAX_RATE, &relax, &able));
    if (!able)
        return RS_OK;
    RS_TRY(rs_cdlsr_relax_run(&relax, s->fit->feature, enough(s), time));
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

/* sets of three have a search of their own, which seldom needs more */
static rs_status prove_three(proof *s)
{
    RS_TRY(rs_cdlsr_triples(s->ctx, &s->problem, &s->settings, s->fit));
    if (s->fit->complete)
        return RS_OK;
    return relax_sets(s, RS_RELAX_SECONDS);
}

static rs_status prove_more(proof *s)
{
    const double limit = s->settings.time_limit;
    RS_TRY(evaluate_known(s));
    RS_TRY(relax_sets(s, RS_RELAX_SECONDS + RS_RELAX_SHARE * limit));
    s->fit->nodes = 0.0;
    s->fit->bound = s->problem.total;
    s->fit->complete = 0;
    if (s->additive.most <= enough(s))
        return RS_OK;
    if (s->additive.most < 1.0)
        s->settings.additive = &s->additive;
    s->settings.time_limit = fmax(limit - seconds(s), 0.0);
    return rs_cdlsr_branch(s->ctx, &s->problem, &s->settings, s->fit);
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
    s.started = clock();
    RS_TRY(leave_out_copies(&s, problem));
    if (settings->k < 3)
        return rs_cdlsr_branch(ctx, &s.problem, &s.settings, fit);
    RS_TRY(settings->k == 3 ? prove_three(&s) : prove_more(&s));
    keep_lower(&s);
    fit->seconds = seconds(&s);
    return RS_OK;
}
