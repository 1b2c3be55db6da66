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
#include "data/covop.h"

#define RS_FSPCA_ENDS 3

typedef enum {
    /* projection updates from several sets, for the best ends as starts of
     * exchanges */
    RS_FSPCA_STARTS = 0,
    /* Go: the k largest diagonal entries of the best rank-m approximation of
     * S; optimal where rank(S) <= m */
    RS_FSPCA_GO,
    /* iterative projection updates, from the set of Go: the k largest diagonal
     * entries of P = S W (W'SW)^+ W'S, until the set stays */
    RS_FSPCA_IPU,
    RS_FSPCA_GIVEN /* the first of the given sets */
} rs_fspca_solver;

typedef struct {
    rs_fspca_solver solver;
    int k, m;
    const double *values, *vectors; /* the m leading eigenpairs of S */
    const unsigned char *first;     /* d: in the subset in any case; or NULL */
    int maxit;                      /* projection updates from a start */
    /* of starts alone */
    int count;         /* further sets */
    const int *starts; /* k x count features */
    double seconds;    /* that the updates may take; INFINITY: any */
} rs_fspca_settings;

typedef struct {
    int *subset;        /* k features, ascending */
    double *V;          /* k x m: the basis on the subset */
    double *values;     /* m leading eigenvalues of S[I, I] */
    double *scores;     /* d: what a feature adds to the surrogate objective */
    rs_history history; /* -tr(W'SW) */
    int count, *ends;   /* k x RS_FSPCA_ENDS: the best ends, so many */
    int is_global;      /* the subset is known to be optimal */
} rs_fspca_fit;

rs_status rs_fspca(rs_context *ctx, rs_covop *op,
                   const rs_fspca_settings *settings, rs_fspca_fit *fit);

#endif
