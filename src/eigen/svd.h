/*
 * eigen/svd.h: the leading singular triplets of data. The eigenproblem is that
 * of the shorter side, ZZ' or Z'Z, by its Gram matrix if that is formed sooner
 * than thin products with the data are done; the other side is a product.
 */
#ifndef RS_SVD_H
#define RS_SVD_H

#include "data/data.h"
#include "eigen/leading.h"

typedef enum {
    RS_SVD_GRAM_FEATURES = 0,
    RS_SVD_GRAM_SAMPLES = 1,
    RS_SVD_IMPLICIT = 2
} rs_svd_route;

typedef struct {
    rs_svd_route route;
    double residual; /* largest ||A v - theta v|| / theta_1; 0: direct */
} rs_svd_info;

/* columns that the data must allow for in a product; order: min(n, d) */
int rs_svd_block(int order, int m, int wide);

/*
 * squares (m): the largest squared singular values of Z, descending; V (d x m):
 * its right singular vectors, and U (n x m) the left ones, or NULL; orthonormal
 * also beyond the rank. m <= min(n, d). wide: products of many columns cost
 * little more than those of few. control->tol = 0: as accurate as pays. RS_MAXIT:
 * the best that were found.
 */
rs_status rs_svd(rs_context *ctx, rs_data *X, int m, int wide,
                 rs_ritz_control control, double *squares, double *U,
                 double *V, rs_svd_info *info);

#endif
