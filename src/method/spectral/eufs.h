/*
 * method/spectral/eufs.h: embedded unsupervised feature selection (Wang, Tang and Liu,
 * 2015),
 *
 *   f = sum_i ||x_i - u_i V'|| + alpha sum_j ||v_j|| + beta tr(U'LU),
 *   U'U = I, U >= 0 (n x c), V (d x c),
 *
 * by the alternating direction method of multipliers with E = X - U V', J = V
 * and Z = U >= 0. Its iterates meet the constraints in the limit only. The
 * guard makes a feasible point of each one: of Z the largest entry of every
 * sample, in columns of norm 1, with J; the best of these is returned.
 */
#ifndef RS_EUFS_H
#define RS_EUFS_H

#include "base/history.h"
#include "data/data.h"
#include "graph/laplacian.h"

typedef struct {
    rs_data *X;
    rs_laplacian *L;    /* symmetric kind */
    int c;              /* clusters */
    double size;        /* X is divided by it, above 0 */
    double alpha, beta; /* of the data that were divided */
    double mu, rho, largest_mu;
    double tol; /* of the relative residuals */
    int maxit;
} rs_eufs_problem;

typedef struct {
    double *U;          /* n x c: the start, feasible; the best feasible U */
    double *V;          /* d x c: the J beside it, of the divided data */
    double *pull;       /* d: what alpha keeps a row of zeros at zero */
    double level;       /* largest row norm of V at the start */
    double residual[3]; /* Z - U, J - V, E - (X - UV') at the end, relative */
    int best;           /* iteration of the best feasible point */
    rs_history history; /* f of the best feasible point so far */
} rs_eufs_fit;

rs_status rs_eufs(rs_context *ctx, const rs_eufs_problem *problem,
                  rs_eufs_fit *fit);

#endif
