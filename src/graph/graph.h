/*
 * graph/graph.h: weighted graphs of the samples, from their neighbours, and what
 * is smooth on them.
 */
#ifndef RS_GRAPH_H
#define RS_GRAPH_H

#include "data/data.h"

/* ---- neighbours (neighbours.c) --------------------------------------------- */

/*
 * The nearest neighbours of every sample, exactly, from
 * blocked products of the data with their own rows; never n x n numbers.
 *
 * Several metrics share the inner products. These give squared distances as
 * ||a||^2 + ||b||^2 - 2 a'b, with a rounding error that is bounded but may be
 * all there is of the distance of near copies: whatever the bound leaves open
 * is computed again from the differences of the rows. Copies of a row are
 * therefore at distance 0 exactly.
 *
 * Distances that differ by no more than the rounding of these differences,
 *     eps (4 (||a|| + ||b||) + (16 + d / 4) distance),
 * count as equal and are given the same value, so that rounding orders
 * nothing. Data are expected in a unit in which their squares are ordinary
 * numbers.
 */
typedef enum {
    RS_EUCLIDEAN,
    RS_COSINE_DISTANCE /* Euclidean between rows divided by their norms; a row
                        * of zeros stays zero */
} rs_metric;

/* what a metric makes of the rows: a_i = factor_i z_i */
typedef struct {
    double *factor; /* n */
    double *square; /* n: ||a_i||^2 */
} rs_metric_rows;

/* squares (n): ||z_i||^2 */
rs_status rs_metric_rows_init(rs_context *ctx, int n, rs_metric metric,
                              const double *squares, rs_metric_rows *rows);

/*
 * Row i has the neighbours index[start[i]], ..., index[start[i + 1] - 1], by
 * distance, then by index, itself left out. At least k of them: exactly k
 * where ties = 0, else all at the k-th distance. Lists that come from
 * elsewhere (approximate, or given) may take the same form.
 */
typedef struct {
    int n, k;
    int ties;
    size_t *start; /* n + 1 */
    int *index;
    double *distance;
    double largest; /* distance of all pairs, not of neighbours alone */
    double mean; /* of the n x n distances, zeros of the diagonal included */
} rs_neighbours;

/* widest product that the search asks of the data; narrower ones will do */
int rs_neighbours_block(int n, int d);
/* the same, up to `most`, where every product reads the data, or sparse columns, again */
int rs_neighbours_wide_block(int n, int d, int most);

/*
 * found[a] <- the k nearest neighbours (1 <= k < n) by metric[a]. With ties the
 * order of the rows decides nothing; without, ties go by index. RS_TOO_MANY_TIES
 * where more pairs tie than can be kept: 2^25, or 64 n k if that is more.
 */
rs_status rs_neighbours_find(rs_context *ctx, rs_data *X, int k, int ties,
                             int metrics, const rs_metric *metric,
                             rs_neighbours *found);

/* rows (d x (q + 1)) = sample i and its q nearest, less sample i, which is 0;
 * member (q + 1): their numbers */
rs_status rs_neighbourhood(const rs_data *X, const rs_neighbours *near, int i,
                           int q, int *member, double *rows);

/* ---- edges and weights (graph.c) ------------------------------------------- */

/*
 * A sparse matrix by rows, columns ascending, without a diagonal. Symmetric
 * wherever it is called a graph; every weight is above 0.
 */
typedef struct {
    int n;
    size_t *start; /* n + 1 */
    int *index;
    double *weight;
} rs_graph;

/*
 * The weight of the edge ij, of length d_ij:
 *
 * binary       1
 * heat         exp(-d_ij^2 / (2 t^2))
 * self-tuning  exp(-d_ij^2 / (s_i s_j)), s_i the distance of the q-th
 *              neighbour of i, at least RS_LEAST_SCALE of the largest of all
 * CAN          (a_ij + a_ji) / 2, where a_i lies on the simplex and minimises
 *              sum_j (d_ij^2 a_ij + c_i a_ij^2) with the c_i at which q weights
 *              are positive: (D_(q+1) - D_j) / (q D_(q+1) - sum_h<=q D_(h)),
 *              D the squared distances; 1/q each where q + 1 of them agree (all
 *              in the list at that distance share alike)
 */
