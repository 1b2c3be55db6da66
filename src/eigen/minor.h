/*
 * eigen/minor.h: minor components with few features, W (d x m) of
 *
 *     min  tr(W'MW) + gamma sum_j (||w_j||^2 + eps)^{p/2},   W'W = I_m,
 *
 * M = Z'NZ with a positive semidefinite N (n x n) that is known by its
 * products. By reweighting (solve/penalty.h): the next W holds the eigenvectors
 * of the m smallest eigenvalues of M + gamma diag(q).
 *
 * With at least as many features as samples M has a null space of d - n + 1
 * dimensions or more, of which W would be an arbitrary part. There W is sought
 * in the row space of Z: W = V B, B'B = I_m, with an orthonormal basis V, and B
 * holds eigenvectors of V'MV + gamma V'diag(q)V. With fewer features W is sought
 * among those that vary. Both are the problem
 *
 *     T + gamma P,   T = Y'NY,
 *
 * of some order, with Y = Z V and P = V'diag(q)V, or Y = Z and P = diag(q).
 */
#ifndef RS_MINOR_H
#define RS_MINOR_H

#include "data/data.h"
#include "eigen/leading.h"
#include "solve/penalty.h"

typedef struct {
    double gamma, p, eps;
    double tol; /* relative change of the objective */
    int maxit;
} rs_minor_control;

typedef struct {
    rs_data *X;
    int d, m;
    int order;
    int *kept;           /* order: the features that vary; NULL: wide, with */
    double *basis;       /* d x order: V, and */
    double *coordinates; /* n x order: Z V */
    double *T;           /* order x order */
    double *B;           /* order x m */
    double *W;           /* d x m */
    double *square;      /* d: ||w_j||^2 */
    /* rows penalised together, set after rs_minor_init(); NULL: each alone */
    const rs_row_groups *groups;
    double *weight;         /* d: q */
    double level;           /* tr(T) / order */
    double *panel, *images; /* n x block: columns, and N times them */
    double *product;        /* d x block */
    double *TB;             /* order x max(m, block) */
    rs_leading_ws smallest; /* of T + gamma P */
} rs_minor;

/* columns that the data must allow for in a product */
int rs_minor_block(int m);

/* square (d): sums of squares of the columns of Z, 0 for those to leave out.
 * s->m is m, or the order where that is less. */
rs_status rs_minor_init(rs_data *X, int m, const double *square, rs_minor *s);
/* T = Y'NY */
rs_status rs_minor_set(rs_apply_fn N, void *state, rs_minor *s);

/* q_j = (p/2) (||w_j||^2 + eps)^{p/2 - 1} */
void rs_minor_reweigh(const rs_minor_control *set, rs_minor *s);
/* W <- the m smallest eigenvectors for the present q */
rs_status rs_minor_step(double gamma, rs_minor *s);
/* tr(W'MW), and the objective */
double rs_minor_trace(rs_minor *s);
double rs_minor_penalty(const rs_minor_control *set, const rs_minor *s);
double rs_minor_objective(const rs_minor_control *set, rs_minor *s);
/* size of the projected gradient beside that of the gradient */
rs_status rs_minor_stationarity(const rs_minor_control *set, rs_minor *s,
                                double *kkt);
/* from the present W (q = 1 if `restart`) until the objective changes by less
 * than the tolerance; *objective receives the value at the end, *iterations
 * their number. Not reaching the tolerance is RS_MAXIT. */
rs_status rs_minor_descend(const rs_minor_control *set, int restart,
                           rs_minor *s, double *objective, int *iterations);
/* the penalty as it is used: eps is given in units of the mean ||w_j||^2; gamma,
 * where it is `relative`, in units of the one at which rows of equal norms have
 * weights gamma q_j equal to the mean of the diagonal of T */
rs_minor_control rs_minor_scaled(rs_minor_control set, int relative,
                                 const rs_minor *s);
/* rs_minor_descend() from q = 1, and from the present W where that ends above
 * it: the objective never rises. last: order x m. */
rs_status rs_minor_improve(const rs_minor_control *set, double *last,
                           rs_minor *s, double *objective, int *iterations);
/* Z W, n x m */
rs_status rs_minor_project(const rs_minor *s, double *ZW);

#endif
