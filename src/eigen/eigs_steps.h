/*
 * eigen/eigs_steps.h: the workspace of the iterative eigen-solvers, and the
 * steps that they share. `size` is the number of basis columns in use.
 */
#ifndef RS_EIGS_STEPS_H
#define RS_EIGS_STEPS_H

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

/* columns beyond the wanted ones that speed the search up */
#define RS_EIGS_EXTRA 2

/* columns per step, and of the widest basis, for `wanted` eigenpairs of an
 * operator of order d */
int rs_eigs_block(int d, int wanted);
int rs_eigs_capacity(int d, int wanted);
/* room for these */
rs_status rs_eigs_init(rs_context *ctx, int d, int wanted, rs_eigs_ws *ws);
/* the same with `block` columns per step and at most `capacity` in the basis */
rs_status rs_eigs_init_sized(rs_context *ctx, int d, int wanted, int block,
                             int capacity, rs_eigs_ws *ws);

/*
 * Multiply the residuals by these d weights, row by row, before they expand
 * the basis (Davidson's method): for operators whose diagonal has entries far
 * below the wanted eigenvalues, with weights about 1 / (theta - diagonal) up
 * to a factor and at most 1. The stopping test then takes the weighted
 * residuals, relative to the wanted eigenvalues. NULL: none.
 */
void rs_eigs_set_precondition(const double *weights, rs_eigs_ws *ws);

/* block (d x count) <- diag(weights) block, without weights as it is */
void rs_eigs_weigh_rows(int count, double *block, const rs_eigs_ws *ws);
/* the first block: the caller's columns, filled up with a fixed sequence */
void rs_eigs_first_block(int nstart, const double *start, rs_eigs_ws *ws);
/* make columns size .. size + width - 1 orthonormal, also to those before */
rs_status rs_eigs_orthonormalise(int size, int width, rs_eigs_ws *ws);
/* H[, new] = basis' images[, new] for the `width` new columns behind `size` */
rs_status rs_eigs_extend(int size, int width, rs_eigs_ws *ws);
/* all Ritz pairs, descending */
rs_status rs_eigs_ritz(int size, rs_eigs_ws *ws);
/* out (d x count) = from Y[, 1..count], Y the Ritz vectors in coordinates */
rs_status rs_eigs_combine(int size, int count, const double *from, double *out,
                          const rs_eigs_ws *ws);
/* keep the `count` leading Ritz vectors as the basis */
rs_status rs_eigs_restart(int size, int count, rs_eigs_ws *ws);

#endif
