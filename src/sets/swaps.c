/* Exchanges of single features for the leading eigenvalues of a covariance
 * matrix on a set. */
#include "sets/swaps.h"

#include <math.h>
#include <string.h>

/* features that are looked at exactly for a place */
#define RS_SWAPS_TRIED 4
/* of what the present one adds that they are to promise */
#define RS_SWAPS_SHARE 0.9
#define RS_SWAPS_NEWTON 12

rs_status rs_swaps_init(rs_context *ctx, rs_covop *op, int k, int m,
                        const unsigned char *fixed, rs_swaps *s)
{
    const size_t d = (size_t)op->d;

    if (m < 1 || m >= k)
        return RS_BAD_INPUT;
    *s = (rs_swaps){.ctx = ctx, .op = op, .k = k, .m = m, .fixed = fixed};
    s->set = rs_alloc_int(ctx, (size_t)k);
    s->in = rs_alloc(ctx, d, 1);
    s->rows = rs_alloc_double(ctx, d * k);
    s->A = rs_alloc_double(ctx, (size_t)k * k);
    s->values = rs_alloc_double(ctx, (size_t)k);
    s->V = rs_alloc_double(ctx, (size_t)k * m);
    s->B = rs_alloc_double(ctx, d * m);
    s->promise = rs_alloc_double(ctx, d);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, k, &s->eigen);
}

rs_status rs_swaps_make_thorough(rs_swaps *s)
{
    s->thorough = 1;
    s->gain = 0.0;
    s->V = rs_alloc_double(s->ctx, (size_t)s->k * s->k);
    s->B = rs_alloc_double(s->ctx, (size_t)s->op->d * s->k);
    RS_ALLOC_DOUBLES(s->ctx, (size_t)s->k, &s->squares, &s->poles);
    return rs_allocated(s->ctx);
}

/* A = S[I, I] without one place (-1: whole), or with j there; its order */
static int load_matrix(int without, int with, rs_swaps *s)
{
    const size_t d = (size_t)s->op->d;
    const int order = without >= 0 && with < 0 ? s->k - 1 : s->k;
    for (int b = 0, col = 0; b < s->k; b++) {
        const double *row = s->rows + (size_t)b * d;
        if (b == without)
            continue;
        for (int a = 0, at = 0; a <= b; a++)
            if (a != without)
                s->A[at++ + (size_t)col * order] = row[s->set[a]];
        if (with >= 0)
            s->A[col + (size_t)(order - 1) * order] = row[with];
        col++;
    }
    if (with >= 0)
        s->A[(size_t)order * order - 1] = s->op->diagonal[with];
    return order;
}

/* sum of the m largest eigenvalues of A; `count` >= m of them, and vectors */
static rs_status leading_sum(int order, int count, double *V, double *sum,
                             rs_swaps *s)
{
    s->work += 4.0 * order * order * order;
    RS_TRY(rs_eigen_largest(order, s->A, count, s->values, V, &s->eigen));
    *sum = 0.0;
    for (int c = 0; c < s->m; c++)
        *sum += s->values[c];
    return RS_OK;
}

rs_status rs_swaps_load(const int *set, rs_swaps *s)
{
    memcpy(s->set, set, (size_t)s->k * sizeof *set);
    memset(s->in, 0, (size_t)s->op->d);
    for (int a = 0; a < s->k; a++)
        s->in[set[a]] = 1;
    RS_TRY(rs_covop_columns(s->op, s->k, s->set, s->rows));
    if (s->k < s->m) /* not yet a set with m eigenvalues */
        return RS_OK;
    return leading_sum(load_matrix(-1, -1, s), s->m, NULL, &s->value, s);
}

rs_status rs_swaps_put(int slot, int j, rs_swaps *s)
{
    s->in[s->set[slot]] = 0;
    s->in[j] = 1;
    s->set[slot] = j;
    RS_TRY(rs_covop_columns(s->op, 1, &j, s->rows + (size_t)slot * s->op->d));
    return leading_sum(load_matrix(-1, -1, s), s->m, NULL, &s->value, s);
}

/* A set that is worth more than this is an improvement. */
static double improvement(const rs_swaps *s)
{
    return s->value + (s->thorough ? s->gain : RS_SWAPS_TIE * fabs(s->value));
}

/* x - own - sum_c b_c^2 / (x - l_c), which rises between the poles, as *value;
 * the slopes of the terms with poles from `from` on, and of the others */
static void secular(double x, double own, int from, const rs_swaps *s,
                    double *value, double *below, double *above)
{
    const double *l = s->poles, *b = s->squares;
    *value = x - own;
    *below = 0.0;
    *above = 1.0;
    for (int c = 0; c < s->k - 1; c++) {
        const double inverse = 1.0 / (x - l[c]), part = b[c] * inverse;
        *value -= part;
        *(c < from ? above : below) += part * inverse;
    }
}

