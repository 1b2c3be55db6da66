#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "sets/search.h"
#include "sets/value_trace.h"

#include <math.h>
#include <string.h>

/* set: features, of which there may be fewer or more than k; settings: k, m
 * below it, work. A set of k that is made from it, and improved by exchanges */
SEXP C_fspca_resize(SEXP data, SEXP set, SEXP settings)
{
    rs_context ctx = r_context();
    rs_groups groups;
    rs_value_trace trace;
    rs_search search;
    const int given = (int)Rf_xlength(set), k = r_integer(settings, "k");
    const int m = r_integer(settings, "m"), most = rs_max_int(given, k);
    const rs_search_settings wanted = {.k = most, .maxit = 1000, .tol = 1e-12};
    rs_covop *op = r_covop(data, m, &ctx);
    const double unit = rs_covop_use_unit(op);
    int *features = r_int_room(&ctx, (size_t)most);
    double *worth = r_room(&ctx, (size_t)most);
    memcpy(features, r_zero_based(set, op->d, &ctx),
           (size_t)given * sizeof *features);
    r_check_status(rs_groups_of_one(&ctx, op->d, op->diagonal,
                                    r_locked(data, op->d, &ctx), NULL,
                                    &groups),
                   "sets of other sizes");
    r_check_status(rs_value_trace_init(&ctx, op, &groups, most, m, &trace),
                   "sets of other sizes");
    const rs_value value = rs_trace_as_value(&trace);
    r_check_status(rs_search_init(&ctx, &groups, &value, &wanted, &search),
                   "sets of other sizes");
    r_check_status(
        given < k ? rs_search_grow(&search, given, k, features, worth, NULL)
                  : rs_search_shrink(&search, given, k, features),
        "sets of other sizes");
    r_check_status(value.move(value.state, k, features, worth),
                   "sets of other sizes");
    search.end = trace.work + r_number(settings, "work");
    r_check_status(rs_search_exchange(&search, k, features, worth),
                   "sets of other sizes");
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)k, features);
    r_add_number(&out, "value", *worth * unit);
    return r_close(&out);
}
