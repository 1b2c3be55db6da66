/* The whole search: forward selection and what improves it, then the other
 * starts; from the problem and the settings. */
#include "method/cdlsr/cdlsr.h"

#include <string.h>

#include "method/cdlsr/multistart.h"
#include "method/exact/pairs.h"
#include "method/cdlsr/path.h"
#include "method/cdlsr/perturb.h"
#include "method/cdlsr/starts.h"
#include "method/cdlsr/tabu.h"
#include "sets/exchange.h"

/* rounds without a better set that end the search */
#define RS_QUIET_ROUNDS 2

static rs_status init_fit(rs_context *ctx, const rs_cdlsr_settings *settings,
                          rs_cdlsr_fit *fit)
{
    const size_t k = (size_t)settings->k;
    const int ends = settings->forward + settings->starts;
    memset(fit, 0, sizeof *fit);
    fit->end = (rs_cdlsr_end *)rs_alloc(ctx, (size_t)ends, sizeof *fit->end);
    fit->order = rs_alloc_int(ctx, k);
    RS_ALLOC_DOUBLES(ctx, k, &fit->explained, &fit->forward_explained,
                     &fit->forward_objective);
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < ends; i++)
        RS_TRY(rs_cdlsr_end_init(ctx, settings, &fit->end[i]));
    return RS_OK;
}

/* forward selection, and what every size explains and leaves */
static rs_status select_forward(rs_subset *s, int k, double *explained,
                                double *objective)
{
    rs_subset_clear(s);
    for (int size = 1; size <= k; size++) {
        RS_TRY(rs_subset_grow(s, size, explained));
        if (s->k < size)
            return RS_OK;
        objective[size - 1] = rs_subset_objective(s);
    }
    return RS_OK;
}

/* *end <- the best pair, where the search finds a better one */
static rs_status try_pairs(rs_context *ctx, rs_descent *descent,
                           rs_cdlsr_end *end)
{
    const double least = descent->settings->tol * descent->set->problem->total;
    int pair[2], found;
    RS_TRY(
        rs_best_pair(ctx, descent->set, end->explained + least, pair, &found));
    return found ? rs_evaluate_set(descent, 2, pair, end) : RS_OK;
}

/* rounds of exchanges that also go up, until some in a row have led to nothing */
static rs_status run_tabu(rs_tabu *tabu, rs_descent *descent,
                          rs_cdlsr_end *end)
{
    const rs_cdlsr_settings *settings = descent->settings;
    const int rounds = settings->tabu;
    int quiet = 0, better;
    for (int round = 0; tabu->able && round < rounds; round++) {
        RS_TRY(rs_tabu_round(tabu, descent, end, &better));
        quiet = better ? 0 : quiet + 1;
        if (quiet >= RS_QUIET_ROUNDS || descent->set->k < end->k)
            break;
    }
    return RS_OK;
}

/* perturbations and rounds from *end, then from where other starts end lower */
static rs_status search_on(rs_context *ctx, rs_worker *w, rs_cdlsr_end *end)
{
    rs_descent *descent = &w->descent;
    const rs_cdlsr_settings *settings = descent->settings;
    rs_perturb perturb;
    rs_tabu tabu;
    if (settings->perturb + settings->tabu + settings->firsts == 0 ||
        !rs_may_improve(descent, end))
        return RS_OK;
    RS_TRY(rs_perturb_init(ctx, descent->set->problem, end->k, &perturb));
    RS_TRY(rs_tabu_init(ctx, descent->set->problem, end->k, &tabu));
    for (int pass = 0, better = 1; better && pass < 2; pass++) {
        RS_TRY(rs_perturb_search(&perturb, descent, end));
        if (descent->set->k == end->k)
            RS_TRY(run_tabu(&tabu, descent, end));
        better = 0;
        if (pass == 0)
            RS_TRY(rs_multistart(ctx, descent, w->start, end, &better));
    }
    return RS_OK;
}

/* from the forward selection to a better set, and the sets of every size, whose
 * last one may be better */
