#include <math.h>
#include <string.h>

#include "sets/exchange.h"
#include "method/cdlsr/cdlsr.h"
#include "method/exact/roles.h"
#include "method/exact/search.h"
#include "method/css/css.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/lsq.h"
#include "glue/result.h"
#include "glue/roles.h"

/* ---- the problem ------------------------------------------------------- */

static const unsigned char *barred(SEXP data, int d, rs_context *ctx)
{
    const int *constant = LOGICAL_RO(r_element(data, "constant"));
    unsigned char *mask = r_byte_room(ctx, (size_t)d);
    for (int j = 0; j < d; j++)
        mask[j] = constant[j] != 0;
    return mask;
}

/* the data as they were given; those of weighted samples before their roots */
static void read_raw(SEXP data, rs_context *ctx, rs_lsq *problem)
{
    SEXP given = r_element(data, "given");
    SEXP x = given != R_NilValue ? given : r_element(data, "x");
    if (given != R_NilValue)
        problem->counts = r_doubles(r_required(data, "observed"), "weight");
    if (r_is(data, "kind", "dense")) {
        if (TYPEOF(x) == REALSXP)
            problem->raw = REAL_RO(x);
        else
            problem->raw_whole = INTEGER_RO(x);
    }
    r_matrix(data, "weight", &problem->weight);
    problem->centring = r_centring(data, ctx);
}

/*
 * response: Y (n x c, centred) or B (d x c), total, and reach, how far from
 * zero it was where B is made of parts; NULL for Y = X.
 * search: the size of the sets that are searched for, where the problem may be
 * given by its cross-products; 0: the data stay. least_block: products of so
 * many columns must be possible.
 */
void r_lsq(SEXP data, SEXP response, SEXP settings, int search,
           int least_block, rs_context *ctx, rs_lsq *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->n = r_integer(data, "n");
    problem->d = r_integer(data, "d");
    problem->square = r_doubles(data, "square");
    problem->barred = barred(data, problem->d, ctx);
    problem->first = r_locked(data, problem->d, ctx);
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
        problem->S = r_cross_products(data, problem->d, ctx);
    } else {
        int block = problem->c > least_block ? problem->c : least_block;
        problem->X = r_data(data, block, ctx);
    }
    if (problem->c > 0)
        r_check_status(rs_lsq_prepare(ctx, problem), "response");
    if (search > 0 && rs_lsq_prefers_products(problem, search))
        r_check_status(rs_lsq_use_products(ctx, problem), "cross-products");
    if (problem->c == 0)
        r_check_status(rs_css_prepare(ctx, problem), "cross-products");
}

/* ---- results ----------------------------------------------------------- */

/* objective, sweeps, convergence and set (NA where short) of every start */
static SEXP r_starts(const rs_cdlsr_settings *set, const rs_cdlsr_fit *fit)
{
    const int count = set->forward + set->starts;
    r_result out = r_open();
    double *objective = r_add_vector(&out, "objective", count);
    int *sweeps = r_add_integers(&out, "sweeps", count);
    SEXP converged = PROTECT(Rf_allocVector(LGLSXP, count));
    int *sets = r_add_integer_matrix(&out, "sets", count, set->k);
    for (int i = 0; i < count; i++) {
        const rs_cdlsr_end *end = &fit->end[i];
        objective[i] = end->objective;
        sweeps[i] = end->sweeps;
        LOGICAL(converged)[i] = end->status == RS_OK;
        for (int l = 0; l < set->k; l++)
            sets[i + (size_t)l * count] =
                l < end->k ? end->feature[l] + 1 : NA_INTEGER;
    }
    r_add(&out, "converged", converged);
    UNPROTECT(1);
    return r_close(&out);
}

/* the sets of the sizes 1, 2, ...: features and coefficients are lists */
static SEXP r_path(int c, const rs_cdlsr_fit *fit)
{
    const int reached = fit->reached;
    SEXP sets = PROTECT(Rf_allocVector(VECSXP, reached));
    SEXP coefficients = PROTECT(Rf_allocVector(VECSXP, reached));
    r_result out = r_open();
    double *explained = r_add_vector(&out, "explained", reached);
    double *objective = r_add_vector(&out, "objective", reached);
    for (int k = 1; k <= reached; k++) {
        const rs_cdlsr_size *size = &fit->path[k - 1];
        explained[k - 1] = size->explained;
        objective[k - 1] = size->objective;
        SET_VECTOR_ELT(sets, k - 1, Rf_allocVector(INTSXP, k));
        SET_VECTOR_ELT(coefficients, k - 1, Rf_allocMatrix(REALSXP, k, c));
        int *feature = INTEGER(VECTOR_ELT(sets, k - 1));
        memcpy(feature, size->feature, (size_t)k * sizeof(int));
        r_to_one_based((size_t)k, feature);
        if (c > 0)
            memcpy(REAL(VECTOR_ELT(coefficients, k - 1)), size->coefficients,
                   (size_t)k * c * sizeof(double));
    }
    r_add_doubles(&out, "forward", (size_t)reached, fit->forward_objective);
    r_add(&out, "features", sets);
    r_add(&out, "coefficients", coefficients);
    SEXP list = r_close(&out);
    UNPROTECT(2);
    return list;
}

