/* Sets of features, or of groups of them: the problem of a call, and the search. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "glue/glue.h"
#include "la/linalg.h"
#include "method/set/find.h"
#include "method/set/folds.h"
#include "method/set/near.h"
#include "proof/groups.h"
#include "sets/value_alignment.h"

/* features up to which their cross-products are formed for a proof */
#define RS_GROUPS_FORMED 3000

enum { SETS_LSQ, SETS_TRACE, SETS_ALIGNMENT, SETS_FAMILY };
static const char *const values[] = {"lsq", "trace", "alignment", "family",
                                     NULL};

/* the problem of a call: groups, and one of the values of sets of up to k */
typedef struct {
    rs_context ctx;
    int what, single, exact;
    double unit;
    rs_find_settings find;
    rs_groups groups;
    rs_lsq given, regression; /* before and after products were formed */
    rs_value_lsq lsq;
    rs_value_trace trace;
    rs_value_alignment alignment;
    rs_family_problem likelihood;
    rs_value_family family;
    rs_value *value;
    /* what tells the regressions: all units, or the features of the sets alone, which
     * are all that is needed */
    rs_near few; /* these; or none */
    rs_value_lsq *tells;
    rs_search *orders;
} problem;

/* ---- least squares ----------------------------------------------------- */

/* the data as they were given; those of weighted samples before their roots */
static void read_raw(SEXP data, rs_context *ctx, rs_lsq *problem)
{
    SEXP given = r_element(data, "given");
    SEXP x = given != R_NilValue ? given : r_element(data, "x");
    if (given != R_NilValue)
        problem->given.counts =
            r_doubles(r_required(data, "observed"), "weight");
    if (r_is(data, "kind", "dense")) {
        if (TYPEOF(x) == REALSXP)
            problem->given.raw = REAL_RO(x);
        else
            problem->given.whole = INTEGER_RO(x);
    }
    r_matrix(data, "weight", &problem->given.weight);
    problem->centring = r_centring(data, ctx);
}

void r_lsq(SEXP data, SEXP response, SEXP settings, int search,
           int least_block, rs_context *ctx, rs_lsq *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->n = r_integer(data, "n");
    problem->d = r_integer(data, "d");
    problem->square = r_doubles(data, "square");
    problem->barred = r_marks(data, "constant", problem->d);
    problem->first = r_locked(data, problem->d);
    problem->ridge = r_number(settings, "ridge");
    problem->deviation = r_doubles(data, "deviation");
    read_raw(data, ctx, problem);
    if (response != R_NilValue) {
        int responses = r_matrix(response, "Y", &problem->Y);
        problem->c = r_matrix(response, "B", &problem->B);
        if (problem->Y)
            problem->c = responses;
        problem->total = r_number(response, "total");
        if (r_element(response, "reach") != R_NilValue)
            problem->reach = r_number(response, "reach");
    }
    if (r_is_moments(data) || r_is(data, "kind", "blocks"))
        problem->reach = fmax(problem->reach, rs_lsq_farthest(problem));
    if (r_is_moments(data)) {
        problem->S = r_cross_products(data, problem->d);
    } else {
        int block = problem->c > least_block ? problem->c : least_block;
        problem->X = r_data(data, block, ctx);
    }
    if (problem->c > 0)
        r_check_status(rs_lsq_prepare(ctx, problem), "response");
    /* the data stay where they may tell more of Y than products do */
    if (search > 0 && rs_lsq_prefers_products(problem, search))
        r_check_status(problem->Y ? rs_lsq_form_products(ctx, problem)
                                  : rs_lsq_use_products(ctx, problem),
                       "cross-products");
    if (problem->c == 0)
        r_check_status(rs_lsq_prepare(ctx, problem), "cross-products");
}

/* ---- groups and rules -------------------------------------------------- */

/* NULL, or columns, shrink and freedom */
static rs_price read_price(SEXP list)
{
    rs_price price = {.columns = NULL};
    if (list != R_NilValue) {
        price.columns = INTEGER_RO(r_required(list, "columns"));
        R_NUMBERS(list, &price.shrink, &price.freedom);
    }
    return price;
}

