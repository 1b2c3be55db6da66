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
    SEXP start = r_required(list, "start"), index = r_required(list, "index");
    SEXP weight = r_required(list, "weight");
    rs_graph L;
    int sound = TYPEOF(start) == REALSXP && TYPEOF(index) == INTSXP &&
                TYPEOF(weight) == REALSXP &&
                Rf_xlength(start) == (R_xlen_t)n + 1 &&
                Rf_xlength(index) == Rf_xlength(weight);
    r_expect(sound, "rufs");
    L.n = n;
    L.start = r_need(rs_alloc(ctx, (size_t)n + 1, sizeof(size_t)));
    const double *from = REAL_RO(start);
    sound = from[0] == 0.0 && from[n] == (double)Rf_xlength(index);
    for (int i = 0; i <= n && sound; i++) {
        sound = i == 0 || from[i] >= from[i - 1];
        L.start[i] = (size_t)from[i];
    }
    r_expect(sound, "rufs");
    L.index = r_zero_based(index, n, ctx);
    L.weight = r_room(ctx, L.start[n]);
    rs_copy(L.start[n], REAL_RO(weight), L.weight);
    return L;
}

/* the symmetric Laplacian of a graph, as C_graph() makes it */
static rs_graph symmetric_matrix(SEXP list, int n, int *isolated,
                                 rs_context *ctx)
{
    const rs_graph W = r_graph(list, ctx);
    rs_laplacian L;
    rs_graph M;
    r_expect(W.n == n, "rufs");
    r_check_status(
        rs_laplacian_init(ctx, &W, 0.0, RS_LAPLACIAN_SYMMETRIC, 1, &L),
        "graph");
    r_check_status(rs_laplacian_matrix(ctx, &L, &M), "graph");
    *isolated = L.isolated;
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
    rs_data X;
    r_data(data, c, &ctx, &X);
    r_expect(X.n == n, "rufs");
    rs_rufs_problem problem = {.X = &X,
                               .L = &L,
                               .c = c,
                               .alpha = r_number(settings, "alpha"),
                               .beta = r_number(settings, "beta"),
                               .nu = r_number(settings, "nu"),
                               .zeta = r_number(settings, "zeta"),
                               .eps = r_number(settings, "eps"),
                               .tol = r_number(settings, "tol"),
                               .maxit = r_integer(settings, "maxit")};
    r_result out = r_open();
    fit.G = r_add_copy(&out, "F", start);
    fit.W = r_add_matrix(&out, "W", X.d, c);
    fit.F = r_add_matrix(&out, "basis", X.d, c);
    fit.pull = r_add_vector(&out, "pull", X.d);
    r_add_run(&out, "rufs", rs_rufs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_doubles(&out, "terms", 5, fit.terms);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", isolated);
    return r_close(&out);
}
