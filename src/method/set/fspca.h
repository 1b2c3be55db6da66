/*
 * method/set/fspca.h: FSPCA, feature-sparsity constrained PCA,
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

typedef struct {
    int k, m;
    const unsigned char *first; /* d: in the subset in any case; or NULL */
    int maxit;                  /* projection updates from a start */
    int count;
    const int *starts; /* k x count features */
    double seconds;    /* for the starts after the first one; INFINITY: any */
} rs_fspca_settings;

typedef struct {
    int *subset;        /* k features, ascending: the best end */
    double *V;          /* k x m: the basis on the subset */
    double *values;     /* m leading eigenvalues of S[I, I] */
    double *scores;     /* d: diag P */
    rs_history history; /* -tr(W'SW) on the way to it */
    int count, *ends;   /* k x RS_FSPCA_ENDS: the best ends, so many */
} rs_fspca_fit;

/* iterative projection updates from each start: the k largest diagonal entries of
 * P = S W (W'SW)^+ W'S, until the set stays */
rs_status rs_fspca(rs_context *ctx, rs_covop *op,
                   const rs_fspca_settings *settings, rs_fspca_fit *fit);

#endif
