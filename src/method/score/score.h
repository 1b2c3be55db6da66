/*
 * method/score/score.h: scores of the features by their correlations, and of
 * classes.
 */
#ifndef RS_SCORE_H
#define RS_SCORE_H

#include "base/history.h"
#include "data/covop.h"

/*
 * covariance thresholding (Krauthgamer, Nadler and Vilenchik,
 * 2015). The correlations c_ij of the features, i != j, that are beyond a cut
 * stay, as they are (hard) or nearer to zero by it (soft):
 *
 *     T_ij = c_ij 1[|c_ij| > cut]   or   sign(c_ij) (|c_ij| - cut)_+,
 *
 * and the leading eigenvector of T scores the features. The diagonal would add
 * the same number to every eigenvalue.
 */

typedef struct {
    double cut;
    int soft;
    double room;       /* most entries of T, above the diagonal, to be kept */
    const int *usable; /* d: 0 for constant features */
    double tol;        /* of the eigenvector, see eigen/ritz.h */
    int maxit;
} rs_covth_settings;

typedef struct {
    double *score;     /* d: norm of its row in the leading eigenspace */
    double *vector;    /* d: the eigenvector, where there is one */
    double *strongest; /* d: largest |c_ij| over the other features */
    double survivors;  /* entries of T above the diagonal */
    int kept;          /* was there room for them? Without it no scores */
    double value;      /* leading eigenvalue of T, 0 where T is */
    int multiplicity;  /* of that */
    int components;    /* groups of features that T connects */
    double residual;   /* ||Tv - value v|| / value */
} rs_covth_fit;

/* op: made for products with RS_PANEL columns. RS_MAXIT: the eigenvector
 * is less accurate than asked for */
rs_status rs_covth(rs_covop *op, const rs_covth_settings *set,
                   rs_covth_fit *fit);

/*
 * infinite latent feature selection (Roffo, Melzi, Castellani and
 * Vinciarelli, 2017), in closed form. For feature j, with class means mu_c,
 *
 *     p_i = (x_i - mu_{y_i})^2 / sum_c (x_i - mu_c)^2
 *
 * is counted on equally spaced edges between its extremes: N_t of the tokens
 * t = 1, ..., T. The tokens come with probability a_t from a relevant feature,
 * with probability b_t from another one, both fixed, and pi_j, the probability
 * of relevance, is what EM makes of
 *
 *     l_j(pi) = sum_t N_t log(pi a_t + (1 - pi) b_t).
 *
 * The graph of the method has the adjacency pi pi', of rank one, so that the
 * energies of all its paths are proportional to pi_j.
 */
typedef struct {
    const int *class; /* n: 0 .. classes - 1, none of them empty */
    int classes, tokens;
    double tol; /* relative change of the objective */
    int maxit;  /* steps of EM */
} rs_ilfs_problem;

/* pi (d); counts (tokens x d); the history holds -sum_j l_j at the start and
 * after each step */
rs_status rs_ilfs(rs_context *ctx, const rs_data *X, const rs_ilfs_problem *p,
                  double *pi, double *counts, rs_history *history);

#endif
