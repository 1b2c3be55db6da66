#include "data/centring.h"
#include "glue/glue.h"

/* what the means lack, NULL where that is not known */
static const double *fine_means(SEXP list, R_xlen_t size)
{
    SEXP fine = r_element(list, "fine");
    if (fine == R_NilValue)
        return NULL;
    if (TYPEOF(fine) != REALSXP || Rf_xlength(fine) != size)
        r_refuse("internal", "fine", "another number of means");
    return REAL_RO(fine);
}

/* the level of each row from 0, and its means; moments have no rows, and those
 * with weights come centred */
rs_centring r_centring(SEXP data, rs_context *ctx)
{
    SEXP block = r_element(data, "block");
    SEXP observed = r_element(data, "observed");
    if (observed != R_NilValue && r_element(observed, "length") != R_NilValue)
        return rs_centre_no_rows(r_doubles(data, "mean"),
                                 r_number(observed, "length"));
    SEXP given = block == R_NilValue ? block : r_element(block, "code");
    if (given == R_NilValue)
        return rs_centre_all_rows(r_doubles(data, "mean"),
                                  fine_means(data, r_integer(data, "d")));
    const int n = r_integer(data, "n");
    const int levels = Rf_nrows(r_required(block, "mean"));
    if (Rf_xlength(given) != n)
        r_refuse("internal", "block", "another number of samples");
    rs_centring c;
    r_check_status(
        rs_centre_levels(
            ctx, n, levels, r_zero_based(given, levels, ctx),
            r_doubles(block, "mean"),
            fine_means(block, Rf_xlength(r_required(block, "mean"))), &c),
        "block");
    return c;
}
