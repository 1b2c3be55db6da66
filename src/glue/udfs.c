#include "method/spectral/udfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static rs_udfs_settings read_settings(SEXP settings)
{
    rs_udfs_settings set;
    R_INTEGERS(settings, &set.m, &set.neighbours, &set.relative_lambda,
               &set.relative_gamma, &set.maxit);
    R_NUMBERS(settings, &set.lambda, &set.gamma, &set.eps, &set.tol);
    return set;
}

/* near: as C_neighbours() makes it */
SEXP C_udfs(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_udfs_settings set = read_settings(settings);
    set.groups = r_row_groups(settings, &ctx);
    rs_udfs_fit fit;
    rs_data X;
    r_data(data, rs_minor_block(set.m), &ctx, &X);
    r_result out = r_open();
    r_add_run(&out, "udfs",
              rs_udfs(&ctx, &X, &near, r_doubles(data, "square"), &set, &fit),
              &fit.history, 1.0);
    r_add_values(&out, "W", X.d, fit.minor.m, fit.minor.W);
    R_ADD_NUMBERS(&out, fit.penalised, fit.kkt, fit.lambda, fit.gamma,
                  fit.eps);
    r_add_flag(&out, "restricted", fit.minor.is_wide);
    r_add_integer(&out, "order", fit.minor.order);
    return r_close(&out);
}
