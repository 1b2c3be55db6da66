/*
 * proof/roles.c: what is known of units, which searches are made for the roles of units, and what
 * follows from them.
 *
 * Witnesses and bounds of each unit's question come from
 *
 *   - exchanges of single units, all of them, and climbs from the best of them
 *     with the unit held in or out;
 *   - a tree with the cut lowered to the share, which meets all sets beyond it:
 *     for up to five units, where that can be done in time;
 *   - else the root of the tree, whose bounds are those of every unit's answer,
 *     and the tree once more for the questions that are left: for all of them
 *     at once, and for one after the other until the first witness.
 */
#include "proof/roles.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* sets that there is room for at first, and the most that are kept */
#define RS_NEAR_SETS_FIRST 1024
#define RS_NEAR_SETS_MOST 2000000
/* exchanges of one climb, for each member of a set */
#define RS_CLIMB_MOVES 5
/* so many units: all sets are met, if time allows */
#define RS_LIST_UNITS 5
/* nodes of a question at first where a node takes long, else none; their factor
 * from pass to pass */
#define RS_ASK_NODES 16.0

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
    memset(near->slot, -1, 2 * (size_t)room * sizeof(int));
    if (kept == 0)
        return RS_OK;
    memcpy(near->member, before.member, k * kept * sizeof(int));
    rs_copy(kept, before.least, near->least);
    rs_copy(kept, before.most, near->most);
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
    rs_fill((size_t)roles->d, 0.0, frequency);
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

/*
 * The units in which the set differs from J* have a set of this value as their
 * witness, where it is better than the one at hand, or `anew`.
 */
static void answer(const int *sorted, const int *witness, double value,
                   int anew, rs_roles *roles)
{
    const size_t k = (size_t)roles->k;
    for (size_t a = 0; a < k; a++)
        roles->mark[sorted[a]] = 1;
    for (size_t a = 0; a < 2 * k; a++) {
        const int j = a < k ? sorted[a] : roles->best[a - k];
        if (roles->mark[j] == roles->holds[j] ||
            !(anew || value > roles->low[j]))
            continue;
        roles->low[j] = value;
        memcpy(roles->witness + k * j, witness, k * sizeof *witness);
    }
    for (size_t a = 0; a < k; a++)
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

/* a set whose value lies between two numbers; nonzero: the search is to end, as a
 * better one has come up or there is no room for more */
static int meet_set(const rs_role_settings *asked, const int *set,
                    double least, double most, rs_role_fit *fit)
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

/* no set that answers j's question has more than this, or than its witness */
static void bound_answer(int j, double bound, rs_roles *roles)
{
    double *high = rs_role_high(j, roles);
    *high = fmin(*high, fmax(bound, roles->low[j]));
}

/* is the question of unit j open, and undecided at this cut? */
static int is_open(int j, double cut, const rs_role_fit *fit)
{
    return fit->open[j] && fit->roles.low[j] < cut &&
           *rs_role_high(j, &fit->roles) >= cut;
}

static int count_open(double cut, const rs_role_fit *fit)
{
    int count = 0;
    for (int j = 0; j < fit->roles.d; j++)
        count += is_open(j, cut, fit);
    return count;
}

static void bound_every(double bound, rs_roles *roles)
{
    for (int j = 0; j < roles->d; j++) {
        roles->with[j] = fmin(roles->with[j], bound);
        roles->without[j] = fmin(roles->without[j], bound);
    }
}

/* all sets above `cut`, which is not above that of the tolerance, were met */
static void close_tolerance(int tolerance, double cut, rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    if (roles->near.full || fit->better)
        return;
    bound_every(fmax(cut, roles->value), roles);
    for (int j = 0; j < roles->d; j++)
        bound_answer(j, cut, roles);
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
        for (int i = 0; i < k; i++)
            roles->mark[set[i]] = 1;
        for (int i = 0; i < k; i++) {
            const int in = set[i], out = roles->best[i];
            roles->with[in] = fmax(roles->with[in], most);
            if (!roles->mark[out])
                roles->without[out] = fmax(roles->without[out], most);
        }
        for (int i = 0; i < k; i++)
            roles->mark[set[i]] = 0;
    }
}

