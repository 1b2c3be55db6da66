/* Families: the response of a call, and the fits of its sets. */

#include "glue/glue.h"
#include "la/linalg.h"

static const char *const families[] = {"gaussian", "binomial", "multinomial",
                                       "poisson",  "cox",      NULL};

/* numbers of an element, or NULL */
static const double *optional(SEXP list, const char *name)
{
    SEXP value = list == R_NilValue ? list : r_element(list, name);
    return value == R_NilValue ? NULL : REAL_RO(value);
}

void r_family(SEXP response, rs_context *ctx, rs_family *f)
{
    *f = (rs_family){.kind = r_choice(response, "family", families)};
    f->q = r_matrix(response, "Y", &f->y);
    f->n = Rf_nrows(r_required(response, "Y"));
    f->intercept = f->kind != RS_COX && f->kind != RS_GAUSSIAN;
    f->weight = optional(response, "weights");
    f->offset = optional(response, "offset");
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
    const int d = r_integer(data, "d");
    rs_family *family = r_memory(1, sizeof *family);
    r_family(response, ctx, family);
    *problem = (rs_family_problem){
        .family = family,
        .X = r_data(data, RS_PANEL, ctx),
        .root = family->kind == RS_GAUSSIAN
                    ? NULL
                    : optional(r_element(data, "observed"), "root"),
        .ridge = r_number(settings, "ridge")};
    r_expect(family->n == problem->X->n, "family");
    if (sign != R_NilValue) {
        signed char *signs = r_memory((size_t)d, 1);
        r_expect((int)Rf_xlength(sign) == d, "sign");
        for (int j = 0; j < d; j++)
            signs[j] = (signed char)INTEGER_RO(sign)[j];
        problem->sign = signs;
    }
}

double r_family_unit(const rs_family_problem *problem)
{
    return problem->family->kind == RS_GAUSSIAN ? 2.0 : 1.0;
}

/* the fit of the present set: columns, coefficients, intercepts, and the objective
 * with its part without the penalty */
SEXP r_family_fit(const rs_value_family *value, int count, const int *members)
{
    const rs_family_set *set = rs_value_family_at(value);
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
