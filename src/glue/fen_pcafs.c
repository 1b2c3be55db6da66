#include "method/pca/fen_pcafs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "la/linalg.h"

static rs_fen_settings read_settings(SEXP settings, double unit)
{
    rs_fen_settings set;
    set.lambda = r_number(settings, "lambda") / unit;
    set.p = r_number(settings, "p");
    set.u = r_number(settings, "u");
    set.t = r_number(settings, "t");
    set.ridge = r_number(settings, "ridge") / unit;
    set.eps = r_number(settings, "eps");
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    return set;
}

/* start: d x m; settings: all resolved */
SEXP C_fen_pcafs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_fen_fit fit;
    rs_covop op;
    const int d = Rf_nrows(start), m = Rf_ncols(start);

    r_covop(data, m, &ctx, &op);
    const double unit = r_use_unit(settings, &op);
    rs_fen_settings set = read_settings(settings, unit);
    set.groups = r_row_groups(settings, &ctx);
    r_result out = r_open();
    fit.W = r_add_copy(&out, "W", start);
    fit.Z = r_add_matrix(&out, "Z", d, m);
    r_add_run(&out, "fen_pcafs", rs_fen_pcafs(&ctx, &op, m, &set, &fit),
              &fit.history, unit);
    rs_scale((size_t)fit.trace.count, unit, fit.trace.objective);
    r_add_doubles(&out, "trace", (size_t)fit.trace.count, fit.trace.objective);
    r_add_number(&out, "a", fit.a);
    return r_close(&out);
}
