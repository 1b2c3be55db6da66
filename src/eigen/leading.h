/*
 * eigen/leading.h: the leading eigenpairs of a symmetric matrix or of the
 * covariance operator: by LAPACK where the order is small, iteratively
 * elsewhere. Who needs leading eigenpairs asks here which of the two it is.
 */
#ifndef RS_LEADING_H
#define RS_LEADING_H

#include "data/covop.h"
#include "eigen/eigs.h"

/* at or below this order a dense eigen-solver beats an iterative one */
#define RS_DENSE_EIGEN_ORDER 256

/* the dense solver for m eigenpairs? (also where m is nearly the order) */
int rs_leading_is_dense(int order, int m);
/* columns that an operator must allow for in a product */
int rs_leading_block(int order, int m);

/* ---- once --------------------------------------------------------------- */

/* values (m), V (order x m): by LAPACK, whatever the order */
rs_status rs_leading_dense(rs_context *ctx, int order, const double *A, int m,
                           double *values, double *V);
/*
 * What is asked for beyond the number of pairs, and what became of it. With
 * `rough` > 0 residuals of that share of the largest eigenvalue will do where
 * the data are large: enough for the shape of a spectrum; with `corner` also
 * any values between which the corner of the m logarithms cannot change.
 * `rough` may then be taken up again: `basis` has, of the order at which the
 * products are taken (samples or features, whichever are fewer), the Ritz
 * vectors and the direction of their residuals; NULL where there is none.
 */
typedef struct {
    double rough;
    double large; /* flops of the products beyond which data are large */
    int corner;
    int known;                  /* pairs of an earlier call, or 0 */
    const double *known_values; /* known */
    const double *known_basis;  /* order x (known + 1) */
    int is_rough;               /* result: some residuals are */
    const double *basis;        /* result: order x (m + 1), or NULL */
} rs_leading_aim;

/* the order of that basis */
int rs_leading_order(const rs_covop *op, int m);

/* V (d x m): eigenvectors of the m largest eigenvalues; values has m */
rs_status rs_leading(rs_covop *op, int m, rs_leading_aim *aim, double *values,
                     double *V);

/* ---- again and again ------------------------------------------------------ */

/* rs_eigs_largest() where the best pairs found will do: RS_MAXIT is RS_OK, as
 * an outer iteration judges them */
rs_status rs_leading_pairs(rs_apply_fn apply, void *state, int nstart,
                           const double *start, double tol, int maxit,
                           double *values, double *V, rs_eigs_ws *ws);

typedef struct {
    int order, m;
    int is_dense;
    double *values; /* order */
    rs_eigen_ws dense;
    rs_eigs_ws iterative;
    rs_context *ctx;
} rs_leading_ws;

rs_status rs_leading_init(rs_context *ctx, int order, int m,
                          rs_leading_ws *ws);
/* the m leading eigenpairs of the explicit A, order x order */
rs_status rs_leading_of(const double *A, double *values, double *V,
                        rs_leading_ws *ws);

#endif
