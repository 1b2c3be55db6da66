/*
 * method/fspca.h: FSPCA, feature-sparsity constrained PCA,
 *
 *   max tr(W'SW)  subject to  W'W = I_m, at most k nonzero rows.
 *
 * For a set I of k features the best W holds the m leading eigenvectors of
 * S[I, I]; what is left is to find I.
 */
#ifndef RS_FSPCA_H
#define RS_FSPCA_H

#include "base/history.h"
#include "solve/subpca.h"

typedef struct {
    int *subset;        /* k features, ascending */
    double *V;          /* k x m: the basis on the subset */
    double *values;     /* m leading eigenvalues of S[I, I] */
    double *scores;     /* d: what a feature adds to the surrogate objective */
    rs_history history; /* -tr(W'SW) */
    int is_global;      /* the subset is known to be optimal */
    double nodes;       /* subsets looked at by the exact search */
    /* from the caller; d: features that are in the subset in any case, or NULL
     */
    const unsigned char *first;
} rs_fspca_fit;

/*
 * Go: the k largest diagonal entries of the best rank-m approximation of S,
 * given by its m leading eigenpairs. Optimal when rank(S) <= m.
 */
rs_status rs_fspca_go(rs_context *ctx, rs_covop *op, int k, int m,
                      const double *values, const double *vectors,
                      rs_fspca_fit *fit);

/*
 * IPU, iterative projection updates, from the set of Go: the k largest
 * diagonal entries of P = S W (W'SW)^+ W'S, until the set stays.
 */
rs_status rs_fspca_ipu(rs_context *ctx, rs_covop *op, int k, int m,
                       const double *values, const double *vectors, int maxit,
                       rs_fspca_fit *fit);

/*
 * Branch and bound over all subsets; `op` must hold S explicitly. fit->subset
 * is the first candidate on entry.
 */
rs_status rs_fspca_exact(rs_context *ctx, rs_covop *op, int k, int m,
                         rs_fspca_fit *fit);

#endif