/* no set has more than `bound`: what follows for every unit */
static void conclude(const rs_role_settings *asked, double bound,
                     rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    fit->bound = bound_by_questions(bound, fit);
    bound_every(fit->bound, roles);
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
        fit->late |=
            !fit->stuck[t] && count_open(rs_role_cut(asked, t, fit), fit) > 0;
}

/* ==== the search ============================================================== */

/* exchanges of one member of a set */
typedef struct {
    int *present, *trial;  /* k: the set that they are of, one of them */
    double value;          /* of the present set */
    double *table;         /* k x d: their values, */
    double spare;          /* and by how much these may be off */
    double *score, *error; /* d: of one member */
    double *best;          /* d: of the best exchange by unit, */
    int *place;            /* d: and its place */
} exchanges;

typedef struct {
    rs_context *ctx;
    const rs_role_problem *problem;
    const rs_role_settings *asked;
    rs_role_fit *fit;
    rs_clock clock;
    int d, k;
    exchanges now;
    rs_role_tree *of; /* the tree that is asked */
    rs_questions questions;
    rs_tree_settings settings;
    rs_tree_fit found;
    int question; /* the unit that is asked about; -1: none */
    int posed;    /* has the tree a root? */
    double bound; /* of all sets */
    int stage;    /* number of the present tolerance, */
    double cut;   /* and its cut */
    double limit; /* seconds from the start, for the present tolerance */
    int *order;   /* d */
} search;

static int is_left(int j, const search *s)
{
    return is_open(j, s->cut, s->fit);
}

/* ---- exchanges ----------------------------------------------------------------- */

static int may_leave(int j, const search *s)
{
    return !(s->problem->fixed && s->problem->fixed[j]);
}

/* the present set with j in this place is met, or `if_better` than the best one;
 * *cell, or NULL: what it has, if that is known */
static rs_status settle(int place, int j, int if_better, double *cell,
                        search *s)
{
    const rs_role_problem *p = s->problem;
    const double value = s->fit->roles.value + s->fit->slack;
    double least, most;
    memcpy(s->now.trial, s->now.present, (size_t)s->k * sizeof(int));
    s->now.trial[place] = j;
    RS_TRY(p->value(p->state, s->now.trial, s->cut, &least, &most));
    if (cell)
        *cell = most - least + *p->rounding <= s->now.spare ? least : NAN;
    if (!if_better || least > value)
        meet_set(s->asked, s->now.trial, least, most, s->fit);
    return s->fit->status;
}

static rs_status take(const int *set, search *s)
{
    const rs_value *of = s->problem->sets;
    memmove(s->now.present, set, (size_t)s->k * sizeof(int));
    RS_TRY(of->move(of->state, s->k, set, &s->now.value));
    s->now.value /= of->total;
    return RS_OK;
}

/* of the member in this place, as shares of the total */
static rs_status exchange(int place, search *s)
{
    const rs_value *of = s->problem->sets;
    RS_TRY(of->exchanges(of->state, place, s->now.score));
    for (int j = 0; j < s->d; j++)
        s->now.score[j] =
            s->problem->excluded[j] ? -INFINITY : s->now.score[j] / of->total;
    if (s->asked->rules)
        rs_rules_bar_exchanges(s->asked->rules, s->k, s->now.present, place,
                               s->now.score);
    return rs_poll(s->ctx);
}

/* all exchanges of a set, -INFINITY where they may be off, and the best one for
 * each unit */
static rs_status fill_table(const int *set, double *table, search *s)
{
    const size_t k = (size_t)s->k;
    const rs_role_problem *p = s->problem;
    double least, most;
    s->now.table = table;
    rs_fill(k * (size_t)s->d, NAN, table);
    rs_fill((size_t)s->d, -INFINITY, s->now.best);
    RS_TRY(p->value(p->state, s->fit->roles.best, s->cut, &least, &most));
    s->now.spare =
        s->fit->slack + 5e-7 * least - (most - least) - *p->rounding;
    if (most - least > RS_RESOLVED * most)
        s->now.spare = -INFINITY;
    RS_TRY(take(set, s));
    for (int i = 0; i < s->k; i++) {
        if (!may_leave(s->now.present[i], s))
            continue;
        RS_TRY(exchange(i, s));
        if (p->sets->errors)
            p->sets->errors(p->sets->state, s->now.error);
        for (int j = 0; j < s->d; j++) {
            const double score = s->now.score[j];
            if (score > -INFINITY)
                table[i + k * j] =
                    s->now.error[j] <= s->now.spare ? score : -INFINITY;
            if (score > s->now.best[j]) {
                s->now.best[j] = score;
                s->now.place[j] = i;
            }
        }
    }
    return RS_OK;
}

