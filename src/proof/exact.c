/* Proofs for sets of features in least squares: which trees are searched, for
 * how long, and what is claimed. */
#include "proof/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "proof/closing.h"
#include "proof/groups.h"
#include "sets/accurate.h"
#include "sets/value_lsq.h"

/* so few features are searched for by their last ones, too, where the other tree
 * has not ended within this share of the time; and first of all if there are
 * no more samples than features and all sets near the best are asked for */
#define RS_FEW_FEATURES 4
/* more features than this are searched for by regressions on all that are left,
 * where these are no more than RS_TOGETHER */
#define RS_CLOSED_FEATURES 7
/* of a set that leaves nothing other ones as good are looked for among no more
 * than RS_TOGETHER features, in so many nodes */
#define RS_EQUALS_NODES 50
/* features to choose for which all sets of css() are met, and one more of few */
#define RS_REPRODUCED_LIST 4

/* the trees of a problem */
typedef struct {
    rs_context *ctx;
    const rs_lsq *given;
    rs_lsq problem; /* without copies of features */
    int k, candidates;
    int open; /* how many of k are to choose */
    const rs_exact_given *known;
    rs_set_value value;
    /* of css(): are there products? Room for 4 k x k of them; a value from the
     * data, where these are at hand or roles are asked for */
    int able;
    double *blocks;
    rs_groups features;
    rs_value_lsq by_data;
    rs_subsets *shared;
    rs_closing_search closing;
    rs_tree *closing_tree;
} trees;

/* ---- values of sets ------------------------------------------------------------ */

/* f = tr(GH), G = C^{-1}; an error e of C and h of H make it off by at most
 * e sum |GHG| + h sum |G|. Nothing is told if a feature depends on others */
static void reproduced_by_products(trees *t, int k, const int *columns,
                                   double *least, double *most)
{
    const rs_closing_kernel *from = &t->closing.kernel;
    const size_t cells = (size_t)k * (size_t)k, q = (size_t)from->q;
    double *G = t->blocks, *H = G + cells, *GH = H + cells, *GHG = GH + cells;
    double value = 0.0;
    for (size_t i = 0; i < cells; i++) { /* H = Z'Z where that is not held */
        const size_t a = (size_t)from->place[columns[i % k]];
        const size_t b = (size_t)from->place[columns[i / k]];
        const size_t at = a + (size_t)from->count * b;
        G[i] = from->C[at];
        H[i] = from->H ? from->H[at]
                       : rs_dot(q, from->Z + q * a, from->Z + q * b);
    }
    if (rs_cholesky(k, G, k) != RS_OK || rs_cholesky_inverse(k, G) != RS_OK)
        return;
    for (int i = 0; i < k; i++)
        if (!(G[i * (k + 1)] * from->least < 1.0))
            return;
    rs_matmul(k, k, k, G, H, GH);
    rs_matmul(k, k, k, GH, G, GHG);
    for (int i = 0; i < k; i++)
        value += GH[i * (k + 1)];
    const double rounding = (k + 8) * DBL_EPSILON;
    const double error =
        (from->product_error + rounding) * rs_sum_moduli(cells, GHG) +
        (from->response_error + rounding) * rs_sum_moduli(cells, G);
    *least = value - error;
    *most = value + error;
}

/* from the data; *most < 0: nothing is known yet */
static rs_status reproduced_by_data(trees *t, int k, const int *columns,
                                    double *least, double *most)
{
    double value;
    /* products of features that just count as independent resolve as much */
    const double error = t->problem.X ? RS_TIE : RS_LEFT_MINUTE;
    RS_TRY(t->by_data.as_value.move(&t->by_data, k, columns, &value));
    value /= t->problem.total;
    if (*most < 0.0 || 2.0 * value * error < *most - *least) {
        *least = value * (1.0 - error);
        *most = value * (1.0 + error);
    }
    return RS_OK;
}

/* of css(): from the data where products do not tell */
static rs_status value_at(trees *t, int k, const int *columns, double cut,
                          double *least, double *most)
{
    if (!t->known->reproduces) {
        rs_set_value_of(k, columns, cut, least, most, &t->value);
        return rs_poll(t->ctx);
    }
    *least = *most = -INFINITY;
    if (t->able)
        reproduced_by_products(t, k, columns, least, most);
    if (*most >= 0.0 && *most > cut && *most - *least > RS_TIE &&
        t->by_data.problem)
        RS_TRY(reproduced_by_data(t, k, columns, least, most));
    return rs_poll(t->ctx);
}

