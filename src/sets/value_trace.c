/* Leading eigenvalues on sets of groups. */
#include "sets/value_trace.h"

#include <math.h>
#include <string.h>

#include "base/select.h"

/* groups that are looked at exactly, at most, */
#define RS_TRACE_LOOKS 4
/* of those that promise this share of what a member adds */
#define RS_TRACE_SHARE 0.9
#define RS_TRACE_NEWTON 12

/* ---- the present set -------------------------------------------------------- */

/* number a of the columns of the set but for from ... to - 1 */
static int kept(int a, int from, int to)
{
    return a < from ? a : a + to - from;
}

/* S on these columns into `small`, whose leading dimension is their number and
 * `more`; returns their number */
static int gather(rs_value_trace *s, int from, int to, int more)
{
    const int p = s->set.first[s->set.count] - (to - from);
    for (int b = 0; b < p; b++) {
        const double *column = s->S_J + (size_t)s->op->d * kept(b, from, to);
        for (int a = 0; a < p; a++)
            s->small[a + (size_t)(p + more) * b] =
                column[s->column[kept(a, from, to)]];
    }
    return p;
}

/* `count` eigenpairs of the set but for those columns, m at least; the sum of
 * the m largest eigenvalues into s->pairs.worth */
static rs_status leading_of(rs_value_trace *s, int from, int to, int count)
{
    const size_t all = (size_t)s->set.first[s->set.count];
    s->pairs.p = gather(s, from, to, 0);
    const size_t p = (size_t)s->pairs.p, out = all - p;
    s->pairs.r = rs_min_int(count, s->pairs.p);
    s->pairs.worth = 0.0;
    if (p == 0)
        return RS_OK;
    RS_TRY(rs_eigen_largest(s->pairs.p, s->small, s->pairs.r, s->pairs.values,
                            s->pairs.vectors, &s->eigen));
    s->pairs.worth = rs_sum(rs_min_int(s->m, s->pairs.r), s->pairs.values);
    /* rows of zeros for the columns that are out */
    for (int c = s->pairs.r - 1; c >= 0 && out > 0; c--) {
        double *v = s->pairs.vectors + all * c;
        memmove(v, s->pairs.vectors + p * c, p * sizeof *v);
        memmove(v + to, v + from, (p - from) * sizeof *v);
        rs_fill(out, 0.0, v + from);
    }
    s->work += 9.0 * s->pairs.p * s->pairs.p * s->pairs.p;
    return RS_OK;
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_value_trace *s = (rs_value_trace *)state;
    rs_members *m = &s->set;
    const size_t d = (size_t)s->op->d;
    int out;
    while ((out = rs_members_leaving(m, count, set)) >= 0) {
        const int to = m->first[out], from = m->first[out + 1];
        const size_t behind = (size_t)(m->first[m->count] - from);
        memmove(s->S_J + d * to, s->S_J + d * from,
                d * behind * sizeof *s->S_J);
        memmove(s->column + to, s->column + from, behind * sizeof *s->column);
        rs_members_remove(m, out);
    }
    const int at = m->first[m->count];
    for (int i = 0; i < count; i++) {
        const int g = set[i], size = rs_group_size(s->groups, g);
        m->asked[i] = g;
        if (m->inside[g])
            continue;
        memcpy(s->column + m->first[m->count], rs_group_columns(s->groups, g),
               (size_t)size * sizeof *s->column);
        rs_members_join(m, g, size);
    }
    RS_TRY(rs_covop_columns(s->op, m->first[m->count] - at, s->column + at,
                            s->S_J + d * at));
    RS_TRY(leading_of(s, 0, 0, s->m));
    *value = s->value = s->pairs.worth;
    return rs_poll(s->ctx);
}

/* ---- one group more --------------------------------------------------------- */

/* The sum of the m largest eigenvalues of [diag(l), b; b', s] for descending l,
 * or less, where it is below `least`: it is no more than with all of b at the last
 * pole. The smallest root lies below that of the last entry of b alone, from where
 * Newton steps on the concave falling s - x - sum_c b_c^2 / (l_c - x) go down to it.
 * b is `stride` apart. */
static double arrow_sum(int m, const double *l, const double *b, size_t stride,
                        double s, double least)
{
    const double last = b[(size_t)(m - 1) * stride], half = (l[m - 1] - s) / 2;
    double sum = s, all = 0.0;
    for (int c = 0; c < m; c++) {
        sum += l[c];
        all += b[(size_t)c * stride] * b[(size_t)c * stride];
    }
    const double most = sum - l[m - 1] + half + sqrt(half * half + all);
    const double length = sqrt(half * half + last * last);
    /* the smaller eigenvalue of [l_m, b_m; b_m, s], without cancellation */
    double x =
        half >= 0.0
            ? s - (last != 0.0 ? last * last / (length + half) : 0.0)
            : l[m - 1] - (last != 0.0 ? last * last / (length - half) : 0.0);
    for (int it = 0; it < RS_TRACE_NEWTON && most >= least; it++) {
        double f = s - x, slope = 1.0;
        int poles = 0; /* at x, or below */
        for (int c = 0; c < m; c++) {
            const double entry = b[(size_t)c * stride], gap = l[c] - x;
            if (entry == 0.0)
                continue;
            if (gap <= 0.0) {
                poles++;
                continue;
            }
            const double share = entry / gap;
            f -= entry * share;
            slope += share * share;
        }
        /* the root is not below x + f */
        if (poles == 0 && sum - x - f < least)
            break;
        const double step = f / slope;
        x += step;
        if (!(step < -1e-12 * (fabs(x) + fabs(s))))
            break;
    }
    return sum - x;
}

