/* Proofs for sets of features, and the role of every feature. */
#include <math.h>
#include <string.h>

#include "glue/glue.h"
#include "la/linalg.h"
#include "proof/exact.h"
#include "proof/family_bound.h"
#include "proof/relax.h"
#include "sets/value_trace.h"

/* ---- roles ------------------------------------------------------------- */

/* sets: given and best, 1-based; settings: k, tolerance (ascending), sets (most
 * that are listed), time_limit, rules as r_rules() has them */
static rs_role_settings role_settings(SEXP sets, SEXP settings, int d,
                                      rs_context *ctx)
{
    SEXP tolerance = r_required(settings, "tolerance");
    return (rs_role_settings){
        .k = r_integer(settings, "k"),
        .given = r_zero_based(r_required(sets, "given"), d),
        .best = r_zero_based(r_required(sets, "best"), d),
        .rules = r_rules(r_element(settings, "rules"), ctx),
        .tolerances = (int)Rf_xlength(tolerance),
        .tolerance = REAL_RO(tolerance),
        .list = r_integer(settings, "sets") > 0,
        .time_limit = r_number(settings, "time_limit")};
}

/* the `wanted` best sets, k x count, and their values */
static void add_sets(r_result *out, const rs_roles *roles, double cut,
                     int wanted)
{
    const rs_near_sets *near = &roles->near;
    const size_t k = (size_t)roles->k;
    int *order = r_int_room((size_t)near->count + 1);
    double *room = r_room(2 * (size_t)near->count + 1);
    wanted = rs_role_best(near, cut, wanted, order, room);
    int *sets = r_add_integer_matrix(out, "sets", (int)k, wanted);
    double *values = r_add_vector(out, "set_values", wanted);
    for (int a = 0; a < wanted; a++) {
        values[a] = near->least[order[a]];
        memcpy(sets + k * a, near->member + k * order[a], k * sizeof *sets);
    }
    r_to_one_based(k * wanted, sets);
}

/* Of the sets that were met, those that reach the cut of each tolerance: `count`,
 * `complete` (had all sets been met?), `frequency`, and of the largest tolerance
 * the best ones, with their values. */
static void add_near_sets(r_result *out, const rs_role_settings *asked,
                          const rs_role_fit *fit, int wanted)
{
    const rs_roles *roles = &fit->roles;
    const int tolerances = asked->tolerances;
    double cut = 0.0;
    double *count = r_add_vector(out, "count", tolerances);
    SEXP sure = PROTECT(Rf_allocVector(LGLSXP, tolerances));
    double *frequency = r_add_matrix(out, "frequency", roles->d, tolerances);
    for (int t = 0; t < tolerances; t++) {
        double doubtful;
        cut = rs_role_cut(asked, t, fit);
        count[t] = rs_role_count(roles, cut, frequency + (size_t)roles->d * t,
                                 &doubtful);
        LOGICAL(sure)
        [t] = fit->complete[t] && doubtful == 0.0 && !roles->near.full;
    }
    r_add(out, "complete", sure);
    UNPROTECT(1);
    add_sets(out, roles, cut, wanted);
}

/* everything that was found, values in units of the core, `unit` in those of R;
 * witness: a matrix of d columns, NA where there is none */
static SEXP r_roles(const rs_role_settings *asked, const rs_role_fit *fit,
                    int wanted, double unit)
{
    const rs_roles *roles = &fit->roles;
    const int d = roles->d, k = roles->k;
    r_result out = r_open();
    R_ADD_NUMBERS(&out, unit, roles->value, fit->bound, fit->given, fit->slack,
                  fit->seconds, fit->nodes, fit->questions);
    R_ADD_FLAGS(&out, fit->proved, fit->late);
    r_add_indices(&out, "best", (size_t)k, roles->best);
    r_add_doubles(&out, "low", (size_t)d, roles->low);
    double *high = r_add_vector(&out, "high", d);
    for (int j = 0; j < d; j++)
        high[j] = *rs_role_high(j, roles);
    int *witness = r_add_integer_matrix(&out, "witness", k, d);
    for (size_t i = 0; i < (size_t)k * d; i++)
        witness[i] =
            roles->low[i / k] > -INFINITY ? roles->witness[i] + 1 : NA_INTEGER;
    r_add_values(&out, "exchanges", k, d, fit->exchange);
    if (fit->of_given)
        r_add_values(&out, "of_given", k, d, fit->of_given);
    add_near_sets(&out, asked, fit, wanted);
    return r_close(&out);
}

