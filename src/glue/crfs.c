#include "method/regression/crfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* settings: lambda, u, eps, width, least, width_steps, tol, maxit */
SEXP C_crfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_crfs_problem p = {&X,
                         REAL_RO(Y),
                         Rf_ncols(Y),
                         r_number(settings, "lambda"),
                         r_doubles(settings, "u"),
                         r_number(settings, "eps"),
                         r_number(settings, "width"),
                         r_number(settings, "least"),
                         r_integer(settings, "width_steps"),
                         r_number(settings, "tol"),
                         r_integer(settings, "maxit")};
    rs_crfs_fit fit;
    r_data(data, p.c, &ctx, &X);
    r_expect(Rf_xlength(r_required(settings, "u")) == X.d, "crfs");
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", X.d, p.c);
    fit.sample = r_add_vector(&out, "sample", X.n);
    r_add_run(&out, "crfs", rs_crfs(&ctx, &p, &fit), &fit.history, 1.0);
    r_add_number(&out, "width", fit.width);
    r_add_number(&out, "eps", fit.eps);
    return r_close(&out);
}
