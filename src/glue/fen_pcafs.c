#include "method/pca/fen_pcafs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "la/linalg.h"

/* start: d x m; settings: all resolved */
SEXP C_fen_pcafs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_fen_fit fit;
    const int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op = r_covop_in_unit(data, settings, m, &ctx, &unit);
    rs_fen_settings set;
    R_PENALTIES(settings, unit, &set.lambda, &set.ridge);
    R_NUMBERS(settings, &set.p, &set.u, &set.t, &set.eps, &set.tol);
    R_INTEGERS(settings, &set.maxit);
    set.groups = r_row_groups(settings, &ctx);
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