/* the best exchange of each place, and, in half of the time, for each unit */
static rs_status consider_exchanges(search *s)
{
    const double until = RS_TIME_SHARE * s->clock.limit;
    const size_t k = (size_t)s->k;
    for (int i = 0; i < s->k && !s->fit->better; i++) {
        double *row = s->now.table + i;
        int top = -1;
        for (int j = 0; j < s->d; j++)
            if (!isnan(row[k * j]) && (top < 0 || row[k * j] > row[k * top]))
                top = j;
        if (top >= 0)
            RS_TRY(settle(i, top, 0, row + k * top, s));
    }
    for (int j = 0;
         j < s->d && !s->fit->better && rs_clock_seconds(&s->clock) < until;
         j++)
        if (s->now.best[j] > -INFINITY)
            RS_TRY(settle(s->now.place[j], j, 0,
                          s->now.table + s->now.place[j] + k * j, s));
    return RS_OK;
}

/* the rest of the table, in little more than the time */
static rs_status settle_all(search *s)
{
    const double until = rs_tree_grace(s->clock.limit);
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < s->d; j++) {
            double *cell = s->now.table + i + (size_t)s->k * (size_t)j;
            if (*cell == -INFINITY && !s->fit->better &&
                rs_clock_seconds(&s->clock) < until)
                RS_TRY(settle(i, j, 1, cell, s));
            else if (*cell == -INFINITY)
                *cell = NAN;
        }
    return RS_OK;
}

/* the table of a set, or what of it is quickly known: as long as that took is kept
 * for each of the last two */
static rs_status sweep(const int *set, int all, double *table, search *s)
{
    const double most = s->asked->time_limit;
    const double began = rs_clock_seconds(&s->clock);
    s->cut = -INFINITY;
    s->fit->better = 0;
    RS_TRY(fill_table(set, table, s));
    const double last = 2.0 * (rs_clock_seconds(&s->clock) - began);
    if (!all)
        s->clock.limit = fmax(RS_TIME_SHARE * most, most - last);
    RS_TRY(consider_exchanges(s));
    return all ? settle_all(s) : RS_OK;
}

/* that of the best set: again from the start where one is better */
static rs_status sweep_best(int all, search *s)
{
    s->fit->better = 1;
    for (int i = 0; i < RS_INNER_STEPS && s->fit->better; i++)
        RS_TRY(sweep(s->fit->roles.best, all, s->fit->exchange, s));
    return RS_OK;
}

/* the best exchange that leaves `held` in and `out` out, above `most`; *place -1:
 * none. Sets with units of which nothing is shown yet are met */
static rs_status find_exchange(int held, int out, double most, int *place,
                               int *unit, search *s)
{
    *place = -1;
    for (int i = 0; i < s->k; i++) {
        if (s->now.present[i] == held || !may_leave(s->now.present[i], s))
            continue;
        RS_TRY(exchange(i, s));
        for (int j = 0; j < s->d; j++) {
            const double score = s->now.score[j];
            if (j == out)
                continue;
            if (score >= s->cut && s->fit->roles.low[j] < s->cut &&
                !rs_clock_is_over(&s->clock))
                RS_TRY(settle(i, j, 0, NULL, s));
            if (score > most) {
                most = score;
                *place = i;
                *unit = j;
            }
        }
    }
    return RS_OK;
}

/* from the best witness of a unit, with it held in or kept out as its question
 * says, until no exchange gains; sets that reach the cut are met where they
 * answer questions that are open */
