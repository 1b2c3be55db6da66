#include "method/fspca/dscofs.h"
#include "method/fspca/fspca.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "la/linalg.h"
#include "sets/value_trace.h"

#include <string.h>

/* in the order of rs_fspca_solver */
static const char *const solvers[] = {"exchange", "go", "ipu", "given", NULL};

/* leading: the m leading eigenpairs; settings: k, solver, maxit, work,
 * perturbations, seconds, and starts (in columns) or NULL */
SEXP C_fspca(SEXP data, SEXP leading, SEXP settings)
{
    rs_context ctx = r_context();
    rs_fspca_settings asked;
    rs_fspca_fit fit;
    SEXP starts = r_element(settings, "starts");
    const int given = starts != R_NilValue;

    asked.m = r_matrix(leading, "vectors", &asked.vectors);
    R_INTEGERS(settings, &asked.k, &asked.maxit, &asked.perturbations);
    R_NUMBERS(settings, &asked.work, &asked.seconds);
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
    r_add_run(&out, "fspca", rs_fspca(&ctx, op, &asked, &fit), &fit.history,
              unit);
    rs_scale((size_t)asked.m, unit, fit.values);
    rs_scale((size_t)op->d, unit, fit.scores);
    r_to_one_based((size_t)asked.k, fit.subset);
    r_add_flag(&out, "is_global", fit.is_global);
    return r_close(&out);
}

/* set: features, of which there may be fewer or more than k; settings: k, m
 * below it, work. A set of k that is made from it, and improved by exchanges */
SEXP C_fspca_resize(SEXP data, SEXP set, SEXP settings)
{
    static const char *const where = "sets of other sizes";
    rs_context ctx = r_context();
    rs_trace_search t;
    const int given = (int)Rf_xlength(set), k = r_integer(settings, "k");
    const int m = r_integer(settings, "m"), most = rs_max_int(given, k);
    rs_covop *op = r_covop(data, m, &ctx);
    const double unit = rs_covop_use_unit(op);
    int *features = r_int_room(&ctx, (size_t)most);
    double *worth = r_room(&ctx, (size_t)most);
    memcpy(features, r_zero_based(set, op->d, &ctx),
           (size_t)given * sizeof *features);
    r_check_status(rs_trace_search_init(&ctx, op, most, m, 0, &t), where);
    t.first = r_locked(data, op->d, &ctx);
    r_check_status(rs_trace_search_load(&t, given, features, worth), where);
    r_check_status(
        given < k ? rs_search_grow(&t.search, given, k, features, worth, NULL)
                  : rs_search_shrink(&t.search, given, k, features),
        where);
    r_check_status(rs_trace_search_exchange(&t, k, r_number(settings, "work"),
                                            features, worth),
                   where);
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)k, features);
    r_add_number(&out, "value", *worth * unit);
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
