/* Roles of features among column subsets: all sets near the best one, or
 * witnesses by exchanges. */
#include "method/css/roles.h"

#include <math.h>
#include <string.h>

/* features to choose for which all sets are met; and one more of so many */
#define RS_CSS_LIST 4
#define RS_CSS_LIST_FEW 300
/* most features whose products are kept */
#define RS_CSS_LIST_MOST 6000
/* room for open nodes */
#define RS_CSS_ROLE_BYTES 2.5e8
/* shares of the time: for all sets of a tolerance where others follow, and for
 * climbs after a search that has not ended */
#define RS_CSS_LIST_SHARE 0.6
#define RS_CSS_SEARCH_SHARE 0.7
/* rounding of what exchanges add up to, as a share */
#define RS_CSS_SCORE_ERROR 1e-10
/* exchanges of one climb, for each feature of a set; what each must gain */
#define RS_CSS_MOVES 5
#define RS_CSS_GAIN 1e-9
/* sweeps from better and better sets, at most */
#define RS_CSS_ROLES_SWEEPS 50

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_role_settings *asked;
    rs_role_fit *fit;
    rs_clock clock;
    int able; /* is there a search, and are there products to evaluate by? */
    rs_css_space space;
    rs_css_branch branch;
    rs_css_near near;
    rs_bnb search;
    double bound, cut;
    rs_subset set;
    double *score;               /* d x RS_SLOTS */
    double *gain_at;             /* d: of the best exchange by feature, */
    int *slot_at;                /* d: and its place */
    int *trial, *places, *order; /* k, k, d */
} engine;

/* ---- sets --------------------------------------------------------------------- */

/* columns, and what exchanges say of the set */
static void consider(const int *set, double value, engine *e)
{
    double error = RS_CSS_SCORE_ERROR * value;
    if (e->able) {
        rs_css_best *best = &e->branch.best;
        for (int i = 0; i < e->asked->k; i++)
            e->places[i] = e->space.place[set[i]];
        const rs_css_value v =
            rs_css_evaluate(&e->space, e->asked->k, e->places, best->room);
        if (v.value < 0.0)
            return;
        if (v.error < error) {
            value = v.value;
            error = v.error;
        }
    }
    rs_role_meet(e->asked, set, value - error, value + error, e->fit);
}

/* a set that the search has come to */
static int meet(void *self, const int *places, double least, double most)
{
    engine *e = (engine *)self;
    for (int i = 0; i < e->asked->k; i++)
        e->trial[i] = e->space.list[places[i]];
    return rs_role_meet(e->asked, e->trial, least, most, e->fit);
}

/* ---- exchanges ------------------------------------------------------------------ */

static int may_leave(int j, const engine *e)
{
    return !(e->problem->first && e->problem->first[j]);
}

/* the set of the factorisation with j in place `slot` */
static void set_with(int slot, int j, engine *e)
{
    memcpy(e->trial, e->set.feature, (size_t)e->set.k * sizeof(int));
    e->trial[slot] = j;
}

/* value[j] of the set with j in place slots[b], as a share, for the columns b of
 * e->score; -1 where that cannot be */
static void score_slots(int count, const int *slots, engine *e)
{
    const size_t d = (size_t)e->problem->d;
    double loss[RS_SLOTS];
    rs_subset_exchange_scores(&e->set, count, slots, e->score, loss);
    for (int b = 0; b < count; b++)
        for (size_t j = 0; j < d; j++) {
            double *value = e->score + d * b + j;
            if (*value >= 0.0)
                *value =
                    (e->set.explained - loss[b] + *value) / e->problem->total;
        }
}

static void keep_scores(int slot, const double *value, double *row, engine *e)
{
    for (int j = 0; j < e->problem->d; j++) {
        if (value[j] < 0.0)
            continue;
        row[(size_t)e->asked->k * (size_t)j] = value[j];
        if (value[j] > e->gain_at[j]) {
            e->gain_at[j] = value[j];
            e->slot_at[j] = slot;
        }
    }
}

