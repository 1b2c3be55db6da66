#include "method/spectral/s2dfs.h"
#include "sets/sample_form.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* F: n x c; starts: k x count, 1-based; settings: m, delta, ties,
 * constant, tol, maxit */
SEXP C_s2dfs(SEXP data, SEXP F, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    const int d = r_integer(data, "d");
    rs_s2dfs_problem p = {&X,
                          REAL_RO(F),
                          Rf_ncols(F),
                          Rf_nrows(starts),
                          r_integer(settings, "m"),
                          r_number(settings, "delta"),
                          r_doubles(settings, "ties"),
                          r_marks(settings, "constant", d, &ctx),
                          r_locked(data, d, &ctx),
                          r_zero_based(starts, d, &ctx),
                          Rf_ncols(starts),
                          r_number(settings, "tol"),
                          r_integer(settings, "maxit")};
    rs_s2dfs_fit fit;
    r_data(data, rs_sample_form_block(d, p.m), &ctx, &X);
    r_expect(Rf_nrows(F) == X.n && p.k <= d && p.m >= 1 && p.m <= p.k,
             "s2dfs");
    r_result out = r_open();
    fit.V = r_add_matrix(&out, "V", p.k, p.m);
    fit.subset = r_add_integers(&out, "subset", p.k);
    fit.values = r_add_vector(&out, "values", p.m);
    fit.scores = r_add_vector(&out, "scores", X.d);
    r_add_run(&out, "s2dfs", rs_s2dfs(&ctx, &p, &fit), &fit.history, 1.0);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_number(&out, "ratio", fit.ratio);
    r_add_integer(&out, "start", fit.start + 1);
    r_add_integer(&out, "candidates", fit.candidates);
    r_add_flag(&out, "is_global", fit.is_global);
    return r_close(&out);
}
