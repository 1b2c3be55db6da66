/*
 * method/kmeans/alternate.h: k-means and the choice of k features in turn,
 *
 *     max  sum_{i in s} ||Z_i'G||^2   over sets s and clusterings G,      (7)
 *
 * G (n x clusters) the normalised indicator of a clustering.
 */
#ifndef RS_KMEANS_ALTERNATE_H
#define RS_KMEANS_ALTERNATE_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    int size;            /* features of the first k-means */
    const int *features; /* 0-based, `size` of them */
    const int *rows;     /* 0-based, `clusters` samples: the first centres */
} rs_alternate_start;

typedef struct {
    int *labels;        /* n, 0-based */
    double *between;    /* d: ||Z_i'G||^2 */
    int *selected;      /* k, best first */
    rs_history history; /* -(7) after each round on k features */
} rs_alternate_fit;

typedef struct rs_alternate_ws rs_alternate_ws;

/*
 * X must provide `clusters` columns. Sets of at most `room` numbers (never
 * fewer than k features) are copied for their k-means, larger ones are
 * clustered through products with Z, without the single exchanges. tie (d)
 * orders features of equal between-cluster squares.
 */
rs_status rs_alternate_init(rs_context *ctx, rs_data *X, int clusters, int k,
                            int maxit, double room, const double *tie,
                            const unsigned char *first, rs_alternate_ws **ws);
/* from one start to a pair of clustering and set that neither step improves */
rs_status rs_alternate(const rs_alternate_start *start, rs_alternate_fit *fit,
                       rs_alternate_ws *ws);

/* between (d) = diag(Z'GG'Z) of a clustering */
rs_status rs_between_squares(rs_context *ctx, const rs_data *X, int clusters,
                             const int *labels, double *between);

#endif