#define RS_LEAST_SCALE 1e-6
typedef enum {
    RS_WEIGHTS_BINARY,
    RS_WEIGHTS_HEAT,
    RS_WEIGHTS_SELF_TUNING,
    RS_WEIGHTS_CAN
} rs_graph_weights;

typedef struct {
    rs_graph_weights weights;
    int neighbours; /* q, at most the k of the lists; CAN looks one further and
                     * takes q + 1 <= k unless q = n - 1 */
    int mutual; /* i and j among the neighbours of each other, not of one */
    double t;   /* of the heat; 0: the mean of the n x n distances */
} rs_graph_settings;

/*
 * The graph that joins i and j where one is among the q neighbours of the
 * other (both, if mutual). In lists with ties these are all at the q-th
 * distance, so that the order of the samples decides nothing.
 */
rs_status rs_graph_build(rs_context *ctx, const rs_neighbours *near,
                         const rs_graph_settings *settings, rs_graph *graph);

/*
 * Weights of the q nearest neighbours of every sample, of any sign and not
 * symmetric, from the differences z_j - z_i. ridge > 0.
 *
 * t = 0   row i reconstructs sample i: it minimises ||z_i - sum_j r_ij z_j||^2 +
 *         ridge tr(G_i) ||r_i||^2 with sum_j r_ij = 1, G_i the Gram matrix of
 *         the differences
 * t > 0   row i predicts it by kernel ridge regression, the matrix of local
 *         learning (Wu and Schoelkopf, 2007): k_i'(K_i + ridge I)^{-1} with the
 *         heat kernel exp(-||a - b||^2 / (2 t^2)), K_i between the neighbours,
 *         1 on its diagonal, and k_i from i to them. A function f of the samples
 *         is smooth where ||f - R f||^2 is small.
 */
rs_status rs_graph_local(rs_context *ctx, rs_data *X,
                         const rs_neighbours *near, int q, double t,
                         double ridge, rs_graph *R);

/* row (count) <- the CAN weights of these distances, next: the (q + 1)-th; what the
 * first q were divided by */
double rs_can_weights(int q, size_t count, double next, double *row);
/* room for the rows of a matrix with that many entries */
rs_status rs_graph_init(rs_context *ctx, int n, size_t entries,
                        rs_graph *rows);
/* (A + A') / 2 for rows A in any order, without a diagonal */
rs_status rs_graph_symmetrised(rs_context *ctx, const rs_graph *A,
                               rs_graph *graph);

/* label[i] = 0, 1, ...: connected components in the order of their first
 * samples; returns their number. queue: n ints. */
int rs_graph_components(const rs_graph *graph, int *label, int *queue);

/* ---- Laplacians (laplacian.c) ---------------------------------------------- */

/*
 * Laplacians of a graph as operators, regularised if
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
    int isolated;             /* samples of degree 0 */
    double *weight;           /* entries of B, in the order of those of W */
    double *diagonal, *scale; /* n */
    double *sums;             /* n: scratch of products */
    rs_context *ctx;
} rs_laplacian;

/* the graph is kept by reference */
rs_status rs_laplacian_init(rs_context *ctx, const rs_graph *W, double tau,
                            rs_laplacian_kind kind, rs_laplacian *L);
/* LV = L V, both n x m; an rs_apply_fn with an rs_laplacian as its state */
rs_status rs_laplacian_apply(void *L, int m, const double *V, double *LV);
/* the same with the m <= n numbers of a sample side by side, V and LV m x n: a fraction of the time for wide blocks */
rs_status rs_laplacian_apply_rows(void *L, int m, const double *V, double *LV);
/* M = L entry by entry, of every row the diagonal first, zeros included, where c =
 * 0; RS_BAD_INPUT otherwise */
