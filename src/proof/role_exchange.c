/* Witnesses by exchanges, from the scores of all exchanges of a set. */
#include "proof/role_exchange.h"

#include <math.h>
#include <string.h>

/* exchanges of one climb, for each feature of a set */
#define RS_CLIMB_MOVES 5
/* sweeps from better and better sets, at most */
#define RS_SWEEPS 50

rs_status rs_old_role_exchange_init(rs_context *ctx, int d, int k,
                                    const unsigned char *first,
                                    const rs_role_sets *of, rs_role_fit *fit,
                                    rs_role_exchange *e)
{
    *e = (rs_role_exchange){
        .ctx = ctx, .d = d, .k = k, .first = first, .of = *of, .fit = fit};
    e->score = rs_alloc_double(ctx, (size_t)d * RS_SLOTS);
    e->best = rs_alloc_double(ctx, (size_t)d);
    e->place = rs_alloc_int(ctx, (size_t)d);
    RS_ALLOC_INTS(ctx, (size_t)k, &e->slot, &e->set);
    return rs_allocated(ctx);
}

static int may_leave(int j, const rs_role_exchange *e)
{
    return !(e->first && e->first[j]);
}

/* the present set with j in place `slot` is met */
static void consider(int slot, int j, double about, rs_role_exchange *e)
{
    memcpy(e->set, e->of.members(e->of.state), (size_t)e->k * sizeof(int));
    e->set[slot] = j;
    e->of.consider(e->of.state, e->set, about);
}

/* ---- the table of all exchanges --------------------------------------------- */

static void begin_table(rs_role_exchange *e)
{
    const size_t cells = (size_t)e->k * (size_t)e->d;
    for (size_t i = 0; i < cells; i++)
        e->fit->exchange[i] = NAN;
    for (int j = 0; j < e->d; j++)
        e->best[j] = -INFINITY;
}

static void note_row(int row, const double *value, rs_role_exchange *e)
{
    for (int j = 0; j < e->d; j++) {
        if (value[j] == -INFINITY)
            continue;
        e->fit->exchange[row + (size_t)e->k * j] = value[j];
        if (value[j] > e->best[j]) {
            e->best[j] = value[j];
            e->place[j] = e->slot[row];
        }
    }
}

/* in the order of the best set, of which the present one may have another */
static rs_status fill_table(rs_role_exchange *e)
{
    const int *best = e->fit->roles.best;
    const int *present = e->of.members(e->of.state);
    int slots[RS_SLOTS], rows[RS_SLOTS], width = 0;
    begin_table(e);
    for (int i = 0; i < e->k; i++) {
        e->slot[i] = -1;
        if (may_leave(best[i], e)) {
            e->slot[i] = rs_position_among(e->k, present, best[i]);
            slots[width] = e->slot[i];
            rows[width++] = i;
        }
        if (width == 0 || (width < RS_SLOTS && i < e->k - 1))
            continue;
        e->of.score(e->of.state, width, slots, e->score);
        for (int b = 0; b < width; b++)
            note_row(rows[b], e->score + (size_t)e->d * b, e);
        width = 0;
        RS_TRY(rs_poll(e->ctx));
    }
    return RS_OK;
}

/* the best exchange of each place, and for each feature */
static void consider_exchanges(rs_role_exchange *e)
{
    const size_t k = (size_t)e->k;
    for (int i = 0; i < e->k && !e->fit->better; i++) {
        const double *row = e->fit->exchange + i;
        int top = -1;
        for (int j = 0; j < e->d; j++)
            if (!isnan(row[k * j]) && (top < 0 || row[k * j] > row[k * top]))
                top = j;
        if (top >= 0)
            consider(e->slot[i], top, row[k * top], e);
    }
    for (int j = 0; j < e->d && !e->fit->better; j++)
        if (e->best[j] > -INFINITY)
            consider(e->place[j], j, e->best[j], e);
}

rs_status rs_old_role_sweep(rs_role_exchange *e)
{
    begin_table(e);
    for (int sweep = 0; sweep < RS_SWEEPS; sweep++) {
        const rs_status status =
            e->of.take(e->of.state, e->fit->roles.best, 1);
        if (status == RS_SINGULAR)
            return RS_OK;
        RS_TRY(status);
        e->fit->better = 0;
        RS_TRY(fill_table(e));
        consider_exchanges(e);
        if (!e->fit->better)
            break;
    }
    return e->fit->status;
}

/* ---- climbs ------------------------------------------------------------------ */

/* sets with features of which nothing is shown yet, where they reach the cut */
static void show_others(int slot, int out, double cut, const double *value,
                        rs_role_exchange *e)
{
    for (int j = 0; j < e->d; j++)
        if (j != out && value[j] >= cut && e->fit->roles.low[j] < cut)
            consider(slot, j, value[j], e);
}

/* the best exchange that leaves `held` in and `out` out, above `most`; slot -1:
 * none */
static void find_exchange(int held, int out, double cut, double most,
                          int *slot, int *feature, rs_role_exchange *e)
{
    *slot = -1;
    for (int from = 0, width; from < e->k; from += width) {
        int slots[RS_SLOTS];
        width = rs_min_int(RS_SLOTS, e->k - from);
        for (int b = 0; b < width; b++)
            slots[b] = from + b;
        e->of.score(e->of.state, width, slots, e->score);
        for (int b = 0; b < width; b++) {
            const int leaves = e->of.members(e->of.state)[from + b];
            const double *value = e->score + (size_t)e->d * b;
            if (leaves == held || !may_leave(leaves, e))
                continue;
            show_others(from + b, out, cut, value, e);
            for (int j = 0; j < e->d; j++)
                if (j != out && value[j] > most) {
                    most = value[j];
                    *slot = from + b;
                    *feature = j;
                }
        }
    }
}

/* one exchange of the present set; *ended: none gains, or it cannot be made */
static rs_status climb_once(int held, int out, double cut, double least,
                            int *ended, rs_role_exchange *e)
{
    const double value = e->of.value(e->of.state);
    int slot, feature = -1;
    find_exchange(held, out, cut, value + least, &slot, &feature, e);
    *ended = slot < 0;
    if (*ended)
        return RS_OK;
    memcpy(e->set, e->of.members(e->of.state), (size_t)e->k * sizeof(int));
    e->set[slot] = feature;
    RS_TRY(e->of.take(e->of.state, e->set, 0));
    return rs_poll(e->ctx);
}

rs_status rs_old_role_climb(int i, double cut, double least,
                            rs_role_exchange *e)
{
    const rs_roles *roles = &e->fit->roles;
    const int holds = !roles->holds[i];
    int ended = 0;
    if (roles->low[i] == -INFINITY)
        return RS_OK;
    rs_status status =
        e->of.take(e->of.state, roles->witness + (size_t)i * (size_t)e->k, 0);
    for (int move = 0;
         status == RS_OK && !ended && move < RS_CLIMB_MOVES * e->k; move++)
        status =
            climb_once(holds ? i : -1, holds ? -1 : i, cut, least, &ended, e);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    e->of.consider(e->of.state, e->of.members(e->of.state),
                   e->of.value(e->of.state));
    return RS_OK;
}
