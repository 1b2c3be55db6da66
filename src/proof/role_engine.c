/*
 * proof/role_engine.c: which searches are made for the roles of units, and what
 * follows from them.
 *
 * Witnesses and bounds of each unit's question come from
 *
 *   - exchanges of single units, all of them, and climbs from the best of them
 *     with the unit held in or out (role_exchange.c);
 *   - a tree with the cut lowered to the share, which meets all sets beyond it:
 *     for up to five units, where that can be done in time;
 *   - else the root of the tree, whose bounds are those of every unit's answer,
 *     and the tree once more for the questions that are left: for all of them
 *     at once, and for one after the other until the first witness.
 */
#include "proof/role_engine.h"

#include <math.h>
#include <string.h>

/* so many units: all sets are met, if that can be done in this share of the
 * time */
#define RS_LIST_UNITS 5
#define RS_LIST_SHARE 0.6
/* of the time left for all tolerances, the first one's share then, and that of
 * each one where questions are asked */
#define RS_FIRST_SHARE 0.7
#define RS_STAGE_SHARE 0.5
/* nodes of a question at first, and their factor from pass to pass */
#define RS_ASK_NODES 0.0
#define RS_ASK_DEAR_NODES 16.0
#define RS_ASK_MORE 16.0
/* for all answers at once, before they are asked for one by one */
#define RS_TOGETHER_SHARE 0.85
/* a share of the time may go into climbs */
#define RS_CLIMB_SHARE 0.25
/* room for rounding of values and bounds where a bound of all sets is asked for
 */
#define RS_BOUND_TIE 1e-9
/* share of its value that rounding may hide of the best set */
#define RS_ROLE_RESOLVED 1e-2

typedef struct {
    rs_role_search s;
    const rs_role_problem *problem;
    rs_role_tree *of; /* the tree that is asked */
    rs_tree *tree;
    int opened[RS_ROLE_TREES];
    rs_tree *trees[RS_ROLE_TREES];
    int none[RS_ROLE_TREES]; /* was there no such tree? */
    rs_questions questions;
    rs_tree_settings settings;
    rs_tree_fit found;
    int posed;    /* has the tree a root? */
    double bound; /* of all sets */
    int stage;    /* number of the present tolerance */
    double limit; /* seconds from the start, for the present tolerance */
    int *order;   /* d */
} engine;

/* ---- what a tree is told, and asks ---------------------------------------------- */

static int meet(void *state, const int *set, double least, double most)
{
    engine *e = (engine *)state;
    rs_role_search *s = &e->s;
    return rs_role_meet(s->asked, set, least, most, s->fit) ||
           (s->question >= 0 && !rs_role_is_left(s->question, s->cut, s->fit));
}

static void learn(void *state, int unit, double with, double without)
{
    rs_roles *roles = &((const engine *)state)->s.fit->roles;
    rs_roles_bound_with(unit, with, roles);
    rs_roles_bound_without(unit, without, roles);
}

static int asks(void *state, int unit)
{
    const engine *e = (const engine *)state;
    if (!rs_role_is_left(unit, e->s.cut, e->s.fit))
        return 0;
    return e->s.fit->roles.holds[unit] ? -1 : 1;
}

/* trees meet all sets beyond a cut that is a little lower, so that what they
 * bound does not reach the cut */
static double searched_cut(const engine *e)
{
    return e->s.cut - 0.5 * e->s.fit->slack;
}

/* the best set and the cut, as the tree is told of them; so many seconds */
static void set_search(double seconds, engine *e)
{
    const rs_roles *roles = &e->s.fit->roles;
    e->s.fit->better = 0;
    e->s.cut = rs_role_cut(e->s.asked, e->stage, e->s.fit);
    memcpy(e->found.set, roles->best, (size_t)roles->k * sizeof(int));
    e->found.bound = e->bound;
    e->settings.tie = searched_cut(e) - roles->value;
    e->settings.seconds = fmax(seconds, 0.0);
    e->settings.nodes = INFINITY;
    e->questions.asks = NULL;
}

static double seconds_left(const engine *e)
{
    return e->limit - rs_clock_seconds(&e->s.clock);
}

