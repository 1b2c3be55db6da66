#include "method/css/leaf.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* pairs between two polls */
#define RS_CSS_POLL 2e7
/* what a pair that passes the first test costs, in pairs that do not */
#define RS_CSS_FORM_COST 8.0
/* pivots of S that are not told from zero: so many times their error */
#define RS_CSS_UNTOLD 1e3

rs_status rs_css_leaf_init(const rs_css_space *space, rs_css_best *best,
                           rs_css_leaf *leaf)
{
    rs_context *ctx = space->ctx;
    const size_t width = (size_t)space->stride;
    memset(leaf, 0, sizeof *leaf);
    leaf->ctx = ctx;
    leaf->best = best;
    leaf->capacity = leaf->stride = space->stride;
    RS_ALLOC_DOUBLES(ctx, width, &leaf->p, &leaf->m, &leaf->r, &leaf->h,
                     &leaf->cap, &leaf->row_r, &leaf->row_h, &leaf->excess,
                     &leaf->pa, &leaf->ma, &leaf->ra, &leaf->ha, &leaf->pt,
                     &leaf->mt, &leaf->near_r, &leaf->near_h);
    RS_ALLOC_DOUBLES(ctx, width * RS_CSS_LEVELS, &leaf->diagonal, &leaf->own,
                     &leaf->cross);
    leaf->weighted =
        rs_alloc_double(ctx, (size_t)(space->q + 8) * RS_CSS_LEVELS);
    leaf->at = rs_alloc_int(ctx, width);
    leaf->joined = (unsigned char *)rs_alloc(ctx, width * width, 1);
    return rs_allocated(ctx);
}

/* ---- the eigenvalues that are left -------------------------------------------- */

void rs_css_leaf_levels(int count, const double *r, rs_css_leaf *leaf)
{
    const rs_css_spectrum *f = leaf->spectrum;
    for (int g = 0; g < f->levels; g++) {
        const double *restrict weight = f->weight + (size_t)f->rows * g;
        double *out = leaf->diagonal + (size_t)leaf->stride * g;
        for (int a = 0; a < count; a++) {
            const double *restrict w = f->W + (size_t)f->rows * a;
            double sum = 0.0;
            for (int i = 0; i < f->rows; i += 8) {
#pragma omp simd reduction(+ : sum)
                for (int l = 0; l < 8; l++)
                    sum += weight[i + l] * w[i + l] * w[i + l];
            }
            out[a] = r[a] - sum;
        }
    }
}

/* S of level g once `extra` is in T: S_ab - S_ae S_be / S_ee */
static void add_extra(int g, rs_css_leaf *leaf)
{
    const rs_css_spectrum *f = leaf->spectrum;
    const size_t at = (size_t)leaf->stride * g;
    const double *restrict diagonal = leaf->diagonal + at;
    const double *restrict R = leaf->R + (size_t)leaf->stride * leaf->extra;
    double *restrict cross = leaf->cross + at, *restrict own = leaf->own + at;
    const double inverse = 1.0 / leaf->pivot[g];
    double most = 0.0;
    rs_css_level_products(f, g, leaf->extra, leaf->count, cross);
    for (int b = 0; b < leaf->count; b++) {
        cross[b] = R[b] - cross[b];
        own[b] = diagonal[b] - cross[b] * cross[b] * inverse;
        most = fmax(most, fabs(cross[b]));
    }
    most = 1.0 + most * fabs(inverse);
    leaf->spread[g] = f->spread[g] * most * most;
}

/* how many eigenvalues exceed every level, and S where that can decide */
static void open_levels(rs_css_leaf *leaf)
{
    const rs_css_spectrum *f = leaf->spectrum;
    for (int g = 0; g < f->levels; g++) {
        const size_t at = (size_t)leaf->stride * g;
        leaf->weighed[g] = -1;
        leaf->open[g] = f->above[g];
        leaf->spread[g] = f->spread[g];
        if (leaf->extra < 0) {
            rs_copy((size_t)leaf->count, leaf->diagonal + at, leaf->own + at);
            continue;
        }
        leaf->pivot[g] = leaf->diagonal[at + (size_t)leaf->extra];
        if (fabs(leaf->pivot[g]) < RS_CSS_UNTOLD * f->spread[g])
            leaf->open[g] = RS_CSS_LEVELS; /* not known */
        else
            leaf->open[g] += (leaf->pivot[g] > 0.0) - 1;
        if (leaf->open[g] == 1 || leaf->open[g] == 2)
            add_extra(g, leaf);
    }
}

