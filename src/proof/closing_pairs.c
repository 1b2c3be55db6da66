/*
 * The last two or three features of a set, exactly. With R and H what T leaves,
 * a pair adds
 *
 *     tr(R_ab^{-1} H_ab) = (H_aa R_bb + H_bb R_aa - 2 R_ab H_ab) / D,
 *     D = R_aa R_bb - R_ab^2,
 *
 * and a better set of three holds three pairs of which each has
 *
 *     what it adds + the largest eigenvalue that it leaves > what is needed.
 *
 * That eigenvalue is at most the one that either feature alone leaves (first
 * test). Then it is compared with a level x (second test): of diag(mu) - W_J
 * R_JJ^{-1} W_J' as many eigenvalues exceed x as are positive, by the additivity
 * of inertia, of
 *
 *     diag(mu - x)  and of  S = R_JJ - W_J' diag(mu - x)^{-1} W_J,  less |J|.
 *
 * The pairs that pass make a graph: its triangles are evaluated, row by row from
 * the last.
 */
#include <float.h>
#include <math.h>

#include "proof/closing.h"

/* of so few candidates all triples take less time than their eigenvalues */
#define RS_CLOSING_FEW 64
/* more than any pair needs: all of them pass */
#define RS_CLOSING_NO_CAP 4.0
/* what a feature leaves is not told from nothing: so many times its error */
#define RS_CLOSING_UNTOLD 64.0
/* pairs and triangles between two polls */
#define RS_CLOSING_POLL 2e7

typedef rs_closing_search search;
typedef rs_closing_node node;
typedef rs_closing_spectrum spectrum;
typedef rs_closing_pairs pairs;

static int padded(int count)
{
    return (count + RS_CLOSING_STRIP - 1) / RS_CLOSING_STRIP *
           RS_CLOSING_STRIP;
}

rs_status rs_closing_pairs_init(const rs_closing_kernel *s, pairs *l)
{
    const size_t width = (size_t)padded(s->count);
    *l = (pairs){.room = 0};
    l->at = rs_alloc_int(s->ctx, width);
    l->own = rs_alloc_double(s->ctx, width * RS_CLOSING_LEVELS);
    l->weighted =
        rs_alloc_double(s->ctx, (size_t)(s->q + 8) * RS_CLOSING_LEVELS);
    RS_ALLOC_DOUBLES(s->ctx, width, &l->cap, &l->excess, &l->p, &l->m, &l->r,
                     &l->h, &l->near_r, &l->near_h);
    return rs_allocated(s->ctx);
}

/* ---- what T leaves of products -------------------------------------------------- */

/* room for so many rows of as many candidates; twice as much each time, but no
 * more than all of them can take */
static rs_status make_room(int rows, int count, rs_closing_rows *out,
                           search *c)
{
    rs_context *ctx = c->kernel.ctx;
    out->stride = padded(count);
    const size_t cells = (size_t)out->stride * (size_t)rows;
    if (cells <= out->room)
        return RS_OK;
    const size_t all = (size_t)padded(c->kernel.count) * c->kernel.count;
    out->room = 2 * out->room < all ? 2 * out->room : all;
    if (out->room < cells)
        out->room = cells;
    RS_ALLOC_DOUBLES(ctx, out->room, &out->R, &out->H);
    return rs_allocated(ctx);
}

/* `width` rows of R and H, the first for candidate number `at`, from this on;
 * zeros behind the last candidate */
static rs_status fill_rows(int at, int width, int stride, double *R, double *H,
                           search *c)
{
    const node *p = c->now;
    const rs_closing_kernel *s = &c->kernel;
    const size_t ld = (size_t)stride;
    const int t = p->in.t, q = s->q, rest = p->count - at;
    const double *column[RS_PANEL];
    RS_TRY(rs_closing_columns(&c->kernel, width, p->list + at, column));
    for (int b = 0; b < width; b++) {
        const double *h =
            s->H ? s->H + (size_t)s->count * p->list[at + b] : NULL;
        for (int a = at; a < p->count; a++)
            R[a + ld * b] = column[b][p->list[a]];
        for (int a = at; h && a < p->count; a++)
            H[a + ld * b] = h[p->list[a]];
        for (size_t a = (size_t)p->count; a < ld; a++)
            R[a + ld * b] = H[a + ld * b] = 0.0;
    }
    const double *P = p->P + (size_t)t * at, *M = p->M + (size_t)t * at;
    const double *Z = p->Z + (size_t)q * at;
    if (t > 0)
        rs_gemm('T', 'N', rest, width, t, -1.0, P, t, P, t, 1.0, R + at,
                stride);
    if (!s->H)
        rs_gemm('T', 'N', rest, width, q, 1.0, Z, q, Z, q, 0.0, H + at,
                stride);
    if (s->H && t > 0) {
        rs_gemm('T', 'N', rest, width, t, -1.0, P, t, M, t, 1.0, H + at,
                stride);
        rs_gemm('T', 'N', rest, width, t, -1.0, M, t, P, t, 1.0, H + at,
                stride);
    }
    return rs_poll(s->ctx);
}

