/*
 * data/sparse_rows.h: the entries of compressed columns once more, row by row,
 * and inner products of some rows with all of them.
 *
 * With v the entries less their base and rest(i) that of the level of row i,
 *     z_i'z_r = v_i'v_r - v_i'rest(r) - v_r'rest(i) + rest(i)'rest(r).
 * v_i'v_r is found for groups of rows r, all listed rows i at a time: the
 * entries in the group, column by column, meet those of every row i.
 */
#ifndef RS_SPARSE_ROWS_H
#define RS_SPARSE_ROWS_H

#include "base/core.h"
#include "data/slots.h"

typedef struct {
    rs_context *ctx;
    int n, d;
    const rs_sparse_slots *slot;
    const rs_base *base;
    const double *rest; /* levels x d */
    /* the rows; start = NULL: not made yet */
    int *start;    /* n + 1 */
    int *column;   /* ascending within a row */
    double *value; /* centred and scaled */
    double *hole;  /* d x levels: what stands where there is no entry */
    double *plain; /* less their base, weighed; NULL: not made yet */
    struct rs_row_groups *groups; /* what products need; NULL: not made yet */
} rs_sparse_rows;

/* nothing is made before it is asked for; the arrays are kept by reference */
void rs_sparse_rows_init(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slot, const rs_base *base,
                         const double *rest, rs_sparse_rows *R);

/* out (d x count) = the listed rows of Z; index = NULL: from, from + 1, ... */
rs_status rs_sparse_rows_get(rs_sparse_rows *R, int count, const int *index,
                             int from, double *out);

/* c (d) = Z'y, by the rows in which y is not zero */
rs_status rs_sparse_rows_crossprod(rs_sparse_rows *R, const double *y,
                                   double *c);

/* out (n x count) = Z R' for the listed rows R of Z */
rs_status rs_sparse_rows_products(rs_sparse_rows *R, int count,
                                  const int *index, int from, double *out);

/* ---- cross-products of the columns --------------------------------------- */

/*
 * Upper triangle of G (d x d) += V'V for the entries V = (value - base) weight
 * (base: levels x d, of the level of their row). Columns that are `apart` are
 * left out. Row by row, every entry meets those before it: half the sum of the
 * squared lengths of the rows, where column by column every pair would meet.
 */
rs_status rs_sparse_cross_products(rs_context *ctx, int n, int d,
                                   const rs_sparse_slots *slot,
                                   const rs_base *base,
                                   const unsigned char *apart, double *G);

#endif
