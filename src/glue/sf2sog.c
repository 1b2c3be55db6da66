#include "method/spectral/sf2sog.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* near: as C_neighbours() makes it; settings: neighbours, k, lambda, gamma (0: the
 * default), and those of r_projection() */
SEXP C_sf2sog(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_sf2sog_fit fit;
    rs_sf2sog_problem p = {.near = &near};
    p.base = r_projection(data, settings, near.n, r_integer(settings, "k"),
                          "sf2sog", &ctx);
    R_INTEGERS(settings, &p.neighbours);
    R_NUMBERS(settings, &p.lambda, &p.gamma);
    r_expect(p.lambda > 0.0 && p.gamma >= 0.0, "sf2sog");
    r_result out = r_open();
    r_add_projection(&out, &p.base, &fit.base);
    r_add_run(&out, "sf2sog", rs_sf2sog(&ctx, &p, &fit), &fit.base.history,
              1.0);
    r_to_one_based((size_t)p.base.k, fit.base.subset);
    r_add_number(&out, "gamma", fit.gamma);
    R_ADD_FLAGS(&out, fit.is_zero, fit.is_any);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