/* What the root in (low, high) is at most, to some 1e-12 of `scale`: the
 * function is taken for a + A / (high - x) - B / (x - l_c) with its value and
 * both slopes, whose root is the next x. `high` is the pole above, or above
 * the root. */
static double root_at_most(int c, double high, double own, double scale,
                           const rs_swaps *s)
{
    const double pole = s->poles[c], width = high - pole;
    double from = 0.0, to = width, y = 0.5 * width;
    double value, below, above;
    for (int it = 0; it < RS_SWAPS_NEWTON && to - from > 1e-12 * scale; it++) {
        secular(pole + y, own, c, s, &value, &below, &above);
        *(value < 0.0 ? &from : &to) = y;
        const double B = below * y * y, A = above * (width - y) * (width - y);
        const double a = value - A / (width - y) + B / y;
        const double q = a * width + A + B;
        const double root = sqrt(fmax(q * q - 4.0 * a * B * width, 0.0));
        double next =
            q > 0.0 ? 2.0 * B * width / (q + root) : (q - root) / (2.0 * a);
        if (!(next > from && next < to))
            next = 0.5 * (from + to);
        const double step = fabs(next - y);
        y = next;
        if (step <= 1e-8 * y || step <= 1e-13 * scale)
            break;
    }
    const double probe = y + 1e-12 * scale;
    if (probe < to) {
        secular(pole + probe, own, c, s, &value, &below, &above);
        if (value >= 0.0)
            to = probe;
    }
    return pole + to;
}

/* Can T with feature j be more than `least`? By the roots themselves. */
static int roots_may_exceed(int j, double least, const rs_swaps *s)
{
    const double own = s->op->diagonal[j];
    const double *l = s->poles;
    double sum = 0.0, length = 0.0;
    for (int c = 0; c < s->k - 1; c++) {
        const double entry = s->B[j + (size_t)s->op->d * c];
        s->squares[c] = entry * entry;
        length += s->squares[c];
    }
    length = sqrt(length);
    const double scale = fabs(l[0]) + fabs(own) + length;
    double high = fmax(l[0], own) + length + 1e-8 * scale;
    for (int c = 0; c < s->m; c++) {
        /* poles that are equal, or as good as that, hold a root */
        sum += high - l[c] > 1e-12 * scale && s->squares[c] > 0.0
                   ? root_at_most(c, high, own, scale, s)
                   : high;
        high = l[c];
    }
    return !(sum < least);
}

/* With feature j next to the eigenpairs of the set without a place, can T be
 * more than `least`? The arrow's sum is, where its smallest root is below x;
 * one value of the function whose root it is tells. */
static int may_exceed(int j, double sum, double least, const rs_swaps *s)
{
    const size_t d = (size_t)s->op->d;
    const double *l = s->values, last = l[s->m - 1];
    const double own = s->op->diagonal[j];
    double more = own;
    for (int c = 0; c < s->k - 1; c++) {
        const double entry = s->B[j + c * d], gap = last - l[c];
        s->squares[c] = entry * entry;
        if (c >= s->m && s->squares[c] > 0.0)
            more += gap > 0.0 ? s->squares[c] / gap : INFINITY;
    }
    const double x = sum + more - least;
    double f = least - sum;
    for (int c = 0; c < s->m && x < last; c++)
        f -= s->squares[c] / (l[c] - x);
    return !(x < last && f > 0.0);
}

/* B and promise of the features outside, for the set without a place (-1:
 * whole); *sum is its T. Thorough: of those that may be improvements. */
static rs_status promises(int slot, double *sum, rs_swaps *s)
{
    const int d = s->op->d, k = s->k, m = s->m, all = s->thorough && slot >= 0;
    const int order = load_matrix(slot, -1, s), count = all ? order : m;
    s->work += all ? 5.0 * order * order * order : 0.0;
    RS_TRY(leading_sum(order, count, s->V, sum, s));
    if (all)
        rs_copy((size_t)order, s->values, s->poles);
    /* a row of zeros in place of the one that is out */
    for (int c = count - 1; c >= 0 && slot >= 0; c--) {
        double *to = s->V + (size_t)c * k;
        memmove(to, s->V + (size_t)c * (k - 1), (size_t)(k - 1) * sizeof *to);
        memmove(to + slot + 1, to + slot, (size_t)(k - 1 - slot) * sizeof *to);
        to[slot] = 0.0;
    }
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', d, count, k, 1.0, s->rows, d, s->V,
                          k, 0.0, s->B, d));
    for (int j = 0; j < d; j++)
        s->promise[j] =
            s->in[j] || (s->barred && s->barred[j]) ||
                    (all && !may_exceed(j, *sum, improvement(s), s))
                ? -INFINITY
                : rs_arrow_sum(m, s->values, s->B + j, (size_t)d,
                               s->op->diagonal[j]);
    s->work += (double)d * count * (k + 20.0);
    return RS_OK;
}

rs_status rs_swaps_promise(int slot, rs_swaps *s)
{
    double rest;
    return promises(slot, &rest, s);
}