static rs_status climb_from(int unit, search *s)
{
    const rs_roles *roles = &s->fit->roles;
    const int holds = !roles->holds[unit];
    if (roles->low[unit] == -INFINITY)
        return RS_OK;
    RS_TRY(take(roles->witness + (size_t)unit * (size_t)s->k, s));
    for (int move = 0;
         move < RS_CLIMB_MOVES * s->k && !rs_clock_is_over(&s->clock);
         move++) {
        int place, next = -1;
        RS_TRY(find_exchange(holds ? unit : -1, holds ? -1 : unit,
                             s->now.value + RS_ROLE_SLACK, &place, &next, s));
        if (place < 0)
            break;
        s->now.present[place] = next;
        RS_TRY(take(s->now.present, s));
    }
    /* the last set as it is */
    return settle(0, s->now.present[0], 0, NULL, s);
}

/* ---- what a tree is told, and asks ---------------------------------------------- */

static int meet(void *state, const int *set, double least, double most)
{
    const search *s = (const search *)state;
    return meet_set(s->asked, set, least, most, s->fit) ||
           (s->question >= 0 && !is_left(s->question, s));
}

/* nothing where the root is that of a question: its sets are not all */
static void learn(void *state, int unit, double with, double without)
{
    const search *s = (const search *)state;
    rs_roles *roles = &s->fit->roles;
    if (s->question >= 0)
        return;
    roles->with[unit] = fmin(roles->with[unit], with);
    roles->without[unit] = fmin(roles->without[unit], without);
}

static int asks(void *state, int unit)
{
    const search *s = (const search *)state;
    if (!is_left(unit, s))
        return 0;
    return s->fit->roles.holds[unit] ? -1 : 1;
}

/* trees meet all sets beyond a cut that is a little lower, so that what they
 * bound does not reach the cut */
static double searched_cut(const search *s)
{
    return s->cut - 0.5 * s->fit->slack;
}

/* the best set and the cut, as the tree is told of them; so many seconds */
static void set_search(double seconds, search *s)
{
    const rs_roles *roles = &s->fit->roles;
    s->fit->better = 0;
    s->cut = rs_role_cut(s->asked, s->stage, s->fit);
    memcpy(s->found.set, roles->best, (size_t)s->k * sizeof(int));
    s->found.value = roles->value;
    s->found.bound = s->bound;
    s->settings.tie = searched_cut(s) - roles->value;
    s->settings.seconds = fmax(seconds, 0.0);
    s->settings.nodes = INFINITY;
    s->questions.asks = NULL;
}

static double seconds_left(const search *s)
{
    return s->limit - rs_clock_seconds(&s->clock);
}

/* a tree, made when it is first asked for */
static rs_status use_tree(rs_role_tree *tree, search *s)
{
    rs_clock clock;
    s->of = tree;
    s->posed = 0;
    if (tree->opened)
        return RS_OK;
    tree->opened = 1;
    rs_clock_start(fmax(seconds_left(s), 0.0), &clock);
    s->ctx->clock = &clock;
    const rs_status status = tree->open(tree, &tree->tree);
    s->ctx->clock = NULL;
    if (status == RS_LATE)
        tree->tree = NULL;
    tree->none = status == RS_OK && !tree->tree;
    return status == RS_LATE ? RS_OK : status;
}

/* the sets with a unit or without it, or all, from the root that was posed */
static rs_status ask_tree(int unit, int holds, search *s)
{
    RS_TRY(s->posed
               ? rs_tree_ask(&s->settings, unit, holds, &s->found, s->of->tree)
               : rs_tree_search(&s->settings, s->of->tree, &s->found));
    s->fit->nodes += s->found.nodes;
    return s->fit->status;
}

/* no set has more than that, or than the best one */
static void bound_sets(double bound, search *s)
{
    s->bound = fmin(s->bound, fmax(bound, s->fit->roles.value));
}

/* all sets that reach the cut, in some of the time; again where one is better */
static rs_status list_sets(double share, int *complete, search *s)
{
    *complete = 0;
    do {
        const double seconds = share * seconds_left(s);
        if (seconds <= 0.0)
            return RS_OK;
        set_search(seconds, s);
        RS_TRY(ask_tree(-1, 0, s));
    } while (s->fit->better);
    bound_sets(s->found.rest, s);
    *complete = s->found.complete;
    if (*complete)
        close_tolerance(s->stage, searched_cut(s), s->fit);
    return RS_OK;
}

