/* Witnesses, bounds and sets near the best, and what follows in the end. */
#include "proof/roles.h"

#include <math.h>
#include <string.h>

#include "base/select.h"

/* sets that there is room for at first, and the most that are kept */
#define RS_NEAR_SETS_FIRST 1024
#define RS_NEAR_SETS_MOST 2000000

/* ---- sets near the best ----------------------------------------------------- */

/* room for so many sets, and a table that is never more than half full */
static rs_status make_room(int room, rs_roles *roles)
{
    const rs_near_sets before = roles->near;
    rs_near_sets *near = &roles->near;
    const size_t k = (size_t)roles->k, kept = (size_t)near->count;
    near->room = room;
    near->member = rs_alloc_int(roles->ctx, k * room);
    RS_ALLOC_DOUBLES(roles->ctx, (size_t)room, &near->least, &near->most);
    near->slot = rs_alloc_int(roles->ctx, 2 * (size_t)room);
    RS_TRY(rs_allocated(roles->ctx));
    for (int i = 0; i < 2 * room; i++)
        near->slot[i] = -1;
    if (kept == 0)
        return RS_OK;
    memcpy(near->member, before.member, k * kept * sizeof(int));
    memcpy(near->least, before.least, kept * sizeof(double));
    memcpy(near->most, before.most, kept * sizeof(double));
    return RS_OK;
}

/* the place of a set in the table, or the free one where it belongs */
static int place_of(const int *sorted, const rs_roles *roles)
{
    const rs_near_sets *near = &roles->near;
    const size_t k = (size_t)roles->k;
    unsigned long long key = 14695981039346656037ULL;
    for (size_t i = 0; i < k; i++) {
        key = (key ^ (unsigned long long)sorted[i]) * 1099511628211ULL;
        key ^= key >> 29;
    }
    int at = (int)(key % (2 * (unsigned long long)near->room));
    while (near->slot[at] >= 0 && memcmp(near->member + k * near->slot[at],
                                         sorted, k * sizeof *sorted) != 0)
        at = at + 1 == 2 * near->room ? 0 : at + 1;
    return at;
}

/* what was met before stays as it is */
static rs_status keep_set(const int *sorted, double least, double most,
                          rs_roles *roles)
{
    rs_near_sets *near = &roles->near;
    const size_t k = (size_t)roles->k;
    near->full |= near->count == RS_NEAR_SETS_MOST;
    if (near->full)
        return RS_OK;
    if (near->count == near->room) {
        RS_TRY(
            make_room(rs_min_int(2 * near->room, RS_NEAR_SETS_MOST), roles));
        for (int number = 0; number < near->count; number++)
            near->slot[place_of(near->member + k * number, roles)] = number;
    }
    const int at = place_of(sorted, roles);
    if (near->slot[at] >= 0)
        return RS_OK;
    memcpy(near->member + k * near->count, sorted, k * sizeof *sorted);
    near->least[near->count] = least;
    near->most[near->count] = most;
    near->slot[at] = near->count++;
    return RS_OK;
}

double rs_role_count(const rs_roles *roles, double cut, double *frequency,
                     double *doubtful)
{
    const rs_near_sets *near = &roles->near;
    double count = 0.0;
    *doubtful = 0.0;
    for (int j = 0; j < roles->d; j++)
        frequency[j] = 0.0;
    for (int number = 0; number < near->count; number++) {
        const int *set = near->member + (size_t)roles->k * number;
        const int counts = near->least[number] >= cut;
        count += counts;
        *doubtful += !counts && near->most[number] >= cut;
        for (int i = 0; i < roles->k; i++)
            frequency[set[i]] += counts;
    }
    return count;
}

int rs_role_best(const rs_near_sets *near, double cut, int wanted, int *order,
                 double *room)
{
    int enough = 0;
    for (int number = 0; number < near->count; number++) {
        const int counts = near->least[number] >= cut;
        room[number] = counts ? near->least[number] : -INFINITY;
        enough += counts;
    }
    wanted = rs_min_int(wanted, enough);
    if (wanted > 0)
        rs_topk_order(near->count, room, wanted, order, room + near->count);
    return wanted;
}

/* ---- the best set, and witnesses -------------------------------------------- */

