/*
 * method/css/project.h: what a set T of features leaves of all candidates. With
 * C_TT = LL',
 *
 *     P = C_.T L^{-T},   N = L^{-1} H_TT L^{-T},   M = H_.T L^{-T} - P N / 2,
 *     f(T) = tr N,   C - PP' and H - PM' - MP' are left of C and H.
 *
 * An entry of C that is off by e makes one of these off by no more than
 * e (1 + b)^2, b the largest sum of |coefficients| of a candidate regressed on
 * T: computed here, as are the errors of what is left of H.
 */
#ifndef RS_CSS_PROJECT_H
#define RS_CSS_PROJECT_H

#include "method/css/space.h"

typedef struct {
    const rs_css_space *space;
    int t, *set; /* capacity: places in the space's list */
    double value;
    double *L;       /* t x t, upper triangle of its transpose */
    double *inverse; /* t x t: L^{-1}, lower triangle filled */
    double *P, *M;   /* stride x t */
    double *N;       /* t x t */
    double *r, *h;   /* count: diagonals of what is left */
    double product_error, response_error; /* of what is left */
    double *work;                         /* t x t */
    double *beta;                         /* count x t */
} rs_css_projection;

rs_status rs_css_projection_init(const rs_css_space *space, int capacity,
                                 rs_css_projection *p);
/* RS_SINGULAR where the set is dependent */
rs_status rs_css_project(int t, const int *set, rs_css_projection *p);

/* f of a set by itself; where a feature depends on the others, -1 */
typedef struct {
    double value, error; /* by how much the value may be off */
    double inverse;      /* tr C_JJ^{-1} */
} rs_css_value;
/* room: 4 k^2 numbers */
rs_css_value rs_css_evaluate(const rs_css_space *space, int k, const int *set,
                             double *room);

#endif
