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
    rs_sf2sog_problem p = {&X,
                           &near,
                           r_integer(settings, "neighbours"),
                           r_integer(settings, "k"),
                           r_integer(settings, "m"),
                           r_number(settings, "lambda"),
                           r_number(settings, "gamma"),
                           r_doubles(settings, "ties"),
                           r_marks(settings, "constant", d, &ctx),
                           r_locked(data, d, &ctx),
                           r_number(settings, "tol"),
                           r_integer(settings, "maxit")};
    rs_sf2sog_fit fit;
    r_data(data, rs_sample_form_block(d, p.m), &ctx, &X);
    r_expect(near.n == X.n && p.k <= d && p.m >= 1 && p.m <= p.k &&
                 p.lambda > 0.0 && p.gamma >= 0.0,
             "sf2sog");
    r_result out = r_open();
    fit.V = r_add_matrix(&out, "V", p.k, p.m);
    fit.subset = r_add_integers(&out, "subset", p.k);
    fit.values = r_add_vector(&out, "values", p.m);
    fit.scores = r_add_vector(&out, "scores", X.d);
    r_add_run(&out, "sf2sog", rs_sf2sog(&ctx, &p, &fit), &fit.history, 1.0);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_number(&out, "gamma", fit.gamma);
    r_add_flag(&out, "is_zero", fit.is_zero);
    r_add_flag(&out, "is_any", fit.is_any);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
