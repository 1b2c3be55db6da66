#include <math.h>

#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "glue/roles.h"
#include "proof/relax.h"
#include "sets/value_trace.h"

/* one line of progress */
static void report(void *state, const rs_tree_progress *now)
{
    const rs_relax_trace *s = (const rs_relax_trace *)state;
    REprintf("bound %.4f%% above the best set, %d features in the core, "
             "%d open nodes\n",
             100.0 * (now->bound / now->value - 1.0), s->core.p, now->open);
}

/* 1-based numbers of the features with a mark */
static void add_marked(r_result *out, const char *name, rs_unit mark,
                       const rs_relax_trace *s)
{
    const int d = s->op->d;
    int count = 0;
    for (int j = 0; j < d; j++)
        count += s->root[j] == mark;
    int *index = r_add_integers(out, name, count);
    for (int j = 0, at = 0; j < d; j++)
        if (s->root[j] == mark)
            index[at++] = j + 1;
}

/* S itself, where its columns cannot be read again and again */
static void form_products(rs_context *ctx, rs_covop *op)
{
    const size_t d = (size_t)op->d;
    double *S = r_room(ctx, d * d);
    r_check_status(rs_data_gram_features(op->X, S), "cross-products");
    r_check_status(rs_covop_from_matrix(ctx, op->d, S, op->block, op),
                   "covariance operator");
}

/* the problem, its set and what is known of it, in the unit of the operator */
typedef struct {
    rs_context ctx;
    rs_covop *op;
    double unit, value, bound, samples;
    int k, m, *set;
    const unsigned char *excluded, *fixed;
    rs_trace_sizes sizes;
    rs_relax_trace trace;
} problem;

/* set: k features whose value is that of settings; settings: m, value, bound,
 * `barred` (features that no set holds, or NULL), the sizes of the core */
static void read_problem(SEXP data, SEXP set, SEXP settings, problem *p)
{
    p->ctx = r_context();
    p->k = (int)Rf_xlength(set);
    p->m = r_integer(settings, "m");
    p->op = r_covop(data, rs_max_int(p->m, RS_TRACE_BLOCK), &p->ctx);
    p->samples = p->op->X ? p->op->X->n : 0.0;
    if (!p->op->S && r_integer(settings, "form"))
        form_products(&p->ctx, p->op);
    p->unit = rs_covop_use_unit(p->op);
    p->set = r_zero_based(set, p->op->d, &p->ctx);
    p->value = r_number(settings, "value") / p->unit;
    p->bound = r_number(settings, "bound") / p->unit;
    p->excluded = r_indexed(r_element(settings, "barred"), p->op->d, &p->ctx);
    p->fixed = r_locked(data, p->op->d, &p->ctx);
    p->sizes = (rs_trace_sizes){r_integer(settings, "core"),
                                r_integer(settings, "most")};
}

static rs_status make_bound(problem *p)
{
    return rs_relax_trace_init(&p->ctx, p->op, p->k, p->m, &p->sizes, p->set,
                               p->value, &p->trace);
}

SEXP C_fspca_bound(SEXP data, SEXP set, SEXP settings)
{
    problem p;
    read_problem(data, set, settings, &p);
    rs_tree *tree;
    rs_tree_fit fit = {.set = p.set, .bound = p.bound};
    const rs_tree_settings how = {
        .k = p.k,
        .excluded = p.excluded,
        .fixed = p.fixed,
        .tie = r_number(settings, "tie") * p.value,
        .seconds = r_number(settings, "time_limit"),
        .nodes = r_number(settings, "nodes"),
        .report = r_integer(settings, "verbose") ? report : NULL,
        .report_state = &p.trace};
    r_check_status(make_bound(&p), "bound");
    r_check_status(rs_tree_open(&p.ctx, p.op->d, p.k, &p.trace.of, &tree),
                   "bound");
    r_check_status(rs_tree_search(&how, tree, &fit), "bound");
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)p.k, fit.set);
    r_add_number(&out, "value", fit.value * p.unit);
    fit.bound =
        fmax(fit.bound, fit.value) + rs_trace_rounding(p.samples, &p.trace);
    r_add_number(&out, "bound", fit.bound * p.unit);
    add_marked(&out, "essential", RS_UNIT_IN, &p.trace);
    add_marked(&out, "excluded", RS_UNIT_OUT, &p.trace);
    R_ADD_FLAGS(&out, fit.complete, fit.tied);
    R_ADD_NUMBERS(&out, fit.nodes, fit.seconds, p.trace.core.evaluations);
    r_add_trace(&out, &fit.trace, p.unit);
    return r_close(&out);
}

/* ---- roles -------------------------------------------------------------------- */

static rs_status open_role_tree(rs_role_tree *self, rs_tree **tree)
{
    problem *p = (problem *)self->state;
    return rs_tree_open(&p->ctx, p->op->d, p->k, &p->trace.of, tree);
}

/* sets: given and best, that of the settings; settings: also k, tolerance,
 * sets */
SEXP C_fspca_roles(SEXP data, SEXP sets, SEXP settings)
{
    problem p;
    rs_role_fit fit;
    rs_groups features;
    rs_value_trace exchanges;
    read_problem(data, r_required(sets, "best"), settings, &p);
    const int d = p.op->d;
    const rs_role_settings asked = r_role_settings(sets, settings, d, &p.ctx);
    r_check_status(make_bound(&p), "roles");
    p.trace.error = rs_trace_rounding(p.samples, &p.trace);
    r_check_status(rs_groups_of_one(&p.ctx, d, p.op->diagonal, p.fixed,
                                    p.excluded, &features),
                   "roles");
    r_check_status(
        rs_value_trace_init(&p.ctx, p.op, &features, p.k, p.m, &exchanges),
        "roles");
    rs_value value = rs_trace_as_value(&exchanges);
    value.total = 1.0;
    rs_role_tree tree = {
        .open = open_role_tree, .state = &p, .asks = 1, .dear = 1};
    const rs_role_problem roles = {.d = d,
                                   .excluded = p.excluded,
                                   .fixed = p.fixed,
                                   .bound = p.bound,
                                   .value = p.trace.of.value,
                                   .state = &p.trace,
                                   .sets = &value,
                                   .trees = 1,
                                   .tree = &tree};
    r_check_status(rs_find_roles(&p.ctx, &roles, &asked, &fit), "roles");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), p.unit);
}