/* the largest eigenvalue without each of the candidates, rounded up to levels */
static void cap_eigenvalues(rs_css_leaf *leaf)
{
    const rs_css_spectrum *f = leaf->spectrum;
    double top = f->q > 0 ? f->mu[0] : 0.0, *restrict cap = leaf->cap;
    open_levels(leaf);
    for (int g = 0; g < f->levels; g++)
        if (leaf->open[g] == 0)
            top = fmin(top, f->level[g]);
    rs_fill((size_t)leaf->count, top, cap);
    for (int g = f->levels - 1; g >= 0; g--) {
        const double *restrict own = leaf->own + (size_t)leaf->stride * g;
        const double level = f->level[g], spread = leaf->spread[g];
        if (leaf->open[g] != 1)
            continue;
        for (int b = 0; b < leaf->count; b++)
            cap[b] = own[b] < -spread && level < cap[b] ? level : cap[b];
    }
}

/* W_a' diag(weight) of level g, made when it is first asked for */
static const double *weighted_row(int g, int a, rs_css_leaf *leaf)
{
    const rs_css_spectrum *f = leaf->spectrum;
    double *restrict out = leaf->weighted + (size_t)f->rows * g;
    if (leaf->weighed[g] != a) {
        const double *restrict w = f->W + (size_t)f->rows * a;
        const double *restrict weight = f->weight + (size_t)f->rows * g;
        for (int i = 0; i < f->rows; i++)
            out[i] = weight[i] * w[i];
        leaf->weighed[g] = a;
    }
    return out;
}

/* can an eigenvalue exceed x once a and b are in T? */
static int may_exceed(double x, int a, int b, rs_css_leaf *leaf)
{
    const rs_css_spectrum *f = leaf->spectrum;
    if (f->levels == 0 || x < f->level[0])
        return 1;
    int g = rs_min_int((int)fmin((x - f->low) / f->step, RS_CSS_LEVELS),
                       f->levels - 1);
    while (g > 0 && f->level[g] > x)
        g--;
    if (leaf->open[g] < 1 || leaf->open[g] > 2)
        return leaf->open[g] > 2;
    const size_t at = (size_t)leaf->stride * g;
    const double aa = leaf->own[at + (size_t)a], e = leaf->spread[g];
    const double bb = leaf->own[at + (size_t)b];
    double ab = leaf->R[(size_t)leaf->stride * a + b] -
                rs_css_form(f, weighted_row(g, a, leaf), b);
    if (leaf->extra >= 0)
        ab -= leaf->cross[at + (size_t)a] * leaf->cross[at + (size_t)b] /
              leaf->pivot[g];
    const double det = aa * bb - ab * ab;
    const double spread = e * (fabs(aa) + fabs(bb) + 2.0 * fabs(ab) + e);
    if (leaf->open[g] == 1)
        return !(aa < -e || bb < -e || det < -spread);
    return !(aa < -e && bb < -e && det > spread);
}

/* ---- pairs ---------------------------------------------------------------------- */

typedef struct {
    double p, m, r, h, cap;
    double need;  /* what three must add, less what is left beyond mu */
    double slack; /* error of the two sides of the test */
} row_of;

/* what is left of a strip of products with a, and by how much a pair passes */
static void test_strip(const row_of *a, const double *restrict R,
                       const double *restrict H, const double *restrict p,
                       const double *restrict m, const double *restrict r,
                       const double *restrict h, const double *restrict cap,
                       double *restrict row_r, double *restrict row_h,
                       double *restrict excess)
{
    const double pa = a->p, ma = a->m, ra = a->r, ha = a->h, ca = a->cap;
    const double need = a->need, slack = a->slack;
    for (int b = 0; b < RS_CSS_STRIP; b++) {
        const double rb = R[b] - pa * p[b];
        const double hb = H[b] - (pa * m[b] + ma * p[b]);
        const double most = cap[b] < ca ? cap[b] : ca;
        const double gain = h[b] * ra + ha * r[b] - 2.0 * rb * hb;
        row_r[b] = rb;
        row_h[b] = hb;
        excess[b] = gain + slack - (need - most) * (ra * r[b] - rb * rb);
    }
}

/* the candidates after `a`; excess[b] > 0 for those that pass the first test */
static void test_row(int a, const row_of *row, rs_css_leaf *leaf)
{
    const double *R = leaf->R + (size_t)leaf->stride * a;
    const double *H = leaf->H + (size_t)leaf->stride * a;
    for (int b = (a + 1) / RS_CSS_STRIP * RS_CSS_STRIP; b < leaf->count;
         b += RS_CSS_STRIP)
        test_strip(row, R + b, H + b, leaf->p + b, leaf->m + b, leaf->r + b,
                   leaf->h + b, leaf->cap + b, leaf->row_r + b,
                   leaf->row_h + b, leaf->excess + b);
    leaf->work += leaf->count - a;
}

