/* Witnesses of the questions about single features, from exchanges in a
 * tableau. */
#include "method/exact/roles_exchange.h"

#include <math.h>
#include <string.h>

/* exchanges of one climb, for each feature of a set */
#define RS_CLIMB_MOVES 5
/* gains of a climb that count, of ||Y||^2 */
#define RS_CLIMB_LEAST 1e-10
/* sweeps from better and better sets, at most */
#define RS_SWEEPS 50

rs_status rs_roles_exchange_init(rs_roles_search *s)
{
    const size_t d = (size_t)s->problem->d;
    const int k = s->asked->k;
    s->gain_at = rs_alloc_double(s->ctx, d);
    s->slot_at = rs_alloc_int(s->ctx, d);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_columns_init(s->ctx, s->problem, k, &s->columns));
    return rs_local_init(s->ctx, s->problem, k, &s->columns, &s->local);
}

/* a number that is not less for those that may come in */
static void set_bar(rs_roles_search *s)
{
    const rs_tableau *t = &s->local.t;
    for (int j = 0; j < t->m; j++)
        s->local.bar[j] = s->problem->barred[j] ? -HUGE_VAL : 0.0;
    for (int i = 0; i < t->k; i++)
        s->local.bar[t->feature[i]] = -HUGE_VAL;
}

/* may the feature leave? */
static int may_leave(int j, const rs_roles_search *s)
{
    return !(s->problem->first && s->problem->first[j]);
}

/* the set of the tableau with j in place `slot` */
static void set_with(int slot, int j, rs_roles_search *s)
{
    const rs_tableau *t = &s->local.t;
    memcpy(s->set, t->feature, (size_t)t->k * sizeof(int));
    s->set[slot] = j;
}

/* exchanges of the feature in place `slot`: the row of the table, and the best
 * exchanges by feature; *best: the one that gains most */
static void look_at_slot(int b, int slot, int *best, double *row,
                         rs_roles_search *s)
{
    const rs_tableau *t = &s->local.t;
    const double total = s->problem->total, *gain = s->local.gain;
    const size_t k = (size_t)t->k;
    rs_tableau_exchange_gains(&s->local.t, b, slot, s->local.bar,
                              s->local.gain);
    *best = -1;
    for (int j = 0; j < t->m; j++) {
        if (s->local.bar[j] < 0.0 || gain[j] == -HUGE_VAL)
            continue;
        row[k * (size_t)j] = (t->explained + gain[j]) / total;
        if (gain[j] > s->gain_at[j]) {
            s->gain_at[j] = gain[j];
            s->slot_at[j] = slot;
        }
        if (*best < 0 || gain[j] > gain[*best])
            *best = j;
    }
}

/* the sets of all best exchanges are evaluated; nonzero where one is better */
static int consider_exchanges(rs_roles_search *s)
{
    for (int j = 0; j < s->problem->d; j++)
        if (s->gain_at[j] > -HUGE_VAL) {
            set_with(s->slot_at[j], j, s);
            rs_roles_consider(s, s->set);
            if (s->fit->better)
                return 1;
        }
    return 0;
}

static void begin_table(rs_roles_search *s)
{
    const size_t cells = (size_t)s->asked->k * (size_t)s->problem->d;
    for (size_t i = 0; i < cells; i++)
        s->fit->exchange[i] = NAN;
    for (int j = 0; j < s->problem->d; j++)
        s->gain_at[j] = -HUGE_VAL;
}