static rs_status value_of(void *state, const int *set, double cut,
                          double *least, double *most)
{
    trees *t = (trees *)state;
    return value_at(t, t->k, set, cut, least, most);
}

/* where cross-products have a splitting: with a ridge, or more samples */
static int may_split(const trees *t)
{
    return !t->known->reproduces && t->open > 2 &&
           (t->problem.ridge > 0.0 || t->problem.n > t->candidates);
}

static void count_candidates(trees *t)
{
    t->candidates = 0;
    t->open = t->k;
    for (int j = 0; j < t->problem.d; j++) {
        t->candidates += !t->problem.barred[j];
        t->open -= t->problem.first && t->problem.first[j];
    }
}

/* *tree NULL: there is no splitting */
static rs_status open_splitting(int most, rs_tree **tree, trees *t)
{
    rs_subsets *shared = t->shared;
    *tree = NULL;
    if (!may_split(t))
        return RS_OK;
    if (!shared->tree)
        RS_TRY(rs_subsets_init(t->ctx, t->given, t->known->YtY, most, shared));
    shared->of.value = value_of;
    shared->of.value_state = t;
    t->value.kernel = &shared->last.kernel;
    RS_TRY(rs_subsets_open(t->problem.barred, shared));
    if (shared->able)
        *tree = shared->tree;
    return RS_OK;
}

static rs_status open_closing(trees *t)
{
    rs_closing_search *c = &t->closing;
    const int reproduces = t->known->reproduces;
    const double least = !reproduces    ? 0.0
                         : t->problem.X ? RS_LEFT_NONE
                                        : RS_LEFT_SLIGHT;
    RS_TRY(rs_closing_open(t->ctx, &t->problem, t->k, t->known->YtY,
                           reproduces || t->open > 3, least, c));
    t->value.kernel = &c->kernel;
    c->of.value = value_of;
    c->of.value_state = t;
    return rs_tree_open(t->ctx, t->problem.d, t->k, &c->of, &t->closing_tree);
}

/* for sets of up to `most` features */
static rs_status begin(rs_context *ctx, const rs_lsq *problem, int k, int most,
                       const rs_exact_given *known, double enough,
                       rs_subsets *shared, trees *t)
{
    *t = (trees){.ctx = ctx,
                 .given = problem,
                 .problem = *problem,
                 .k = k,
                 .known = known,
                 .shared = shared};
    count_candidates(t);
    if (!known->reproduces)
        return rs_set_value_init(ctx, problem, NULL, most, enough, &t->value);
    t->able = t->candidates <= RS_CLOSING_MOST;
    return RS_OK;
}

/* exchanges of single features, or their values alone */
static rs_status open_exchanges(trees *t, rs_value_lsq *lsq)
{
    const rs_lsq *p = t->given;
    RS_TRY(rs_groups_of_one(t->ctx, p->d, p->square, p->first, p->barred,
                            &t->features));
    return rs_value_lsq_init(t->ctx, p, &t->features, t->k, lsq);
}

static rs_status open_reproduced(int roles, trees *t)
{
    const rs_lsq *p = &t->problem;
    const size_t k = (size_t)t->k;
    if (t->able)
        RS_TRY(open_closing(t));
    t->blocks = rs_alloc_double(t->ctx, 4 * k * k);
    RS_TRY_ALLOC(t->blocks);
    if (roles || p->X || p->given.raw || p->given.whole)
        RS_TRY(open_exchanges(t, &t->by_data));
    return RS_OK;
}

/* products that are late are none */
static rs_status reproduce_in_time(double seconds, int roles, trees *t)
{
    rs_clock clock;
    rs_clock_start(rs_tree_grace(seconds), &clock);
    t->ctx->clock = &clock;
    const rs_status status = open_reproduced(roles, t);
    t->ctx->clock = NULL;
    if (status != RS_LATE)
        return status;
    t->able = 0;
    t->by_data.problem = NULL;
    return roles ? open_reproduced(roles, t) : RS_OK;
}

