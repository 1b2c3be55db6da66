/*
 * method/kmeans/admm.h: feature selection derived from k-means (Sun, Ding, Fan).
 *
 * With G (n x clusters) the normalised indicator of a clustering and s a set
 * of k features, the problem is
 *
 *     max  sum_{i in s} ||Z_i'G||^2   over sets s and clusterings G.      (7)
 *
 * Replacing G by the leading left singular vectors of Z = U Sigma P' gives
 *
 *     max  sum_{i in s} A_ii,  A = P Sigma^2 P' (first `clusters` columns), (8)
 *
 * which the k largest diagonal entries solve. Here is the published ADMM for
 * (8), relaxed to orthonormal matrices with k nonzero rows; for (7) itself see
 * method/kmeans/alternate.h.
 */
#ifndef RS_KMEANS_ADMM_H
#define RS_KMEANS_ADMM_H

#include "base/history.h"

typedef enum { RS_ADMM_BILINEAR = 0, RS_ADMM_QUADRATIC = 1 } rs_admm_form;

typedef struct {
    rs_admm_form form;
    double mu, rho, mu_max; /* penalty, its growth, its limit */
    int patience;           /* stop after so many unchanged sets */
    int maxit;
    const double *tie; /* d: the features' order among equals */
} rs_admm_settings;

typedef struct {
    int *selected;      /* k, best first */
    double *scores;     /* d: row norms of V + Gamma / mu at the end */
    rs_history history; /* -sum A_ii over the set of each iteration */
    double *norms;      /* ||V|| of each iteration, maxit */
    double gap_U;       /* ||V - U|| / sqrt(k) at the end */
    double gap_W;       /* ||V - W|| / sqrt(k) at the end */
    int blown_up;       /* ||V|| passed RS_ADMM_BLOW_UP times its constraint */
} rs_admm_fit;

/* the norm of V beyond which it has left the scale of the problem */
#define RS_ADMM_BLOW_UP 1e3

/*
 * P (d x rank, orthonormal) and squares (rank) give A; k features; start
 * (d x k) is made orthonormal column by column.
 */
rs_status rs_kmeans_admm(rs_context *ctx, int d, int rank, int k,
                         const double *P, const double *squares,
                         const double *start, const rs_admm_settings *settings,
                         rs_admm_fit *fit);

#endif
