#include "method/alignment/alignment.h"
#include "proof/groups.h"
#include "sets/search.h"
#include "sets/value_lsq.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/lsq.h"
#include "glue/result.h"

#include <math.h>
#include <string.h>

/* features up to which their cross-products are formed for a proof */
#define RS_GROUPS_FORMED 3000
/* correlation of features that are told of as near copies */
#define RS_NEAR_COPY 0.9

enum { GROUPS_LSQ, GROUPS_TRACE, GROUPS_ALIGNMENT };
static const char *const values[] = {"lsq", "trace", "alignment", NULL};

/* the problem of a call: groups, and one of the values of sets of up to k */
typedef struct {
    int what, k, exact;
    double unit;
    rs_groups groups;
    rs_lsq given, regression; /* before and after products were formed */
    rs_value_lsq lsq;
    rs_value_trace trace;
    rs_value_alignment alignment;
    rs_alignment_ahead ahead;
    rs_value value;
} problem;

/* start: count + 1 places; column, include: 1-based; second; barred */
static void read_groups(SEXP list, int d, rs_context *ctx, rs_groups *groups)
{
    SEXP start = r_required(list, "start");
    SEXP column = r_required(list, "column");
    SEXP include = r_required(list, "include");
    groups->count = (int)Rf_xlength(start) - 1;
    groups->start = INTEGER_RO(start);
    groups->column = r_zero_based(column, d, ctx);
    groups->second = r_doubles(list, "second");
    groups->barred = r_marks(list, "barred", groups->count, ctx);
    groups->included = (int)Rf_xlength(include);
    groups->include = r_zero_based(include, groups->count, ctx);
    r_expect(groups->count > 0 &&
                 groups->start[groups->count] == (int)Rf_xlength(column),
             "groups");
}

/* of, from 1; in: classes x sets; least, most; cost; budget; barred; k */
static void read_rules(SEXP list, rs_context *ctx, rs_rules *rules)
{
    SEXP of = r_required(list, "of"), least = r_required(list, "least");
    memset(rules, 0, sizeof *rules);
    rules->d = (int)Rf_xlength(of);
    rules->k = r_integer(list, "k");
    rules->classes = r_integer(list, "classes");
    rules->sets = (int)Rf_xlength(least);
    rules->of = r_zero_based(of, rules->classes, ctx);
    rules->in = r_marks(list, "in", rules->classes * rules->sets, ctx);
    rules->least = INTEGER_RO(least);
    rules->most = INTEGER_RO(r_required(list, "most"));
    rules->cost = r_doubles(list, "cost");
    rules->budget = r_number(list, "budget");
    rules->barred = r_marks(list, "barred", rules->d, ctx);
    r_check_status(rs_rules_init(ctx, rules), "rules");
}

/* of groups that have any, or NULL */
static rs_rules *rules_of(SEXP groups, rs_context *ctx)
{
    SEXP given = r_element(groups, "rules");
    if (given == R_NilValue)
        return NULL;
    rs_rules *rules = r_need(rs_alloc(ctx, 1, sizeof *rules));
    read_rules(given, ctx, rules);
    return rules;
}

/* can these features, from 1, be completed to a set within the rules? */
SEXP C_rules(SEXP list, SEXP set)
{
    rs_context ctx = r_context();
    rs_rules rules;
    int possible;
    read_rules(list, &ctx, &rules);
    const int *from = r_zero_based(set, rules.d, &ctx);
    r_check_status(
        rs_rules_completes(&rules, (int)Rf_xlength(set), from, &possible),
        "rules");
    return Rf_ScalarLogical(possible);
}

/* do the cross-products pay, or are they needed? */
static int is_formed(const rs_data *X, int exact)
{
    return X && (X->d <= X->n || exact) && X->d <= RS_GROUPS_FORMED;
}

static rs_status pose_lsq(SEXP data, SEXP response, SEXP settings,
                          rs_context *ctx, problem *p)
{
    r_lsq(data, response, settings, 0, RS_PANEL, ctx, &p->given);
    p->regression = p->given;
    if (is_formed(p->given.X, p->exact))
        RS_TRY(rs_lsq_form_products(ctx, &p->regression));
    RS_TRY(
        rs_value_lsq_init(ctx, &p->regression, &p->groups, p->k, 0, &p->lsq));
    p->value = rs_value_lsq_of(&p->lsq);
    return RS_OK;
}

