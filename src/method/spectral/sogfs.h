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

#include "base/history.h"
#include "graph/adaptive.h"
#include "eigen/minor.h"
#include "solve/reweight.h"

typedef struct {
    int m, clusters, neighbours;
    double gamma;
    int relative_gamma; /* as in method/spectral/udfs.h */
    double p, eps;
    int rounds; /* with candidates by the data; then by the e_ij */
    int maxit;
    double inner_tol;
    int inner_maxit;
    const rs_row_groups *groups; /* rows penalised together, or NULL */
} rs_sogfs_settings;

/* what each round did */
typedef struct {
    double lambda;
    double before, after; /* objective at that lambda */
    double lowest;        /* sum of the c smallest eigenvalues of L */
    double lowest_next;   /* and of c + 1 */
    int steps;            /* of W */
} rs_sogfs_round;

typedef struct {
    rs_minor minor; /* W */
    rs_adaptive A;
    double *F; /* n x c */
    double gamma, eps;
    rs_history history; /* objective at the lambda of the round */
    rs_sogfs_round *round;
    int rounds;
    int *label;     /* n: components of the graph */
    int components; /* their number */
    int alternates; /* lambda went up and down to no end */
    double kkt;     /* of W */
} rs_sogfs_fit;

/* near: neighbours + 1 of each sample; square (d): as for rs_minor_init();
 * clusters < n */
rs_status rs_sogfs(rs_context *ctx, rs_data *X, const rs_neighbours *near,
                   const double *square, const rs_sogfs_settings *settings,
                   rs_sogfs_fit *fit);

#endif
