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
    rs_s2dfs_problem p = {.X = &X,
                          .F = REAL_RO(F),
                          .c = Rf_ncols(F),
                          .k = Rf_nrows(starts),
                          .starts = r_zero_based(starts, d, &ctx),
                          .count = Rf_ncols(starts),
                          .ties = r_doubles(settings, "ties"),
                          .constant = r_marks(settings, "constant", d, &ctx),
                          .first = r_locked(data, d, &ctx)};
    rs_s2dfs_fit fit;
    R_INTEGERS(settings, &p.m, &p.maxit);
    R_NUMBERS(settings, &p.delta, &p.tol);
    r_data(data, rs_sample_form_block(d, p.m), &ctx, &X);
    r_expect(Rf_nrows(F) == X.n && p.k <= d && p.m >= 1 && p.m <= p.k,
             "s2dfs");
    r_result out = r_open();
    r_add_projection(&out, p.k, p.m, X.d, &fit.subset, &fit.V, &fit.values,
                     &fit.scores);
    r_add_run(&out, "s2dfs", rs_s2dfs(&ctx, &p, &fit), &fit.history, 1.0);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_number(&out, "ratio", fit.ratio);
    r_add_integer(&out, "start", fit.start + 1);
    r_add_integer(&out, "candidates", fit.candidates);
    r_add_flag(&out, "is_global", fit.is_global);
    return r_close(&out);
}
