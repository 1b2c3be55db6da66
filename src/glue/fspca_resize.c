#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "sets/swaps.h"

/* set: features, of which there may be fewer or more than k; settings: k, m
 * below it, work. A set of k that is made from it, and improved by exchanges */
SEXP C_fspca_resize(SEXP data, SEXP set, SEXP settings)
{
    rs_context ctx = r_context();
    rs_swaps swaps;
    int improvements;
    const int given = (int)Rf_xlength(set), k = r_integer(settings, "k");
    const int m = r_integer(settings, "m");
    rs_covop *op = r_covop(data, m, &ctx);
    const double unit = rs_covop_use_unit(op);
    const unsigned char *locked = r_locked(data, op->d, &ctx);
    r_check_status(
        rs_swaps_init(&ctx, op, rs_max_int(given, k), m, locked, &swaps),
        "sets of other sizes");
    swaps.k = given;
    const int *first = r_zero_based(set, op->d, &ctx);
    r_check_status(rs_swaps_load(first, &swaps), "sets of other sizes");
    r_check_status(given < k ? rs_swaps_grow(k, &swaps)
                             : rs_swaps_shrink(k, &swaps),
                   "sets of other sizes");
    r_check_status(
        rs_swaps_climb(r_number(settings, "work"), &improvements, &swaps),
        "sets of other sizes");
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)k, swaps.set);
    r_add_number(&out, "value", swaps.value * unit);
    return r_close(&out);
}
