#include "method/spectral/udfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* near: as C_neighbours() makes it */
SEXP C_udfs(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_udfs_problem p = {.base = r_directions(data, settings, &ctx),
                         .near = &near};
    R_INTEGERS(settings, &p.relative_lambda);
    R_NUMBERS(settings, &p.lambda, &p.base.tol);
    rs_udfs_fit fit;
    r_result out = r_open();
    r_add_directions(&out, "udfs", rs_udfs(&ctx, &p, &fit), &fit.base);
    R_ADD_NUMBERS(&out, fit.penalised, fit.lambda);
    r_add_integer(&out, "order", fit.base.minor.order);
    return r_close(&out);
}