/* start: count + 1 places; column, include: 1-based; second; barred */
static void read_groups(SEXP list, int d, rs_groups *groups)
{
    SEXP start = r_required(list, "start");
    SEXP column = r_required(list, "column");
    SEXP include = r_required(list, "include");
    groups->count = (int)Rf_xlength(start) - 1;
    groups->start = INTEGER_RO(start);
    groups->column = r_zero_based(column, d);
    groups->second = r_doubles(list, "second");
    groups->barred = r_marks(list, "barred", groups->count);
    groups->price = read_price(r_element(list, "price"));
    groups->included = (int)Rf_xlength(include);
    groups->include = r_zero_based(include, groups->count);
    r_expect(groups->count > 0 &&
                 groups->start[groups->count] == (int)Rf_xlength(column),
             "groups");
}

rs_rules *r_rules(SEXP list, rs_context *ctx)
{
    if (list == R_NilValue)
        return NULL;
    rs_rules *rules = r_memory(1, sizeof *rules);
    SEXP of = r_required(list, "of"), least = r_required(list, "least");
    memset(rules, 0, sizeof *rules);
    rules->d = (int)Rf_xlength(of);
    rules->sets = (int)Rf_xlength(least);
    R_INTEGERS(list, &rules->k, &rules->classes);
    rules->of = r_zero_based(of, rules->classes);
    rules->in = r_marks(list, "in", rules->classes * rules->sets);
    rules->least = INTEGER_RO(least);
    rules->most = INTEGER_RO(r_required(list, "most"));
    rules->cost = r_doubles(list, "cost");
    rules->budget = r_number(list, "budget");
    rules->barred = r_marks(list, "barred", rules->d);
    r_check_status(rs_rules_init(ctx, rules), "rules");
    return rules;
}

/* can these features, from 1, be completed to a set within the rules? */
SEXP C_rules(SEXP list, SEXP set)
{
    rs_context ctx = r_context();
    rs_rules *rules = r_rules(list, &ctx);
    const int *from = r_zero_based(set, rules->d);
    int possible;
    r_check_status(
        rs_rules_completes(rules, (int)Rf_xlength(set), from, NULL, &possible),
        "rules");
    return Rf_ScalarLogical(possible);
}

/* ---- values ------------------------------------------------------------ */

/* do the cross-products pay, or are they needed? */
static int is_formed(const rs_data *X, const problem *p)
{
    return X && (!p->single || p->exact) && (X->d <= X->n || p->exact) &&
           X->d <= RS_GROUPS_FORMED;
}

static rs_status pose_lsq(SEXP data, SEXP response, SEXP settings, problem *p)
{
    const rs_find_settings *find = &p->find;
    const int searches = find->forward || find->search.exchange;
    const int wanted = searches || find->sweeps ? find->search.k : 0;
    r_lsq(data, response, settings, p->single ? wanted : 0,
          p->single ? 2 : RS_PANEL, &p->ctx, &p->given);
    p->regression = p->given;
    if (p->single)
        RS_TRY(rs_groups_of_one(&p->ctx, p->given.d, p->given.deviation,
                                p->given.first, p->given.barred, &p->groups));
    else if (is_formed(p->given.X, p))
        RS_TRY(rs_lsq_form_products(&p->ctx, &p->regression));
    p->find.lsq = &p->lsq;
    RS_TRY(rs_value_lsq_init(&p->ctx, &p->regression, &p->groups,
                             rs_max_int(find->search.k, find->size), &p->lsq));
    p->value = &p->lsq.as_value;
    return RS_OK;
}

void r_form_products(rs_covop *op)
{
    const size_t entries = (size_t)op->d * op->d;
    double *S = r_room(entries);
    if (op->S)
        rs_copy(entries, op->S, S);
    else
        r_check_status(rs_data_gram_weighted(op->X, NULL, S),
                       "cross-products");
    rs_scale(entries, op->factor, S);
    op->S = S;
    op->factor = 1.0;
}

