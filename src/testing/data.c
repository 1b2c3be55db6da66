/* Every operation that a kind of data has. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "data/data.h"

/* what the data make of W (d x m) and Y (n x m) */
static void add_products(r_result *out, const rs_data *X, SEXP W, SEXP Y)
{
    const int m = Rf_ncols(W);
    double *times = r_add_matrix(out, "times", X->n, m);
    r_check_status(rs_data_times(X, m, REAL_RO(W), times), "times");
    double *cross = r_add_matrix(out, "crossprod", X->d, m);
    r_check_status(rs_data_crossprod(X, m, REAL_RO(Y), cross), "crossprod");
}

/* the listed rows, and their products with all rows */
static void add_rows(r_result *out, const rs_data *X, int count,
                     const int *index)
{
    double *rows = r_add_matrix(out, "rows", X->d, count);
    r_check_status(rs_data_rows(X, count, index, 0, rows), "rows");
    double *products = r_add_matrix(out, "row_products", X->n, count);
    r_check_status(rs_data_row_products(X, count, index, 0, rows, products),
                   "row products");
}

/* Z'Y of the first features, and the rows that the product had */
static void add_first(r_result *out, const rs_data *X, int first, SEXP Y)
{
    const int m = Rf_ncols(Y);
    double *room = r_room((size_t)X->d * m);
    double *cross = r_add_matrix(out, "crossprod_first", first, m);
    int stride;
    r_check_status(
        rs_data_crossprod_first(X, first, m, REAL_RO(Y), room, &stride),
        "crossprod");
    for (int l = 0; l < m; l++)
        rs_copy((size_t)first, room + (size_t)stride * l,
                cross + (size_t)first * l);
    r_add_integer(out, "stride", stride);
}

static void add_grams(r_result *out, const rs_data *X, const double *t,
                      const double *e, int count, const int *index)
{
    double *room = r_room(X->subset_room);
    double *gram = r_add_matrix(out, "gram", X->d, X->d);
    r_check_status(rs_data_gram_weighted(X, t, gram), "gram");
    double *subset = r_add_matrix(out, "gram_subset", count, count);
    r_check_status(rs_data_gram_subset(X, t, count, index, room, subset),
                   "gram of a subset");
    double *samples = r_add_matrix(out, "gram_samples", X->n, X->n);
    r_check_status(rs_data_gram_samples(X, e, samples), "gram of the samples");
}

/* every operation that a kind of data has; settings: W, Y, rows and columns
 * that are asked for, how many `first` features, weights t of the samples and
 * e of the features (or NULL). `block` is the widest product. */
SEXP C_data_products(SEXP data, SEXP settings, SEXP block)
{
    rs_context ctx = r_context();
    rs_data *X = r_data(data, Rf_asInteger(block), &ctx);
    SEXP rows = r_required(settings, "rows");
    SEXP columns = r_required(settings, "columns");
    const int *row = r_zero_based(rows, X->n);
    const int *column = r_zero_based(columns, X->d);
    const int count = (int)Rf_xlength(columns);
    SEXP t = r_element(settings, "t"), e = r_element(settings, "e");
    const double *by_sample = t == R_NilValue ? NULL : REAL_RO(t);
    const double *by_feature = e == R_NilValue ? NULL : REAL_RO(e);
    r_result out = r_open();
    add_products(&out, X, r_required(settings, "W"),
                 r_required(settings, "Y"));
    add_first(&out, X, r_integer(settings, "first"),
              r_required(settings, "Y"));
    add_rows(&out, X, (int)Rf_xlength(rows), row);
    double *chosen = r_add_matrix(&out, "columns", X->n, count);
    r_check_status(rs_data_columns(X, count, column, 0, chosen), "columns");
    add_grams(&out, X, by_sample, by_feature, count, column);
    double *squares = r_add_vector(&out, "column_squares", X->d);
    r_check_status(rs_data_column_squares(X, squares), "column squares");
    squares = r_add_vector(&out, "row_squares", X->n);
    r_check_status(rs_data_row_squares(X, by_feature, squares), "row squares");
    return r_close(&out);
}

#endif