/* the feature of the largest promise, -1 where there is none; ties to the
 * first */
static int most_promising(const rs_swaps *s)
{
    int best = -1;
    for (int j = 0; j < s->op->d; j++)
        if (s->promise[j] > -INFINITY &&
            (best < 0 ||
             s->promise[j] > s->promise[best] +
                                 0.1 * RS_SWAPS_TIE * fabs(s->promise[best])))
            best = j;
    return best;
}

rs_status rs_swaps_try(int slot, int *improved, rs_swaps *s)
{
    double best_value = improvement(s), rest;
    int best = -1;
    *improved = 0;
    if (s->fixed && s->fixed[s->set[slot]])
        return RS_OK;
    RS_TRY(promises(slot, &rest, s));
    const double least =
        s->thorough ? -INFINITY : rest + RS_SWAPS_SHARE * (s->value - rest);
    for (int t = 0; t < RS_SWAPS_TRIED || (s->thorough && best < 0); t++) {
        const int j = most_promising(s);
        double value;
        if (j < 0 || s->promise[j] < least)
            break;
        s->promise[j] = -INFINITY;
        if (s->thorough && !roots_may_exceed(j, best_value, s)) {
            t -= best < 0;
            continue;
        }
        RS_TRY(leading_sum(load_matrix(slot, j, s), s->m, NULL, &value, s));
        RS_TRY(rs_poll(s->ctx));
        if (value > best_value) {
            best_value = value + 0.1 * RS_SWAPS_TIE * fabs(value);
            best = j;
        }
    }
    if (best < 0)
        return RS_OK;
    *improved = 1;
    return rs_swaps_put(slot, best, s);
}

/* ---- other sizes ---------------------------------------------------------- */

static int largest_outside(const rs_swaps *s)
{
    int best = -1;
    for (int j = 0; j < s->op->d; j++)
        if (!s->in[j] &&
            (best < 0 || s->op->diagonal[j] > s->op->diagonal[best]))
            best = j;
    return best;
}

rs_status rs_swaps_grow(int to, rs_swaps *s)
{
    const size_t d = (size_t)s->op->d;
    while (s->k < to) {
        double sum;
        int j;
        if (s->k < s->m) /* every feature adds its variance */
            j = largest_outside(s);
        else {
            RS_TRY(promises(-1, &sum, s));
            j = most_promising(s);
        }
        s->set[s->k] = j;
        s->in[j] = 1;
        RS_TRY(rs_covop_columns(s->op, 1, &j, s->rows + d * s->k));
        s->k++;
        RS_TRY(rs_poll(s->ctx));
    }
    return leading_sum(load_matrix(-1, -1, s), s->m, NULL, &s->value, s);
}

/*
 * T without a place is at least the trace of S on the span of the eigenvectors
 * V, their row v there set to zero: with q = v'v, r = v'Lv and the variance s,
 *
 *   sum of L - 2 r + s q + (r - 2 q r + s q^2) / (1 - q)
 */
static double least_without(int a, const rs_swaps *s)
{
    const double own = s->op->diagonal[s->set[a]];
    double q = 0.0, r = 0.0, sum = 0.0;
    for (int c = 0; c < s->m; c++) {
        const double v = s->V[a + (size_t)c * s->k];
        q += v * v;
        r += s->values[c] * v * v;
        sum += s->values[c];
    }
    const double rest = r - 2.0 * q * r + own * q * q;
    return sum - 2.0 * r + own * q + (q < 1.0 - 1e-8 ? rest / (1.0 - q) : 0.0);
}

rs_status rs_swaps_shrink(int to, rs_swaps *s)
{
    const size_t d = (size_t)s->op->d;
    while (s->k > to) {
        int out = -1;
        double most = 0.0;
        RS_TRY(leading_sum(load_matrix(-1, -1, s), s->m, s->V, &s->value, s));
        for (int a = 0; a < s->k; a++) {
            const double least = least_without(a, s);
            if (s->fixed && s->fixed[s->set[a]])
                continue;
            if (out < 0 || least > most) {
                most = least;
                out = a;
            }
        }
        if (out < 0)
            return RS_BAD_INPUT;
        s->k--;
        s->in[s->set[out]] = 0;
        s->set[out] = s->set[s->k];
        if (out < s->k)
            rs_copy(d, s->rows + d * s->k, s->rows + d * out);
        RS_TRY(rs_poll(s->ctx));
    }
    return leading_sum(load_matrix(-1, -1, s), s->m, NULL, &s->value, s);
}

rs_status rs_swaps_climb(double work, int *improvements, rs_swaps *s)
{
    const double end = s->work + work;
    int idle = 0, slot = 0;
    *improvements = 0;
    while (idle < s->k && s->work < end) {
        int improved;
        RS_TRY(rs_swaps_try(slot, &improved, s));
        idle = improved ? 0 : idle + 1;
        *improvements += improved;
        slot = (slot + 1) % s->k;
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}