static rs_status pose_trace(SEXP data, SEXP settings, problem *p)
{
    const int most = rs_max_int(p->find.search.k, p->find.size);
    const int m = r_integer(settings, "m");
    rs_covop *op = r_covop(data, RS_PANEL, &p->ctx);
    p->unit = rs_covop_use_unit(op);
    if (p->single)
        RS_TRY(rs_groups_of_one(&p->ctx, op->d, op->diagonal,
                                r_locked(data, op->d), NULL, &p->groups));
    /* a proof takes submatrices of S */
    if (is_formed(op->X, p) || (op->S && p->exact))
        r_form_products(op);
    if (!op->S)
        RS_TRY(rs_covop_keep(rs_min_int(op->d, 2 * most + RS_PANEL), op));
    RS_TRY(rs_value_trace_init(&p->ctx, op, &p->groups, most, m, &p->trace));
    if (p->exact)
        p->trace.looks = p->groups.count;
    p->value = &p->trace.as_value;
    return RS_OK;
}

static rs_status pose_alignment(SEXP data, SEXP settings, problem *p)
{
    const int k = p->find.search.k;
    rs_covop *op = r_covop(data, RS_PANEL, &p->ctx);
    RS_TRY(rs_value_alignment_init(
        &p->ctx, op, &p->groups, k, r_doubles(settings, "target"),
        r_number(settings, "penalty"), &p->alignment));
    p->value = &p->alignment.as_value;
    return RS_OK;
}

static rs_status pose_family(SEXP data, SEXP response, SEXP settings,
                             problem *p)
{
    const int most = rs_max_int(p->find.search.k, p->find.size);
    const int d = r_integer(data, "d");
    r_family_problem(data, response, settings, &p->ctx, &p->likelihood);
    if (p->single)
        RS_TRY(rs_groups_of_one(&p->ctx, d, r_doubles(data, "deviation"),
                                r_locked(data, d),
                                r_marks(data, "constant", d), &p->groups));
    RS_TRY(rs_value_family_init(&p->ctx, &p->likelihood, &p->groups, most,
                                &p->family));
    p->value = &p->family.as_value;
    p->unit = p->likelihood.unit;
    return RS_OK;
}

/* starts: a matrix of 1-based units, one start per column */
static void read_find(SEXP settings, int units, problem *p)
{
    rs_find_settings *find = &p->find;
    SEXP starts = r_required(settings, "starts");
    R_INTEGERS(settings, &find->search.k, &find->search.exchange,
               &find->search.sizes, &find->search.perturb, &find->search.maxit,
               &find->forward, &find->sweeps);
    R_NUMBERS(settings, &find->search.tol, &find->cd_tol, &find->work,
              &find->perturb_work, &find->seconds);
    find->starts = Rf_ncols(starts);
    find->size = find->starts > 0 ? Rf_nrows(starts) : 0;
    find->start = r_zero_based(starts, units);
}

/* the value that is asked for; groups: NULL for single features, and see read_groups() */
static void pose(SEXP data, SEXP response, SEXP groups, SEXP settings,
                 problem *p)
{
    const int d = r_integer(data, "d");
    *p = (problem){.ctx = r_context(),
                   .what = r_choice(settings, "value", values),
                   .single = groups == R_NilValue,
                   .exact = r_integer(settings, "exact"),
                   .unit = 1.0};
    if (!p->single) {
        read_groups(groups, d, &p->groups);
        p->find.search.rules = r_rules(r_element(groups, "rules"), &p->ctx);
    }
    read_find(settings, p->single ? d : p->groups.count, p);
    r_check_status(p->what == SETS_LSQ ? pose_lsq(data, response, settings, p)
                   : p->what == SETS_TRACE ? pose_trace(data, settings, p)
                   : p->what == SETS_FAMILY
                       ? pose_family(data, response, settings, p)
                       : pose_alignment(data, settings, p),
                   "sets");
}

/* ---- results ----------------------------------------------------------- */

