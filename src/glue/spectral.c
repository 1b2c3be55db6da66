#include "method/spectral/spectral.h"
#include "glue/glue.h"
#include "la/linalg.h"

/* ---- projections and directions ------------------------------------------ */

/* a projection of the n samples of data on k features; settings: m, ties,
 * constant, tol, maxit */
static rs_projection_problem read_projection(SEXP data, SEXP settings, int n,
                                             int k, const char *where,
                                             rs_context *ctx)
{
    const int d = r_integer(data, "d");
    rs_projection_problem p = {.k = k,
                               .ties = r_doubles(settings, "ties"),
                               .constant = r_marks(settings, "constant", d),
                               .first = r_locked(data, d)};
    R_INTEGERS(settings, &p.m, &p.maxit);
    R_NUMBERS(settings, &p.tol);
    p.X = r_data(data, rs_sample_form_block(d, p.m), ctx);
    r_expect(n == p.X->n && k <= d && p.m >= 1 && p.m <= k, where);
    return p;
}

/* room for the subset, its loadings, their values, and the scores of all features */
static void add_projection(r_result *out, const rs_projection_problem *p,
                           rs_projection_fit *fit)
{
    fit->V = r_add_matrix(out, "V", p->k, p->m);
    fit->subset = r_add_integers(out, "subset", p->k);
    fit->values = r_add_vector(out, "values", p->m);
    fit->scores = r_add_vector(out, "scores", p->X->d);
}

/* settings: m, neighbours, gamma, relative_gamma, eps, maxit, groups; p = 1 */
static rs_directions_problem read_directions(SEXP data, SEXP settings,
                                             rs_context *ctx)
{
    rs_directions_problem p = {.square = r_doubles(data, "square"),
                               .asked = {.p = 1.0},
                               .groups = r_row_groups(settings)};
    R_INTEGERS(settings, &p.m, &p.neighbours, &p.relative_gamma, &p.maxit);
    R_NUMBERS(settings, &p.asked.gamma, &p.asked.eps);
    p.X = r_data(data, rs_minor_block(p.m), ctx);
    return p;
}

/* the run, and what is told of directions besides */
static void add_directions(r_result *out, const char *where, rs_status status,
                           const rs_directions_fit *fit)
{
    const rs_minor *minor = &fit->minor;
    r_add_run(out, where, status, &fit->history, 1.0);
    r_add_values(out, "W", minor->d, minor->m, minor->W);
    r_add_flag(out, "restricted", !minor->kept);
    R_ADD_NUMBERS(out, fit->used.gamma, fit->used.eps, fit->kkt);
}

/* index and weight of the rows, k x n, before they are made symmetric; 0 where
 * there is none */
static void add_adaptive(r_result *out, const rs_adaptive *A)
{
    const size_t k = (size_t)A->k;
    int *index = r_add_integer_matrix(out, "index", A->k, A->n);
    double *weight = r_add_matrix(out, "weight", A->k, A->n);
    for (size_t at = 0; at < k * A->n; at++) {
        const int listed = (int)(at % k) < A->count[at / k];
        index[at] = listed ? A->index[at] + 1 : 0;
        weight[at] = listed ? A->weight[at] : 0.0;
    }
}

/* ---- regressions on paths -------------------------------------------------- */

/* Y: n x m; settings: size, ridge. The ends of the paths of the lasso */
SEXP C_mcfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    const int m = Rf_ncols(Y);
    rs_lars_fit fit;
    rs_data *X = r_data(data, m, &ctx);
    r_expect(Rf_nrows(Y) == X->n, "responses");
    r_result out = r_open();
    fit.coefficients = r_add_matrix(&out, "coefficients", X->d, m);
    fit.pull = r_add_matrix(&out, "pull", X->d, m);
    fit.lambda = r_add_vector(&out, "lambda", m);
    fit.steps = r_add_integers(&out, "steps", m);
    r_add_ending(&out, "lasso paths",
                 rs_lars(&ctx, X, m, REAL_RO(Y), r_integer(settings, "size"),
                         r_number(settings, "ridge"), &fit));
    return r_close(&out);
}

/* ---- directions ------------------------------------------------------------ */

/* near: as C_neighbours() makes it */
SEXP C_udfs(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_);
    rs_udfs_problem p = {.base = read_directions(data, settings, &ctx),
                         .near = &near};
    R_INTEGERS(settings, &p.relative_lambda);
    R_NUMBERS(settings, &p.lambda, &p.base.tol);
    rs_udfs_fit fit;
    r_result out = r_open();
    add_directions(&out, "udfs", rs_udfs(&ctx, &p, &fit), &fit.base);
    R_ADD_NUMBERS(&out, fit.penalised, fit.lambda);
    r_add_integer(&out, "order", fit.base.minor.order);
    return r_close(&out);
}