/* all of them */
static rs_status fill(rs_closing_rows *out, search *c)
{
    const int count = c->now->count;
    RS_TRY(make_room(count, count, out, c));
    for (int at = 0; at < count; at += RS_PANEL) {
        const size_t row = (size_t)out->stride * at;
        RS_TRY(fill_rows(at, rs_min_int(RS_PANEL, count - at), out->stride,
                         out->R + row, out->H + row, c));
    }
    return RS_OK;
}

/* diagonals behind the last candidate, so that whole strips can be read */
static void pad(search *c)
{
    for (int b = c->now->count; b < c->pairs.rows.stride; b++) {
        c->now->h[b] = c->pairs.cap[b] = 0.0;
        c->now->r[b] = 1.0;
    }
}

/* ---- the eigenvalues that are left -------------------------------------------- */

/* the largest eigenvalue without each of the candidates, rounded up to levels;
 * diagonals of S for all of these */
static void cap_eigenvalues(search *c)
{
    const spectrum *f = &c->now->spectrum;
    double *restrict cap = c->pairs.cap;
    double top = f->q > 0 ? f->mu[0] : 0.0;
    for (int g = 0; g < f->levels; g++) {
        c->pairs.weighed[g] = -1;
        if (f->above[g] == 0)
            top = fmin(top, f->level[g]);
    }
    rs_fill((size_t)c->now->count, top, cap);
    for (int g = f->levels - 1; g >= 0; g--) {
        const double *weight = f->weight + (size_t)f->rows * g;
        const double level = f->level[g], spread = f->spread[g];
        double *own = c->pairs.own + (size_t)c->pairs.rows.stride * g;
        for (int a = 0; a < c->now->count; a++) {
            const double *restrict w = f->W + (size_t)f->rows * a;
            double sum = 0.0;
            for (int i = 0; i < f->rows; i += 8) {
#pragma omp simd reduction(+ : sum)
                for (int l = 0; l < 8; l++)
                    sum += weight[i + l] * w[i + l] * w[i + l];
            }
            own[a] = c->now->r[a] - sum;
            if (f->above[g] == 1 && own[a] < -spread && level < cap[a])
                cap[a] = level;
        }
    }
}

/* W_a' diag(weight) of level g, made when it is first asked for */
static const double *weighted_row(int g, int a, search *c)
{
    const spectrum *f = &c->now->spectrum;
    double *restrict out = c->pairs.weighted + (size_t)f->rows * g;
    if (c->pairs.weighed[g] != a) {
        const double *restrict w = f->W + (size_t)f->rows * a;
        const double *restrict weight = f->weight + (size_t)f->rows * g;
        for (int i = 0; i < f->rows; i++)
            out[i] = weight[i] * w[i];
        c->pairs.weighed[g] = a;
    }
    return out;
}

/* can an eigenvalue exceed x once a and b are in T? rab: of R */
static int may_exceed(double x, int a, int b, double rab, search *c)
{
    const spectrum *f = &c->now->spectrum;
    if (f->levels == 0 || x < f->level[0])
        return 1;
    int g = rs_min_int((int)fmin((x - f->low) / f->step, RS_CLOSING_LEVELS),
                       f->levels - 1);
    while (g > 0 && f->level[g] > x)
        g--;
    if (f->above[g] < 1 || f->above[g] > 2)
        return f->above[g] > 2;
    const double *own = c->pairs.own + (size_t)c->pairs.rows.stride * g;
    const double aa = own[a], bb = own[b], e = f->spread[g];
    const double ab = rab - rs_closing_form(f, weighted_row(g, a, c), b);
    const double det = aa * bb - ab * ab;
    const double spread = e * (fabs(aa) + fabs(bb) + 2.0 * fabs(ab) + e);
    if (f->above[g] == 1)
        return !(aa < -e || bb < -e || det < -spread);
    return !(aa < -e && bb < -e && det > spread);
}

