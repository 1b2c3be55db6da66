#include "method/regression/ipfs.h"
#include "glue/entries.h"
#include "glue/l20.h"

SEXP C_ipfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    r_result out = r_open();
    r_l20(data, Y, settings, &ctx, &problem);
    double *v = r_add_vector(&out, "end", problem.d);
    rs_status status = rs_ipfs(
        &ctx, &problem, r_number(settings, "ridge"), r_number(settings, "rho"),
        r_number(settings, "tol"), r_integer(settings, "maxit"), v, &history);
    return r_close_l20(&out, &history, history.count, status);
}
