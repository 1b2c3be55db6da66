/*
 * proof/relax.h: an upper bound of row-sparse PCA, as a bound of the tree for
 * sets of k rows of S whose m leading eigenvalues have a large sum. With P = WW'
 * for an orthonormal W on a set of k rows and z the indicator of the rows, P lies
 * between 0 and Diag(z), and its row i has at most k nonzero entries whose
 * squares sum to P_ii. For every U (rows u_i), positive semidefinite
 * M = LL' and alpha > 0 it follows that
 *
 *   tr(SP) <= F(U, L, alpha)
 *     = the m largest eigenvalues of S - M - (U + U') / 2 + Diag(alpha)
 *     + the k largest h_i,   h_i = M_ii + s_i / (4 alpha_i),
 *   s_i = u_ii^2 + the k - 1 largest u_ij^2, j != i.
 *
 * Both sums and the s_i are smoothed for the minimisation; rs_relax_bound()
 * evaluates F itself, rounded upwards. Rows that are known to be in every set
 * count with their h_i in any case.
 *
 * With many rows the relaxation is solved on some of them, the core R, and
 * extended to the others, T. With L_T given and E = S - LL', an
 * entry of U and its mirror image make up for 2 E_ij between them. For j in R, i
 * in T that is u_ji as far as it costs nothing, which is up to tau_j, the
 * (k - 1)-th largest of |u_j.|; u_ij is the rest. u_il = u_li = E_il inside T. What is left of the matrix outside R is
 * the diagonal E_ii - u_ii + alpha_i, which is to be nu. Of these alpha_i =
 * sqrt(beta_i^2 + s_i), beta_i = nu - E_ii, gives the least
 *
 *   h_i = ||L_i||^2 + (sqrt(beta_i^2 + s_i) - beta_i) / 2
 *
 * with s_i of the entries off the diagonal. The eigenvalue part grows by what nu
 * exceeds the m eigenvalues on R by; the nu of the least bound is found by
 * golden sections. L_T by ridge regression, S_TR D L (L'DL + share nu I)^{-1},
 * D = Diag(z) + weight.
 *
 * The tree gets the eigenvalue part and the h_i. Rows whose h is too large join
 * the core; nodes are split once it holds all rows that are left.
 */
#ifndef RS_PROOF_RELAX_H
#define RS_PROOF_RELAX_H

#include "data/covop.h"
#include "la/linalg.h"
#include "proof/tree.h"
#include "solve/lbfgs.h"

/* the variables: U by rows (p x p), L (p x r), log(alpha) (p) */
typedef struct {
    int p, k, m;             /* k counts the rows that are in every set */
    const double *S;         /* p x p */
    const unsigned char *in; /* p: rows in every set */
    double width;            /* of the smoothing */
    /* by the last smoothed evaluation */
    double *z;    /* p: the relaxed set */
    double level; /* where the m-th eigenvalue is; NAN: look at all */
    double *cut;  /* p: and the (k - 1)-th u_ij^2 / (4 alpha_i) */
    /* by the last bound */
    double *lambda;    /* p: eigenvalues */
    double *h;         /* p */
    double *tau;       /* p: the (k - 1)-th largest |u_ij|, j != i */
    double eigen_part; /* of the bound */
    double least;      /* what the m-th eigenvalue is at least */
    double *A, *V;     /* p x p */
    double *scratch;   /* 3 p */
    int *order;        /* p */
    rs_eigen_ws eigen;
} rs_relax;

/* ---- the relaxation ----------------------------------------------------------- */

/* for up to `most` rows */
rs_status rs_relax_init(rs_context *ctx, int most, int m, rs_relax *s);
/* from here on about these rows */
void rs_relax_about(int p, int k, const double *S, const unsigned char *in,
                    rs_relax *s);
/* smoothed F and its gradient; state is the rs_relax */
rs_status rs_relax_smooth(void *state, const double *x, double *value,
                          double *gradient);
/* F(x), rounded upwards, with h, tau and the rest: eigen_part + the k largest
 * h; INFINITY where it is no number */
rs_status rs_relax_bound(const double *x, rs_relax *s);

/* ---- the bound ---------------------------------------------------------------- */

typedef struct {
    int first; /* rows of the first core */
    int most;  /* rows of the largest one */
} rs_trace_sizes;

/* a part of S without the factor: all of it, or that of a core as it was read from
 * the data */
typedef struct {
    const double *S;   /* order x order */
    int order, *place; /* d: where a row is in it, or -1 */
    double *read;      /* most x most, where S is not at hand */
} rs_trace_known;

/* the rows that the relaxation is about, and its variables */
typedef struct {
    int p;
    int *row;             /* p */
    unsigned char *holds; /* d: is a row in the core? */
    unsigned char *in;    /* p: in every set of the node */
    double *S;            /* p x p */
    rs_trace_known known;
    double *x, *y;       /* variables, and room for others */
    double *metric;      /* of the variables */
    double width;        /* of the smoothing, in units */
    double evaluations;  /* of the relaxation so far */
    int idle;            /* rounds that brought nothing */
    int gathers;         /* are all rows to join? */
    int *from;           /* p: where they come from */
    int joins, *joining; /* rows that are to join */
    int record_rows;     /* of cores that records have room for, */
    int is_recorded;     /* and was one made? */
} rs_trace_core;

/* what is outside of it */
typedef struct {
    int count, *row;               /* d */
    double *L;                     /* d x r */
    double *length, *square, *own; /* d: ||L_i||^2, s_i, E_ii */
    double *h;                     /* d: those of the core, too */
    double *block;                 /* d x RS_PANEL: columns of S, of E */
    double *some;                  /* RS_PANEL x r */
    double *DL, *G;                /* d x r, r x r */
    double *u;                     /* d: a row of U */
    double nu;
    int turn; /* of the regression */
} rs_trace_outside;

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    int k, m;
    rs_trace_sizes sizes;
    double unit;         /* value of a row in a good set */
    double diagonal;     /* the sum of the k largest variances */
    double error;        /* of values */
    const int *set;      /* k: a good set, to begin with */
    unsigned char *root; /* d: the marks of the root */
    rs_bound of;         /* for the tree */
    rs_tree *tree;
    rs_relax relax;
    rs_lbfgs lbfgs;
    rs_trace_core core;
    rs_trace_outside outside;
    double *room;  /* for a Gram matrix of some features */
    double *score; /* 2 d */
    int *order;    /* d */
} rs_relax_trace;

/* set: a good one, of k rows, with this value; s must stay where it is. The
 * operator: for products with RS_PANEL columns, in units of which no
 * square leaves the double range (rs_covop_use_unit()). s->error is 0 then, for
 * values that are compared with each other alone */
rs_status rs_relax_trace_init(rs_context *ctx, rs_covop *op, int k, int m,
                              const rs_trace_sizes *sizes, const int *set,
                              double value_of_set, rs_relax_trace *s);

/* what rounding of S itself, whose entries are sums over so many samples, may
 * hide of the value of a set */
double rs_trace_rounding(double samples, const rs_relax_trace *s);

#endif
