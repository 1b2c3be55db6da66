/* The bound of proof/relax. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "proof/relax.h"

/* the bound at given variables, and the smoothed one with its gradient */
SEXP C_fspca_relaxation(SEXP S, SEXP x, SEXP settings)
{
    rs_context ctx = r_context();
    const int p = Rf_nrows(S);
    rs_relax s;
    double value;
    r_check_status(rs_relax_init(&ctx, p, r_integer(settings, "m"), &s),
                   "relaxation");
    rs_relax_about(p, r_integer(settings, "k"), REAL_RO(S),
                   r_marks(settings, "inside", p), &s);
    s.width = r_number(settings, "width");
    r_result out = r_open();
    double *gradient = r_add_vector(&out, "gradient", Rf_xlength(x));
    r_check_status(rs_relax_smooth(&s, REAL_RO(x), &value, gradient),
                   "relaxation");
    r_check_status(rs_relax_bound(REAL_RO(x), &s), "relaxation");
    R_ADD_NUMBERS(&out, value, s.eigen_part);
    r_add_doubles(&out, "h", (size_t)p, s.h);
    return r_close(&out);
}

#endif
