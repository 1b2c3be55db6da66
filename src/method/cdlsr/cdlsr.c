/* The search from a forward selection and from given sets. */
#include "method/cdlsr/cdlsr.h"

#include <math.h>
#include <string.h>

static rs_status init_end(rs_context *ctx, const rs_cdlsr_settings *settings,
                          rs_cdlsr_end *end)
{
    *end = (rs_cdlsr_end){.status = RS_OK};
    end->set = rs_alloc_int(ctx, (size_t)settings->k);
    RS_TRY_ALLOC(end->set);
    return rs_history_init(ctx, settings->maxit + 2, &end->history);
}

static rs_status init(rs_context *ctx, const rs_cdlsr_settings *set,
                      const rs_lsq *problem, rs_cdlsr_fit *fit)
{
    const size_t k = (size_t)set->k;
    const int ends = set->forward + set->starts;
    const int exchange = set->method == RS_CDLSR_EXCHANGE;
    *fit = (rs_cdlsr_fit){.settings = set};
    RS_TRY(rs_groups_of_one(ctx, problem->d, problem->deviation,
                            problem->first, problem->barred, &fit->features));
    RS_TRY(rs_value_lsq_init(ctx, problem, &fit->features, set->k, &fit->lsq));
    fit->value = rs_value_lsq_of(&fit->lsq);
    fit->wanted = (rs_search_settings){.k = set->k,
                                       .exchange = exchange,
                                       .sizes = exchange && set->path,
                                       .maxit = set->maxit,
                                       .tol = set->tol};
    RS_TRY(rs_search_init(ctx, &fit->features, &fit->value, &fit->wanted,
                          &fit->search));
    fit->search.course = rs_alloc_double(ctx, (size_t)set->maxit + 1);
    fit->path.set = rs_alloc_int(ctx, k * k);
    RS_ALLOC_DOUBLES(ctx, k, &fit->path.value, &fit->path.forward,
                     &fit->path.margin);
    fit->end = (rs_cdlsr_end *)rs_alloc(ctx, (size_t)ends, sizeof *fit->end);
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < ends; i++)
        RS_TRY(init_end(ctx, set, &fit->end[i]));
    return RS_OK;
}

/* what is left of the response */
static double objective_of(const rs_cdlsr_fit *fit, double explained)
{
    return fmax(fit->value.total - explained, 0.0);
}

/* the end of a search, whose course is a history; its last objective is that of
 * the set, exactly */
static rs_status close_end(rs_cdlsr_fit *fit, rs_cdlsr_end *end)
{
    const rs_search *s = &fit->search;
    const int sweeps = rs_min_int(s->sweeps, fit->settings->maxit);
    RS_TRY(fit->value.move(fit->value.state, fit->settings->k, end->set,
                           &end->explained));
    RS_TRY(rs_value_lsq_fit(&fit->lsq, NULL, &end->objective));
    for (int i = 0; i < sweeps; i++)
        rs_history_add(&end->history, objective_of(fit, s->course[i]));
    rs_history_add(&end->history, end->objective);
    end->status = s->ending;
    return RS_OK;
}

/* a step of the search that leaves its set as it is when time is over */
static rs_status in_time(rs_cdlsr_fit *fit,
                         rs_status (*step)(rs_search *, int, int *, double *),
                         int *set, double *worth)
{
    rs_context *ctx = fit->search.ctx;
    ctx->clock = fit->settings->clock;
    const rs_status status = step(&fit->search, fit->settings->k, set, worth);
    ctx->clock = NULL;
    return status == RS_LATE ? RS_OK : status;
}

/* exchanges, as long as there is time, from the set that *end has */
static rs_status exchange_from(rs_cdlsr_fit *fit, rs_cdlsr_end *end)
{
    rs_search *s = &fit->search;
    const int k = fit->settings->k;
    double worth;
    s->sweeps = 0;
    s->ending = RS_OK;
    RS_TRY(fit->value.move(fit->value.state, k, end->set, &worth));
    s->course[0] = worth;
    if (fit->settings->method != RS_CDLSR_EXCHANGE)
        return RS_OK;
    return in_time(fit, rs_search_exchange, end->set, &worth);
}

