#include "eigen/leading.h"

#include "base/corner.h"
#include "la/linalg.h"
#include "eigen/lanczos.h"

#define RS_LEADING_TOL 1e-10
#define RS_LEADING_MAXIT 300
/* products with a block of vectors that an iteration takes where it is slow, and
 * the largest matrix that is formed to make them cheaper */
#define RS_LEADING_ROUNDS 20
#define RS_LEADING_GRAM_ORDER 6000
/* a multiplication in products of dense data with few columns takes so many
 * times as long as one in a Gram matrix */
#define RS_LEADING_THIN_COST 3.0

int rs_leading_is_dense(int order, int m)
{
    return order <= RS_DENSE_EIGEN_ORDER || order <= rs_eigs_block(order, m);
}

int rs_leading_block(int order, int m)
{
    return rs_eigs_block(order, m);
}

/* ---- once --------------------------------------------------------------- */

rs_status rs_leading_dense(rs_context *ctx, int order, const double *A, int m,
                           double *values, double *V)
{
    rs_eigen_ws eigen;
    double *all_values = rs_alloc_double(ctx, (size_t)order);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, order, &eigen));
    RS_TRY(rs_eigen_largest(order, A, m, all_values, V, &eigen));
    rs_copy((size_t)m, all_values, values);
    return RS_OK;
}

typedef struct {
    rs_context *ctx;
    int order;
    const double *A;
} explicit_operator;

/* AV = sum over column blocks J of A[, J] V[J, ] */
static rs_status apply_explicit(void *state, int m, const double *V,
                                double *AV)
{
    const explicit_operator *op = (const explicit_operator *)state;
    const int d = op->order, step = rs_columns_per_call(d, m, d);
    for (int j = 0; j < d; j += step) {
        int width = rs_min_int(step, d - j);
        rs_gemm('N', 'N', d, m, width, 1.0, op->A + (size_t)j * d, d, V + j, d,
                j > 0 ? 1.0 : 0.0, AV, d);
        RS_TRY(rs_poll(op->ctx));
    }
    return RS_OK;
}

typedef struct {
    rs_data *X;
    double *image; /* d x the widest block */
} sample_operator;

/* KU = X (X'U) */
static rs_status apply_samples(void *state, int m, const double *U, double *KU)
{
    sample_operator *op = (sample_operator *)state;
    RS_TRY(rs_data_crossprod(op->X, m, U, op->image));
    return rs_data_times(op->X, m, op->image, KU);
}

/* flops of the products with X and X' that an iteration takes where it is slow */
static double product_flops(const rs_data *X, int order, int m)
{
    return 2.0 * RS_LEADING_ROUNDS * rs_eigs_block(order, m) *
           rs_data_work(X, RS_TASK_PRODUCT);
}

/* is K, n x n, formed sooner than these products are done? */
static int prefers_gram(const rs_data *X, int m, const rs_leading_aim *aim)
{
    double cost =
        X->contiguous && aim->rough <= 0.0 ? RS_LEADING_THIN_COST : 1.0;
    return X->n <= RS_LEADING_GRAM_ORDER &&
           0.5 * rs_data_work(X, RS_TASK_GRAM_SAMPLES) <
               cost * product_flops(X, X->n, m);
}

/*
 * Products with single vectors, which go further than blocks do among
 * eigenvalues that lie close together; from the known basis on, if there is
 * one.
 */
static rs_status leading_by_vectors(rs_apply_fn apply, void *state,
                                    rs_context *ctx, int order, int m,
                                    rs_leading_aim *aim, double *values,
                                    double *V)
{
    double residual;
    rs_lanczos_ws ws;
    const rs_lanczos_aim single = {
        .pairs = m,
        .tol = aim->rough > 0.0 ? aim->rough : RS_LEADING_TOL,
        .maxit = RS_LEADING_MAXIT,
        .settled = aim->corner ? rs_settled_corner : NULL};
    RS_TRY(rs_lanczos_init(ctx, order, rs_max_int(m, aim->known), &ws));
    if (aim->known > 0) {
        rs_copy((size_t)aim->known, aim->known_values, ws.values);
        rs_copy((size_t)order * (aim->known + 1), aim->known_basis, ws.basis);
    }
    rs_status status =
        rs_lanczos_search(apply, state, &single, aim->known, &residual, &ws);
    if (status != RS_OK && status != RS_MAXIT)
        return status;
    aim->is_rough = residual > RS_LEADING_TOL;
    aim->basis = ws.resumable && aim->is_rough ? ws.basis : NULL;
    rs_copy((size_t)m, ws.values, values);
    rs_copy((size_t)order * m, ws.basis, V);
    return RS_OK;
}

/* By products with X and X': with single vectors where they are many and a
 * rough answer will do, or was there before. */
static rs_status leading_by_products(rs_apply_fn apply, void *state,
                                     rs_covop *op, int order, int m,
                                     rs_leading_aim *aim, double *values,
                                     double *V)
{
    if (aim->known > 0 ||
        (aim->rough > 0.0 && product_flops(op->X, order, m) > aim->large))
        return leading_by_vectors(apply, state, op->ctx, order, m, aim, values,
                                  V);
    rs_eigs_ws ws;
    RS_TRY(rs_eigs_init(op->ctx, order, m, &ws));
    return rs_leading_pairs(apply, state, 0, NULL, RS_LEADING_TOL,
                            RS_LEADING_MAXIT, values, V, &ws);
}

