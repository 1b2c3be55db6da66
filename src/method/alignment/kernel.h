/*
 * method/alignment/kernel.h: a root Y of the kernel K_Y = YY' that holds the
 * clusters of the samples, from spectral embeddings of their graphs:
 *
 *     K_Y = mean over graphs and m of  V_m V_m' / ||V_m'V_m||_F,
 *
 * V_m the first m eigenvectors of the random walk on a graph after the trivial
 * one, centred and of norm 1. A graph joins q nearest neighbours with
 * self-tuning weights, by one of two metrics: all samples, or landmarks among
 * them, from which the eigenvectors are extended to the others.
 */
#ifndef RS_ALIGNMENT_KERNEL_H
#define RS_ALIGNMENT_KERNEL_H

#include "graph/graph.h"

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

#endif
