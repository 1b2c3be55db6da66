/*
 * method/exact/triples_question.h: is there a set of three that explains more
 * than the target? The matrix M = A - C / tau, scaled to a unit diagonal, and
 * what its entries must be in such a set; the formulas are in
 * method/exact/triples.h.
 */
#ifndef RS_CDLSR_TRIPLES_QUESTION_H
#define RS_CDLSR_TRIPLES_QUESTION_H

#include <math.h>

#include "method/exact/triples_features.h"

typedef struct {
    double target, tau;
    double *weight; /* d: 1 / sqrt(M_ii) */
    double *share;  /* d: what a feature takes off L, descending */
    double slack;   /* errors of scaled entries of M and of shares, at most */
} rs_triple_question;

rs_status rs_triple_question_init(const rs_triple_features *f,
                                  rs_triple_question *q);
/* returns 0 where M would not have a positive diagonal */
int rs_triple_pose(const rs_triple_features *f, double target, double tau,
                   rs_triple_question *q);

/*
 * |M_ji| scaled, from rho = A_ji and joint = C_ji; -1 if no set with both
 * features can explain more than the target, or if they are close.
 */
static inline double rs_triple_entry(const rs_triple_features *f,
                                     const rs_triple_question *q, int j, int i,
                                     double rho, double joint)
{
    const double left = 1.0 - rho * rho;
    const double more =
        f->beside[j] < f->beside[i] ? f->beside[j] : f->beside[i];
    if (left <= RS_LEFT_MINUTE ||
        f->alone[j] + f->alone[i] - 2.0 * rho * joint + 12.0 * f->root.error <=
            (q->target - more) * left)
        return -1.0;
    return fabs(rho - joint / q->tau) * q->weight[j] * q->weight[i];
}

/*
 * The smallest y <= x for which y^2 > L (L - x) / 2, 0 for any; -1 if not even
 * y = x will do. L = 1 - the shares, x >= 0.
 */
static inline double rs_triple_least_y(double L, double x)
{
    double square;
    if (L <= x || L <= 0.0)
        return 0.0;
    square = 0.5 * L * (L - x);
    return square < x * x ? sqrt(square) : -1.0;
}

#endif
