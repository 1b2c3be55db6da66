#include "method/css/frame.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"

/* eigenvalues that a frame keeps, at least, and beyond the size of the sets */
#define RS_CSS_KEPT 24
#define RS_CSS_KEPT_MORE 8

rs_status rs_css_frame_init(const rs_css_space *space, rs_css_best *best,
                            rs_css_frame *frame)
{
    rs_context *ctx = space->ctx;
    const size_t width = (size_t)space->stride;
    const int k = best->k;
    frame->space = space;
    frame->best = best;
    frame->m = frame->count = 0;
    frame->pruned = -INFINITY;
    RS_ALLOC_INTS(ctx, width, &frame->list, &frame->order, &frame->from);
    RS_ALLOC_DOUBLES(ctx, width, &frame->g, &frame->r, &frame->h,
                     &frame->value);
    RS_ALLOC_DOUBLES(ctx, width * (size_t)k, &frame->P, &frame->M);
    RS_ALLOC_DOUBLES(ctx, width * width, &frame->R, &frame->H);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_css_projection_init(space, k, &frame->projection));
    RS_TRY(rs_css_spectrum_init(space, k,
                                rs_max_int(RS_CSS_KEPT, k + RS_CSS_KEPT_MORE),
                                &frame->spectrum));
    RS_TRY(rs_css_leaf_init(space, best, &frame->leaf));
    frame->leaf.spectrum = &frame->spectrum;
    return RS_OK;
}

/* ---- the candidates, best first ----------------------------------------------- */

/* bounds of the candidates from[0..count); order: those above the cut */
static int bound_candidates(int count, rs_css_frame *frame)
{
    const rs_css_projection *p = &frame->projection;
    const rs_css_spectrum *f = &frame->spectrum;
    const double cut = rs_css_cut(frame->best);
    const double rest =
        p->value + (frame->m - 1) * f->rest + 64.0 * DBL_EPSILON;
    int kept = 0;
    frame->pruned = -INFINITY;
    for (int a = 0; a < count; a++) {
        const int j = frame->from[a];
        const double r = p->r[j], error = p->product_error;
        if (!(r + error > frame->space->least))
            continue;
        const double left = fmax(r, frame->space->least);
        const double gain =
            (p->h[j] + p->response_error) / left + error / left;
        frame->value[a] =
            rest + gain + rs_css_sum_without(f, a, left, frame->m - 1);
        if (frame->value[a] > cut)
            frame->order[kept++] = a;
        else
            frame->pruned = fmax(frame->pruned, frame->value[a]);
    }
    return kept;
}

rs_status rs_css_frame_open(int t, const int *set, int m, int count,
                            const int *list, rs_css_frame *frame)
{
    rs_css_projection *p = &frame->projection;
    frame->m = m;
    frame->count = 0;
    frame->pruned = -INFINITY;
    RS_TRY(rs_css_project(t, set, p));
    memcpy(frame->from, list, (size_t)count * sizeof *list);
    RS_TRY(rs_css_spectrum_of(p, count, frame->from, &frame->spectrum));
    frame->count = bound_candidates(count, frame);
    rs_sort_indices(frame->value, frame->count, frame->order);
    rs_css_spectrum_keep(frame->count, frame->order, &frame->spectrum);
    for (int i = 0; i < frame->count; i++) {
        const int j = frame->from[frame->order[i]];
        frame->list[i] = j;
        frame->g[i] = frame->value[frame->order[i]];
        frame->r[i] = p->r[j];
        frame->h[i] = p->h[j];
    }
    memcpy(frame->best->trial, set, (size_t)t * sizeof *set);
    return RS_OK;
}

/* ---- what is left of the products ---------------------------------------------- */

/* row a of what is left, from candidate number `from` on; whole strips */
static void fill_row(int a, int from, rs_css_frame *frame)
{
    const size_t ld = (size_t)frame->leaf.stride, count = (size_t)frame->count;
    const size_t at = (size_t)frame->space->stride * frame->list[a];
    const double *restrict C = frame->space->C + at;
    const double *restrict H = frame->space->H + at;
    const int *restrict list = frame->list;
    double *restrict r = frame->R + ld * a, *restrict h = frame->H + ld * a;
    for (int b = from; b < frame->count; b++) {
        r[b] = C[list[b]];
        h[b] = H[list[b]];
    }
    for (size_t b = count; b < ld; b++)
        r[b] = h[b] = 0.0;
    for (int t = 0; t < frame->projection.t; t++) {
        const double *restrict P = frame->P + ld * t;
        const double *restrict M = frame->M + ld * t;
        const double p = P[a], m = M[a];
#pragma omp simd
        for (int b = from; b < (int)count; b++) {
            r[b] -= p * P[b];
            h[b] -= p * M[b] + m * P[b];
        }
    }
}

