/* glue/score.c: scores of the features. */
#include "method/score/score.h"
#include "glue/glue.h"

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
    rs_covop *op = r_covop(data, RS_PANEL, &ctx);
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

/* class: 1-based; settings: classes, tokens, tol, maxit */
SEXP C_ilfs(SEXP data, SEXP class_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_ilfs_problem p;
    rs_history history;
    R_INTEGERS(settings, &p.classes, &p.tokens, &p.maxit);
    p.tol = r_number(settings, "tol");
    p.class = r_zero_based(class_, p.classes);
    rs_data *X = r_data(data, 1, &ctx);
    r_expect(Rf_length(class_) == X->n && p.tokens > 1, "ilfs");
    r_result out = r_open();
    double *pi = r_add_vector(&out, "pi", X->d);
    double *counts = r_add_matrix(&out, "counts", p.tokens, X->d);
    r_add_run(&out, "ilfs", rs_ilfs(&ctx, X, &p, pi, counts, &history),
              &history, 1.0);
    return r_close(&out);
}
