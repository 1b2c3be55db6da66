#include "method/css/exact.h"

#include <math.h>
#include <string.h>

/* room for open nodes */
#define RS_CSS_NODE_BYTES 2.5e8

typedef struct {
    rs_context *ctx;
    rs_clock clock;
    const rs_lsq *problem;
    const rs_css_settings *settings;
    int k;
    rs_css_space space;
    rs_css_branch branch;
    rs_bnb search;
    rs_css_proof *fit;
    double
        known; /* what the given set explains, where it counts as dependent */
} proof;

static rs_status run(proof *s)
{
    const rs_clock *outer = s->ctx->clock;
    s->ctx->clock = &s->search.clock;
    const rs_status status = rs_bnb_run(&s->search);
    s->ctx->clock = outer;
    if (status != RS_LATE)
        return status;
    rs_bnb_note(&s->search);
    return RS_OK;
}

/* what is stated: units of the total become those of the problem */
static void conclude(proof *s)
{
    const rs_css_best *best = &s->branch.best;
    const double total = s->problem->total;
    rs_css_proof *fit = s->fit;
    const double bound =
        fmax(fmax(rs_bnb_bound(&s->search), best->hidden), s->known);
    fit->resolved = fmax(best->hidden, s->known) <= rs_css_cut(best);
    fit->complete = fit->resolved && rs_bnb_is_complete(&s->search) &&
                    !(bound > rs_css_cut(best));
    fit->bound = fmin(bound, 1.0) * total;
    fit->nodes = s->search.nodes;
    fit->trace = s->search.trace;
    if (s->known > rs_css_cut(best))
        return; /* by what the search does not count as independent */
    fit->explained = best->value * total;
    for (int i = 0; i < s->k; i++)
        fit->set[i] = s->space.list[best->set[i]];
}

/* sets of fewer features than k: nothing was searched, and what they leave
 * counts as nothing or is not known */
static void conclude_short(const rs_lsq *problem,
                           const rs_css_settings *settings, rs_css_proof *fit)
{
    fit->complete = fit->resolved =
        fit->explained >= (1.0 - settings->tol) * problem->total;
    fit->bound = fit->first_bound =
        fit->complete ? fit->explained : problem->total;
    fit->nodes = 0.0;
    fit->trace.count = 0;
}

static rs_status prove(proof *s)
{
    const rs_css_settings *settings = s->settings;
    int *first = rs_alloc_int(s->ctx, (size_t)s->k);
    RS_TRY_ALLOC(first);
    RS_TRY(rs_css_space_init(s->ctx, s->problem, &settings->input, s->k,
                             &s->space));
    RS_TRY(rs_css_branch_init(&s->space, s->k, settings->tol, &s->branch));
    rs_css_best *best = &s->branch.best;
    const int included =
        rs_css_take_set(s->problem, &s->space, s->k, s->fit->set, best->trial);
    memcpy(first, best->trial, (size_t)included * sizeof *first);
    rs_css_begin(best);
    s->known =
        best->value < 0.0 ? s->fit->explained / s->problem->total : -1.0;
    const rs_bnb_problem problem = {&s->branch, rs_css_node_size(&s->branch),
                                    rs_css_branch_on, NULL};
    const rs_bnb_limits limits = {RS_BEST_FIRST, rs_clock_left(&s->clock),
                                  INFINITY, RS_CSS_NODE_BYTES, best->tie};
    RS_TRY(rs_bnb_init(s->ctx, &problem, &limits, s->k, best->set, best->value,
                       &s->search));
    RS_TRY(rs_css_branch_root(included, first, &s->search, &s->branch,
                              &s->fit->first_bound));
    s->fit->first_bound *= s->problem->total;
    RS_TRY(run(s));
    conclude(s);
    return RS_OK;
}

rs_status rs_css_exact(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_css_proof *fit)
{
    proof s = {.ctx = ctx,
               .problem = problem,
               .settings = settings,
               .k = k,
               .fit = fit};
    rs_clock_start(settings->time_limit, &s.clock);
    if (fit->count < k)
        conclude_short(problem, settings, fit);
    else
        RS_TRY(prove(&s));
    fit->seconds = rs_clock_seconds(&s.clock);
    return RS_OK;
}
