#include "method/css/exact.h"

#include <math.h>
#include <string.h>

/* nothing was searched, or nothing is known of what was */
static void know_nothing(const rs_lsq *problem, rs_css_proof *fit)
{
    fit->complete = fit->resolved = 0;
    fit->bound = problem->total;
    fit->nodes = 0.0;
    fit->trace.count = 0;
}

static rs_status prove(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_clock *clock,
                       rs_css_proof *fit)
{
    rs_css_sets sets;
    double least, most;
    int *units = rs_alloc_int(ctx, (size_t)k);
    RS_TRY_ALLOC(units);
    RS_TRY(rs_css_sets_open(ctx, problem, &settings->input, k, &sets));
    RS_TRY(rs_css_value(&sets, k, fit->set, -INFINITY, &least, &most));
    if (most < 0.0)
        return RS_OK; /* it counts as dependent */
    for (int i = 0; i < k; i++)
        units[i] = sets.place[fit->set[i]];
    const rs_tree_settings asked = {.k = k,
                                    .fixed = sets.fixed,
                                    .tie = settings->tol,
                                    .seconds = rs_clock_left(clock),
                                    .nodes = INFINITY};
    rs_tree_fit found = {.set = units, .bound = 1.0};
    RS_TRY(rs_tree_search(&asked, sets.tree, &found));
    for (int i = 0; i < k; i++)
        fit->set[i] = sets.list[units[i]];
    fit->explained = found.value * problem->total;
    fit->bound = fmin(found.bound, 1.0) * problem->total;
    fit->resolved = found.resolved;
    fit->complete = found.complete && found.resolved;
    fit->nodes = found.nodes;
    fit->trace = found.trace;
    return RS_OK;
}

rs_status rs_css_exact(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_css_proof *fit)
{
    rs_clock clock;
    rs_clock_start(settings->time_limit, &clock);
    know_nothing(problem, fit);
    if (fit->count == k)
        RS_TRY(prove(ctx, problem, k, settings, &clock, fit));
    /* of fewer features than k, what they leave counts as nothing or is not
     * known */
    if (fit->count < k &&
        fit->explained >= (1.0 - settings->tol) * problem->total) {
        fit->complete = fit->resolved = 1;
        fit->bound = fit->explained;
    }
    fit->seconds = rs_clock_seconds(&clock);
    return RS_OK;
}
