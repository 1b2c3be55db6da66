#include "method/spectral/eufs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"
#include "la/linalg.h"

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
    r_check_status(graph.n == n && X.n == n && c <= n ? RS_OK : RS_BAD_INPUT,
                   "eufs");
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
    fit.U = r_add_matrix(&out, "F", n, c);
    fit.V = r_add_matrix(&out, "W", X.d, c);
    fit.pull = r_add_vector(&out, "pull", X.d);
    rs_copy((size_t)n * c, REAL_RO(start), fit.U);
    rs_status status = rs_eufs(&ctx, &problem, &fit);
    r_check_status(status, "eufs");
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count - 1);
    r_add_doubles(&out, "residuals", 3, fit.residual);
    r_add_integer(&out, "best", fit.best);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", L.isolated);
    r_add_ending(&out, status);
    return r_close(&out);
}