/* the set of the best exchange for each feature, and of each place */
static void consider_exchanges(engine *e)
{
    const int k = e->asked->k, d = e->problem->d;
    for (int j = 0; j < d && !e->fit->better; j++)
        if (e->gain_at[j] >= 0.0) {
            set_with(e->slot_at[j], j, e);
            consider(e->trial, e->gain_at[j], e);
        }
    for (int i = 0; i < k && !e->fit->better; i++) {
        const int slot =
            rs_position_among(k, e->set.feature, e->fit->roles.best[i]);
        int top = -1;
        for (int j = 0; j < d; j++) {
            const double value = e->fit->exchange[i + (size_t)k * j];
            if (!isnan(value) &&
                (top < 0 || value > e->fit->exchange[i + (size_t)k * top]))
                top = j;
        }
        if (top >= 0) {
            set_with(slot, top, e);
            consider(e->trial, e->fit->exchange[i + (size_t)k * top], e);
        }
    }
}

/* the table of all exchanges of the best set, in its order */
static rs_status fill_table(engine *e)
{
    const int k = e->asked->k, *best = e->fit->roles.best;
    const size_t d = (size_t)e->problem->d;
    int slots[RS_SLOTS], rows[RS_SLOTS], width = 0;
    for (size_t i = 0; i < (size_t)k * d; i++)
        e->fit->exchange[i] = NAN;
    for (size_t j = 0; j < d; j++)
        e->gain_at[j] = -1.0;
    for (int i = 0; i < k; i++) {
        if (may_leave(best[i], e)) {
            slots[width] = rs_position_among(k, e->set.feature, best[i]);
            rows[width++] = i;
        }
        if (width == 0 || (width < RS_SLOTS && i < k - 1))
            continue;
        score_slots(width, slots, e);
        for (int b = 0; b < width; b++)
            keep_scores(slots[b], e->score + d * b, e->fit->exchange + rows[b],
                        e);
        width = 0;
        RS_TRY(rs_poll(e->ctx));
    }
    return RS_OK;
}

static rs_status sweep(engine *e)
{
    const int k = e->asked->k;
    for (int round = 0; round < RS_CSS_ROLES_SWEEPS; round++) {
        RS_TRY(rs_subset_assign(&e->set, k, e->fit->roles.best));
        if (e->set.k < k)
            return RS_OK;
        e->fit->better = 0;
        RS_TRY(fill_table(e));
        consider_exchanges(e);
        if (!e->fit->better)
            break;
    }
    return e->fit->status;
}

/* ---- climbs ---------------------------------------------------------------------- */

/* sets with features of which nothing is shown yet, where they reach the cut */
static void show_others(int slot, const double *value, engine *e)
{
    for (int j = 0; j < e->problem->d; j++)
        if (value[j] >= e->cut && e->fit->roles.low[j] < e->cut) {
            set_with(slot, j, e);
            consider(e->trial, value[j], e);
        }
}

/* the best exchange that leaves `held` in and `out` out; slot -1: none */
static void find_exchange(int held, int out, int *slot, int *feature,
                          engine *e)
{
    const size_t d = (size_t)e->problem->d;
    double most = e->set.explained / e->problem->total + RS_CSS_GAIN;
    *slot = -1;
    for (int from = 0, width; from < e->set.k; from += width) {
        int slots[RS_SLOTS];
        width = rs_min_int(RS_SLOTS, e->set.k - from);
        for (int b = 0; b < width; b++)
            slots[b] = from + b;
        score_slots(width, slots, e);
        for (int b = 0; b < width; b++) {
            const int leaves = e->set.feature[from + b];
            const double *value = e->score + d * b;
            if (leaves == held || !may_leave(leaves, e))
                continue;
            show_others(from + b, value, e);
            for (int j = 0; j < e->problem->d; j++)
                if (j != out && value[j] > most) {
                    most = value[j];
                    *slot = from + b;
                    *feature = j;
                }
        }
    }
}

