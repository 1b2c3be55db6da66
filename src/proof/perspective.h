/*
 * proof/perspective.h: what sets of features explain at most, by the
 * perspective relaxation of least squares on few features.
 *
 * Columns have unit length (the ridge included) and ||Y|| = 1; A = X'X + ridge
 * and C = X'Y. For any D > 0 with M = A - diag(D) positive semidefinite and any
 * B (features x c), a set of features explains at most
 *
 *     E(T) <= <B, M B> + sum_T w_j,    w_j = ||C_j - (M B)_j||^2 / D_j,
 *
 * because <V, M V> >= 2 <B, M V> - <B, M B> and what is left separates. With
 * the features I in every set and m more from the others that bounds the node
 * by base + the m largest w, base = <B, M B> + sum_I w.
 *
 * The best B is that of the convex problem
 *
 *     min over z of G(z) = 1 - <C, (M + diag(D / z))^{-1} C>,
 *     0 <= z <= 1, sum z = m, z_I = 1,
 *
 * whose gradient is -w: the bound is 1 - G(z) + (the m largest w) - <z, w>, so
 * that the gap between relaxation and bound is that of Frank and Wolfe. It is
 * solved by Newton's method. Whatever that does, the bound holds: it is evaluated
 * from B, and what rounding may have taken from it is added.
 */
#ifndef RS_CDLSR_PERSPECTIVE_H
#define RS_CDLSR_PERSPECTIVE_H

#include "base/core.h"

/* column j of A */
typedef rs_status rs_perspective_column(void *state, int j, const double **at);

/* the node: N features, m to choose beside those `in` every set */
typedef struct {
    int N, c, m;
    const unsigned char *in;
    rs_perspective_column *column;
    void *state;
    const double *C; /* N x c */
    double *D;       /* N */
    double error;    /* of an entry of A or C, at most */
} rs_perspective_node;

/* the lowest bound so far, and its point */
typedef struct {
    double base, most;
    double *weight, *z;
} rs_perspective_best;

/* a Newton step: the features that it is about, and its quadratic model, the last
 * share of which is what is left of m */
typedef struct {
    int *wanted; /* room */
    const double **at;
    double *X, *K;  /* room x room, room + 1 squared */
    double *g, *x;  /* room + 1: minus the gradient, and shares */
    double *before; /* N: z before the step */
} rs_perspective_step;

typedef struct {
    rs_context *ctx;
    rs_perspective_node of;
    /* the point, and what belongs to it */
    double *z;         /* N */
    int room, s;       /* most features with z > 0, and how many there are */
    int *support;      /* s: listed */
    const double **at; /* s: their columns */
    int solved;        /* are R and B those of z? */
    double *R;         /* s x s: factor of (M + D/z) there */
    double *B;         /* s x c */
    double *Q;         /* N x c */
    double *weight;    /* N: w, rounded upwards */
    double relaxed;    /* G(z), or the objective of B where it is not solved */
    double base, most; /* what the node explains at most */
    rs_perspective_best best;
    rs_perspective_step step;
    int *order; /* N: scratch, also 2 N */
    double *order_work;
} rs_perspective;

/* room for N features, c responses, and `room` features with z > 0; the node is
 * for the caller to fill in */
rs_status rs_perspective_init(rs_context *ctx, int N, int c, int room,
                              rs_perspective *p);
/* the bound at p->z, which becomes feasible; the best one is forgotten */
rs_status rs_perspective_start(rs_perspective *p);
/*
 * Newton steps from the present point until the best bound is at most `enough`, or
 * no lower one is to be had but for a share of what it is above that. The Hessian
 * of G is
 *
 *     2 K o (Q Q') / (D D'),   Q = C - M B,   K = M - M (M + D/z)^{-1} M,
 *
 * on the features with z > 0 and those that want to come in; a step is the
 * minimum of the quadratic model within the bounds, taken as far as G falls.
 */
rs_status rs_perspective_minimise(double enough, double share, int steps,
                                  rs_perspective *p);
/* cost[j] = what G rises by, to second order, where j is left out; 0 for those
 * with z = 0 and those in every set; z is not solved any more */
rs_status rs_perspective_costs(double *cost, rs_perspective *p);
/* ||B_i||^2 of the feature at place i of the support */
double rs_perspective_row_square(const rs_perspective *p, int i);
/* the m largest weights among those that are not in every set, listed in `order`:
 * their sum, and the smallest of them */
double rs_perspective_top(const double *weight, double *smallest,
                          rs_perspective *p);

#endif
