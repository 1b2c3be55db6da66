/*
 * method/spectral/rufs.h: robust unsupervised feature selection (Qian and Zhai, 2013),
 *
 *   f = sum_i ||x_i - g_i F|| + nu tr(G'LG) + alpha sum_i ||x_i W - g_i||
 *       + beta sum_j ||w_j|| + (zeta / 4) ||G'G - I||^2
 *
 * over G >= 0 (n x c), F >= 0 (c x d) and W (d x c). The norms of samples are
 * smoothed, ||v|| -> sqrt(||v||^2 + eps^2), and majorised by weighted squares
 * at the present point; a regression in W and multiplicative steps in F and G
 * then lower f one after the other.
 *
 * The first norm takes x_i >= 0, the features minus their minima: x_i + shift
 * for the centred x_i of the regression.
 */
#ifndef RS_RUFS_H
#define RS_RUFS_H

#include "base/history.h"
#include "data/data.h"
#include "graph/graph.h"

typedef struct {
    rs_data *X;
    const rs_graph *L; /* n x n, symmetric; entries of any sign, the diagonal
                        * among them */
    int c;             /* clusters */
    double alpha, beta, nu, zeta;
    double eps; /* of the norms in the first sum */
    double tol;
    int maxit;
} rs_rufs_problem;

typedef struct {
    double *G;          /* n x c: the start, then the end */
    double *W;          /* d x c */
    double *F;          /* d x c: the transpose of F */
    double *pull;       /* d: what penalty keeps a row of zeros at zero */
    double level;       /* largest row norm of the first W */
    double terms[5];    /* as in f, without nu, alpha, beta and zeta / 4 */
    rs_history history; /* f */
} rs_rufs_fit;

rs_status rs_rufs(rs_context *ctx, const rs_rufs_problem *problem,
                  rs_rufs_fit *fit);

#endif
