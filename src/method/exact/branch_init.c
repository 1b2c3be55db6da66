/* The root of branch and bound over ordered sets, from the candidates in their
 * order. */
#include "method/exact/branch_init.h"

#include <math.h>

#include "la/linalg.h"
#include "method/exact/branch_products.h"

/* the features in every set first, then the incumbent, then by what a feature
 * explains alone */
static rs_status order_candidates(rs_branch *s, double *score)
{
    const rs_lsq *p = s->problem;
    double top = 0.0;
    rs_explained_alone(p, score);
    for (int j = 0; j < p->d; j++)
        top = fmax(top, score[j]);
    for (int i = 0; i < s->k; i++)
        score[s->fit->feature[i]] = 2.0 * top + (s->k - i);
    for (int j = 0; j < p->d; j++)
        if (p->first && p->first[j]) {
            score[j] += 2.0 * top + 2.0 * s->k;
            s->first++;
        }
    return rs_root_sort(score, &s->root);
}

/* level 0 in the order of the candidates */
static void root_level(rs_branch *s, const double *lambda, const double *C)
{
    const int d = s->d, c = s->c;
    rs_branch_level *root = &s->at[0];
    root->error = 2.0 * s->root.error;
    root->slack = 0.0;
    rs_copy((size_t)d * c, C, root->rest);
    rs_fill((size_t)d, 1.0, root->left);
    rs_row_norms(d, c, root->rest, s->alone);
    for (int q = 0; q < d; q++)
        root->base[q] = s->alone[q] *= s->alone[q];
    rs_fill((size_t)c * c, 0.0, root->YtY);
    for (int l = 0; l < c; l++)
        root->YtY[l + (size_t)c * l] = lambda[l];
}

/* sums[, m]: the m largest of all[q..], by insertion from the end */
static void suffix_sums(const rs_branch *s, const double *all, double *largest,
                        double *sums)
{
    const int d = s->d, k = s->k;
    rs_fill((size_t)k, 0.0, largest);
    for (int q = d - 1; q >= 0; q--) {
        double value = all[q], sum = 0.0;
        for (int i = 0; i < k; i++)
            if (value > largest[i]) {
                double next = largest[i];
                largest[i] = value;
                value = next;
            }
        sums[q] = 0.0;
        for (int m = 1; m <= k; m++) {
            sum += largest[m - 1];
            sums[q + (size_t)m * d] = sum;
        }
    }
}

/* mu[q] = largest |correlation| of two candidates from q on */
static rs_status suffix_coherence(rs_branch *s)
{
    const int d = s->d;
    double running = 0.0;
    for (int q = d - 1; q >= 0; q--) {
        const double *column = s->G + (size_t)d * q;
        for (int j = q + 1; j < d; j++) {
            running = fmax(running, fabs(column[j]));
        }
        s->mu[q] = running;
        if ((q & 255) == 0)
            RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

static rs_status init_levels(rs_context *ctx, rs_branch *s)
{
    const size_t d = (size_t)s->d, c = (size_t)s->c;
    int levels = s->k > 2 ? s->k - 1 : 1;
    s->at = (rs_branch_level *)rs_alloc(ctx, (size_t)levels, sizeof *s->at);
    RS_TRY_ALLOC(s->at);
    for (int t = 0; t < levels; t++) {
        s->at[t].loading = rs_alloc_double(ctx, t > 0 ? d : 0);
        RS_ALLOC_DOUBLES(ctx, d, &s->at[t].left, &s->at[t].base);
        s->at[t].rest = rs_alloc_double(ctx, d * c);
        s->at[t].YtY = rs_alloc_double(ctx, c * c);
        RS_TRY(rs_allocated(ctx));
    }
    return RS_OK;
}

static rs_status init_bounds(rs_context *ctx, rs_branch *s)
{
    const size_t d = (size_t)s->d, c = (size_t)s->c, k = (size_t)s->k;
    RS_ALLOC_DOUBLES(ctx, d, &s->alone, &s->edge);
    s->image = rs_alloc_double(ctx, (size_t)s->problem->d);
    s->direction = rs_alloc_double(ctx, (size_t)s->problem->n);
    RS_ALLOC_INTS(ctx, k, &s->members, &s->chosen);
    s->sums = rs_alloc_double(ctx, d * (k + 1));
    RS_ALLOC_DOUBLES(ctx, c, &s->h, &s->values);
    RS_ALLOC_DOUBLES(ctx, c * c, &s->form, &s->power, &s->square);
    s->raw_h = rs_alloc_double(ctx, (size_t)s->problem->c);
    s->joint = rs_alloc_double(ctx, (size_t)RS_LEAPS * RS_LEAPS);
    s->joint_B = rs_alloc_double(ctx, (size_t)RS_LEAPS * c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_accurate_init(ctx, s->problem, s->k, &s->accurate));
    return rs_eigen_init(ctx, s->c, &s->eigen);
}

/* room for one panel, and from three features on all cross-products */
static rs_status init_cross_products(rs_context *ctx, rs_branch *s)
{
    const size_t d = (size_t)s->d, width = RS_EXACT_PANEL;
    s->panel = rs_alloc_double(ctx, s->k > 2 ? 0 : d * width);
    RS_TRY(rs_allocated(ctx));
    s->panel_start = -RS_EXACT_PANEL;
    if (s->k < 3)
        return RS_OK;
    s->G = rs_alloc_double(ctx, d * d);
    s->mu = rs_alloc_double(ctx, d);
    RS_TRY(rs_allocated(ctx));
    for (int q = 0; q < s->d; q += RS_EXACT_PANEL)
        RS_TRY(rs_branch_fill_panel(s, q, s->G + d * q));
    return suffix_coherence(s);
}

rs_status rs_branch_init(rs_context *ctx, rs_branch *s)
{
    const rs_lsq *p = s->problem;
    const size_t all = (size_t)p->d, c = (size_t)p->c;
    double *score = rs_alloc_double(ctx, all);
    double *lambda = rs_alloc_double(ctx, c);
    double *C = rs_alloc_double(ctx, all * c);
    s->turn = rs_alloc_double(ctx, c * c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_root_init(ctx, p, RS_EXACT_PANEL, &s->root));
    s->d = s->root.d;
    RS_TRY(order_candidates(s, score));
    RS_TRY(rs_root_turn(&s->root, s->set->YtY, &s->c, lambda, s->turn, C));
    RS_TRY(init_levels(ctx, s));
    RS_TRY(init_bounds(ctx, s));
    root_level(s, lambda, C);
    suffix_sums(s, s->alone, score, s->sums);
    return init_cross_products(ctx, s);
}
