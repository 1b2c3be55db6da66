/* Entry points of the building blocks: the exported proximal operators, and
 * the kernels that the tests call one by one. */
#include "base/corner.h"
#include "base/random.h"
#include "base/topk.h"
#include "eigen/eigs.h"
#include "eigen/leading.h"
#include "solve/prox.h"
#include "solve/qsolve.h"
#include "solve/stiefel.h"
#include "eigen/subpca.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

SEXP C_prox_lq(SEXP a, SEXP lambda, SEXP q)
{
    SEXP out = PROTECT(Rf_duplicate(a));
    rs_prox_lq((size_t)Rf_xlength(a), REAL_RO(a), Rf_asReal(lambda),
               Rf_asReal(q), REAL(out));
    UNPROTECT(1);
    return out;
}

SEXP C_prox_l2p(SEXP A, SEXP lambda, SEXP p)
{
    int d = Rf_nrows(A);
    SEXP out = PROTECT(Rf_duplicate(A));
    double *norms = (double *)R_alloc(2 * (size_t)d + 1, sizeof(double));
    rs_prox_l2p(d, Rf_ncols(A), REAL_RO(A), Rf_asReal(lambda), Rf_asReal(p),
                REAL(out), norms, norms + d);
    UNPROTECT(1);
    return out;
}

SEXP C_prox_lambda_at(SEXP a, SEXP q)
{
    return Rf_ScalarReal(rs_prox_lambda_at(Rf_asReal(a), Rf_asReal(q)));
}

/* 1-based indices of the k largest, best first */
SEXP C_topk(SEXP value, SEXP k_)
{
    int count = (int)Rf_xlength(value), k = Rf_asInteger(k_);
    SEXP out = PROTECT(Rf_allocVector(INTSXP, k));
    double *work = (double *)R_alloc((size_t)count + 1, sizeof(double));
    unsigned char *keep = (unsigned char *)R_alloc((size_t)count + 1, 1);
    rs_topk_order(count, REAL_RO(value), k, INTEGER(out), work);
    rs_topk_mask((size_t)count, REAL_RO(value), (size_t)k, keep, work);
    for (int i = 0; i < k; i++) {
        if (!keep[INTEGER(out)[i]])
            r_refuse("internal", "top-k", "order and mask disagree");
        INTEGER(out)[i]++;
    }
    UNPROTECT(1);
    return out;
}

SEXP C_polar(SEXP M)
{
    rs_context ctx = r_context();
    SEXP out = PROTECT(Rf_duplicate(M));
    r_orthonormalise(&ctx, Rf_nrows(M), Rf_ncols(M), REAL(out));
    UNPROTECT(1);
    return out;
}

SEXP C_project(SEXP W, SEXP M)
{
    rs_context ctx = r_context();
    rs_stiefel_ws ws;
    SEXP out = PROTECT(Rf_duplicate(M));
    r_check_status(rs_stiefel_init(&ctx, Rf_nrows(W), Rf_ncols(W), &ws),
                   "projection");
    rs_stiefel_project(REAL_RO(W), REAL(out), &ws);
    UNPROTECT(1);
    return out;
}

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
    r_check_status(rs_data_rows(X, count, index, rows), "rows");
    double *products = r_add_matrix(out, "row_products", X->n, count);
    r_check_status(rs_data_row_products(X, count, index, rows, products),
                   "row products");
}

