#include "eigen/leading.h"

#include <math.h>

#include "base/corner.h"
#include "la/linalg.h"
#include "eigen/lanczos.h"

static const rs_leading_control accurate = {1e-10, 300};
/* where every digit is a pass over the data */
#define RS_LEADING_IN_PASSES 1e-8

/* matrices of so many numbers stay in a cache (12 MB), also a shared one */
#define RS_LEADING_CACHED 1.5e6
/* cost of a multiplication relative to one of a Gram matrix: with single
 * vectors in the cache, with a block of few columns */
#define RS_LEADING_SINGLE_COST 2.0
#define RS_LEADING_BLOCK_COST 5.0
/* products with a block of vectors that an iteration takes where it is slow, and
 * the largest matrix that is formed to make them cheaper */
#define RS_LEADING_ROUNDS 20.0
#define RS_LEADING_GRAM_ORDER 6000
/* a multiplication in products of dense data with few columns takes so many
 * times as long as one in a Gram matrix */
#define RS_LEADING_THIN_COST 3.0

/* columns of wide products, where twice as many take little longer, and blocks
 * of them in a basis */
#define RS_LEADING_WIDE 32
#define RS_LEADING_STEPS 5

int rs_leading_is_dense(int order, int m)
{
    return order <= RS_DENSE_EIGEN_ORDER || order <= rs_eigs_block(order, m);
}

int rs_leading_block(int order, int m)
{
    return rs_eigs_block(order, m);
}

