/*
 * eigen/subpca.h: principal components of a subset of the features, the leading
 * eigenvectors of the principal submatrix S[I, I].
 */
#ifndef RS_SUBPCA_H
#define RS_SUBPCA_H

#include "data/covop.h"
#include "eigen/leading.h"

typedef struct {
    rs_covop *op;
    int k, m;
    int by_samples;  /* the eigenproblem of order n instead of k */
    double *A;       /* S[I, I] or Z_I Z_I', order x order */
    rs_data panel;   /* the columns I of the data; unused with explicit S */
    double *columns; /* n x k */
    double *U;       /* n x m; by samples only */
    rs_leading_ws leading;
    rs_qr_ws qr;
} rs_subpca_ws;

/* for subsets of k features and m <= k components */
rs_status rs_subpca_init(rs_context *ctx, rs_covop *op, int k, int m,
                         rs_subpca_ws *ws);

/* values (m), V (k x m): leading eigenpairs of S[I, I], factor included */
rs_status rs_subpca(const int *subset, double *values, double *V,
                    rs_subpca_ws *ws);

#endif
