#include "method/spectral/jelsr.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

static const double *read_laplacian(SEXP L, const rs_data *X)
{
    r_expect(TYPEOF(L) == REALSXP && Rf_nrows(L) == X->n &&
                 Rf_ncols(L) == X->n,
             "jelsr");
    return REAL_RO(L);
}

/* L: n x n; settings: m, alpha, beta, u, tol, maxit */
SEXP C_jelsr(SEXP data, SEXP L, SEXP settings)
{
    rs_context ctx = r_context();
    rs_jelsr_fit fit;
    rs_jelsr_problem problem;
    R_INTEGERS(settings, &problem.m, &problem.maxit);
    R_NUMBERS(settings, &problem.alpha, &problem.beta, &problem.u,
              &problem.tol);
    problem.X = r_data(data, problem.m, &ctx);
    problem.L = read_laplacian(L, problem.X);
    r_expect(problem.m >= 1 && problem.m < problem.X->n, "jelsr");
    r_result out = r_open();
    fit.Y = r_add_matrix(&out, "Y", problem.X->n, problem.m);
    r_add_regression(&out, problem.X->d, problem.m, &fit.W, &fit.pull);
    r_add_run(&out, "jelsr", rs_jelsr(&ctx, &problem, &fit), &fit.history,
              1.0);
    r_add_doubles(&out, "terms", 3, fit.terms);
    r_add_number(&out, "level", fit.level);
    return r_close(&out);
}

/* the alpha from which on W = 0 for the smoothest Y */
SEXP C_jelsr_reach(SEXP data, SEXP L, SEXP m_)
{
    rs_context ctx = r_context();
    double alpha;
    const int m = Rf_asInteger(m_);
    rs_data *X = r_data(data, m, &ctx);
    r_expect(m >= 1 && m < X->n, "jelsr");
    r_check_status(rs_jelsr_reach(&ctx, X, read_laplacian(L, X), m, &alpha),
                   "jelsr");
    return Rf_ScalarReal(alpha);
}
