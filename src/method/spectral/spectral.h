/*
 * method/spectral/spectral.h: the methods on graphs of the samples: of each
 * its problem, what is found, and its solver.
 */
#ifndef RS_SPECTRAL_H
#define RS_SPECTRAL_H

#include "base/history.h"
#include "data/data.h"
#include "eigen/minor.h"
#include "sets/trace_subset.h"
#include "graph/graph.h"

/*
 * Directions W of eigen/minor.h with a penalty whose size may be left to the
 * data: what UDFS, SOGFS and SLAP share.
 */
typedef struct {
    rs_data *X;           /* made for rs_minor_block(m) columns */
    const double *square; /* d: as for rs_minor_init() */
    int m, neighbours;
    rs_minor_control asked;      /* eps in units of the mean of ||w_j||^2 */
    int relative_gamma;          /* as in rs_minor_scaled() */
    const rs_row_groups *groups; /* rows penalised together, or NULL */
    double tol;                  /* relative change of the objective */
    int maxit;
} rs_directions_problem;

typedef struct {
    rs_minor minor;        /* W */
    rs_minor_control used; /* in the units of the objective */
    rs_history history;    /* the objective */
    double kkt;            /* of W */
} rs_directions_fit;

rs_status rs_directions_init(rs_context *ctx, const rs_directions_problem *p,
                             rs_directions_fit *fit);

/*
 * Projections W (d x m), W'W = I_m, with k nonzero rows, which S2DFS, SPDFS and
 * SF2SOG seek. Each of their steps in W maximises tr(W'AW) for a form A of
 * sets/trace_subset.h.
 */
typedef struct {
    rs_data *X;
    int k, m;
    const double *ties;            /* d: equal scores go to the larger one */
    const unsigned char *constant; /* d: features that are chosen last */
    const unsigned char *first;    /* d: chosen in any case, or NULL */
    double tol;                    /* relative change of the objective */
    int maxit; /* rounds, and updates of the set in each of them */
} rs_projection_problem;

/* the four arrays are the caller's */
typedef struct {
    int *subset;        /* k, ascending */
    double *V;          /* k x m: the rows of W on the subset */
    double *values;     /* m: eigenvalues of the last trace problem */
    double *scores;     /* d */
    rs_history history; /* the objective */
} rs_projection_fit;

typedef struct {
    const rs_projection_problem *p;
    rs_projection_fit *fit;
    rs_sample_form form; /* A */
    rs_trace_ws trace;
    double *XV;         /* n x m: XW */
    int *best;          /* k: a set to come back to */
    rs_history updates; /* of one trace problem */
} rs_projection;

/* a, G (n x c), K: the parts of A, which the caller fills before each step */
rs_status rs_projection_init(rs_context *ctx, const rs_projection_problem *p,
                             double *a, int c, double *G, double *K,
                             rs_projection_fit *fit, rs_projection *s);
/* best <- the present set */
void rs_projection_keep(rs_projection *s);
/* the best W on the present set, and XW */
rs_status rs_projection_solve(rs_projection *s);
/* the best W on the present set, A made positive semidefinite */
rs_status rs_projection_shift(rs_projection *s);
/* updates of the present set */
rs_status rs_projection_climb(rs_projection *s);
/* the best W on the present set, and the scores of all features beside it */
rs_status rs_projection_score(rs_projection *s);

/*
 * MCFS: paths of the lasso
 *
 *     min  ||y - Z a||^2 / 2 + lambda ||a||_1
 *
 * from lambda = max_j |z_j'y| downwards, by least angle regression with drops
 * (Efron, Hastie, Johnstone and Tibshirani, 2004): exact, one feature enters
 * or leaves at a time. A path ends where one feature more than `size` would
 * enter, or at lambda = 0. The ridge is added to the Gram matrix of the active
 * features, not to the correlations: 0 for the lasso.
 *
 * Several responses move step by step together, so that one product with the
 * data serves them all.
 */
typedef struct {
    double *coefficients; /* d x m */
    double *pull;         /* d x m: |z_j'(y - Z a)| / lambda, 1 for the active
                           * ones; where the path ends with lambda = 0, at the
                           * last event before */
    double *lambda;       /* m */
    int *steps;           /* m: features that entered or left */
} rs_lars_fit;

/*
 * Y (n x m), m <= X->block. A feature that depends linearly on the active ones
 * never joins them. Of features that tie, the one with the larger norm enters
 * first, then the smaller index; the path is the same whichever does. RS_MAXIT
 * where features kept coming and going.
 */