/* ---- least squares ----------------------------------------------------- */

/* a line of progress each second; *next: when the next one is due */
static void report(void *next_, const rs_tree_progress *now)
{
    double *next = (double *)next_;
    if (now->seconds < *next)
        return;
    REprintf("%.0f s: the best set explains %.6f, none more than %.6f; %.0f "
             "nodes, %d open\n",
             now->seconds, now->value, now->bound, now->nodes, now->open);
    *next = now->seconds + 1.0;
}

/* settings: `searched`, the size of sets of css(), or 0, and YtY where there is a
 * response */
static rs_exact_given read_lsq(SEXP data, SEXP response, SEXP settings,
                               rs_context *ctx, rs_lsq *problem)
{
    const int searched = r_integer(settings, "searched");
    rs_exact_given given = {.reproduces = searched > 0};
    r_lsq(data, response, settings, searched, RS_PANEL, ctx, problem);
    if (problem->c > 0)
        given.YtY = r_doubles(settings, "YtY");
    return given;
}

/* a set of 1-based columns, fewer than k where no more are independent */
static SEXP prove(SEXP set, const rs_exact_settings *exact,
                  const rs_lsq *problem, rs_context *ctx)
{
    const int count = (int)Rf_xlength(set);
    const int *given = r_zero_based(set, problem->d);
    rs_tree_fit fit = {.set = r_int_room((size_t)rs_max_int(exact->k, count))};
    memcpy(fit.set, given, (size_t)count * sizeof *given);
    r_check_status(rs_sets_exact(ctx, problem, exact, count, &fit), "exact");
    r_result out = r_open();
    r_add_proof(&out, &fit, count, problem->total, 1.0);
    return r_close(&out);
}

/*
 * Proofs of optimality. sets: a good set of every size; settings: these sizes
 * as k. Every size has an equal share of the time that is left.
 */
SEXP C_sets_exact(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_subsets shared = {.tree = NULL};
    rs_clock clock;
    SEXP sizes = r_element(settings, "k");
    const int count = (int)Rf_xlength(sets);
    rs_exact_settings exact = {
        .shared = &shared,
        .report = r_integer(settings, "verbose") ? report : NULL,
        .tol = r_number(settings, "tol"),
        .given = read_lsq(data, response, settings, &ctx, &problem)};

    for (int i = 0; i < count; i++)
        exact.most = rs_max_int(exact.most, INTEGER_RO(sizes)[i]);
    rs_clock_start(r_number(settings, "time_limit"), &clock);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++) {
        double next = 1.0;
        exact.report_state = &next;
        exact.k = INTEGER_RO(sizes)[i];
        exact.time_limit = fmax(rs_clock_left(&clock), 0.0) / (count - i);
        SET_VECTOR_ELT(out, i,
                       prove(VECTOR_ELT(sets, i), &exact, &problem, &ctx));
    }
    UNPROTECT(1);
    return out;
}

/* the role of every feature */
SEXP C_sets_roles(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_role_fit fit;
    const rs_exact_given given =
        read_lsq(data, response, settings, &ctx, &problem);
    /* data tell values of sets that products do not */
    if (!problem.X && !r_is_moments(data))
        problem.X = r_data(data, RS_PANEL, &ctx);
    const rs_role_settings asked =
        role_settings(sets, settings, problem.d, &ctx);
    if (asked.rules)
        problem.barred = asked.rules->barred;
    r_check_status(rs_sets_roles(&ctx, &problem, &asked, &given, &fit),
                   "roles");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), problem.total);
}

/* ---- leading eigenvalues ------------------------------------------------ */

/* the problem, its set and what is known of it, in the unit of the operator */
typedef struct {
    rs_context ctx;
    rs_covop *op;
    double unit, value, bound, rounding;
    int k, m, *set;
    const unsigned char *excluded, *fixed;
    rs_relax_trace trace;
} problem;

/* set: k features whose value is that of settings; settings: m, value, bound,
 * `barred` (features that no set holds, or NULL), the sizes of the core, and
 * `form`: S, where its columns cannot be read again and again */
