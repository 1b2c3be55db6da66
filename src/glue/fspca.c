#include <string.h>

#include "method/set/dscofs.h"
#include "method/set/fspca.h"
#include "glue/glue.h"
#include "la/linalg.h"

/* starts: k features in each column; settings: m, maxit, seconds */
SEXP C_fspca(SEXP data, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_fspca_fit fit;
    const int d = r_integer(data, "d"), k = Rf_nrows(starts);
    rs_fspca_settings asked = {.k = k,
                               .count = Rf_ncols(starts),
                               .starts = r_zero_based(starts, d),
                               .first = r_locked(data, d),
                               .seconds = r_number(settings, "seconds")};
    R_INTEGERS(settings, &asked.m, &asked.maxit);
    rs_covop *op = r_covop(data, asked.m, &ctx);
    const double unit = rs_covop_use_unit(op);
    r_result out = r_open();
    fit.V = r_add_matrix(&out, "V", k, asked.m);
    fit.subset = r_add_integers(&out, "subset", k);
    fit.values = r_add_vector(&out, "values", asked.m);
    fit.scores = r_add_vector(&out, "scores", d);
    fit.ends = r_add_integer_matrix(&out, "ends", k, RS_FSPCA_ENDS);
    /* a search may have fewer ends */
    memset(fit.ends, 0, (size_t)k * RS_FSPCA_ENDS * sizeof *fit.ends);
    r_add_run(&out, "fspca", rs_fspca(&ctx, op, &asked, &fit), &fit.history,
              unit);
    rs_scale((size_t)asked.m, unit, fit.values);
    rs_scale((size_t)d, unit, fit.scores);
    r_to_one_based((size_t)k, fit.subset);
    r_to_one_based((size_t)k * fit.count, fit.ends);
    r_add_integer(&out, "end_count", fit.count);
    return r_close(&out);
}

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
    set.first = r_locked(data, d);
    r_result out = r_open();
    fit.W = r_add_start(&out, "W", start, &ctx);
    fit.Y = r_add_matrix(&out, "Y", d, m);
    fit.Z = r_add_matrix(&out, "Z", d, m);
    fit.B = r_add_matrix(&out, "loadings", d, m);
    r_add_palm(&out, "dscofs", rs_dscofs(&ctx, op, m, &set, &fit), &fit.end,
               op, unit);
    r_add_integer(&out, "rejected", fit.end.rejected);
    return r_close(&out);
}