/* the proof of the largest size; a better set takes the place of `set` */
static SEXP prove(SEXP settings, problem *p, int *set, double *worth)
{
    rs_context *ctx = &p->ctx;
    const int k = p->find.search.k;
    const rs_groups *groups = &p->groups;
    const rs_price *price = &groups->price;
    const double total = p->value->total;
    const double *YtY = r_element(settings, "YtY") == R_NilValue
                            ? NULL
                            : r_doubles(settings, "YtY");
    unsigned char *fixed = r_memory((size_t)groups->count, 1);
    rs_bound_groups state;
    rs_tree *tree;
    memset(fixed, 0, (size_t)groups->count);
    for (int i = 0; i < groups->included; i++)
        fixed[groups->include[i]] = 1;
    const rs_tree_settings search = {.k = k,
                                     .excluded = groups->barred,
                                     .fixed = fixed,
                                     .tie = r_number(settings, "tol"),
                                     .ties = 1,
                                     .seconds =
                                         r_number(settings, "time_limit"),
                                     .nodes = INFINITY};
    r_check_status(
        p->what == SETS_LSQ
            ? rs_bound_groups_lsq(ctx, groups, k, &p->given, p->regression.S,
                                  YtY, &state)
            : rs_bound_groups_trace(ctx, groups, k, &p->trace, &state),
        "bounds");
    r_check_status(rs_tree_open(ctx, groups->count, k, &state.of, &tree),
                   "exact");
    state.as = rs_priced_columns(price, k, set);
    rs_tree_fit fit = {.set = set, .value = *worth / total, .bound = 1.0};
    /* sets that leave less than a degree of freedom do not compare */
    if (!rs_price_is_spent(price, state.as)) {
        r_check_status(rs_tree_search(&search, tree, &fit), "exact");
        /* on the scale of the set that was found */
        const int own = rs_priced_columns(price, k, set);
        fit.value = rs_priced(price, 1.0, fit.value, state.as, own);
        fit.bound = rs_priced(price, 1.0, fit.bound, state.as, own);
        if (p->what == SETS_LSQ && fit.value >= 1.0 - search.tie &&
            !rs_groups_are_whole(&state, set)) {
            fit.complete = fit.resolved = 0;
            fit.bound = 1.0;
        }
    }
    *worth = fit.value * total;
    fit.bound = fmin(fit.bound, 1.0);
    const double unit = total * p->unit;
    r_result out = r_open();
    r_add_proof(&out, &fit, k, unit, p->what == SETS_LSQ ? 1.0 : unit);
    return r_close(&out);
}

/* Of `count` units those that regression has, features only if they are
 * independent, in the order in which forward selection among them takes them;
 * explained: by their beginnings. Where products would hide more features in that
 * order than they need to, it is that of what they keep. */
static rs_status order_members(const problem *p, int *count, int *set,
                               double *explained)
{
    rs_value_lsq *s = p->tells;
    const int hides = p->single && !s->problem->X;
    double worth;
    if (hides)
        RS_TRY(rs_value_lsq_unfold(s, *count, set));
    else
        RS_TRY(s->as_value.move(s, *count, set, &worth));
    if (p->single) {
        *count = s->f.count;
        memcpy(set, s->f.column, (size_t)*count * sizeof *set);
    }
    RS_TRY(rs_search_order(p->orders, *count, set, explained));
    if (!hides || s->f.count == *count)
        return RS_OK;
    RS_TRY(rs_value_lsq_unfold(s, *count, set));
    for (int i = 0; i < *count; i++)
        RS_TRY(s->as_value.move(s, i + 1, set, explained + i));
    return RS_OK;
}

/* A set as regression has it: its members, what their beginnings explain;
 * coefficients of the columns; the objective; what is explained of every response. */
static SEXP r_regression(problem *p, int count, int *set)
{
    rs_value_lsq *s = p->tells;
    const int c = s->problem->c;
    int *column = r_int_room((size_t)s->f.most);
    double *explained = r_room((size_t)count), objective;
    s->minute = RS_LEFT_MINUTE;
    r_check_status(order_members(p, &count, set, explained), "regression");
    for (int i = 0; i < s->f.count; i++)
        column[i] =
            p->few.all ? p->few.feature[s->f.column[i]] : s->f.column[i];
    if (p->few.all)
        rs_near_renumber(count, p->few.feature, set);
    r_result out = r_open();
    r_add_doubles(&out, "explained", (size_t)count, explained);
    r_add_indices(&out, "members", (size_t)count, set);
    r_add_indices(&out, "selected", (size_t)s->f.count, column);
    r_check_status(
        rs_value_lsq_fit(s, r_add_matrix(&out, "coefficients", s->f.count, c),
                         &objective),
        "regression");
    r_add_number(&out, "objective", objective);
    rs_row_squares(c, s->f.count, s->f.D,
                   r_add_vector(&out, "response_explained", c));
    return r_close(&out);
}

