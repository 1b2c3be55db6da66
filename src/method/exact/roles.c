/* Roles of features among the sets near the best one: which searches are made,
 * and what follows from them. */
#include "method/exact/roles.h"

#include <math.h>
#include <string.h>

#include "method/exact/roles_search.h"
#include "method/exact/search.h"
#include "method/exact/tree.h"
#include "method/exact/tree_roles.h"
#include "method/exact/wide.h"

/* so many features: all sets are met, if that can be done in this share of the
 * time */
#define RS_LIST_FEATURES 5
#define RS_LIST_SHARE 0.6
/* of the time left for all tolerances, the first one's share then */
#define RS_FIRST_SHARE 0.7
/* and that of each one where questions are asked */
#define RS_STAGE_SHARE 0.5
/* so few features to choose of more than there are samples: ordered sets come
 * first, for a share of the time */
#define RS_ORDERED_FEATURES 4
#define RS_ORDERED_SHARE 0.3
/* nodes of a question at first, and their factor from pass to pass */
#define RS_ASK_NODES 0.0
#define RS_ASK_MORE 16.0
/* for the search for all answers at once, before they are asked for one by one */
#define RS_TOGETHER_SHARE 0.85
/* a share of the time may go into climbs */
#define RS_CLIMB_SHARE 0.25
/* gains of a climb that count, of ||Y||^2 */
#define RS_CLIMB_LEAST 1e-10
/* seconds beyond a limit after which what is under way is broken off */
#define RS_GRACE_SECONDS 0.3
/* room for rounding of values and bounds where a bound of all sets is asked for
 */
#define RS_BOUND_TIE 1e-9

typedef struct {
    rs_roles_search s;
    rs_exact_near near;
    rs_tree_watch watch;
    rs_tree_questions questions;
    rs_exact_settings exact;
    rs_exact_fit known; /* the best set, as the searches begin with it */
    rs_cdlsr_tree *tree;
    rs_lsq problem;
    int candidates,
        choices;  /* features, and how many of a set are to choose */
    int able;     /* has the tree a splitting? */
    int opened;   /* was that asked? */
    int posed;    /* has it a root? */
    double bound; /* of all sets */
    int stage;    /* number of the present tolerance */
    double limit; /* seconds from the start, for the present tolerance */
    int *order;   /* d */
    double *high, *work; /* d */
} engine;

static void take_bound(void *self, int column, double with, double without)
{
    rs_role_fit *fit = ((rs_roles_search *)self)->fit;
    rs_roles_bound_with(column, with, &fit->roles);
    rs_roles_bound_without(column, without, &fit->roles);
}

/* searches meet all sets beyond a cut that is a little lower, so that what they
 * bound does not reach the cut */
static double searched_cut(const engine *e)
{
    return e->s.cut - 0.5 * e->s.fit->slack;
}

/* the best set and the cut, as the searches are told of them; so many seconds */
static void set_searches(double seconds, engine *e)
{
    const rs_roles *roles = &e->s.fit->roles;
    const size_t k = (size_t)roles->k;
    e->s.fit->better = 0;
    e->s.cut = rs_role_cut(e->s.asked, e->stage, e->s.fit);
    memcpy(e->known.feature, roles->best, k * sizeof(int));
    e->known.count = roles->k;
    e->known.explained = roles->value * e->problem.total;
    e->exact.tol = searched_cut(e) - roles->value;
    e->exact.time_limit = fmax(seconds, 0.0);
}

static double seconds_left(const engine *e)
{
    return e->limit - rs_clock_seconds(&e->s.clock);
}

/* what is under way is broken off some time after that of the tolerance */
static void limit_time(double seconds, rs_clock *clock, engine *e)
{
    rs_clock_start(RS_GRACE_SECONDS + 1.05 * fmax(seconds, 0.0), clock);
    e->s.ctx->clock = clock;
}

/* ---- all sets ------------------------------------------------------------------ */

