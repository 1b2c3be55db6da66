/*
 * solve/turn.h: the best basis of the span of W for copies whose penalties see
 * single entries,
 *
 *     min  sum_i (h_i(U_i) + beta_i/2 ||W_0 R - U_i||^2)   over R'R = I_m, U_i.
 *
 * tr(W'SW) is the same for every basis, and so are copies that see no more
 * than the norms of rows, when they turn with W: only products of d x m with
 * m x m matrices are needed, none with S. A step takes
 * R = polar(sum_i beta_i W_0'U_i + tau R), extrapolated as in
 * solve/momentum.h where that lowers the sum, and then the proximal points.
 */
#ifndef RS_TURN_H
#define RS_TURN_H

#include "solve/palm_copy.h"
#include "solve/stiefel.h"

typedef struct {
    double tau;    /* proximal weight of a step */
    double enough; /* ends where a step lowers the sum by less */
    int maxit;
} rs_turn_limits;

typedef struct {
    int d, m;
    size_t size;                      /* d * m */
    double *frame;                    /* d x m: W_0; scratch afterwards */
    double *kept[RS_PALM_COPIES];     /* d x m: copies to return to */
    double *R;                        /* m x m: the turn */
    double *argument, *last_argument; /* m x m: of the polar factor */
    rs_stiefel_ws polar;              /* of m x m matrices */
    rs_context *ctx;
} rs_turn_ws;

/* is there anything to gain from turning: a copy that sees more than rows? */
int rs_turn_matters(const rs_palm_copy *copies);
rs_status rs_turn_init(rs_context *ctx, int d, int m,
                       const rs_palm_copy *copies, rs_turn_ws *ws);

/*
 * W and the copies that see single entries are improved, ws->R receives the
 * turn. *gain is what the sum has lost. What else belongs to
 * W is for the caller to turn.
 */
rs_status rs_turn(const rs_turn_limits *limits, const rs_palm_copy *copies,
                  double *W, double *gain, rs_turn_ws *ws);
/* A (d x m) <- A R, after rs_turn() */
void rs_turn_along(double *A, rs_turn_ws *ws);

#endif
