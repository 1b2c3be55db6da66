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
 * solved by Newton's method (newton.c). Whatever that
 * does, the bound holds: it is evaluated from B, and what rounding may have
 * taken from it is added.
 */
#ifndef RS_CDLSR_PERSPECTIVE_H
#define RS_CDLSR_PERSPECTIVE_H

#include "base/core.h"

typedef struct {
    rs_context *ctx;
    /* the node: N features, m to choose beside those `in` every set */
    int N, c, m;
    const unsigned char *in;
    rs_status (*column)(void *state, int j, const double **at); /* of A */
    void *state;
    const double *C; /* N x c */
    double *D;       /* N */
    double error;    /* of an entry of A or C, at most */
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
    /* the lowest bound so far, and its point */
    double best_base, best_most;
    double *best_weight, *best_z;
    double steps; /* of Newton, in all */
    /* scratch */
    double *before;      /* N: z before a step */
    double *order_work;  /* 2 N */
    int *order, *wanted; /* N, room: features that the step is about */
    const double **wanted_at;
    int *place;             /* room: of these in the support */
    double *V, *X, *VX, *K; /* room x room each */
    double *g, *x;          /* room */
    int *free;              /* room: shares within their bounds */
    signed char *side;      /* room: -1 at 0, 1 at 1, 0 free */
    double *pair;           /* room x 2 */
} rs_perspective;

/* room for N features, c responses, and `room` features with z > 0 */
rs_status rs_perspective_init(rs_context *ctx, int N, int c, int room,
                              rs_perspective *p);
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
/* the bound at p->z, which becomes feasible; the best one is forgotten */
rs_status rs_perspective_start(rs_perspective *p);
/* R, B and G from z */
rs_status rs_perspective_solve(rs_perspective *p);
/* the bound that belongs to B, with room for rounding */
void rs_perspective_bound(rs_perspective *p);
/* g_j = dG/dD_j = ||B_j||^2 (1/z_j - 1) at the present point, into g (N) */
void rs_perspective_slopes(const rs_perspective *p, double *g);
/* cost[j] = what G rises by, to second order, where j is left out; 0 for those
 * with z = 0 and those in every set; z is not solved any more */
rs_status rs_perspective_costs(double *cost, rs_perspective *p);
/* ||B_i||^2 of a matrix of so many rows */
double rs_perspective_row_square(int rows, int c, const double *B, int i);
/* the m largest weights among those that are not in every set: the sum, the
 * smallest of them and the next one (-1: none) */
double rs_perspective_top(const double *weight, double *smallest, double *next,
                          rs_perspective *p);

#endif
