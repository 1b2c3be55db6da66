/*
 * method/kmeans/kmeans.h: feature selection derived from k-means (Sun, Ding,
 * Fan).
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
 * which the k largest diagonal entries solve.
 */
#ifndef RS_KMEANS_H
#define RS_KMEANS_H

#include "base/history.h"
#include "data/data.h"

/* The published ADMM for (8), relaxed to orthonormal matrices with k nonzero rows. */
typedef enum { RS_ADMM_BILINEAR = 0, RS_ADMM_QUADRATIC = 1 } rs_admm_form;

typedef struct {
    int d, rank, k;
    const double *P;       /* d x rank, orthonormal */
    const double *squares; /* rank: those of Sigma */
    const double *start;   /* d x k, made orthonormal column by column */
    const double *tie;     /* d: the features' order among equals */
    rs_admm_form form;
    double mu, rho, mu_max; /* penalty, its growth, its limit */
    int patience;           /* stop after so many unchanged sets */
    int maxit;
} rs_admm_problem;

typedef struct {
    int *selected;      /* k, best first */
    double *scores;     /* d: row norms of V + Gamma / mu at the end */
    rs_history history; /* -sum A_ii over the set of each iteration */
    double *norms;      /* ||V|| of each iteration, maxit */
    double gap_U;       /* ||V - U|| / sqrt(k) at the end */
    double gap_W;       /* ||V - W|| / sqrt(k) at the end */
} rs_admm_fit;

rs_status rs_kmeans_admm(rs_context *ctx, const rs_admm_problem *p,
                         rs_admm_fit *fit);

/*
 * k-means and the choice of k features in turn, for (7), from one start to a
 * pair of clustering and set that neither step improves. With all features k is
 * d, and this is k-means.
 */
typedef struct {
    rs_data *X; /* for products with `clusters` columns */
    int clusters, k;
    int size;            /* features of the first k-means */
    const int *features; /* 0-based, `size` of them */
    const int *rows;     /* 0-based, `clusters` samples: the first centres */
    const double *tie;   /* d: orders features of equal squares */
    const unsigned char *first; /* d: chosen in any case, or NULL */
    /* sets of at most so many numbers (never fewer than k features) are copied
     * for their k-means, larger ones are clustered through products with Z,
     * without the single exchanges */
    double room;
    int rounds; /* of a k-means */
    int maxit;
} rs_alternate_problem;

typedef struct {
    int *labels;        /* n, 0-based */
    double *between;    /* d: ||Z_i'G||^2 */
    int *selected;      /* k, ascending */
    rs_history history; /* -(7) after each round on k features */
} rs_alternate_fit;

rs_status rs_alternate(rs_context *ctx, const rs_alternate_problem *p,
                       rs_alternate_fit *fit);

#endif