/* a tree, made when it is first asked for; e->tree NULL: there is none */
static rs_status use_tree(int number, engine *e)
{
    const rs_role_problem *p = e->problem;
    rs_clock clock;
    e->of = p->tree + number;
    if (!e->opened[number]) {
        e->opened[number] = 1;
        rs_clock_start(fmax(seconds_left(e), 0.0), &clock);
        e->s.ctx->clock = &clock;
        const rs_status status = e->of->open(e->of, e->trees + number);
        e->s.ctx->clock = NULL;
        if (status == RS_LATE)
            e->trees[number] = NULL;
        else
            RS_TRY(status);
        e->none[number] = status == RS_OK && !e->trees[number];
    }
    e->tree = e->trees[number];
    return RS_OK;
}

static double bound_of_found(const engine *e)
{
    return fmax(e->found.rest, e->s.fit->roles.value);
}

/* ---- all sets ------------------------------------------------------------------ */

/* all sets that reach the cut, in some of the time; again where one is better */
static rs_status list_sets(double share, int *complete, engine *e)
{
    *complete = 0;
    do {
        const double seconds = share * seconds_left(e);
        if (seconds <= 0.0)
            return RS_OK;
        set_search(seconds, e);
        RS_TRY(e->posed ? rs_tree_ask(&e->settings, -1, 0, &e->found, e->tree)
                        : rs_tree_search(&e->settings, e->tree, &e->found));
        RS_TRY(e->s.fit->status);
        e->s.fit->nodes += e->found.nodes;
    } while (e->s.fit->better);
    e->bound = fmin(e->bound, bound_of_found(e));
    *complete = e->found.complete;
    if (*complete)
        rs_role_close(e->stage, searched_cut(e), e->s.fit);
    return RS_OK;
}

/* ---- questions ------------------------------------------------------------------- */

/* units whose questions are left at the present cut, the lowest bound first */
static int list_questions(engine *e)
{
    const rs_roles *roles = &e->s.fit->roles;
    int count = 0;
    for (int j = 0; j < e->s.d; j++) {
        const double high = rs_roles_high(j, roles);
        int b = count;
        if (!rs_role_is_left(j, e->s.cut, e->s.fit))
            continue;
        for (; b > 0 && rs_roles_high(e->order[b - 1], roles) > high; b--)
            e->order[b] = e->order[b - 1];
        e->order[b] = j;
        count++;
    }
    return count;
}

/* witnesses of those left, in some of the time */
static rs_status climb(engine *e)
{
    const double until = seconds_left(e) * (1.0 - RS_CLIMB_SHARE);
    const int count = list_questions(e);
    for (int a = 0; a < count && seconds_left(e) > until; a++) {
        if (!rs_role_is_left(e->order[a], e->s.cut, e->s.fit))
            continue;
        RS_TRY(rs_role_climb(e->order[a], &e->s));
        if (e->s.fit->better)
            set_search(0.0, e);
    }
    return RS_OK;
}

/* what every question begins with is bounded once more */
static rs_status pose(int *done, engine *e)
{
    set_search(seconds_left(e), e);
    RS_TRY(rs_tree_pose(&e->settings, e->posed, &e->found, done, e->tree));
    RS_TRY(e->s.fit->status);
    e->posed = 1;
    *done = *done && !e->s.fit->better;
    e->bound = fmin(e->bound, fmax(e->found.bound, e->s.fit->roles.value));
    if (*done)
        rs_role_close(e->stage, searched_cut(e), e->s.fit);
    return RS_OK;
}

/* no set that answers the question of a unit has more than was found */
static void take_answer(int j, int complete, engine *e)
{
    rs_roles *roles = &e->s.fit->roles;
    const double bound = fmax(e->found.rest, roles->low[j]);
    if (roles->holds[j])
        rs_roles_bound_without(j, bound, roles);
    else
        rs_roles_bound_with(j, bound, roles);
    if (complete && roles->low[j] < e->s.cut)
        rs_tree_decide(j, roles->holds[j], e->tree);
}

/* one question; *fixed: its unit has left the root, or joined it; *more: with
 * more nodes, or from now on, it may have another answer. Without that, nodes
 * are left that cannot be split, or that rounding hides */
