/* Products of the data with matrices, and leading eigenpairs. */
#include "eigen/leading.h"
#include "method/regression/regression.h"
#include "glue/glue.h"

#include <math.h>

/* an entry that returns `made`, an object of R that the core fills; `block` is
 * the widest product with X */
#define R_PRODUCT(head, block, made, fill)            \
    SEXP head                                         \
    {                                                 \
        rs_context ctx = r_context();                 \
        rs_data *X = r_data(data, block, &ctx);       \
        SEXP out = PROTECT(made);                     \
        r_check_status(fill, "products of the data"); \
        UNPROTECT(1);                                 \
        return out;                                   \
    }

/* S = Xc'Xc */
R_PRODUCT(C_gram(SEXP data), 1, Rf_allocMatrix(REALSXP, X->d, X->d),
          rs_data_gram_weighted(X, NULL, REAL(out)))

/* K = Z diag(weights) Z' */
R_PRODUCT(C_gram_samples(SEXP data, SEXP weights), 1,
          Rf_allocMatrix(REALSXP, X->n, X->n),
          rs_data_gram_samples(X, r_given(weights), REAL(out)))

/* Xc W */
R_PRODUCT(C_times(SEXP data, SEXP W), Rf_ncols(W),
          Rf_allocMatrix(REALSXP, X->n, Rf_ncols(W)),
          rs_data_times(X, Rf_ncols(W), REAL_RO(W), REAL(out)))

/* Xc'Y; products are made room for `block` columns */
R_PRODUCT(C_cross(SEXP data, SEXP Y, SEXP block), Rf_asInteger(block),
          Rf_allocMatrix(REALSXP, X->d, Rf_ncols(Y)),
          rs_data_crossprod(X, Rf_ncols(Y), REAL_RO(Y), REAL(out)))

/* sums of squares of the rows of the centred data, times diag(weight) */
R_PRODUCT(C_row_squares(SEXP data), 1, Rf_allocVector(REALSXP, X->n),
          rs_data_row_squares(X, NULL, REAL(out)))

/* the listed columns of the centred and scaled data, n x length(index) */
R_PRODUCT(C_columns(SEXP data, SEXP index), 1,
          Rf_allocMatrix(REALSXP, X->n, (int)Rf_xlength(index)),
          rs_data_columns(X, (int)Rf_xlength(index), r_zero_based(index, X->d),
                          0, REAL(out)))

/* ||z_j'Y||^2 of every column, Y: n x m; blocks are read once for all of Y */
R_PRODUCT(C_product_squares(SEXP data, SEXP Y),
          r_is(data, "kind", "blocks") ? Rf_ncols(Y) : RS_PANEL,
          Rf_allocVector(REALSXP, X->d),
          rs_data_product_squares(X, Rf_ncols(Y), REAL_RO(Y), REAL(out)))

/* ||x_j' Theta|| at W = 0; the largest is the gamma from which W = 0 */
R_PRODUCT(C_rfs_pull(SEXP data, SEXP Y), Rf_ncols(Y),
          Rf_allocVector(REALSXP, X->d),
          rs_rfs_pull_at_zero(&ctx, X, REAL_RO(Y), Rf_ncols(Y), REAL(out)))

/* S where it takes at most `memory` bytes and is cheaper than thin products;
 * NULL elsewhere. Blocks are read once for it, and once for every product. */
SEXP C_operator(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    const double d = r_number(data, "d");
    if (r_is_moments(data) || 8.0 * d * d > r_number(settings, "memory"))
        return R_NilValue;
    if (!r_is(data, "kind", "blocks") &&
        !rs_covop_prefers_explicit(r_data(data, 1, &ctx),
                                   r_number(settings, "m"),
                                   r_number(settings, "iterations")))
        return R_NilValue;
    return C_gram(data);
}

/* product, diagonal, trace and count of the covariance operator */
SEXP C_covop(SEXP data, SEXP W)
{
    rs_context ctx = r_context();
    int m = Rf_ncols(W);
    rs_covop *op = r_covop(data, m, &ctx);
    r_result out = r_open();
    double *SW = r_add_matrix(&out, "product", op->d, m);
    r_check_status(rs_covop_apply(op, m, REAL_RO(W), SW), "product");
    r_add_doubles(&out, "diagonal", (size_t)op->d, op->diagonal);
    R_ADD_NUMBERS(&out, op->trace, op->products);
    return r_close(&out);
}

/*
 * The m leading singular triplets of the data: squares, right, and left unless
 * the setting says no or there are no rows. settings: tol (0: as small as pays),
 * maxit, left.
 */
SEXP C_truncated_svd(SEXP data, SEXP m_, SEXP settings)
{
    static const char *const routes[] = {"gram of features", "gram of samples",
                                         "implicit"};
    rs_context ctx = r_context();
    rs_ritz_control control = {.tol = r_number(settings, "tol"),
                               .maxit = r_integer(settings, "maxit")};
    rs_svd_info info = {RS_SVD_GRAM_FEATURES, 0.0};
    rs_status status;
    const int n = r_integer(data, "n"), d = r_integer(data, "d");
    const int m = Rf_asInteger(m_);
    const int wide = r_is(data, "kind", "blocks") ||
                     !Rf_isNull(r_element(data, "wide_products"));
    const int has_rows = !r_is_moments(data);
    r_result out = r_open();
    double *squares = r_add_vector(&out, "squares", m);
    double *right = r_add_matrix(&out, "right", d, m), *left = NULL;

    if (has_rows && r_integer(settings, "left"))
        left = r_add_matrix(&out, "left", n, m);
    if (has_rows || r_is_sketch(data)) {
        const int block = rs_svd_block(rs_min_int(n, d), m, wide);
        rs_data *X = r_data(data, block, &ctx);
        status = rs_svd(X, m, wide, control, squares, left, right, &info);
    } else {
        const rs_leading_operator S =
            rs_leading_explicit(d, r_cross_products(data, d));
        status = rs_leading_find(
            &ctx, &S, m, control.tol > 0.0 ? &control : &rs_leading_accurate,
            squares, right, &info.residual);
        for (int c = 0; c < m; c++)
            squares[c] = fmax(squares[c], 0.0);
    }
    r_add_ending(&out, "singular value decomposition", status);
    r_add_text(&out, "route", routes[info.route]);
    r_add_number(&out, "residual", info.residual);
    return r_close(&out);
}

/* the m leading eigenpairs of S[subset, subset], subset 1-based */
SEXP C_subpca(SEXP data, SEXP subset, SEXP m_)
{
    rs_context ctx = r_context();
    rs_subpca_ws ws;
    int m = Rf_asInteger(m_), k = (int)Rf_xlength(subset);
    rs_covop *op = r_covop(data, m, &ctx);
    const int *rows = r_zero_based(subset, op->d);
    r_check_status(rs_subpca_init(&ctx, op, k, m, &ws), "eigenvectors");
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", m);
    double *vectors = r_add_matrix(&out, "vectors", k, m);
    r_check_status(rs_subpca(rows, values, vectors, &ws), "eigenvectors");
    return r_close(&out);
}