static rs_status climb_from(int i, engine *e)
{
    const rs_roles *roles = &e->fit->roles;
    const int k = e->asked->k, holds = !roles->holds[i];
    int slot, feature = -1;
    RS_TRY(rs_subset_change_to(&e->set, k,
                               roles->witness + (size_t)i * (size_t)k));
    for (int move = 0; e->set.k == k && move < RS_CSS_MOVES * k; move++) {
        find_exchange(holds ? i : -1, holds ? -1 : i, &slot, &feature, e);
        if (slot < 0)
            break;
        RS_TRY(rs_subset_remove(&e->set, slot));
        const rs_status status = rs_subset_add(&e->set, feature);
        if (status == RS_SINGULAR)
            return RS_OK;
        RS_TRY(status);
        RS_TRY(rs_poll(e->ctx));
    }
    if (e->set.k == k)
        consider(e->set.feature, e->set.explained / e->problem->total, e);
    return RS_OK;
}

/* questions without an answer at the present cut, the best witness first */
static int list_left(engine *e)
{
    int count = 0;
    for (int j = 0; j < e->problem->d; j++) {
        if (!rs_role_is_left(j, e->cut, e->fit) ||
            e->fit->roles.low[j] == -INFINITY)
            continue;
        int b = count++;
        for (; b > 0 &&
               e->fit->roles.low[e->order[b - 1]] < e->fit->roles.low[j];
             b--)
            e->order[b] = e->order[b - 1];
        e->order[b] = j;
    }
    return count;
}

/* until the time is over */
static rs_status climb(engine *e)
{
    e->cut = rs_role_cut(e->asked, e->asked->tolerances - 1, e->fit);
    const int count = list_left(e);
    for (int a = 0; a < count && !rs_clock_is_over(&e->clock); a++) {
        if (!rs_role_is_left(e->order[a], e->cut, e->fit))
            continue;
        RS_TRY(climb_from(e->order[a], e));
        RS_TRY(e->fit->status);
        if (e->fit->better)
            RS_TRY(sweep(e));
        e->cut = rs_role_cut(e->asked, e->asked->tolerances - 1, e->fit);
    }
    return RS_OK;
}

/* ---- all sets --------------------------------------------------------------------- */

static int count_first(const rs_lsq *p)
{
    int count = 0;
    for (int j = 0; p->first && j < p->d; j++)
        count += p->first[j];
    return count;
}

static rs_status open_search(const rs_css_input *input, engine *e)
{
    const rs_lsq *p = e->problem;
    const int open = e->asked->k - count_first(p);
    int candidates = 0;
    for (int j = 0; j < p->d; j++)
        candidates += !p->barred[j];
    if (open > RS_CSS_LIST + (candidates <= RS_CSS_LIST_FEW) || open < 1 ||
        candidates > RS_CSS_LIST_MOST)
        return RS_OK;
    RS_TRY(rs_css_space_init(e->ctx, p, input, e->asked->k, &e->space));
    RS_TRY(rs_css_branch_init(&e->space, e->asked->k, 0.0, &e->branch));
    e->able = 1;
    return RS_OK;
}

/* the best set and the cut, as the search is told of them */
static rs_status begin_search(double seconds, engine *e)
{
    rs_css_best *best = &e->branch.best;
    const rs_bnb_problem what = {&e->branch, rs_css_node_size(&e->branch),
                                 rs_css_branch_on, NULL};
    double first_bound;
    e->fit->better = 0;
    best->near = NULL;
    const int included = rs_css_take_set(e->problem, &e->space, e->asked->k,
                                         e->fit->roles.best, best->trial);
    memcpy(e->places, best->trial, (size_t)included * sizeof(int));
    rs_css_begin(best);
    best->near = &e->near;
    best->tie = e->cut - 0.5 * e->fit->slack - best->value;
    best->status = RS_OK;
    e->branch.opened = -1;
    const rs_bnb_limits limits = {RS_BEST_FIRST, seconds, INFINITY,
                                  RS_CSS_ROLE_BYTES, best->tie};
    RS_TRY(rs_bnb_init(e->ctx, &what, &limits, e->asked->k, best->set,
                       best->value, &e->search));
    return rs_css_branch_root(included, e->places, &e->search, &e->branch,
                              &first_bound);
}

static rs_status run_search(engine *e)
{
    const rs_clock *outer = e->ctx->clock;
    e->ctx->clock = &e->search.clock;
    const rs_status status = rs_bnb_run(&e->search);
    e->ctx->clock = outer;
    return status == RS_LATE ? RS_OK : status;
}