/* set number `size`, the last one of which is where the search ended */
static const int *found_set(const rs_find *fit, int k, int size)
{
    return size == k ? fit->last : fit->path.set + (size_t)k * (size - 1);
}

static rs_status open_few(problem *p, const rs_find *fit, int first)
{
    const int k = p->find.search.k;
    RS_TRY(rs_near_init(&p->ctx, &p->given, 0, &p->few));
    for (int size = first; size <= k; size++)
        for (int i = 0; i < size; i++) {
            double *merit = p->few.merit + found_set(fit, k, size)[i];
            p->few.count += *merit < INFINITY;
            *merit = INFINITY;
        }
    p->tells = &p->few.among.lsq;
    p->orders = &p->few.among.search;
    return rs_near_open(&p->few, &p->find.search, 1);
}

/* of the sizes whose sets are known, or the last one alone, which is at the end */
static SEXP r_regressions(problem *p, rs_find *fit)
{
    const int k = p->find.search.k, first = fit->sizes ? 1 : k;
    int *set = r_int_room((size_t)k);
    p->tells = &p->lsq;
    p->orders = &fit->search;
    if (p->what == SETS_LSQ && p->single && p->given.c > 0)
        r_check_status(open_few(p, fit, first), "regression");
    SEXP out = PROTECT(Rf_allocVector(VECSXP, k - first + 1));
    for (int size = first; size <= k; size++) {
        memcpy(set, found_set(fit, k, size), (size_t)size * sizeof *set);
        if (p->few.all)
            rs_near_renumber(size, p->few.place, set);
        SET_VECTOR_ELT(out, size - first,
                       p->what == SETS_LSQ
                           ? r_regression(p, size, set)
                           : r_family_fit(&p->family, size, set));
    }
    p->lsq.doubtful |= p->tells->doubtful;
    UNPROTECT(1);
    return out;
}

/* what each unit adds to the set, 0 for members */
static void add_gains(r_result *out, problem *p, const int *set)
{
    double worth;
    const int count = p->groups.count, k = p->find.search.k;
    double *gain = r_add_vector(out, "gains", count);
    const double least = p->what == SETS_LSQ
                             ? RS_ERRORS * DBL_EPSILON * p->value->total
                             : -INFINITY;
    const rs_value *of = p->value;
    r_check_status(of->move(of->state, k, set, &worth), "sets");
    r_check_status(of->gains(of->state, gain), "sets");
    for (int g = 0; g < count; g++)
        gain[g] = gain[g] - worth > least ? gain[g] - worth : 0.0;
    if (p->what == SETS_ALIGNMENT) {
        int *near = r_add_integers(out, "near_copies", k);
        for (int i = 0; i < k; i++)
            near[i] = rs_alignment_near_copies(&p->alignment, i);
    }
}

/* room for all that the search finds */
static void open_find(r_result *out, problem *p, rs_find *fit)
{
    const int k = p->find.search.k, maxit = p->find.search.maxit;
    const int ends = p->find.forward + p->find.starts;
    const int sets = p->find.forward ? k : 0;
    fit->path.set = r_add_integer_matrix(out, "sets", k, sets);
    memset(fit->path.set, 0, (size_t)k * sets * sizeof *fit->path.set);
    fit->last = r_add_integers(out, "set", k);
    fit->path.value = r_room((size_t)k);
    fit->path.forward = r_add_vector(out, "forward", sets);
    fit->path.margin = r_add_vector(out, "margin", sets);
    fit->course = r_add_vector(out, "course", maxit + 1);
    rs_fill((size_t)maxit + 1, 0.0, fit->course);
    fit->set = r_add_integer_matrix(out, "end_sets", ends, k);
    fit->value = r_add_vector(out, "end_values", ends);
    fit->sweeps = r_add_integers(out, "end_sweeps", ends);
    fit->converged = r_add_integers(out, "end_converged", ends);
}

