/*
 * proof/relax.h: an upper bound of row-sparse PCA. With P = WW' for an
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
 * Both sums and the s_i are smoothed for the minimisation; rs_relax_bound()
 * evaluates F itself, rounded upwards. Rows that are known to be in every set
 * count with their h_i in any case.
 */
#ifndef RS_PROOF_RELAX_H
#define RS_PROOF_RELAX_H

#include "la/linalg.h"

/* columns of L */
static inline int rs_relax_rank(int m)
{
    return rs_max_int(12, 3 * m);
}

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

/* for up to `most` rows */
rs_status rs_relax_init(rs_context *ctx, int most, int m, rs_relax *s);
/* the number of variables of p rows */
size_t rs_relax_size(const rs_relax *s, int p);
/* variables of q rows: those that the p rows from[i] had, zeros where it is -1 */
void rs_relax_move(int p, const double *x, int q, const int *from, double *to,
                   const rs_relax *s);
/* from here on about these rows */
void rs_relax_about(int p, int k, const double *S, const unsigned char *in,
                    rs_relax *s);
/* a start: L along the given p x m basis with its values, or along nothing */
void rs_relax_start(const double *basis, const double *values, double alpha,
                    double *x, rs_relax *s);
/* what the inverse Hessian's diagonal is like, where values of S are about unit */
void rs_relax_metric(double unit, double *metric, const rs_relax *s);
/* ||L_i||^2, of an L with `rows` rows */
double rs_relax_length(int i, size_t rows, int r, const double *L);
/* of count numbers that are not negative the sum of the squares of the k - 1
 * largest; the smallest of them where there are so many, else 0. order, work:
 * count numbers */
double rs_relax_squares(int count, const double *u, int k, double *smallest,
                        int *order, double *work);
/* smoothed F and its gradient; state is the rs_relax */
rs_status rs_relax_smooth(void *state, const double *x, double *value,
                          double *gradient);
/* F(x), rounded upwards, with h, tau and the rest: eigen_part + the k largest
 * h; INFINITY where it is no number */
rs_status rs_relax_bound(const double *x, rs_relax *s);

#endif
