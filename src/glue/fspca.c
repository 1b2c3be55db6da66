#include "method/fspca/dscofs.h"
#include "method/fspca/fspca.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "la/linalg.h"

/* in the order of rs_fspca_solver */
static const char *const solvers[] = {"starts", "go", "ipu", "given", NULL};

/* leading: the m leading eigenpairs; settings: k, solver, maxit, seconds, and
 * starts (in columns) or NULL */
SEXP C_fspca(SEXP data, SEXP leading, SEXP settings)
{
    rs_context ctx = r_context();
    rs_fspca_settings asked;
    rs_fspca_fit fit;
    SEXP starts = r_element(settings, "starts");
    const int given = starts != R_NilValue;

    asked.m = r_matrix(leading, "vectors", &asked.vectors);
    R_INTEGERS(settings, &asked.k, &asked.maxit);
    asked.seconds = r_number(settings, "seconds");
    asked.solver = (rs_fspca_solver)r_choice(settings, "solver", solvers);
    rs_covop *op = r_covop(data, asked.m, &ctx);
    const double unit = rs_covop_use_unit(op);
    asked.count = given ? Rf_ncols(starts) : 0;
    asked.starts = given ? r_zero_based(starts, op->d, &ctx) : NULL;
    asked.first = r_locked(data, op->d, &ctx);
    double *values = r_room(&ctx, (size_t)asked.m);
    rs_copy((size_t)asked.m, r_doubles(leading, "values"), values);
    rs_scale((size_t)asked.m, 1.0 / unit, values);
    asked.values = values;
    r_result out = r_open();
    fit.V = r_add_matrix(&out, "V", asked.k, asked.m);
    fit.subset = r_add_integers(&out, "subset", asked.k);
    fit.values = r_add_vector(&out, "values", asked.m);
    fit.scores = r_add_vector(&out, "scores", op->d);
    fit.ends = r_add_integer_matrix(&out, "ends", asked.k, RS_FSPCA_ENDS);
    r_add_run(&out, "fspca", rs_fspca(&ctx, op, &asked, &fit), &fit.history,
              unit);
    rs_scale((size_t)asked.m, unit, fit.values);
    rs_scale((size_t)op->d, unit, fit.scores);
    r_to_one_based((size_t)asked.k, fit.subset);
    r_to_one_based((size_t)asked.k * fit.count, fit.ends);
    r_add_integer(&out, "count", fit.count);
    r_add_flag(&out, "is_global", fit.is_global);
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
