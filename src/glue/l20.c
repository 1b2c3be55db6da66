#include "glue/l20.h"

void r_l20(SEXP data, SEXP Y, SEXP settings, rs_context *ctx,
           rs_l20_problem *problem)
{
    problem->Y = REAL_RO(Y);
    problem->c = Rf_ncols(Y);
    problem->k = r_integer(settings, "k");
    problem->X = r_data(data, problem->c, ctx);
    problem->n = problem->X->n;
    problem->d = problem->X->d;
}

SEXP r_close_l20(r_result *out, const rs_history *history, int iterations,
                 rs_status status)
{
    r_add_ending(out, "regression", status);
    r_add_history(out, history, 1.0);
    r_add_integer(out, "iterations", iterations);
    return r_close(out);
}