static rs_status ask(int j, double nodes, int *fixed, int *more, engine *e)
{
    const int holds = !e->s.fit->roles.holds[j];
    set_search(seconds_left(e), e);
    e->settings.nodes = nodes;
    e->s.question = j;
    const rs_status status =
        rs_tree_ask(&e->settings, j, holds, &e->found, e->tree);
    e->s.question = -1;
    RS_TRY(status);
    RS_TRY(e->s.fit->status);
    e->s.fit->questions += 1.0;
    e->s.fit->nodes += 1.0 + e->found.nodes;
    *fixed = 0;
    *more = 1;
    if (e->s.fit->better)
        return RS_OK;
    take_answer(j, e->found.complete, e);
    *fixed = e->found.complete;
    *more = *fixed || e->found.nodes >= nodes;
    return RS_OK;
}

/* one search for the answers to all questions that are left */
static rs_status ask_together(engine *e)
{
    set_search(RS_TOGETHER_SHARE * seconds_left(e), e);
    const double cut = searched_cut(e);
    e->questions.asks = asks;
    RS_TRY(rs_tree_ask(&e->settings, -1, 0, &e->found, e->tree));
    RS_TRY(e->s.fit->status);
    e->s.fit->nodes += e->found.nodes;
    for (int j = 0; j < e->s.d; j++)
        if (!e->s.fit->better && rs_role_is_left(j, e->s.cut, e->s.fit))
            take_answer(j, e->found.complete && e->found.rest <= cut, e);
    return RS_OK;
}

/* one after the other, with more and more nodes, while that may decide any */
static rs_status ask_until_decided(int *done, engine *e)
{
    int worth = 1;
    *done = 0;
    double nodes = e->of->dear ? RS_ASK_DEAR_NODES : RS_ASK_NODES;
    for (; seconds_left(e) > 0.0 && !*done && worth;
         nodes = RS_ASK_MORE * (nodes + 1.0)) {
        const int count = list_questions(e);
        int any = worth = 0;
        for (int a = 0; a < count && seconds_left(e) > 0.0; a++) {
            int fixed = 0, more = 0;
            if (rs_role_is_left(e->order[a], e->s.cut, e->s.fit))
                RS_TRY(ask(e->order[a], nodes, &fixed, &more, e));
            any |= fixed;
            worth |= more;
        }
        if (any && seconds_left(e) > 0.0)
            RS_TRY(pose(done, e));
    }
    e->s.fit->stuck[e->stage] = !worth && seconds_left(e) > 0.0;
    return RS_OK;
}

/* ---- tolerances -------------------------------------------------------------------- */

static rs_status decide_by_questions(int *done, engine *e)
{
    const int few = e->s.k <= RS_LIST_UNITS && !e->of->dear;
    RS_TRY(pose(done, e));
    if (!*done && few)
        RS_TRY(list_sets(RS_LIST_SHARE, done, e));
    if (!*done)
        RS_TRY(climb(e));
    if (!*done && !e->of->dear)
        RS_TRY(ask_together(e));
    if (!*done)
        RS_TRY(ask_until_decided(done, e));
    if (!*done && e->s.asked->list)
        RS_TRY(list_sets(1.0, done, e));
    return RS_OK;
}

/* by one tree after the other */
static rs_status decide_tolerance(engine *e)
{
    int done = 0;
    for (int i = 0; i < e->problem->trees && !done; i++) {
        RS_TRY(use_tree(i, e));
        e->posed = 0;
        if (!e->tree)
            continue;
        if (e->of->asks)
            return decide_by_questions(&done, e);
        RS_TRY(list_sets(e->of->share, &done, e));
    }
    return done ? RS_OK : climb(e);
}

/* what is known without a search: is it enough for the present tolerance? */
static int is_decided(const engine *e)
{
    if (e->s.fit->complete[e->stage])
        return 1;
    return !e->s.asked->list && rs_role_count_left(e->s.cut, e->s.fit) == 0;
}

/*
 * Where all sets are met, the largest tolerance comes first and has the most of
 * the time: those of the others are among them. Questions are easier the
 * smaller the tolerance is: then these come first.
 */
static rs_status decide_tolerances(engine *e)
{
    const int count = e->s.asked->tolerances;
    const int few = e->s.k <= RS_LIST_UNITS;
    for (int i = 0; i < count; i++) {
        const double share =
            fmax(1.0 / (count - i), few ? RS_FIRST_SHARE : RS_STAGE_SHARE);
        e->stage = few ? count - 1 - i : i;
        e->limit =
            rs_clock_seconds(&e->s.clock) + share * rs_clock_left(&e->s.clock);
        set_search(0.0, e);
        if (!is_decided(e))
            RS_TRY(decide_tolerance(e));
    }
    e->stage = 0;
    return RS_OK;
}