/* ---- pairs ---------------------------------------------------------------------- */

/* what is fixed in a row of tests of what two features add */
typedef struct {
    double p, m, r, h, cap;
    double need;  /* what is to be added, less what is left beyond mu */
    double slack; /* error of the two sides of the test */
} row_of;

/* excess[b] > 0 where the pair, and the best that may follow, add enough */
static void test_strip(const row_of *a, const double *restrict R,
                       const double *restrict H, const double *restrict r,
                       const double *restrict h, const double *restrict cap,
                       double *restrict excess)
{
    const double ra = a->r, ha = a->h, ca = a->cap, need = a->need;
    const double slack = a->slack;
    for (int b = 0; b < RS_CLOSING_STRIP; b++) {
        const double most = cap[b] < ca ? cap[b] : ca;
        const double gain = h[b] * ra + ha * r[b] - 2.0 * R[b] * H[b];
        excess[b] = gain + slack - (need - most) * (ra * r[b] - R[b] * R[b]);
    }
}

static double slack_of(double products, double responses)
{
    return 4.0 * responses + 8.0 * products + 32.0 * DBL_EPSILON;
}

/* the candidates after a, whose rows of R and H are given */
static row_of test_row(int a, double rest, const double *R, const double *H,
                       search *c)
{
    const node *p = c->now;
    pairs *l = &c->pairs;
    const row_of row = {
        .r = fmax(p->r[a], c->kernel.least),
        .h = p->h[a],
        .cap = l->cap[a],
        .need = rs_tree_cut(c->tree) - p->in.value - rest,
        .slack = slack_of(p->in.product_error, p->in.response_error)};
    for (int b = (a + 1) / RS_CLOSING_STRIP * RS_CLOSING_STRIP; b < p->count;
         b += RS_CLOSING_STRIP)
        test_strip(&row, R + b, H + b, p->r + b, p->h + b, l->cap + b,
                   l->excess + b);
    l->polled += p->count - a;
    return row;
}

/* the second test, with the gain itself */
static int passes(int a, int b, const row_of *row, const double *R,
                  const double *H, search *c)
{
    const double *r = c->now->r, *h = c->now->h, least = c->kernel.least;
    const double det = row->r * r[b] - R[b] * R[b];
    if (least > 0.0 &&
        det + 8.0 * c->now->in.product_error <= least * fmax(row->r, r[b]))
        return 0; /* they count as dependent */
    const double gain =
        (h[b] * row->r + row->h * r[b] - 2.0 * R[b] * H[b] + row->slack) / det;
    return !(det > 0.0) || may_exceed(row->need - gain, a, b, R[b], c);
}

/* does no set with the candidates a, b and l have enough, by their weights? */
static int are_light(const node *p, int a, int b, int l, double cut)
{
    return p->weight && p->base + p->weight[a] + p->weight[b] +
                                (l < 0 ? 0.0 : p->weight[l]) <=
                            cut;
}

static rs_status offer(int a, int b, int l, search *c)
{
    const node *p = c->now;
    int count = p->in.t;
    for (int i = 0; i < p->in.t; i++)
        c->set[i] = p->in.set[i];
    c->set[count++] = p->list[a];
    if (b >= 0)
        c->set[count++] = p->list[b];
    if (l >= 0)
        c->set[count++] = p->list[l];
    for (int i = 0; i < count; i++)
        c->set[i] = c->unit[c->set[i]];
    return rs_tree_offer(c->set, c->tree);
}

static rs_status poll(search *c)
{
    if (c->pairs.polled < RS_CLOSING_POLL)
        return RS_OK;
    c->pairs.polled = 0.0;
    return rs_poll(c->kernel.ctx);
}