static rs_status list_in_order(int *complete, engine *e)
{
    RS_TRY(rs_cdlsr_ordered(e->s.ctx, &e->problem, &e->exact, &e->known));
    *complete = e->known.complete;
    e->s.fit->nodes += e->known.nodes;
    if (!e->s.fit->better)
        e->bound = fmin(e->bound, fmax(e->known.bound / e->problem.total,
                                       e->s.fit->roles.value));
    return RS_OK;
}

static rs_status list_by_tree(int *complete, engine *e)
{
    rs_tree_answer answer;
    RS_TRY(rs_old_tree_ask(&e->exact, &e->known, -1, 0, INFINITY, &answer,
                           e->tree));
    *complete = answer.complete;
    e->s.fit->nodes += answer.nodes;
    if (!e->s.fit->better)
        e->bound = fmin(e->bound, fmax(answer.bound, e->s.fit->roles.value));
    return RS_OK;
}

/* all sets that reach the cut, in some of the time; again where one is better */
static rs_status list_sets(rs_status (*lister)(int *complete, engine *e),
                           double share, int *complete, engine *e)
{
    *complete = 0;
    do {
        rs_clock clock;
        const double seconds = share * seconds_left(e);
        if (seconds <= 0.0)
            return RS_OK;
        set_searches(seconds, e);
        limit_time(seconds, &clock, e);
        const rs_status status = lister(complete, e);
        e->s.ctx->clock = NULL;
        if (status == RS_LATE)
            return RS_OK;
        RS_TRY(status);
        RS_TRY(e->s.fit->status);
    } while (e->s.fit->better);
    if (*complete)
        rs_role_close(e->stage, searched_cut(e), e->s.fit);
    return RS_OK;
}

/* ---- questions ------------------------------------------------------------------- */

/* features whose questions are left at the present cut, the lowest bound first */
static int list_questions(engine *e)
{
    int count = 0;
    for (int j = 0; j < e->problem.d; j++)
        if (rs_role_is_left(j, e->s.cut, e->s.fit))
            e->order[count++] = j;
    for (int a = 1; a < count; a++) {
        const int j = e->order[a];
        const double high = rs_roles_high(j, &e->s.fit->roles);
        int b = a;
        for (;
             b > 0 && rs_roles_high(e->order[b - 1], &e->s.fit->roles) > high;
             b--)
            e->order[b] = e->order[b - 1];
        e->order[b] = j;
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
        RS_TRY(rs_role_climb(e->order[a], e->s.cut, RS_CLIMB_LEAST,
                             &e->s.exchange));
        RS_TRY(e->s.fit->status);
        if (e->s.fit->better)
            set_searches(0.0, e);
    }
    return RS_OK;
}

/* what every question begins with is relaxed once more */
static rs_status pose(int *done, engine *e)
{
    double bound = e->bound;
    rs_clock clock;
    *done = 0;
    set_searches(seconds_left(e), e);
    limit_time(seconds_left(e), &clock, e);
    const rs_status status =
        e->posed ? rs_tree_pose_again(&e->exact, &e->known, &e->watch, done,
                                      &bound, e->tree)
                 : rs_old_tree_pose(&e->exact, &e->known, &e->watch, done,
                                    &bound, e->tree);
    e->s.ctx->clock = NULL;
    RS_TRY(status);
    RS_TRY(e->s.fit->status);
    e->posed = 1;
    e->bound = fmin(e->bound, fmax(bound, e->s.fit->roles.value));
    *done = *done && !e->s.fit->better;
    if (*done)
        rs_role_close(e->stage, searched_cut(e), e->s.fit);
    return RS_OK;
}

