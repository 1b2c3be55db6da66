/*
 * method/kmeans_ufs.h: feature selection derived from k-means (Sun, Ding, Fan).
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
 * which the k largest diagonal entries solve. The two solvers here are the
 * published ADMM for (8), relaxed to orthonormal matrices with k nonzero rows,
 * and an alternation for (7) itself.
 */
#ifndef RS_KMEANS_UFS_H
#define RS_KMEANS_UFS_H

#include "base/history.h"
#include "data/data.h"

/* ---- ADMM for (8) ------------------------------------------------------- */

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

/* ---- alternation for (7) ------------------------------------------------ */

typedef struct {
    int size;            /* features of the first k-means */
    const int *features; /* 0-based, `size` of them */
    const int *rows;     /* 0-based, `clusters` samples: the first centres */
} rs_alternate_start;

typedef struct {
    int *labels;        /* n, 0-based */
    double *between;    /* d: ||Z_i'G||^2 */
    int *selected;      /* k, best first */
    rs_history history; /* -(7) after each round on k features */
} rs_alternate_fit;

typedef struct rs_alternate_ws rs_alternate_ws;

/*
 * X must provide `clusters` columns. Sets of at most `room` numbers (never
 * fewer than k features) are copied for their k-means, larger ones are
 * clustered through products with Z, without the single exchanges. tie (d)
 * orders features of equal between-cluster squares.
 */
rs_status rs_alternate_init(rs_context *ctx, rs_data *X, int clusters, int k,
                            int maxit, double room, const double *tie,
                            rs_alternate_ws **ws);
/* from one start to a pair of clustering and set that neither step improves */
rs_status rs_alternate(const rs_alternate_start *start, rs_alternate_fit *fit,
                       rs_alternate_ws *ws);

/* between (d) = diag(Z'GG'Z) of a clustering */
rs_status rs_between_squares(rs_context *ctx, const rs_data *X, int clusters,
                             const int *labels, double *between);

#endif