/* the members of a set in ascending order, by insertion: k is small, and sets
 * come nearly sorted */
static void sort_set(int k, const int *set, int *sorted)
{
    for (int a = 0, b; a < k; a++) {
        for (b = a; b > 0 && sorted[b - 1] > set[a]; b--)
            sorted[b] = sorted[b - 1];
        sorted[b] = set[a];
    }
}

/* what rounding may hide where the best set has from `least` to `most` */
static double slack_of(double least, double most)
{
    return RS_ROLE_SLACK * least + 2.0 * (most - least);
}

rs_status rs_role_begin(rs_context *ctx, int d, const rs_role_settings *asked,
                        const unsigned char *excluded,
                        const unsigned char *fixed, double value, double most,
                        rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    const size_t k = (size_t)asked->k, cells = k * (size_t)d;
    *fit = (rs_role_fit){
        .slack = slack_of(value, most),
        .given = value,
        .bound = INFINITY,
        .roles = {.ctx = ctx, .d = d, .k = asked->k, .value = value}};
    RS_ALLOC_BYTES(ctx, (size_t)d, &fit->open, &roles->holds, &roles->mark);
    RS_ALLOC_INTS(ctx, (size_t)asked->tolerances, &fit->complete, &fit->stuck);
    RS_ALLOC_INTS(ctx, k, &roles->best, &roles->set);
    roles->witness = rs_alloc_int(ctx, cells);
    fit->exchange = rs_alloc_double(ctx, cells);
    RS_ALLOC_DOUBLES(ctx, (size_t)d, &roles->low, &roles->with,
                     &roles->without);
    RS_TRY(rs_allocated(ctx));
    for (int t = 0; t < asked->tolerances; t++)
        fit->complete[t] = fit->stuck[t] = 0;
    for (size_t i = 0; i < cells; i++)
        fit->exchange[i] = NAN;
    for (int j = 0; j < d; j++) {
        fit->open[j] = !(excluded && excluded[j]) && !(fixed && fixed[j]);
        roles->holds[j] = roles->mark[j] = 0;
        roles->low[j] = -INFINITY;
        roles->with[j] = roles->without[j] = INFINITY;
    }
    sort_set(asked->k, asked->best, roles->best);
    for (size_t a = 0; a < k; a++)
        roles->holds[asked->best[a]] = 1;
    RS_TRY(make_room(RS_NEAR_SETS_FIRST, roles));
    return keep_set(roles->best, value, most, roles);
}

static void take_witness(int j, const int *sorted, double value,
                         rs_roles *roles)
{
    const size_t k = (size_t)roles->k;
    roles->low[j] = value;
    memcpy(roles->witness + k * j, sorted, k * sizeof *sorted);
}

/*
 * The units in which the set differs from J* have a set of this value as their
 * witness, where it is better than the one at hand, or `anew`.
 */
static void answer(const int *sorted, const int *witness, double value,
                   int anew, rs_roles *roles)
{
    for (int a = 0; a < roles->k; a++)
        roles->mark[sorted[a]] = 1;
    for (int a = 0; a < roles->k; a++) {
        const int in = sorted[a], out = roles->best[a];
        if (!roles->holds[in] && (anew || value > roles->low[in]))
            take_witness(in, witness, value, roles);
        if (!roles->mark[out] && (anew || value > roles->low[out]))
            take_witness(out, witness, value, roles);
    }
    for (int a = 0; a < roles->k; a++)
        roles->mark[sorted[a]] = 0;
}

/*
 * J* becomes the set. Where the two differ, the question turns round, and the
 * former J* is the best answer known: no set met so far had more.
 */
static void replace_best(const int *sorted, double value, rs_roles *roles)
{
    answer(sorted, roles->best, roles->value, 1, roles);
    for (int a = 0; a < roles->k; a++)
        roles->holds[roles->best[a]] = 0;
    for (int a = 0; a < roles->k; a++)
        roles->holds[roles->best[a] = sorted[a]] = 1;
    roles->value = value;
}

double rs_role_cut(const rs_role_settings *asked, int tolerance,
                   const rs_role_fit *fit)
{
    return (1.0 - asked->tolerance[tolerance]) * fit->roles.value - fit->slack;
}

