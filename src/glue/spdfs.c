#include "method/spectral/spdfs.h"
#include "sets/sample_form.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* Y: n x clusters, the first partition; start: k features; settings: m, r,
 * ties, constant, tol, maxit */
SEXP C_spdfs(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    const int d = r_integer(data, "d");
    rs_spdfs_problem p = {.X = &X,
                          .clusters = Rf_ncols(Y),
                          .k = Rf_length(start),
                          .start = r_zero_based(start, d, &ctx),
                          .ties = r_doubles(settings, "ties"),
                          .constant = r_marks(settings, "constant", d, &ctx),
                          .first = r_locked(data, d, &ctx)};
    rs_spdfs_fit fit;
    R_INTEGERS(settings, &p.m, &p.maxit);
    R_NUMBERS(settings, &p.r, &p.tol);
    r_data(data, rs_sample_form_block(d, p.m), &ctx, &X);
    r_expect(Rf_nrows(Y) == X.n && p.k <= d && p.m >= 1 && p.m <= p.k,
             "spdfs");
    r_result out = r_open();
    fit.Y = r_add_copy(&out, "Y", Y);
    r_add_projection(&out, p.k, p.m, X.d, &fit.subset, &fit.V, &fit.values,
                     &fit.scores);
    r_add_run(&out, "spdfs", rs_spdfs(&ctx, &p, &fit), &fit.history, 1.0);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_flag(&out, "is_zero", fit.is_zero);
    return r_close(&out);
}
