#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "sets/value_trace.h"

#include <string.h>

/* set: features, of which there may be fewer or more than k; settings: k, m
 * below it, work. A set of k that is made from it, and improved by exchanges */
SEXP C_fspca_resize(SEXP data, SEXP set, SEXP settings)
{
    static const char *const where = "sets of other sizes";
    rs_context ctx = r_context();
    rs_trace_search t;
    const int given = (int)Rf_xlength(set), k = r_integer(settings, "k");
    const int m = r_integer(settings, "m"), most = rs_max_int(given, k);
    rs_covop *op = r_covop(data, m, &ctx);
    const double unit = rs_covop_use_unit(op);
    int *features = r_int_room(&ctx, (size_t)most);
    double *worth = r_room(&ctx, (size_t)most);
    memcpy(features, r_zero_based(set, op->d, &ctx),
           (size_t)given * sizeof *features);
    r_check_status(rs_trace_search_init(&ctx, op, most, m, 0, &t), where);
    t.first = r_locked(data, op->d, &ctx);
    r_check_status(rs_trace_search_load(&t, given, features, worth), where);
    r_check_status(
        given < k ? rs_search_grow(&t.search, given, k, features, worth, NULL)
                  : rs_search_shrink(&t.search, given, k, features),
        where);
    r_check_status(rs_trace_search_exchange(&t, k, r_number(settings, "work"),
                                            features, worth),
                   where);
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)k, features);
    r_add_number(&out, "value", *worth * unit);
    return r_close(&out);
}
