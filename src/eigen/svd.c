#include "eigen/svd.h"

#include <math.h>

#include "eigen/lanczos.h"
#include "eigen/leading.h"

/* above this order no Gram matrix is formed */
#define RS_SVD_GRAM_LIMIT 4096
/* dense matrices of so many numbers stay in a cache (32 MB) */
#define RS_SVD_CACHED 4.0e6
/* block steps that the choice of a route reckons with */
#define RS_SVD_STEPS 20.0
/* cost of a multiplication relative to one of a Gram matrix: with single
 * vectors in the cache, with a block of few columns */
#define RS_SVD_SINGLE_COST 2.0
#define RS_SVD_BLOCK_COST 5.0

int rs_svd_block(int n, int d, int m)
{
    return rs_leading_block(rs_min_int(n, d), m);
}

/* ---- the choice of a route ------------------------------------------- */

static int is_cached(double numbers)
{
    return numbers <= RS_SVD_CACHED;
}

static int fits_cache(const rs_data *X)
{
    return !X->contiguous || is_cached((double)X->n * X->d);
}

/* multiplications per number of a matrix until m eigenpairs of that order
 * have converged, weighted by their cost */
static double lanczos_cost(int order, int m, int single)
{
    return single ? RS_SVD_SINGLE_COST * rs_lanczos_products(order, m)
                  : RS_SVD_BLOCK_COST * RS_SVD_STEPS * (m + RS_EIGS_EXTRA);
}

static double implicit_flops(const rs_data *X, int m)
{
    int order = rs_min_int(X->n, X->d);
    double work = rs_data_work(X, RS_TASK_PRODUCT);
    if (!X->contiguous) /* the cost of a number is in the work */
        return 4.0 * work * RS_SVD_STEPS * (m + RS_EIGS_EXTRA);
    return 4.0 * work * lanczos_cost(order, m, fits_cache(X));
}

/* eigenpairs of a Gram matrix of that order */
static double eigen_flops(int order, int m)
{
    double numbers = (double)order * order;
    return rs_leading_is_dense(order, m)
               ? 4.0 * numbers * order
               : 2.0 * numbers * lanczos_cost(order, m, is_cached(numbers));
}

rs_svd_route rs_svd_choose(const rs_data *X, int m)
{
    int features = X->d <= X->n, order = features ? X->d : X->n;
    double flops = features ? rs_data_work(X, RS_TASK_GRAM_FEATURES)
                            : rs_data_work(X, RS_TASK_GRAM_SAMPLES);
    if (order > RS_SVD_GRAM_LIMIT ||
        flops + eigen_flops(order, m) > implicit_flops(X, m))
        return RS_SVD_IMPLICIT;
    return features ? RS_SVD_GRAM_FEATURES : RS_SVD_GRAM_SAMPLES;
}

/* ---- eigenpairs of one side --------------------------------------------- */

static void clear_negative(int m, double *values)
{
    for (int c = 0; c < m; c++)
        values[c] = fmax(values[c], 0.0);
}

static rs_status eigen_iterative(rs_context *ctx, rs_apply_fn apply,
                                 void *state, int order, int m, int single,
                                 const rs_svd_control *control, double *values,
                                 double *vectors, rs_svd_info *info)
{
    if (single) {
        rs_lanczos_ws ws;
        RS_TRY(rs_lanczos_init(ctx, order, m, &ws));
        return rs_lanczos_largest(apply, state, control->tol, control->maxit,
                                  values, vectors, &info->residual, &ws);
    }
    rs_eigs_ws ws;
    RS_TRY(rs_eigs_init(ctx, order, m, &ws));
    return rs_eigs_largest(apply, state, 0, NULL, control->tol, control->maxit,
                           values, vectors, &info->residual, &ws);
}

/* leading eigenpairs of an explicit Gram matrix */
static rs_status eigen_of_gram(rs_context *ctx, int order, const double *G,
                               int m, const rs_svd_control *control,
                               double *values, double *vectors,
                               rs_svd_info *info)
{
    rs_status status;
    info->residual = 0.0;
    if (rs_leading_is_dense(order, m)) {
        status = rs_leading_dense(ctx, order, G, m, values, vectors);
    } else {
        rs_covop op;
        RS_TRY(rs_covop_from_matrix(ctx, order, G, rs_leading_block(order, m),
                                    &op));
        status = eigen_iterative(ctx, rs_covop_apply_state, &op, order, m,
                                 is_cached((double)order * order), control,
                                 values, vectors, info);
    }
    clear_negative(m, values);
    return status;
}