static double slack_of(double product_error, double response_error)
{
    return 4.0 * response_error + 8.0 * product_error + 32.0 * DBL_EPSILON;
}

/* what three more features must add, as it stands now */
static row_of begin_row(int a, double rest, const rs_css_leaf *leaf)
{
    row_of row = {leaf->p[a],
                  leaf->m[a],
                  fmax(leaf->r[a], leaf->best->space->least),
                  leaf->h[a],
                  leaf->cap[a],
                  rs_css_cut(leaf->best) - leaf->value - rest,
                  slack_of(leaf->product_error, leaf->response_error)};
    return row;
}

/* a and b are independent, or may be; det = R_aa R_bb - R_ab^2 */
static int are_independent(double ra, double rb, double det, double error,
                           double least)
{
    return det + 8.0 * error > least * fmax(ra, rb);
}

/* the second test, with the gain itself */
static int passes(int a, int b, const row_of *row, rs_css_leaf *leaf)
{
    const double rab = leaf->row_r[b], det = row->r * leaf->r[b] - rab * rab;
    const double least = leaf->best->space->least;
    if (!are_independent(row->r, leaf->r[b], det, leaf->product_error, least))
        return 0;
    const double gain = (leaf->h[b] * row->r + row->h * leaf->r[b] -
                         2.0 * rab * leaf->row_h[b] + row->slack) /
                        det;
    leaf->work += RS_CSS_FORM_COST;
    return !(det > 0.0) || may_exceed(row->need - gain, a, b, leaf);
}

/* the neighbours of a among those after it */
static void find_neighbours(int a, const row_of *row, rs_css_leaf *leaf)
{
    unsigned char *joined = leaf->joined + (size_t)leaf->stride * a;
    test_row(a, row, leaf);
    leaf->near = 0;
    for (int b = a + 1; b < leaf->count; b++) {
        joined[b] = leaf->excess[b] > 0.0 && passes(a, b, row, leaf);
        if (joined[b])
            leaf->at[leaf->near++] = b;
    }
}

/* ---- triangles ------------------------------------------------------------------ */

static void try_triple(int a, int b, int c, rs_css_leaf *leaf)
{
    const int k = leaf->best->k;
    leaf->best->trial[k - 3] = leaf->list[a];
    leaf->best->trial[k - 2] = leaf->list[b];
    leaf->best->trial[k - 1] = leaf->list[c];
    rs_css_try(leaf->best);
}

/* what a takes off for its neighbours, pa = R_a. / R_aa^{1/2} and ma likewise,
 * and what it leaves of them */
static void take_off_row(const row_of *row, rs_css_leaf *leaf)
{
    const double inverse = 1.0 / sqrt(row->r), half = 0.5 * row->h / row->r;
    for (int i = 0; i < leaf->near; i++) {
        const int b = leaf->at[i];
        const double p = leaf->row_r[b] * inverse;
        const double m = leaf->row_h[b] * inverse - half * p;
        leaf->pa[i] = p;
        leaf->ma[i] = m;
        leaf->ra[i] = leaf->r[b] - p * p;
        leaf->ha[i] = leaf->h[b] - 2.0 * p * m;
        leaf->pt[i] = leaf->p[b];
        leaf->mt[i] = leaf->m[b];
    }
    for (int i = leaf->near; i < rs_css_padded(leaf->near); i++) {
        leaf->pa[i] = leaf->ma[i] = leaf->pt[i] = leaf->mt[i] = 0.0;
        leaf->ra[i] = leaf->ha[i] = leaf->near_r[i] = leaf->near_h[i] = 0.0;
    }
}

typedef struct {
    double p, m, pt, mt, r, h; /* of b */
    double need, slack;
} corner;

/* excess[i] > 0 where b and neighbour number i make a triple that may do */
static void test_triples(const corner *b, const double *restrict R,
                         const double *restrict H, const double *restrict pa,
                         const double *restrict ma, const double *restrict pt,
                         const double *restrict mt, const double *restrict ra,
                         const double *restrict ha, double *restrict excess)
{
    const double p = b->p, m = b->m, t = b->pt, u = b->mt, r = b->r, h = b->h;
    const double need = b->need, slack = b->slack;
    for (int i = 0; i < RS_CSS_STRIP; i++) {
        const double rb = R[i] - (t * pt[i] + p * pa[i]);
        const double hb =
            H[i] - (t * mt[i] + u * pt[i] + p * ma[i] + m * pa[i]);
        const double gain = ha[i] * r + h * ra[i] - 2.0 * rb * hb;
        excess[i] = gain + slack - need * (r * ra[i] - rb * rb);
    }
}

