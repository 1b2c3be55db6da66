#include "method/regression/pgd.h"
#include "glue/entries.h"
#include "glue/l20.h"

SEXP C_pgd(SEXP data, SEXP Y, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_l20_problem problem;
    rs_history history;
    r_result out = r_open();
    double *W = r_add_copy(&out, "end", start);
    r_l20(data, Y, settings, &ctx, &problem);
    rs_status status = rs_pgd(&ctx, &problem, r_number(settings, "step"),
                              r_number(settings, "tol"),
                              r_integer(settings, "maxit"), W, &history);
    return r_close_l20(&out, &history, history.count - 1, status);
}
