/*
 * graph/graph.h: weighted graphs of the samples, from their neighbours.
 */
#ifndef RS_GRAPH_H
#define RS_GRAPH_H

#include "graph/neighbours.h"

/*
 * A sparse matrix by rows, columns ascending, without a diagonal. Symmetric
 * wherever it is called a graph; every weight is above 0.
 */
typedef struct {
    int n;
    size_t *start; /* n + 1 */
    int *index;
    double *weight;
} rs_graph;

/*
 * The weight of the edge ij, of length d_ij:
 *
 * binary       1
 * heat         exp(-d_ij^2 / (2 t^2))
 * self-tuning  exp(-d_ij^2 / (s_i s_j)), s_i the distance of the q-th
 *              neighbour of i, at least RS_LEAST_SCALE of the largest of all
 * CAN          (a_ij + a_ji) / 2, where a_i lies on the simplex and minimises
 *              sum_j (d_ij^2 a_ij + c_i a_ij^2) with the c_i at which q weights
 *              are positive: (D_(q+1) - D_j) / (q D_(q+1) - sum_h<=q D_(h)),
 *              D the squared distances; 1/q each where q + 1 of them agree (all
 *              in the list at that distance share alike)
 */
#define RS_LEAST_SCALE 1e-6
typedef enum {
    RS_WEIGHTS_BINARY,
    RS_WEIGHTS_HEAT,
    RS_WEIGHTS_SELF_TUNING,
    RS_WEIGHTS_CAN
} rs_graph_weights;

typedef struct {
    rs_graph_weights weights;
    int neighbours; /* q, at most the k of the lists; CAN looks one further and
                     * takes q + 1 <= k unless q = n - 1 */
    int mutual; /* i and j among the neighbours of each other, not of one */
    double t;   /* of the heat; 0: the mean of the n x n distances */
} rs_graph_settings;

/*
 * The graph that joins i and j where one is among the q neighbours of the
 * other (both, if mutual). In lists with ties these are all at the q-th
 * distance, so that the order of the samples decides nothing.
 */
rs_status rs_graph_build(rs_context *ctx, const rs_neighbours *near,
                         const rs_graph_settings *settings, rs_graph *graph);

/* scale (n) = the s_i of self-tuning weights */
void rs_graph_scales(const rs_neighbours *near, int q, double *scale);

/*
 * Weights of the q nearest neighbours of every sample, of any sign and not
 * symmetric, from the differences z_j - z_i. ridge > 0.
 *
 * t = 0   row i reconstructs sample i: it minimises ||z_i - sum_j r_ij z_j||^2 +
 *         ridge tr(G_i) ||r_i||^2 with sum_j r_ij = 1, G_i the Gram matrix of
 *         the differences
 * t > 0   row i predicts it by kernel ridge regression, the matrix of local
 *         learning (Wu and Schoelkopf, 2007): k_i'(K_i + ridge I)^{-1} with the
 *         heat kernel exp(-||a - b||^2 / (2 t^2)), K_i between the neighbours,
 *         1 on its diagonal, and k_i from i to them. A function f of the samples
 *         is smooth where ||f - R f||^2 is small.
 */
rs_status rs_graph_local(rs_context *ctx, rs_data *X,
                         const rs_neighbours *near, int q, double t,
                         double ridge, rs_graph *R);

/* room for the rows of a matrix with that many entries */
rs_status rs_graph_init(rs_context *ctx, int n, size_t entries,
                        rs_graph *rows);
/* (A + A') / 2 for rows A in any order, without a diagonal */
rs_status rs_graph_symmetrised(rs_context *ctx, const rs_graph *A,
                               rs_graph *graph);

/* label[i] = 0, 1, ...: connected components in the order of their first
 * samples; returns their number. queue: n ints. */
int rs_graph_components(const rs_graph *graph, int *label, int *queue);

#endif
