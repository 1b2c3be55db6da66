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

void r_add_roles(r_result *out, const rs_roles *roles, double unit)
{
    const int d = roles->d, k = roles->k;
    r_add_number(out, "value", roles->value * unit);
    r_add_indices(out, "best", (size_t)k, roles->best);
    add_scaled(out, "low", d, roles->low, unit);
    double *high = r_add_vector(out, "high", d);
    int *witness = r_add_integer_matrix(out, "witness", k, d);
    for (int j = 0; j < d; j++) {
        const int shown = roles->low[j] > -INFINITY;
        high[j] = rs_roles_high(j, roles) * unit;
        for (int i = 0; i < k; i++) {
            const size_t at = (size_t)k * j + i;
            witness[at] = shown ? roles->witness[at] + 1 : NA_INTEGER;
        }
    }
}

/* the `wanted` best sets, k x count, and their values */
static void add_sets(r_result *out, const rs_near_sets *near, double cut,
                     int wanted, double unit)
{
    const int k = near->k;
    int *order = (int *)R_alloc((size_t)near->count + 1, sizeof(int));
    double *room =
        (double *)R_alloc(2 * (size_t)near->count + 1, sizeof(double));
    wanted = rs_near_sets_best(near, cut, wanted, order, room);
    int *sets = r_add_integer_matrix(out, "sets", k, wanted);
    double *values = r_add_vector(out, "set_values", wanted);
    for (int a = 0; a < wanted; a++) {
        values[a] = near->least[order[a]] * unit;
        for (int i = 0; i < k; i++)
            sets[i + (size_t)k * a] =
                near->member[i + (size_t)k * order[a]] + 1;
    }
}

void r_add_near_sets(r_result *out, const rs_near_sets *near, int tolerances,
                     const double *tolerance, double value, double slack,
                     const int *complete, int wanted, double unit)
{
    double *count = r_add_vector(out, "count", tolerances);
    SEXP sure = PROTECT(Rf_allocVector(LGLSXP, tolerances));
    double *frequency = r_add_matrix(out, "frequency", near->d, tolerances);
    double cut = value;
    for (int t = 0; t < tolerances; t++) {
        double doubtful;
        cut = (1.0 - tolerance[t]) * value - slack;
        count[t] = rs_near_sets_count(
            near, cut, frequency + (size_t)near->d * t, &doubtful);
        LOGICAL(sure)[t] = complete[t] && doubtful == 0.0 && !near->full;
    }
    r_add(out, "complete", sure);
    UNPROTECT(1);
    add_sets(out, near, cut, wanted, unit);
}
