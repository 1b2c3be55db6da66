/*
 * data/data.h: a data matrix, samples in rows, that the solvers only multiply.
 *
 * Dense data are held centred and scaled (one copy, made by the glue). Sparse
 * data keep their slots; centring and scaling happen inside the products:
 *     Z = (X - 1 mu') D,   D = diag(weight),
 *     Z W   = X (D W) - 1 (mu' D W),
 *     Z' Y  = D (X'Y - mu (1'Y)).
 * A sparse column without holes is centred entry by entry instead, so that
 * nothing cancels however large its mean.
 */
#ifndef RS_DATA_H
#define RS_DATA_H

#include "base/core.h"

/* columns of a panel */
#define RS_PANEL 64

typedef struct {
    int n, d;
    const double *dense; /* n x d, already centred and scaled; or NULL */
    /* compressed columns: entries p[j] .. p[j+1]-1 of `row` and `value` */
    const int *p, *row;
    const double *value;
    const double *mean;   /* d; sparse only */
    const double *weight; /* d, 1/scale, or NULL for 1; sparse only */
    /* transient room for sparse products of up to `block` columns */
    int block;
    double *rows_t; /* block x n: a product's rows, contiguous; sparse only */
    double *cols_t; /* block x d; sparse only */
    double *panel;  /* n x RS_PANEL: a few scaled columns; dense only */
    rs_context *ctx;
} rs_data;

/* Room for products with up to `block` columns; call once before use. */
rs_status rs_data_init(rs_context *ctx, int block, rs_data *X);

/* Y (n x m) = Z W, W is d x m; RS_BAD_INPUT when m > block */
rs_status rs_data_times(const rs_data *X, int m, const double *W, double *Y);
/* W (d x m) = Z' Y, Y is n x m; RS_BAD_INPUT when m > block */
rs_status rs_data_crossprod(const rs_data *X, int m, const double *Y,
                            double *W);
/* G (d x d) = Z'Z, both triangles */
rs_status rs_data_gram_features(const rs_data *X, double *G);
/* G (d x d) = Z' diag(t) Z, t >= 0 (NULL: the identity), both triangles */
rs_status rs_data_gram_weighted(const rs_data *X, const double *t, double *G);
/* G (count x count) = Z[, I]' diag(t) Z[, I] for the listed features I, both
 * triangles; room: n x RS_PANEL (dense only) */
rs_status rs_data_gram_subset(const rs_data *X, const double *t, int count,
                              const int *index, double *room, double *G);
/* K (n x n) = Z diag(e) Z', e >= 0 (NULL: the identity), both triangles;
 * features with e_j = 0 cost nothing */
rs_status rs_data_gram_samples(const rs_data *X, const double *e, double *K);
/* sum of squares of every column of Z */
void rs_data_column_squares(const rs_data *X, double *squares);
/* squares[i] = sum_j e_j z_ij^2 (e = NULL: all ones), n numbers */
void rs_data_row_squares(const rs_data *X, const double *e, double *squares);
/* column j of Z, made dense: z has length n */
void rs_data_column(const rs_data *X, int j, double *z);
/* c (d) = Z' z for one vector */
rs_status rs_data_crossprod_vector(const rs_data *X, const double *z,
                                   double *c);

#endif
