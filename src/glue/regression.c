/* glue/regression.c: regressions with few nonzero rows. */
#include "method/regression/regression.h"
#include "glue/glue.h"
#include "la/linalg.h"

static rs_l20_problem read_l20(SEXP data, SEXP Y, SEXP settings,
                               rs_context *ctx)
{
    rs_l20_problem p = {.X = r_data(data, Rf_ncols(Y), ctx),
                        .Y = REAL_RO(Y),
                        .c = Rf_ncols(Y)};
    R_INTEGERS(settings, &p.k, &p.maxit);
    R_NUMBERS(settings, &p.tol);
    p.n = p.X->n;
    p.d = p.X->d;
    return p;
}

/* history and ending, in a list of what was added */
static SEXP close_l20(r_result *out, const rs_history *history, int iterations,
                      rs_status status)
{
    r_add_ending(out, "regression", status);
    r_add_history(out, history, 1.0);
    r_add_integer(out, "iterations", iterations);
    return r_close(out);
}

SEXP C_pgd(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    const rs_l20_problem problem = read_l20(data, Y, settings, &ctx);
    rs_history history;
    r_result out = r_open();
    double *W = r_add_copy(&out, "end", start);
    rs_status status =
        rs_pgd(&ctx, &problem, r_number(settings, "step"), W, &history);
    return close_l20(&out, &history, history.count - 1, status);
}

SEXP C_rpfs(SEXP data, SEXP Y, SEXP start, SEXP residual, SEXP settings)
{
    rs_context ctx = r_context();
    const rs_l20_problem problem = read_l20(data, Y, settings, &ctx);
    rs_history history;
    r_result out = r_open();
    double *V = r_add_copy(&out, "end", start);
    const size_t size = (size_t)Rf_xlength(residual);
    double *E = r_room(size);
    rs_copy(size, REAL_RO(residual), E);
    rs_status status = rs_rpfs(&ctx, &problem, r_number(settings, "mu"),
                               r_number(settings, "rho"), V, E, &history);
    return close_l20(&out, &history, history.count, status);
}

SEXP C_ipfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    const rs_l20_problem problem = read_l20(data, Y, settings, &ctx);
    rs_history history;
    r_result out = r_open();
    double *v = r_add_vector(&out, "end", problem.d);
    rs_status status = rs_ipfs(&ctx, &problem, r_number(settings, "ridge"),
                               r_number(settings, "rho"), v, &history);
    return close_l20(&out, &history, history.count, status);
}

/* settings: lambda, u, eps, width, least, width_steps, tol, maxit */
SEXP C_crfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    rs_crfs_problem p = {
        .Y = REAL_RO(Y), .c = Rf_ncols(Y), .u = r_doubles(settings, "u")};
    rs_crfs_fit fit;
    R_NUMBERS(settings, &p.lambda, &p.eps, &p.width, &p.least, &p.tol);
    R_INTEGERS(settings, &p.width_steps, &p.maxit);
    p.X = r_data(data, p.c, &ctx);
    r_expect(Rf_xlength(r_required(settings, "u")) == p.X->d, "crfs");
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", p.X->d, p.c);
    fit.sample = r_add_vector(&out, "sample", p.X->n);
    r_add_run(&out, "crfs", rs_crfs(&ctx, &p, &fit), &fit.history, 1.0);
    R_ADD_NUMBERS(&out, fit.width, fit.eps);
    return r_close(&out);
}

/* ---- all losses unsquared -------------------------------------------------- */

static rs_rfs_problem read_problem(SEXP data, SEXP Y, SEXP start,
                                   SEXP settings, rs_context *ctx)
{
    rs_rfs_problem problem = {.X = r_data(data, Rf_ncols(Y), ctx),
                              .Y = REAL_RO(Y),
                              .c = Rf_ncols(Y),
                              .start = r_given(start)};
    R_NUMBERS(settings, &problem.tol);
    R_INTEGERS(settings, &problem.maxit);
    return problem;
}

/* start: d x c or NULL; settings: gamma, tol, maxit */
SEXP C_rfs(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_rfs_problem problem = read_problem(data, Y, start, settings, &ctx);
    rs_rfs_fit fit;
    rs_rfs_state *state;

    r_result out = r_open();
    r_add_regression(&out, problem.X->d, problem.c, &fit.W, &fit.pull);
    r_check_status(rs_rfs_init(&ctx, &problem, &fit, &state), "rfs");
    r_add_run(&out, "rfs", rs_rfs_next(r_number(settings, "gamma"), state),
              &fit.history, 1.0);
    r_add_number(&out, "bound", fit.bound);
    return r_close(&out);
}

/* ---- a path -------------------------------------------------------------- */

/* the nonzero rows of W, which they are, and what is told of the fit; norms, index:
 * d */
static SEXP path_fit(const rs_rfs_fit *fit, rs_status ending, int d, int c,
                     double *norms, int *index)
{
    int count = 0;
    rs_row_norms(d, c, fit->W, norms);
    for (int j = 0; j < d; j++)
        if (norms[j] > 0.0)
            index[count++] = j;
    r_result out = r_open();
    double *W = r_add_matrix(&out, "W", count, c);
    for (int a = 0; a < count; a++)
        for (int l = 0; l < c; l++)
            W[a + (size_t)count * l] = fit->W[index[a] + (size_t)d * l];
    r_add_indices(&out, "rows", (size_t)count, index);
    r_add_doubles(&out, "pull", (size_t)d, fit->pull);
    r_add_number(&out, "objective", rs_history_last(&fit->history));
    r_add_integer(&out, "iterations", fit->history.count - 1);
    r_add_number(&out, "bound", fit->bound);
    r_add_ending(&out, "rfs", ending);
    return r_close(&out);
}

/* gamma: those of the fits, in turn */
SEXP C_rfs_path(SEXP data, SEXP Y, SEXP gamma, SEXP settings)
{
    rs_context ctx = r_context();
    rs_rfs_fit fit;
    rs_rfs_state *state;
    rs_rfs_problem problem = read_problem(data, Y, R_NilValue, settings, &ctx);
    const int count = (int)Rf_xlength(gamma), d = problem.X->d;
    fit.W = r_room((size_t)d * problem.c);
    fit.pull = r_room((size_t)d);
    double *norms = r_room((size_t)d);
    int *index = r_int_room((size_t)d);
    r_check_status(rs_rfs_init(&ctx, &problem, &fit, &state), "rfs");
    SEXP fits = PROTECT(Rf_allocVector(VECSXP, count));
    for (int at = 0; at < count; at++)
        SET_VECTOR_ELT(fits, at,
                       path_fit(&fit, rs_rfs_next(REAL_RO(gamma)[at], state),
                                d, problem.c, norms, index));
    UNPROTECT(1);
    return fits;
}
