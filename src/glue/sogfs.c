#include "method/spectral/sogfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static rs_sogfs_settings read_settings(SEXP settings)
{
    rs_sogfs_settings set;
    R_INTEGERS(settings, &set.m, &set.clusters, &set.neighbours,
               &set.relative_gamma, &set.rounds, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.gamma, &set.p, &set.eps, &set.inner_tol);
    return set;
}

/* a matrix: lambda, before, after, lowest, next, steps */
static void add_rounds(r_result *out, const rs_sogfs_fit *fit)
{
    const size_t rows = (size_t)fit->rounds;
    double *to = r_add_matrix(out, "rounds", fit->rounds, 6);
    for (size_t k = 0; k < rows; k++) {
        const rs_sogfs_round *round = fit->round + k;
        to[k] = round->lambda;
        to[k + rows] = round->before;
        to[k + 2 * rows] = round->after;
        to[k + 3 * rows] = round->lowest;
        to[k + 4 * rows] = round->lowest_next;
        to[k + 5 * rows] = round->steps;
    }
}

/* near: as C_neighbours() makes it */
SEXP C_sogfs(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_sogfs_settings set = read_settings(settings);
    set.groups = r_row_groups(settings, &ctx);
    rs_sogfs_fit fit;
    rs_data X;
    r_data(data, rs_minor_block(set.m), &ctx, &X);
    r_result out = r_open();
    r_add_run(&out, "sogfs",
              rs_sogfs(&ctx, &X, &near, r_doubles(data, "square"), &set, &fit),
              &fit.history, 1.0);
    r_add_values(&out, "W", X.d, fit.minor.m, fit.minor.W);
    r_add_values(&out, "F", X.n, set.clusters, fit.F);
    add_rounds(&out, &fit);
    R_ADD_NUMBERS(&out, fit.kkt, fit.A.alpha, fit.gamma, fit.eps);
    r_add_flag(&out, "restricted", fit.minor.is_wide);
    r_add_flag(&out, "alternates", fit.alternates);
    r_add_integer(&out, "components", fit.components);
    r_add_indices(&out, "label", (size_t)X.n, fit.label);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