/* the triples of a, its neighbour number i and those after it */
static void close_triangles(int a, int i, double first, double slack,
                            rs_css_leaf *leaf)
{
    const int b = leaf->at[i], near = leaf->near;
    const size_t row = (size_t)leaf->stride * b;
    const double *R = leaf->R + row, *H = leaf->H + row;
    const unsigned char *joined = leaf->joined + row;
    const int *restrict at = leaf->at;
    double *restrict r = leaf->near_r, *restrict h = leaf->near_h;
    corner own = {leaf->pa[i],
                  leaf->ma[i],
                  leaf->pt[i],
                  leaf->mt[i],
                  leaf->ra[i],
                  leaf->ha[i],
                  rs_css_cut(leaf->best) - leaf->value - first,
                  slack};
    for (int l = i + 1; l < near; l++) {
        r[l] = R[at[l]];
        h[l] = H[at[l]];
    }
    for (int s = (i + 1) / RS_CSS_STRIP * RS_CSS_STRIP; s < near;
         s += RS_CSS_STRIP) {
        double excess[RS_CSS_STRIP];
        test_triples(&own, r + s, h + s, leaf->pa + s, leaf->ma + s,
                     leaf->pt + s, leaf->mt + s, leaf->ra + s, leaf->ha + s,
                     excess);
        const int from = rs_max_int(i + 1 - s, 0);
        const int to = rs_min_int(near - s, RS_CSS_STRIP);
        for (int l = from; l < to; l++) {
            if (!(excess[l] > 0.0) || !joined[at[s + l]])
                continue;
            try_triple(a, b, at[s + l], leaf);
            own.need = rs_css_cut(leaf->best) - leaf->value - first;
        }
    }
    leaf->work += 1.5 * (near - i);
}

static void find_triangles(int a, const row_of *row, rs_css_leaf *leaf)
{
    const double first = row->h / row->r, root = 1.0 / sqrt(row->r);
    const double grown = (1.0 + root) * (1.0 + root);
    const double products = leaf->product_error * grown + 4.0 * DBL_EPSILON;
    const double responses = leaf->response_error * grown +
                             4.0 * leaf->product_error * root * (1.0 + root) +
                             8.0 * DBL_EPSILON;
    const double error =
        2.0 * (leaf->response_error + leaf->product_error) / row->r;
    take_off_row(row, leaf);
    for (int i = 0; i + 1 < leaf->near; i++)
        close_triangles(a, i, first + error, slack_of(products, responses),
                        leaf);
}

/* ---- the searches --------------------------------------------------------------- */

/* diagonals behind the last candidate, so that whole strips can be read */
static void pad(rs_css_leaf *leaf)
{
    for (int b = leaf->count; b < rs_css_padded(leaf->count); b++) {
        leaf->p[b] = leaf->m[b] = leaf->h[b] = leaf->cap[b] = 0.0;
        leaf->r[b] = 1.0;
    }
}

static rs_status poll(rs_css_leaf *leaf)
{
    RS_TRY(leaf->best->status);
    if (leaf->work - leaf->polled < RS_CSS_POLL)
        return RS_OK;
    leaf->polled = leaf->work;
    return rs_poll(leaf->ctx);
}

rs_status rs_css_leaf_triples(rs_css_leaf *leaf)
{
    cap_eigenvalues(leaf);
    pad(leaf);
    for (int a = leaf->count - 2; a >= 0; a--) {
        const row_of row = begin_row(a, leaf->spectrum->rest, leaf);
        find_neighbours(a, &row, leaf);
        find_triangles(a, &row, leaf);
        RS_TRY(poll(leaf));
    }
    return RS_OK;
}

rs_status rs_css_leaf_pairs(rs_css_leaf *leaf)
{
    const int k = leaf->best->k;
    rs_fill((size_t)leaf->count, 0.0, leaf->cap);
    pad(leaf);
    for (int a = leaf->count - 2; a >= 0; a--) {
        const row_of row = begin_row(a, 0.0, leaf);
        test_row(a, &row, leaf);
        for (int b = a + 1; b < leaf->count; b++) {
            if (!(leaf->excess[b] > 0.0))
                continue;
            leaf->best->trial[k - 2] = leaf->list[a];
            leaf->best->trial[k - 1] = leaf->list[b];
            rs_css_try(leaf->best);
        }
        RS_TRY(poll(leaf));
    }
    return RS_OK;
}
