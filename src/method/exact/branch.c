/* Branch and bound over ordered sets: nodes, their order and the result, from
 * the root and an incumbent. */
#include "method/exact/branch.h"

#include <math.h>
#include <string.h>

#include "method/exact/branch_bounds.h"
#include "method/exact/branch_filter.h"
#include "method/exact/branch_init.h"
#include "method/exact/branch_last.h"
#include "method/exact/branch_sets.h"
#include "method/exact/branch_step.h"

static rs_status explore(rs_branch *s, int depth, int from, double explained);

/* one child: feature p is added to the node, `m` are to choose with it */
static rs_status visit(rs_branch *s, int depth, int m, int p, double explained)
{
    rs_branch_step to;
    double bound;
    int usable;
    RS_TRY(rs_branch_take_step(s, depth, p, explained, &to, &usable));
    s->fit->nodes += 1.0;
    if (!usable)
        return RS_OK;
    if (m == 2) {
        bound = to.explained + rs_branch_last_bound(s, &s->at[depth]);
        if (rs_cannot_win(s, bound + 3.0 * (to.slack + s->root.error)))
            return RS_OK;
        return rs_branch_scan_last(s, depth, p, &to);
    }
    RS_TRY(rs_branch_descend(s, depth, p, &to));
    bound = rs_branch_node_bound(s, depth + 1, m - 1, p + 1, to.explained);
    if (rs_cannot_win(s, bound))
        return RS_OK;
    return explore(s, depth + 1, p + 1, to.explained);
}

/* can no set that adds m candidates from position p on win? */
static int is_hopeless(rs_branch *s, int depth, int m, int p, double explained)
{
    if (rs_cannot_win(s, rs_branch_coherence_bound(s, depth, m, p)))
        return 1;
    return m > 2 &&
           rs_cannot_win(s, rs_branch_joint_bound(s, depth, m, p, explained));
}

/* is the search over? Then what is left bounds the rest */
static int stop_here(rs_branch *s, int depth, int m, int p, double explained)
{
    if (!rs_bnb_is_late(&s->search))
        return 0;
    s->search.lost =
        fmax(s->search.lost, rs_branch_node_bound(s, depth, m, p, explained));
    return 1;
}

/* the last two features: most of the first of these are filtered out, many
 * at a time. A visit may find that it is late and leave sets out. */
static rs_status explore_pairs(rs_branch *s, int depth, int from,
                               double explained)
{
    unsigned char keep[RS_BRANCH_STRIP];
    rs_branch_filter filter;
    int width;
    for (int p = from; p <= s->d - 2; p += width) {
        width = rs_min_int(RS_BRANCH_STRIP, s->d - 1 - p);
        if (stop_here(s, depth, 2, p, explained) ||
            is_hopeless(s, depth, 2, p, explained))
            return RS_OK;
        RS_TRY(rs_poll(s->ctx));
        rs_branch_filter_pose(s, depth, explained, &filter);
        s->fit->nodes +=
            width - rs_branch_filter_apply(s, depth, p, width, &filter, keep);
        for (int b = 0; b < width; b++) {
            if (keep[b])
                RS_TRY(visit(s, depth, 2, p + b, explained));
            if (s->search.stopped && stop_here(s, depth, 2, p + b, explained))
                return RS_OK;
        }
    }
    return RS_OK;
}

/*
 * All sets that add k - depth candidates from position `from` on to the node.
 * The bounds of what is left fall with the position, so that the first
 * position whose bound cannot win ends the loop.
 */
static rs_status explore(rs_branch *s, int depth, int from, double explained)
{
    const int m = s->k - depth;
    if (m == 2)
        return explore_pairs(s, depth, from, explained);
    for (int p = from; p <= s->d - m; p++) {
        if (stop_here(s, depth, m, p, explained) ||
            is_hopeless(s, depth, m, p, explained))
            return RS_OK;
        RS_TRY(rs_poll(s->ctx));
        RS_TRY(visit(s, depth, m, p, explained));
    }
    return RS_OK;
}

/* ---- the search ------------------------------------------------------------ */

/* the features in every set, one after the other: *explained by them, and
 * *usable = 0 where they depend on each other */
static rs_status add_first(rs_branch *s, int count, double *explained,
                           int *usable)
{
    *explained = 0.0;
    *usable = 1;
    for (int depth = 0; depth < count && *usable; depth++) {
        rs_branch_step to;
        RS_TRY(rs_branch_take_step(s, depth, depth, *explained, &to, usable));
        if (!*usable)
            return RS_OK;
        RS_TRY(rs_branch_descend(s, depth, depth, &to));
        *explained = to.explained;
    }
    return RS_OK;
}