/* is any set better? For the time that is left */
static rs_status bound_all(engine *e)
{
    const double v = e->s.fit->roles.value;
    e->limit = e->s.clock.limit;
    if (!e->posed || e->bound <= v * (1.0 + RS_BOUND_TIE) ||
        seconds_left(e) <= 0.0)
        return RS_OK;
    set_search(seconds_left(e), e);
    e->settings.tie = RS_BOUND_TIE * v;
    RS_TRY(rs_tree_ask(&e->settings, -1, 0, &e->found, e->tree));
    if (!e->s.fit->better)
        e->bound = fmin(e->bound, fmax(e->found.rest, v));
    e->s.fit->nodes += e->found.nodes;
    return e->s.fit->status;
}

/* ---- the search ----------------------------------------------------------------------- */

static rs_status make_room(engine *e)
{
    const size_t d = (size_t)e->s.d, k = (size_t)e->s.k;
    e->order = rs_alloc_int(e->s.ctx, d);
    e->found.set = rs_alloc_int(e->s.ctx, k);
    RS_TRY(rs_allocated(e->s.ctx));
    e->questions = (rs_questions){.learn = learn, .meet = meet, .state = e};
    e->settings = (rs_tree_settings){.k = e->s.k,
                                     .excluded = e->problem->excluded,
                                     .fixed = e->problem->fixed,
                                     .questions = &e->questions};
    return RS_OK;
}

/* the values of the two sets that are given */
static rs_status begin_roles(engine *e)
{
    const rs_role_problem *p = e->problem;
    const rs_role_settings *asked = e->s.asked;
    rs_role_fit *fit = e->s.fit;
    double least, most, given;
    RS_TRY(p->value(p->state, asked->best, -INFINITY, &least, &most));
    RS_TRY(rs_role_begin(e->s.ctx, p->d, asked, p->excluded, p->fixed, least,
                         most, fit));
    RS_TRY(p->value(p->state, asked->given, -INFINITY, &given, &most));
    fit->given = given;
    rs_role_meet(asked, asked->given, given, most, fit);
    return fit->status;
}

/* rounding hides what the best set has: nothing is known of any other */
static void forget(engine *e)
{
    rs_role_fit *fit = e->s.fit;
    for (int j = 0; j < e->s.d; j++) {
        fit->roles.low[j] = -INFINITY;
        fit->roles.with[j] = fit->roles.without[j] = INFINITY;
    }
    fit->roles.value = fit->given = e->s.value;
    fit->bound = INFINITY;
    fit->near.count = 0;
    fit->proved = fit->late = 0;
    for (int t = 0; t < e->s.asked->tolerances; t++)
        fit->complete[t] = 0;
}

/* is the value of the best set known? */
static rs_status is_resolved(int *resolved, engine *e)
{
    const rs_role_problem *p = e->problem;
    double least, most;
    RS_TRY(p->value(p->state, e->s.fit->roles.best, -INFINITY, &least, &most));
    *resolved = most - least <= RS_ROLE_RESOLVED * most;
    return RS_OK;
}

rs_status rs_find_roles(rs_context *ctx, const rs_role_problem *problem,
                        const rs_role_settings *asked, rs_role_fit *fit)
{
    engine e;
    int resolved;
    memset(&e, 0, sizeof e);
    e.problem = problem;
    e.bound = problem->bound;
    rs_clock_start(asked->time_limit, &e.s.clock);
    RS_TRY(rs_role_search_init(ctx, problem, asked, fit, &e.s));
    RS_TRY(make_room(&e));
    RS_TRY(begin_roles(&e));
    RS_TRY(rs_role_sweep(&e.s));
    RS_TRY(decide_tolerances(&e));
    RS_TRY(bound_all(&e));
    fit->better = 0;
    /* the table of the best set, as it is now */
    RS_TRY(rs_role_sweep(&e.s));
    rs_role_conclude(asked, e.bound, fit);
    fit->proved = 0;
    for (int i = 0; i < problem->trees; i++)
        fit->proved |= !e.none[i];
    RS_TRY(is_resolved(&resolved, &e));
    if (!resolved)
        forget(&e);
    fit->seconds = rs_clock_seconds(&e.s.clock);
    return RS_OK;
}
