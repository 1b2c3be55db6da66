#include "method/cdlsr_branch_step.h"

#include <math.h>

#include "la/linalg.h"
#include "method/cdlsr_branch_bounds.h"
#include "method/cdlsr_branch_products.h"
#include "method/cdlsr_branch_sets.h"

/* a residual, squared, below which a new basis vector comes from the data */
#define RS_DELICATE 1e-3

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
    rs_accurate_basis(&s->accurate, count - 1, s->direction, s->h);
    rs_scale((size_t)s->c, 1.0 / s->size, s->h);
    RS_TRY(rs_data_crossprod_vector(s->problem->X, s->direction, s->image));
    for (int q = 0; q < s->d; q++)
        s->edge[q] = s->image[s->order[q]] * s->unit[q];
    to->loading = s->edge;
    to->error = at->error + 4.0 * s->error;
    to->slack = s->error;
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
    if (left < RS_DELICATE && s->accurate.able && s->problem->X)
        return step_from_data(s, depth, p, to, usable);
    if (left <= fmax(16.0 * at->error, RS_COLLINEAR_PRODUCTS)) {
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

/* loading of the candidates after p on the new basis vector, into out */
static rs_status new_loading(rs_branch *s, int depth, int p, double r,
                             double *out)
{
    const double *column;
    const int from = p + 1, rows = s->d - from;
    RS_TRY(rs_branch_products(s, p, &column));
    rs_copy((size_t)rows, column + from, out + from);
    for (int t = 1; t <= depth; t++)
        rs_axpy((size_t)rows, -s->at[t].loading[p], s->at[t].loading + from,
                out + from);
    rs_scale((size_t)rows, 1.0 / r, out + from);
    return RS_OK;
}

/* the residual problem of depth + 1: p projected out, for what follows p */
rs_status rs_branch_descend(rs_branch *s, int depth, int p,
                            const rs_branch_step *to)
{
    const int d = s->d, c = s->c, from = p + 1;
    const rs_branch_level *at = &s->at[depth];
    rs_branch_level *next = &s->at[depth + 1];

    if (to->loading)
        rs_copy((size_t)(d - from), to->loading + from, next->loading + from);
    else
        RS_TRY(new_loading(s, depth, p, to->r, next->loading));
    next->error = to->error;
    next->slack = to->slack;
    for (int q = from; q < d; q++) {
        next->left[q] = at->left[q] - next->loading[q] * next->loading[q];
        next->base[q] = 0.0;
    }
    for (int l = 0; l < c; l++) {
        const double *old = at->rest + (size_t)d * l;
        double *rest = next->rest + (size_t)d * l;
        for (int q = from; q < d; q++) {
            rest[q] = old[q] - s->h[l] * next->loading[q];
            next->base[q] += rest[q] * rest[q];
        }
    }
    for (int l = 0; l < c; l++)
        for (int j = 0; j < c; j++)
            next->YtY[j + (size_t)c * l] =
                at->YtY[j + (size_t)c * l] - s->h[j] * s->h[l];
    s->chosen[depth] = p;
    return RS_OK;
}
