#include "method/spectral/mcfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* Y: n x m; settings: size, ridge. The paths of the lasso, and the scores of
 * the features that they give. */
SEXP C_mcfs(SEXP data, SEXP Y, SEXP settings)
{
    rs_context ctx = r_context();
    const int m = Rf_ncols(Y);
    const rs_lars_settings set = {r_integer(settings, "size"),
                                  r_number(settings, "ridge")};
    rs_lars_fit fit;
    rs_data *X = r_data(data, m, &ctx);
    r_expect(Rf_nrows(Y) == X->n, "responses");
    r_result out = r_open();
    fit.coefficients = r_add_matrix(&out, "coefficients", X->d, m);
    fit.pull = r_add_matrix(&out, "pull", X->d, m);
    fit.lambda = r_add_vector(&out, "lambda", m);
    fit.steps = r_add_integers(&out, "steps", m);
    r_add_ending(&out, "lasso paths",
                 rs_lars(&ctx, X, m, REAL_RO(Y), &set, &fit));
    double *score = r_add_vector(&out, "score", X->d);
    rs_mcfs(X->d, m, &fit, score, r_add_vector(&out, "nearness", X->d));
    return r_close(&out);
}
