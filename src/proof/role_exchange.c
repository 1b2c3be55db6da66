/* Witnesses by exchanges: all exchanges of the best set, and local search from
 * other witnesses with a unit held in or kept out. */
#include "proof/role_engine.h"

#include <math.h>
#include <string.h>

/* exchanges of one climb, for each member of a set; what each must gain */
#define RS_CLIMB_MOVES 5
#define RS_CLIMB_GAIN 1e-9
/* sweeps from better and better sets, at most */
#define RS_SWEEPS 50

rs_status rs_role_search_init(rs_context *ctx, const rs_role_problem *problem,
                              const rs_role_settings *asked, rs_role_fit *fit,
                              rs_role_search *s)
{
    s->ctx = ctx;
    s->problem = problem;
    s->asked = asked;
    s->fit = fit;
    s->d = problem->d;
    s->k = asked->k;
    s->question = -1;
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d, &s->score, &s->best);
    s->place = rs_alloc_int(ctx, (size_t)s->d);
    RS_ALLOC_INTS(ctx, (size_t)s->k, &s->present, &s->trial);
    return rs_allocated(ctx);
}

static int may_leave(int j, const rs_role_search *s)
{
    return !(s->problem->fixed && s->problem->fixed[j]);
}

static rs_status consider_set(const int *set, rs_role_search *s)
{
    double least, most;
    RS_TRY(s->problem->value(s->problem->state, set, s->cut, &least, &most));
    rs_role_meet(s->asked, set, least, most, s->fit);
    return s->fit->status;
}

/* the present set with j in this place is met */
static rs_status consider(int place, int j, rs_role_search *s)
{
    memcpy(s->trial, s->present, (size_t)s->k * sizeof(int));
    s->trial[place] = j;
    return consider_set(s->trial, s);
}

static rs_status take(const int *set, rs_role_search *s)
{
    const rs_value *of = s->problem->sets;
    memmove(s->present, set, (size_t)s->k * sizeof(int));
    RS_TRY(of->move(of->state, s->k, set, &s->value));
    s->value /= of->total;
    return RS_OK;
}

/* of the member in this place, as shares of the total */
static rs_status exchanges(int place, rs_role_search *s)
{
    const rs_value *of = s->problem->sets;
    RS_TRY(of->exchanges(of->state, place, s->score));
    for (int j = 0; j < s->d; j++)
        s->score[j] = s->problem->excluded && s->problem->excluded[j]
                          ? -INFINITY
                          : s->score[j] / of->total;
    return rs_poll(s->ctx);
}

/* ---- the table of all exchanges --------------------------------------------- */

static rs_status fill_table(rs_role_search *s)
{
    const size_t k = (size_t)s->k;
    for (size_t i = 0; i < k * (size_t)s->d; i++)
        s->fit->exchange[i] = NAN;
    for (int j = 0; j < s->d; j++)
        s->best[j] = -INFINITY;
    RS_TRY(take(s->fit->roles.best, s));
    for (int i = 0; i < s->k; i++) {
        if (!may_leave(s->present[i], s))
            continue;
        RS_TRY(exchanges(i, s));
        for (int j = 0; j < s->d; j++) {
            if (s->score[j] == -INFINITY)
                continue;
            s->fit->exchange[i + k * j] = s->score[j];
            if (s->score[j] > s->best[j]) {
                s->best[j] = s->score[j];
                s->place[j] = i;
            }
        }
    }
    return RS_OK;
}

/* the best exchange of each place, and for each unit */
static rs_status consider_exchanges(rs_role_search *s)
{
    const size_t k = (size_t)s->k;
    for (int i = 0; i < s->k && !s->fit->better; i++) {
        const double *row = s->fit->exchange + i;
        int top = -1;
        for (int j = 0; j < s->d; j++)
            if (!isnan(row[k * j]) && (top < 0 || row[k * j] > row[k * top]))
                top = j;
        if (top >= 0)
            RS_TRY(consider(i, top, s));
    }
    for (int j = 0; j < s->d && !s->fit->better; j++)
        if (s->best[j] > -INFINITY)
            RS_TRY(consider(s->place[j], j, s));
    return RS_OK;
}

rs_status rs_role_sweep(rs_role_search *s)
{
    s->cut = -INFINITY;
    for (int sweep = 0; sweep < RS_SWEEPS; sweep++) {
        s->fit->better = 0;
        RS_TRY(fill_table(s));
        RS_TRY(consider_exchanges(s));
        if (!s->fit->better)
            break;
    }
    return RS_OK;
}

/* ---- climbs ------------------------------------------------------------------ */

/* the best exchange that leaves `held` in and `out` out, above `most`; *place -1:
 * none. Sets with units of which nothing is shown yet are met */
static rs_status find_exchange(int held, int out, double most, int *place,
                               int *unit, rs_role_search *s)
{
    *place = -1;
    for (int i = 0; i < s->k; i++) {
        if (s->present[i] == held || !may_leave(s->present[i], s))
            continue;
        RS_TRY(exchanges(i, s));
        for (int j = 0; j < s->d; j++) {
            if (j == out)
                continue;
            if (s->score[j] >= s->cut && s->fit->roles.low[j] < s->cut)
                RS_TRY(consider(i, j, s));
            if (s->score[j] > most) {
                most = s->score[j];
                *place = i;
                *unit = j;
            }
        }
    }
    return RS_OK;
}

rs_status rs_role_climb(int unit, rs_role_search *s)
{
    const rs_roles *roles = &s->fit->roles;
    const int holds = !roles->holds[unit];
    if (roles->low[unit] == -INFINITY)
        return RS_OK;
    RS_TRY(take(roles->witness + (size_t)unit * (size_t)s->k, s));
    for (int move = 0; move < RS_CLIMB_MOVES * s->k; move++) {
        int place, next = -1;
        RS_TRY(find_exchange(holds ? unit : -1, holds ? -1 : unit,
                             s->value + RS_CLIMB_GAIN, &place, &next, s));
        if (place < 0)
            break;
        s->present[place] = next;
        RS_TRY(take(s->present, s));
    }
    return consider_set(s->present, s);
}