int rs_role_meet(const rs_role_settings *asked, const int *set, double least,
                 double most, rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    if (least > roles->value + fit->slack) {
        fit->better = 1;
        fit->slack = fmax(fit->slack, slack_of(least, most));
    } else {
        least = fmin(least, roles->value);
    }
    sort_set(roles->k, set, roles->set);
    if (least > roles->value)
        replace_best(roles->set, least, roles);
    else
        answer(roles->set, roles->set, least, 0, roles);
    if (most >= rs_role_cut(asked, asked->tolerances - 1, fit) &&
        fit->status == RS_OK)
        fit->status = keep_set(roles->set, least, fmax(least, most), roles);
    return fit->better || fit->status != RS_OK || roles->near.full;
}

/* ---- questions --------------------------------------------------------------- */

double *rs_role_high(int j, const rs_roles *roles)
{
    return (roles->holds[j] ? roles->without : roles->with) + j;
}

void rs_role_bound(int j, double bound, rs_roles *roles)
{
    double *high = rs_role_high(j, roles);
    *high = fmin(*high, fmax(bound, roles->low[j]));
}

int rs_role_is_left(int j, double cut, const rs_role_fit *fit)
{
    return fit->open[j] && fit->roles.low[j] < cut &&
           *rs_role_high(j, &fit->roles) >= cut;
}

int rs_role_count_left(double cut, const rs_role_fit *fit)
{
    int count = 0;
    for (int j = 0; j < fit->roles.d; j++)
        count += rs_role_is_left(j, cut, fit);
    return count;
}

static void bound_all(double bound, rs_roles *roles)
{
    for (int j = 0; j < roles->d; j++) {
        roles->with[j] = fmin(roles->with[j], bound);
        roles->without[j] = fmin(roles->without[j], bound);
    }
}

void rs_role_close(int tolerance, double cut, rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    if (roles->near.full || fit->better)
        return;
    bound_all(fmax(cut, roles->value), roles);
    for (int j = 0; j < roles->d; j++)
        rs_role_bound(j, cut, roles);
    for (int t = 0; t <= tolerance; t++)
        fit->complete[t] = 1;
}

/* ---- the end ------------------------------------------------------------------- */

/* a set other than the best one lacks a unit of it and holds another one */
static double bound_by_questions(double bound, const rs_role_fit *fit)
{
    const rs_roles *roles = &fit->roles;
    double sides[2] = {roles->value, roles->value};
    for (int j = 0; j < roles->d; j++) {
        double *side = sides + roles->holds[j];
        if (fit->open[j])
            *side = fmax(*side, *rs_role_high(j, roles));
    }
    return fmin(bound, fmin(sides[0], sides[1]));
}

/* no bound is below what rounding lets a set that was met have at most */
static void raise_bounds(rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    const int k = roles->k;
    for (int number = 0; number < roles->near.count; number++) {
        const int *set = roles->near.member + (size_t)k * number;
        const double most = roles->near.most[number];
        fit->bound = fmax(fit->bound, most);
        for (int i = 0; i < k; i++) {
            roles->mark[set[i]] = 1;
            roles->with[set[i]] = fmax(roles->with[set[i]], most);
        }
        for (int i = 0; i < k; i++) {
            const int j = roles->best[i];
            if (!roles->mark[j])
                roles->without[j] = fmax(roles->without[j], most);
        }
        for (int i = 0; i < k; i++)
            roles->mark[set[i]] = 0;
    }
}

void rs_role_conclude(const rs_role_settings *asked, double bound,
                      rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    fit->bound = bound_by_questions(bound, fit);
    bound_all(fit->bound, roles);
    raise_bounds(fit);
    /* no interval is empty; units that no set may hold have none, nor have those
     * of every set */
    for (int j = 0; j < roles->d; j++) {
        double *high = rs_role_high(j, roles);
        if (!fit->open[j])
            roles->low[j] = -INFINITY;
        *high = fit->open[j] ? fmax(*high, roles->low[j]) : -INFINITY;
    }
    fit->late = 0;
    for (int t = 0; t < asked->tolerances; t++)
        fit->late |= !fit->stuck[t] &&
                     rs_role_count_left(rs_role_cut(asked, t, fit), fit) > 0;
}
