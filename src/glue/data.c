/* What R asks of data as they were given. */
#include "data/stats.h"
#include "glue/glue.h"

/* block: NULL, or a list with the code of each row, the size of each level,
 * the degrees of freedom, and the row (from 0) of each stored entry or NULL */
static rs_stats_levels read_levels(SEXP block, const double *n)
{
    rs_stats_levels levels = {1, NULL, NULL, *n - 1.0, n};
    if (block == R_NilValue)
        return levels;
    SEXP row = r_element(block, "row");
    levels.levels = (int)Rf_xlength(r_required(block, "size"));
    levels.code = INTEGER_RO(r_required(block, "code"));
    levels.row = row == R_NilValue ? NULL : INTEGER_RO(row);
    levels.degrees = r_number(block, "degrees");
    levels.size = r_doubles(block, "size");
    return levels;
}

/* a matrix (p = NULL) or the entries of a sparse one with column pointers p */
static rs_stored read_stored(SEXP x, SEXP p, SEXP n_)
{
    const size_t n = (size_t)Rf_asReal(n_), size = (size_t)Rf_xlength(x);
    const int is_real = TYPEOF(x) == REALSXP, is_sparse = p != R_NilValue;
    return (rs_stored){.n = n,
                       .d = is_sparse ? (size_t)Rf_xlength(p) - 1
                                      : size / (n > 0 ? n : 1),
                       .real = is_real ? REAL_RO(x) : NULL,
                       .whole = is_real ? NULL : INTEGER_RO(x),
                       .p = is_sparse ? INTEGER_RO(p) : NULL};
}

/* rs_column_stats of a matrix */
SEXP C_column_stats(SEXP x, SEXP p, SEXP n, SEXP block)
{
    rs_context ctx = r_context();
    const rs_stored X = read_stored(x, p, n);
    const double rows = (double)X.n;
    const rs_stats_levels levels = read_levels(block, &rows);
    const int d = (int)X.d;
    rs_column_stats s;
    r_result out = r_open();
    s.mean = r_add_vector(&out, "mean", d);
    s.fine = r_add_vector(&out, "fine", d);
    s.square = r_add_vector(&out, "square", d);
    s.deviation = r_add_vector(&out, "deviation", d);
    s.largest = r_add_vector(&out, "largest", d);
    s.level_mean = s.mean;
    s.level_fine = s.fine;
    if (block != R_NilValue) {
        s.level_mean = r_add_matrix(&out, "level_mean", levels.levels, d);
        s.level_fine = r_add_matrix(&out, "level_fine", levels.levels, d);
    }
    r_check_status(rs_column_stats_find(&ctx, &X, &levels, &s),
                   "column statistics");
    r_add_number(&out, "bad", s.bad);
    return r_close(&out);
}

/* 0 for sound slots, 1 for unordered ones, -1 for broken ones */
SEXP C_check_sparse(SEXP i, SEXP p, SEXP n, SEXP d)
{
    return Rf_ScalarInteger(
        rs_check_slots(Rf_asInteger(n), Rf_asInteger(d), (size_t)Rf_xlength(p),
                       INTEGER_RO(p), (size_t)Rf_xlength(i), INTEGER_RO(i)));
}

SEXP C_check_cross_products(SEXP S)
{
    rs_context ctx = r_context();
    int column;
    r_check_status(
        rs_check_cross_products(&ctx, Rf_nrows(S), REAL_RO(S), &column),
        "moments");
    return Rf_ScalarInteger(column);
}
