/*
 * eigen/svd.h: the leading singular triplets of a data matrix, by whichever of
 * three routes costs least:
 *
 *     gram of features   eigenpairs of Z'Z, U = Z V / sigma
 *     gram of samples    eigenpairs of ZZ', V = Z'U / sigma
 *     implicit           Lanczos on the two thin products, carried out on the
 *                        shorter side; no Gram matrix is formed
 *
 * Eigenpairs come from eigen/leading.h.
 */
#ifndef RS_SVD_H
#define RS_SVD_H

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

/* columns that the implicit route multiplies at once */
int rs_svd_block(int n, int d, int m);
/* the route that costs the fewest operations, m triplets wanted */
rs_svd_route rs_svd_choose(const rs_data *X, int m);

/*
 * squares (m): the largest squared singular values of Z, descending; U
 * (n x m) and V (d x m): its singular vectors, orthonormal also beyond the
 * rank. m <= min(n, d); X must provide products of rs_svd_block() columns.
 */
rs_status rs_svd_leading(rs_context *ctx, rs_data *X, int m,
                         rs_svd_route route, const rs_leading_control *control,
                         double *squares, double *U, double *V,
                         rs_svd_info *info);

/* squares and V from S = Z'Z alone */
rs_status rs_svd_of_gram(rs_context *ctx, int d, const double *S, int m,
                         const rs_leading_control *control, double *squares,
                         double *V, rs_svd_info *info);

#endif
