#include "method/spectral/sf2sog.h"
#include "sets/sample_form.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* near: as C_neighbours() makes it; settings: neighbours, k, m, lambda, gamma
 * (0: the default), ties, constant, tol, maxit */
SEXP C_sf2sog(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_data X;
    const int d = r_integer(data, "d");
    rs_sf2sog_problem p = {.X = &X,
                           .near = &near,
                           .ties = r_doubles(settings, "ties"),
                           .constant = r_marks(settings, "constant", d, &ctx),
                           .first = r_locked(data, d, &ctx)};
    rs_sf2sog_fit fit;
    R_INTEGERS(settings, &p.neighbours, &p.k, &p.m, &p.maxit);
    R_NUMBERS(settings, &p.lambda, &p.gamma, &p.tol);
    r_data(data, rs_sample_form_block(d, p.m), &ctx, &X);
    r_expect(near.n == X.n && p.k <= d && p.m >= 1 && p.m <= p.k &&
                 p.lambda > 0.0 && p.gamma >= 0.0,
             "sf2sog");
    r_result out = r_open();
    r_add_projection(&out, p.k, p.m, X.d, &fit.subset, &fit.V, &fit.values,
                     &fit.scores);
    r_add_run(&out, "sf2sog", rs_sf2sog(&ctx, &p, &fit), &fit.history, 1.0);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_number(&out, "gamma", fit.gamma);
    R_ADD_FLAGS(&out, fit.is_zero, fit.is_any);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
