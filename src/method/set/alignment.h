/*
 * method/set/alignment.h: a root Y of the kernel K_Y = YY' that holds the
 * clusters of the samples, from spectral embeddings of their graphs:
 *
 *     K_Y = mean over graphs and m of  V_m V_m' / ||V_m'V_m||_F,
 *
 * V_m the first m eigenvectors of the random walk on a graph after the trivial
 * one, centred and of norm 1. A graph joins q nearest neighbours with
 * self-tuning weights, by one of two metrics: all samples, or landmarks among
 * them, from which the eigenvectors are extended to the others.
 */
#ifndef RS_ALIGNMENT_H
#define RS_ALIGNMENT_H

#include "graph/graph.h"
#include "sets/value_alignment.h"

/* Euclidean, and between rows of norm 1 */
#define RS_ALIGNMENT_METRICS 2
/* share of the mean degree that is spread over all pairs */
#define RS_ALIGNMENT_TAU 0.1

typedef struct {
    int graphs; /* of either metric */
    const int *neighbours;
    int dimensions;         /* how many m */
    const int *dimension;   /* ascending, below the samples of a graph */
    rs_landmarks landmarks; /* count 0: a graph joins all samples */
    rs_embedding_control control;
} rs_alignment_graphs;

/* columns of Y: the largest m for each graph of each metric */
int rs_alignment_kernel_columns(const rs_alignment_graphs *set);

typedef struct {
    double *root;     /* n x columns */
    int *components;  /* of every graph: connected components, */
    double *residual; /* and the largest residual of its eigenvectors */
} rs_alignment_kernel_fit;

rs_status rs_alignment_kernel(rs_context *ctx, rs_data *X,
                              const rs_alignment_graphs *set,
                              rs_alignment_kernel_fit *fit);

/*
 * The search for features whose linear kernel is aligned with K_Y is that of
 * sets/value_alignment.h. Where products with several features take no longer,
 * as of data that are read block by block, those of the features that promise
 * most are made at once; one that was not among them begins anew.
 */
typedef struct {
    int most, held;        /* features whose products are held, and now */
    int *feature;          /* d: whose */
    double *products;      /* d x most */
    double *columns;       /* scratch */
    double *merit, *order; /* d: room */
} rs_alignment_ahead;

/* the products of groups of one are made ahead, for up to k members, where that
 * pays */
rs_status rs_alignment_read_ahead(rs_context *ctx, int k,
                                  rs_alignment_ahead *ahead,
                                  rs_value_alignment *value);

#endif
