/*
 * eigen/leading.h: the leading eigenpairs of a symmetric matrix, by LAPACK where
 * its order is small and by eigen/ritz.h elsewhere.
 */
#ifndef RS_LEADING_H
#define RS_LEADING_H

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
/* the m leading eigenpairs of the explicit A, order x order, the best that were
 * found */
rs_status rs_leading_of(const double *A, double *values, double *V,
                        rs_leading_ws *ws);

rs_status rs_smallest_init(rs_context *ctx, int order, int m,
                           rs_leading_ws *ws);
/*
 * V (order x m), from V where has_start: eigenvectors of the m smallest
 * eigenvalues of a positive semidefinite matrix, which the caller puts into
 * ws->system.A (both triangles) and finds destroyed; by inverse iteration where
 * LAPACK would be slow.
 */
rs_status rs_smallest_of(int has_start, double *V, rs_leading_ws *ws);

#endif
