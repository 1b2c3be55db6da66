#include <string.h>

#include "method/regression/rpfs.h"
#include "glue/entries.h"
#include "glue/l20.h"

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
    r_l20(data, Y, settings, &ctx, &problem);
    rs_status status =
        rs_rpfs(&ctx, &problem, r_number(settings, "mu"),
                r_number(settings, "rho"), r_number(settings, "tol"),
                r_integer(settings, "maxit"), V, E, &history);
    return r_close_l20(&out, &history, history.count, status);
}