/* the paper's sweeps from the set that *end has */
static rs_status sweep_from(rs_context *ctx, rs_cdlsr_fit *fit,
                            rs_cdlsr_end *end)
{
    end->status = rs_cdlsr_sweeps(ctx, fit->settings, fit->lsq.problem,
                                  &fit->lsq.columns, end->set, &end->history);
    if (!rs_is_usable(end->status))
        return end->status;
    RS_TRY(fit->value.move(fit->value.state, fit->settings->k, end->set,
                           &end->explained));
    return rs_value_lsq_fit(&fit->lsq, NULL, &end->objective);
}

/* from the set that *end has */
static rs_status descend(rs_context *ctx, rs_cdlsr_fit *fit, rs_cdlsr_end *end)
{
    if (fit->settings->method == RS_CDLSR_CD && fit->lsq.problem->c > 0)
        return sweep_from(ctx, fit, end);
    RS_TRY(exchange_from(fit, end));
    return close_end(fit, end);
}

/* forward selection, whatever time that takes, then exchanges of all sizes */
static rs_status run_forward(rs_context *ctx, rs_cdlsr_fit *fit)
{
    const rs_cdlsr_settings *set = fit->settings;
    rs_search *s = &fit->search;
    rs_cdlsr_end *end = &fit->end[0];
    const size_t k = (size_t)set->k;
    const int exchange = fit->wanted.exchange;
    rs_status status = RS_OK;
    fit->wanted.exchange = exchange && !set->clock;
    RS_TRY(rs_search_run(s, &fit->path));
    fit->wanted.exchange = exchange;
    fit->sizes = set->path;
    if (exchange && set->clock) {
        ctx->clock = set->clock;
        status = rs_search_run(s, &fit->path);
        ctx->clock = NULL;
        fit->sizes = set->path && status == RS_OK;
    }
    if (status != RS_LATE)
        RS_TRY(status);
    memcpy(end->set, fit->path.set + k * (k - 1), k * sizeof *end->set);
    return set->method == RS_CDLSR_CD ? descend(ctx, fit, end)
                                      : close_end(fit, end);
}

/* better sets than the best one, from perturbed ones */
static rs_status perturb(rs_cdlsr_fit *fit, rs_cdlsr_end *end)
{
    rs_search *s = &fit->search;
    const double before = end->explained;
    fit->wanted.perturb = fit->settings->perturb;
    if (fit->settings->method != RS_CDLSR_EXCHANGE || fit->wanted.perturb == 0)
        return RS_OK;
    s->end = fit->lsq.work + fit->settings->work;
    RS_TRY(in_time(fit, rs_search_perturb, end->set, &end->explained));
    if (!(end->explained > before))
        return RS_OK;
    RS_TRY(fit->value.move(fit->value.state, fit->settings->k, end->set,
                           &end->explained));
    RS_TRY(rs_value_lsq_fit(&fit->lsq, NULL, &end->objective));
    rs_history_replace(&end->history, end->objective);
    return RS_OK;
}

rs_status rs_cdlsr(rs_context *ctx, const rs_cdlsr_settings *settings,
                   const rs_lsq *problem, rs_cdlsr_fit *fit)
{
    const size_t k = (size_t)settings->k;
    RS_TRY(init(ctx, settings, problem, fit));
    if (settings->forward)
        RS_TRY(run_forward(ctx, fit));
    for (int i = 0; i < settings->starts; i++) {
        rs_cdlsr_end *end = &fit->end[settings->forward + i];
        for (int l = 0; l < settings->k; l++)
            end->set[l] = settings->start[i + (size_t)l * settings->starts];
        RS_TRY(descend(ctx, fit, end));
    }
    /* the first of the best ends */
    for (int i = 1; i < settings->forward + settings->starts; i++)
        if (fit->end[i].explained >
            fit->end[fit->best].explained + settings->tol * problem->total)
            fit->best = i;
    RS_TRY(perturb(fit, &fit->end[fit->best]));
    if (settings->forward)
        memcpy(fit->path.set + k * (k - 1), fit->end[fit->best].set,
               k * sizeof *fit->path.set);
    return RS_OK;
}

rs_status rs_cdlsr_tell(rs_cdlsr_fit *fit, int *count, int *set,
                        double *explained, double *V, double *objective)
{
    const rs_lsq_factor *f = &fit->lsq.f;
    double worth;
    fit->lsq.minute = RS_LEFT_MINUTE;
    RS_TRY(fit->value.move(fit->value.state, *count, set, &worth));
    *count = f->count;
    memcpy(set, f->column, (size_t)*count * sizeof *set);
    RS_TRY(rs_search_order(&fit->search, *count, set, explained));
    return rs_value_lsq_fit(&fit->lsq, V, objective);
}