/* all sets that reach the cut of a tolerance; again where one is better */
static rs_status list_sets(int tolerance, double share, engine *e)
{
    rs_role_fit *fit = e->fit;
    do {
        const double seconds = share * rs_clock_left(&e->clock);
        if (seconds <= 0.0)
            return RS_OK;
        e->cut = rs_role_cut(e->asked, tolerance, fit);
        RS_TRY(begin_search(seconds, e));
        RS_TRY(run_search(e));
        RS_TRY(fit->status);
        fit->nodes += e->search.nodes;
    } while (fit->better);
    e->bound = fmin(e->bound, fmax(rs_bnb_rest(&e->search), fit->roles.value));
    if (rs_bnb_is_complete(&e->search) && !e->search.stopped)
        rs_role_close(tolerance, e->cut - 0.5 * fit->slack, fit);
    return RS_OK;
}

static rs_status list_tolerances(engine *e)
{
    const double whole = e->clock.limit;
    if (!e->able || e->branch.best.value < 0.0)
        return RS_OK;
    e->clock.limit = RS_CSS_SEARCH_SHARE * whole;
    for (int t = e->asked->tolerances - 1; t >= 0; t--)
        if (!e->fit->complete[t])
            RS_TRY(list_sets(t, t > 0 ? RS_CSS_LIST_SHARE : 1.0, e));
    e->clock.limit = whole;
    return RS_OK;
}

/* ---- together ------------------------------------------------------------------------ */

static rs_status make_room(engine *e)
{
    const size_t d = (size_t)e->problem->d, k = (size_t)e->asked->k;
    e->score = rs_alloc_double(e->ctx, d * RS_SLOTS);
    e->gain_at = rs_alloc_double(e->ctx, d);
    RS_ALLOC_INTS(e->ctx, d, &e->slot_at, &e->order);
    RS_ALLOC_INTS(e->ctx, k, &e->trial, &e->places);
    RS_TRY(rs_allocated(e->ctx));
    e->near.meet = meet;
    e->near.state = e;
    e->near.enough = 1e-2 * RS_ROLE_SLACK;
    return rs_subset_init(e->ctx, e->problem, e->asked->k, 1, &e->set);
}

/* what a set explains by a factorisation made for it, or the search's own
 * value where that is surer */
static rs_status value_of(const int *set, double *least, double *most,
                          engine *e)
{
    RS_TRY(rs_subset_assign(&e->set, e->asked->k, set));
    double value = e->set.explained / e->problem->total;
    double error = RS_CSS_SCORE_ERROR * value;
    if (e->able && e->set.k == e->asked->k) {
        rs_css_best *best = &e->branch.best;
        rs_css_take_set(e->problem, &e->space, e->asked->k, set, best->trial);
        best->near = NULL;
        rs_css_begin(best);
        if (best->value >= 0.0 && best->error < error) {
            value = best->value;
            error = best->error;
        }
    }
    *least = value - error;
    *most = value + error;
    return RS_OK;
}

static rs_status begin_roles(engine *e)
{
    const rs_lsq *p = e->problem;
    double value, most, given;
    RS_TRY(value_of(e->asked->given, &given, &most, e));
    RS_TRY(value_of(e->asked->best, &value, &most, e));
    RS_TRY(rs_role_begin(e->ctx, p->d, e->asked, p->barred, p->first, value,
                         most, e->fit));
    e->fit->given = given;
    return RS_OK;
}

rs_status rs_css_roles(rs_context *ctx, const rs_lsq *problem,
                       const rs_role_settings *asked,
                       const rs_css_input *input, rs_role_fit *fit)
{
    engine e = {.ctx = ctx,
                .problem = problem,
                .asked = asked,
                .fit = fit,
                .bound = 1.0};
    rs_clock_start(asked->time_limit, &e.clock);
    RS_TRY(make_room(&e));
    RS_TRY(open_search(input, &e));
    RS_TRY(begin_roles(&e));
    RS_TRY(sweep(&e));
    RS_TRY(list_tolerances(&e));
    if (!fit->complete[asked->tolerances - 1])
        RS_TRY(climb(&e));
    RS_TRY(sweep(&e));
    rs_role_conclude(asked, e.bound, fit);
    fit->proved = e.able;
    fit->seconds = rs_clock_seconds(&e.clock);
    return RS_OK;
}
