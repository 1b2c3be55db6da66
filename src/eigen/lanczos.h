/*
 * eigen/lanczos.h: leading eigenpairs of a symmetric operator whose products with
 * single vectors are cheap (the matrix fits into the cache).
 *
 * Lanczos with thick restart (Wu and Simon, 2000) and full
 * reorthogonalisation. eigen/eigs.h needs fewer passes over the matrix, this
 * needs fewer multiplications. A single Krylov space shows only one direction
 * of a repeated eigenvalue, so convergence is confirmed by another cycle from
 * a vector that was not in it.
 */
#ifndef RS_LANCZOS_H
#define RS_LANCZOS_H

#include "la/linalg.h"
#include "la/operator.h"

typedef struct {
    int d, wanted;
    int capacity;    /* vectors before a restart */
    double *basis;   /* d x (capacity + 1), orthonormal */
    double *rotated; /* d x capacity: room for a restart */
    double *T;       /* capacity x capacity: basis' A basis, upper triangle */
    double *packed;  /* capacity x capacity */
    double *vectors; /* capacity x capacity */
    double *values;  /* capacity */
    double *h;       /* capacity + 1 */
    double *high;    /* wanted: bounds of the values from above */
    double *behind;  /* d: the direction of the residuals, kept over a cycle */
    int resumable;
    rs_eigen_ws eigen;
    double unit; /* the operator is divided by this power of two */
    rs_context *ctx;
} rs_lanczos_ws;

/* products with A that a problem takes, roughly */
double rs_lanczos_products(int d, int wanted);

rs_status rs_lanczos_init(rs_context *ctx, int d, int wanted,
                          rs_lanczos_ws *ws);

/*
 * The `wanted` algebraically largest eigenpairs: values descending, vectors in
 * V (d x wanted). Stops when every residual is at most tol times the largest
 * |value|; RS_MAXIT after `maxit` cycles. *residual as in
 * rs_eigs_largest().
 */
rs_status rs_lanczos_largest(rs_apply_fn apply, void *state, double tol,
                             int maxit, double *values, double *V,
                             double *residual, rs_lanczos_ws *ws);

/*
 * Of the first `pairs` (at most `wanted`): residuals of at most tol, or what
 * `converged`, unless NULL, makes of the values, each known to lie between low
 * and high: how many of them matter where they are good enough, else 0. Below
 * are the values of Ritz; above are values plus residuals, the least of them so
 * far, as eigenvalues fall.
 */
typedef int (*rs_converged_fn)(int count, const double *low,
                               const double *high);
typedef struct {
    int pairs;
    double tol;
    int maxit;
    rs_converged_fn converged;
} rs_lanczos_aim;

/*
 * The same in steps: afterwards the first columns of ws->basis are the Ritz
 * vectors of the `pairs` values in ws->values, and, where ws->resumable, the
 * vector behind them is the direction of all their residuals. With these
 * known + 1 columns in ws->basis and values in ws->values a later search goes
 * on where this one ended; known = 0 begins.
 */
rs_status rs_lanczos_search(rs_apply_fn apply, void *state,
                            const rs_lanczos_aim *aim, int known,
                            double *residual, rs_lanczos_ws *ws);

#endif
