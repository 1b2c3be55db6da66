/* The bound of method/fspca/relax. */
#include "glue/entries.h"

#if ROWSPARSE_TESTING

#include "method/fspca/relax.h"
#include "glue/glue.h"
#include "glue/result.h"

/*
 * The bound of method/fspca/relax at given variables, or after some evaluations
 * of the smoothed one at each of the widths; rows outside press on it by their
 * columns length, square and own; rows `asked` about, with them or without. What
 * the tests look at.
 */
SEXP C_fspca_relaxation(SEXP S, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    const int p = Rf_nrows(S), m = r_integer(settings, "m");
    const int evaluations = r_integer(settings, "evaluations");
    const double *widths;
    const int count = r_matrix(settings, "widths", &widths);
    const double *outside;
    const int columns = r_matrix(settings, "outside", &outside);
    const size_t others =
        columns == 3 ? (size_t)(Rf_xlength(r_element(settings, "outside")) / 3)
                     : 0;
    rs_relax s;
    rs_lbfgs ws;
    double value, bound;
    r_check_status(rs_relax_init(&ctx, p, (int)others, m, &s), "relaxation");
    const size_t size = rs_relax_size(&s, p);
    rs_relax_about(p, r_integer(settings, "k"), REAL_RO(S),
                   r_marks(settings, "inside", p, &ctx), &s);
    s.outside = (int)others;
    s.nu = 1.0;
    if (r_element(settings, "asked") != R_NilValue)
        rs_relax_ask(r_integer(settings, "with") ? RS_ASK_WITH
                                                 : RS_ASK_WITHOUT,
                     r_marks(settings, "asked", p, &ctx), &s);
    rs_copy(others, outside, s.length);
    rs_copy(others, outside + others, s.square);
    rs_copy(others, outside + 2 * others, s.own);
    double *x = r_room(&ctx, size);
    if (start == R_NilValue)
        rs_relax_start(NULL, NULL, r_number(settings, "alpha"), x, &s);
    else
        rs_copy(size, REAL_RO(start), x);
    r_check_status(rs_lbfgs_init(&ctx, size, 10, 20, &ws), "relaxation");
    const rs_lbfgs_problem problem = {
        size, rs_relax_smooth,           &s,     evaluations,
        20,   r_number(settings, "tol"), -1e300, NULL};
    for (int i = 0; i < count && evaluations > 0; i++) {
        s.width = widths[i];
        rs_status status = rs_lbfgs_minimise(&problem, x, &ws);
        if (status != RS_MAXIT && status != RS_STALLED)
            r_check_status(status, "relaxation");
    }
    s.width = widths[count - 1];
    r_result out = r_open();
    double *gradient = r_add_vector(&out, "gradient", (R_xlen_t)size);
    r_check_status(rs_relax_smooth(&s, x, &value, gradient), "relaxation");
    r_add_number(&out, "nu", s.nu);
    r_check_status(rs_relax_bound(x, &bound, &s), "relaxation");
    R_ADD_NUMBERS(&out, value, bound);
    r_add_doubles(&out, "x", size, x);
    r_add_doubles(&out, "z", (size_t)p, s.z);
    r_add_doubles(&out, "h", (size_t)p, s.h);
    r_add_number(&out, "evaluations", s.evaluations);
    return r_close(&out);
}

#endif
