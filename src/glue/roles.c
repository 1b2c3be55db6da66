#include "glue/roles.h"

#include <math.h>

#include "glue/glue.h"

static void add_scaled(r_result *out, const char *name, int count,
                       const double *values, double unit)
{
    double *to = r_add_vector(out, name, count);
    for (int i = 0; i < count; i++)
        to[i] = values[i] * unit;
}

rs_role_settings r_role_settings(SEXP sets, SEXP settings, int d,
                                 rs_context *ctx)
{
    SEXP tolerance = r_required(settings, "tolerance");
    rs_role_settings asked;
    asked.k = r_integer(settings, "k");
    asked.given = r_zero_based(r_required(sets, "given"), d, ctx);
    asked.best = r_zero_based(r_required(sets, "best"), d, ctx);
    asked.tolerances = (int)Rf_xlength(tolerance);
    asked.tolerance = REAL_RO(tolerance);
    asked.list = r_integer(settings, "sets") > 0;
    asked.time_limit = r_number(settings, "time_limit");
    return asked;
}

/* witness: a matrix of d columns, NA where there is none */
static void add_roles(r_result *out, const rs_roles *roles, double unit)
{
    const int d = roles->d, k = roles->k;
    r_add_number(out, "value", roles->value * unit);
    r_add_indices(out, "best", (size_t)k, roles->best);
    add_scaled(out, "low", d, roles->low, unit);
    double *high = r_add_vector(out, "high", d);
    int *witness = r_add_integer_matrix(out, "witness", k, d);
    for (int j = 0; j < d; j++) {
        const int shown = roles->low[j] > -INFINITY;
        high[j] = *rs_role_high(j, roles) * unit;
        for (int i = 0; i < k; i++) {
            const size_t at = (size_t)k * j + i;
            witness[at] = shown ? roles->witness[at] + 1 : NA_INTEGER;
        }
    }
}

/* the `wanted` best sets, k x count, and their values */
static void add_sets(r_result *out, const rs_roles *roles, double cut,
                     int wanted, double unit)
{
    const rs_near_sets *near = &roles->near;
    const int k = roles->k;
    int *order = (int *)R_alloc((size_t)near->count + 1, sizeof(int));
    double *room =
        (double *)R_alloc(2 * (size_t)near->count + 1, sizeof(double));
    wanted = rs_role_best(near, cut, wanted, order, room);
    int *sets = r_add_integer_matrix(out, "sets", k, wanted);
    double *values = r_add_vector(out, "set_values", wanted);
    for (int a = 0; a < wanted; a++) {
        values[a] = near->least[order[a]] * unit;
        for (int i = 0; i < k; i++)
            sets[i + (size_t)k * a] =
                near->member[i + (size_t)k * order[a]] + 1;
    }
}

static void add_near_sets(r_result *out, const rs_role_settings *asked,
                          const rs_role_fit *fit, int wanted, double unit)
{
    const rs_roles *roles = &fit->roles;
    const int tolerances = asked->tolerances;
    double cut = 0.0;
    double *count = r_add_vector(out, "count", tolerances);
    SEXP sure = PROTECT(Rf_allocVector(LGLSXP, tolerances));
    double *frequency = r_add_matrix(out, "frequency", roles->d, tolerances);
    for (int t = 0; t < tolerances; t++) {
        double doubtful;
        cut = rs_role_cut(asked, t, fit);
        count[t] = rs_role_count(roles, cut, frequency + (size_t)roles->d * t,
                                 &doubtful);
        LOGICAL(sure)
        [t] = fit->complete[t] && doubtful == 0.0 && !roles->near.full;
    }
    r_add(out, "complete", sure);
    UNPROTECT(1);
    add_sets(out, roles, cut, wanted, unit);
}

SEXP r_roles(const rs_role_settings *asked, const rs_role_fit *fit, int wanted,
             double unit)
{
    const int d = fit->roles.d;
    const size_t cells = (size_t)asked->k * (size_t)d;
    r_result out = r_open();
    add_roles(&out, &fit->roles, unit);
    r_add_number(&out, "bound", fit->bound * unit);
    r_add_number(&out, "given", fit->given * unit);
    r_add_number(&out, "slack", fit->slack * unit);
    double *exchanges = r_add_matrix(&out, "exchanges", asked->k, d);
    for (size_t i = 0; i < cells; i++)
        exchanges[i] =
            isnan(fit->exchange[i]) ? NA_REAL : fit->exchange[i] * unit;
    add_near_sets(&out, asked, fit, wanted, unit);
    R_ADD_FLAGS(&out, fit->proved, fit->late);
    R_ADD_NUMBERS(&out, fit->seconds, fit->nodes, fit->questions);
    return r_close(&out);
}