/* Z'Y of the first features, and the rows that the product had */
static void add_first(r_result *out, const rs_data *X, rs_context *ctx,
                      int first, SEXP Y)
{
    const int m = Rf_ncols(Y);
    double *room = (double *)r_need(rs_alloc_double(ctx, (size_t)X->d * m));
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

static void add_grams(r_result *out, const rs_data *X, rs_context *ctx,
                      const double *t, const double *e, int count,
                      const int *index)
{
    double *room = (double *)r_need(rs_alloc_double(ctx, X->subset_room));
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
    rs_data X;
    r_data(data, Rf_asInteger(block), &ctx, &X);
    SEXP rows = r_required(settings, "rows");
    SEXP columns = r_required(settings, "columns");
    const int *row = r_zero_based(rows, X.n, &ctx);
    const int *column = r_zero_based(columns, X.d, &ctx);
    const int count = (int)Rf_xlength(columns);
    SEXP t = r_element(settings, "t"), e = r_element(settings, "e");
    const double *by_sample = t == R_NilValue ? NULL : REAL_RO(t);
    const double *by_feature = e == R_NilValue ? NULL : REAL_RO(e);
    r_result out = r_open();
    add_products(&out, &X, r_required(settings, "W"),
                 r_required(settings, "Y"));
    add_first(&out, &X, &ctx, r_integer(settings, "first"),
              r_required(settings, "Y"));
    add_rows(&out, &X, (int)Rf_xlength(rows), row);
    double *chosen = r_add_matrix(&out, "columns", X.n, count);
    r_check_status(rs_data_columns(&X, count, column, chosen), "columns");
    add_grams(&out, &X, &ctx, by_sample, by_feature, count, column);
    double *squares = r_add_vector(&out, "column_squares", X.d);
    r_check_status(rs_data_column_squares(&X, squares), "column squares");
    squares = r_add_vector(&out, "row_squares", X.n);
    r_check_status(rs_data_row_squares(&X, by_feature, squares),
                   "row squares");
    return r_close(&out);
}

/* product, diagonal, trace and count of the covariance operator */
SEXP C_covop(SEXP data, SEXP W)
{
    rs_context ctx = r_context();
    rs_covop op;
    int m = Rf_ncols(W);
    r_covop(data, m, &ctx, &op);
    r_result out = r_open();
    double *SW = r_add_matrix(&out, "product", op.d, m);
    r_check_status(rs_covop_apply(&op, m, REAL_RO(W), SW), "product");
    r_add_doubles(&out, "diagonal", (size_t)op.d, op.diagonal);
    r_add_number(&out, "trace", op.trace);
    r_add_number(&out, "products", op.products);
    return r_close(&out);
}

/* what an earlier call left in data$leading, where it fits this one */
static void known_leading(SEXP data, const rs_covop *op, int m,
                          rs_leading_aim *aim)
{
    SEXP leading = r_element(data, "leading");
    SEXP basis = Rf_isNull(leading) ? leading : r_element(leading, "basis");
    aim->known = 0;
    if (Rf_isNull(basis) || Rf_nrows(basis) != rs_leading_order(op, m) ||
        Rf_ncols(basis) < m + 1)
        return;
    aim->known = Rf_ncols(basis) - 1;
    aim->known_basis = REAL_RO(basis);
    aim->known_values = REAL_RO(r_element(leading, "values"));
}

/*
 * The m leading eigenpairs of S. If the products take more than `large` flops,
 * rough ones will do where `rough` is not 0, and with `corner` such as settle
 * the corner of the values. Rough pairs come with a basis to go on from, which
 * is looked for in data$leading.
 */
SEXP C_leading(SEXP data, SEXP m_, SEXP rough, SEXP corner, SEXP large)
{
    rs_context ctx = r_context();
    rs_covop op;
    int m = Rf_asInteger(m_);
    r_covop(data, rs_leading_block(r_integer(data, "d"), m), &ctx, &op);
    rs_leading_aim aim = {.rough = Rf_asReal(rough),
                          .large = Rf_asReal(large),
                          .corner = Rf_asLogical(corner) == 1};
    known_leading(data, &op, m, &aim);
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", m);
    double *vectors = r_add_matrix(&out, "vectors", op.d, m);
    r_check_status(rs_leading(&op, m, &aim, values, vectors), "eigenvectors");
    r_add_flag(&out, "rough", aim.is_rough);
    if (aim.basis) {
        int order = rs_leading_order(&op, m);
        double *basis = r_add_matrix(&out, "basis", order, m + 1);
        rs_copy((size_t)order * (m + 1), aim.basis, basis);
    }
    return r_close(&out);
}

/* the corner of values that are known between low and high, 0: not settled */
SEXP C_settled_corner(SEXP low, SEXP high)
{
    return Rf_ScalarInteger(
        rs_settled_corner(Rf_length(low), REAL_RO(low), REAL_RO(high)));
}

/* the m leading eigenpairs of S[subset, subset], subset 1-based */
SEXP C_subpca(SEXP data, SEXP subset, SEXP m_)
{
    rs_context ctx = r_context();
    rs_covop op;
    rs_subpca_ws ws;
    int m = Rf_asInteger(m_), k = (int)Rf_xlength(subset);
    r_covop(data, m, &ctx, &op);
    const int *rows = r_zero_based(subset, op.d, &ctx);
    r_check_status(rs_subpca_init(&ctx, &op, k, m, &ws), "eigenvectors");
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", m);
    double *vectors = r_add_matrix(&out, "vectors", k, m);
    r_check_status(rs_subpca(rows, values, vectors, &ws), "eigenvectors");
    return r_close(&out);
}

/* problem (Q) with an explicit S; settings as for the methods, and maxit */
SEXP C_qsolve(SEXP S, SEXP C, SEXP W, SEXP settings)
{
    rs_context ctx = r_context();
    rs_covop op;
    rs_q_ws ws;
    rs_q_info info;
    int d = Rf_nrows(C), m = Rf_ncols(C);
    size_t size = (size_t)d * m;
    rs_q_problem problem = {&op, d, m, REAL_RO(C)};
    rs_q_control control = r_q_control(settings);
    double *SW = (double *)r_need(rs_alloc_double(&ctx, size));

    r_check_status(rs_covop_from_matrix(&ctx, d, REAL_RO(S), m, &op), "S");
    r_check_status(rs_q_init(&ctx, d, m, control.method, &ws), "(Q)");
    r_check_status(rs_covop_apply(&op, m, REAL_RO(W), SW), "product");
    r_result out = r_open();
    double *end = r_add_matrix(&out, "W", d, m);
    rs_copy(size, REAL_RO(W), end);
    rs_status status = rs_q_solve(&problem, &control, end, SW, &info, &ws);
    r_check_status(status, "(Q)");
    r_add_number(&out, "value", info.value);
    r_add_number(&out, "residual", info.residual);
    r_add_integer(&out, "iterations", info.iterations);
    r_add_ending(&out, status);
    return r_close(&out);
}

typedef struct {
    int d;
    const double *A;
} dense_operator;

static rs_status apply_dense(void *state, int m, const double *V, double *AV)
{
    const dense_operator *op = (const dense_operator *)state;
    rs_matmul(op->d, op->d, m, op->A, V, AV);
    return RS_OK;
}

/* leading eigenpairs of a symmetric matrix by the iterative solver */
SEXP C_eigs(SEXP A, SEXP wanted, SEXP start, SEXP tol, SEXP maxit)
{
    rs_context ctx = r_context();
    rs_eigs_ws ws;
    dense_operator op = {Rf_nrows(A), REAL_RO(A)};
    int count = Rf_asInteger(wanted);
    double residual;
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", count);
    double *vectors = r_add_matrix(&out, "vectors", op.d, count);
    r_check_status(rs_eigs_init(&ctx, op.d, count, &ws), "eigs");
    const double *first = start == R_NilValue ? NULL : REAL_RO(start);
    r_check_status(rs_eigs_largest(apply_dense, &op,
                                   first ? Rf_ncols(start) : 0, first,
                                   Rf_asReal(tol), Rf_asInteger(maxit), values,
                                   vectors, &residual, &ws),
                   "eigs");
    return r_close(&out);
}

/* K = Z diag(weights) Z' */
SEXP C_gram_samples(SEXP data, SEXP weights)
{
    rs_context ctx = r_context();
    rs_data X;
    r_data(data, 1, &ctx, &X);
    SEXP K = PROTECT(Rf_allocMatrix(REALSXP, X.n, X.n));
    const double *e = weights == R_NilValue ? NULL : REAL_RO(weights);
    r_check_status(rs_data_gram_samples(&X, e, REAL(K)), "Gram matrix");
    UNPROTECT(1);
    return K;
}

/* `draws` vectors of the fixed pseudo-random sequence, d x draws */
SEXP C_quasi_random(SEXP d_, SEXP draws_)
{
    int d = Rf_asInteger(d_), draws = Rf_asInteger(draws_);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, d, draws));
    for (int j = 0; j < draws; j++)
        rs_quasi_random((size_t)d, (size_t)j, REAL(out) + (size_t)j * d);
    UNPROTECT(1);
    return out;
}