/*
 * The set in the given order (NULL: as it stands): features, what each prefix
 * explains, coefficients; gains of the other features; what is explained of
 * every response.
 */
static SEXP r_subset(rs_subset *s, const int *order, const double *explained)
{
    const int k = s->k, c = s->problem->c, d = s->problem->d;
    double *V = (double *)R_alloc((size_t)k * c + 1, sizeof(double));
    r_result out = r_open();
    int *selected = r_add_integers(&out, "selected", k);
    double *coefficients = r_add_matrix(&out, "coefficients", k, c);
    r_add_doubles(&out, "explained", (size_t)k, explained);
    r_add_number(&out, "objective", rs_subset_objective(s));
    rs_explained_alone(s->problem, r_add_vector(&out, "alone", d));
    rs_subset_gains(s, r_add_vector(&out, "gains", d));
    rs_subset_response_shares(s, r_add_vector(&out, "response_explained", c));
    rs_subset_coefficients(s, V);
    for (int i = 0; i < k; i++) {
        int at = order ? order[i] : i;
        selected[i] = s->feature[at] + 1;
        for (int l = 0; l < c; l++)
            coefficients[i + (size_t)l * k] = V[at + (size_t)l * k];
    }
    return r_close(&out);
}

/* ---- entry points ------------------------------------------------------ */

/* in the order of rs_cdlsr_method */
static const char *const solvers[] = {"exchange", "cd", "forward", NULL};

/* starts: integer matrix of 1-based sets, one per row, possibly without rows */
static void read_settings(SEXP settings, SEXP starts, int d, rs_context *ctx,
                          rs_cdlsr_settings *set)
{
    set->method = (rs_cdlsr_method)r_choice(settings, "solver", solvers);
    R_INTEGERS(settings, &set->k, &set->path, &set->forward);
    set->starts = Rf_nrows(starts);
    set->start = r_zero_based(starts, d, ctx);
    R_INTEGERS(settings, &set->perturb, &set->tabu, &set->firsts, &set->sweeps,
               &set->maxit, &set->threads);
    R_NUMBERS(settings, &set->tol, &set->cd_tol);
    set->clock = NULL;
    if (r_element(settings, "search_limit") != R_NilValue) {
        rs_clock *clock = r_need(rs_alloc(ctx, 1, sizeof *clock));
        rs_clock_start(r_number(settings, "search_limit"), clock);
        set->clock = clock;
    }
}

/* the sets of size set->k; search: as for r_lsq() */
static void solve(SEXP data, SEXP response, SEXP settings, int search,
                  rs_context *ctx, const rs_cdlsr_settings *set,
                  rs_lsq *problem, rs_subset *subset, rs_cdlsr_fit *fit)
{
    r_lsq(data, response, settings, search, 2, ctx, problem);
    r_check_status(rs_subset_init(ctx, problem, set->k, 1, subset), "cdlsr");
    r_check_status(rs_cdlsr(ctx, set, subset, fit), "cdlsr");
}

/*
 * Small tall problems go by their cross-products; where some candidate is so
 * close to dependent that these do not resolve it, by the data once more. A
 * set that is only refitted goes by the data.
 */
SEXP C_cdlsr(SEXP data, SEXP response, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_cdlsr_settings set;
    rs_cdlsr_fit fit;
    rs_lsq problem;
    rs_subset subset;

    read_settings(settings, starts, r_integer(data, "d"), &ctx, &set);
    int search = set.forward || set.method != RS_CDLSR_FORWARD ? set.k : 0;
    if (response == R_NilValue) /* Y = X: the data would need all of XX' */
        search = set.k;
    solve(data, response, settings, search, &ctx, &set, &problem, &subset,
          &fit);
    if (problem.S && r_element(response, "Y") != R_NilValue &&
        (fit.doubtful || subset.k < set.k))
        solve(data, response, settings, 0, &ctx, &set, &problem, &subset,
              &fit);

    const rs_cdlsr_end *end = &fit.end[fit.best];
    r_result out = r_open();
    r_add(&out, "subset", r_subset(&subset, fit.order, fit.explained));
    r_add_history(&out, &end->history, 1.0);
    r_add_integer(&out, "iterations", end->sweeps);
    r_add(&out, "starts", r_starts(&set, &fit));
    /* without the time for the sets of all sizes there are none */
    r_add(&out, "path",
          set.path && (fit.reached > 0 || !set.clock) ? r_path(problem.c, &fit)
                                                      : R_NilValue);
    r_add_integer(&out, "best", fit.best + 1);
    r_add_flag(&out, "doubtful", fit.doubtful);
    r_add_ending(&out, "cdlsr", end->status);
    return r_close(&out);
}

