/*
 * data/scatter.h: sums of cross-products. S (d x d, its upper triangle) grows
 * by Z'Z of one piece of data after the other; what lies below the diagonal
 * waits for rs_mirror_upper().
 */
#ifndef RS_SCATTER_H
#define RS_SCATTER_H

#include "data/sparse.h"

/* columns of Z'Z that are made at a time: the width that X must allow */
#define RS_SCATTER_BLOCK 192

/* upper triangle of S += Z'Z; beside S, RS_SCATTER_BLOCK * (n + d) numbers */
rs_status rs_scatter_add(rs_context *ctx, const rs_data *X, double *S);
/* the same for sparse data, at the cost of the pairs of entries in each row */
rs_status rs_scatter_add_sparse(rs_context *ctx, const rs_data *X,
                                const rs_sparse_slots *slots, double *S);
/* upper triangle of S += T */
rs_status rs_scatter_merge(rs_context *ctx, int d, const double *T, double *S);

#endif