rs_status rs_laplacian_matrix(rs_context *ctx, const rs_laplacian *L,
                              rs_graph *M);
/* v (n) = the eigenvector of norm 1 of the eigenvalue 0 that every graph has:
 * D^{1/2}1 of the symmetric kind, 1 of the other */
void rs_laplacian_trivial(const rs_laplacian *L, double *v);

/* ---- embeddings (embedding.c) ---------------------------------------------- */

/*
 * The smoothest vectors on a graph: the m smallest eigenpairs of L beside the
 * trivial one that every graph has (rs_laplacian_trivial()), values ascending,
 * V (n x m) with columns of norm 1, residual (m): ||L v - value v||. Of k
 * components there are k - 1 further zeros among the values, with any basis of
 * their space. m < n. tol is on the residuals, relative to the largest
 * eigenvalue that L can have.
 *
 * RS_MAXIT after maxit rounds of filtering: the best pairs found.
 */
rs_status rs_embedding(rs_context *ctx, rs_laplacian *L, int m, double tol,
                       int maxit, double *values, double *V, double *residual);

/* ---- roughness (laplacian.c) ----------------------------------------------- */

/*
 * How much features vary along the edges of a graph, and between samples that
 * are weighed by their degrees.
 *
 * The variation along the edges over that between the samples is the Laplacian
 * score (He, Cai and Niyogi, 2005), 0 .. 2:
 *
 *     f'Lf / (f'Df - (f'D1)^2 / sum deg),
 *
 * of the columns f of Z, with the weights W, the degrees W1 and D = diag(W1).
 */
typedef struct {
    double total;     /* sum of the degrees */
    double *sum;      /* d: f'D1 */
    double *square;   /* d: f'Df */
    double *rough;    /* d: f'(D - W)f */
    double *relative; /* d: the score; 2, the worst, for a feature that is
                       * constant where there are edges */
} rs_roughness;

/* L: unnormalised; the arrays are the caller's */
rs_status rs_roughness_on(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                          rs_roughness *r);

/* ---- local discriminants (local_discriminant.c) ---------------------------- */

/*
 * How badly linear functions of the samples
 * separate them within neighbourhoods (Yang et al., 2011). Neighbourhood i
 * holds sample i and its q nearest; with their rows X_i centred, Z_i = C X_i,
 * C = I - 11'/(q + 1),
 *
 *     N = sum_i E_i C (Z_i Z_i' + lambda I)^{-1} C E_i',
 *
 * E_i scattering the q + 1 numbers into n. The matrix in brackets belongs to
 * the samples, not to the features, whichever are fewer: it serves any d. N is
 * positive semidefinite, N1 = 0, and kept as its n dense pieces.
 */
typedef struct {
    int n, size;    /* size: q + 1 */
    int *index;     /* size x n: the members, sample i the first of the i-th */
    double *piece;  /* size x size x n: C (Z_i Z_i' + lambda I)^{-1} C */
    double scatter; /* mean of tr(Z_i Z_i') / q */
    double *values; /* size: scratch of products */
    rs_context *ctx;
} rs_local_discriminant;

/* the pieces, and the scatter; *lambda > 0, which `relative` multiplies by the scatter
 * unless that is 0 */
rs_status rs_local_init(rs_context *ctx, rs_data *X, const rs_neighbours *near,
                        int q, int relative, double *lambda,
                        rs_local_discriminant *N);
/* NV = N V, both n x m; an rs_apply_fn */
rs_status rs_local_apply(void *N, int m, const double *V, double *NV);

/* ---- landmarks (landmarks.c) ----------------------------------------------- */