/* near: as C_neighbours() makes it, or the classes of the samples, from 1 */
SEXP C_sogfs(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = r_integer(data, "n");
    rs_neighbours near;
    rs_sogfs_problem p = {.base = read_directions(data, settings, &ctx),
                          .near = &near};
    if (TYPEOF(near_) == INTSXP)
        p.label = r_zero_based(near_, n);
    else
        near = r_neighbours(near_);
    R_INTEGERS(settings, &p.clusters, &p.rounds);
    R_NUMBERS(settings, &p.base.asked.p, &p.base.tol);
    p.base.asked.tol = r_number(settings, "inner_tol");
    p.base.asked.maxit = r_integer(settings, "inner_maxit");
    r_expect(p.clusters >= 0 && p.clusters < n &&
                 (p.label ? Rf_xlength(near_) : near.n) == n,
             "sogfs");
    rs_sogfs_fit fit;
    r_result out = r_open();
    add_directions(&out, "sogfs", rs_sogfs(&ctx, &p, &fit), &fit.base);
    r_add_values(&out, "rounds", 6, fit.rounds, &fit.round->lambda);
    r_add_number(&out, "alpha", fit.A.alpha);
    add_adaptive(&out, &fit.A);
    if (p.clusters == 0)
        return r_close(&out);
    r_add_values(&out, "F", n, p.clusters, fit.F);
    R_ADD_FLAGS(&out, fit.alternates);
    R_ADD_INTEGERS(&out, fit.components);
    r_add_indices(&out, "label", (size_t)n, fit.label);
    return r_close(&out);
}

/* ---- projections ----------------------------------------------------------- */

/* near: as C_neighbours() makes it; settings: neighbours, k, lambda, gamma (0: the
 * default), and those of read_projection() */
SEXP C_sf2sog(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_);
    rs_sf2sog_fit fit;
    rs_sf2sog_problem p = {.near = &near};
    p.base = read_projection(data, settings, near.n, r_integer(settings, "k"),
                             "sf2sog", &ctx);
    R_INTEGERS(settings, &p.neighbours);
    R_NUMBERS(settings, &p.lambda, &p.gamma);
    r_expect(p.lambda > 0.0 && p.gamma >= 0.0, "sf2sog");
    r_result out = r_open();
    add_projection(&out, &p.base, &fit.base);
    r_add_run(&out, "sf2sog", rs_sf2sog(&ctx, &p, &fit), &fit.base.history,
              1.0);
    r_to_one_based((size_t)p.base.k, fit.base.subset);
    r_add_number(&out, "gamma", fit.gamma);
    R_ADD_FLAGS(&out, fit.is_zero, fit.is_any);
    add_adaptive(&out, &fit.A);
    return r_close(&out);
}

/* Y: n x clusters, the first partition; start: k features; settings: r, and
 * those of read_projection() */
SEXP C_spdfs(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spdfs_fit fit;
    rs_spdfs_problem p = {.clusters = Rf_ncols(Y),
                          .r = r_number(settings, "r")};
    p.base = read_projection(data, settings, Rf_nrows(Y), Rf_length(start),
                             "spdfs", &ctx);
    p.start = r_zero_based(start, p.base.X->d);
    r_result out = r_open();
    fit.Y = r_add_copy(&out, "Y", Y);
    add_projection(&out, &p.base, &fit.base);
    r_add_run(&out, "spdfs", rs_spdfs(&ctx, &p, &fit), &fit.base.history, 1.0);
    r_to_one_based((size_t)p.base.k, fit.base.subset);
    r_add_flag(&out, "is_zero", fit.is_zero);
    return r_close(&out);
}

/* F: n x c; starts: k x count, 1-based; settings: delta, and those of
 * read_projection() */
SEXP C_s2dfs(SEXP data, SEXP F, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_s2dfs_fit fit;
    rs_s2dfs_problem p = {.F = REAL_RO(F),
                          .c = Rf_ncols(F),
                          .delta = r_number(settings, "delta"),
                          .count = Rf_ncols(starts)};
    p.base = read_projection(data, settings, Rf_nrows(F), Rf_nrows(starts),
                             "s2dfs", &ctx);
    p.starts = r_zero_based(starts, p.base.X->d);
    r_result out = r_open();
    add_projection(&out, &p.base, &fit.base);
    r_add_run(&out, "s2dfs", rs_s2dfs(&ctx, &p, &fit), &fit.base.history, 1.0);
    r_to_one_based((size_t)p.base.k, fit.base.subset);
    r_add_number(&out, "ratio", fit.ratio);
    r_add_integer(&out, "start", fit.start + 1);
    r_add_integer(&out, "candidates", fit.candidates);
    return r_close(&out);
}

/* ---- regressions with row sparsity ----------------------------------------- */

