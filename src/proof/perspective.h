/*
 * proof/perspective.h: what sets of features explain at most, by the
 * perspective relaxation of a convex loss L of coefficients B (features x c).
 *
 * A set T explains total - F(T), F(T) = min L(B) + sum_T D_j ||B_j||^2, D > 0.
 * Its relaxation with shares z is the convex problem
 *
 *     min over z of G(z) = min over B of L(B) + sum D_j ||B_j||^2 / z_j,
 *     0 <= z <= 1, sum z = m, z_I = 1
 *
 * for the features I that are in every set, and m more from the others. Let Q be
 * minus half the gradient of L at some B, and M half its Hessian. As L is convex,
 *
 *     F(T) >= L(B) + 2 <Q, B> - sum_T w_j,    w_j = ||Q_j||^2 / D_j,
 *
 * which bounds the node by base + the m largest w of the others, base = total -
 * L(B) - 2 <Q, B> + sum_I w. At the B of G(z) the gradient of G is -w: the bound
 * is total - G(z) + (the m largest w) - <z, w>, so that the gap between
 * relaxation and bound is that of Frank and Wolfe. The Hessian of G is
 *
 *     2 Q_i' K_ij Q_j / (D_i D_j),   K = M - M (M + D/z)^{-1} M,
 *
 * on the features with z > 0 and those that want to come in; a step of Newton's
 * method is the minimum of the quadratic model within the bounds, taken as far as
 * G falls. Whatever that does, the bound holds: it is evaluated from B, and what
 * rounding may have taken from it is added.
 *
 * Least squares. Columns have unit length (the ridge included) and ||Y|| = 1; A =
 * X'X + ridge and C = X'Y. Any D > 0 will do that leaves M = A - diag(D) positive
 * semidefinite: L(B) = 1 - 2 <C, B> + <B, M B>, Q = C - M B, base = <B, M B> +
 * sum_I w and G(z) = 1 - <C, (M + D/z)^{-1} C>.
 */
#ifndef RS_CDLSR_PERSPECTIVE_H
#define RS_CDLSR_PERSPECTIVE_H

#include "base/core.h"

typedef struct rs_perspective rs_perspective;

/* the node: N features, m to choose beside those `in` every set; and its loss */
typedef struct {
    int N, m;
    const unsigned char *in;
    double total; /* what nothing leaves more of */
    void *state;
    /* B and p->relaxed, from z of the support */
    rs_status (*solve)(void *state, rs_perspective *p);
    /* p->weight and p->base of that B, rounded upwards; base without the weights of
     * features in every set */
    void (*weigh)(void *state, rs_perspective *p);
    /* p->step.K <- the Hessian of G on so many features that are wanted, its columns
     * count + 1 apart */
    rs_status (*curve)(void *state, int count, rs_perspective *p);
} rs_perspective_node;

/* the lowest bound so far, and its point */
typedef struct {
    double base, most;
    double *weight, *z;
} rs_perspective_best;

/* a Newton step: the features that it is about, and its quadratic model, the last
 * share of which is what is left of m */
typedef struct {
    int *wanted;    /* room */
    double *K;      /* room + 1 squared */
    double *g, *x;  /* room + 1: minus the gradient, and shares */
    double *before; /* N: z before the step */
} rs_perspective_step;

struct rs_perspective {
    rs_context *ctx;
    rs_perspective_node of;
    /* the point, and what belongs to it */
    double *z;         /* N */
    int room, s;       /* most features with z > 0, and how many there are */
    int *support;      /* s: listed */
    int solved;        /* is B that of z? */
    double *weight;    /* N: w, rounded upwards */
    double relaxed;    /* G(z), or the objective of B where it is not solved */
    double base, most; /* what the node explains at most */
    rs_perspective_best best;
    rs_perspective_step step;
    int *order; /* N: scratch, also 2 N */
    double *order_work;
};

/* room for N features, `room` of them with z > 0; the node is for the caller to
 * fill in */
rs_status rs_perspective_init(rs_context *ctx, int N, int room,
                              rs_perspective *p);
/* the bound at p->z, which becomes feasible; the best one is forgotten */
rs_status rs_perspective_start(rs_perspective *p);
/* Newton steps from the present point until the best bound is at most `enough`, or
 * no lower one is to be had but for a share of what it is above that */
rs_status rs_perspective_minimise(double enough, double share, int steps,
                                  rs_perspective *p);
/* the m largest weights among those that are not in every set, listed in `order`:
 * their sum, and the smallest of them */
double rs_perspective_top(const double *weight, double *smallest,
                          rs_perspective *p);

/* ---- least squares ----------------------------------------------------------- */

/* column j of A */
typedef rs_status rs_perspective_column(void *state, int j, const double **at);

/* the state of the node: what is relaxed, and B */
typedef struct {
    int c;
    rs_perspective_column *column;
    void *state;
    const double *C;         /* N x c */
    double *D;               /* N */
    double error;            /* of an entry of A or C, at most */
    const double **at, **to; /* columns of the support, and of those wanted */
    double *R;               /* s x s: factor of (M + D/z) there */
    double *B;               /* s x c */
    double *Q;               /* N x c */
    double *X;               /* room x room */
} rs_perspective_lsq;

/* p as above, its node least squares with c responses; columns, C and error are for
 * the caller to fill in, and D, for which there is room */
rs_status rs_perspective_lsq_init(rs_context *ctx, int N, int c, int room,
                                  rs_perspective_lsq *lsq, rs_perspective *p);
/* cost[j] = what G rises by, to second order, where j is left out; 0 for those
 * with z = 0 and those in every set; z is not solved any more */
rs_status rs_perspective_costs(double *cost, rs_perspective *p);
/* ||B_i||^2 of the feature at place i of the support */
double rs_perspective_row_square(const rs_perspective *p, int i);

#endif