rs_status rs_lars(rs_context *ctx, rs_data *X, int m, const double *Y,
                  int size, double ridge, rs_lars_fit *fit);

/*
 * UDFS (Yang et al., 2011), minor components of the local
 * discriminative matrix with few features:
 *
 *     min  tr(W'Z'NZW) + gamma sum_j ||w_j||,   W'W = I_m,
 *
 * N of graph/graph.h, by the reweighting of eigen/minor.h from
 * weights of 1. What descends has (||w_j||^2 + eps)^{1/2} for the norms.
 */
typedef struct {
    rs_directions_problem base;
    const rs_neighbours *near; /* of the samples, `neighbours` at least */
    double lambda;
    int relative_lambda; /* lambda is a share of the local scatter */
} rs_udfs_problem;

typedef struct {
    rs_directions_fit base;
    double lambda;
    double penalised; /* the objective without smoothing */
} rs_udfs_fit;

rs_status rs_udfs(rs_context *ctx, const rs_udfs_problem *p, rs_udfs_fit *fit);

/*
 * SOGFS (Nie, Zhu and Li, 2016), a graph of the samples learned
 * along with the directions in which neighbours are near:
 *
 *     min  tr(W'Z'LZW) + (alpha / 2) sum_ij a_ij^2
 *          + gamma sum_j ||w_j||^p + lambda tr(F'LF),
 *
 * rows of A on the simplex, L the Laplacian of (A + A')/2, W'W = I_m, and
 * F'F = I_c, which drives the graph to c components. Half of the published sum,
 * with a gamma that is half of the published one.
 *
 * A round updates A, W (eigen/minor.h) and F in turn, each of which lowers the
 * objective at the present lambda; then lambda grows by a factor where the
 * graph has too few components, and falls where it has too many. The factor is
 * 2, and its root at every change of direction after the first.
 *
 * Without F and restricted to pairs of samples of the same class, the problem is
 * that of SLAP, local adaptive projection for classes.
 */
typedef struct {
    rs_directions_problem base;
    const rs_neighbours *near; /* neighbours + 1 of each sample, or */
    const int *label;          /* n: the classes, from 0; NULL: one class */
    int clusters;              /* below n; 0: no F */
    int rounds; /* with candidates by the data; then by the e_ij */
} rs_sogfs_problem;

/* what each round did: objective at its lambda before and after, the sums of the
 * c and of the c + 1 smallest eigenvalues of L, steps of W */
typedef struct {
    double lambda, before, after, lowest, lowest_next, steps;
} rs_sogfs_round;

typedef struct {
    rs_directions_fit base; /* history: objective at the lambda of the round */
    rs_adaptive A;
    rs_sogfs_round *round;
    int rounds;
    /* with F */
    double *F;      /* n x c */
    int *label;     /* n: components of the graph */
    int components; /* their number */
    int alternates; /* lambda went up and down to no end */
} rs_sogfs_fit;

rs_status rs_sogfs(rs_context *ctx, const rs_sogfs_problem *p,
                   rs_sogfs_fit *fit);

/*
 * SF2SOG, a projection on exactly k features that varies
 * little on a graph of the samples, which is learned with it (Wang, Zhang, Bian,
 * Wang, Nie and Li, 2023),
 *
 *   min  tr(F'LF) + lambda ||XW - F||^2 + gamma ||A - A_0||^2
 *
 * over F (n x m), W'W = I_m with k nonzero rows, and A with rows on the simplex
 * over the neighbours; L is the Laplacian of (A + A') / 2. F is eliminated:
 *
 *   F = lambda (L + lambda I)^{-1} XW,   T = lambda L (L + lambda I)^{-1},
 *   min  tr(W'X'TXW) + gamma ||A - A_0||^2.
 */
typedef struct {
    rs_projection_problem base;
    const rs_neighbours *near;
    int neighbours;
    double lambda, gamma; /* gamma 0: by the first projection */
} rs_sf2sog_problem;

typedef struct {
    rs_projection_fit base;
    rs_adaptive A;
    double gamma; /* the one that was used */
    int is_zero;  /* is the objective, but for rounding? */
    int is_any;   /* so it is on the features of largest ties as well */
} rs_sf2sog_fit;

rs_status rs_sf2sog(rs_context *ctx, const rs_sf2sog_problem *p,
                    rs_sf2sog_fit *fit);

/*
 * SPDFS, a fuzzy partition and a projection on exactly k features
 * that explain each other (Dong, Nie, Tian, Wang and Li, 2025),
 *
 *   min  sum_ij y_ij^r ||W'x_i - mu_j||^2 / tr(W'S_t W)
 *
 * over partitions Y with rows on the simplex, centres mu, and W'W = I_m with k
 * nonzero rows; x_i are centred, S_t is their scatter.
 */
