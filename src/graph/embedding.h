/*
 * graph/embedding.h: the smoothest vectors on a graph, eigenvectors of its
 * Laplacian.
 */
#ifndef RS_EMBEDDING_H
#define RS_EMBEDDING_H

#include "graph/laplacian.h"

typedef struct {
    double tol; /* on ||L v - value v||, relative to the largest eigenvalue
                 * that L can have */
    int maxit;  /* rounds of filtering */
} rs_embedding_control;

/* for projections that should agree with LAPACK's to 1e-8 or better */
#define RS_EMBEDDING_TOL 1e-12
#define RS_EMBEDDING_MAXIT 500

/*
 * The m smallest eigenpairs of L beside the trivial one that every graph has
 * (rs_laplacian_trivial()): values ascending, V (n x m) with columns of norm
 * 1, residual (m): ||L v - value v||. Of k components there are k - 1 further
 * zeros among the values, with any basis of their space. m < n. A control of
 * NULL stands for the constants above.
 *
 * RS_MAXIT where some residual is above the tolerance: the best pairs found.
 */
rs_status rs_embedding(rs_context *ctx, rs_laplacian *L, int m,
                       const rs_embedding_control *control, double *values,
                       double *V, double *residual);

/* columns to provide for in rs_laplacian_init() */
int rs_embedding_block(int n, int m);

#endif
