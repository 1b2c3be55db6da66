/*
 * solve/lloyd.h: k-means on a few columns of a data matrix.
 *
 * Lloyd's iteration reassigns all points; then exchanges in the manner of
 * Hartigan move one point at a time until none lowers the within-cluster sum of
 * squares. Nothing here is random: the caller gives the starting labels or the
 * samples that start as centres.
 */
#ifndef RS_LLOYD_H
#define RS_LLOYD_H

#include "data/data.h"

typedef struct {
    int n, clusters;
    int capacity;    /* most columns */
    int p;           /* columns loaded */
    double *points;  /* p x n: a sample's values are contiguous */
    double *centres; /* p x clusters */
    double *column;  /* n */
    int *sizes;      /* clusters */
    rs_context *ctx;
} rs_lloyd_ws;

rs_status rs_lloyd_init(rs_context *ctx, int n, int capacity, int clusters,
                        rs_lloyd_ws *ws);
/* the points are columns[0..p) of Z */
void rs_lloyd_load(const rs_data *X, int p, const int *columns,
                   rs_lloyd_ws *ws);
/* labels[i] = the nearest of the points rows[0..clusters); RS_NOT_FINITE */
rs_status rs_lloyd_seed(const int *rows, int *labels, rs_lloyd_ws *ws);
/*
 * Improve `labels` (0-based, any clusters may be empty) until no single
 * exchange helps, RS_OK, or RS_MAXIT after `maxit` rounds of exchanges.
 */
rs_status rs_lloyd_run(int maxit, int *labels, rs_lloyd_ws *ws);

#endif