/* one table; the set itself is in the order of its columns */
static rs_status fill_table(rs_roles_search *s)
{
    rs_tableau *t = &s->local.t;
    const int *best = s->fit->roles.best, k = s->asked->k;
    int slots[RS_SLOTS], rows[RS_SLOTS], width = 0, other;
    begin_table(s);
    set_bar(s);
    for (int i = 0; i < k; i++) {
        if (may_leave(best[i], s)) {
            slots[width] = rs_position_among(k, t->feature, best[i]);
            rows[width++] = i;
        }
        if (width == 0 || (width < RS_SLOTS && i < k - 1))
            continue;
        rs_tableau_prepare_exchanges(t, width, slots);
        for (int b = 0; b < width; b++) {
            look_at_slot(b, slots[b], &other, s->fit->exchange + rows[b], s);
            if (other >= 0) {
                set_with(slots[b], other, s);
                rs_roles_consider(s, s->set);
            }
        }
        width = 0;
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

rs_status rs_roles_sweep(rs_roles_search *s)
{
    begin_table(s);
    if (!s->local.able)
        return RS_OK;
    for (int sweep = 0; sweep < RS_SWEEPS; sweep++) {
        s->fit->better = 0;
        const rs_status status =
            rs_local_take(&s->local, s->asked->k, s->fit->roles.best);
        if (status == RS_SINGULAR)
            return RS_OK;
        RS_TRY(status);
        RS_TRY(fill_table(s));
        if (!s->fit->better && !consider_exchanges(s))
            return RS_OK;
    }
    return RS_OK;
}

/* ---- climbs ----------------------------------------------------------------- */

/* sets with features of which nothing is shown yet, where they reach the cut */
static void show_others(int slot, rs_roles_search *s)
{
    const rs_tableau *t = &s->local.t;
    const double least = s->cut * s->problem->total - t->explained;
    for (int j = 0; j < t->m; j++)
        if (s->local.bar[j] == 0.0 && s->local.gain[j] >= least &&
            s->fit->roles.low[j] < s->cut) {
            set_with(slot, j, s);
            rs_roles_consider(s, s->set);
        }
}

/* the best exchange that leaves the held feature in its place; slot -1: none */
static void find_exchange(int held, int *slot, int *feature,
                          rs_roles_search *s)
{
    rs_tableau *t = &s->local.t;
    double most = RS_CLIMB_LEAST * s->problem->total;
    *slot = -1;
    for (int from = 0, width; from < t->k; from += width) {
        int slots[RS_SLOTS];
        width = rs_min_int(RS_SLOTS, t->k - from);
        for (int b = 0; b < width; b++)
            slots[b] = from + b;
        rs_tableau_prepare_exchanges(t, width, slots);
        for (int b = 0; b < width; b++) {
            const int out = t->feature[from + b];
            if (out == held || !may_leave(out, s))
                continue;
            const rs_tableau_top top = rs_tableau_exchange_gains(
                t, b, from + b, s->local.bar, s->local.gain);
            if (t->explained + top.open > s->cut * s->problem->total)
                show_others(from + b, s);
            if (top.open <= most)
                continue;
            most = top.open;
            *slot = from + b;
            for (int j = 0; j < t->m; j++)
                if (s->local.bar[j] == 0.0 && s->local.gain[j] == most)
                    *feature = j;
        }
    }
}

rs_status rs_roles_climb(int i, rs_roles_search *s)
{
    const rs_roles *roles = &s->fit->roles;
    const int k = s->asked->k, holds = !roles->holds[i];
    int slot, feature = -1;
    if (!s->local.able || roles->low[i] == -INFINITY)
        return RS_OK;
    rs_status status =
        rs_local_take(&s->local, k, roles->witness + (size_t)i * (size_t)k);
    for (int move = 0; status == RS_OK && move < RS_CLIMB_MOVES * k; move++) {
        set_bar(s);
        if (!holds)
            s->local.bar[i] = -HUGE_VAL;
        find_exchange(holds ? i : -1, &slot, &feature, s);
        if (slot < 0)
            break;
        set_with(slot, feature, s);
        status = rs_local_take(&s->local, k, s->set);
        RS_TRY(rs_poll(s->ctx));
    }
    if (status != RS_SINGULAR)
        RS_TRY(status);
    if (status == RS_OK)
        rs_roles_consider(s, s->local.t.feature);
    return RS_OK;
}