typedef struct {
    rs_projection_problem base;
    int clusters;
    double r;         /* fuzziness, at least 1 */
    const int *start; /* k features */
} rs_spdfs_problem;

typedef struct {
    rs_projection_fit base; /* history: the ratio */
    double *Y;              /* n x clusters: on entry the first partition */
    int is_zero;            /* is the ratio zero, but for rounding? */
} rs_spdfs_fit;

rs_status rs_spdfs(rs_context *ctx, const rs_spdfs_problem *p,
                   rs_spdfs_fit *fit);

/*
 * S2DFS, discriminant analysis on exactly k features (Wang, Nie,
 * Tian, Wang and Li, 2020),
 *
 *   max tr(W'S_b W) / tr(W'(S_w + delta I) W),   W'W = I_m, k nonzero rows,
 *
 * by Dinkelbach's iteration: with lambda the ratio at W, trace maximisation of
 * S_b - lambda S_w on k features cannot lower it. For m = k the ratio is one of
 * sums over the features, and the start is to be its maximum.
 */
typedef struct {
    rs_projection_problem base;
    const double *F; /* n x c: S_b = X'F F'X, F F' a projection */
    int c;
    double delta;
    const int *starts; /* k x count: subsets */
    int count;
} rs_s2dfs_problem;

typedef struct {
    rs_projection_fit base; /* history: minus the ratio, from the best start */
    double ratio;
    int start;      /* the one that led there */
    int candidates; /* features none of which improves it for another */
} rs_s2dfs_fit;

rs_status rs_s2dfs(rs_context *ctx, const rs_s2dfs_problem *p,
                   rs_s2dfs_fit *fit);

/*
 * TSFS: the linear student of a teacher,
 *
 *     min f(W) = ||T - X W||^2 + lambda sum_j ||w_j||,
 *
 * by coordinate descent in the rows w_j of W (d x m): with g = x_j'R +
 * ||x_j||^2 w_j and the residual R = T - X W,
 *
 *     w_j <- (1 - lambda / (2 ||g||))_+ g / ||x_j||^2
 *
 * is the best row with the others fixed. The rows that the dual
 *
 *     max <Theta, T> - ||Theta||^2 / 4   s.t.  ||x_j'Theta|| <= lambda
 *
 * asks for are visited; 2 R, shortened until it is feasible, bounds the
 * minimum from below.
 */
typedef struct {
    rs_data *X;      /* products of m columns must be possible */
    const double *T; /* n x m, centred */
    int m;
    double lambda;       /* above 0 */
    double tol;          /* relative duality gap */
    int maxit;           /* rounds of RS_TSFS_SWEEPS sweeps */
    const double *start; /* d x m, or NULL */
} rs_tsfs_problem;

#define RS_TSFS_SWEEPS 10

typedef struct {
    double *W;    /* d x m */
    double *pull; /* d: 2 ||x_j'(T - X W)||, at most lambda at the minimum */
    double bound; /* of the minimum, from below */
    rs_history history; /* f */
} rs_tsfs_fit;

rs_status rs_tsfs(rs_context *ctx, const rs_tsfs_problem *problem,
                  rs_tsfs_fit *fit);

/*
 * JELSR: joint embedding learning and sparse regression (Hou et al.,
 * 2014),
 *
 *   f = tr(Y'LY) + beta (||X W - Y||^2 + alpha sum_j ||w_j||),  Y'Y = I,
 *
 * with Y (n x m) orthogonal to the constant vector. With sum_j ||w_j||^2 / u_j,
 * u_j = 2 ||w_j|| of the last W, in place of the penalty and K = X U X', W is
 * eliminated, and the two steps are
 *
 *   Y = m smallest eigenvectors of L + alpha beta (K + alpha I)^{-1},
 *   W = U X'(K + alpha I)^{-1} Y,
 *
 * both n x n, whatever d. No step raises f. For centred X the constant vector
 * would be an eigenvector of value beta, with W = 0.
 */
typedef struct {
    rs_data *X;      /* products of m columns must be possible */
    const double *L; /* n x n, positive semidefinite, L1 = 0 */
    int m;
    double alpha, beta; /* alpha 0: a tenth of the largest */
    double u;           /* of every row for the first W; 0: as is usual */
    double tol;         /* relative change of f */
    int maxit;
} rs_jelsr_problem;

