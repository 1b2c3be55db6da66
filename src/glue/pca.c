/* glue/pca.c: principal components with few features. */
#include <string.h>

#include "eigen/leading.h"
#include "la/linalg.h"
#include "method/pca/pca.h"
#include "method/set/dscofs.h"
#include "method/set/fspca.h"
#include "glue/glue.h"

/* start: d x m, made orthonormal here; settings: all resolved */
SEXP C_bsufs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_bsufs_fit fit;
    const int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op = r_covop_in_unit(data, settings, m, &ctx, &unit);
    rs_bsufs_settings set = {.inner = r_q_control(settings),
                             .groups = r_row_groups(settings)};
    R_PENALTIES(settings, unit, &set.lambda1, &set.lambda2, &set.beta1,
                &set.beta2, &set.tau);
    R_NUMBERS(settings, &set.p, &set.q, &set.tol);
    R_INTEGERS(settings, &set.maxit);
    r_result out = r_open();
    fit.W = r_add_start(&out, "W", start, &ctx);
    fit.U = r_add_matrix(&out, "U", d, m);
    fit.V = r_add_matrix(&out, "V", d, m);
    r_add_palm(&out, "bsufs", rs_bsufs(&ctx, op, m, &set, &fit), &fit.end, op,
               unit);
    return r_close(&out);
}

/* start: d x m; settings: all resolved */
SEXP C_fen_pcafs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_fen_fit fit;
    const int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op = r_covop_in_unit(data, settings, m, &ctx, &unit);
    rs_fen_settings set = {.groups = r_row_groups(settings)};
    R_PENALTIES(settings, unit, &set.lambda, &set.ridge);
    R_NUMBERS(settings, &set.p, &set.u, &set.t, &set.eps, &set.tol);
    R_INTEGERS(settings, &set.maxit);
    r_result out = r_open();
    fit.W = r_add_copy(&out, "W", start);
    fit.Z = r_add_matrix(&out, "Z", d, m);
    r_add_run(&out, "fen_pcafs", rs_fen_pcafs(&ctx, op, m, &set, &fit),
              &fit.history, unit);
    rs_scale((size_t)fit.trace.count, unit, fit.trace.objective);
    r_add_doubles(&out, "trace", (size_t)fit.trace.count, fit.trace.objective);
    r_add_number(&out, "a", fit.a);
    return r_close(&out);
}

/* start: d x m, made orthonormal here; settings: all resolved */
SEXP C_spcafs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spcafs_fit fit;
    const int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op =
        r_covop_in_unit(data, settings, rs_ritz_block(d, m), &ctx, &unit);
    rs_spcafs_settings set = {.groups = r_row_groups(settings)};
    R_PENALTIES(settings, unit, &set.lambda);
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.p, &set.eps, &set.tol, &set.inner_tol);
    r_result out = r_open();
    fit.W = r_add_start(&out, "W", start, &ctx);
    r_add_run(&out, "spcafs", rs_spcafs(&ctx, op, m, &set, &fit), &fit.history,
              unit);
    r_add_number(&out, "penalised", unit * fit.penalised);
    R_ADD_NUMBERS(&out, fit.kkt, op->products);
    return r_close(&out);
}

/* the share of tr(S) that components with the loadings V reproduce */
SEXP C_components_share(SEXP data, SEXP V)
{
    rs_context ctx = r_context();
    double share;
    rs_covop *op = r_covop(data, Rf_ncols(V), &ctx);
    rs_covop_use_unit(op);
    r_check_status(rs_components_share(op, Rf_ncols(V), REAL_RO(V), &share),
                   "V");
    return Rf_ScalarReal(share);
}

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
