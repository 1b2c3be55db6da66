#include "solve/leading.h"

#include "la/linalg.h"
#include "solve/eigs.h"

#define RS_LEADING_TOL 1e-10
#define RS_LEADING_MAXIT 300

int rs_leading_block(int d, int m)
{
    return rs_min_int(d, m + 2);
}

/* eigenvectors of a small explicit S */
static rs_status leading_dense(rs_covop *op, int m, double *values, double *V)
{
    rs_eigen_ws eigen;
    double *all_values = rs_alloc_double(op->ctx, (size_t)op->d);
    RS_TRY_ALLOC(all_values);
    RS_TRY(rs_eigen_init(op->ctx, op->d, &eigen));
    RS_TRY(rs_eigen_largest(op->d, op->S, m, all_values, V, &eigen));
    rs_copy((size_t)m, all_values, values);
    rs_scale((size_t)m, op->factor, values);
    return RS_OK;
}

/*
 * Few samples: eigenvectors of K = X X' give X'u / ||X'u||. An orthonormal
 * completion serves m beyond the rank.
 */
static rs_status leading_by_samples(rs_covop *op, int m, double *values,
                                    double *V)
{
    const int n = op->X->n;
    rs_eigen_ws eigen;
    rs_qr_ws qr;
    double *K = rs_alloc_double(op->ctx, (size_t)n * n);
    double *U = rs_alloc_double(op->ctx, (size_t)n * m);
    double *all_values = rs_alloc_double(op->ctx, (size_t)n);
    RS_TRY(rs_allocated(op->ctx));
    RS_TRY(rs_eigen_init(op->ctx, n, &eigen));
    RS_TRY(rs_qr_init(op->ctx, op->d, m, &qr));
    RS_TRY(rs_data_gram_samples(op->X, NULL, K));
    RS_TRY(rs_eigen_largest(n, K, m, all_values, U, &eigen));
    RS_TRY(rs_data_crossprod(op->X, m, U, V));
    for (int c = 0; c < m; c++)
        values[c] = all_values[c] > 0.0 ? op->factor * all_values[c] : 0.0;
    return rs_qr_orthonormal(op->d, m, V, &qr);
}

rs_status rs_leading(rs_covop *op, int m, double *values, double *V)
{
    if (op->S && op->d <= RS_DENSE_EIGEN_ORDER)
        return leading_dense(op, m, values, V);
    if (!op->S && op->X->n <= RS_DENSE_EIGEN_ORDER && op->X->n >= m)
        return leading_by_samples(op, m, values, V);

    rs_eigs_ws ws;
    double residual;
    RS_TRY(rs_eigs_init(op->ctx, op->d, m, &ws));
    rs_status status =
        rs_eigs_largest(rs_covop_apply_state, op, 0, NULL, RS_LEADING_TOL,
                        RS_LEADING_MAXIT, values, V, &residual, &ws);
    return status == RS_MAXIT ? RS_OK : status;
}
