#include "method/fspca/dscofs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* start: d x m, made orthonormal here; settings: all resolved */
SEXP C_dscofs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_dscofs_fit fit;
    int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op = r_covop_in_unit(data, settings, m, &ctx, &unit);
    rs_dscofs_settings set;
    set.s = (size_t)r_number(settings, "s");
    R_PENALTIES(settings, unit, &set.mu1, &set.mu2, &set.tau1);
    R_NUMBERS(settings, &set.tau2, &set.tol);
    R_INTEGERS(settings, &set.k, &set.maxit);
    set.inner = r_q_control(settings);
    set.first = r_locked(data, d, &ctx);
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", d, m);
    fit.Y = r_add_matrix(&out, "Y", d, m);
    fit.Z = r_add_matrix(&out, "Z", d, m);
    fit.B = r_add_matrix(&out, "loadings", d, m);
    r_start(&ctx, start, fit.W);
    r_add_palm(&out, "dscofs", rs_dscofs(&ctx, op, m, &set, &fit), &fit.end,
               op, unit);
    r_add_integer(&out, "rejected", fit.end.rejected);
    return r_close(&out);
}
