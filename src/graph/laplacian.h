/*
 * graph/laplacian.h: Laplacians of a graph as operators, regularised if
 * wanted: tau times the mean degree is spread evenly over all n x n entries,
 * which joins small components (Amini et al., 2013). Nothing of size n x n.
 *
 * With A = W + c 11', c = tau mean(W1) / n, and D = diag(A1):
 *
 * symmetric     I - D^{-1/2} A D^{-1/2}
 * unnormalised  D - A
 *
 * A sample without edges (degree 0, possible where tau = 0) has zeros in its
 * row of every one of them, the diagonal included, and is a component.
 */
#ifndef RS_LAPLACIAN_H
#define RS_LAPLACIAN_H

#include "graph/graph.h"

typedef enum {
    RS_LAPLACIAN_SYMMETRIC,
    RS_LAPLACIAN_UNNORMALIZED
} rs_laplacian_kind;

/* L = diag(diagonal) - B - c scale scale', B = diag(scale) W diag(scale) */
typedef struct {
    const rs_graph *W;
    rs_laplacian_kind kind;
    double constant;          /* c */
    double *degree;           /* n: the diagonal of D */
    double *root;             /* n: 1 / sqrt(degree), 0 where that is 0 */
    int isolated;             /* samples of degree 0 */
    double *weight;           /* entries of B, in the order of those of W */
    double *diagonal, *scale; /* n */
    double *sums;             /* block: scratch of products */
    int block;
    rs_context *ctx;
} rs_laplacian;

/* the graph is kept by reference; block: the widest product by rows */
rs_status rs_laplacian_init(rs_context *ctx, const rs_graph *W, double tau,
                            rs_laplacian_kind kind, int block,
                            rs_laplacian *L);
/* LV = L V, both n x m; an rs_apply_fn with an rs_laplacian as its state */
rs_status rs_laplacian_apply(void *L, int m, const double *V, double *LV);
/* the same with the m <= block numbers of a sample side by side, V and LV
 * m x n: a fraction of the time for wide blocks */
rs_status rs_laplacian_apply_rows(void *L, int m, const double *V, double *LV);
/* M = L entry by entry, zeros on the diagonal included, where c = 0;
 * RS_BAD_INPUT otherwise. M holds its diagonal, and entries of both signs. */
rs_status rs_laplacian_matrix(rs_context *ctx, const rs_laplacian *L,
                              rs_graph *M);
/* no eigenvalue of L is larger */
double rs_laplacian_bound(const rs_laplacian *L);
/* v (n) = the eigenvector of norm 1 of the eigenvalue 0 that every graph has:
 * D^{1/2}1 of the symmetric kind, 1 of the other */
void rs_laplacian_trivial(const rs_laplacian *L, double *v);

#endif
