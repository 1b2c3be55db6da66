/* Families: the response of a call, and the fits of its sets. */
#include "glue/glue.h"
#include "la/linalg.h"

static const char *const families[] = {"gaussian", "binomial", "multinomial",
                                       "poisson",  "cox",      NULL};

void r_family(SEXP response, rs_context *ctx, rs_family *f)
{
    *f = (rs_family){.kind = r_choice(response, "family", families)};
    f->q = r_matrix(response, "Y", &f->y);
    f->n = Rf_nrows(r_required(response, "Y"));
    f->intercept = f->kind != RS_COX && f->kind != RS_GAUSSIAN;
    f->weight = r_given(r_element(response, "weights"));
    f->offset = r_given(r_element(response, "offset"));
    if (f->kind == RS_COX) {
        f->order = r_zero_based(r_required(response, "order"), f->n);
        f->last = r_zero_based(r_required(response, "last"), f->n);
    }
    r_check_status(rs_family_init(ctx, f), "family");
}

void r_family_problem(SEXP data, SEXP response, SEXP settings, rs_context *ctx,
                      rs_family_problem *problem)
{
    SEXP sign = r_element(settings, "sign");
    SEXP observed = r_element(data, "observed");
    rs_family *family = r_memory(1, sizeof *family);
    r_family(response, ctx, family);
    *problem =
        (rs_family_problem){.family = family,
                            .X = r_data(data, RS_PANEL, ctx),
                            .ridge = r_number(settings, "ridge"),
                            .unit = family->kind == RS_GAUSSIAN ? 2.0 : 1.0};
    if (observed != R_NilValue && family->kind != RS_GAUSSIAN)
        problem->root = r_doubles(observed, "root");
    r_expect(family->n == problem->X->n &&
                 (sign == R_NilValue || Rf_length(sign) == problem->X->d),
             "family");
    if (sign != R_NilValue)
        problem->sign = INTEGER_RO(sign);
}

/* the fit of a set: columns, coefficients, intercepts, and the objective
 * with its part without the penalty */
SEXP r_family_fit(rs_value_family *value, int count, const int *members)
{
    double worth;
    r_check_status(value->as_value.move(value, count, members, &worth),
                   "sets");
    const rs_family_set *set = value->sets + value->now;
    const rs_family *f = value->problem->family;
    const int b0 = f->intercept, p = set->fit.of.p, own = p - b0;
    r_result out = r_open();
    r_add_indices(&out, "selected", (size_t)own, set->fit.column);
    r_add_indices(&out, "members", (size_t)count, members);
    double *B = r_add_matrix(&out, "coefficients", own, f->q);
    double *intercept = r_add_vector(&out, "intercept", f->q);
    for (int l = 0; l < f->q; l++) {
        rs_copy((size_t)own, set->fit.of.B + b0 + (size_t)p * l,
                B + (size_t)own * l);
        intercept[l] = b0 ? set->fit.of.B[(size_t)p * l] : 0.0;
    }
    r_add_number(&out, "objective", set->fit.of.objective);
    r_add_number(&out, "loss", rs_family_loss(f, set->fit.of.H, NULL, NULL));
    r_add_flag(&out, "converged", set->fit.of.converged);
    return r_close(&out);
}