/* ---- questions ------------------------------------------------------------------- */

/* units whose questions are left at the present cut, the lowest bound first */
static int list_questions(search *s)
{
    const rs_roles *roles = &s->fit->roles;
    int count = 0;
    for (int j = 0; j < s->d; j++)
        if (is_left(j, s)) {
            s->now.score[j] = -*rs_role_high(j, roles);
            s->order[count++] = j;
        }
    rs_sort_indices(s->now.score, count, s->order);
    return count;
}

/* witnesses of those left, in some of the time */
static rs_status climb(search *s)
{
    const double until = RS_TIME_MOST * seconds_left(s);
    const int count = list_questions(s);
    for (int a = 0; a < count && seconds_left(s) > until; a++) {
        if (is_left(s->order[a], s))
            RS_TRY(climb_from(s->order[a], s));
        if (s->fit->better)
            set_search(0.0, s);
    }
    return RS_OK;
}

/* what every question begins with is bounded once more; again where a better set
 * ended that, as no root is kept then */
static rs_status pose(int *done, search *s)
{
    do {
        set_search(seconds_left(s), s);
        RS_TRY(rs_tree_pose(&s->settings, s->posed, &s->found, done,
                            s->of->tree));
        RS_TRY(s->fit->status);
        s->posed = 1;
    } while (s->fit->better && seconds_left(s) > 0.0);
    *done = *done && !s->fit->better;
    bound_sets(s->found.bound, s);
    if (*done)
        close_tolerance(s->stage, searched_cut(s), s->fit);
    return RS_OK;
}

/* no set that answers the question of a unit has more than was found */
static void take_answer(int j, int complete, search *s)
{
    rs_roles *roles = &s->fit->roles;
    bound_answer(j, s->found.rest, roles);
    if (complete && roles->low[j] < s->cut)
        rs_tree_decide(j, roles->holds[j], s->of->tree);
}

/* one question; *fixed: its unit has left the root, or joined it; *more: with
 * more nodes, or from now on, it may have another answer. Without that, nodes
 * are left that cannot be split, or that rounding hides */
static rs_status ask(int j, double nodes, int *fixed, int *more, search *s)
{
    set_search(seconds_left(s), s);
    s->settings.nodes = nodes;
    s->question = j;
    const rs_status status = ask_tree(j, !s->fit->roles.holds[j], s);
    s->question = -1;
    RS_TRY(status);
    s->fit->questions += 1.0;
    if (s->fit->better) {
        *more = 1;
        return RS_OK;
    }
    take_answer(j, s->found.complete, s);
    *fixed |= s->found.complete;
    *more |= s->found.complete || s->found.nodes >= nodes;
    return RS_OK;
}

/* one search for the answers to all questions that are left */
static rs_status ask_together(search *s)
{
    set_search(RS_TIME_MOST * seconds_left(s), s);
    const double cut = searched_cut(s);
    s->questions.asks = asks;
    RS_TRY(ask_tree(-1, 0, s));
    for (int j = 0; j < s->d; j++)
        if (!s->fit->better && is_left(j, s))
            take_answer(j, s->found.complete && s->found.rest <= cut, s);
    return RS_OK;
}

/* one after the other, with more and more nodes, while that may decide any */
static rs_status ask_until_decided(int *done, search *s)
{
    int more = 1;
    double nodes = s->of->dear ? RS_ASK_NODES : 0.0;
    for (; seconds_left(s) > 0.0 && !*done && more;
         nodes = RS_ASK_NODES * (nodes + 1.0)) {
        const int count = list_questions(s);
        int fixed = more = 0;
        for (int a = 0; a < count && seconds_left(s) > 0.0; a++)
            if (is_left(s->order[a], s))
                RS_TRY(ask(s->order[a], nodes, &fixed, &more, s));
        if (fixed && seconds_left(s) > 0.0)
            RS_TRY(pose(done, s));
    }
    s->fit->stuck[s->stage] = !more && seconds_left(s) > 0.0;
    return RS_OK;
}

