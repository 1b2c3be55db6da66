#include "method/spectral/tsfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* T: n x m, centred; start: d x m or NULL; settings: lambda, tol, maxit */
SEXP C_tsfs(SEXP data, SEXP T, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_tsfs_fit fit;
    rs_tsfs_problem problem = {.T = REAL_RO(T),
                               .m = Rf_ncols(T),
                               .start = start == R_NilValue ? NULL
                                                            : REAL_RO(start)};
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
