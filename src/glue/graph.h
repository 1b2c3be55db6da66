/*
 * glue/graph.h: graphs that come back from R.
 */
#ifndef R_GRAPH_H
#define R_GRAPH_H

#include <Rinternals.h>

#include "graph/graph.h"
#include "glue/result.h"

/* columns of the products that a search for neighbours among `joined` samples
 * asks for */
int r_neighbours_block(SEXP data, int joined);
/* the list of one metric that C_neighbours() returns, checked */
rs_neighbours r_neighbours(SEXP list, rs_context *ctx);
/* the list that C_graph() returns, checked */
rs_graph r_graph(SEXP list, rs_context *ctx);
/* the elements start and index of such a list, checked; may a row hold itself? */
size_t *r_rows(SEXP list, int n, int loops, int **index, rs_context *ctx);
/* a graph as a list, as r_graph() reads it */
SEXP r_graph_list(const rs_graph *graph);
/* settings: laplacian, regularization; `block` is the widest product */
void r_laplacian(const rs_graph *graph, SEXP settings, int block,
                 rs_context *ctx, rs_laplacian *L);
/* the symmetric Laplacian of a graph of n samples, not regularised */
rs_laplacian *r_symmetric_laplacian(SEXP list, int n, rs_context *ctx);
/* index and weight of the rows, k x n, before they are made symmetric; 0 where
 * there is none */
void r_add_adaptive(r_result *out, const rs_adaptive *A);

#endif
