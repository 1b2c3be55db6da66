#include "method/spectral/slap.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static rs_slap_settings read_settings(SEXP settings)
{
    rs_slap_settings set;
    R_INTEGERS(settings, &set.m, &set.neighbours, &set.relative_gamma,
               &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.gamma, &set.eps, &set.tol, &set.inner_tol);
    return set;
}

/* label: of the classes, from 1 */
SEXP C_slap(SEXP data, SEXP label_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_slap_settings set = read_settings(settings);
    set.groups = r_row_groups(settings, &ctx);
    rs_slap_fit fit;
    rs_data X;
    r_data(data, rs_minor_block(set.m), &ctx, &X);
    r_expect(Rf_xlength(label_) == X.n, "slap");
    const int *label = r_zero_based(label_, X.n, &ctx);
    r_result out = r_open();
    r_add_run(&out, "slap",
              rs_slap(&ctx, &X, label, r_doubles(data, "square"), &set, &fit),
              &fit.history, 1.0);
    r_add_values(&out, "W", X.d, fit.minor.m, fit.minor.W);
    R_ADD_NUMBERS(&out, fit.kkt, fit.A.alpha, fit.gamma, fit.eps);
    r_add_flag(&out, "restricted", fit.minor.is_wide);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
