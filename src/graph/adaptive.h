/*
 * graph/adaptive.h: graphs that a method learns along with its directions.
 * Every sample spreads a weight of 1 over a few others. Row a_i minimises
 *
 *     sum_j (e_ij a_ij + alpha a_ij^2)   over the simplex,
 *     e_ij = ||z_i - z_j||^2 + lambda ||f_i - f_j||^2,
 *
 * over candidates that the caller names: the projection of -e_i / (2 alpha).
 * A sample is never among its own neighbours; one without candidates keeps an
 * empty row. With a graph A_0 to stay near, alpha (a_ij - a0_ij)^2 takes the
 * place of alpha a_ij^2, and a0_i - e_i / (2 alpha) is projected.
 */
#ifndef RS_ADAPTIVE_H
#define RS_ADAPTIVE_H

#include "graph/graph.h"

typedef struct {
    int n, k;       /* at most k neighbours each */
    int *count;     /* n */
    int *index;     /* k x n */
    double *weight; /* k x n */
    double alpha;
    const double *centre; /* k x n: A_0 on the candidates; NULL: none */
    double *cost;         /* k: scratch */
} rs_adaptive;

/* Z is n x m; F n x c, or NULL */
typedef struct {
    int m, c;
    const double *Z, *F;
    double lambda;
} rs_adaptive_space;

/*
 * The CAN weights of the k nearest (graph/graph.h), the solution for squared
 * distances as the e_ij with an alpha_i of each row; alpha is their mean over
 * the rows that have a (k + 1)-th neighbour. Lists may be shorter than k. There
 * is no centre.
 */
rs_status rs_adaptive_start(rs_context *ctx, const rs_neighbours *near, int k,
                            rs_adaptive *A);
/* every row over its first k in `near`. Where these are the k of smallest e_ij,
 * no row with k weights is better. */
rs_status rs_adaptive_update(const rs_adaptive_space *space,
                             const rs_neighbours *near, rs_adaptive *A);
/* sum_ij e_ij a_ij, without alpha */
double rs_adaptive_cost(const rs_adaptive_space *space, const rs_adaptive *A);
/* sum_ij a_ij^2, or (a_ij - a0_ij)^2 */
double rs_adaptive_square(const rs_adaptive *A);
/* (A + A') / 2 */
rs_status rs_adaptive_graph(rs_context *ctx, const rs_adaptive *A,
                            rs_graph *graph);
/* L (n x n): the Laplacian of (A + A') / 2 */
void rs_adaptive_laplacian(const rs_adaptive *A, double *L);
/* the k nearest among all samples, or, with `label` (0, ..., n), among those of
 * the same label, by the rows of Z (n x m); lists may be shorter than k */
rs_status rs_adaptive_near(rs_context *ctx, int n, int m, const double *Z,
                           int k, const int *label, rs_neighbours *near);

#endif