static rs_status try_pairs(search *c)
{
    pairs *l = &c->pairs;
    const int count = c->now->count;
    RS_TRY(make_room(RS_PANEL, count, &l->rows, c));
    rs_fill((size_t)count, 0.0, l->cap);
    pad(c);
    for (int at = 0; at < count; at += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, count - at);
        RS_TRY(fill_rows(at, width, l->rows.stride, l->rows.R, l->rows.H, c));
        for (int i = 0; i < width; i++) {
            const int a = at + i;
            const size_t row = (size_t)l->rows.stride * i;
            test_row(a, 0.0, l->rows.R + row, l->rows.H + row, c);
            for (int b = a + 1; b < count; b++)
                if (l->excess[b] > 0.0 &&
                    !are_light(c->now, a, b, -1, rs_tree_cut(c->tree)))
                    RS_TRY(offer(a, b, -1, c));
        }
        RS_TRY(poll(c));
    }
    return RS_OK;
}

/* ---- triangles ------------------------------------------------------------------ */

/* the neighbours of a among those after it */
static row_of find_neighbours(int a, search *c)
{
    pairs *l = &c->pairs;
    const size_t at = (size_t)l->rows.stride * a;
    const double *R = l->rows.R + at, *H = l->rows.H + at;
    unsigned char *joined = l->joined + at;
    const row_of row = test_row(a, c->now->spectrum.rest, R, H, c);
    l->near = 0;
    for (int b = a + 1; b < c->now->count; b++) {
        joined[b] = l->excess[b] > 0.0 && passes(a, b, &row, R, H, c);
        if (joined[b])
            l->at[l->near++] = b;
    }
    return row;
}

/* what a takes off for its neighbours, p = R_a. / R_aa^{1/2} and m likewise, and
 * what it leaves of them */
static void take_off_row(int a, const row_of *row, search *c)
{
    pairs *l = &c->pairs;
    const double *R = l->rows.R + (size_t)l->rows.stride * a;
    const double *H = l->rows.H + (size_t)l->rows.stride * a;
    const double inverse = 1.0 / sqrt(row->r), half = 0.5 * row->h / row->r;
    for (int i = 0; i < l->near; i++) {
        const int b = l->at[i];
        l->p[i] = R[b] * inverse;
        l->m[i] = H[b] * inverse - half * l->p[i];
        l->r[i] = c->now->r[b] - l->p[i] * l->p[i];
        l->h[i] = c->now->h[b] - 2.0 * l->p[i] * l->m[i];
    }
    for (int i = l->near; i < padded(l->near); i++) {
        l->p[i] = l->m[i] = l->r[i] = l->h[i] = 0.0;
        l->near_r[i] = l->near_h[i] = 0.0;
    }
}

/* excess[i] > 0 where b and neighbour number i make a triple that may do; R and
 * H as they were with a not in T */
static void test_triples(const row_of *b, const double *restrict R,
                         const double *restrict H, const double *restrict p,
                         const double *restrict m, const double *restrict r,
                         const double *restrict h, double *restrict excess)
{
    const double pb = b->p, mb = b->m, rb = b->r, hb = b->h, need = b->need;
    const double slack = b->slack;
    for (int i = 0; i < RS_CLOSING_STRIP; i++) {
        const double cross = R[i] - pb * p[i];
        const double mixed = H[i] - (pb * m[i] + mb * p[i]);
        const double gain = h[i] * rb + hb * r[i] - 2.0 * cross * mixed;
        excess[i] = gain + slack - need * (rb * r[i] - cross * cross);
    }
}

/* the triples of a, its neighbour number i and those after it up to `to` */
static rs_status close_triangles(int a, int i, int to, double first,
                                 double slack, search *c)
{
    pairs *l = &c->pairs;
    const int b = l->at[i], *restrict at = l->at;
    const size_t row = (size_t)l->rows.stride * b;
    const double *R = l->rows.R + row, *H = l->rows.H + row;
    const unsigned char *joined = l->joined + row;
    const double value = c->now->in.value + first;
    row_of own = {.p = l->p[i],
                  .m = l->m[i],
                  .r = l->r[i],
                  .h = l->h[i],
                  .need = rs_tree_cut(c->tree) - value,
                  .slack = slack};
    for (int e = i + 1; e < to; e++) {
        l->near_r[e] = R[at[e]];
        l->near_h[e] = H[at[e]];
    }
    for (int s = (i + 1) / RS_CLOSING_STRIP * RS_CLOSING_STRIP; s < to;
         s += RS_CLOSING_STRIP) {
        double excess[RS_CLOSING_STRIP];
        test_triples(&own, l->near_r + s, l->near_h + s, l->p + s, l->m + s,
                     l->r + s, l->h + s, excess);
        const int last = rs_min_int(to - s, RS_CLOSING_STRIP);
        for (int e = rs_max_int(i + 1 - s, 0); e < last; e++) {
            if (!(excess[e] > 0.0) || !joined[at[s + e]])
                continue;
            RS_TRY(offer(a, b, at[s + e], c));
            own.need = rs_tree_cut(c->tree) - value;
        }
    }
    l->polled += 1.5 * (to - i);
    return RS_OK;
}

