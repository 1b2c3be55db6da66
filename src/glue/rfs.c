#include "method/regression/regression.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "la/linalg.h"

static rs_rfs_problem read_problem(SEXP data, SEXP Y, SEXP start,
                                   SEXP settings, rs_context *ctx)
{
    rs_rfs_problem problem = {.X = r_data(data, Rf_ncols(Y), ctx),
                              .Y = REAL_RO(Y),
                              .c = Rf_ncols(Y)};
    if (start != R_NilValue)
        problem.start = REAL_RO(start);
    R_NUMBERS(settings, &problem.gamma, &problem.tol);
    R_INTEGERS(settings, &problem.maxit);
    return problem;
}

/* start: d x c or NULL; settings: gamma, tol, maxit */
SEXP C_rfs(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_rfs_problem problem = read_problem(data, Y, start, settings, &ctx);
    rs_rfs_fit fit;

    r_result out = r_open();
    r_add_regression(&out, problem.X->d, problem.c, &fit.W, &fit.pull);
    r_add_run(&out, "rfs", rs_rfs(&ctx, &problem, &fit), &fit.history, 1.0);
    r_add_number(&out, "bound", fit.bound);
    return r_close(&out);
}

/* ---- a path -------------------------------------------------------------- */

typedef struct {
    int d, c;
    int most;      /* nonzero rows, after which the path ends */
    double *norms; /* d */
    int *index;    /* d */
    SEXP fits;     /* a list each */
} path_results;

/* the nonzero rows of W, which they are, and what is told of the fit */
static rs_status take_fit(void *state, int at, rs_status ending,
                          const rs_rfs_fit *fit, int *go_on)
{
    path_results *p = (path_results *)state;
    int count = 0;
    rs_row_norms(p->d, p->c, fit->W, p->norms);
    for (int j = 0; j < p->d; j++)
        if (p->norms[j] > 0.0)
            p->index[count++] = j;
    r_result out = r_open();
    int *rows = r_add_integers(&out, "rows", count);
    double *W = r_add_matrix(&out, "W", count, p->c);
    for (int a = 0; a < count; a++) {
        rows[a] = p->index[a] + 1;
        for (int l = 0; l < p->c; l++)
            W[a + (size_t)count * l] = fit->W[p->index[a] + (size_t)p->d * l];
    }
    r_add_doubles(&out, "pull", (size_t)p->d, fit->pull);
    r_add_number(&out, "objective", rs_history_last(&fit->history));
    r_add_integer(&out, "iterations", fit->history.count - 1);
    r_add_number(&out, "bound", fit->bound);
    r_add_ending(&out, "rfs", ending);
    SET_VECTOR_ELT(p->fits, at, r_close(&out));
    *go_on = count <= p->most;
    return RS_OK;
}

/* gamma: those of the fits, in turn; settings also: most, the number of nonzero
 * rows after which nothing is fitted, the elements of the list being NULL */
SEXP C_rfs_path(SEXP data, SEXP Y, SEXP gamma, SEXP settings)
{
    rs_context ctx = r_context();
    rs_rfs_fit fit;
    rs_rfs_problem problem = read_problem(data, Y, R_NilValue, settings, &ctx);
    const int count = (int)Rf_xlength(gamma);
    const int d = problem.X->d;
    path_results results = {d,
                            problem.c,
                            r_integer(settings, "most"),
                            rs_alloc_double(&ctx, (size_t)d),
                            rs_alloc_int(&ctx, (size_t)d),
                            R_NilValue};
    fit.W = rs_alloc_double(&ctx, (size_t)d * problem.c);
    fit.pull = rs_alloc_double(&ctx, (size_t)d);
    r_check_status(rs_allocated(&ctx), "rfs");
    results.fits = PROTECT(Rf_allocVector(VECSXP, count));
    r_check_status(rs_rfs_walk(&ctx, &problem, count, REAL_RO(gamma), take_fit,
                               &results, &fit),
                   "rfs");
    UNPROTECT(1);
    return results.fits;
}

/* ||x_j' Theta|| at W = 0; the largest is the gamma from which W = 0 */
SEXP C_rfs_pull(SEXP data, SEXP Y)
{
    rs_context ctx = r_context();
    rs_data *X = r_data(data, Rf_ncols(Y), &ctx);
    SEXP pull = PROTECT(Rf_allocVector(REALSXP, X->d));
    rs_status status =
        rs_rfs_pull_at_zero(&ctx, X, REAL_RO(Y), Rf_ncols(Y), REAL(pull));
    r_check_status(status, "rfs");
    UNPROTECT(1);
    return pull;
}
