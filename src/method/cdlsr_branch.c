#include "method/cdlsr_branch.h"

#include <math.h>
#include <string.h>

#include "method/cdlsr_branch_bounds.h"
#include "method/cdlsr_branch_filter.h"
#include "method/cdlsr_branch_init.h"
#include "method/cdlsr_branch_last.h"
#include "method/cdlsr_branch_sets.h"
#include "method/cdlsr_branch_step.h"

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
        if (rs_cannot_win(s, bound + 3.0 * (to.slack + s->error)))
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
    if (rs_cannot_win(s, rs_branch_coherence_bound(s, depth, m, p)) ||
        rs_cannot_win(s, rs_branch_additive_bound(s, depth, m, p)))
        return 1;
    return m > 2 &&
           rs_cannot_win(s, rs_branch_joint_bound(s, depth, m, p, explained));
}

/* is the search over? Then what is left bounds the rest */
static int stop_here(rs_branch *s, int depth, int m, int p, double explained)
{
    if (!rs_branch_is_late(s))
        return 0;
    s->fit->bound =
        fmax(s->fit->bound, rs_branch_node_bound(s, depth, m, p, explained));
    return 1;
}

/* the last two features: most of the first of these are filtered out, many
 * at a time. A visit may find that it is late and leave sets out. */
static rs_status explore_pairs(rs_branch *s, int depth, int from,
                               double explained)
{
    unsigned char keep[RS_STRIP];
    rs_branch_filter filter;
    int width;
    for (int p = from; p <= s->d - 2; p += width) {
        width = rs_min_int(RS_STRIP, s->d - 1 - p);
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
            if (s->stopped && stop_here(s, depth, 2, p + b, explained))
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

static rs_status explore_all(rs_branch *s)
{
    if (rs_cannot_win(s, rs_branch_node_bound(s, 0, s->k, 0, 0.0)))
        return RS_OK;
    return explore(s, 0, 0, 0.0);
}

/* k = 1: the best candidate is the answer */
static void best_single(rs_branch *s)
{
    const double error = 3.0 * s->error;
    for (int q = 0; q < s->d; q++)
        if (!rs_cannot_win(s, s->alone[q] + error))
            rs_branch_try(s, 0, -1, q, s->alone[q], s->alone[q] + error);
    s->fit->nodes = s->d;
}

rs_status rs_cdlsr_branch(rs_context *ctx, const rs_lsq *problem,
                          const rs_exact_settings *settings, rs_exact_fit *fit)
{
    rs_branch s;
    memset(&s, 0, sizeof s);
    s.problem = problem;
    s.set = settings;
    s.fit = fit;
    s.ctx = ctx;
    s.k = settings->k;
    for (int j = 0; j < problem->d; j++)
        s.d += !problem->barred[j];
    s.least = settings->tol;
    s.size = sqrt(problem->total);
    s.error = rs_product_error(problem);
    /* a single feature takes no time */
    rs_clock_start(s.k > 1 ? settings->time_limit : INFINITY, &s.clock);
    fit->nodes = 0.0;
    fit->bound = 0.0;
    RS_TRY(rs_branch_init(ctx, &s));
    fit->explained /= problem->total;
    if (s.accurate.able)
        fit->explained =
            rs_accurate_explained(&s.accurate, s.k, fit->feature) /
            problem->total;
    if (s.k == 1)
        best_single(&s);
    else
        RS_TRY(explore_all(&s));
    fit->resolved = rs_cannot_win(&s, s.unresolved);
    fit->complete = !s.stopped && fit->resolved;
    fit->bound = fmax(fmax(fit->bound, s.unresolved), fit->explained);
    fit->bound = fmin(fit->bound, 1.0) * problem->total;
    fit->explained *= problem->total;
    return RS_OK;
}