/* all triples of a, as rounding hides what it adds */
static rs_status offer_neighbours(int a, search *c)
{
    const pairs *l = &c->pairs;
    for (int i = 0; i < l->near; i++)
        for (int e = i + 1; e < l->near; e++)
            if (l->joined[l->at[e] + (size_t)l->rows.stride * l->at[i]])
                RS_TRY(offer(a, l->at[i], l->at[e], c));
    return RS_OK;
}

static rs_status find_triangles(int a, const row_of *row, search *c)
{
    const node *p = c->now;
    const pairs *l = &c->pairs;
    const double r = row->r, root = 1.0 / sqrt(fmax(r, DBL_MIN));
    const double grown = (1.0 + root) * (1.0 + root);
    const double products = p->in.product_error * grown + 4.0 * DBL_EPSILON;
    const double responses = p->in.response_error * grown +
                             4.0 * p->in.product_error * root * (1.0 + root) +
                             8.0 * DBL_EPSILON;
    const double first =
        (row->h + 2.0 * (p->in.response_error + p->in.product_error)) *
        (root * root);
    int to = l->near;
    if (!(r > RS_CLOSING_UNTOLD * p->in.product_error))
        return offer_neighbours(a, c);
    take_off_row(a, row, c);
    for (int i = 0; i + 1 < to; i++) {
        const double cut = rs_tree_cut(c->tree);
        while (to > i + 1 && are_light(p, a, l->at[i], l->at[to - 1], cut))
            to--;
        RS_TRY(close_triangles(a, i, to, first, slack_of(products, responses),
                               c));
    }
    return RS_OK;
}

/* of the node whose rows are at hand */
static rs_status try_triples(search *c)
{
    const int count = c->now->count;
    pairs *l = &c->pairs;
    if (l->rows.room > l->room) {
        l->room = l->rows.room;
        l->joined = (unsigned char *)rs_alloc(c->kernel.ctx, l->room, 1);
        RS_TRY_ALLOC(l->joined);
    }
    if (c->now->weight || count <= RS_CLOSING_FEW) {
        c->now->spectrum.levels = 0;
        rs_fill((size_t)count, RS_CLOSING_NO_CAP, l->cap);
    } else {
        rs_closing_levels(2, &c->now->spectrum);
        cap_eigenvalues(c);
    }
    pad(c);
    if (count > 2)
        find_neighbours(count - 2, c);
    for (int a = count - 3; a >= 0; a--) {
        const row_of row = find_neighbours(a, c);
        RS_TRY(find_triangles(a, &row, c));
        RS_TRY(poll(c));
    }
    return RS_OK;
}

/* ---- one more feature -------------------------------------------------------------- */

/* rows of the child, which p and m are taken off */
static rs_status take_off_rows(search *c)
{
    pairs *l = &c->pairs;
    const int count = c->now->count;
    RS_TRY(make_room(count, count, &l->rows, c));
    for (int a = 0; a < count; a++) {
        const double *restrict fromR =
            l->whole.R + (size_t)l->whole.stride * a;
        const double *restrict fromH =
            l->whole.H + (size_t)l->whole.stride * a;
        double *restrict R = l->rows.R + (size_t)l->rows.stride * a;
        double *restrict H = l->rows.H + (size_t)l->rows.stride * a;
        const double *restrict p = l->p, *restrict m = l->m;
        const double pa = p[a], ma = m[a];
        for (int b = a; b < count; b++) {
            R[b] = fromR[b] - pa * p[b];
            H[b] = fromH[b] - (pa * m[b] + ma * p[b]);
        }
        for (int b = count; b < l->rows.stride; b++)
            R[b] = H[b] = 0.0;
    }
    return RS_OK;
}

/* T with candidate number i and those before it, from what T leaves; rest: of
 * the square of this candidate */