static rs_status pose_trace(SEXP data, SEXP settings, rs_context *ctx,
                            problem *p)
{
    rs_covop *op = r_covop(data, RS_PANEL, ctx);
    const size_t entries = (size_t)op->d * op->d;
    p->unit = rs_covop_use_unit(op);
    /* a proof takes submatrices of S, which has no factor then */
    if (is_formed(op->X, p->exact) || (op->S && p->exact)) {
        double *S = r_room(ctx, entries);
        if (op->S)
            rs_copy(entries, op->S, S);
        else
            RS_TRY(rs_data_gram_features(op->X, S));
        rs_scale(entries, op->factor, S);
        op->S = S;
        op->factor = 1.0;
    }
    RS_TRY(rs_value_trace_init(ctx, op, &p->groups, p->k,
                               r_integer(settings, "m"), &p->trace));
    p->trace.rough = !p->exact;
    if (p->exact)
        p->trace.looks = p->groups.count;
    p->value = rs_trace_as_value(&p->trace);
    return RS_OK;
}

static rs_status pose_alignment(SEXP data, SEXP settings, rs_context *ctx,
                                problem *p)
{
    rs_covop *op = r_covop(data, RS_PANEL, ctx);
    RS_TRY(rs_value_alignment_init(
        ctx, op, &p->groups, p->k, r_doubles(settings, "target"),
        r_number(settings, "penalty"), &p->alignment));
    if (!op->S && rs_group_widest(&p->groups) == 1)
        RS_TRY(rs_alignment_read_ahead(ctx, p->k, &p->ahead, &p->alignment));
    p->value = rs_alignment_as_value(&p->alignment);
    return RS_OK;
}

/* the value that is asked for */
static void pose(SEXP data, SEXP response, SEXP groups, SEXP settings,
                 rs_context *ctx, problem *p)
{
    memset(p, 0, sizeof *p);
    p->what = r_choice(settings, "value", values);
    R_INTEGERS(settings, &p->k, &p->exact);
    p->unit = 1.0;
    read_groups(groups, r_integer(data, "d"), ctx, &p->groups);
    r_check_status(
        p->what == GROUPS_LSQ     ? pose_lsq(data, response, settings, ctx, p)
        : p->what == GROUPS_TRACE ? pose_trace(data, settings, ctx, p)
                                  : pose_alignment(data, settings, ctx, p),
        "groups");
}

/* the course of regressions is in shares, as that of cdlsr() */
static SEXP r_proof(const rs_tree_fit *fit, double unit, int shares)
{
    r_result out = r_open();
    r_add_number(&out, "bound", fmin(fit->bound, 1.0) * unit);
    r_add_number(&out, "value", fit->value * unit);
    R_ADD_FLAGS(&out, fit->complete, fit->resolved, fit->tied);
    R_ADD_NUMBERS(&out, fit->nodes, fit->seconds);
    r_add_number(&out, "dropped", fit->excluded);
    r_add_number(&out, "joined", fit->fixed);
    r_add_trace(&out, &fit->trace, shares ? 1.0 : unit);
    return r_close(&out);
}

/* the proof of the largest size; a better set takes the place of `set` */
static SEXP prove(rs_context *ctx, SEXP settings, problem *p, int *set,
                  double *worth)
{
    const rs_groups *groups = &p->groups;
    const double total = p->value.total;
    const double *YtY = r_element(settings, "YtY") == R_NilValue
                            ? NULL
                            : r_doubles(settings, "YtY");
    unsigned char *fixed = r_byte_room(ctx, (size_t)groups->count);
    rs_bound_groups state;
    rs_bound bound;
    rs_tree *tree;
    memset(fixed, 0, (size_t)groups->count);
    for (int i = 0; i < groups->included; i++)
        fixed[groups->include[i]] = 1;
    const rs_tree_settings search = {.k = p->k,
                                     .excluded = groups->barred,
                                     .fixed = fixed,
                                     .tie = r_number(settings, "tol"),
                                     .ties = 1,
                                     .seconds =
                                         r_number(settings, "time_limit"),
                                     .nodes = INFINITY};
    r_check_status(p->what == GROUPS_LSQ
                       ? rs_bound_groups_lsq(ctx, groups, p->k, &p->given,
                                             p->regression.S, YtY, &state,
                                             &bound)
                       : rs_bound_groups_trace(ctx, groups, p->k, &p->trace,
                                               &state, &bound),
                   "bounds");
    r_check_status(rs_tree_open(ctx, groups->count, p->k, &bound, &tree),
                   "exact");
    rs_tree_fit fit = {.set = set, .bound = 1.0};
    r_check_status(rs_tree_search(&search, tree, &fit), "exact");
    *worth = fit.value * total;
    return r_proof(&fit, total * p->unit, p->what == GROUPS_LSQ);
}

