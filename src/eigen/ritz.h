/*
 * eigen/ritz.h: leading eigenpairs of a symmetric operator known by its
 * products, by Rayleigh-Ritz on a growing orthonormal basis with thick restart
 * (Wu and Simon, 2000) and full reorthogonalisation.
 *
 * The basis grows by a block at a time: by the images of the last one, so that
 * it spans a block Krylov space, or by preconditioned residuals (Davidson).
 * Wide blocks take few passes over the matrix, blocks of one vector (Lanczos)
 * the fewest multiplications.
 */
#ifndef RS_RITZ_H
#define RS_RITZ_H

#include "la/linalg.h"

/* columns beyond the wanted ones that speed the search up */
#define RS_RITZ_EXTRA 2

typedef struct {
    double tol; /* on the residuals, relative to the largest |value| */
    int maxit;  /* looks at the pairs */
    /*
     * d weights by which residuals are multiplied, row by row, before they
     * expand the basis, or NULL: for operators whose diagonal has entries far
     * below the wanted eigenvalues, with weights about 1 / (theta - diagonal)
     * up to a factor and at most 1. The tolerance is then on the weighted
     * residuals, relative to the wanted eigenvalues. Rows of weight 0 stay 0.
     */
    const double *weights;
    /*
     * For the positive pairs of a matrix of low rank minus diag(shift), shift >=
     * 0 (d), however spread: residuals times theta / (theta + shift) expand the
     * basis. Pairs that are negative beyond their residuals need no more digits.
     */
    const double *shift;
} rs_ritz_control;

typedef struct {
    int d;
    int wanted;      /* eigenpairs asked for */
    int block;       /* columns added per step */
    int capacity;    /* widest basis, with the block that comes next */
    double *basis;   /* d x capacity, orthonormal */
    double *images;  /* d x capacity: A times the basis */
    double *H;       /* capacity x capacity: basis' A basis, upper triangle */
    double *vectors; /* capacity x capacity: of H */
    double *values;  /* capacity: of H, descending */
    double *norms;   /* capacity: of the residuals of the leading pairs */
    double *scratch; /* capacity x capacity, or some rows of the basis */
    double unit;     /* the operator is divided by this power of two */
    double residual; /* largest of the wanted pairs, relative */
    rs_eigen_ws eigen;
    rs_qr_ws qr;
    const rs_ritz_control *control; /* of the present search */
    rs_context *ctx;
} rs_ritz;

/* columns per step where matrices are large, for `wanted` eigenpairs */
int rs_ritz_block(int d, int wanted);
/* columns of a basis that grows by `block` at a time */
int rs_ritz_capacity(int d, int wanted, int block);
/* room for these; a basis of no more than one block is not expanded */
rs_status rs_ritz_init(rs_context *ctx, int d, int wanted, int block,
                       int capacity, rs_ritz *ws);

/*
 * The `wanted` algebraically largest eigenpairs: values descending, vectors in V (d x
 * wanted). `start` (d x nstart, nstart <= block) is continued by a fixed quasi-random
 * block, so that the answer never depends on a generator. RS_MAXIT: the best pairs
 * found; ws->residual says how good, and ws->norms ||A v - theta v|| of each.
 */
rs_status rs_ritz_largest(const rs_operator *A, const rs_ritz_control *control,
                          int nstart, const double *start, double *values,
                          double *V, rs_ritz *ws);

/* block (rows x m) -= Q (Q'block) for Q (rows x k); inner: k x m */
rs_status rs_leave_span(rs_context *ctx, int rows, int k, const double *Q,
                        int m, double *block, double *inner);

#endif
