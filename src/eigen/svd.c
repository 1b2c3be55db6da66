#include "eigen/svd.h"

#include <math.h>

/* above this order no Gram matrix is formed */
#define RS_SVD_GRAM_LIMIT 4096
/* block steps that the choice of a route reckons with for data of other kinds */
#define RS_SVD_STEPS 20.0

int rs_svd_block(int n, int d, int m)
{
    return rs_leading_block(rs_min_int(n, d), m);
}

/* ---- the choice of a route ------------------------------------------- */

static double implicit_flops(const rs_data *X, int m)
{
    int order = rs_min_int(X->n, X->d);
    double work = rs_data_work(X, RS_TASK_PRODUCT);
    if (!X->contiguous) /* the cost of a number is in the work */
        return 4.0 * work * RS_SVD_STEPS * (m + RS_EIGS_EXTRA);
    return 4.0 * work * rs_leading_cost(order, (double)X->n * X->d, m);
}

/* eigenpairs of a Gram matrix of that order */
static double eigen_flops(int order, int m)
{
    double numbers = (double)order * order;
    return rs_leading_is_dense(order, m)
               ? 4.0 * numbers * order
               : 2.0 * numbers * rs_leading_cost(order, numbers, m);
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

/* ---- the singular triplets -------------------------------------------------- */

static void clear_negative(int m, double *values)
{
    for (int c = 0; c < m; c++)
        values[c] = fmax(values[c], 0.0);
}

/* Z'Z by thin products */
static rs_status features(rs_context *ctx, rs_data *X, rs_leading_operator *A)
{
    rs_covop *op = (rs_covop *)rs_alloc(ctx, 1, sizeof *op);
    RS_TRY_ALLOC(op);
    RS_TRY(rs_covop_from_data(ctx, X, X->block, op));
    *A = rs_leading_features(op);
    return RS_OK;
}

/* the matrix of order n, or d, whose pairs give one side */
static rs_status one_side(rs_context *ctx, rs_data *X, rs_svd_route route,
                          int samples, rs_leading_operator *A)
{
    const int order = samples ? X->n : X->d;
    if (route == RS_SVD_IMPLICIT) {
        RS_TRY(samples ? rs_leading_samples(ctx, X, A) : features(ctx, X, A));
        if (!X->contiguous)
            A->numbers = 0.0;
        return RS_OK;
    }
    double *G = rs_alloc_double(ctx, (size_t)order * order);
    RS_TRY_ALLOC(G);
    *A = rs_leading_explicit(order, G);
    return samples ? rs_data_gram_samples(X, NULL, G)
                   : rs_data_gram_features(X, G);
}

/* out (rows x m), the product with one side's vectors, made orthonormal */
static rs_status finish_side(rs_context *ctx, int rows, int m, double *out)
{
    rs_qr_ws qr;
    RS_TRY(rs_qr_init(ctx, rows, m, &qr));
    return rs_qr_orthonormal(rows, m, out, &qr);
}

rs_status rs_svd_leading(rs_context *ctx, rs_data *X, int m,
                         rs_svd_route route, const rs_leading_control *control,
                         double *squares, double *U, double *V,
                         rs_svd_info *info)
{
    const int from_samples = route == RS_SVD_GRAM_SAMPLES ||
                             (route == RS_SVD_IMPLICIT && X->n < X->d);
    rs_leading_operator A;
    info->route = route;
    RS_TRY(one_side(ctx, X, route, from_samples, &A));
    rs_status status = rs_leading_find(ctx, &A, m, control, squares,
                                       from_samples ? U : V, &info->residual);
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
                         const rs_leading_control *control, double *squares,
                         double *V, rs_svd_info *info)
{
    const rs_leading_operator A = rs_leading_explicit(d, S);
    info->route = RS_SVD_GRAM_FEATURES;
    rs_status status =
        rs_leading_find(ctx, &A, m, control, squares, V, &info->residual);
    clear_negative(m, squares);
    return status;
}