/* gain, alone: what each group adds to the set, 0 for members, and what it is
 * worth alone; *worth of the set */
static void add_gains(r_result *out, const problem *p, const int *set,
                      double *worth)
{
    const rs_value *of = &p->value;
    const int count = p->groups.count;
    double *gain = r_add_vector(out, "gains", count), none;
    double *alone = r_add_vector(out, "alone", count);
    r_check_status(of->move(of->state, 0, set, &none), "groups");
    r_check_status(of->gains(of->state, alone), "groups");
    r_check_status(of->move(of->state, p->k, set, worth), "groups");
    r_check_status(of->gains(of->state, gain), "groups");
    for (int g = 0; g < count; g++) {
        gain[g] = gain[g] == -INFINITY ? 0.0 : p->unit * (gain[g] - *worth);
        alone[g] = p->unit * fmax(alone[g], 0.0);
    }
    if (p->what == GROUPS_ALIGNMENT) {
        int *near = r_add_integers(out, "near_copies", p->k);
        for (int i = 0; i < p->k; i++)
            near[i] = rs_alignment_near_copies(&p->alignment, i, RS_NEAR_COPY);
    }
}

/*
 * Sets of whole groups. groups: see read_groups(); settings: value, k,
 * exchange, sizes, perturb, maxit, tol; exact and time_limit; and what the value needs:
 * ridge and YtY beside a response, m, or target and penalty. Sizes, groups and
 * sets are those of `groups`; the set of size i is the beginning of column i.
 */
SEXP C_groups(SEXP data, SEXP response, SEXP groups, SEXP settings)
{
    rs_context ctx = r_context();
    problem p;
    rs_search search;
    rs_search_settings wanted;
    rs_search_path path;
    R_INTEGERS(settings, &wanted.k, &wanted.exchange, &wanted.sizes,
               &wanted.perturb, &wanted.maxit);
    wanted.tol = r_number(settings, "tol");
    wanted.rules = rules_of(groups, &ctx);
    pose(data, response, groups, settings, &ctx, &p);
    const int k = p.k;
    r_result out = r_open();
    path.set = r_add_integer_matrix(&out, "sets", k, k);
    memset(path.set, 0, (size_t)k * k * sizeof *path.set);
    path.value = r_add_vector(&out, "value", k);
    path.forward = r_add_vector(&out, "forward", k);
    path.margin = r_add_vector(&out, "margin", k);
    double *explained = r_add_vector(&out, "explained", k);
    r_check_status(rs_search_init(&ctx, &p.groups, &p.value, &wanted, &search),
                   "groups");
    search.course = r_add_vector(&out, "course", wanted.maxit + 1);
    rs_fill((size_t)wanted.maxit + 1, 0.0, search.course);
    r_check_status(rs_search_run(&search, &path), "groups");
    int *last = path.set + (size_t)(k - 1) * k;
    if (p.exact)
        r_add(&out, "proof",
              prove(&ctx, settings, &p, last, &path.value[k - 1]));
    if (wanted.exchange)
        r_check_status(rs_search_order(&search, k, last, explained), "groups");
    else
        rs_copy((size_t)k, path.value, explained);
    add_gains(&out, &p, last, &path.value[k - 1]);
    double *const scaled[] = {path.value, path.forward, path.margin,
                              explained};
    for (int i = 0; i < 4; i++)
        rs_scale((size_t)k, p.unit, scaled[i]);
    rs_scale((size_t)wanted.maxit + 1, p.unit, search.course);
    r_to_one_based((size_t)k * k, path.set);
    r_add_integer(&out, "sweeps", search.sweeps);
    r_add_flag(&out, "doubtful", p.lsq.doubtful);
    r_add_ending(&out, "groups", search.ending);
    return r_close(&out);
}
