/* Proofs for sets of features, and the role of every feature. */
#include <math.h>
#include <string.h>

#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/lsq.h"
#include "glue/result.h"
#include "glue/roles.h"
#include "proof/exact.h"

/* what was found about the sets of one size */
static SEXP r_proof(const rs_exact_fit *fit)
{
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)fit->count, fit->feature);
    R_ADD_NUMBERS(&out, fit->explained, fit->bound, fit->nodes, fit->dropped,
                  fit->joined, fit->seconds);
    R_ADD_FLAGS(&out, fit->complete, fit->resolved, fit->tied);
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

/* settings: `searched`, the size of sets of css(), or 0, and YtY where there is a
 * response */
static rs_exact_given read_problem(SEXP data, SEXP response, SEXP settings,
                                   rs_context *ctx, rs_lsq *problem)
{
    const int searched = r_integer(settings, "searched");
    rs_exact_given given = {.reproduces = searched > 0};
    r_lsq(data, response, settings, searched, RS_PANEL, ctx, problem);
    if (problem->c > 0)
        given.YtY = r_doubles(settings, "YtY");
    given.X = problem->X;
    if (searched > 0 && !given.X && !r_is_moments(data) &&
        !r_is(data, "kind", "blocks"))
        given.X = r_data(data, RS_PANEL, ctx);
    return given;
}

/*
 * Proofs of optimality. sets: a good set of every size; settings: these sizes
 * as k. Every size has an equal share of the time that is left.
 */
SEXP C_sets_exact(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_exact_shared shared = {.tree = NULL};
    rs_clock clock;
    SEXP sizes = r_element(settings, "k");
    const int count = (int)Rf_xlength(sets);
    rs_exact_settings exact = {
        .shared = &shared,
        .report = r_integer(settings, "verbose") ? report : NULL,
        .tol = r_number(settings, "tol"),
        .given = read_problem(data, response, settings, &ctx, &problem)};

    for (int i = 0; i < count; i++)
        exact.most = rs_max_int(exact.most, INTEGER_RO(sizes)[i]);
    rs_clock_start(r_number(settings, "time_limit"), &clock);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++) {
        rs_exact_fit fit;
        double next = 1.0;
        exact.report_state = &next;
        exact.k = INTEGER_RO(sizes)[i];
        exact.time_limit = fmax(rs_clock_left(&clock), 0.0) / (count - i);
        read_set(VECTOR_ELT(sets, i), exact.k, problem.d, &ctx, &fit);
        r_check_status(rs_sets_exact(&ctx, &problem, &exact, &fit), "exact");
        SET_VECTOR_ELT(out, i, r_proof(&fit));
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
        read_problem(data, response, settings, &ctx, &problem);
    const rs_role_settings asked =
        r_role_settings(sets, settings, problem.d, &ctx);
    r_check_status(rs_sets_roles(&ctx, &problem, &asked, &given, &fit),
                   "roles");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), problem.total);
}