static rs_status take_off(int i, double rest, search *c)
{
    const node *p = &c->node;
    node *to = &c->child;
    pairs *l = &c->pairs;
    const rs_closing_spectrum *f = &p->spectrum;
    const size_t q = (size_t)f->q, ld = (size_t)l->whole.stride;
    const double root = 1.0 / sqrt(rest), gain = p->h[i] / rest;
    const double grown = (1.0 + root) * (1.0 + root),
                 *w = f->W + (size_t)f->rows * i;
    for (int b = 0; b < i; b++) {
        l->p[b] = root * l->whole.R[i + ld * b];
        l->m[b] = root * l->whole.H[i + ld * b] - 0.5 * gain * l->p[b];
        to->r[b] = p->r[b] - l->p[b] * l->p[b];
        to->h[b] = p->h[b] - 2.0 * l->p[b] * l->m[b];
        to->list[b] = p->list[b];
        for (size_t j = 0; j < q; j++)
            to->Z[j + q * b] =
                f->W[j + (size_t)f->rows * b] - root * l->p[b] * w[j];
    }
    for (size_t j = 0; j < q; j++)
        for (size_t e = 0; e < q; e++)
            to->spectrum.A[e + q * j] =
                (e == j ? f->mu[j] : 0.0) - w[e] * w[j] / rest;
    to->q = f->q;
    to->beyond = f->rest;
    to->count = i;
    to->in.t = p->in.t + 1;
    to->m = 3;
    to->in.value = p->in.value + gain +
                   2.0 * (p->in.response_error + p->in.product_error) / rest;
    to->in.response_error = p->in.response_error * grown +
                            4.0 * p->in.product_error * root * (1.0 + root) +
                            8.0 * DBL_EPSILON;
    to->in.product_error = p->in.product_error * grown + 4.0 * DBL_EPSILON;
    if (i > RS_CLOSING_FEW)
        RS_TRY(rs_closing_spectrum_of(to));
    return take_off_rows(c);
}

/* all sets with T, candidate number i and three before it */
static rs_status try_child(int i, search *c)
{
    const node *p = &c->node;
    const double rest = fmax(p->r[i], c->kernel.least);
    for (int l = 0; l < p->in.t; l++)
        c->child.in.set[l] = p->in.set[l];
    c->child.in.set[p->in.t] = p->list[i];
    c->now = &c->child;
    if (rest >= RS_LEFT_PLAIN) {
        RS_TRY(take_off(i, rest, c));
        return try_triples(c);
    }
    /* from the beginning, as little is left of it */
    RS_TRY(rs_closing_node_open(p->in.t + 1, c->child.in.set, 3, i, p->list,
                                rs_tree_cut(c->tree), &c->kernel, &c->child));
    if (c->child.in.unresolved)
        rs_tree_hide(p->g[i], c->tree);
    if (c->child.in.dependent || c->child.in.unresolved)
        return RS_OK;
    RS_TRY(fill(&c->pairs.rows, c));
    return try_triples(c);
}

static rs_status try_fours(double *left, search *c)
{
    const node *p = &c->node;
    RS_TRY(fill(&c->pairs.whole, c));
    RS_TRY(make_room(p->count, p->count, &c->pairs.rows, c));
    for (int i = 3; i < p->count && p->g[i] > rs_tree_cut(c->tree); i++) {
        const rs_status status =
            rs_tree_is_late(c->tree) ? RS_LATE : try_child(i, c);
        if (status == RS_LATE) {
            *left = p->g[i];
            return RS_OK;
        }
        RS_TRY(status);
    }
    return RS_OK;
}

/* ---- the node ----------------------------------------------------------------- */

rs_status rs_closing_try_all(double *left, search *c)
{
    const node *p = c->now = &c->node;
    if (p->m == 4)
        return try_fours(left, c);
    if (p->m == 3)
        RS_TRY(fill(&c->pairs.rows, c));
    if (p->m == 3)
        return try_triples(c);
    if (p->m == 2)
        return p->count < 2 ? RS_OK : try_pairs(c);
    for (int a = 0; a < p->count; a++) {
        const double cut = rs_tree_cut(c->tree);
        if (p->weight ? p->base + p->weight[a] > cut : p->g[a] > cut)
            RS_TRY(offer(a, -1, -1, c));
    }
    return RS_OK;
}
