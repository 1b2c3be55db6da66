#include "la/linalg.h"
#include "method/dscofs.h"
#include "glue/entries.h"
#include "glue/glue.h"

static rs_dscofs_settings read_settings(SEXP settings)
{
    rs_dscofs_settings set;
    set.k = r_integer(settings, "k");
    set.s = (size_t)r_number(settings, "s");
    set.mu1 = r_number(settings, "mu1");
    set.mu2 = r_number(settings, "mu2");
    set.tau1 = r_number(settings, "tau1");
    set.tau2 = r_number(settings, "tau2");
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner = r_q_control(settings);
    return set;
}

/* S in the unit of the features, and the couplings with it; returns the unit
 * of the objective */
static double use_units(int normalize, rs_covop *op, rs_dscofs_settings *set)
{
    if (normalize) {
        rs_covop_normalise(op);
        return 1.0;
    }
    double unit = rs_covop_use_unit(op);
    set->mu1 /= unit;
    set->mu2 /= unit;
    set->tau1 /= unit;
    return unit;
}

/* start: d x m, made orthonormal here; settings: numbers, all resolved */
SEXP C_dscofs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_dscofs_settings set = read_settings(settings);
    rs_dscofs_fit fit;
    rs_covop op;
    int d = Rf_nrows(start), m = Rf_ncols(start);

    r_covop(data, m, &ctx, &op);
    double unit = use_units(r_integer(settings, "normalize"), &op, &set);
    SEXP W = PROTECT(Rf_duplicate(start));
    SEXP Y = PROTECT(Rf_allocMatrix(REALSXP, d, m));
    SEXP Z = PROTECT(Rf_allocMatrix(REALSXP, d, m));
    SEXP B = PROTECT(Rf_allocMatrix(REALSXP, d, m));
    fit.W = REAL(W);
    fit.Y = REAL(Y);
    fit.Z = REAL(Z);
    fit.B = REAL(B);
    r_orthonormalise(&ctx, d, m, fit.W);
    rs_status status = rs_dscofs(&ctx, &op, m, &set, &fit);
    r_check_status(status, "dscofs");
    rs_scale((size_t)fit.history.count, unit, fit.history.objective);

    const char *names[] = {"W",         "Y",     "Z",          "loadings",
                           "objective", "kkt",   "iterations", "inner",
                           "products",  "rises", "rejected",   "converged",
                           "status"};
    SEXP values[] = {
        W,
        Y,
        Z,
        B,
        PROTECT(r_doubles((size_t)fit.history.count, fit.history.objective)),
        PROTECT(Rf_ScalarReal(fit.kkt)),
        PROTECT(Rf_ScalarInteger(fit.history.count - 1)),
        PROTECT(Rf_ScalarInteger(fit.inner_iterations)),
        PROTECT(Rf_ScalarReal(op.products)),
        PROTECT(Rf_ScalarInteger(fit.history.rises)),
        PROTECT(Rf_ScalarInteger(fit.rejected)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(13, names, values);
    UNPROTECT(13);
    return out;
}
