#include "method/spectral/sogfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

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
    rs_sogfs_problem p = {.base = r_directions(data, settings, &ctx),
                          .near = &near};
    R_INTEGERS(settings, &p.clusters, &p.rounds);
    R_NUMBERS(settings, &p.base.asked.p);
    p.base.asked.tol = r_number(settings, "inner_tol");
    p.base.asked.maxit = r_integer(settings, "inner_maxit");
    rs_sogfs_fit fit;
    r_result out = r_open();
    r_add_directions(&out, "sogfs", rs_sogfs(&ctx, &p, &fit), &fit.base);
    r_add_values(&out, "F", p.base.X->n, p.clusters, fit.F);
    add_rounds(&out, &fit);
    r_add_number(&out, "alpha", fit.A.alpha);
    r_add_flag(&out, "alternates", fit.alternates);
    r_add_integer(&out, "components", fit.components);
    r_add_indices(&out, "label", (size_t)p.base.X->n, fit.label);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
