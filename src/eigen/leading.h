/*
 * eigen/leading.h: the leading eigenpairs of a symmetric matrix, by LAPACK where
 * its order is small and by eigen/ritz.h elsewhere.
 */
#ifndef RS_LEADING_H
#define RS_LEADING_H

#include "data/covop.h"
#include "eigen/ritz.h"
#include "solve/ridge.h"

/* all digits that products have */
extern const rs_ritz_control rs_leading_accurate;

/* at or below this order LAPACK beats an iteration */
#define RS_DENSE_EIGEN_ORDER 256
/* LAPACK for m eigenpairs? Also where they are a large part of all. */
int rs_leading_is_dense(int order, int m);

/* ---- once --------------------------------------------------------------- */

/* a symmetric matrix, explicit or known by its products */
typedef struct {
    int order;
    const double *A;     /* order x order, or NULL */
    rs_operator product; /* where A is NULL */
    int wide;            /* products of many columns cost little more */
    double numbers;      /* that a product reads: few stay in a cache */
} rs_leading_operator;

rs_leading_operator rs_leading_explicit(int order, const double *A);
/* columns of the widest product */
int rs_leading_block(const rs_leading_operator *A, int m);

/*
 * values (m, descending), V (order x m): the leading eigenpairs. The iteration
 * takes single vectors where the numbers fit into a cache, and elsewhere blocks,
 * for which they are read less often. *residual is the largest of
 * ||A v - theta v|| / theta_1, 0 from LAPACK. RS_OK, RS_MAXIT.
 */
rs_status rs_leading_find(rs_context *ctx, const rs_leading_operator *A, int m,
                          const rs_ritz_control *control, double *values,
                          double *V, double *residual);

/* ---- again and again ------------------------------------------------------ */

typedef struct {
    rs_context *ctx;
    int order, m;
    int is_dense;
    double *values; /* order */
    rs_eigen_ws dense;
    rs_ritz iterative;
    rs_ridge system; /* for the smallest pairs */
} rs_leading_ws;

rs_status rs_leading_init(rs_context *ctx, int order, int m,
                          rs_leading_ws *ws);
/* the m leading eigenpairs of the explicit A, order x order, the best that were found */
rs_status rs_leading_of(const double *A, double *values, double *V,
                        rs_leading_ws *ws);

rs_status rs_smallest_init(rs_context *ctx, int order, int m,
                           rs_leading_ws *ws);
/*
 * V (order x m), from V where has_start: eigenvectors of the m smallest eigenvalues
 * of a positive semidefinite matrix, which the caller puts into ws->system.A (both
 * triangles) and finds destroyed; by inverse iteration where LAPACK would be slow.
 */
rs_status rs_smallest_of(int has_start, double *V, rs_leading_ws *ws);

/* ---- of data (svd.c) -------------------------------------------------------- */

/*
 * The leading singular triplets of data. The eigenproblem is that
 * of the shorter side, ZZ' or Z'Z, by its Gram matrix if that is formed sooner
 * than thin products with the data are done; the other side is a product.
 */
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
rs_status rs_svd(rs_data *X, int m, int wide, rs_ritz_control control,
                 double *squares, double *U, double *V, rs_svd_info *info);

/*
 * What components carry: the share of tr(S) that a regression of
 * the data Z on the components Z V reproduces,
 *
 *     tr((V'SV)^+ (SV)'(SV)) / tr(S),
 *
 * for loadings V (d x m) of full rank or not, of which rows may be zero.
 */
rs_status rs_components_share(rs_covop *op, int m, const double *V,
                              double *share);

/* ---- of some of the features (subpca.c) -------------------------------------- */

/*
 * principal components of a subset of the features, the leading
 * eigenvectors of the principal submatrix S[I, I].
 */
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
