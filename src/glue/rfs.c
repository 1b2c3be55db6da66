#include "method/rfs.h"
#include "glue/entries.h"
#include "glue/glue.h"

/* start: d x c or NULL; settings: gamma, tol, maxit */
SEXP C_rfs(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_rfs_problem problem = {&X,
                              REAL_RO(Y),
                              Rf_ncols(Y),
                              r_number(settings, "gamma"),
                              r_number(settings, "tol"),
                              r_integer(settings, "maxit"),
                              start == R_NilValue ? NULL : REAL_RO(start)};
    rs_rfs_fit fit;

    r_data(data, problem.c, &ctx, &X);
    SEXP W = PROTECT(Rf_allocMatrix(REALSXP, X.d, problem.c));
    SEXP pull = PROTECT(Rf_allocVector(REALSXP, X.d));
    fit.W = REAL(W);
    fit.pull = REAL(pull);
    rs_status status = rs_rfs(&ctx, &problem, &fit);
    r_check_status(status, "rfs");

    const rs_history *history = &fit.history;
    const char *names[] = {"W",          "pull",      "bound", "objective",
                           "iterations", "converged", "status"};
    SEXP values[] = {
        W,
        pull,
        PROTECT(Rf_ScalarReal(fit.bound)),
        PROTECT(r_doubles((size_t)history->count, history->objective)),
        PROTECT(Rf_ScalarInteger(history->count - 1)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(7, names, values);
    UNPROTECT(7);
    return out;
}

/* ||x_j' Theta|| at W = 0; the largest is the gamma from which W = 0 */
SEXP C_rfs_pull(SEXP data, SEXP Y)
{
    rs_context ctx = r_context();
    rs_data X;
    r_data(data, Rf_ncols(Y), &ctx, &X);
    SEXP pull = PROTECT(Rf_allocVector(REALSXP, X.d));
    rs_status status =
        rs_rfs_pull_at_zero(&ctx, &X, REAL_RO(Y), Rf_ncols(Y), REAL(pull));
    r_check_status(status, "rfs");
    UNPROTECT(1);
    return pull;
}