typedef struct {
    double *Y;               /* n x m */
    double *W;               /* d x m */
    double *pull;            /* d: ||x_j'(Y - X W)||, which orders zero rows */
    double level;            /* largest row norm of the first W */
    double alpha, alpha_max; /* what was used; from which on W = 0 at first */
    double terms[3];         /* tr(Y'LY), ||XW - Y||^2, sum ||w_j|| */
    rs_history history;      /* f, of the first W on */
} rs_jelsr_fit;

rs_status rs_jelsr(rs_context *ctx, const rs_jelsr_problem *problem,
                   rs_jelsr_fit *fit);

/*
 * EUFS: embedded unsupervised feature selection (Wang, Tang and Liu,
 * 2015),
 *
 *   f = sum_i ||x_i - u_i V'|| + alpha sum_j ||v_j|| + beta tr(U'LU),
 *   U'U = I, U >= 0 (n x c), V (d x c),
 *
 * by the alternating direction method of multipliers with E = X - U V', J = V
 * and Z = U >= 0. Its iterates meet the constraints in the limit only. The
 * guard makes a feasible point of each one: of Z the largest entry of every
 * sample, in columns of norm 1, with J; the best of these is returned.
 */
typedef struct {
    rs_data *X;
    rs_laplacian *L;    /* symmetric kind */
    int c;              /* clusters */
    double size;        /* X is divided by it, above 0 */
    double alpha, beta; /* of the data that were divided */
    double mu, rho, largest_mu;
    double tol; /* of the relative residuals */
    int maxit;
} rs_eufs_problem;

typedef struct {
    double *U;          /* n x c: the start, feasible; the best feasible U */
    double *V;          /* d x c: the J beside it, of the divided data */
    double *pull;       /* d: what alpha keeps a row of zeros at zero */
    double level;       /* largest row norm of V at the start */
    double residual[3]; /* Z - U, J - V, E - (X - UV') at the end, relative */
    int best;           /* iteration of the best feasible point */
    rs_history history; /* f of the best feasible point so far */
} rs_eufs_fit;

rs_status rs_eufs(rs_context *ctx, const rs_eufs_problem *problem,
                  rs_eufs_fit *fit);

/*
 * RNE: robust neighbourhood embedding (Liu et al., 2020),
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

/*
 * NDFS and RUFS: nonnegative clusters G and a row-sparse regression W on them.
 * NDFS, nonnegative discriminative feature selection (Li et al., 2012):
 *
 *   f = nu tr(G'LG) + alpha ||X W - G||^2 + beta sum_j ||w_j||
 *       + (zeta / 4) ||G'G - I||^2   over G >= 0 (n x c), W (d x c).
 *
 * RUFS, robust unsupervised feature selection (Qian and Zhai, 2013), has
 * sum_i ||x_i W - g_i|| in the place of the squares, and the term
 * sum_i ||x_i - g_i F|| with F >= 0 (c x d). The norms of samples are smoothed,
 * ||v|| -> sqrt(||v||^2 + eps^2), and majorised by weighted squares at the
 * present point. The first norm takes x_i >= 0, the features minus their
 * minima: x_i + shift for the centred x_i of the regression.
 *
 * W solves the regression with the penalty sum_j ||w_j||^2 / u_j, u_j = 2 ||w_j||
 * of the last W, which majorises that of f; F and G take multiplicative steps.
 * Each lowers f. The published step in G of NDFS, kept for comparison, need not,
 * and G can leave G >= 0.
 */
typedef enum {
    RS_LABELS_MONOTONE,
    RS_LABELS_PAPER,
    RS_LABELS_ROBUST
} rs_labels_solver;

typedef struct {
    rs_data *X;
    const rs_graph *L; /* n x n, symmetric; entries of any sign, the diagonal
                        * among them */
    int c;             /* clusters */
    rs_labels_solver solver; /* RUFS: RS_LABELS_ROBUST */
    double alpha, beta, nu, zeta;
    double u;   /* of every row for the first W; 0: as is usual */
    double eps; /* of the norms in sum_i ||x_i - g_i F|| */
    double tol;
    int maxit;
} rs_labels_problem;

typedef struct {
    double *G;          /* n x c: the start, then the end */
    double *W;          /* d x c */
    double *F;          /* d x c: the transpose of F, or NULL */
    double *pull;       /* d: what penalty keeps a row of zeros at zero */
    double level;       /* largest row norm of the first W */
    double terms[5];    /* that of F, then as in f without its factors */
    rs_history history; /* f */
} rs_labels_fit;

rs_status rs_labels(rs_context *ctx, const rs_labels_problem *problem,
                    rs_labels_fit *fit);

#endif
