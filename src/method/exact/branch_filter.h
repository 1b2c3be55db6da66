/*
 * method/exact/branch_filter.h: which features, as the last but one of a set,
 * some last one can follow.
 *
 * After p the residual cross-products are R - h h' with R = Y_I'Y_I,
 * h = rest_p / sqrt(left_p), and one more feature explains at most
 * ||R - h h'||_F. With `room` what the set must add to E(I), p cannot win if
 * ||h||^2 + ||R - h h'||_F <= room, which, without a root or a quotient, is
 *
 *     left (room^2 - ||R||_F^2) >= 2 rest' (room I - R) rest
 *     and  room left >= ||rest||^2.
 */
#ifndef RS_CDLSR_BRANCH_FILTER_H
#define RS_CDLSR_BRANCH_FILTER_H

#include "method/exact/branch_strip.h"

/* the numbers of a node in the two tests */
typedef struct {
    double room, slope;     /* room^2 - ||R||_F^2 */
    double slack, delicate; /* of the tests; left below which none is made */
    double *form;           /* c x c: 2 (room I - R), in s->form */
} rs_branch_filter;

/* after E(I) = explained, for the best set at hand */
void rs_branch_filter_pose(rs_branch *s, int depth, double explained,
                           rs_branch_filter *filter);
/* keep[b] = 0 where position p + b cannot win, for b < width <= RS_BRANCH_STRIP;
 * returns how many are kept */
int rs_branch_filter_apply(const rs_branch *s, int depth, int p, int width,
                           const rs_branch_filter *filter,
                           unsigned char *keep);

#endif
