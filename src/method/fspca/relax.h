/*
 * method/fspca/relax.h: an upper bound of row-sparse PCA. With P = WW' for an
 * orthonormal W on a set of k rows and z the indicator of the rows, P lies
 * between 0 and Diag(z), and its row i has at most k nonzero entries whose
 * squares sum to P_ii. For every U (rows u_i), positive semidefinite
 * M = LL' and alpha > 0 it follows that
 *
 *   tr(SP) <= F(U, L, alpha)
 *     = the m largest eigenvalues of S - M - (U + U') / 2 + Diag(alpha)
 *     + the k largest h_i,   h_i = M_ii + s_i / (4 alpha_i),
 *   s_i = u_ii^2 + the k - 1 largest u_ij^2, j != i.
 *
 * Both sums and the s_i are smoothed for the minimisation; rs_rlx_bound()
 * evaluates F itself, rounded upwards. Rows that are known to be in every set
 * count with their h_i in any case.
 *
 * Rows outside of these p may press on them: as if each were apart from the
 * others with the eigenvalue nu and the term
 *
 *   h_i(nu) = length_i + (sqrt(beta_i^2 + square_i) - beta_i) / 2,
 *   beta_i = nu - own_i,
 *
 * where nu is what makes the sum of all least.
 *
 * Sets that hold one of some rows Q have no more than
 *
 *   the eigenvalue part + the k - 1 largest h_i + the largest h_i of Q,
 *
 * and sets without one of some rows Q among the k largest no more than
 *
 *   the eigenvalue part + the k + 1 largest h_i - the smallest h_i of Q.
 *
 * rs_rlx_ask() has the smoothed minimisation minimise these instead, for bounds
 * of the rows of Q that the plain minimum does not care about. The second is not
 * convex, and its minimum a local one; any variables give bounds.
 */
#ifndef RS_FSPCA_RLX_H
#define RS_FSPCA_RLX_H

#include "la/linalg.h"
#include "solve/lbfgs.h"

/* what the smoothed minimisation is about: all sets, those that hold one of
 * the rows asked about, or that lack one of them */
typedef enum { RS_ASK_ALL, RS_ASK_WITH, RS_ASK_WITHOUT } rs_ask;

/* columns of L */
static inline int rs_rlx_rank(int m)
{
    return rs_max_int(12, 3 * m);
}

/* the variables: U by rows (p x p), L (p x r), log(alpha) (p) */
typedef struct {
    rs_context *ctx;
    int most;    /* rows that there is room for */
    int p, k, m; /* k counts the rows that are in every set */
    int r;
    const double *S;         /* p x p */
    const unsigned char *in; /* p: rows in every set */
    double width;            /* of the smoothing */
    rs_ask asking;
    const unsigned char *asked; /* p: rows that are asked about */
    double *price, *paid;       /* p: their h, and weights */
    double last;                /* where the largest of them is */
    /* by the last smoothed evaluation */
    double *z;           /* p; with rows that are asked about, their weights */
    double *lambda;      /* p: eigenvalues, those that count */
    double level, floor; /* where the m-th eigenvalue and the k-th h are */
    /* by the last bound */
    double *h;        /* p */
    double *tau;      /* p: the (k - 1)-th largest |u_ij|, j != i */
    double eigenpart; /* of the bound */
    double least;     /* what the m-th eigenvalue is at least */
    /* rows outside that press, at most room of them */
    int room, outside;
    double *length, *square, *own; /* room */
    double nu;
    double *list, *share; /* p + room, at least p + m */
    /* scratch */
    double *A, *V, *P;                          /* p x p */
    double *weight, *row, *spread, *cut, *work; /* p */
    int *order;                                 /* p */
    rs_eigen_ws eigen;
    int level_known, counted;
    double evaluations;
} rs_rlx;

/* for up to `most` rows, and `room` outside that press on them */
rs_status rs_rlx_init(rs_context *ctx, int most, int room, int m, rs_rlx *s);
/* the numbers of variables of p rows */
size_t rs_rlx_size(const rs_rlx *s, int p);
/* the q of p rows in `kept`, ascending, with their variables */
void rs_rlx_restrict(int p, int q, const int *kept, const double *x,
                     double *to, const rs_rlx *s);
/* from here on about these rows, which nothing presses on */
void rs_rlx_about(int p, int k, const double *S, const unsigned char *in,
                  rs_rlx *s);
/* until the next rs_rlx_about(): what is minimised; asked: marks of p rows,
 * none of them in every set */
void rs_rlx_ask(rs_ask asking, const unsigned char *asked, rs_rlx *s);
/* a start: L along the given p x m basis with its values, or along nothing */
void rs_rlx_start(const double *basis, const double *values, double alpha,
                  double *x, rs_rlx *s);
/* what the inverse Hessian's diagonal is like, where values of S are about unit */
void rs_rlx_metric(double unit, double *metric, const rs_rlx *s);
/* (sqrt(beta^2 + square) - beta) / 2 */
double rs_rlx_excess(double beta, double square);
/* ||L_i||^2, of an L with `rows` rows */
double rs_rlx_length(int i, size_t rows, const double *L, const rs_rlx *s);
/* of count numbers the sum of the squares of the k - 1 largest, which are not
 * negative; the smallest of them where there are so many, else 0. index, work:
 * count numbers */
double rs_rlx_squares(int count, const double *u, double *smallest, int *index,
                      double *work, const rs_rlx *s);
/* the smoothed sums of `count` eigenvalues in s->lambda, of s->h and of what
 * the rows outside add, at the nu where they are least; weights, z */
double rs_rlx_sums(int count, rs_rlx *s);
/* smoothed F and its gradient; state is the rs_rlx */
rs_status rs_rlx_smooth(void *state, const double *x, double *value,
                        double *gradient);
/* the k of the p rows, known by these names, that are in every set or have the
 * largest z; work: p numbers */
void rs_rlx_round(const int *names, int *set, double *work, rs_rlx *s);
/* F(x), rounded upwards, with h, tau and the rest */
rs_status rs_rlx_bound(const double *x, double *bound, rs_rlx *s);
/*
 * Of count h, those of the rows in every set and the k largest others: their
 * sum, rounded upwards; the smallest of these and the largest outside
 * (-INFINITY where there is none). work: count numbers
 */
double rs_rlx_sum(int count, const double *h, const unsigned char *in, int k,
                  double *smallest, double *next, double *work);

#endif