/* ---- tolerances -------------------------------------------------------------------- */

static rs_status decide_by_questions(search *s)
{
    const int dear = s->of->dear;
    int done;
    RS_TRY(pose(&done, s));
    if (!done && s->k <= RS_LIST_UNITS && !dear)
        RS_TRY(list_sets(RS_TIME_SHARE, &done, s));
    if (done)
        return RS_OK;
    RS_TRY(climb(s));
    if (!dear)
        RS_TRY(ask_together(s));
    RS_TRY(ask_until_decided(&done, s));
    return done || !s->asked->list ? RS_OK : list_sets(1.0, &done, s);
}

/* by one tree after the other */
static rs_status decide_tolerance(search *s)
{
    int done = 0;
    for (int i = 0; i < s->problem->trees && !done; i++) {
        RS_TRY(use_tree(s->problem->tree + i, s));
        if (!s->of->tree)
            continue;
        if (s->of->asks)
            return decide_by_questions(s);
        RS_TRY(list_sets(s->of->share, &done, s));
    }
    return done ? RS_OK : climb(s);
}

/*
 * Where all sets are met, the largest tolerance comes first and has the most of
 * the time: those of the others are among them. Questions are easier the
 * smaller the tolerance is: then these come first.
 */
static rs_status decide_tolerances(search *s)
{
    const int count = s->asked->tolerances, few = s->k <= RS_LIST_UNITS;
    for (int i = 0; i < count; i++) {
        const double share =
            fmax(1.0 / (count - i), few ? RS_TIME_MOST : RS_TIME_SHARE);
        s->stage = few ? count - 1 - i : i;
        s->limit =
            rs_clock_seconds(&s->clock) + share * rs_clock_left(&s->clock);
        set_search(0.0, s);
        if (!s->fit->complete[s->stage] && !rs_clock_is_over(&s->clock) &&
            (s->asked->list || count_open(s->cut, s->fit) > 0))
            RS_TRY(decide_tolerance(s));
    }
    s->stage = 0;
    return RS_OK;
}

/* is any set better? For the time that is left */
static rs_status bound_all(search *s)
{
    const double v = s->fit->roles.value;
    s->limit = s->clock.limit;
    if (!s->posed || s->bound <= v * (1.0 + RS_ROLE_SLACK) ||
        seconds_left(s) <= 0.0)
        return RS_OK;
    set_search(seconds_left(s), s);
    s->settings.tie = RS_ROLE_SLACK * v;
    RS_TRY(ask_tree(-1, 0, s));
    if (!s->fit->better)
        s->bound = fmin(s->bound, fmax(s->found.rest, v));
    return RS_OK;
}

/* ---- the search ----------------------------------------------------------------------- */

/* nothing is known, but for the value of the best set */
static rs_status begin_fit(double value, double most, search *s)
{
    const rs_role_settings *asked = s->asked;
    rs_role_fit *fit = s->fit;
    rs_roles *roles = &fit->roles;
    const size_t d = (size_t)s->d, k = (size_t)s->k;
    *fit = (rs_role_fit){
        .slack = slack_of(value, most),
        .given = value,
        .bound = INFINITY,
        .roles = {.ctx = s->ctx, .d = s->d, .k = s->k, .value = value}};
    RS_ALLOC_BYTES(s->ctx, d, &fit->open, &roles->holds, &roles->mark);
    RS_ALLOC_INTS(s->ctx, (size_t)asked->tolerances, &fit->complete,
                  &fit->stuck);
    RS_ALLOC_INTS(s->ctx, k, &roles->best, &roles->set);
    roles->witness = rs_alloc_int(s->ctx, k * d);
    fit->exchange = rs_alloc_double(s->ctx, k * d);
    RS_ALLOC_DOUBLES(s->ctx, d, &roles->low, &roles->with, &roles->without);
    RS_TRY(rs_allocated(s->ctx));
    for (int t = 0; t < asked->tolerances; t++)
        fit->complete[t] = fit->stuck[t] = 0;
    for (int j = 0; j < s->d; j++) {
        fit->open[j] = !s->problem->excluded[j] && may_leave(j, s);
        roles->holds[j] = roles->mark[j] = 0;
        roles->low[j] = -INFINITY;
        roles->with[j] = roles->without[j] = INFINITY;
    }
    sort_set(s->k, asked->best, roles->best);
    for (size_t a = 0; a < k; a++)
        roles->holds[asked->best[a]] = 1;
    RS_TRY(make_room(RS_NEAR_SETS_FIRST, roles));
    return keep_set(roles->best, value, most, roles);
}

