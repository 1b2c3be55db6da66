#include "method/regression/crfs.h"
#include "glue/entries.h"
#include "glue/glue.h"

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