/* one question; *fixed: its feature has left the root, or joined it */
static rs_status ask(int i, double nodes, int *fixed, engine *e)
{
    rs_roles *roles = &e->s.fit->roles;
    const int holds = !roles->holds[i];
    rs_tree_answer answer;
    rs_clock clock;
    set_searches(seconds_left(e), e);
    limit_time(seconds_left(e), &clock, e);
    e->s.question = i;
    const rs_status status = rs_old_tree_ask(&e->exact, &e->known, i, holds,
                                             nodes, &answer, e->tree);
    e->s.question = -1;
    e->s.ctx->clock = NULL;
    RS_TRY(status);
    RS_TRY(e->s.fit->status);
    e->s.fit->questions += 1.0;
    e->s.fit->nodes += answer.nodes;
    *fixed = 0;
    if (e->s.fit->better)
        return RS_OK;
    if (holds)
        rs_roles_bound_with(i, fmax(answer.bound, roles->low[i]), roles);
    else
        rs_roles_bound_without(i, fmax(answer.bound, roles->low[i]), roles);
    if (answer.complete && roles->low[i] < e->s.cut) {
        rs_tree_fix(i, !holds, e->tree);
        *fixed = 1;
    }
    return RS_OK;
}

/* all that are left, with so many nodes for each */
static rs_status ask_all(double nodes, int *any, engine *e)
{
    const int count = list_questions(e);
    *any = 0;
    for (int a = 0; a < count && seconds_left(e) > 0.0; a++) {
        int fixed;
        if (!rs_role_is_left(e->order[a], e->s.cut, e->s.fit))
            continue;
        RS_TRY(ask(e->order[a], nodes, &fixed, e));
        *any |= fixed;
    }
    return RS_OK;
}

/* ---- all of them at once */

static int asks(void *self, int column)
{
    const rs_roles_search *s = (const rs_roles_search *)self;
    if (!rs_role_is_left(column, s->cut, s->fit))
        return 0;
    return s->fit->roles.holds[column] ? -1 : 1;
}

static int asks_without(void *self)
{
    const rs_roles *roles = &((const rs_roles_search *)self)->fit->roles;
    int count = 0;
    for (int i = 0; i < roles->k; i++)
        count += asks(self, roles->best[i]) != 0;
    return count;
}

/* one search for the answers to all questions that are left */
static rs_status ask_together(double share, engine *e)
{
    rs_roles *roles = &e->s.fit->roles;
    rs_tree_answer answer;
    set_searches(share * seconds_left(e), e);
    const double cut = searched_cut(e);
    rs_clock clock;
    limit_time(share * seconds_left(e), &clock, e);
    const rs_status status =
        rs_tree_ask_all(&e->exact, &e->known, &e->questions, &answer, e->tree);
    e->s.ctx->clock = NULL;
    RS_TRY(status);
    RS_TRY(e->s.fit->status);
    e->s.fit->nodes += answer.nodes;
    for (int j = 0; j < roles->d; j++) {
        if (e->s.fit->better || !rs_role_is_left(j, e->s.cut, e->s.fit))
            continue;
        const double bound = fmax(answer.bound, roles->low[j]);
        if (roles->holds[j])
            rs_roles_bound_without(j, bound, roles);
        else
            rs_roles_bound_with(j, bound, roles);
        if (answer.complete && answer.bound <= cut)
            rs_tree_fix(j, roles->holds[j], e->tree);
    }
    return RS_OK;
}

static rs_status ask_until_decided(int *done, engine *e)
{
    int any;
    *done = 0;
    for (double nodes = RS_ASK_NODES;
         seconds_left(e) > 0.0 && list_questions(e) > 0 && !*done;
         nodes = RS_ASK_MORE * (nodes + 1.0)) {
        RS_TRY(ask_all(nodes, &any, e));
        if (any && seconds_left(e) > 0.0)
            RS_TRY(pose(done, e));
    }
    return RS_OK;
}

/* ---- tolerances -------------------------------------------------------------------- */

/* too many features for their cross-products: those in no set near the best one
 * leave, at the cut of the largest tolerance */
