#include "la/linalg.h"
#include "method/fspca.h"
#include "glue/entries.h"
#include "glue/glue.h"

static SEXP pack(const rs_fspca_fit *fit, SEXP V, SEXP subset, int d, int m,
                 rs_status status)
{
    SEXP values[] = {
        subset,
        V,
        PROTECT(r_doubles((size_t)m, fit->values)),
        PROTECT(r_doubles((size_t)d, fit->scores)),
        PROTECT(r_doubles((size_t)fit->history.count, fit->history.objective)),
        PROTECT(Rf_ScalarLogical(fit->is_global)),
        PROTECT(Rf_ScalarReal(fit->nodes)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    const char *names[] = {"subset", "V",         "values",
                           "scores", "objective", "is_global",
                           "nodes",  "converged", "status"};
    SEXP out = r_named_list(9, names, values);
    UNPROTECT(7);
    return out;
}

/* values in the unit of the operator back to that of the data */
static void restore_unit(double unit, int d, int m, rs_fspca_fit *fit)
{
    rs_scale((size_t)m, unit, fit->values);
    rs_scale((size_t)d, unit, fit->scores);
    rs_scale((size_t)fit->history.count, unit, fit->history.objective);
}

/* leading: the m leading eigenpairs; method: 0 Go, 1 IPU, 2 exact */
SEXP C_fspca(SEXP data, SEXP leading, SEXP k_, SEXP method_, SEXP maxit_)
{
    rs_context ctx = r_context();
    rs_covop op;
    SEXP vectors = r_element(leading, "vectors");
    int m = Rf_ncols(vectors), k = Rf_asInteger(k_);
    int method = Rf_asInteger(method_);

    r_covop(data, m, &ctx, &op);
    double unit = rs_covop_use_unit(&op);
    double *values = rs_alloc_double(&ctx, (size_t)m);
    rs_copy((size_t)m, REAL_RO(r_element(leading, "values")), values);
    rs_scale((size_t)m, 1.0 / unit, values);
    SEXP V = PROTECT(Rf_allocMatrix(REALSXP, k, m));
    SEXP subset = PROTECT(Rf_allocVector(INTSXP, k));
    rs_fspca_fit fit;
    fit.V = REAL(V);
    fit.subset = INTEGER(subset);
    fit.values = (double *)r_need(rs_alloc_double(&ctx, (size_t)m));
    fit.scores = (double *)r_need(rs_alloc_double(&ctx, (size_t)op.d));
    rs_status status =
        method == 0
            ? rs_fspca_go(&ctx, &op, k, m, values, REAL_RO(vectors), &fit)
            : rs_fspca_ipu(&ctx, &op, k, m, values, REAL_RO(vectors),
                           Rf_asInteger(maxit_), &fit);
    r_check_status(status, "fspca");
    if (method == 2 && !fit.is_global) {
        status = rs_fspca_exact(&ctx, &op, k, m, &fit);
        r_check_status(status, "fspca");
    }
    restore_unit(unit, op.d, m, &fit);
    for (int i = 0; i < k; i++)
        fit.subset[i]++;
    SEXP out = pack(&fit, V, subset, op.d, m, status);
    UNPROTECT(2);
    return out;
}
