#include <math.h>
#include <string.h>

#include "method/cdlsr/cdlsr.h"
#include "proof/exact.h"
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
 * search: the size of the sets that are searched for, where cross-products may
 * pay; 0: they are not formed. least_block: products of so many columns must be
 * possible.
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
    /* the data stay where they may tell more of Y than products do */
    if (search > 0 && rs_lsq_prefers_products(problem, search))
        r_check_status(problem->Y ? rs_lsq_form_products(ctx, problem)
                                  : rs_lsq_use_products(ctx, problem),
                       "cross-products");
    if (problem->c == 0)
        r_check_status(rs_lsq_prepare(ctx, problem), "cross-products");
}

/* ---- results ----------------------------------------------------------- */

/* gains that rounding may leave, relative to the total */
#define RS_NO_GAIN (64.0 * 2.220446049250313e-16)

/* objective, sweeps, convergence and set of every start */
static SEXP r_starts(const rs_cdlsr_fit *fit)
{
    const rs_cdlsr_settings *set = fit->settings;
    const int count = set->forward + set->starts;
    r_result out = r_open();
    double *objective = r_add_vector(&out, "objective", count);
    int *sweeps = r_add_integers(&out, "sweeps", count);
    SEXP converged = PROTECT(Rf_allocVector(LGLSXP, count));
    int *sets = r_add_integer_matrix(&out, "sets", count, set->k);
    for (int i = 0; i < count; i++) {
        const rs_cdlsr_end *end = &fit->end[i];
        objective[i] = end->objective;
        sweeps[i] = end->history.count - 1;
        LOGICAL(converged)[i] = end->status == RS_OK;
        for (int l = 0; l < set->k; l++)
            sets[i + (size_t)l * count] = end->set[l] + 1;
    }
    r_add(&out, "converged", converged);
    UNPROTECT(1);
    return r_close(&out);
}

/* the sets of the sizes 1, 2, ..., as long as these are independent: features and
 * coefficients are lists */
static SEXP r_path(rs_cdlsr_fit *fit, double *room)
{
    const int k = fit->settings->k, c = fit->lsq.problem->c;
    SEXP sets = PROTECT(Rf_allocVector(VECSXP, k));
    SEXP coefficients = PROTECT(Rf_allocVector(VECSXP, k));
    double *explained = room, *objective = room + k, *work = room + 2 * k;
    int reached = 0;
    for (; reached < k; reached++) {
        int *set = fit->path.set + (size_t)k * reached, count = reached + 1;
        SEXP V = Rf_allocMatrix(REALSXP, count, c);
        SET_VECTOR_ELT(coefficients, reached, V);
        r_check_status(rs_cdlsr_tell(fit, &count, set, work, REAL(V),
                                     objective + reached),
                       "path");
        if (count <= reached)
            break;
        explained[reached] = work[reached];
        SET_VECTOR_ELT(sets, reached, Rf_allocVector(INTSXP, count));
        memcpy(INTEGER(VECTOR_ELT(sets, reached)), set,
               (size_t)count * sizeof *set);
        r_to_one_based((size_t)count, INTEGER(VECTOR_ELT(sets, reached)));
    }
    r_result out = r_open();
    r_add_doubles(&out, "explained", (size_t)reached, explained);
    r_add_doubles(&out, "objective", (size_t)reached, objective);
    double *forward = r_add_vector(&out, "forward", reached);
    for (int i = 0; i < reached; i++)
        forward[i] = fmax(fit->lsq.problem->total - fit->path.forward[i], 0.0);
    r_add(&out, "features", Rf_lengthgets(sets, reached));
    r_add(&out, "coefficients", Rf_lengthgets(coefficients, reached));
    SEXP list = r_close(&out);
    UNPROTECT(2);
    return list;
}

/* the winner: what each beginning of it explains, coefficients; gains of the other
 * features; what is explained of every response */
static SEXP r_subset(rs_cdlsr_fit *fit, double *room)
{
    rs_value_lsq *s = &fit->lsq;
    const int c = s->problem->c, d = s->problem->d;
    int count = fit->settings->k, *set = fit->end[fit->best].set;
    double *V = room + count, objective;
    r_check_status(rs_cdlsr_tell(fit, &count, set, room, V, &objective),
                   "cdlsr");
    r_result out = r_open();
    r_add_indices(&out, "selected", (size_t)count, set);
    double *coefficients = r_add_matrix(&out, "coefficients", count, c);
    rs_copy((size_t)count * c, V, coefficients);
    r_add_doubles(&out, "explained", (size_t)count, room);
    r_add_number(&out, "objective", objective);
    rs_explained_alone(s->problem, r_add_vector(&out, "alone", d));
    double *gains = r_add_vector(&out, "gains", d);
    r_check_status(fit->value.gains(s, gains), "cdlsr");
    for (int j = 0; j < d; j++) {
        gains[j] -= s->explained;
        if (!(gains[j] > RS_NO_GAIN * s->problem->total))
            gains[j] = 0.0;
    }
    rs_value_lsq_shares(s, r_add_vector(&out, "response_explained", c));
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
    R_INTEGERS(settings, &set->perturb, &set->maxit);
    R_NUMBERS(settings, &set->tol, &set->cd_tol, &set->work);
    set->clock = NULL;
    if (r_element(settings, "search_limit") != R_NilValue) {
        rs_clock *clock = r_need(rs_alloc(ctx, 1, sizeof *clock));
        rs_clock_start(r_number(settings, "search_limit"), clock);
        set->clock = clock;
    }
}

/* sets of k features; those that are only refitted need no cross-products */
SEXP C_cdlsr(SEXP data, SEXP response, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_cdlsr_settings set;
    rs_cdlsr_fit fit;
    rs_lsq problem;

    read_settings(settings, starts, r_integer(data, "d"), &ctx, &set);
    const int searches = set.forward || set.method != RS_CDLSR_FORWARD;
    r_lsq(data, response, settings, searches ? set.k : 0, 2, &ctx, &problem);
    double *room = r_room(&ctx, (size_t)set.k * (problem.c + 3));
    r_check_status(rs_cdlsr(&ctx, &set, &problem, &fit), "cdlsr");

    const rs_cdlsr_end *end = &fit.end[fit.best];
    r_result out = r_open();
    r_add_history(&out, &end->history, 1.0);
    r_add_integer(&out, "iterations", end->history.count - 1);
    r_add(&out, "starts", r_starts(&fit));
    r_add(&out, "path", fit.sizes ? r_path(&fit, room) : R_NilValue);
    r_add(&out, "subset", r_subset(&fit, room));
    r_add_integer(&out, "best", fit.best + 1);
    r_add_flag(&out, "doubtful", fit.lsq.doubtful);
    r_add_ending(&out, "cdlsr", end->status);
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

    r_lsq(data, response, settings, 0, RS_PANEL, &ctx, &problem);
    exact.most = 0;
    for (int i = 0; i < count; i++)
        exact.most = rs_max_int(exact.most, INTEGER_RO(sizes)[i]);
    exact.shared = &shared;
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

    r_lsq(data, response, settings, 0, RS_PANEL, &ctx, &problem);
    const rs_role_settings asked =
        r_role_settings(sets, settings, problem.d, &ctx);
    r_check_status(rs_cdlsr_roles(&ctx, &problem, &asked,
                                  r_doubles(settings, "YtY"), &fit),
                   "cdlsr");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), problem.total);
}
