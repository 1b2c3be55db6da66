/* The residual problem of a child, from that of its parent. */
#include "method/exact/branch_step.h"

#include <math.h>

#include "la/linalg.h"
#include "method/exact/branch_bounds.h"
#include "method/exact/branch_products.h"
#include "method/exact/branch_sets.h"
#include "method/exact/branch_strip.h"

/* a small residual: the direction comes from the data, and the loadings from
 * the direction. *usable = 0 for a p that depends on the node. */
static rs_status step_from_data(rs_branch *s, int depth, int p,
                                rs_branch_step *to, int *usable)
{
    const rs_branch_level *at = &s->at[depth];
    const int count = rs_branch_list(s, depth, p, -1);
    to->explained = rs_accurate_explained(&s->accurate, count, s->members) /
                    s->problem->total;
    *usable = s->accurate.residual[count - 1] > 0.0;
    if (!*usable)
        return RS_OK;
    rs_accurate_basis(&s->accurate, count - 1, s->direction, s->raw_h);
    rs_gemv('T', s->problem->c, s->c, 1.0 / s->size, s->turn, s->problem->c,
            s->raw_h, 0.0, s->h);
    RS_TRY(rs_data_crossprod_vector(s->problem->X, s->direction, s->image));
    for (int q = 0; q < s->d; q++)
        s->edge[q] = s->image[s->root.list[q]] * s->root.unit[q];
    to->loading = s->edge;
    to->error = at->error + 4.0 * s->root.error;
    to->slack = s->root.error;
    return RS_OK;
}

rs_status rs_branch_take_step(rs_branch *s, int depth, int p, double explained,
                              rs_branch_step *to, int *usable)
{
    const rs_branch_level *at = &s->at[depth];
    const double left = at->left[p];
    to->r = sqrt(fmax(left, 0.0));
    to->loading = NULL;
    *usable = 1;
    if (left < RS_LEFT_PLAIN && s->accurate.able && s->problem->X)
        return step_from_data(s, depth, p, to, usable);
    if (left <= fmax(16.0 * at->error, RS_LEFT_SLIGHT)) {
        /* dependent or not: rounding hides it */
        s->unresolved =
            fmax(s->unresolved,
                 fmin(1.0, rs_branch_response_bound(s, &s->at[depth],
                                                    s->k - depth, explained)));
        *usable = 0;
        return RS_OK;
    }
    for (int l = 0; l < s->c; l++)
        s->h[l] = at->rest[p + (size_t)s->d * l] / to->r;
    to->explained = explained + at->base[p] / left;
    to->error = at->error * (1.0 + 1.0 / to->r) * (1.0 + 1.0 / to->r);
    to->slack = at->slack + at->error * (2.0 / to->r + 1.0 / left);
    return RS_OK;
}

/* of a strip: left after the loadings a, and the residual response */
static inline void strip_rest(const rs_branch *s, const rs_branch_level *at,
                              const rs_branch_level *next, int q, int length,
                              const double *restrict a)
{
    const double *restrict before = at->left + q;
    double *restrict left = next->left + q, *restrict base = next->base + q;
    for (int b = 0; b < length; b++) {
        left[b] = before[b] - a[b] * a[b];
        base[b] = 0.0;
    }
    for (int l = 0; l < s->c; l++) {
        const double *restrict old = at->rest + q + (size_t)s->d * l;
        double *restrict rest = next->rest + q + (size_t)s->d * l;
        const double h = s->h[l];
        for (int b = 0; b < length; b++) {
            rest[b] = old[b] - h * a[b];
            base[b] += rest[b] * rest[b];
        }
    }
}

/* the residual problem of depth + 1: p projected out, for what follows p */
rs_status rs_branch_descend(rs_branch *s, int depth, int p,
                            const rs_branch_step *to)
{
    const int c = s->c;
    const rs_branch_level *at = &s->at[depth];
    rs_branch_level *next = &s->at[depth + 1];
    const double *g = NULL, inverse = 1.0 / to->r;

    if (!to->loading)
        RS_TRY(rs_branch_products(s, p, &g));
    next->error = to->error;
    next->slack = to->slack;
    for (int q = p + 1, length; q < s->d; q += length) {
        double *a = next->loading + q;
        length = rs_min_int(RS_BRANCH_STRIP, s->d - q);
        if (to->loading)
            rs_copy((size_t)length, to->loading + q, a);
        else if (length == RS_BRANCH_STRIP)
            rs_strip_loading(s, depth, p, q, RS_BRANCH_STRIP, inverse, g + q,
                             a);
        else
            rs_strip_loading(s, depth, p, q, length, inverse, g + q, a);
        if (length == RS_BRANCH_STRIP)
            strip_rest(s, at, next, q, RS_BRANCH_STRIP, a);
        else
            strip_rest(s, at, next, q, length, a);
    }
    for (int l = 0; l < c; l++)
        for (int j = 0; j < c; j++)
            next->YtY[j + (size_t)c * l] =
                at->YtY[j + (size_t)c * l] - s->h[j] * s->h[l];
    s->chosen[depth] = p;
    return RS_OK;
}
