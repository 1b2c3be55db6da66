/* Which last features but one can lead to a better set, from the residual
 * problem of the node. */
#include "method/exact/branch_filter.h"

#include <math.h>

/*
 * Rounding. E(I) is off by at most the slack of the level, and R by as much and
 * the error of a product: `room` and, as 2 eta I is added to it, R are taken
 * eta to the worse. left is off by at most the level's error e, and the vector
 * rest by e in length, which both stay below one.
 */
void rs_branch_filter_pose(rs_branch *s, int depth, double explained,
                           rs_branch_filter *filter)
{
    const rs_branch_level *at = &s->at[depth];
    const int c = s->c;
    const double eta = 4.0 * (at->slack + s->root.error), e = at->error;
    double largest = 0.0, square = 0.0;
    filter->room = rs_bnb_cut(&s->search) - explained - 2.0 * eta;
    filter->form = s->form;
    for (size_t i = 0; i < (size_t)c * c; i++) {
        square += at->YtY[i] * at->YtY[i];
        s->form[i] = -2.0 * at->YtY[i];
    }
    for (int l = 0; l < c; l++)
        s->form[l + (size_t)c * l] += 2.0 * filter->room;
    for (size_t i = 0; i < (size_t)c * c; i++)
        largest += fabs(s->form[i]);
    filter->slope =
        filter->room * filter->room - square * (1.0 + s->root.error);
    filter->slack = e * (fabs(filter->slope) + fabs(filter->room)) +
                    (1.0 + largest) * (2.0 * e + e * e + s->root.error);
    filter->delicate = fmax(16.0 * e, RS_LEFT_PLAIN);
}

/* first = left slope - rest' form rest, second = room left - ||rest||^2 */
static inline void strip_tests(const rs_branch *s, const rs_branch_level *at,
                               int p, int length,
                               const rs_branch_filter *filter,
                               double *restrict first, double *restrict second)
{
    const double *restrict left = at->left + p;
    const double *restrict base = at->base + p;
    const double slope = filter->slope, room = filter->room;
    for (int b = 0; b < length; b++)
        first[b] = slope * left[b];
    for (int b = 0; b < length; b++)
        second[b] = room * left[b] - base[b];
    for (int l = 0; l < s->c; l++) {
        const double *restrict rest = at->rest + p + (size_t)s->d * l;
        double product[RS_BRANCH_STRIP],
            weight = filter->form[l + (size_t)s->c * l];
        for (int b = 0; b < length; b++)
            product[b] = weight * rest[b];
        for (int j = 0; j < l; j++) {
            const double *restrict other = at->rest + p + (size_t)s->d * j;
            double twice = 2.0 * filter->form[j + (size_t)s->c * l];
            for (int b = 0; b < length; b++)
                product[b] += twice * other[b];
        }
        for (int b = 0; b < length; b++)
            first[b] -= product[b] * rest[b];
    }
}

int rs_branch_filter_apply(const rs_branch *s, int depth, int p, int width,
                           const rs_branch_filter *filter, unsigned char *keep)
{
    const rs_branch_level *at = &s->at[depth];
    double first[RS_BRANCH_STRIP], second[RS_BRANCH_STRIP];
    int kept = 0;
    if (width == RS_BRANCH_STRIP)
        strip_tests(s, at, p, RS_BRANCH_STRIP, filter, first, second);
    else
        strip_tests(s, at, p, width, filter, first, second);
    for (int b = 0; b < width; b++) {
        keep[b] = !(first[b] >= filter->slack && second[b] >= filter->slack &&
                    at->left[p + b] > filter->delicate);
        kept += keep[b];
    }
    return kept;
}