/* one feature to choose beside `first` >= 1 others */
static rs_status choose_last(rs_branch *s)
{
    const int last = s->first - 1;
    double explained;
    int usable;
    rs_branch_step to;
    RS_TRY(add_first(s, last, &explained, &usable));
    if (usable)
        RS_TRY(rs_branch_take_step(s, last, last, explained, &to, &usable));
    return usable ? rs_branch_scan_last(s, last, last, &to) : RS_OK;
}

/* an open node: the sets that hold no feature before position p but those in
 * every set */
typedef struct {
    int p;
    double explained; /* by these */
} node;

static rs_status branch(void *self, const void *record, double bound,
                        rs_bnb *search)
{
    rs_branch *s = (rs_branch *)self;
    const node now = *(const node *)record;
    const int depth = s->first, m = s->k - depth;
    if (m == 2)
        return explore_pairs(s, depth, now.p, now.explained);
    if (now.p > s->d - m || is_hopeless(s, depth, m, now.p, now.explained)) {
        rs_bnb_prune(rs_bnb_cut(search), search);
        return RS_OK;
    }
    const node rest = {now.p + 1, now.explained};
    RS_TRY(rs_bnb_push(
        &rest,
        fmin(bound, rs_branch_node_bound(s, depth, m, rest.p, now.explained)),
        search));
    return visit(s, depth, m, now.p, now.explained);
}

/* k = 1: the best candidate is the answer */
static void best_single(rs_branch *s)
{
    const double error = 3.0 * s->root.error;
    for (int q = 0; q < s->d; q++)
        if (!rs_cannot_win(s, s->alone[q] + error))
            rs_branch_try(s, 0, -1, q, s->alone[q], s->alone[q] + error);
    s->fit->nodes = s->d;
}

/* one feature to choose, which takes no branching; sets are bounded by 1 until
 * all have been looked at */
static rs_status search_singles(rs_branch *s)
{
    s->search.now = 1.0;
    if (s->first == 0)
        best_single(s);
    else
        RS_TRY(choose_last(s));
    s->search.now = -INFINITY;
    rs_bnb_note(&s->search);
    return RS_OK;
}

static rs_status run(rs_branch *s)
{
    node root = {s->first, 0.0};
    int usable;
    if (s->k - s->first == 1)
        return search_singles(s);
    RS_TRY(add_first(s, s->first, &root.explained, &usable));
    if (!usable)
        return RS_OK;
    RS_TRY(rs_bnb_push(&root,
                       rs_branch_node_bound(s, s->first, s->k - s->first,
                                            root.p, root.explained),
                       &s->search));
    return rs_bnb_run(&s->search);
}

rs_status rs_cdlsr_branch(rs_context *ctx, const rs_lsq *problem,
                          const rs_exact_settings *settings, rs_exact_fit *fit)
{
    rs_branch s = {.problem = problem,
                   .set = settings,
                   .fit = fit,
                   .ctx = ctx,
                   .k = settings->k,
                   .size = sqrt(problem->total)};
    fit->nodes = 0.0;
    const rs_bnb_problem what = {&s, sizeof(node), branch, NULL};
    const rs_bnb_limits limits = {RS_DEPTH_FIRST, settings->time_limit,
                                  INFINITY, 1e4, settings->tol};
    RS_TRY(rs_bnb_init(ctx, &what, &limits, s.k, fit->feature,
                       fit->explained / problem->total, &s.search));
    RS_TRY(rs_branch_init(ctx, &s));
    if (s.accurate.able)
        s.search.value =
            rs_accurate_explained(&s.accurate, s.k, fit->feature) /
            problem->total;
    if (s.k - s.first == 1)
        s.search.clock.limit = INFINITY; /* a single feature takes no time */
    if (s.first < s.k)
        RS_TRY(run(&s));
    memcpy(fit->feature, s.search.set, (size_t)s.k * sizeof(int));
    fit->trace = s.search.trace;
    fit->resolved = rs_cannot_win(&s, s.unresolved);
    fit->complete = rs_bnb_is_complete(&s.search) && fit->resolved;
    fit->bound = fmin(fmax(rs_bnb_bound(&s.search), s.unresolved), 1.0) *
                 problem->total;
    fit->explained = s.search.value * problem->total;
    return RS_OK;
}
