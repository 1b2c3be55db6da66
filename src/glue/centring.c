#include "data/centring.h"
#include "glue/glue.h"

/* what the means lack, NULL where that is not known */
static const double *fine_means(SEXP list)
{
    SEXP fine = r_element(list, "fine");
    r_expect(fine == R_NilValue ||
                 Rf_xlength(fine) == Rf_xlength(r_required(list, "mean")),
             "fine");
    return r_given(fine);
}

/* the level of each row from 0, and its means; moments have no rows, and those
 * with weights come centred */
rs_centring r_centring(SEXP data, rs_context *ctx)
{
    SEXP block = r_element(data, "block"), code = r_element(block, "code");
    SEXP length = r_element(r_element(data, "observed"), "length");
    if (length != R_NilValue)
        return (rs_centring){.mean = r_doubles(data, "mean"),
                             .reach = Rf_asReal(length)};
    if (code == R_NilValue)
        return (rs_centring){.levels = 1,
                             .mean = r_doubles(data, "mean"),
                             .fine = fine_means(data)};
    const int n = r_integer(data, "n");
    const int levels = Rf_nrows(r_required(block, "mean"));
    rs_centring c;
    r_expect(Rf_xlength(code) == n, "block");
    r_check_status(rs_centre_levels(ctx, n, levels, r_zero_based(code, levels),
                                    r_doubles(block, "mean"),
                                    fine_means(block), &c),
                   "block");
    return c;
}
