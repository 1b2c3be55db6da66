/* Roles of features among column subsets: all sets near the best one, or
 * witnesses by exchanges. */
#include "method/css/roles.h"

#include <math.h>
#include <string.h>

#include "proof/role_exchange.h"

/* features to choose for which all sets are met; and one more of so many */
#define RS_CSS_LIST 4
#define RS_CSS_LIST_FEW 300
/* most features whose products are kept */
#define RS_CSS_LIST_MOST 6000
/* shares of the time: for all sets of a tolerance where others follow, and for
 * climbs after a search that has not ended */
#define RS_CSS_LIST_SHARE 0.6
#define RS_CSS_SEARCH_SHARE 0.7
/* rounding of what exchanges add up to, as a share */
#define RS_CSS_SCORE_ERROR 1e-10
/* what each exchange of a climb must gain */
#define RS_CSS_GAIN 1e-9

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_role_settings *asked;
    rs_role_fit *fit;
    rs_clock clock;
    int able; /* is there a search, and are there products to evaluate by? */
    rs_css_sets sets;
    rs_questions near;
    rs_tree_fit found; /* the best set, as units */
    double bound, cut;
    rs_subset set;
    rs_role_exchange exchange;
    int *trial, *order; /* k, d */
} engine;

/* ---- sets --------------------------------------------------------------------- */

/* columns, and what exchanges say of the set */
static void consider(void *self, const int *set, double value)
{
    engine *e = (engine *)self;
    double least = value * (1.0 - RS_CSS_SCORE_ERROR);
    double most = value * (1.0 + RS_CSS_SCORE_ERROR), low, high;
    if (e->able) {
        const rs_status status =
            rs_css_value(&e->sets, e->asked->k, set, INFINITY, &low, &high);
        if (e->fit->status == RS_OK)
            e->fit->status = status;
        if (status != RS_OK || high < 0.0)
            return;
        if (high - low < most - least) {
            least = low;
            most = high;
        }
    }
    rs_role_meet(e->asked, set, least, most, e->fit);
}

/* a set that the search has come to */
static int meet(void *self, const int *units, double least, double most)
{
    engine *e = (engine *)self;
    for (int i = 0; i < e->asked->k; i++)
        e->trial[i] = e->sets.list[units[i]];
    return rs_role_meet(e->asked, e->trial, least, most, e->fit);
}

/* ---- exchanges ------------------------------------------------------------------ */

static rs_status take(void *self, const int *set, int afresh)
{
    engine *e = (engine *)self;
    const int k = e->asked->k;
    RS_TRY(afresh ? rs_subset_assign(&e->set, k, set)
                  : rs_subset_change_to(&e->set, k, set));
    return e->set.k < k ? RS_SINGULAR : RS_OK;
}

static const int *members(void *self)
{
    return ((engine *)self)->set.feature;
}

static double explained(void *self)
{
    const engine *e = (const engine *)self;
    return e->set.explained / e->problem->total;
}

static void score(void *self, int count, const int *slots, double *value)
{
    engine *e = (engine *)self;
    double loss[RS_SLOTS];
    rs_subset_exchange_scores(&e->set, count, slots, value, loss);
    for (int b = 0; b < count; b++, value += e->problem->d)
        for (int j = 0; j < e->problem->d; j++)
            value[j] = value[j] < 0.0
                           ? -INFINITY
                           : (e->set.explained - loss[b] + value[j]) /
                                 e->problem->total;
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
        RS_TRY(rs_old_role_climb(e->order[a], e->cut, RS_CSS_GAIN, &e->exchange));
        RS_TRY(e->fit->status);
        if (e->fit->better)
            RS_TRY(rs_old_role_sweep(&e->exchange));
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
    RS_TRY(rs_css_sets_open(e->ctx, p, input, e->asked->k, &e->sets));
    e->able = 1;
    return RS_OK;
}

/* all sets that reach the cut of a tolerance; again where one is better */
static rs_status list_sets(int tolerance, double share, engine *e)
{
    rs_role_fit *fit = e->fit;
    do {
        const double seconds = share * rs_clock_left(&e->clock);
        if (seconds <= 0.0)
            return RS_OK;
        fit->better = 0;
        e->cut = rs_role_cut(e->asked, tolerance, fit);
        const rs_tree_settings settings = {.k = e->asked->k,
                                           .fixed = e->sets.fixed,
                                           .tie = e->cut - 0.5 * fit->slack -
                                                  fit->roles.value,
                                           .seconds = seconds,
                                           .nodes = INFINITY,
                                           .questions = &e->near};
        for (int i = 0; i < e->asked->k; i++)
            e->found.set[i] = e->sets.place[fit->roles.best[i]];
        e->found.bound = 1.0;
        RS_TRY(rs_tree_search(&settings, e->sets.tree, &e->found));
        RS_TRY(fit->status);
        fit->nodes += e->found.nodes;
    } while (fit->better);
    e->bound = fmin(e->bound, fmax(e->found.rest, fit->roles.value));
    if (e->found.complete)
        rs_role_close(tolerance, e->cut - 0.5 * fit->slack, fit);
    return RS_OK;
}

static rs_status list_tolerances(engine *e)
{
    const double whole = e->clock.limit;
    if (!e->able)
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
    const rs_role_sets sets = {e, take, members, explained, score, consider};
    e->order = rs_alloc_int(e->ctx, d);
    RS_ALLOC_INTS(e->ctx, k, &e->trial, &e->found.set);
    RS_TRY(rs_allocated(e->ctx));
    e->near.meet = meet;
    e->near.state = e;
    RS_TRY(rs_subset_init(e->ctx, e->problem, e->asked->k, 1, &e->set));
    return rs_old_role_exchange_init(e->ctx, e->problem->d, e->asked->k,
                                 e->problem->first, &sets, e->fit,
                                 &e->exchange);
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
        RS_TRY(
            rs_css_value(&e->sets, e->asked->k, set, -INFINITY, least, most));
        if (*most >= 0.0 && *most - *least < 2.0 * error)
            return RS_OK;
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
    RS_TRY(rs_old_role_sweep(&e.exchange));
    RS_TRY(list_tolerances(&e));
    if (!fit->complete[asked->tolerances - 1])
        RS_TRY(climb(&e));
    RS_TRY(rs_old_role_sweep(&e.exchange));
    rs_role_conclude(asked, e.bound, fit);
    fit->proved = e.able;
    fit->seconds = rs_clock_seconds(&e.clock);
    return RS_OK;
}