/* ---- the best set ------------------------------------------------------------- */

typedef struct {
    trees of;
    rs_tree_settings search;
    const rs_exact_settings *settings;
    rs_tree_fit *fit;
    int count;
    double bound; /* what sets explain at most, as a share */
    int *copy_of; /* d: or -1; NULL of css() */
    rs_clock clock;
    double began; /* seconds after its start: the tree that is searched */
} proof;

/* one feature of those that are copies of each other, if k are left */
static rs_status leave_out_copies(proof *s)
{
    const unsigned char *distinct;
    trees *t = &s->of;
    int left = 0;
    s->copy_of = rs_alloc_int(t->ctx, (size_t)t->problem.d);
    RS_TRY_ALLOC(s->copy_of);
    RS_TRY(rs_bar_copies(t->ctx, t->given, t->k, s->fit->set, &distinct,
                         s->copy_of));
    for (int j = 0; j < t->problem.d; j++)
        left += !distinct[j];
    if (left >= t->k)
        t->problem.barred = distinct;
    count_candidates(t);
    return RS_OK;
}

/* has a feature of the set that may leave a copy beside it? */
static int has_copy(const proof *s)
{
    const rs_lsq *p = s->of.given;
    for (int j = 0; s->copy_of && j < p->d; j++)
        for (int i = 0; i < s->count; i++)
            if (s->copy_of[j] == s->fit->set[i] &&
                !(p->first && p->first[s->copy_of[j]]))
                return 1;
    return 0;
}

/* what was found by a tree, behind the course of one before */
static void take_found(const rs_tree_fit *found, proof *s)
{
    rs_tree_fit *fit = s->fit;
    rs_tree_trace *all = &fit->trace;
    fit->value = found->value;
    fit->resolved = found->resolved;
    fit->tied |= found->tied;
    fit->complete = found->complete;
    fit->nodes += found->nodes;
    fit->excluded += found->excluded;
    fit->fixed += found->fixed;
    for (int i = 0; i < found->trace.count && all->count < RS_TREE_TRACE;
         i++) {
        rs_tree_state *state = all->at + all->count++;
        *state = found->trace.at[i];
        state->seconds += s->began;
        state->bound = fmin(state->bound, s->bound);
    }
    s->bound = fmin(s->bound, found->bound);
}

static rs_status search_tree(rs_tree *tree, proof *s)
{
    rs_tree_fit found = {.set = s->fit->set, .bound = s->bound};
    s->search.excluded = s->of.problem.barred;
    s->search.fixed = s->of.problem.first;
    RS_TRY(rs_tree_search(&s->search, tree, &found));
    take_found(&found, s);
    return RS_OK;
}

static rs_status search_splitting(proof *s)
{
    rs_tree *tree;
    RS_TRY(open_splitting(s->settings->most, &tree, &s->of));
    return tree ? search_tree(tree, s) : RS_OK;
}

/* Furnival and Wilson's leaps, as of groups of one */
static rs_status search_leaps(proof *s)
{
    trees *t = &s->of;
    const rs_lsq *p = &t->problem;
    rs_lsq whole = *p;
    rs_groups features;
    rs_bound_groups leaps;
    rs_tree *tree;
    if (whole.X)
        RS_TRY(rs_lsq_use_products(t->ctx, &whole));
    RS_TRY(rs_groups_of_one(t->ctx, p->d, p->square, p->first, p->barred,
                            &features));
    RS_TRY(rs_bound_groups_lsq(t->ctx, &features, t->k, p, whole.S,
                               t->known->YtY, &leaps));
    RS_TRY(rs_tree_open(t->ctx, p->d, t->k, &leaps.of, &tree));
    return search_tree(tree, s);
}

static rs_status search_closing(proof *s)
{
    if (!s->of.known->reproduces)
        RS_TRY(open_closing(&s->of));
    return search_tree(s->of.closing_tree, s);
}

/* within a share of the time that is left; what is late tells nothing */
static rs_status in_time(proof *s, double share, rs_status (*search)(proof *s))
{
    rs_clock clock;
    s->began = rs_clock_seconds(&s->clock);
    s->search.seconds = share * fmax(rs_clock_left(&s->clock), 0.0);
    rs_clock_start(rs_tree_grace(s->search.seconds), &clock);
    s->of.ctx->clock = &clock;
    const rs_status status = search(s);
    s->of.ctx->clock = NULL;
    return status == RS_LATE ? RS_OK : status;
}

