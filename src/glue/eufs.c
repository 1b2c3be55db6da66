#include "method/spectral/eufs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* start: U (n x c), one nonzero entry per row; graph: as C_graph() makes it;
 * settings: all resolved */
SEXP C_eufs(SEXP data, SEXP start, SEXP graph, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = Rf_nrows(start), c = Rf_ncols(start);
    rs_eufs_fit fit;
    rs_eufs_problem problem = {.X = r_data(data, RS_PANEL, &ctx),
                               .L = r_symmetric_laplacian(graph, n, &ctx),
                               .c = c};
    r_expect(problem.X->n == n && c <= n, "eufs");
    R_INTEGERS(settings, &problem.maxit);
    R_NUMBERS(settings, &problem.size, &problem.alpha, &problem.beta,
              &problem.mu, &problem.rho, &problem.largest_mu, &problem.tol);
    r_result out = r_open();
    fit.U = r_add_copy(&out, "F", start);
    r_add_regression(&out, problem.X->d, c, &fit.V, &fit.pull);
    r_add_run(&out, "eufs", rs_eufs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_doubles(&out, "residuals", 3, fit.residual);
    R_ADD_INTEGERS(&out, fit.best, problem.L->isolated);
    r_add_number(&out, "level", fit.level);
    return r_close(&out);
}
