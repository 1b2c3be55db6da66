/*
 * graph/local_learning.h: every sample predicted from its neighbours by kernel
 * ridge regression, the matrix of local learning (Wu and Schoelkopf, 2007).
 *
 * Row i of A holds k_i'(K_i + ridge I)^{-1} on the neighbours of i, with the
 * heat kernel exp(-||a - b||^2 / (2 t^2)): K_i between the neighbours, 1 on its
 * diagonal, and k_i from i to them. A function f of the samples is smooth where
 * ||f - A f||^2 = f'(I - A)'(I - A) f is small.
 */
#ifndef RS_LOCAL_LEARNING_H
#define RS_LOCAL_LEARNING_H

#include "graph/graph.h"

/* A <- rows of the first `neighbours` of each list, in that order; weights of
 * any sign, not symmetric; t > 0 and ridge > 0 in the units of X */
rs_status rs_local_learning(rs_context *ctx, rs_data *X,
                            const rs_neighbours *near, int neighbours,
                            double t, double ridge, rs_graph *A);

#endif