int rs_leading_wide_block(int order, int m)
{
    return rs_min_int(order,
                      rs_max_int(RS_LEADING_WIDE, rs_eigs_block(order, m)));
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

rs_leading_operator rs_leading_explicit(int order, const double *A)
{
    return (rs_leading_operator){
        .order = order, .A = A, .numbers = (double)order * order};
}

/* numbers of the data; passes over those of other kinds are to be few */
static double numbers_of(const rs_data *X)
{
    return X->contiguous ? (double)X->n * X->d : INFINITY;
}

typedef struct {
    const rs_data *X;
    double *image; /* d x the widest block */
} sample_operator;

/* KU = X (X'U) */
static rs_status apply_samples(void *state, int m, const double *U, double *KU)
{
    const sample_operator *op = (const sample_operator *)state;
    RS_TRY(rs_data_crossprod(op->X, m, U, op->image));
    return rs_data_times(op->X, m, op->image, KU);
}

rs_status rs_leading_samples(rs_context *ctx, rs_data *X,
                             rs_leading_operator *A)
{
    sample_operator *op = (sample_operator *)rs_alloc(ctx, 1, sizeof *op);
    RS_TRY_ALLOC(op);
    op->X = X;
    op->image = rs_alloc_double(ctx, (size_t)X->d * X->block);
    *A = (rs_leading_operator){.order = X->n,
                               .apply = apply_samples,
                               .state = op,
                               .numbers = numbers_of(X)};
    return rs_allocated(ctx);
}

rs_leading_operator rs_leading_features(rs_covop *op)
{
    return (rs_leading_operator){.order = op->d,
                                 .apply = rs_covop_apply_state,
                                 .state = op,
                                 .numbers = numbers_of(op->X)};
}

double rs_leading_cost(int order, double numbers, int m)
{
    return numbers <= RS_LEADING_CACHED
               ? RS_LEADING_SINGLE_COST * rs_lanczos_products(order, m)
               : RS_LEADING_BLOCK_COST * RS_LEADING_ROUNDS *
                     (m + RS_EIGS_EXTRA);
}

rs_status rs_leading_find(rs_context *ctx, const rs_leading_operator *A, int m,
                          const rs_leading_control *control, double *values,
                          double *V, double *residual)
{
    explicit_operator matrix = {ctx, A->order, A->A};
    rs_apply_fn apply = A->A ? apply_explicit : A->apply;
    void *state = A->A ? &matrix : A->state;
    rs_lanczos_ws single;
    rs_eigs_ws block;
    *residual = 0.0;
    if (A->A && rs_leading_is_dense(A->order, m))
        return rs_leading_dense(ctx, A->order, A->A, m, values, V);
    if (A->numbers <= RS_LEADING_CACHED) {
        RS_TRY(rs_lanczos_init(ctx, A->order, m, &single));
        return rs_lanczos_largest(apply, state, control->tol, control->maxit,
                                  values, V, residual, &single);
    }
    RS_TRY(rs_eigs_init(ctx, A->order, m, &block));
    return rs_eigs_largest(apply, state, 0, NULL, control->tol, control->maxit,
                           values, V, residual, &block);
}

/* ---- of the covariance operator ------------------------------------------- */

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

/* the accurate pairs; where the limit comes first the best that were found */
static rs_status find_accurate(rs_context *ctx, const rs_leading_operator *A,
                               int m, double *values, double *V)
{
    double residual;
    rs_status status =
        rs_leading_find(ctx, A, m, &accurate, values, V, &residual);
    return status == RS_MAXIT ? RS_OK : status;
}

/*
 * Products with single vectors, which go further than blocks do among
 * eigenvalues that lie close together; from the known basis on, if there is
 * one.
 */
static rs_status find_rough(rs_context *ctx, const rs_leading_operator *A,
                            int m, rs_leading_aim *aim, double *values,
                            double *V)
{
    const size_t order = (size_t)A->order;
    double residual;
    rs_lanczos_ws ws;
    const rs_lanczos_aim single = {
        .pairs = m,
        .tol = aim->rough > 0.0 ? aim->rough : accurate.tol,
        .maxit = accurate.maxit,
        .converged = aim->corner ? rs_certain_corner : NULL};
    RS_TRY(rs_lanczos_init(ctx, A->order, rs_max_int(m, aim->known), &ws));
    if (aim->known > 0) {
        rs_copy((size_t)aim->known, aim->known_values, ws.values);
        rs_copy(order * (aim->known + 1), aim->known_basis, ws.basis);
    }
    rs_status status = rs_lanczos_search(A->apply, A->state, &single,
                                         aim->known, &residual, &ws);
    if (status != RS_OK && status != RS_MAXIT)
        return status;
    aim->is_rough = residual > accurate.tol;
    aim->basis = ws.resumable && aim->is_rough ? ws.basis : NULL;
    rs_copy((size_t)m, ws.values, values);
    rs_copy(order * m, ws.basis, V);
    return RS_OK;
}

/*
 * By products with wide blocks, which take few of them, and as rough as will
 * do: of data that are read for each, or are sparse. The basis is the Ritz
 * vectors, with nothing behind them.
 */
static rs_status find_widely(rs_covop *op, const rs_leading_operator *A, int m,
                             rs_leading_aim *aim, double *values, double *V)
{
    rs_context *ctx = op->ctx;
    const size_t order = (size_t)A->order;
    const int block = rs_leading_wide_block(A->order, m);
    const double tol =
        rs_data_is_read(op->X) ? RS_LEADING_IN_PASSES : accurate.tol;
    double residual;
    rs_eigs_ws ws;
    RS_TRY(rs_eigs_init_sized(ctx, A->order, m, block,
                              RS_LEADING_STEPS * block, &ws));
    rs_status status =
        rs_eigs_largest(A->apply, A->state, rs_min_int(aim->known, block),
                        aim->known_basis, aim->rough > 0.0 ? aim->rough : tol,
                        accurate.maxit, values, V, &residual, &ws);
    if (status != RS_OK && status != RS_MAXIT)
        return status;
    aim->is_rough = residual > tol;
    if (aim->is_rough) {
        double *basis = rs_alloc_double(ctx, order * ((size_t)m + 1));
        RS_TRY_ALLOC(basis);
        rs_copy(order * m, V, basis);
        rs_fill(order, 0.0, basis + order * m);
        aim->basis = basis;
    }
    return RS_OK;
}

/* By products with X and X': rough ones where these are many and rough pairs are
 * enough, or were there before. */
static rs_status leading_by_products(rs_covop *op,
                                     const rs_leading_operator *A, int m,
                                     rs_leading_aim *aim, double *values,
                                     double *V)
{
    if (aim->wide)
        return find_widely(op, A, m, aim, values, V);
    if (aim->known > 0 ||
        (aim->rough > 0.0 && product_flops(op->X, A->order, m) > aim->large))
        return find_rough(op->ctx, A, m, aim, values, V);
    return find_accurate(op->ctx, A, m, values, V);
}

/* the m leading eigenpairs of K = X X': from K where it is small or soon
 * formed, by products with X elsewhere */
static rs_status leading_of_samples(rs_covop *op, int m, rs_leading_aim *aim,
                                    double *values, double *U)
{
    const int n = op->X->n;
    rs_leading_operator A;
    if (!rs_leading_is_dense(n, m) && !prefers_gram(op->X, m, aim)) {
        RS_TRY(rs_leading_samples(op->ctx, op->X, &A));
        return leading_by_products(op, &A, m, aim, values, U);
    }
    double *K = rs_alloc_double(op->ctx, (size_t)n * n);
    RS_TRY_ALLOC(K);
    RS_TRY(rs_data_gram_samples(op->X, NULL, K));
    A = rs_leading_explicit(n, K);
    return find_accurate(op->ctx, &A, m, values, U);
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

rs_status rs_leading(rs_covop *op, int m, rs_leading_aim *aim, double *values,
                     double *V)
{
    rs_leading_operator A;
    aim->is_rough = 0;
    aim->basis = NULL;
    if (op->S) {
        A = rs_leading_explicit(op->d, op->S);
        RS_TRY(find_accurate(op->ctx, &A, m, values, V));
        rs_scale((size_t)m, op->factor, values);
        return RS_OK;
    }
    if (rs_leading_order(op, m) == op->X->n)
        return leading_by_samples(op, m, aim, values, V);
    A = rs_leading_features(op);
    return leading_by_products(op, &A, m, aim, values, V);
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

    *ws = (rs_leading_ws){.ctx = ctx,
                          .order = order,
                          .m = m,
                          .is_dense = rs_leading_is_dense(order, m)};
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
        return rs_leading_pairs(apply_explicit, &op, 0, NULL, accurate.tol,
                                accurate.maxit, values, V, &ws->iterative);
    RS_TRY(rs_eigen_largest(ws->order, A, ws->m, ws->values, V, &ws->dense));
    rs_copy((size_t)ws->m, ws->values, values);
    return RS_OK;
}
