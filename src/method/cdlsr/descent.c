/* Local search from one set to a better one, in the tableau and by the
 * factorised set, which certifies what is kept. */
#include "method/cdlsr/descent.h"

#include <math.h>
#include <string.h>

#include "sets/exchange.h"

/* additions among which a perturbation draws */
#define RS_AMONG 8

rs_status rs_cdlsr_end_init(rs_context *ctx, const rs_cdlsr_settings *settings,
                            rs_cdlsr_end *end)
{
    memset(end, 0, sizeof *end);
    end->feature = rs_alloc_int(ctx, (size_t)settings->k);
    RS_TRY(rs_allocated(ctx));
    /* the sweeps and the exchanges after them, and where each starts */
    return rs_history_init(ctx, 2 * settings->maxit + 4, &end->history);
}

rs_status rs_descent_init(rs_context *ctx, const rs_cdlsr_settings *settings,
                          const rs_lsq *problem, rs_context *poll,
                          rs_subset *set, rs_descent *descent)
{
    descent->settings = settings;
    descent->set = set;
    descent->queue = rs_alloc_int(ctx, (size_t)settings->k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_cdlsr_end_init(ctx, settings, &descent->other));
    RS_TRY(rs_local_init(ctx, problem, settings->k,
                         settings->method == RS_CDLSR_EXCHANGE ? set->columns
                                                               : NULL,
                         &descent->local));
    descent->local.ctx = poll;
    if (problem->c > 0 && settings->method != RS_CDLSR_FORWARD) {
        RS_TRY(
            rs_cd_init(ctx, problem, settings->k, set->columns, &descent->cd));
        descent->cd.ctx = poll;
    }
    return RS_OK;
}

/* the factorised set as an end, whose history is complete */
static void keep_set(rs_subset *s, rs_status status, rs_cdlsr_end *end)
{
    end->k = s->k;
    memcpy(end->feature, s->feature, (size_t)s->k * sizeof(int));
    end->explained = s->explained;
    end->objective = rs_subset_objective(s);
    end->status = status;
    end->sweeps = end->history.count - 1;
}

/* least gain of an exchange */
static double least_gain(const rs_descent *descent)
{
    return descent->settings->tol * descent->set->problem->total;
}

int rs_may_improve(const rs_descent *descent, const rs_cdlsr_end *end)
{
    return descent->set->problem->total - end->explained > least_gain(descent);
}

/* exchanges in the tableau, from the features and the best additions to them;
 * RS_SINGULAR where a step would need a nearly dependent feature */
static rs_status exchange_in_tableau(rs_descent *descent, int count,
                                     const int *feature, int size,
                                     rs_history *history)
{
    rs_local *local = &descent->local;
    if (!local->able)
        return RS_SINGULAR;
    RS_TRY(rs_local_take(local, count, feature));
    RS_TRY(rs_local_grow(local, size));
    return rs_local_exchange(local, least_gain(descent),
                             descent->settings->maxit, history);
}

/* does the factorised set, which is that of the tableau, explain as much, and
 * has the tableau looked at every feature that may come in? */
static int is_confirmed(const rs_descent *descent)
{
    const rs_subset *s = descent->set;
    const double apart = fabs(s->explained - descent->local.t.explained);
    return rs_local_resolves(&descent->local) &&
           apart <= RS_TIE * s->problem->total;
}

/* exchanges from the features, behind what the history holds: in the tableau,
 * and by the factorised set where that is not enough */
static rs_status exchange(rs_descent *descent, int count, const int *feature,
                          int size, rs_cdlsr_end *end)
{
    const rs_cdlsr_settings *set = descent->settings;
    rs_subset *s = descent->set;
    rs_status status =
        exchange_in_tableau(descent, count, feature, size, &end->history);
    int moved = rs_is_usable(status);
    if (!moved && status != RS_SINGULAR)
        return status;
    if (moved)
        RS_TRY(rs_subset_change_to(s, size, descent->local.order));
    else
        RS_TRY(rs_subset_take(s, count, feature));
    moved = moved && s->k == size;
    RS_TRY(rs_subset_grow(s, size, NULL));
    if (!moved || !is_confirmed(descent))
        status = rs_subset_exchange(s, set->tol, set->maxit, descent->queue,
                                    &end->history);
    if (rs_is_usable(status))
        keep_set(s, status, end);
    return rs_is_usable(status) ? RS_OK : status;
}

