/*
 * method/fspca/fspca.h: FSPCA, feature-sparsity constrained PCA,
 *
 *   max tr(W'SW)  subject to  W'W = I_m, at most k nonzero rows.
 *
 * For a set I of k features the best W holds the m leading eigenvectors of
 * S[I, I]; what is left is to find I.
 */
#ifndef RS_FSPCA_H
#define RS_FSPCA_H

#include "base/history.h"
#include "eigen/subpca.h"
#include "sets/trace_subset.h"

typedef struct {
    int *subset;        /* k features, ascending */
    double *V;          /* k x m: the basis on the subset */
    double *values;     /* m leading eigenvalues of S[I, I] */
    double *scores;     /* d: what a feature adds to the surrogate objective */
    rs_history history; /* -tr(W'SW) */
    int is_global;      /* the subset is known to be optimal */
    /* from the caller; d: features that are in the subset in any case, or NULL
     */
    const unsigned char *first;
} rs_fspca_fit;

/* the problem as one of traces on subsets */
typedef struct {
    rs_covop *op;
    rs_fspca_fit *fit;
    rs_subpca_ws subpca;
    rs_trace_ws trace;
} rs_fspca_state;

/* room for so many values of the objective */
rs_status rs_fspca_begin(rs_context *ctx, rs_covop *op, int k, int m,
                         int iterations, rs_fspca_fit *fit, rs_fspca_state *s);
/* the set of Go, and whether it is known to be optimal */
rs_status rs_fspca_choose_go(rs_fspca_state *s, const double *values,
                             const double *vectors);

/*
 * Go: the k largest diagonal entries of the best rank-m approximation of S,
 * given by its m leading eigenpairs. Optimal when rank(S) <= m.
 */
rs_status rs_fspca_go(rs_context *ctx, rs_covop *op, int k, int m,
                      const double *values, const double *vectors,
                      rs_fspca_fit *fit);

/* the given set: what belongs to it, with the scores of the next update */
rs_status rs_fspca_given(rs_context *ctx, rs_covop *op, int k, int m,
                         const int *set, rs_fspca_fit *fit);

/*
 * IPU, iterative projection updates, from the set of Go: the k largest
 * diagonal entries of P = S W (W'SW)^+ W'S, until the set stays.
 */
rs_status rs_fspca_ipu(rs_context *ctx, rs_covop *op, int k, int m,
                       const double *values, const double *vectors, int maxit,
                       rs_fspca_fit *fit);

#endif
