/* The steps of the search for best subsets, one by one. */
#include "glue/entries.h"

#if ROWSPARSE_TESTING

#include <math.h>
#include <string.h>
#include "la/linalg.h"
#include "proof/roles.h"
#include "proof/perspective.h"
#include "proof/splitting.h"
#include "glue/glue.h"
#include "glue/result.h"

static double *own_copy(SEXP values, rs_context *ctx)
{
    const size_t count = (size_t)Rf_xlength(values);
    double *copy = r_room(ctx, count);
    rs_copy(count, REAL_RO(values), copy);
    return copy;
}

/* ---- the relaxation --------------------------------------------------------- */

static rs_status matrix_column(void *state, int j, const double **at)
{
    const SEXP A = *(const SEXP *)state;
    *at = REAL_RO(A) + (size_t)Rf_nrows(A) * j;
    return RS_OK;
}

/* what is known at the present point, and the best bound */
static SEXP r_relaxation(const double *slopes, const double *costs,
                         const rs_perspective *p)
{
    const size_t N = (size_t)p->N;
    r_result out = r_open();
    r_add_doubles(&out, "z", N, p->z);
    r_add_doubles(&out, "weight", N, p->weight);
    R_ADD_NUMBERS(&out, p->relaxed, p->base, p->most);
    r_add_doubles(&out, "best_weight", N, p->best_weight);
    R_ADD_NUMBERS(&out, p->best_base, p->best_most);
    r_add_doubles(&out, "slopes", N, slopes);
    r_add_doubles(&out, "costs", N, costs);
    r_add_number(&out, "steps", p->steps);
    return r_close(&out);
}

/*
 * settings: D, z, the marks `in` of features in every set, m others, room for
 * how many with z > 0, error of the entries, `enough`, `share`, and at most so
 * many `steps`; 0: only the value at z
 */
SEXP C_perspective(SEXP A, SEXP C, SEXP settings)
{
    rs_context ctx = r_context();
    const int N = Rf_nrows(A);
    const size_t n = (size_t)N;
    double *slopes = r_room(&ctx, n);
    double *costs = r_room(&ctx, n);
    rs_perspective p;
    r_check_status(rs_perspective_init(&ctx, N, Rf_ncols(C),
                                       r_integer(settings, "room"), &p),
                   "relaxation");
    p.m = r_integer(settings, "m");
    p.in = r_marks(settings, "in", N, &ctx);
    p.column = matrix_column;
    p.state = &A;
    p.C = REAL_RO(C);
    p.D = own_copy(r_required(settings, "D"), &ctx);
    p.error = r_number(settings, "error");
    rs_copy(n, r_doubles(settings, "z"), p.z);
    r_check_status(rs_perspective_start(&p), "relaxation");
    r_check_status(rs_perspective_minimise(r_number(settings, "enough"),
                                           r_number(settings, "share"),
                                           r_integer(settings, "steps"), &p),
                   "relaxation");
    rs_perspective_slopes(&p, slopes);
    r_check_status(rs_perspective_costs(costs, &p), "costs");
    return r_relaxation(slopes, costs, &p);
}

/* ---- the splitting ----------------------------------------------------------- */

/*
 * settings: error of the entries; D, or NULL for the first one; slopes g, marks
 * `fixed`, mu, passes and back of the ascent. Is D proved, and the D after it?
 */
SEXP C_splitting(SEXP A, SEXP settings)
{
    rs_context ctx = r_context();
    const int N = Rf_nrows(A);
    SEXP given = r_element(settings, "D");
    double *D = r_room(&ctx, (size_t)N);
    rs_splitting s;
    int able, moved = 0;
    r_check_status(rs_splitting_init(&ctx, N, r_number(settings, "error"), &s),
                   "splitting");
    r_result out = r_open();
    if (given == R_NilValue) {
        r_check_status(rs_splitting_first(N, REAL_RO(A), D, &able, &s),
                       "splitting");
    } else {
        rs_copy((size_t)N, REAL_RO(given), D);
        r_check_status(rs_splitting_prove(N, REAL_RO(A), D, &able, &s),
                       "splitting");
    }
    r_add_flag(&out, "able", able);
    r_add_doubles(&out, "first", (size_t)N, D);
    if (able)
        r_check_status(
            rs_splitting_ascend(N, REAL_RO(A), r_doubles(settings, "g"),
                                r_marks(settings, "fixed", N, &ctx),
                                r_number(settings, "mu"),
                                r_integer(settings, "passes"),
                                r_number(settings, "back"), D, &moved, &s),
            "splitting");
    r_add_flag(&out, "moved", moved);
    r_add_doubles(&out, "D", (size_t)N, D);
    return r_close(&out);
}

/* ---- roles -------------------------------------------------------------------- */

/*
 * sets: a column each, which are met in this order, the first as the best one
 * known; settings: d, bound of all sets, the bounds `with` and `without` of every
 * feature, a cut. The table after that
 */
SEXP C_roles(SEXP sets, SEXP value, SEXP settings)
{
    rs_context ctx = r_context();
    const int d = r_integer(settings, "d"), k = Rf_nrows(sets);
    const int *set = r_zero_based(sets, d, &ctx);
    const double *with = r_doubles(settings, "with");
    const double *without = r_doubles(settings, "without");
    rs_roles roles;
    r_check_status(rs_roles_init(&ctx, d, k, set, REAL_RO(value)[0],
                                 r_number(settings, "bound"), &roles),
                   "roles");
    for (int i = 1; i < Rf_ncols(sets); i++)
        rs_roles_meet(set + (size_t)k * i, REAL_RO(value)[i], &roles);
    for (int i = 0; i < d; i++) {
        rs_roles_bound_with(i, with[i], &roles);
        rs_roles_bound_without(i, without[i], &roles);
    }
    r_result out = r_open();
    r_add_indices(&out, "best", (size_t)k, roles.best);
    r_add_number(&out, "value", roles.value);
    double *low = r_add_vector(&out, "low", d);
    double *high = r_add_vector(&out, "high", d);
    int *witness = r_add_integer_matrix(&out, "witness", k, d);
    int undecided = 0;
    for (int i = 0; i < d; i++) {
        undecided +=
            !rs_roles_is_decided(i, r_number(settings, "cut"), &roles);
        low[i] = roles.low[i];
        high[i] = rs_roles_high(i, &roles);
        for (int a = 0; a < k; a++)
            witness[a + (size_t)k * i] =
                isfinite(roles.low[i]) ? roles.witness[a + (size_t)k * i] + 1
                                       : 0;
    }
    r_add_integer(&out, "undecided", undecided);
    return r_close(&out);
}

#endif