static rs_status descend_forward(rs_context *ctx, rs_worker *w, int count,
                                 rs_path *path, rs_cdlsr_fit *fit)
{
    rs_descent *descent = &w->descent;
    const rs_cdlsr_settings *settings = descent->settings;
    rs_cdlsr_end *end = &fit->end[0], *last = &descent->other;
    RS_TRY(rs_descend(descent, count, w->start, 0, end));
    if (settings->k == 2 && settings->method == RS_CDLSR_EXCHANGE &&
        descent->set->problem->first == NULL)
        RS_TRY(try_pairs(ctx, descent, end));
    if (settings->path) {
        RS_TRY(rs_path_run(descent, end->k, w->start, fit->forward_explained,
                           path, last));
        rs_keep_better(descent, end, last);
    }
    if (settings->method == RS_CDLSR_EXCHANGE && end->k > 2)
        RS_TRY(search_on(ctx, w, end));
    return RS_OK;
}

/* forward selection, which is always made, and what follows in time */
static rs_status run_forward(rs_context *ctx, rs_worker *w, rs_path *path,
                             rs_cdlsr_fit *fit)
{
    rs_subset *s = w->descent.set;
    const rs_cdlsr_settings *settings = w->descent.settings;
    RS_TRY(select_forward(s, settings->k, fit->forward_explained,
                          fit->forward_objective));
    const int count = s->k;
    memcpy(w->start, s->feature, (size_t)count * sizeof(int));
    memcpy(fit->order, w->start, (size_t)count * sizeof(int));
    ctx->clock = w->ctx.clock = settings->clock;
    rs_status status = descend_forward(ctx, w, count, path, fit);
    ctx->clock = w->ctx.clock = NULL;
    if (status != RS_LATE)
        return status;
    if (path->reached < count)
        path->reached = 0;
    return rs_complete_set(&w->descent, count, fit->order, &fit->end[0]);
}

/* the first of the best ends */
static int find_best(const rs_cdlsr_settings *settings, double total,
                     const rs_cdlsr_end *end)
{
    int best = 0;
    for (int i = 1; i < settings->forward + settings->starts; i++)
        if (end[i].explained > end[best].explained + settings->tol * total)
            best = i;
    return best;
}

/* the winner into the set, its greedy order, and the end of the path */
static rs_status finish(const rs_cdlsr_settings *settings, rs_subset *s,
                        rs_path *path, rs_cdlsr_fit *fit)
{
    fit->best = find_best(settings, s->problem->total, fit->end);
    const rs_cdlsr_end *end = &fit->end[fit->best];
    if (s->k != end->k || !rs_same_features(s->k, s->feature, end->feature))
        RS_TRY(rs_subset_assign(s, end->k, end->feature));
    fit->reached = path->reached;
    fit->path = path->size;
    if (s->k == 0)
        return RS_OK;
    rs_subset_order(s, fit->order, fit->explained, path->work);
    fit->explained[s->k - 1] = s->explained;
    if (s->k == path->reached)
        rs_path_keep(s, fit->order, path);
    return RS_OK;
}

rs_status rs_cdlsr(rs_context *ctx, const rs_cdlsr_settings *settings,
                   rs_subset *set, rs_cdlsr_fit *fit)
{
    const int threads = rs_worker_count(set->problem, settings);
    rs_worker *workers;
    rs_path path;
    RS_TRY(init_fit(ctx, settings, fit));
    RS_TRY(rs_path_init(ctx, settings->k, set->problem->c, settings->path,
                        &path));
    RS_TRY(rs_workers_init(ctx, settings, set, threads, &workers));
    if (settings->forward)
        RS_TRY(run_forward(ctx, &workers[0], &path, fit));
    RS_TRY(rs_run_starts(settings, workers, threads,
                         fit->end + settings->forward));
    RS_TRY(finish(settings, set, &path, fit));
    for (int i = 0; i < threads; i++)
        fit->doubtful |= workers[i].descent.set->doubtful;
    return RS_OK;
}
