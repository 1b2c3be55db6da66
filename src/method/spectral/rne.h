/*
 * method/spectral/rne.h: robust neighbourhood embedding (Liu et al., 2020),
 *
 *     min  F(H) = ||BH||_1 + (alpha / 4) ||H'H - I||^2   over H (d x k) >= 0,
 *
 * B = (I - R) Z with the weights R that reconstruct each sample from its
 * neighbours (graph/graph.h), or B = (I - R')(Z + 1 mean'). By the method of
 * multipliers on M = BH, with a penalty g that grows; the step for H is
 * projected gradient, Barzilai-Borwein steps and the minimum of the polynomial
 * between them, by products with B and B' alone. F need not fall: the best H is
 * kept.
 */
#ifndef RS_RNE_H
#define RS_RNE_H

#include "base/history.h"
#include "graph/graph.h"

typedef struct {
    int k;
    double alpha;
    double penalty, growth; /* g at the start, and its factor in a round */
    const double *mean;     /* d: with R' for R; NULL: with R */
    double tol;
    int maxit;
    double inner_tol;
    int inner_maxit;
} rs_rne_settings;

typedef struct {
    double *H;          /* d x k: the start, and the best */
    rs_history history; /* lowest F so far */
    double residual;    /* ||M - BH|| / ||BH|| at the end */
} rs_rne_fit;

/* X: made for k columns */
rs_status rs_rne(rs_context *ctx, const rs_data *X, const rs_graph *R,
                 const rs_rne_settings *settings, rs_rne_fit *fit);

#endif