/* forward selection for Y = X with O(d) numbers beyond the data and K or S */
SEXP C_css_forward(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_subset subset;
    int k = r_integer(settings, "k");
    double *explained = r_room(&ctx, (size_t)k);

    r_lsq(data, R_NilValue, settings, k, 2, &ctx, &problem);
    r_check_status(rs_subset_init(&ctx, &problem, k, 0, &subset), "css");
    r_check_status(rs_subset_grow(&subset, k, explained), "css");
    r_result out = r_open();
    r_add(&out, "subset", r_subset(&subset, NULL, explained));
    r_add_number(&out, "total", problem.total);
    return r_close(&out);
}

/* what was found about the sets of one size */
static SEXP r_proof(const rs_exact_fit *fit)
{
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)fit->count, fit->feature);
    R_ADD_NUMBERS(&out, fit->explained, fit->bound, fit->nodes, fit->dropped,
                  fit->joined, fit->seconds);
    R_ADD_FLAGS(&out, fit->complete, fit->resolved);
    r_add_trace(&out, &fit->trace, 1.0);
    return r_close(&out);
}

/* a line of progress each second; *next: when the next one is due */
static void report(void *next_, const rs_bnb *search)
{
    double *next = (double *)next_;
    const double now = rs_clock_seconds(&search->clock);
    if (now < *next)
        return;
    REprintf("%.0f s: the best set explains %.6f, none more than %.6f; %.0f "
             "nodes, %d open\n",
             now, search->value, rs_bnb_bound(search), search->nodes,
             search->open);
    *next = now + 1.0;
}

/* room for k features, a given set in it: 1-based columns, fewer than k where
 * no more are independent */
static void read_set(SEXP set, int k, int d, rs_context *ctx,
                     rs_exact_fit *fit)
{
    const int *given = r_zero_based(set, d, ctx);
    fit->count = (int)Rf_xlength(set);
    fit->feature = r_int_room(ctx, (size_t)rs_max_int(k, fit->count));
    memcpy(fit->feature, given, (size_t)fit->count * sizeof(int));
}

/*
 * Proofs of optimality. sets: a good set of every size; settings: these sizes
 * as k, and YtY. Every size has an equal share of the time that is left.
 */
SEXP C_cdlsr_exact(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_exact_shared shared = {.tree = NULL};
    rs_exact_settings exact;
    rs_clock clock;
    SEXP sizes = r_element(settings, "k");
    const int count = (int)Rf_xlength(sets);

    r_lsq(data, response, settings, 0, RS_EXACT_PANEL, &ctx, &problem);
    exact.most = 0;
    for (int i = 0; i < count; i++)
        exact.most = rs_max_int(exact.most, INTEGER_RO(sizes)[i]);
    exact.shared = &shared;
    exact.near = NULL;
    exact.report = r_integer(settings, "verbose") ? report : NULL;
    exact.tol = r_number(settings, "tol");
    exact.YtY = r_doubles(settings, "YtY");
    rs_clock_start(r_number(settings, "time_limit"), &clock);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++) {
        rs_exact_fit fit;
        double next = 1.0;
        exact.report_state = &next;
        exact.k = INTEGER_RO(sizes)[i];
        exact.time_limit = fmax(rs_clock_left(&clock), 0.0) / (count - i);
        read_set(VECTOR_ELT(sets, i), exact.k, problem.d, &ctx, &fit);
        r_check_status(rs_cdlsr_exact(&ctx, &problem, &exact, &fit), "cdlsr");
        SET_VECTOR_ELT(out, i, r_proof(&fit));
    }
    UNPROTECT(1);
    return out;
}

/* the role of every feature; settings also hold YtY */
SEXP C_cdlsr_roles(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_role_fit fit;

    r_lsq(data, response, settings, 0, RS_EXACT_PANEL, &ctx, &problem);
    const rs_role_settings asked =
        r_role_settings(sets, settings, problem.d, &ctx);
    r_check_status(rs_exact_roles(&ctx, &problem, &asked,
                                  r_doubles(settings, "YtY"), &fit),
                   "cdlsr");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), problem.total);
}
