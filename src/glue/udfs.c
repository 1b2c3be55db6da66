#include "method/spectral/udfs.h"
#include "la/linalg.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static rs_udfs_settings read_settings(SEXP settings)
{
    rs_udfs_settings set;
    set.m = r_integer(settings, "m");
    set.neighbours = r_integer(settings, "neighbours");
    set.lambda = r_number(settings, "lambda");
    set.gamma = r_number(settings, "gamma");
    set.relative_lambda = r_integer(settings, "relative_lambda");
    set.relative_gamma = r_integer(settings, "relative_gamma");
    set.eps = r_number(settings, "eps");
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    return set;
}

/* near: as C_neighbours() makes it */
SEXP C_udfs(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_udfs_settings set = read_settings(settings);
    rs_udfs_fit fit;
    rs_data X;
    r_data(data, rs_minor_block(set.m), &ctx, &X);
    rs_status status =
        rs_udfs(&ctx, &X, &near, r_doubles(data, "square"), &set, &fit);
    r_check_status(status, "udfs");
    const rs_minor *minor = &fit.minor;
    r_result out = r_open();
    rs_copy((size_t)X.d * minor->m, minor->W,
            r_add_matrix(&out, "W", X.d, minor->m));
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count - 1);
    r_add_number(&out, "penalised", fit.penalised);
    r_add_number(&out, "kkt", fit.kkt);
    r_add_number(&out, "lambda", fit.lambda);
    r_add_number(&out, "gamma", fit.gamma);
    r_add_number(&out, "eps", fit.eps);
    r_add_flag(&out, "restricted", minor->is_wide);
    r_add_integer(&out, "order", minor->order);
    r_add_ending(&out, status);
    return r_close(&out);
}