/* the operator ZZ' known by products with Z */
typedef struct {
    const rs_data *X;
    double *room; /* d x block */
} samples_operator;

/* KY = Z (Z'Y) */
static rs_status apply_samples(void *state, int m, const double *Y, double *KY)
{
    samples_operator *op = (samples_operator *)state;
    RS_TRY(rs_data_crossprod(op->X, m, Y, op->room));
    return rs_data_times(op->X, m, op->room, KY);
}

static rs_status implicit_samples(rs_context *ctx, rs_data *X, int m,
                                  const rs_svd_control *control,
                                  double *squares, double *U,
                                  rs_svd_info *info)
{
    samples_operator op = {X, NULL};
    op.room = rs_alloc_double(ctx, (size_t)X->d * X->block);
    RS_TRY_ALLOC(op.room);
    return eigen_iterative(ctx, apply_samples, &op, X->n, m, fits_cache(X),
                           control, squares, U, info);
}

static rs_status implicit_features(rs_context *ctx, rs_data *X, int m,
                                   const rs_svd_control *control,
                                   double *squares, double *V,
                                   rs_svd_info *info)
{
    rs_covop op;
    RS_TRY(rs_covop_from_data(ctx, X, X->block, &op));
    return eigen_iterative(ctx, rs_covop_apply_state, &op, X->d, m,
                           fits_cache(X), control, squares, V, info);
}

static rs_status gram_features(rs_context *ctx, rs_data *X, int m,
                               const rs_svd_control *control, double *squares,
                               double *V, rs_svd_info *info)
{
    double *S = rs_alloc_double(ctx, (size_t)X->d * X->d);
    RS_TRY_ALLOC(S);
    RS_TRY(rs_data_gram_features(X, S));
    return eigen_of_gram(ctx, X->d, S, m, control, squares, V, info);
}

static rs_status gram_samples(rs_context *ctx, rs_data *X, int m,
                              const rs_svd_control *control, double *squares,
                              double *U, rs_svd_info *info)
{
    double *K = rs_alloc_double(ctx, (size_t)X->n * X->n);
    RS_TRY_ALLOC(K);
    RS_TRY(rs_data_gram_samples(X, NULL, K));
    return eigen_of_gram(ctx, X->n, K, m, control, squares, U, info);
}

/* ---- the other side ----------------------------------------------------- */

/* out (rows x m), the product with one side's vectors, made orthonormal */
static rs_status finish_side(rs_context *ctx, int rows, int m, double *out)
{
    rs_qr_ws qr;
    RS_TRY(rs_qr_init(ctx, rows, m, &qr));
    return rs_qr_orthonormal(rows, m, out, &qr);
}

rs_status rs_svd_leading(rs_context *ctx, rs_data *X, int m,
                         rs_svd_route route, const rs_svd_control *control,
                         double *squares, double *U, double *V,
                         rs_svd_info *info)
{
    int from_samples = route == RS_SVD_GRAM_SAMPLES ||
                       (route == RS_SVD_IMPLICIT && X->n < X->d);
    rs_status status;

    info->route = route;
    info->residual = 0.0;
    if (route == RS_SVD_GRAM_FEATURES)
        status = gram_features(ctx, X, m, control, squares, V, info);
    else if (route == RS_SVD_GRAM_SAMPLES)
        status = gram_samples(ctx, X, m, control, squares, U, info);
    else if (from_samples)
        status = implicit_samples(ctx, X, m, control, squares, U, info);
    else
        status = implicit_features(ctx, X, m, control, squares, V, info);
    if (!rs_is_usable(status))
        return status;
    clear_negative(m, squares);
    if (from_samples) {
        RS_TRY(rs_data_crossprod(X, m, U, V));
        RS_TRY(finish_side(ctx, X->d, m, V));
    } else {
        RS_TRY(rs_data_times(X, m, V, U));
        RS_TRY(finish_side(ctx, X->n, m, U));
    }
    return status;
}

rs_status rs_svd_of_gram(rs_context *ctx, int d, const double *S, int m,
                         const rs_svd_control *control, double *squares,
                         double *V, rs_svd_info *info)
{
    info->route = RS_SVD_GRAM_FEATURES;
    return eigen_of_gram(ctx, d, S, m, control, squares, V, info);
}
