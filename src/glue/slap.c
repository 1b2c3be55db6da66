#include "method/spectral/slap.h"
#include "la/linalg.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static rs_slap_settings read_settings(SEXP settings)
{
    rs_slap_settings set;
    set.m = r_integer(settings, "m");
    set.neighbours = r_integer(settings, "neighbours");
    set.gamma = r_number(settings, "gamma");
    set.relative_gamma = r_integer(settings, "relative_gamma");
    set.eps = r_number(settings, "eps");
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner_tol = r_number(settings, "inner_tol");
    set.inner_maxit = r_integer(settings, "inner_maxit");
    return set;
}

/* label: of the classes, from 1 */
SEXP C_slap(SEXP data, SEXP label_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_slap_settings set = read_settings(settings);
    rs_slap_fit fit;
    rs_data X;
    r_data(data, rs_minor_block(set.m), &ctx, &X);
    r_check_status(Rf_xlength(label_) == X.n ? RS_OK : RS_BAD_INPUT, "slap");
    const int *label = r_zero_based(label_, X.n, &ctx);
    rs_status status =
        rs_slap(&ctx, &X, label, r_doubles(data, "square"), &set, &fit);
    r_check_status(status, "slap");
    r_result out = r_open();
    rs_copy((size_t)X.d * fit.minor.m, fit.minor.W,
            r_add_matrix(&out, "W", X.d, fit.minor.m));
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count - 1);
    r_add_number(&out, "kkt", fit.kkt);
    r_add_number(&out, "alpha", fit.A.alpha);
    r_add_number(&out, "gamma", fit.gamma);
    r_add_number(&out, "eps", fit.eps);
    r_add_flag(&out, "restricted", fit.minor.is_wide);
    r_add_adaptive(&out, &fit.A);
    r_add_ending(&out, status);
    return r_close(&out);
}
