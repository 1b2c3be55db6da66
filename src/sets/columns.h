/*
 * sets/columns.h: columns X'x_j of the cross-products, made when they are asked
 * for and kept: searches come back to the same features again and again.
 */
#ifndef RS_COLUMNS_H
#define RS_COLUMNS_H

#include "sets/lsq.h"

typedef struct {
    int d, slots;
    double *columns; /* d x slots; none where the problem has S */
    double *z;       /* n */
    int *owner;      /* slots; -1: free */
    int *slot_of;    /* d; -1: not here */
    long *stamp;     /* slots */
    long clock;
} rs_columns;

/* room for the columns of k features, and for some that come and go */
rs_status rs_columns_init(rs_context *ctx, const rs_lsq *problem, int k,
                          rs_columns *cache);
/*
 * *at = column j, which stays there while member[j] is set; a column that is
 * no member may go when another one comes, NULL: any may. The problem is the
 * one of rs_columns_init(), or what another thread sees of it.
 */
rs_status rs_columns_get(rs_columns *cache, const rs_lsq *problem, int j,
                         const unsigned char *member, const double **at);

#endif
