#include "method/spectral/eufs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* start: U (n x c), one nonzero entry per row; graph: as C_graph() makes it;
 * settings: all resolved */
SEXP C_eufs(SEXP data, SEXP start, SEXP graph_, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = Rf_nrows(start), c = Rf_ncols(start);
    rs_graph graph = r_graph(graph_, &ctx);
    rs_laplacian L;
    rs_eufs_fit fit;
    rs_data X;
    r_data(data, RS_PANEL, &ctx, &X);
    r_expect(graph.n == n && X.n == n && c <= n, "eufs");
    r_check_status(
        rs_laplacian_init(&ctx, &graph, 0.0, RS_LAPLACIAN_SYMMETRIC, 1, &L),
        "graph");
    rs_eufs_problem problem = {.X = &X,
                               .L = &L,
                               .c = c,
                               .size = r_number(settings, "size"),
                               .alpha = r_number(settings, "alpha"),
                               .beta = r_number(settings, "beta"),
                               .mu = r_number(settings, "mu"),
                               .rho = r_number(settings, "rho"),
                               .largest_mu = r_number(settings, "largest_mu"),
                               .tol = r_number(settings, "tol"),
                               .maxit = r_integer(settings, "maxit")};
    r_result out = r_open();
    fit.U = r_add_copy(&out, "F", start);
    fit.V = r_add_matrix(&out, "W", X.d, c);
    fit.pull = r_add_vector(&out, "pull", X.d);
    r_add_run(&out, "eufs", rs_eufs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_doubles(&out, "residuals", 3, fit.residual);
    r_add_integer(&out, "best", fit.best);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", L.isolated);
    return r_close(&out);
}
