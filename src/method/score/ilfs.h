/*
 * method/score/ilfs.h: infinite latent feature selection (Roffo, Melzi, Castellani and
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
#ifndef RS_ILFS_H
#define RS_ILFS_H

#include "base/history.h"
#include "data/data.h"

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