/* room, and the values of the two sets that are given */
static rs_status begin(search *s)
{
    const rs_role_problem *p = s->problem;
    const int *best = s->asked->best;
    double least, most;
    RS_ALLOC_DOUBLES(s->ctx, (size_t)s->d, &s->now.score, &s->now.error,
                     &s->now.best);
    RS_ALLOC_INTS(s->ctx, (size_t)s->d, &s->now.place, &s->order);
    RS_ALLOC_INTS(s->ctx, (size_t)s->k, &s->now.present, &s->now.trial,
                  &s->found.set);
    RS_TRY(rs_allocated(s->ctx));
    rs_fill((size_t)s->d, -INFINITY, s->now.error);
    s->questions = (rs_questions){.learn = learn, .meet = meet, .state = s};
    s->settings = (rs_tree_settings){.k = s->k,
                                     .excluded = p->excluded,
                                     .fixed = p->fixed,
                                     .rules = s->asked->rules,
                                     .questions = &s->questions};
    RS_TRY(p->value(p->state, best, -INFINITY, &least, &most));
    RS_TRY(begin_fit(least, most, s));
    RS_TRY(p->value(p->state, s->asked->given, -INFINITY, &least, &most));
    s->fit->given = least;
    meet_set(s->asked, s->asked->given, least, most, s->fit);
    return s->fit->status;
}

/* where rounding hides what the best set has nothing is known of any other */
static rs_status forget_unresolved(search *s)
{
    const rs_role_problem *p = s->problem;
    rs_role_fit *fit = s->fit;
    double least, most;
    RS_TRY(p->value(p->state, fit->roles.best, -INFINITY, &least, &most));
    if (most - least <= RS_RESOLVED * most)
        return RS_OK;
    rs_fill((size_t)s->d, -INFINITY, fit->roles.low);
    rs_fill((size_t)s->d, INFINITY, fit->roles.with);
    rs_fill((size_t)s->d, INFINITY, fit->roles.without);
    fit->roles.value = fit->given = s->now.value;
    fit->bound = INFINITY;
    fit->roles.near.count = 0;
    fit->proved = fit->late = 0;
    memset(fit->complete, 0, (size_t)s->asked->tolerances * sizeof(int));
    return RS_OK;
}

rs_status rs_find_roles(rs_context *ctx, const rs_role_problem *problem,
                        const rs_role_settings *asked, rs_role_fit *fit)
{
    search s = {.ctx = ctx,
                .problem = problem,
                .asked = asked,
                .fit = fit,
                .d = problem->d,
                .k = asked->k,
                .question = -1,
                .bound = problem->bound};
    const size_t k = (size_t)s.k;
    rs_clock_start(asked->time_limit, &s.clock);
    RS_TRY(begin(&s));
    RS_TRY(sweep_best(0, &s));
    do { /* a better set asks other questions */
        RS_TRY(decide_tolerances(&s));
        RS_TRY(bound_all(&s));
    } while (fit->better && !rs_clock_is_over(&s.clock));
    fit->better = 0;
    RS_TRY(sweep_best(1, &s));
    if (memcmp(asked->given, fit->roles.best, k * sizeof(int)) != 0) {
        fit->of_given = rs_alloc_double(ctx, k * (size_t)s.d);
        RS_TRY_ALLOC(fit->of_given);
        RS_TRY(sweep(asked->given, 1, fit->of_given, &s));
    }
    conclude(asked, s.bound, fit);
    for (int i = 0; i < problem->trees; i++)
        fit->proved |= !problem->tree[i].none;
    RS_TRY(forget_unresolved(&s));
    fit->seconds = rs_clock_seconds(&s.clock);
    return RS_OK;
}