const double *rs_value_trace_block(const rs_value_trace *s, int g)
{
    return rs_group_size(s->groups, g) > 1
               ? s->blocks + s->block[g]
               : s->op->diagonal + *rs_group_columns(s->groups, g);
}

/* S_gg behind the first p columns of `small` */
static void append_block(rs_value_trace *s, int g, int p)
{
    const size_t size = (size_t)rs_group_size(s->groups, g);
    for (size_t b = 0; b < size; b++)
        rs_copy(size, rs_value_trace_block(s, g) + size * b,
                s->small + (p + size) * (p + b) + p);
}

/* the sum of the m largest eigenvalues of `small` */
static rs_status sum_of(rs_value_trace *s, int order, double *sum)
{
    s->work += 4.0 * order * order * order;
    return rs_eigen_sum(order, s->small, rs_min_int(s->m, order),
                        s->pairs.values + s->pairs.r, sum, &s->eigen);
}

/* on the leading eigenvectors and the columns of the group */
static rs_status promise_of(rs_value_trace *s, int g, double least,
                            double *value)
{
    const int size = rs_group_size(s->groups, g);
    const int *column = rs_group_columns(s->groups, g);
    const size_t d = (size_t)s->op->d, r = (size_t)s->pairs.r,
                 order = r + size;
    if (size == 1) {
        const double own = s->op->diagonal[*column];
        *value = s->pairs.r < s->m
                     ? s->pairs.worth + own
                     : arrow_sum(s->m, s->pairs.values,
                                 s->pairs.products + *column, d, own, least);
        return RS_OK;
    }
    for (size_t b = 0; b < r; b++)
        for (size_t a = 0; a < r; a++)
            s->small[a + order * b] = a == b ? s->pairs.values[a] : 0.0;
    for (size_t b = 0; b < (size_t)size; b++)
        for (size_t a = 0; a < r; a++)
            s->small[a + order * (r + b)] =
                s->pairs.products[column[b] + d * a];
    append_block(s, g, s->pairs.r);
    return sum_of(s, (int)order, value);
}

/* of the set but for the columns from ... to - 1, with group g */
static rs_status value_with(rs_value_trace *s, int from, int to, int g,
                            double *value)
{
    const int size = rs_group_size(s->groups, g);
    const int *column = rs_group_columns(s->groups, g);
    const int p = gather(s, from, to, size);
    for (int b = 0; b < size; b++)
        for (int a = 0; a < p; a++)
            s->small[a + (size_t)(p + size) * (p + b)] =
                s->S_J[column[b] + (size_t)s->op->d * kept(a, from, to)];
    append_block(s, g, p);
    RS_TRY(sum_of(s, p + size, value));
    return rs_poll(s->ctx);
}

/* S times the eigenvectors of the set */
static rs_status products_of_leading(rs_value_trace *s)
{
    const int d = s->op->d, all = s->set.first[s->set.count];
    /* that S_J is read takes longest, however many eigenvectors there are */
    s->work += (double)d * all;
    return rs_gemm_polled(s->ctx, 'N', 'N', d, s->pairs.r, all, 1.0, s->S_J, d,
                          s->pairs.vectors, all, 0.0, s->pairs.products, d);
}

/* of the set without these columns, beside each group; those whose promise is
 * below `least` are not looked at exactly, and known only roughly */
static rs_status values_beside(rs_value_trace *s, int from, int to,
                               double least, double *value)
{
    const int whole = s->pairs.r < s->m; /* nothing of the set is left out */
    const int count = s->groups->count;
    const int looks = whole ? 0 : rs_min_int(s->looks, count);
    RS_TRY(products_of_leading(s));
    for (int g = 0; g < count; g++) {
        value[g] = -INFINITY;
        if (!s->set.inside[g] && !s->groups->barred[g])
            RS_TRY(promise_of(s, g, least, value + g));
    }
    rs_topk_order(count, value, looks, s->best, s->order);
    for (int look = 0; look < looks; look++) {
        const int g = s->best[look];
        if (value[g] == -INFINITY || value[g] < least)
            break;
        RS_TRY(value_with(s, from, to, g, value + g));
    }
    return rs_poll(s->ctx);
}

static rs_status gains(void *state, double *value)
{
    rs_value_trace *s = (rs_value_trace *)state;
    RS_TRY(leading_of(s, 0, 0, s->m));
    return values_beside(s, 0, 0, -INFINITY, value);
}