static void read_trace(SEXP data, SEXP set, SEXP settings, problem *p)
{
    const rs_trace_sizes sizes = {r_integer(settings, "core"),
                                  r_integer(settings, "most")};
    p->ctx = r_context();
    p->k = (int)Rf_xlength(set);
    p->m = r_integer(settings, "m");
    p->op = r_covop(data, rs_max_int(p->m, RS_PANEL), &p->ctx);
    const double samples = p->op->X ? p->op->X->n : 0.0;
    if (!p->op->S && r_integer(settings, "form"))
        r_form_products(p->op);
    p->unit = rs_covop_use_unit(p->op);
    p->set = r_zero_based(set, p->op->d);
    p->value = r_number(settings, "value") / p->unit;
    p->bound = r_number(settings, "bound") / p->unit;
    p->excluded = r_indexed(r_element(settings, "barred"), p->op->d);
    p->fixed = r_locked(data, p->op->d);
    r_check_status(rs_relax_trace_init(&p->ctx, p->op, p->k, p->m, &sizes,
                                       p->set, p->value, &p->trace),
                   "bound");
    p->rounding = rs_trace_rounding(samples, &p->trace);
}

/* one line of progress */
static void report_core(void *state, const rs_tree_progress *now)
{
    const rs_relax_trace *s = (const rs_relax_trace *)state;
    REprintf("bound %.4f%% above the best set, %d features in the core, "
             "%d open nodes\n",
             100.0 * (now->bound / now->value - 1.0), s->core.p, now->open);
}

/* marks: rs_unit of every feature at the root */
SEXP C_fspca_bound(SEXP data, SEXP set, SEXP settings)
{
    problem p;
    rs_tree *tree;
    read_trace(data, set, settings, &p);
    rs_tree_fit fit = {.set = p.set, .bound = p.bound};
    const rs_tree_settings how = {
        .k = p.k,
        .excluded = p.excluded,
        .fixed = p.fixed,
        .tie = r_number(settings, "tie") * p.value,
        .seconds = r_number(settings, "time_limit"),
        .nodes = r_number(settings, "nodes"),
        .report = r_integer(settings, "verbose") ? report_core : NULL,
        .report_state = &p.trace};
    r_check_status(rs_tree_open(&p.ctx, p.op->d, p.k, &p.trace.of, &tree),
                   "bound");
    r_check_status(rs_tree_search(&how, tree, &fit), "bound");
    fit.bound = fmax(fit.bound, fit.value) + p.rounding;
    r_result out = r_open();
    r_add_proof(&out, &fit, p.k, p.unit, p.unit);
    int *marks = r_add_integers(&out, "marks", p.op->d);
    for (int j = 0; j < p.op->d; j++)
        marks[j] = p.trace.root[j];
    r_add_number(&out, "evaluations", p.trace.core.evaluations);
    return r_close(&out);
}

static rs_status open_role_tree(rs_role_tree *self, rs_tree **tree)
{
    problem *p = (problem *)self->state;
    return rs_tree_open(&p->ctx, p->op->d, p->k, &p->trace.of, tree);
}

/* sets: given and best, that of the settings; settings: also k, tolerance, sets */
SEXP C_fspca_roles(SEXP data, SEXP sets, SEXP settings)
{
    problem p;
    rs_role_fit fit;
    rs_groups features;
    rs_value_trace exchanges;
    read_trace(data, r_required(sets, "best"), settings, &p);
    const int d = p.op->d;
    const rs_role_settings asked = role_settings(sets, settings, d, &p.ctx);
    p.trace.error = p.rounding;
    r_check_status(rs_groups_of_one(&p.ctx, d, p.op->diagonal, p.fixed,
                                    p.excluded, &features),
                   "roles");
    r_check_status(
        rs_value_trace_init(&p.ctx, p.op, &features, p.k, p.m, &exchanges),
        "roles");
    exchanges.as_value.total = 1.0;
    const double none = 0.0;
    rs_role_tree tree = {
        .open = open_role_tree, .state = &p, .asks = 1, .dear = 1};
    const rs_role_problem roles = {.d = d,
                                   .excluded = p.excluded,
                                   .fixed = p.fixed,
                                   .bound = p.bound,
                                   .value = p.trace.of.value,
                                   .state = &p.trace,
                                   .rounding = &none,
                                   .sets = &exchanges.as_value,
                                   .trees = 1,
                                   .tree = &tree};
    r_check_status(rs_find_roles(&p.ctx, &roles, &asked, &fit), "roles");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), p.unit);
}

