#include "proof/groups.h"
#include "sets/group_alignment.h"
#include "sets/group_lsq.h"
#include "sets/search.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/lsq.h"
#include "glue/result.h"

#include <math.h>
#include <string.h>

/* features up to which their cross-products are formed for a proof */
#define RS_GROUPS_FORMED 3000

enum { GROUPS_LSQ, GROUPS_TRACE, GROUPS_ALIGNMENT };
static const char *const values[] = {"lsq", "trace", "alignment", NULL};

/* the problem of a call: groups, cross-products, and one of the values */
typedef struct {
    int what, d;
    double unit;
    rs_lsq given; /* with a response: before its cross-products were formed */
    rs_groups groups;
    rs_group_products products;
    rs_group_lsq lsq;
    rs_value_trace trace;
    rs_group_alignment alignment;
    rs_value value;
    const double *YtY;
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

static void form(rs_context *ctx, rs_data *X, const double **S)
{
    double *products = r_room(ctx, (size_t)X->d * X->d);
    r_check_status(rs_data_gram_features(X, products), "cross-products");
    *S = products;
}

/* do the cross-products pay, or are they needed? */
static int is_formed(const rs_data *X, int exact)
{
    return X && (X->d <= X->n || exact) && X->d <= RS_GROUPS_FORMED;
}

static void pose_lsq(SEXP data, SEXP response, SEXP settings, int exact,
                     rs_context *ctx, problem *p)
{
    rs_lsq lsq;
    r_lsq(data, response, settings, 0, RS_PANEL, ctx, &lsq);
    p->given = lsq;
    p->unit = 1.0;
    p->d = lsq.d;
    p->YtY = r_element(settings, "YtY") == R_NilValue
                 ? NULL
                 : r_doubles(settings, "YtY");
    if (is_formed(lsq.X, exact))
        r_check_status(rs_lsq_use_products(ctx, &lsq), "cross-products");
    r_check_status(rs_group_products_init(ctx, &p->groups, lsq.d, lsq.S, lsq.X,
                                          1.0, &p->products),
                   "groups");
    r_check_status(rs_group_lsq_init(ctx, &p->products,
                                     r_integer(settings, "k"), lsq.c, lsq.B,
                                     lsq.ridge, lsq.total, &p->lsq),
                   "groups");
    p->value = rs_group_lsq_value(&p->lsq);
}

static void pose_trace(SEXP data, SEXP settings, int exact, rs_context *ctx,
                       problem *p)
{
    rs_covop *op = r_covop(data, RS_PANEL, ctx);
    p->unit = rs_covop_use_unit(op);
    p->d = op->d;
    if (!op->S && is_formed(op->X, exact))
        form(ctx, op->X, &op->S);
    /* a proof takes submatrices of S, which has no factor then */
    if (op->S && exact && op->factor != 1.0) {
        double *scaled = r_room(ctx, (size_t)op->d * op->d);
        rs_copy((size_t)op->d * op->d, op->S, scaled);
        rs_scale((size_t)op->d * op->d, op->factor, scaled);
        op->S = scaled;
        op->factor = 1.0;
    }
    r_check_status(rs_value_trace_init(ctx, op, &p->groups,
                                       r_integer(settings, "k"),
                                       r_integer(settings, "m"), &p->trace),
                   "groups");
    if (exact)
        p->trace.looks = p->groups.count;
    p->value = rs_trace_as_value(&p->trace);
}

static void pose_alignment(SEXP data, SEXP settings, rs_context *ctx,
                           problem *p)
{
    const int known = r_is_moments(data);
    rs_data *X = known ? NULL : r_data(data, RS_PANEL, ctx);
    p->unit = 1.0;
    p->d = r_integer(data, "d");
    r_check_status(rs_group_products_init(
                       ctx, &p->groups, p->d,
                       known ? r_cross_products(data, p->d, ctx) : NULL, X,
                       1.0, &p->products),
                   "groups");
    r_check_status(
        rs_group_alignment_init(ctx, &p->products, r_integer(settings, "k"),
                                r_doubles(settings, "target"),
                                r_number(settings, "penalty"), &p->alignment),
        "groups");
    p->value = rs_group_alignment_value(&p->alignment);
}

static SEXP r_proof(const rs_tree_fit *fit, double unit)
{
    r_result out = r_open();
    r_add_number(&out, "bound", fmin(fit->bound, 1.0) * unit);
    r_add_number(&out, "value", fit->value * unit);
    R_ADD_FLAGS(&out, fit->complete, fit->resolved);
    R_ADD_NUMBERS(&out, fit->nodes, fit->seconds);
    r_add_number(&out, "dropped", fit->excluded);
    r_add_number(&out, "joined", fit->fixed);
    r_add_trace(&out, &fit->trace, unit);
    return r_close(&out);
}

/* the proof of the largest size; a better set takes the place of the last */
static SEXP prove(rs_context *ctx, SEXP settings, problem *p,
                  rs_search_path *path)
{
    const rs_groups *groups = &p->groups;
    const int k = r_integer(settings, "k");
    const double total = p->value.total;
    unsigned char *fixed = r_byte_room(ctx, (size_t)groups->count);
    rs_bound_groups state;
    rs_bound bound;
    rs_tree *tree;
    memset(fixed, 0, (size_t)groups->count);
    for (int i = 0; i < groups->included; i++)
        fixed[groups->include[i]] = 1;
    const rs_tree_settings search = {.k = k,
                                     .excluded = groups->barred,
                                     .fixed = fixed,
                                     .tie = r_number(settings, "tol"),
                                     .seconds =
                                         r_number(settings, "time_limit"),
                                     .nodes = INFINITY};
    r_check_status(
        p->what == GROUPS_LSQ
            ? rs_bound_groups_lsq(ctx, groups, k, &p->given, p->products.S,
                                  p->YtY, &state, &bound)
            : rs_bound_groups_trace(ctx, groups, k, &p->trace, &state, &bound),
        "bounds");
    r_check_status(rs_tree_open(ctx, groups->count, k, &bound, &tree),
                   "exact");
    rs_tree_fit fit = {.set = path->set + (size_t)(k - 1) * k, .bound = 1.0};
    r_check_status(rs_tree_search(&search, tree, &fit), "exact");
    path->value[k - 1] = fit.value * total;
    return r_proof(&fit, total * p->unit);
}

/* the sets of all sizes, as a list */
static SEXP r_sets(int k, const rs_search_path *path)
{
    SEXP sets = PROTECT(Rf_allocVector(VECSXP, k));
    for (int size = 1; size <= k; size++) {
        SET_VECTOR_ELT(sets, size - 1, Rf_allocVector(INTSXP, size));
        int *to = INTEGER(VECTOR_ELT(sets, size - 1));
        memcpy(to, path->set + (size_t)(size - 1) * k,
               (size_t)size * sizeof *to);
        r_to_one_based((size_t)size, to);
    }
    UNPROTECT(1);
    return sets;
}

static void add_scaled(r_result *out, const char *name, int count,
                       const double *from, double unit)
{
    double *to = r_add_vector(out, name, count);
    for (int i = 0; i < count; i++)
        to[i] = from[i] * unit;
}

/* the value that is asked for */
static void pose(SEXP data, SEXP response, SEXP settings, int exact,
                 rs_context *ctx, problem *p)
{
    if (p->what == GROUPS_LSQ)
        pose_lsq(data, response, settings, exact, ctx, p);
    else if (p->what == GROUPS_TRACE)
        pose_trace(data, settings, exact, ctx, p);
    else
        pose_alignment(data, settings, ctx, p);
}

/* what each group adds to the set, 0 for members, and what it is worth alone;
 * *worth of the set */
static void gains_beside(const rs_value *of, int count, int k, const int *set,
                         double *gain, double *alone, double *worth)
{
    double none;
    r_check_status(of->move(of->state, 0, set, &none), "groups");
    r_check_status(of->gains(of->state, alone), "groups");
    r_check_status(of->move(of->state, k, set, worth), "groups");
    r_check_status(of->gains(of->state, gain), "groups");
    for (int g = 0; g < count; g++) {
        gain[g] = gain[g] == -INFINITY ? 0.0 : gain[g] - *worth;
        alone[g] = fmax(alone[g], 0.0);
    }
}

/*
 * Sets of whole groups. groups: see read_groups(); settings: value, k,
 * exchange, sizes, perturb, maxit, tol; exact and time_limit; and what the value needs:
 * ridge and YtY beside a response, m, or target and penalty. Sizes, groups and
 * sets are those of `groups`.
 */
SEXP C_groups(SEXP data, SEXP response, SEXP groups, SEXP settings)
{
    rs_context ctx = r_context();
    problem p;
    memset(&p, 0, sizeof p);
    const int k = r_integer(settings, "k");
    const int exact = r_integer(settings, "exact");
    const rs_search_settings wanted = {k,
                                       r_integer(settings, "exchange"),
                                       r_integer(settings, "sizes"),
                                       r_integer(settings, "perturb"),
                                       r_integer(settings, "maxit"),
                                       r_number(settings, "tol"),
                                       rules_of(groups, &ctx)};
    rs_search search;
    rs_search_path path;

    p.what = r_choice(settings, "value", values);
    read_groups(groups, r_integer(data, "d"), &ctx, &p.groups);
    pose(data, response, settings, exact, &ctx, &p);
    const int count = p.groups.count;
    path.set = r_int_room(&ctx, (size_t)k * k);
    path.value = r_room(&ctx, (size_t)k);
    path.forward = r_room(&ctx, (size_t)k);
    path.margin = r_room(&ctx, (size_t)k);
    r_check_status(rs_search_init(&ctx, &p.groups, &p.value, &wanted, &search),
                   "groups");
    search.course = r_room(&ctx, (size_t)wanted.maxit + 1);
    double *gain = r_room(&ctx, (size_t)count);
    double *explained = r_room(&ctx, (size_t)k);
    double *alone = r_room(&ctx, (size_t)count);
    r_check_status(rs_search_run(&search, &path), "groups");
    r_result out = r_open();
    if (exact)
        r_add(&out, "proof", prove(&ctx, settings, &p, &path));
    int *last = path.set + (size_t)(k - 1) * k;
    if (wanted.exchange)
        r_check_status(rs_search_order(&search, k, last, explained), "groups");
    else
        rs_copy((size_t)k, path.value, explained);
    gains_beside(&p.value, count, k, last, gain, alone, &path.value[k - 1]);
    r_add(&out, "sets", r_sets(k, &path));
    add_scaled(&out, "value", k, path.value, p.unit);
    add_scaled(&out, "forward", k, path.forward, p.unit);
    add_scaled(&out, "explained", k, explained, p.unit);
    add_scaled(&out, "gains", count, gain, p.unit);
    add_scaled(&out, "alone", count, alone, p.unit);
    add_scaled(&out, "course", 1 + rs_min_int(search.sweeps, wanted.maxit),
               search.course, p.unit);
    r_add_integer(&out, "sweeps", search.sweeps);
    r_add_ending(&out, "groups", search.ending);
    return r_close(&out);
}