void rs_css_frame_fill(rs_css_frame *frame)
{
    const int ld = rs_css_padded(frame->count), count = frame->count;
    const size_t stride = (size_t)frame->space->stride;
    const rs_css_projection *projection = &frame->projection;
    frame->leaf.stride = ld;
    for (int t = 0; t < projection->t; t++)
        for (int a = 0; a < count; a++) {
            const size_t at = stride * t + (size_t)frame->list[a];
            frame->P[a + (size_t)ld * t] = projection->P[at];
            frame->M[a + (size_t)ld * t] = projection->M[at];
        }
    for (int a = 0; a < count; a++)
        fill_row(a, frame->m == 4 ? 0 : a + 1, frame);
    if (frame->m < 3)
        return;
    rs_css_spectrum_levels(frame->m - 1, &frame->spectrum);
    rs_css_leaf_levels(count, frame->r, &frame->leaf);
}

/* ---- leaves --------------------------------------------------------------------- */

static rs_css_leaf *begin_leaf(int count, int extra, rs_css_frame *frame)
{
    rs_css_leaf *leaf = &frame->leaf;
    leaf->count = count;
    leaf->extra = extra;
    leaf->list = frame->list;
    leaf->R = frame->R;
    leaf->H = frame->H;
    leaf->value = frame->projection.value;
    leaf->product_error = frame->projection.product_error;
    leaf->response_error = frame->projection.response_error;
    return leaf;
}

/* single candidates, best first */
static void try_each(rs_css_frame *frame)
{
    rs_css_best *best = frame->best;
    for (int i = 0; i < frame->count; i++) {
        if (frame->g[i] <= rs_css_cut(best))
            return;
        best->trial[best->k - 1] = frame->list[i];
        rs_css_try(best);
    }
}

rs_status rs_css_frame_finish(rs_css_frame *frame)
{
    const size_t count = (size_t)frame->count;
    rs_css_leaf *leaf = begin_leaf(frame->count, -1, frame);
    if (frame->count < frame->m)
        return RS_OK;
    if (frame->m == 1) {
        try_each(frame);
        return frame->best->status;
    }
    rs_fill(count, 0.0, leaf->p);
    rs_fill(count, 0.0, leaf->m);
    rs_copy(count, frame->r, leaf->r);
    rs_copy(count, frame->h, leaf->h);
    return frame->m == 2 ? rs_css_leaf_pairs(leaf) : rs_css_leaf_triples(leaf);
}

rs_status rs_css_frame_child(int i, rs_css_frame *frame)
{
    rs_css_leaf *leaf = begin_leaf(i, i, frame);
    const double *restrict R = frame->R + (size_t)leaf->stride * i;
    const double *restrict H = frame->H + (size_t)leaf->stride * i;
    const double rest = fmax(frame->r[i], frame->space->least);
    const double root = 1.0 / sqrt(rest), gain = frame->h[i] / rest;
    const double grown = (1.0 + root) * (1.0 + root);
    for (int b = 0; b < i; b++) {
        const double p = root * R[b], m = root * H[b] - 0.5 * gain * p;
        leaf->p[b] = p;
        leaf->m[b] = m;
        leaf->r[b] = frame->r[b] - p * p;
        leaf->h[b] = frame->h[b] - 2.0 * p * m;
    }
    leaf->response_error = leaf->response_error * grown +
                           4.0 * leaf->product_error * root * (1.0 + root) +
                           8.0 * DBL_EPSILON;
    leaf->product_error = leaf->product_error * grown + 4.0 * DBL_EPSILON;
    leaf->value += gain + 2.0 *
                              (frame->projection.response_error +
                               frame->projection.product_error) /
                              rest;
    frame->best->trial[frame->best->k - 4] = frame->list[i];
    return rs_css_leaf_triples(leaf);
}
