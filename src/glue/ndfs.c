#include "method/spectral/ndfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static const char *const solvers[] = {"monotone", "paper", NULL};

/* start: F (n x c); graph: as C_graph() makes it; settings: all resolved */
SEXP C_ndfs(SEXP data, SEXP start, SEXP graph, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = Rf_nrows(start), c = Rf_ncols(start);
    rs_ndfs_fit fit;
    rs_ndfs_problem problem = {.X = r_data(data, c, &ctx),
                               .L = r_symmetric_laplacian(graph, n, &ctx),
                               .c = c,
                               .published =
                                   r_choice(settings, "solver", solvers)};
    r_expect(problem.X->n == n, "ndfs");
    R_INTEGERS(settings, &problem.maxit);
    R_NUMBERS(settings, &problem.alpha, &problem.beta, &problem.gamma,
              &problem.u, &problem.tol);
    r_result out = r_open();
    fit.F = r_add_copy(&out, "F", start);
    r_add_regression(&out, problem.X->d, c, &fit.W, &fit.pull);
    r_add_run(&out, "ndfs", rs_ndfs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_doubles(&out, "terms", 4, fit.terms);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", problem.L->isolated);
    return r_close(&out);
}
