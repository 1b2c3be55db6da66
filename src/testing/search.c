/* The steps of the search for best subsets, one by one. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include <math.h>
#include <string.h>
#include "la/linalg.h"
#include "proof/perspective.h"
#include "proof/splitting.h"

static double *own_copy(SEXP values)
{
    const size_t count = (size_t)Rf_xlength(values);
    double *copy = r_room(count);
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

/*
 * settings: D, z, the marks `in` of features in every set, m others, room for
 * how many with z > 0, error of the entries, `enough`, `share`, and at most so
 * many `steps`; 0: only the value at z
 */
SEXP C_perspective(SEXP A, SEXP C, SEXP settings)
{
    rs_context ctx = r_context();
    const int N = Rf_nrows(A);
    rs_perspective p;
    rs_perspective_lsq lsq;
    r_check_status(rs_perspective_lsq_init(&ctx, N, Rf_ncols(C),
                                           r_integer(settings, "room"), &lsq,
                                           &p),
                   "relaxation");
    p.of.m = r_integer(settings, "m");
    p.of.in = r_marks(settings, "in", N);
    lsq.column = matrix_column;
    lsq.state = &A;
    lsq.C = REAL_RO(C);
    lsq.D = own_copy(r_required(settings, "D"));
    lsq.error = r_number(settings, "error");
    rs_copy((size_t)N, r_doubles(settings, "z"), p.z);
    r_check_status(rs_perspective_start(&p), "relaxation");
    r_check_status(rs_perspective_minimise(r_number(settings, "enough"),
                                           r_number(settings, "share"),
                                           r_integer(settings, "steps"), &p),
                   "relaxation");
    r_result out = r_open();
    r_add_doubles(&out, "weight", (size_t)N, p.weight);
    R_ADD_NUMBERS(&out, p.relaxed, p.base, p.most);
    r_add_number(&out, "best_most", p.best.most);
    return r_close(&out);
}

/* ---- families ----------------------------------------------------------------- */

/* L* and g (n x q) of the bound that is dual to the loss at H */
SEXP C_family_dual(SEXP response, SEXP H)
{
    rs_context ctx = r_context();
    rs_family family;
    r_family(response, &ctx, &family);
    r_result out = r_open();
    double *g = r_add_matrix(&out, "g", family.n, family.q);
    r_add_number(&out, "least", rs_family_dual(&family, REAL_RO(H), g));
    return r_close(&out);
}

/* ---- the splitting ----------------------------------------------------------- */

/*
 * settings: error of the entries; D, or NULL for the first one; slopes g, marks
 * `fixed` and mu of the ascent. Is D proved, and the D after it?
 */
SEXP C_splitting(SEXP A, SEXP settings)
{
    rs_context ctx = r_context();
    const int N = Rf_nrows(A);
    SEXP given = r_element(settings, "D");
    double *D = r_room((size_t)N);
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
                                r_marks(settings, "fixed", N),
                                r_number(settings, "mu"), D, &moved, &s),
            "splitting");
    r_add_flag(&out, "moved", moved);
    r_add_doubles(&out, "D", (size_t)N, D);
    return r_close(&out);
}

#endif
