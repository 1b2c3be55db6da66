#include "method/spectral/rne.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* near: as C_neighbours() makes it; start: d x k; settings: all resolved, and
 * mean (d) with the transpose of the weights */
SEXP C_rne(SEXP data, SEXP near_, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    const int d = Rf_nrows(start), k = Rf_ncols(start);
    rs_rne_settings set;
    rs_rne_fit fit;
    rs_graph R;
    set.k = k;
    R_NUMBERS(settings, &set.alpha, &set.penalty, &set.growth);
    set.mean = NULL;
    r_matrix(settings, "mean", &set.mean);
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.tol, &set.inner_tol);
    rs_data *X = r_data(data, k, &ctx);
    r_expect(X->d == d, "rne");
    r_check_status(rs_graph_reconstruction(&ctx, X, &near,
                                           r_integer(settings, "neighbours"),
                                           r_number(settings, "ridge"), &R),
                   "rne");
    r_result out = r_open();
    fit.H = r_add_copy(&out, "H", start);
    fit.residual = 0.0;
    r_add_run(&out, "rne", rs_rne(&ctx, X, &R, &set, &fit), &fit.history,
              r_number(settings, "unit"));
    r_add_number(&out, "residual", fit.residual);
    return r_close(&out);
}