/* where the columns of member number `at` begin, and where they end */
static void place_of(const rs_value_trace *s, int at, int *from, int *to)
{
    const int place = rs_members_place(&s->set, at);
    *from = s->set.first[place];
    *to = s->set.first[place + 1];
}

static rs_status exchanges(void *state, int at, double *value)
{
    rs_value_trace *s = (rs_value_trace *)state;
    int from, to;
    place_of(s, at, &from, &to);
    RS_TRY(leading_of(s, from, to, s->m));
    const double least =
        s->looks == s->groups->count
            ? -INFINITY
            : s->pairs.worth + RS_TRACE_SHARE * (s->value - s->pairs.worth);
    return values_beside(s, from, to, least, value);
}

/*
 * T without a column is at least the trace of S on the span of the eigenvectors
 * V, their row v there set to zero: with q = v'v, r = v'Lv and the variance s,
 *
 *   sum of L - 2 r + s q + (r - 2 q r + s q^2) / (1 - q)
 */
static rs_status losses(void *state, double *loss)
{
    const rs_value_trace *s = (const rs_value_trace *)state;
    for (int at = 0; at < s->set.count; at++) {
        int from, to;
        place_of(s, at, &from, &to);
        loss[at] = 0.0;
        for (int i = from; i < to; i++) {
            const double own = s->op->diagonal[s->column[i]];
            double q = 0.0, r = 0.0;
            for (int c = 0; c < s->pairs.r; c++) {
                const double v = s->pairs.vectors[i + (size_t)s->pairs.p * c];
                q += v * v;
                r += s->pairs.values[c] * v * v;
            }
            const double rest = r - 2.0 * q * r + own * q * q;
            loss[at] +=
                2.0 * r - own * q - (q < 1.0 - 1e-8 ? rest / (1.0 - q) : 0.0);
        }
    }
    return RS_OK;
}

rs_status rs_value_trace_init(rs_context *ctx, rs_covop *op,
                              const rs_groups *groups, int k, int m,
                              rs_value_trace *s)
{
    const size_t d = (size_t)op->d, count = (size_t)groups->count;
    const int widest = rs_group_widest(groups);
    *s = (rs_value_trace){.ctx = ctx,
                          .op = op,
                          .groups = groups,
                          .m = m,
                          .looks = RS_TRACE_LOOKS,
                          .as_value = {.state = s,
                                       .total = op->trace,
                                       .move = move,
                                       .gains = gains,
                                       .losses = losses,
                                       .exchanges = exchanges,
                                       .work = &s->work}};
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &s->most));
    const size_t most = (size_t)s->most, all = most + widest + m;
    s->column = rs_alloc_int(ctx, most);
    s->S_J = rs_alloc_double(ctx, d * most);
    s->pairs.vectors = rs_alloc_double(ctx, most * most);
    s->pairs.products = rs_alloc_double(ctx, d * most);
    RS_ALLOC_DOUBLES(ctx, all * all, &s->small);
    s->pairs.values = rs_alloc_double(ctx, 2 * all);
    s->order = rs_alloc_double(ctx, count);
    s->best = rs_alloc_int(ctx, count);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, (int)all, &s->eigen));
    RS_TRY(rs_members_init(ctx, groups->count, &s->set));
    return rs_group_blocks(ctx, op, groups, &s->block, &s->blocks);
}

/* ---- no exchange is left ---------------------------------------------------- */

/* With column j beside all eigenpairs, can T be more than `least`? The arrow's
 * sum is, where its smallest root is below x; one value of the function whose
 * root it is tells. */
static int may_exceed(const rs_value_trace *s, int j, double least)
{
    const size_t d = (size_t)s->op->d;
    const double *l = s->pairs.values;
    double more = s->op->diagonal[j];
    for (int c = s->m; c < s->pairs.r; c++) {
        const double entry = s->pairs.products[j + d * c],
                     gap = l[s->m - 1] - l[c];
        if (entry != 0.0)
            more += gap > 0.0 ? entry * entry / gap : INFINITY;
    }
    const double x = s->pairs.worth + more - least;
    double f = least - s->pairs.worth;
    for (int c = 0; c < s->m && x < l[s->m - 1]; c++) {
        const double entry = s->pairs.products[j + d * c];
        f -= entry * entry / (l[c] - x);
    }
    return !(x < l[s->m - 1] && f > 0.0);
}

rs_status rs_trace_exceeds(void *state, int at, double least, int *group)
{
    rs_value_trace *s = (rs_value_trace *)state;
    int from, to;
    *group = -1;
    place_of(s, at, &from, &to);
    RS_TRY(leading_of(s, from, to, s->most));
    RS_TRY(products_of_leading(s));
    for (int g = 0; g < s->groups->count && *group < 0; g++) {
        const int column = *rs_group_columns(s->groups, g);
        double value;
        if (s->set.inside[g] || s->groups->barred[g] ||
            !may_exceed(s, column, least))
            continue;
        RS_TRY(value_with(s, from, to, g, &value));
        if (value > least)
            *group = g;
    }
    return RS_OK;
}
