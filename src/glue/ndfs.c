#include "method/spectral/ndfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"
#include "la/linalg.h"

static const char *const solvers[] = {"monotone", "paper", NULL};

/* start: F (n x c); graph: as C_graph() makes it; settings: all resolved */
SEXP C_ndfs(SEXP data, SEXP start, SEXP graph_, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = Rf_nrows(start), c = Rf_ncols(start);
    rs_graph graph = r_graph(graph_, &ctx);
    rs_laplacian L;
    rs_ndfs_fit fit;
    rs_data X;
    r_data(data, c, &ctx, &X);
    r_check_status(graph.n == n && X.n == n ? RS_OK : RS_BAD_INPUT, "ndfs");
    r_check_status(
        rs_laplacian_init(&ctx, &graph, 0.0, RS_LAPLACIAN_SYMMETRIC, 1, &L),
        "graph");
    rs_ndfs_problem problem = {.X = &X,
                               .L = &L,
                               .c = c,
                               .alpha = r_number(settings, "alpha"),
                               .beta = r_number(settings, "beta"),
                               .gamma = r_number(settings, "gamma"),
                               .u = r_number(settings, "u"),
                               .published =
                                   r_choice(settings, "solver", solvers),
                               .tol = r_number(settings, "tol"),
                               .maxit = r_integer(settings, "maxit")};
    r_result out = r_open();
    fit.F = r_add_matrix(&out, "F", n, c);
    fit.W = r_add_matrix(&out, "W", X.d, c);
    fit.pull = r_add_vector(&out, "pull", X.d);
    rs_copy((size_t)n * c, REAL_RO(start), fit.F);
    rs_status status = rs_ndfs(&ctx, &problem, &fit);
    r_check_status(status, "ndfs");
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count - 1);
    r_add_doubles(&out, "terms", 4, fit.terms);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", L.isolated);
    r_add_ending(&out, status);
    return r_close(&out);
}
