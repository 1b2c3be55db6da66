#include "method/rfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* start: d x c or NULL; settings: gamma, tol, maxit, split */
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
                              start == R_NilValue ? NULL : REAL_RO(start),
                              r_integer(settings, "split")};
    rs_rfs_fit fit;

    r_data(data, problem.c, &ctx, &X);
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", X.d, problem.c);
    fit.pull = r_add_vector(&out, "pull", X.d);
    rs_status status = rs_rfs(&ctx, &problem, &fit);
    r_check_status(status, "rfs");
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count - 1);
    r_add_number(&out, "bound", fit.bound);
    r_add_ending(&out, status);
    return r_close(&out);
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
