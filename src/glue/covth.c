#include "method/score/covth.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* settings: cut, shape, room, usable (d integers), tol, maxit */
SEXP C_covth(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_covth_fit fit;
    rs_covth_settings set = {
        r_number(settings, "cut"),  r_is(settings, "shape", "soft"),
        r_number(settings, "room"), INTEGER_RO(r_required(settings, "usable")),
        r_number(settings, "tol"),  r_integer(settings, "maxit"),
    };
    rs_covop *op = r_covop(data, RS_COVTH_BLOCK, &ctx);
    r_expect(Rf_xlength(r_required(settings, "usable")) == op->d, "covth");
    r_result out = r_open();
    fit.score = r_add_vector(&out, "score", op->d);
    fit.vector = r_add_vector(&out, "vector", op->d);
    fit.strongest = r_add_vector(&out, "strongest", op->d);
    r_add_ending(&out, "covth", rs_covth(op, &set, &fit));
    R_ADD_NUMBERS(&out, fit.survivors, fit.value, fit.residual);
    r_add_flag(&out, "kept", fit.kept);
    R_ADD_INTEGERS(&out, fit.multiplicity, fit.components);
    return r_close(&out);
}