static rs_status search(proof *s)
{
    const trees *t = &s->of;
    const int few = t->k <= RS_FEW_FEATURES;
    if (may_split(t))
        RS_TRY(in_time(s, few ? RS_TIME_SHARE : 1.0, search_splitting));
    const int split = may_split(t) && t->shared->able;
    if (s->fit->complete || !s->fit->resolved || (split && !few))
        return RS_OK;
    const int leaps = !t->known->reproduces && t->open > RS_CLOSED_FEATURES &&
                      t->candidates <= RS_TOGETHER;
    return in_time(s, 1.0, leaps ? search_leaps : search_closing);
}

/* does every other feature depend on the set, by twice the precision? */
static int spans_all(proof *s)
{
    rs_accurate *accurate = &s->of.value.accurate;
    const rs_lsq *p = s->of.given;
    const int count = s->count;
    int *set = s->of.value.set;
    if (!accurate->able || p->ridge > 0.0)
        return 0;
    memcpy(set, s->fit->set, (size_t)count * sizeof *set);
    for (int j = 0; j < p->d; j++) {
        if (p->barred[j])
            continue;
        set[count] = j;
        rs_accurate_explained(accurate, count + 1, set);
        if (accurate->residual[count] > 0.0)
            return 0;
    }
    return 1;
}

/* does the set, which explains so much at least, leave no more than rounding? Then
 * no other one has more */
static int leaves_nothing(double least, proof *s)
{
    return least >= 1.0 - s->settings->tol &&
           rs_accurate_is_whole(&s->of.value.accurate, s->count, s->fit->set);
}

/* what is claimed of the set that was found, whose value lies between two shares,
 * and of all others */
static rs_status claim(double least, double most, proof *s)
{
    rs_tree_fit *fit = s->fit;
    const rs_exact_settings *settings = s->settings;
    const double spare = settings->tol;
    const int from_data = s->of.value.accurate.able;
    const double value = 0.5 * (least + most);
    const int sound = s->bound >= least - spare;
    const int known =
        from_data ||
        (sound && (s->of.known->reproduces || most - least <= 2.0 * spare));
    if (from_data && !sound)
        return RS_UNSOUND;
    fit->complete = fit->complete || s->bound <= value + spare;
    fit->resolved = fit->resolved || fit->complete;
    if (s->count < settings->k)
        fit->complete = fit->resolved = spans_all(s);
    /* gains that do not count are more than such a set leaves of Y */
    if (known && least >= 1.0 - spare) {
        fit->complete = fit->resolved =
            (s->count < settings->k && fit->complete) ||
            s->of.candidates <= s->of.k || leaves_nothing(least, s);
        s->bound = 1.0;
    }
    fit->resolved = fit->resolved && known;
    fit->complete = fit->complete && known;
    fit->value = value;
    fit->bound = fit->complete ? value : fmin(fmax(s->bound, most), 1.0);
    return RS_OK;
}

/* of the set, to begin with and in the end; of css(), 0 to 1 where it counts as
 * dependent or there are no products */
static rs_status value_of_best(double *least, double *most, proof *s)
{
    trees *t = &s->of;
    *least = 0.0;
    *most = t->known->reproduces && !t->able ? 1.0 : -1.0;
    if (*most < 0.0)
        RS_TRY(value_at(t, s->count, s->fit->set, -INFINITY, least, most));
    if (*most < 0.0) {
        s->fit->resolved = 0;
        *least = 0.0;
        *most = 1.0;
    }
    return RS_OK;
}

