#include "method/spectral/slap.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* label: of the classes, from 1 */
SEXP C_slap(SEXP data, SEXP label, SEXP settings)
{
    rs_context ctx = r_context();
    rs_slap_problem p = {.base = r_directions(data, settings, &ctx)};
    R_NUMBERS(settings, &p.base.tol);
    p.base.asked.tol = r_number(settings, "inner_tol");
    p.base.asked.maxit = r_integer(settings, "inner_maxit");
    r_expect(Rf_xlength(label) == p.base.X->n, "slap");
    p.label = r_zero_based(label, p.base.X->n, &ctx);
    rs_slap_fit fit;
    r_result out = r_open();
    r_add_directions(&out, "slap", rs_slap(&ctx, &p, &fit), &fit.base);
    r_add_number(&out, "alpha", fit.A.alpha);
    r_add_adaptive(&out, &fit.A);
    return r_close(&out);
}