/*
 * Graphs of many samples by way of a part of them. The
 * graph joins the landmarks alone; every sample knows the landmarks that are
 * nearest to it, and takes a vector on the graph as the mean of their values,
 * weighted as its edges to them would be.
 *
 * The inner products of the landmarks with all samples are computed in tiles of
 * landmarks: O(n L d) for L landmarks, and O(n k + L d) numbers.
 */
/*
 * The k nearest landmarks of every sample, the nearest first; of equally near ones
 * the first. The distances are as accurate as the inner products make them: only
 * landmarks are compared again from their differences. A landmark is its own nearest.
 */
typedef struct {
    int n, k;
    int *index;       /* n x k: landmarks, by their number */
    double *distance; /* n x k */
} rs_nearest_landmarks;

/* row (count, ascending): the landmarks; among[a] <- their neighbours among
 * themselves by metric[a], as rs_neighbours_find() gives them with ties; of_all[a]
 * <- the nearest ones of every sample. k < count. */
rs_status rs_landmarks_find(rs_data *X, int count, const int *row, int k,
                            int metrics, const rs_metric *metric,
                            rs_neighbours *among,
                            rs_nearest_landmarks *of_all);

/* ---- graphs that are learned (adaptive.c) ---------------------------------- */

/*
 * Graphs that a method learns along with its directions.
 * Every sample spreads a weight of 1 over a few others. Row a_i minimises
 *
 *     sum_j (e_ij a_ij + alpha a_ij^2)   over the simplex,
 *     e_ij = ||z_i - z_j||^2 + lambda ||f_i - f_j||^2,
 *
 * over candidates that the caller names: the projection of -e_i / (2 alpha).
 * A sample is never among its own neighbours; one without candidates keeps an
 * empty row. With a graph A_0 to stay near, alpha (a_ij - a0_ij)^2 takes the
 * place of alpha a_ij^2, and a0_i - e_i / (2 alpha) is projected.
 */
typedef struct {
    int n, k;       /* at most k neighbours each */
    int *count;     /* n */
    int *index;     /* k x n */
    double *weight; /* k x n */
    double alpha;
    const double *centre; /* k x n: A_0 on the candidates; NULL: none */
    double *cost;         /* k: scratch */
} rs_adaptive;

/* Z is n x m; F n x c, or NULL */
typedef struct {
    int m, c;
    const double *Z, *F;
    double lambda;
} rs_adaptive_space;

/*
 * The CAN weights of the k nearest (above), the solution for squared distances as the
 * e_ij with an alpha_i of each row; alpha is their mean over the rows that have a (k
 * + 1)-th neighbour. Lists may be shorter than k. There is no centre.
 */
rs_status rs_adaptive_start(rs_context *ctx, const rs_neighbours *near, int k,
                            rs_adaptive *A);
/* every row over its first k in `near`. Where these are the k of smallest e_ij,
 * no row with k weights is better. */
rs_status rs_adaptive_update(const rs_adaptive_space *space,
                             const rs_neighbours *near, rs_adaptive *A);
/* sum_ij e_ij a_ij, without alpha */
double rs_adaptive_cost(const rs_adaptive_space *space, const rs_adaptive *A);
/* sum_ij a_ij^2, or (a_ij - a0_ij)^2 */
double rs_adaptive_square(const rs_adaptive *A);
/* (A + A') / 2 */
rs_status rs_adaptive_graph(rs_context *ctx, const rs_adaptive *A,
                            rs_graph *graph);
/* L (n x n): the Laplacian of (A + A') / 2 */
void rs_adaptive_laplacian(const rs_adaptive *A, double *L);
/* the k nearest among all samples, or, with `label` (0, ..., n), among those of
 * the same label, by the rows of Z (n x m); lists may be shorter than k */
rs_status rs_adaptive_near(rs_context *ctx, int n, int m, const double *Z,
                           int k, const int *label, rs_neighbours *near);

#endif
