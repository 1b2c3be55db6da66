#include <string.h>

#include "method/l20.h"
#include "glue/entries.h"
#include "glue/glue.h"

static void read_l20(SEXP data, SEXP Y, SEXP settings, rs_context *ctx,
                     rs_l20_problem *problem)
{
    problem->X = (rs_data *)R_alloc(1, sizeof *problem->X);
    problem->Y = REAL_RO(Y);
    problem->c = Rf_ncols(Y);
    problem->k = r_integer(settings, "k");
    r_data(data, problem->c, ctx, problem->X);
    problem->n = problem->X->n;
    problem->d = problem->X->d;
}

/* the end (weights or loadings), objective, iterations, how it ended */
static SEXP l20_result(SEXP end, const rs_history *history, int iterations,
                       rs_status status)
{
    r_check_status(status, "regression");
    const char *names[] = {"end", "objective", "iterations", "converged",
                           "status"};
    SEXP values[] = {
        end, PROTECT(r_doubles((size_t)history->count, history->objective)),
        PROTECT(Rf_ScalarInteger(iterations)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(5, names, values);
    UNPROTECT(4);
    return out;
}

SEXP C_pgd(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    SEXP W = PROTECT(Rf_duplicate(start));
    read_l20(data, Y, settings, &ctx, &problem);
    rs_status status = rs_pgd(&ctx, &problem, r_number(settings, "step"),
                              r_number(settings, "tol"),
                              r_integer(settings, "maxit"), REAL(W), &history);
    SEXP out = l20_result(W, &history, history.count - 1, status);
    UNPROTECT(1);
    return out;
}

SEXP C_rpfs(SEXP data, SEXP Y, SEXP start, SEXP residual, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    SEXP V = PROTECT(Rf_duplicate(start));
    SEXP E = PROTECT(Rf_duplicate(residual));
    read_l20(data, Y, settings, &ctx, &problem);
    rs_status status =
        rs_rpfs(&ctx, &problem, r_number(settings, "mu"),
                r_number(settings, "rho"), r_number(settings, "tol"),
                r_integer(settings, "maxit"), REAL(V), REAL(E), &history);
    SEXP out = l20_result(V, &history, history.count, status);
    UNPROTECT(2);
    return out;
}

SEXP C_ipfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    read_l20(data, Y, settings, &ctx, &problem);
    SEXP v = PROTECT(Rf_allocVector(REALSXP, problem.d));
    rs_status status =
        rs_ipfs(&ctx, &problem, r_number(settings, "ridge"),
                r_number(settings, "rho"), r_number(settings, "tol"),
                r_integer(settings, "maxit"), REAL(v), &history);
    SEXP out = l20_result(v, &history, history.count, status);
    UNPROTECT(1);
    return out;
}
