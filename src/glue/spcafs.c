#include "la/linalg.h"
#include "method/spcafs.h"
#include "glue/entries.h"
#include "glue/glue.h"

static rs_spcafs_settings read_settings(SEXP settings)
{
    rs_spcafs_settings set;
    set.lambda = r_number(settings, "lambda");
    set.p = r_number(settings, "p");
    set.eps = r_number(settings, "eps");
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner_tol = r_number(settings, "inner_tol");
    set.inner_maxit = r_integer(settings, "inner_maxit");
    return set;
}

/* S in the unit of the features, and the penalty with it; returns the unit of
 * the objective */
static double use_units(int normalize, rs_covop *op, rs_spcafs_settings *set)
{
    if (normalize) {
        rs_covop_normalise(op);
        return 1.0;
    }
    double unit = rs_covop_use_unit(op);
    set->lambda /= unit;
    return unit;
}

/* start: d x m, made orthonormal here; settings: numbers, all resolved */
SEXP C_spcafs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spcafs_settings set = read_settings(settings);
    rs_spcafs_fit fit;
    rs_covop op;
    int d = Rf_nrows(start), m = Rf_ncols(start);

    r_covop(data, m + 2, &ctx, &op);
    double unit = use_units(r_integer(settings, "normalize"), &op, &set);
    SEXP W = PROTECT(Rf_duplicate(start));
    fit.W = REAL(W);
    r_orthonormalise(&ctx, d, m, fit.W);
    rs_status status = rs_spcafs(&ctx, &op, m, &set, &fit);
    r_check_status(status, "spcafs");
    rs_scale((size_t)fit.history.count, unit, fit.history.objective);
    fit.penalised *= unit;

    const char *names[] = {"W",     "objective",  "penalised",
                           "kkt",   "iterations", "products",
                           "rises", "converged",  "status"};
    SEXP values[] = {
        W,
        PROTECT(r_doubles((size_t)fit.history.count, fit.history.objective)),
        PROTECT(Rf_ScalarReal(fit.penalised)),
        PROTECT(Rf_ScalarReal(fit.kkt)),
        PROTECT(Rf_ScalarInteger(fit.history.count - 1)),
        PROTECT(Rf_ScalarReal(op.products)),
        PROTECT(Rf_ScalarInteger(fit.history.rises)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(9, names, values);
    UNPROTECT(9);
    return out;
}