/*
 * Sets of k units. settings: see read_find(), value, exact and time_limit; and what
 * the value needs: ridge and YtY beside a response, m, or target and penalty.
 * Sets of the sizes that are known are the beginnings of the columns of `sets`.
 * Units count from 0, and values are in units of the core, `unit` in those of R.
 */
SEXP C_sets(SEXP data, SEXP response, SEXP groups, SEXP settings)
{
    problem p;
    rs_find fit;
    double worth;
    pose(data, response, groups, settings, &p);
    const int k = p.find.search.k, count = p.groups.count;
    const rs_value *of = p.value;
    r_result out = r_open();
    open_find(&out, &p, &fit);
    if (p.what != SETS_TRACE) {
        double *alone = r_add_vector(&out, "alone", count);
        r_check_status(of->move(of->state, 0, fit.set, &worth), "sets");
        r_check_status(of->gains(of->state, alone), "sets");
        for (int g = 0; g < count; g++)
            alone[g] = fmax(alone[g], 0.0);
    }
    r_check_status(rs_find_sets(&p.ctx, &p.groups, of, &p.find, &fit), "sets");
    if (p.exact)
        r_add(&out, "proof",
              prove(settings, &p, fit.last, fit.value + fit.best));
    if (p.what == SETS_LSQ) {
        r_add(&out, "by_regression", r_regressions(&p, &fit));
    } else if (p.what == SETS_FAMILY) {
        rs_value_family_refine(&p.family);
        if (p.find.forward || !p.find.search.exchange)
            r_check_status(rs_search_order(&fit.search, k, fit.last,
                                           r_add_vector(&out, "explained", k)),
                           "sets");
        r_add(&out, "none", r_family_fit(&p.family, 0, fit.last));
        r_add(&out, "by_family", r_regressions(&p, &fit));
    } else if (p.what == SETS_ALIGNMENT) {
        double *explained = r_add_vector(&out, "explained", k);
        rs_copy((size_t)k, fit.path.value, explained);
        explained[k - 1] = fit.value[fit.best];
        if (p.find.search.exchange)
            r_check_status(
                rs_search_order(&fit.search, k, fit.last, explained), "sets");
    }
    if (p.what != SETS_TRACE)
        add_gains(&out, &p, fit.last);
    R_ADD_NUMBERS(&out, of->total, p.unit);
    R_ADD_FLAGS(&out, fit.sizes, p.lsq.doubtful);
    r_add_integer(&out, "best", fit.best + 1);
    r_add_ending(&out, "sets", fit.ending);
    return r_close(&out);
}

/*
 * Errors of regressions on the samples of each fold, which the others have not seen, see
 * method/set/folds.h. settings: k, maxit, tol, perturb; fold, from 1, and how many
 * `folds`; share of ridges; scaled; and ridge, 0
 */
SEXP C_fold_errors(SEXP data, SEXP response, SEXP groups, SEXP settings)
{
    problem p = {.ctx = r_context(), .single = groups == R_NilValue};
    SEXP share = r_required(settings, "share");
    rs_folds_settings s = {.all = &p.given,
                           .ridges = (int)Rf_xlength(share),
                           .share = REAL_RO(share),
                           .search = {.exchange = 1}};
    R_INTEGERS(settings, &s.search.k, &s.search.maxit, &s.search.perturb,
               &s.folds, &s.scaled);
    R_NUMBERS(settings, &s.search.tol);
    r_lsq(data, response, settings, 0, RS_PANEL, &p.ctx, &p.given);
    s.fold = r_zero_based(r_required(settings, "fold"), s.folds);
    if (!p.single) {
        read_groups(groups, p.given.d, &p.groups);
        s.groups = &p.groups;
    }
    r_result out = r_open();
    r_check_status(
        rs_folds(&p.ctx, &s,
                 r_add_matrix(&out, "errors", s.ridges + 1, s.folds)),
        "folds");
    return r_close(&out);
}