/* T: n x m, centred; start: d x m or NULL; settings: lambda, tol, maxit */
SEXP C_tsfs(SEXP data, SEXP T, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_tsfs_fit fit;
    rs_tsfs_problem problem = {
        .T = REAL_RO(T), .m = Rf_ncols(T), .start = r_given(start)};
    R_INTEGERS(settings, &problem.maxit);
    R_NUMBERS(settings, &problem.lambda, &problem.tol);
    problem.X = r_data(data, problem.m, &ctx);
    r_expect(Rf_nrows(T) == problem.X->n &&
                 (start == R_NilValue || (Rf_nrows(start) == problem.X->d &&
                                          Rf_ncols(start) == problem.m)),
             "tsfs");
    r_result out = r_open();
    r_add_regression(&out, problem.X->d, problem.m, &fit.W, &fit.pull);
    r_add_run(&out, "tsfs", rs_tsfs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_number(&out, "bound", fit.bound);
    return r_close(&out);
}

/* L: n x n; settings: m, alpha, beta, u, tol, maxit */
SEXP C_jelsr(SEXP data, SEXP L, SEXP settings)
{
    rs_context ctx = r_context();
    rs_jelsr_fit fit;
    rs_jelsr_problem problem;
    R_INTEGERS(settings, &problem.m, &problem.maxit);
    R_NUMBERS(settings, &problem.alpha, &problem.beta, &problem.u,
              &problem.tol);
    problem.X = r_data(data, problem.m, &ctx);
    problem.L = REAL_RO(L);
    r_expect(Rf_nrows(L) == problem.X->n && Rf_ncols(L) == problem.X->n &&
                 problem.m >= 1 && problem.m < problem.X->n,
             "jelsr");
    r_result out = r_open();
    fit.Y = r_add_matrix(&out, "Y", problem.X->n, problem.m);
    r_add_regression(&out, problem.X->d, problem.m, &fit.W, &fit.pull);
    r_add_run(&out, "jelsr", rs_jelsr(&ctx, &problem, &fit), &fit.history,
              1.0);
    r_add_doubles(&out, "terms", 3, fit.terms);
    R_ADD_NUMBERS(&out, fit.level, fit.alpha, fit.alpha_max);
    return r_close(&out);
}

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

/* near: as C_neighbours() makes it; start: d x k; settings: all resolved, and
 * mean (d) with the transpose of the weights */
SEXP C_rne(SEXP data, SEXP near_, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_);
    const int d = Rf_nrows(start), k = Rf_ncols(start);
    rs_rne_settings set;
    rs_rne_fit fit;
    rs_graph R;
    set.k = k;
    R_NUMBERS(settings, &set.alpha, &set.penalty, &set.growth);
    set.mean = r_given(r_element(settings, "mean"));
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.tol, &set.inner_tol);
    rs_data *X = r_data(data, k, &ctx);
    r_expect(X->d == d && near.n == X->n && k >= 1, "rne");
    r_check_status(rs_graph_local(&ctx, X, &near,
                                  r_integer(settings, "neighbours"), 0.0,
                                  r_number(settings, "ridge"), &R),
                   "rne");
    r_result out = r_open();
    fit.H = r_add_copy(&out, "H", start);
    fit.residual = 0.0;
    r_add_run(&out, "rne", rs_rne(&ctx, X, &R, &set, &fit), &fit.history,
              r_number(settings, "unit"));
    r_add_number(&out, "residual", fit.residual);
    return r_close(&out);
}

static const char *const label_solvers[] = {"monotone", "paper", "robust",
                                            NULL};

/* NDFS and RUFS. start: G (n x c); graph: the matrix L, or the graph whose
 * symmetric Laplacian it is; settings: which, laplacian, solver, and the others,
 * all resolved */
SEXP C_labels(SEXP data, SEXP start, SEXP graph, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = Rf_nrows(start), c = Rf_ncols(start);
    int isolated = 0;
    rs_graph L;
    if (r_is(settings, "laplacian", "local")) {
        L = r_graph(graph, n, "weight", 1);
    } else {
        const rs_laplacian *symmetric = r_symmetric_laplacian(graph, n, &ctx);
        r_check_status(rs_laplacian_matrix(&ctx, symmetric, &L), "graph");
        isolated = symmetric->isolated;
    }
    rs_labels_fit fit;
    rs_labels_problem problem = {.X = r_data(data, c, &ctx), .L = &L, .c = c};
    problem.solver =
        (rs_labels_solver)r_choice(settings, "solver", label_solvers);
    r_expect(problem.X->n == n, "labels");
    R_INTEGERS(settings, &problem.maxit);
    R_NUMBERS(settings, &problem.alpha, &problem.beta, &problem.nu,
              &problem.zeta, &problem.u, &problem.eps, &problem.tol);
    r_result out = r_open();
    fit.G = r_add_copy(&out, "F", start);
    if (problem.solver == RS_LABELS_ROBUST)
        fit.F = r_add_matrix(&out, "basis", problem.X->d, c);
    r_add_regression(&out, problem.X->d, c, &fit.W, &fit.pull);
    r_add_run(&out, "labels", rs_labels(&ctx, &problem, &fit), &fit.history,
              1.0);
    r_add_doubles(&out, "terms", 5, fit.terms);
    r_add_number(&out, "level", fit.level);
    r_add_integer(&out, "isolated", isolated);
    return r_close(&out);
}