/* the paper's sweeps from the features; their end is in descent->cd */
static rs_status sweep(rs_descent *descent, const int *feature,
                       rs_status *status, rs_history *history)
{
    const rs_cdlsr_settings *set = descent->settings;
    rs_cd *cd = &descent->cd;
    memcpy(cd->feature, feature, (size_t)set->k * sizeof(int));
    *status = rs_cd_run(cd, set->cd_tol, set->maxit,
                        set->method != RS_CDLSR_CD, history);
    return rs_is_usable(*status) ? RS_OK : *status;
}

rs_status rs_evaluate_set(rs_descent *descent, int count, const int *feature,
                          rs_cdlsr_end *end)
{
    rs_history_clear(&end->history);
    RS_TRY(rs_subset_take(descent->set, count, feature));
    rs_history_add(&end->history, rs_subset_objective(descent->set));
    keep_set(descent->set, RS_OK, end);
    return RS_OK;
}

rs_status rs_descend_by_exchange(rs_descent *descent, int count,
                                 const int *feature, int size,
                                 rs_cdlsr_end *end)
{
    if (descent->settings->method != RS_CDLSR_EXCHANGE)
        return rs_evaluate_set(descent, count, feature, end);
    rs_history_clear(&end->history);
    return exchange(descent, count, feature, size, end);
}

/* exchanges of the set as it is, behind an empty history */
static rs_status exchange_again(rs_descent *descent, rs_history *history)
{
    const rs_cdlsr_settings *set = descent->settings;
    rs_history_clear(history);
    rs_status status = rs_subset_exchange(descent->set, set->tol, set->maxit,
                                          descent->queue, history);
    return rs_is_usable(status) ? RS_OK : status;
}

/* a factorisation without the rounding errors of updates, which matter where
 * features nearly depend on others */
static rs_status make_afresh(rs_descent *descent, int count,
                             const int *feature)
{
    memcpy(descent->queue, feature, (size_t)count * sizeof(int));
    return rs_subset_assign(descent->set, count, descent->queue);
}

/* exchanges from the set of the tableau, into *end where that is better */
static rs_status certify(rs_descent *descent, rs_cdlsr_end *end)
{
    const rs_tableau *t = &descent->local.t;
    rs_cdlsr_end *other = &descent->other;
    if (t->k < end->k || t->explained <= end->explained + least_gain(descent))
        return RS_OK;
    rs_history_clear(&other->history);
    RS_TRY(exchange(descent, end->k, descent->local.order, end->k, other));
    if (other->k == end->k)
        rs_keep_better(descent, end, other);
    return RS_OK;
}

rs_status rs_descend_in_tableau(rs_descent *descent, const int *feature,
                                rs_cdlsr_end *end)
{
    const rs_status status =
        exchange_in_tableau(descent, end->k, feature, end->k, NULL);
    if (rs_is_usable(status))
        return certify(descent, end);
    return status == RS_SINGULAR ? RS_OK : status;
}

/* the set of the tableau, which is *end, without some features, then with others
 * in their places, then exchanges; RS_SINGULAR where a step is not possible */
static rs_status perturb_tableau(rs_descent *descent, int count,
                                 const int *out, size_t *draw,
                                 const rs_cdlsr_end *end)
{
    rs_local *local = &descent->local;
    rs_status status;
    for (int i = 0; i < count; i++) {
        rs_local_remove(local, out[i]);
        local->closed[out[i]] = 1;
    }
    status = rs_local_grow_among(local, end->k, RS_AMONG, draw);
    for (int i = 0; i < count; i++)
        local->closed[out[i]] = 0;
    RS_TRY(status);
    local->known = end->feature;
    status = rs_local_exchange(local, least_gain(descent),
                               descent->settings->maxit, NULL);
    local->known = NULL;
    return rs_is_usable(status) ? RS_OK : status;
}

rs_status rs_perturb_in_tableau(rs_descent *descent, int count, const int *out,
                                size_t *draw, rs_cdlsr_end *end)
{
    RS_TRY(perturb_tableau(descent, count, out, draw, end));
    return certify(descent, end);
}

