/*
 * eigen/chebyshev.h: the smallest eigenpairs of a sparse positive semidefinite
 * operator, whose product with a block of vectors costs far less than making
 * the block orthonormal.
 *
 * Subspace iteration with a Chebyshev polynomial of the operator in place of
 * the operator (Zhou, Saad, Tiago and Chelikowsky, 2006). The polynomial is
 * small on what lies above the block and grows fast below; its degree follows
 * the gap. The whole block converges together, so repeated eigenvalues are
 * found as often as the block is wide.
 */
#ifndef RS_CHEBYSHEV_H
#define RS_CHEBYSHEV_H

#include "la/operator.h"

typedef struct {
    int n;
    rs_apply_fn apply; /* with the m numbers of a row side by side: V and AV
                        * are m x n */
    void *state;
    double bound; /* of the eigenvalues, which are at least 0 */
    const double
        *known; /* n: an eigenvector of norm 1 to leave out, or NULL */
} rs_sparse_operator;

/* columns of the block for that many eigenpairs */
int rs_chebyshev_block(int n, int wanted);

/*
 * values (wanted), ascending; V (n x wanted), orthonormal; residual (wanted):
 * ||A v - value v||. Stops when these are at most tol * bound; RS_MAXIT after
 * `maxit` rounds.
 */
rs_status rs_chebyshev_smallest(rs_context *ctx, const rs_sparse_operator *A,
                                int wanted, double tol, int maxit,
                                double *values, double *V, double *residual);

#endif
