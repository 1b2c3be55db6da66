/*
 * eigen/leading.h: the leading eigenpairs of a symmetric matrix or of the
 * covariance operator. Which solver finds them is decided here.
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
/* the same for wide products, see below */
int rs_leading_wide_block(int order, int m);

/* ---- once --------------------------------------------------------------- */

/* a symmetric matrix, explicit or known by its products */
typedef struct {
    int order;
    const double *A;   /* order x order, or NULL */
    rs_apply_fn apply; /* its products, where A is NULL */
    void *state;
    double numbers; /* that a product reads: few stay in a cache */
} rs_leading_operator;

rs_leading_operator rs_leading_explicit(int order, const double *A);
/* ZZ', and S of an operator without a matrix, by thin products with Z */
rs_status rs_leading_samples(rs_context *ctx, rs_data *X,
                             rs_leading_operator *A);
rs_leading_operator rs_leading_features(rs_covop *op);

typedef struct {
    double tol; /* on the residuals of the eigenproblem, relative */
    int maxit;  /* of the Lanczos iteration: restarts, or block steps */
} rs_leading_control;

/*
 * values (m, descending), V (order x m): the leading eigenpairs, by LAPACK where
 * an explicit matrix is small, by Lanczos with single vectors where the numbers
 * fit into a cache, and by block Lanczos, which reads them less often, elsewhere.
 * *residual is the largest of ||A v - theta v|| / theta_1, 0 from LAPACK. RS_OK,
 * RS_MAXIT.
 */
rs_status rs_leading_find(rs_context *ctx, const rs_leading_operator *A, int m,
                          const rs_leading_control *control, double *values,
                          double *V, double *residual);
/* multiplications per number that this takes, weighted by their cost */
double rs_leading_cost(int order, double numbers, int m);
/* by LAPACK, whatever the order */
rs_status rs_leading_dense(rs_context *ctx, int order, const double *A, int m,
                           double *values, double *V);
/*
 * What is asked for beyond the number of pairs, and what became of it. With
 * `rough` > 0 residuals may be that share of the largest eigenvalue where the
 * data are large: enough for the shape of a spectrum; with `corner` also any
 * values between which the corner of the m logarithms cannot change.
 * `rough` may then be taken up again: `basis` has, of the order at which the
 * products are taken (samples or features, whichever are fewer), the Ritz
 * vectors and the direction of their residuals; NULL where there is none.
 */
typedef struct {
    double rough;
    double large; /* flops of the products beyond which data are large */
    int corner;
    int wide;  /* by products with wide blocks, which take few of them */
    int known; /* pairs of an earlier call, or 0 */
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

/* rs_eigs_largest() within an outer iteration, which judges the best pairs found:
 * RS_MAXIT is RS_OK */
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
