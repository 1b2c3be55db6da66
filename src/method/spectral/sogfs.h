/*
 * method/spectral/sogfs.h: SOGFS (Nie, Zhu and Li, 2016), a graph of the samples learned
 * along with the directions in which neighbours are near:
 *
 *     min  tr(W'Z'LZW) + (alpha / 2) sum_ij a_ij^2
 *          + gamma sum_j ||w_j||^p + lambda tr(F'LF),
 *
 * rows of A on the simplex, L the Laplacian of (A + A')/2, W'W = I_m, and
 * F'F = I_c, which drives the graph to c components. Half of the published sum,
 * with a gamma that is half of the published one.
 *
 * A round updates A, W (eigen/minor.h) and F in turn, each of which lowers the
 * objective at the present lambda; then lambda grows by a factor where the
 * graph has too few components, and falls where it has too many. The factor is
 * 2, and its root at every change of direction after the first.
 */
#ifndef RS_SOGFS_H
#define RS_SOGFS_H

#include "graph/adaptive.h"
#include "method/spectral/directions.h"

typedef struct {
    rs_directions_problem base;
    const rs_neighbours *near; /* neighbours + 1 of each sample */
    int clusters;              /* below n */
    int rounds; /* with candidates by the data; then by the e_ij */
} rs_sogfs_problem;

/* what each round did */
typedef struct {
    double lambda;
    double before, after; /* objective at that lambda */
    double lowest;        /* sum of the c smallest eigenvalues of L */
    double lowest_next;   /* and of c + 1 */
    int steps;            /* of W */
} rs_sogfs_round;

typedef struct {
    rs_directions_fit base; /* history: objective at the lambda of the round */
    rs_adaptive A;
    double *F; /* n x c */
    rs_sogfs_round *round;
    int rounds;
    int *label;     /* n: components of the graph */
    int components; /* their number */
    int alternates; /* lambda went up and down to no end */
} rs_sogfs_fit;

rs_status rs_sogfs(rs_context *ctx, const rs_sogfs_problem *p,
                   rs_sogfs_fit *fit);

#endif
