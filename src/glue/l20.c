/* Regression with k nonzero rows, by three methods, and by correntropy. */
#include <string.h>

#include "method/regression/regression.h"
#include "glue/entries.h"
#include "glue/glue.h"

static void read_l20(SEXP data, SEXP Y, SEXP settings, rs_context *ctx,
                     rs_l20_problem *problem)
{
    problem->Y = REAL_RO(Y);
    problem->c = Rf_ncols(Y);
    problem->k = r_integer(settings, "k");
    problem->tol = r_number(settings, "tol");
    problem->maxit = r_integer(settings, "maxit");
    problem->X = r_data(data, problem->c, ctx);
    problem->n = problem->X->n;
    problem->d = problem->X->d;
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
    rs_l20_problem problem;
    rs_history history;
    r_result out = r_open();
    double *W = r_add_copy(&out, "end", start);
    read_l20(data, Y, settings, &ctx, &problem);
    rs_status status =
        rs_pgd(&ctx, &problem, r_number(settings, "step"), W, &history);
    return close_l20(&out, &history, history.count - 1, status);
}

SEXP C_rpfs(SEXP data, SEXP Y, SEXP start, SEXP residual, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    r_result out = r_open();
    double *V = r_add_copy(&out, "end", start);
    size_t size = (size_t)Rf_xlength(residual);
    double *E = r_room(&ctx, size);
    memcpy(E, REAL_RO(residual), size * sizeof(double));
    read_l20(data, Y, settings, &ctx, &problem);
    rs_status status = rs_rpfs(&ctx, &problem, r_number(settings, "mu"),
                               r_number(settings, "rho"), V, E, &history);
    return close_l20(&out, &history, history.count, status);
}

SEXP C_ipfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    r_result out = r_open();
    read_l20(data, Y, settings, &ctx, &problem);
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