/* ---- likelihoods -------------------------------------------------------- */

/* a set of k features, and its proof within a time */
static SEXP prove_family(SEXP set, const rs_tree_settings *how,
                         rs_family_bound *b)
{
    const int d = b->problem->X->d;
    rs_tree_fit fit = {.set = r_zero_based(set, d), .bound = b->total};
    r_expect((int)Rf_xlength(set) == how->k, "set");
    b->k = how->k;
    r_check_status(rs_tree_search(how, b->tree, &fit), "exact");
    r_result out = r_open();
    r_add_proof(&out, &fit, how->k, b->problem->unit, 1.0 / b->total);
    return r_close(&out);
}

/*
 * Proofs of optimality. sets: a good set of every size; settings: these sizes as k,
 * ascending, ridge, sign (or NULL), tol (a share of the loss of no features), time_limit, verbose.
 * Every size has an equal share of the time that is left.
 */
SEXP C_family_exact(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_family_problem problem;
    rs_family_bound bound;
    rs_clock clock;
    const int count = (int)Rf_xlength(sets), d = r_integer(data, "d");
    const int *sizes = INTEGER_RO(r_required(settings, "k"));
    const unsigned char *barred = r_marks(data, "constant", d);
    r_family_problem(data, response, settings, &ctx, &problem);
    rs_clock_start(r_number(settings, "time_limit"), &clock);
    r_check_status(
        rs_family_bound_init(&ctx, &problem, barred, sizes[count - 1], &bound),
        "exact");
    rs_tree_settings how = {.excluded = barred,
                            .fixed = r_locked(data, d),
                            .tie = r_number(settings, "tol") * bound.total,
                            .ties = 1,
                            .nodes = INFINITY,
                            .report = r_integer(settings, "verbose") ? report
                                                                     : NULL};
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++) {
        double next = 1.0;
        how.report_state = &next;
        how.k = sizes[i];
        how.seconds = fmax(rs_clock_left(&clock), 0.0) / (count - i);
        SET_VECTOR_ELT(out, i,
                       prove_family(VECTOR_ELT(sets, i), &how, &bound));
    }
    UNPROTECT(1);
    return out;
}

/* exchanges of likelihoods are estimates */
static void no_value_is_sure(void *state, double *error)
{
    const rs_value_family *s = (const rs_value_family *)state;
    rs_fill((size_t)s->d, INFINITY, error);
}

static rs_status open_family_tree(rs_role_tree *self, rs_tree **tree)
{
    *tree = ((rs_family_bound *)self->state)->tree;
    return RS_OK;
}

/* the role of every feature, as C_sets_roles() has it */
SEXP C_family_roles(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_family_problem problem;
    rs_family_bound bound;
    rs_groups features;
    rs_value_family exchanges;
    rs_role_fit fit;
    const double none = 0.0;
    const int d = r_integer(data, "d");
    const unsigned char *barred = r_marks(data, "constant", d);
    const unsigned char *fixed = r_locked(data, d);
    const rs_role_settings asked = role_settings(sets, settings, d, &ctx);
    if (asked.rules)
        barred = asked.rules->barred;
    r_family_problem(data, response, settings, &ctx, &problem);
    r_check_status(
        rs_family_bound_init(&ctx, &problem, barred, asked.k, &bound),
        "roles");
    bound.k = asked.k;
    r_check_status(rs_groups_of_one(&ctx, d, r_doubles(data, "deviation"),
                                    fixed, barred, &features),
                   "roles");
    r_check_status(
        rs_value_family_init(&ctx, &problem, &features, asked.k, &exchanges),
        "roles");
    exchanges.as_value.total = 1.0;
    exchanges.as_value.errors = no_value_is_sure;
    rs_role_tree tree = {
        .open = open_family_tree, .state = &bound, .asks = 1, .share = 1.0};
    const rs_role_problem roles = {.d = d,
                                   .excluded = barred,
                                   .fixed = fixed,
                                   .bound = bound.total,
                                   .value = bound.of.value,
                                   .state = &bound,
                                   .rounding = &none,
                                   .sets = &exchanges.as_value,
                                   .trees = 1,
                                   .tree = &tree};
    r_check_status(rs_find_roles(&ctx, &roles, &asked, &fit), "roles");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), problem.unit);
}
