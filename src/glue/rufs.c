#include "graph/laplacian.h"
#include "method/spectral/rufs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"
#include "la/linalg.h"

static const char *const laplacians[] = {"local", "symmetric", NULL};

/* a symmetric sparse matrix: start (numbers from 0), index (from 1), weight of
 * any sign; a row may hold itself */
static rs_graph read_matrix(SEXP list, int n, rs_context *ctx)
{
    rs_graph L = {.n = n};
    L.start = r_rows(list, n, 1, &L.index, ctx);
    L.weight = r_room(ctx, L.start[n]);
    const double *weight = r_doubles(list, "weight");
    r_expect(Rf_xlength(r_element(list, "weight")) == (R_xlen_t)L.start[n],
             "rufs");
    rs_copy(L.start[n], weight, L.weight);
    return L;
}

/* the symmetric Laplacian of a graph, as C_graph() makes it */
static rs_graph symmetric_matrix(SEXP list, int n, int *isolated,
                                 rs_context *ctx)
{
    const rs_laplacian *L = r_symmetric_laplacian(list, n, ctx);
    rs_graph M;
    r_check_status(rs_laplacian_matrix(ctx, L, &M), "graph");
    *isolated = L->isolated;
    return M;
}

/* start: G (n x c); graph: the matrix L, or the graph whose symmetric Laplacian
 * it is; settings: which, laplacian, and the others, all resolved */
SEXP C_rufs(SEXP data, SEXP start, SEXP graph, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = Rf_nrows(start), c = Rf_ncols(start);
    int isolated = 0;
    rs_graph L = r_choice(settings, "laplacian", laplacians) == 0
                     ? read_matrix(graph, n, &ctx)
                     : symmetric_matrix(graph, n, &isolated, &ctx);
    rs_rufs_fit fit;
    rs_rufs_problem problem = {.X = r_data(data, c, &ctx), .L = &L, .c = c};
    r_expect(problem.X->n == n, "rufs");
    R_INTEGERS(settings, &problem.maxit);
    R_NUMBERS(settings, &problem.alpha, &problem.beta, &problem.nu,
              &problem.zeta, &problem.eps, &problem.tol);
    r_result out = r_open();
    fit.G = r_add_copy(&out, "F", start);
    fit.F = r_add_matrix(&out, "basis", problem.X->d, c);
    r_add_regression(&out, problem.X->d, c, &fit.W, &fit.pull);
    r_add_run(&out, "rufs", rs_rufs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_doubles(&out, "terms", 5, fit.terms);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", isolated);
    return r_close(&out);
}
