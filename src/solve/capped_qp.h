/*
 * solve/capped_qp.h: a convex quadratic on the capped simplex,
 *
 *     min over x of 1/2 (x - x0)'H (x - x0) - g'(x - x0),
 *     0 <= x <= 1, sum x = total,
 *
 * by block principal pivoting (Portugal, Judice and Vicente 1994): all
 * coordinates whose value or multiplier is wrong change sides at once. Where
 * that does not end, by a primal active-set method: the minimum over the
 * coordinates that are free is taken as far as the first bound, and a
 * coordinate at a bound is freed where its multiplier has the wrong sign. Its
 * objective never rises, so that whatever x is at the end is no worse than x0.
 */
#ifndef RS_CAPPED_QP_H
#define RS_CAPPED_QP_H

#include "base/core.h"

typedef struct {
    int room;
    double *K, *u;   /* room x room, room x 2: equations of the free ones */
    double *step;    /* room */
    double *g, *x;   /* room: as they were */
    int *list;       /* room: the free ones */
    signed char *at; /* room: -1 at 0, 1 at 1, 0 free */
} rs_capped_qp_ws;

rs_status rs_capped_qp_init(rs_context *ctx, int room, rs_capped_qp_ws *ws);
/*
 * H (p x p, both triangles) positive semidefinite. In: g = minus the gradient
 * at x = x0, which is feasible but for its sum, at most total <= p; out: x, and
 * g there.
 */
rs_status rs_capped_qp(int p, const double *H, double total, double *g,
                       double *x, rs_capped_qp_ws *ws);

#endif
