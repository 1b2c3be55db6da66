#include <string.h>

#include "la/linalg.h"
#include "solve/prox.h"
#include "method/bsufs.h"
#include "glue/entries.h"
#include "glue/glue.h"

static rs_bsufs_settings read_settings(SEXP settings)
{
    rs_bsufs_settings set;
    set.lambda1 = r_number(settings, "lambda1");
    set.lambda2 = r_number(settings, "lambda2");
    set.p = r_number(settings, "p");
    set.q = r_number(settings, "q");
    set.beta1 = r_number(settings, "beta1");
    set.beta2 = r_number(settings, "beta2");
    set.tau = r_number(settings, "tau");
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner = r_q_control(settings);
    return set;
}

/* S in the unit of the features, and the penalties with it; returns the unit
 * of the objective */
static double use_units(int normalize, rs_covop *op, rs_bsufs_settings *set)
{
    if (normalize) {
        rs_covop_normalise(op);
        return 1.0;
    }
    double unit = rs_covop_use_unit(op);
    set->lambda1 /= unit;
    set->lambda2 /= unit;
    set->beta1 /= unit;
    set->beta2 /= unit;
    set->tau /= unit;
    return unit;
}

static SEXP copy_matrix(SEXP x)
{
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, Rf_nrows(x), Rf_ncols(x)));
    memcpy(REAL(out), REAL_RO(x), (size_t)Rf_xlength(x) * sizeof(double));
    UNPROTECT(1);
    return out;
}

/* start: d x m, made orthonormal here; settings: numbers, all resolved */
SEXP C_bsufs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_bsufs_settings set = read_settings(settings);
    rs_bsufs_fit fit;
    rs_covop op;
    int d = Rf_nrows(start), m = Rf_ncols(start);

    r_covop(data, m, &ctx, &op);
    double unit = use_units(r_integer(settings, "normalize"), &op, &set);
    SEXP W = PROTECT(copy_matrix(start));
    SEXP U = PROTECT(Rf_allocMatrix(REALSXP, d, m));
    SEXP V = PROTECT(Rf_allocMatrix(REALSXP, d, m));
    fit.W = REAL(W);
    fit.U = REAL(U);
    fit.V = REAL(V);
    r_orthonormalise(&ctx, d, m, fit.W);
    rs_status status = rs_bsufs(&ctx, &op, m, &set, &fit);
    r_check_status(status, "bsufs");
    rs_scale((size_t)fit.history.count, unit, fit.history.objective);

    const char *names[] = {"W",     "U",          "V",     "objective",
                           "kkt",   "iterations", "inner", "products",
                           "rises", "converged",  "status"};
    SEXP values[] = {
        W,
        U,
        V,
        PROTECT(r_doubles((size_t)fit.history.count, fit.history.objective)),
        PROTECT(Rf_ScalarReal(fit.kkt)),
        PROTECT(Rf_ScalarInteger(fit.history.count - 1)),
        PROTECT(Rf_ScalarInteger(fit.inner_iterations)),
        PROTECT(Rf_ScalarReal(op.products)),
        PROTECT(Rf_ScalarInteger(fit.history.rises)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(11, names, values);
    UNPROTECT(11);
    return out;
}
