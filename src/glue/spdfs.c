#include "method/spectral/spdfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* Y: n x clusters, the first partition; start: k features; settings: r, and
 * those of r_projection() */
SEXP C_spdfs(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spdfs_fit fit;
    rs_spdfs_problem p = {.clusters = Rf_ncols(Y),
                          .r = r_number(settings, "r")};
    p.base = r_projection(data, settings, Rf_nrows(Y), Rf_length(start),
                          "spdfs", &ctx);
    p.start = r_zero_based(start, p.base.X->d, &ctx);
    r_result out = r_open();
    fit.Y = r_add_copy(&out, "Y", Y);
    r_add_projection(&out, &p.base, &fit.base);
    r_add_run(&out, "spdfs", rs_spdfs(&ctx, &p, &fit), &fit.base.history, 1.0);
    r_to_one_based((size_t)p.base.k, fit.base.subset);
    r_add_flag(&out, "is_zero", fit.is_zero);
    return r_close(&out);
}
