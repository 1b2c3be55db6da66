/*
 * solve/eigs.h: leading eigenpairs of a symmetric operator known by its products.
 */
#ifndef RS_EIGS_H
#define RS_EIGS_H

#include "base/core.h"
#include "la/linalg.h"
#include "la/operator.h"

typedef struct {
    int d;
    int wanted;                 /* eigenpairs asked for */
    int block;                  /* columns added per step */
    int capacity;               /* widest basis before a restart */
    double *basis;              /* d x capacity, orthonormal */
    double *images;             /* d x capacity: A times the basis */
    double *keep;               /* d x capacity: room for a restart */
    double *front;              /* d x block: leading Ritz vectors */
    double *residuals;          /* d x block */
    double *H;                  /* capacity x capacity: basis' A basis */
    double *packed;             /* capacity x capacity */
    double *ritz_vectors;       /* capacity x capacity */
    double *ritz_values;        /* capacity */
    double *small;              /* capacity x block */
    const double *precondition; /* d positive weights, or NULL */
    double unit; /* the operator is divided by this power of two */
    rs_eigen_ws eigen;
    rs_qr_ws qr;
    rs_context *ctx;
} rs_eigs_ws;

/* images within these need no unit */
#define RS_ORDINARY_LEAST 1e-100
#define RS_ORDINARY_LARGEST 1e100

/* the power of two next to the largest modulus of an image of unit vectors
 * where its squares may leave the double range, 1 elsewhere */
double rs_operator_unit(size_t count, const double *image);

rs_status rs_eigs_init(rs_context *ctx, int d, int wanted, rs_eigs_ws *ws);
/*
 * Multiply the residuals by these d weights, row by row, before they expand
 * the basis (Davidson's method): for operators whose diagonal has entries far
 * below the wanted eigenvalues, with weights about 1 / (theta - diagonal) up
 * to a factor and at most 1. The stopping test then takes the weighted
 * residuals, relative to the wanted eigenvalues. NULL: none.
 */
void rs_eigs_set_precondition(const double *weights, rs_eigs_ws *ws);

/* the same with `block` columns per step and at most `capacity` in the basis */
rs_status rs_eigs_init_sized(rs_context *ctx, int d, int wanted, int block,
                             int capacity, rs_eigs_ws *ws);

/*
 * The `wanted` algebraically largest eigenpairs of the symmetric operator
 * `apply`: values descending, eigenvectors in the columns of V (d x wanted).
 * `start` (d x nstart, nstart <= wanted) warm-starts the search, NULL draws a
 * fixed quasi-random block, so that the answer never depends on a generator.
 * Stops when every residual ||A v - theta v|| <= tol * max |theta|.
 * Returns RS_OK or RS_MAXIT (the best pairs found); *residual is the largest
 * relative residual.
 */
rs_status rs_eigs_largest(rs_apply_fn apply, void *state, int nstart,
                          const double *start, double tol, int maxit,
                          double *values, double *V, double *residual,
                          rs_eigs_ws *ws);

/*
 * Every positive eigenvalue of `apply`, descending, with its eigenvector; at
 * most ws->wanted of them, *count says how many (ws->wanted may mean that
 * there are more). The operator is a matrix of low rank minus diag(shift),
 * shift >= 0: new directions are residuals divided by theta + shift, so that
 * the diagonal, however spread, does not slow the search down. `start` has
 * nstart columns, which may be 0. Stops when each residual of a positive pair
 * is at most tol * the largest eigenvalue and the next pair is negative
 * beyond its residual.
 */
rs_status rs_eigs_positive(rs_apply_fn apply, void *state, const double *shift,
                           int nstart, const double *start, double tol,
                           int maxit, int *count, double *values, double *V,
                           rs_eigs_ws *ws);

#endif
