/* Weights and shares of the features for a target, from what they explain
 * alone. */
#include "method/exact/triples_question.h"

/* rounding errors that the thresholds allow for, beside those of M: sums and
 * roots of a few numbers of order one in double precision, a million times */
#define RS_THRESHOLD_SLACK 1e-9
/* smallest diagonal entry of M: it divides the rounding errors */
#define RS_LEAST_DIAGONAL 1e-6

rs_status rs_triple_question_init(const rs_triple_features *f,
                                  rs_triple_question *q)
{
    RS_ALLOC_DOUBLES(f->ctx, (size_t)f->d, &q->weight, &q->share);
    return rs_allocated(f->ctx);
}

/*
 * level = min sum nu / (1 - nu / tau) over sum nu = target and
 * 0 <= nu_l <= lambda_l: the nu are equal where no lambda is in the way.
 */
static double least_level(const rs_triple_features *f, double target,
                          double tau)
{
    double level = 0.0, rest = target;
    for (int l = rs_min_int(3, f->c) - 1; l >= 0; l--) {
        double nu = fmin(f->lambda[l], rest / (l + 1));
        rest -= nu;
        if (nu >= tau)
            return INFINITY;
        level += nu / (1.0 - nu / tau);
    }
    return level * (1.0 - RS_THRESHOLD_SLACK);
}

/* M_ii = 1 - e_i / tau, share_i = e_i / M_ii / level; inner products that are
 * off by the error move both by 16 errors / (smallest M_ii tau) at most */
int rs_triple_pose(const rs_triple_features *f, double target, double tau,
                   rs_triple_question *q)
{
    double level = least_level(f, target, tau);
    double smallest = 1.0 - f->alone[0] / tau, error;
    if (smallest < RS_LEAST_DIAGONAL)
        return 0;
    error = 16.0 * f->root.error / (smallest * tau);
    q->target = target;
    q->tau = tau;
    q->slack = RS_THRESHOLD_SLACK + error;
    for (int i = 0; i < f->d; i++) {
        double diagonal = 1.0 - f->alone[i] / tau;
        q->weight[i] = 1.0 / sqrt(diagonal);
        q->share[i] = f->alone[i] / diagonal / level * (1.0 + error);
    }
    return 1;
}
