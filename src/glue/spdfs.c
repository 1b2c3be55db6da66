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
    const int d = r_integer(data, "d"), clusters = Rf_ncols(Y);
    rs_spdfs_problem p = {&X,
                          clusters,
                          Rf_length(start),
                          r_integer(settings, "m"),
                          r_number(settings, "r"),
                          r_zero_based(start, d, &ctx),
                          r_doubles(settings, "ties"),
                          r_marks(settings, "constant", d, &ctx),
                          r_locked(data, d, &ctx),
                          r_number(settings, "tol"),
                          r_integer(settings, "maxit")};
    rs_spdfs_fit fit;
    r_data(data, rs_sample_form_block(d, p.m), &ctx, &X);
    r_expect(Rf_nrows(Y) == X.n && p.k <= d && p.m >= 1 && p.m <= p.k,
             "spdfs");
    r_result out = r_open();
    fit.Y = r_add_copy(&out, "Y", Y);
    fit.V = r_add_matrix(&out, "V", p.k, p.m);
    fit.subset = r_add_integers(&out, "subset", p.k);
    fit.values = r_add_vector(&out, "values", p.m);
    fit.scores = r_add_vector(&out, "scores", X.d);
    r_add_run(&out, "spdfs", rs_spdfs(&ctx, &p, &fit), &fit.history, 1.0);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_flag(&out, "is_zero", fit.is_zero);
    return r_close(&out);
}