/* the factorised set goes from *end to one without some features, which the best
 * others replace, then exchanges follow */
rs_status rs_perturb_factorised(rs_descent *descent, int count, const int *out,
                                rs_cdlsr_end *end)
{
    rs_subset *s = descent->set;
    rs_cdlsr_end *other = &descent->other;
    const double before = end->explained;
    RS_TRY(rs_subset_change_to(s, end->k, end->feature));
    for (int i = 0; i < count; i++) {
        int at = rs_position_among(s->k, s->feature, out[i]);
        if (at < s->k)
            RS_TRY(rs_subset_remove(s, at));
    }
    for (int i = 0; i < count; i++)
        s->closed[out[i]] = 1;
    RS_TRY(rs_subset_grow(s, end->k, NULL));
    RS_TRY(exchange_again(descent, &other->history));
    if (s->doubtful && s->explained > before) {
        RS_TRY(make_afresh(descent, s->k, s->feature));
        RS_TRY(exchange_again(descent, &other->history));
    }
    if (s->k == end->k) {
        keep_set(s, RS_OK, other);
        rs_keep_better(descent, end, other);
    }
    return s->doubtful ? make_afresh(descent, end->k, end->feature) : RS_OK;
}

static rs_status descend_by_sweeps(rs_descent *descent, const int *feature,
                                   rs_cdlsr_end *end)
{
    rs_status status;
    rs_history_clear(&end->history);
    RS_TRY(sweep(descent, feature, &status, &end->history));
    RS_TRY(rs_subset_assign(descent->set, descent->settings->k,
                            descent->cd.feature));
    keep_set(descent->set, status, end);
    return RS_OK;
}

/* exchanges from the end of the sweeps, kept where they end lower; nothing to
 * do where the sweeps end in a set that is known */
static rs_status improve_by_sweeps(rs_descent *descent, const int *feature,
                                   rs_cdlsr_end *end)
{
    const int k = descent->settings->k, *swept = descent->cd.feature;
    rs_cdlsr_end *other = &descent->other;
    rs_status status;
    rs_history_clear(&other->history);
    RS_TRY(sweep(descent, feature, &status, &other->history));
    if (rs_same_features(k, swept, feature) ||
        (end->k == k && rs_same_features(k, swept, end->feature)))
        return RS_OK;
    RS_TRY(exchange(descent, k, swept, k, other));
    rs_keep_better(descent, end, other);
    return RS_OK;
}

rs_status rs_descend(rs_descent *descent, int count, const int *feature,
                     int swept, rs_cdlsr_end *end)
{
    const rs_cdlsr_settings *set = descent->settings;
    const int full = count == set->k;
    if (set->method == RS_CDLSR_CD && full)
        return descend_by_sweeps(descent, feature, end);
    RS_TRY(rs_descend_by_exchange(descent, count, feature, set->k, end));
    if (set->method != RS_CDLSR_EXCHANGE || !full || !swept ||
        descent->set->problem->c == 0 || !rs_may_improve(descent, end))
        return RS_OK;
    return improve_by_sweeps(descent, feature, end);
}

rs_status rs_complete_set(rs_descent *descent, int count, const int *feature,
                          rs_cdlsr_end *end)
{
    const int known = end->k == count;
    rs_subset *s = descent->set;
    memcpy(descent->queue, known ? end->feature : feature,
           (size_t)count * sizeof(int));
    s->ctx->clock = NULL;
    rs_subset_clear(s);
    RS_TRY(rs_subset_take(s, count, descent->queue));
    RS_TRY(rs_subset_grow(s, count, NULL));
    rs_history_clear(&end->history);
    rs_history_add(&end->history, rs_subset_objective(s));
    keep_set(s, RS_OK, end);
    return RS_OK;
}

void rs_keep_better(const rs_descent *descent, rs_cdlsr_end *end,
                    rs_cdlsr_end *other)
{
    const double least = descent->settings->tol * descent->set->problem->total;
    if (other->explained <= end->explained + least)
        return;
    rs_cdlsr_end better = *other;
    *other = *end;
    *end = better;
}
