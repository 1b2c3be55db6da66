#include "method/spectral/s2dfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* F: n x c; starts: k x count, 1-based; settings: delta, and those of
 * r_projection() */
SEXP C_s2dfs(SEXP data, SEXP F, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_s2dfs_fit fit;
    rs_s2dfs_problem p = {.F = REAL_RO(F),
                          .c = Rf_ncols(F),
                          .delta = r_number(settings, "delta"),
                          .count = Rf_ncols(starts)};
    p.base = r_projection(data, settings, Rf_nrows(F), Rf_nrows(starts),
                          "s2dfs", &ctx);
    p.starts = r_zero_based(starts, p.base.X->d, &ctx);
    r_result out = r_open();
    r_add_projection(&out, &p.base, &fit.base);
    r_add_run(&out, "s2dfs", rs_s2dfs(&ctx, &p, &fit), &fit.base.history, 1.0);
    r_to_one_based((size_t)p.base.k, fit.base.subset);
    r_add_number(&out, "ratio", fit.ratio);
    r_add_integer(&out, "start", fit.start + 1);
    r_add_integer(&out, "candidates", fit.candidates);
    r_add_flag(&out, "is_global", fit.is_global);
    return r_close(&out);
}