rs_status rs_sets_exact(rs_context *ctx, const rs_lsq *problem,
                        const rs_exact_settings *settings, int count,
                        rs_tree_fit *fit)
{
    proof s = {.settings = settings, .fit = fit, .count = count, .bound = 1.0};
    const int most = rs_max_int(settings->most, count);
    double low, high;
    s.search = (rs_tree_settings){.k = settings->k,
                                  .tie = settings->tol,
                                  .ties = 1,
                                  .report = settings->report,
                                  .report_state = settings->report_state};
    rs_clock_start(settings->time_limit, &s.clock);
    RS_TRY(begin(ctx, problem, settings->k, most, &settings->given, RS_NOTHING,
                 settings->shared, &s.of));
    if (s.of.able)
        RS_TRY(reproduce_in_time(settings->time_limit, 0, &s.of));
    *fit = (rs_tree_fit){.set = fit->set, .resolved = 1};
    RS_TRY(value_of_best(&low, &high, &s));
    /* no set is better than one of which rounding hides what it explains */
    if (count == settings->k && high - low <= RS_RESOLVED) {
        const int ends = leaves_nothing(low, &s);
        if (!settings->given.reproduces)
            RS_TRY(leave_out_copies(&s));
        s.search.nodes = ends ? RS_EQUALS_NODES : INFINITY;
        if (!ends || s.of.candidates <= RS_TOGETHER)
            RS_TRY(search(&s));
        fit->tied |= has_copy(&s);
        RS_TRY(value_of_best(&low, &high, &s));
    }
    RS_TRY(claim(low, high, &s));
    fit->seconds = rs_clock_seconds(&s.clock);
    return RS_OK;
}

/* ---- roles --------------------------------------------------------------------- */

/* roles of css() have values of dependent sets, too */
static rs_status value_for_roles(void *state, const int *set, double cut,
                                 double *least, double *most)
{
    trees *t = (trees *)state;
    RS_TRY(value_of(t, set, cut, least, most));
    if (!t->known->reproduces || *most >= 0.0)
        return RS_OK;
    return reproduced_by_data(t, t->k, set, least, most);
}

static rs_status splitting_for_roles(rs_role_tree *self, rs_tree **tree)
{
    trees *t = (trees *)self->state;
    return open_splitting(t->k, tree, t);
}

static rs_status closing_for_roles(rs_role_tree *self, rs_tree **tree)
{
    trees *t = (trees *)self->state;
    if (!t->known->reproduces)
        RS_TRY(open_closing(t));
    *tree = t->closing_tree;
    return RS_OK;
}

/* how many trees are asked: first the one for few features of many, as far as it
 * goes, or after the other one where that has no splitting */
static int list_trees(trees *t, rs_role_tree *list)
{
    const rs_role_tree closing = {.open = closing_for_roles, .state = t};
    int count = 0;
    if (t->known->reproduces) {
        list[0] = closing;
        list[0].share = RS_TIME_SHARE;
        return t->able;
    }
    if (t->problem.n <= t->candidates && t->open > 2 &&
        t->open <= RS_FEW_FEATURES) {
        list[count] = closing;
        list[count++].share = (1.0 - RS_TIME_MOST);
    }
    if (may_split(t))
        list[count++] = (rs_role_tree){
            .open = splitting_for_roles, .state = t, .asks = 1, .share = 1.0};
    if (count == 0 || list[0].asks) {
        list[count] = closing;
        list[count++].share = RS_TIME_MOST;
    }
    return count;
}

rs_status rs_sets_roles(rs_context *ctx, const rs_lsq *problem,
                        const rs_role_settings *asked,
                        const rs_exact_given *given, rs_role_fit *fit)
{
    rs_subsets shared = {.tree = NULL};
    rs_role_tree list[2];
    rs_value_lsq exchanges;
    trees t;
    RS_TRY(begin(ctx, problem, asked->k, asked->k, given, 1e-2 * RS_ROLE_SLACK,
                 &shared, &t));
    t.able = t.able && t.open >= 1 &&
             t.open <= RS_REPRODUCED_LIST + (t.candidates <= RS_TOGETHER);
    if (given->reproduces)
        RS_TRY(reproduce_in_time(asked->time_limit, 1, &t));
    RS_TRY(open_exchanges(&t, &exchanges));
    const rs_role_problem what = {.d = problem->d,
                                  .excluded = problem->barred,
                                  .fixed = problem->first,
                                  .bound = 1.0,
                                  .value = value_for_roles,
                                  .state = &t,
                                  .rounding = &t.value.rounding,
                                  .sets = &exchanges.as_value,
                                  .trees = list_trees(&t, list),
                                  .tree = list};
    return rs_find_roles(ctx, &what, asked, fit);
}