/* the m leading eigenpairs of K = X X': from K where it is small or soon
 * formed, by products with X elsewhere */
static rs_status leading_of_samples(rs_covop *op, int m, rs_leading_aim *aim,
                                    double *values, double *U)
{
    const int n = op->X->n;
    const size_t block = (size_t)rs_eigs_block(n, m);
    sample_operator samples = {op->X, NULL};
    if (rs_leading_is_dense(n, m)) {
        double *K = rs_alloc_double(op->ctx, (size_t)n * n);
        RS_TRY_ALLOC(K);
        RS_TRY(rs_data_gram_samples(op->X, NULL, K));
        return rs_leading_dense(op->ctx, n, K, m, values, U);
    }
    if (prefers_gram(op->X, m, aim)) {
        rs_eigs_ws ws;
        explicit_operator gram = {op->ctx, n, NULL};
        double *K = rs_alloc_double(op->ctx, (size_t)n * n);
        RS_TRY_ALLOC(K);
        RS_TRY(rs_data_gram_samples(op->X, NULL, K));
        gram.A = K;
        RS_TRY(rs_eigs_init(op->ctx, n, m, &ws));
        return rs_leading_pairs(apply_explicit, &gram, 0, NULL, RS_LEADING_TOL,
                                RS_LEADING_MAXIT, values, U, &ws);
    }
    samples.image = rs_alloc_double(op->ctx, (size_t)op->d * block);
    RS_TRY_ALLOC(samples.image);
    return leading_by_products(apply_samples, &samples, op, n, m, aim, values,
                               U);
}

/*
 * Few samples: eigenvectors of K = X X' give X'u / ||X'u||. An orthonormal
 * completion serves m beyond the rank.
 */
static rs_status leading_by_samples(rs_covop *op, int m, rs_leading_aim *aim,
                                    double *values, double *V)
{
    rs_qr_ws qr;
    double *U = rs_alloc_double(op->ctx, (size_t)op->X->n * m);
    RS_TRY(rs_allocated(op->ctx));
    RS_TRY(rs_qr_init(op->ctx, op->d, m, &qr));
    RS_TRY(leading_of_samples(op, m, aim, values, U));
    RS_TRY(rs_data_crossprod(op->X, m, U, V));
    for (int c = 0; c < m; c++)
        values[c] = values[c] > 0.0 ? op->factor * values[c] : 0.0;
    return rs_qr_orthonormal(op->d, m, V, &qr);
}

int rs_leading_order(const rs_covop *op, int m)
{
    return !op->S && op->X->n >= m &&
                   (op->X->n < op->d || rs_leading_is_dense(op->X->n, m))
               ? op->X->n
               : op->d;
}

static rs_status leading_aimed(rs_covop *op, int m, rs_leading_aim *aim,
                               double *values, double *V)
{
    if (op->S && rs_leading_is_dense(op->d, m)) {
        RS_TRY(rs_leading_dense(op->ctx, op->d, op->S, m, values, V));
        rs_scale((size_t)m, op->factor, values);
        return RS_OK;
    }
    if (!op->S && rs_leading_order(op, m) == op->X->n)
        return leading_by_samples(op, m, aim, values, V);

    if (!op->S)
        return leading_by_products(rs_covop_apply_state, op, op, op->d, m, aim,
                                   values, V);
    rs_eigs_ws ws;
    RS_TRY(rs_eigs_init(op->ctx, op->d, m, &ws));
    return rs_leading_pairs(rs_covop_apply_state, op, 0, NULL, RS_LEADING_TOL,
                            RS_LEADING_MAXIT, values, V, &ws);
}

rs_status rs_leading(rs_covop *op, int m, rs_leading_aim *aim, double *values,
                     double *V)
{
    aim->is_rough = 0;
    aim->basis = NULL;
    return leading_aimed(op, m, aim, values, V);
}

/* ---- again and again ------------------------------------------------------ */

rs_status rs_leading_pairs(rs_apply_fn apply, void *state, int nstart,
                           const double *start, double tol, int maxit,
                           double *values, double *V, rs_eigs_ws *ws)
{
    double residual;
    rs_status status = rs_eigs_largest(apply, state, nstart, start, tol, maxit,
                                       values, V, &residual, ws);
    return status == RS_MAXIT ? RS_OK : status;
}

rs_status rs_leading_init(rs_context *ctx, int order, int m, rs_leading_ws *ws)
{
    ws->ctx = ctx;
    ws->order = order;
    ws->m = m;
    ws->is_dense = rs_leading_is_dense(order, m);
    ws->values = rs_alloc_double(ctx, (size_t)order);
    RS_TRY(rs_allocated(ctx));
    return ws->is_dense ? rs_eigen_init(ctx, order, &ws->dense)
                        : rs_eigs_init(ctx, order, m, &ws->iterative);
}

rs_status rs_leading_of(const double *A, double *values, double *V,
                        rs_leading_ws *ws)
{
    explicit_operator op = {ws->ctx, ws->order, A};
    if (!ws->is_dense)
        return rs_leading_pairs(apply_explicit, &op, 0, NULL, RS_LEADING_TOL,
                                RS_LEADING_MAXIT, values, V, &ws->iterative);
    RS_TRY(rs_eigen_largest(ws->order, A, ws->m, ws->values, V, &ws->dense));
    rs_copy((size_t)ws->m, ws->values, values);
    return RS_OK;
}