static rs_status leave_out_hopeless(engine *e)
{
    const size_t d = (size_t)e->problem.d;
    rs_role_fit *fit = e->s.fit;
    unsigned char *keep = (unsigned char *)rs_alloc(e->s.ctx, d, 1);
    unsigned char *barred = (unsigned char *)rs_alloc(e->s.ctx, d, 1);
    RS_TRY(rs_allocated(e->s.ctx));
    const double cut =
        rs_role_cut(e->s.asked, e->s.asked->tolerances - 1, fit) -
        0.5 * fit->slack;
    set_searches(seconds_left(e), e);
    RS_TRY(rs_cdlsr_wide(e->s.ctx, &e->problem, &e->exact, &e->known, cut,
                         &e->bound, keep));
    for (int i = 0; i < fit->roles.k; i++)
        keep[fit->roles.best[i]] = 1;
    e->candidates = 0;
    for (size_t j = 0; j < d; j++) {
        barred[j] = e->problem.barred[j] || !keep[j];
        e->candidates += !barred[j];
        if (!keep[j])
            rs_roles_bound_with((int)j, cut, &fit->roles);
    }
    e->problem.barred = barred;
    return RS_OK;
}

/* cross-products with a splitting, where there may be one */
static rs_status open_in_time(engine *e)
{
    const rs_lsq *p = &e->problem;
    if (e->choices <= 2 || !(p->ridge > 0.0 || p->n > e->candidates))
        return RS_OK;
    if (e->candidates > RS_TREE_MOST && p->ridge > 0.0 && p->X)
        RS_TRY(leave_out_hopeless(e));
    if (e->candidates > RS_TREE_MOST)
        return RS_OK;
    return rs_cdlsr_tree_open(e->s.ctx, p, e->s.asked->k, &e->able, &e->tree);
}

static rs_status open_tree(engine *e)
{
    rs_clock clock;
    if (e->opened)
        return RS_OK;
    e->opened = 1;
    limit_time(seconds_left(e), &clock, e);
    const rs_status status = open_in_time(e);
    e->s.ctx->clock = NULL;
    if (status == RS_LATE)
        e->able = 0;
    return status == RS_LATE ? RS_OK : status;
}

static rs_status decide_by_tree(int *done, engine *e)
{
    RS_TRY(pose(done, e));
    if (!*done && e->s.asked->k <= RS_LIST_FEATURES)
        RS_TRY(list_sets(list_by_tree, RS_LIST_SHARE, done, e));
    if (!*done)
        RS_TRY(climb(e));
    if (!*done)
        RS_TRY(ask_together(RS_TOGETHER_SHARE, e));
    if (!*done)
        RS_TRY(ask_until_decided(done, e));
    if (!*done && e->s.asked->list)
        RS_TRY(list_sets(list_by_tree, 1.0, done, e));
    return RS_OK;
}

static rs_status decide_tolerance(engine *e)
{
    const int wide = e->problem.n <= e->candidates;
    int done = 0;
    if (wide && e->choices > 2 && e->choices <= RS_ORDERED_FEATURES)
        RS_TRY(list_sets(list_in_order, RS_ORDERED_SHARE, &done, e));
    if (done)
        return RS_OK;
    RS_TRY(open_tree(e));
    if (e->able)
        return decide_by_tree(&done, e);
    RS_TRY(list_sets(list_in_order, 1.0 - RS_CLIMB_SHARE, &done, e));
    return done ? RS_OK : climb(e);
}

/* what is known without a search: is it enough for the present tolerance? */
static int is_decided(const engine *e)
{
    if (e->s.fit->complete[e->stage])
        return 1;
    return !e->s.asked->list && rs_role_count_left(e->s.cut, e->s.fit) == 0;
}

/* the present tolerance, in a share of the time left */
static rs_status decide_stage(double share, engine *e)
{
    e->limit =
        rs_clock_seconds(&e->s.clock) + share * rs_clock_left(&e->s.clock);
    e->posed = 0;
    set_searches(0.0, e);
    return is_decided(e) ? RS_OK : decide_tolerance(e);
}

/*
 * Where all sets are met, the largest tolerance comes first and has the most of
 * the time: those of the others are among them. Questions are easier the
 * smaller the tolerance is: then these come first.
 */
static rs_status decide_tolerances(engine *e)
{
    const int count = e->s.asked->tolerances;
    const int few = e->s.asked->k <= RS_LIST_FEATURES;
    for (int i = 0; i < count; i++) {
        const double share = 1.0 / (count - i);
        e->stage = few ? count - 1 - i : i;
        RS_TRY(decide_stage(fmax(share, few ? RS_FIRST_SHARE : RS_STAGE_SHARE),
                            e));
    }
    e->stage = 0;
    return RS_OK;
}

/* is any set better? For the time that is left */
static rs_status bound_all(engine *e)
{
    const double v = e->s.fit->roles.value;
    rs_tree_answer answer;
    e->limit = e->s.clock.limit;
    if (!e->posed || e->bound <= v * (1.0 + RS_BOUND_TIE) ||
        seconds_left(e) <= 0.0)
        return RS_OK;
    set_searches(seconds_left(e), e);
    e->exact.tol = RS_BOUND_TIE * v;
    RS_TRY(rs_old_tree_ask(&e->exact, &e->known, -1, 0, INFINITY, &answer,
                           e->tree));
    if (!e->s.fit->better)
        e->bound = fmin(e->bound, fmax(answer.bound, v));
    e->s.fit->nodes += answer.nodes;
    return e->s.fit->status;
}

/* ---- the search ----------------------------------------------------------------------- */

static rs_status make_room(engine *e)
{
    rs_context *ctx = e->s.ctx;
    const size_t d = (size_t)e->problem.d, k = (size_t)e->s.asked->k;
    e->known.feature = rs_alloc_int(ctx, k);
    e->order = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    return rs_set_value_init(ctx, &e->problem, NULL, (int)k,
                             1e-2 * RS_ROLE_SLACK, &e->s.value);
}

/* the values of the two sets that are given */
static rs_status begin_roles(engine *e)
{
    const rs_role_settings *asked = e->s.asked;
    const rs_lsq *p = &e->problem;
    rs_role_fit *fit = e->s.fit;
    double value, most;
    rs_set_value_of(asked->k, asked->best, -INFINITY, &value, &most,
                    &e->s.value);
    RS_TRY(rs_role_begin(e->s.ctx, p->d, asked, p->barred, p->first, value,
                         most, fit));
    rs_set_value_of(asked->k, asked->given, -INFINITY, &fit->given, &most,
                    &e->s.value);
    rs_roles_consider(&e->s, asked->given);
    return fit->status;
}

static rs_status search(engine *e)
{
    const unsigned char *barred = e->problem.barred;
    RS_TRY(rs_roles_exchange_init(&e->s));
    RS_TRY(rs_role_sweep(&e->s.exchange));
    RS_TRY(decide_tolerances(e));
    RS_TRY(bound_all(e));
    e->s.fit->better = 0;
    /* the table of the best set, as it is now, of all features */
    e->problem.barred = barred;
    return rs_role_sweep(&e->s.exchange);
}

static void connect(const double *YtY, engine *e)
{
    e->choices = e->s.asked->k;
    for (int j = 0; j < e->problem.d; j++) {
        e->choices -= e->problem.first && e->problem.first[j];
        e->candidates += !e->problem.barred[j];
    }
    e->near.meet = rs_roles_consider;
    e->near.state = &e->s;
    e->watch.bound = take_bound;
    e->watch.state = &e->s;
    e->questions.asks = asks;
    e->questions.without = asks_without;
    e->questions.state = &e->s;
    e->exact.k = e->exact.most = e->s.asked->k;
    e->exact.YtY = YtY;
    e->exact.near = &e->near;
}

rs_status rs_exact_roles(rs_context *ctx, const rs_lsq *problem,
                         const rs_role_settings *asked, const double *YtY,
                         rs_role_fit *fit)
{
    engine e;
    memset(&e, 0, sizeof e);
    e.problem = *problem;
    e.s.ctx = ctx;
    e.s.problem = &e.problem;
    e.s.asked = asked;
    e.s.fit = fit;
    e.s.question = -1;
    e.bound = 1.0;
    rs_clock_start(asked->time_limit, &e.s.clock);
    connect(YtY, &e);
    RS_TRY(make_room(&e));
    RS_TRY(begin_roles(&e));
    RS_TRY(search(&e));
    rs_role_conclude(asked, e.bound, fit);
    fit->proved = 1;
    fit->seconds = rs_clock_seconds(&e.s.clock);
    return RS_OK;
}
