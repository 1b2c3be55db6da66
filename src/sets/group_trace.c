/* Leading eigenvalues on sets of groups. */
#include "sets/group_trace.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"

/* groups that are looked at closely, unless asked for more; all of them where
 * sets have no more columns than that */
#define RS_GROUP_LOOKS 8
#define RS_GROUP_SMALL 40
/* groups of which eigenvalues are computed at all, where there are more */
#define RS_GROUP_PROMISES 128

rs_status rs_group_trace_init(rs_context *ctx,
                              const rs_group_products *products, int k, int m,
                              double total, rs_group_trace *s)
{
    const rs_groups *groups = products->groups;
    const size_t d = (size_t)products->d, count = (size_t)groups->count;
    const int widest = rs_group_widest(groups);
    *s = (rs_group_trace){.ctx = ctx,
                          .products = products,
                          .d = products->d,
                          .m = m,
                          .total = total,
                          .looks = RS_GROUP_LOOKS};
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &s->most));
    const size_t most = (size_t)s->most, wide = (size_t)widest;
    s->set = rs_alloc_int(ctx, count);
    s->first = rs_alloc_int(ctx, count + 1);
    s->aside = rs_alloc_int(ctx, 2 * count);
    s->inside = (unsigned char *)rs_alloc(ctx, count, 1);
    RS_ALLOC_INTS(ctx, most, &s->column, &s->own);
    s->S_J = rs_alloc_double(ctx, d * most);
    s->value = rs_alloc_double(ctx, count + 1);
    s->blocks = rs_alloc_double(ctx, products->block[count]);
    s->columns = rs_alloc_double(ctx, d * wide);
    s->vectors = rs_alloc_double(ctx, most * m);
    s->values = rs_alloc_double(ctx, most + wide + m);
    s->SV = rs_alloc_double(ctx, d * m);
    s->small = rs_alloc_double(ctx, (most + wide + m) * (most + wide + m));
    s->gathered = rs_alloc_double(ctx, most * (size_t)rs_max_int(m, widest));
    s->promise = rs_alloc_double(ctx, count);
    s->order = rs_alloc_double(ctx, count);
    s->first_looks = rs_alloc_int(ctx, RS_GROUP_PROMISES);
    RS_TRY(rs_allocated(ctx));
    /* beside the eigenvectors a single column tells nearly all */
    if (widest == 1)
        s->looks = 1;
    RS_TRY(rs_eigen_init(ctx, s->most + widest + m, &s->eigen));
    memset(s->inside, 0, count);
    s->first[0] = 0;
    s->value[0] = 0.0;
    return rs_group_product_blocks(ctx, products, s->blocks);
}

/* S on the columns `own` into `small`, whose leading dimension is `order` */
static void gather(rs_group_trace *s, int order)
{
    for (int b = 0; b < s->p; b++) {
        const double *column = s->S_J + (size_t)s->d * s->own[b];
        for (int a = 0; a < s->p; a++)
            s->small[a + (size_t)order * b] = column[s->column[s->own[a]]];
    }
}

/* eigenpairs on the set but for the columns from .. to - 1 of S_J */
static rs_status leading_of(rs_group_trace *s, int from, int to, double *value)
{
    const int all = s->first[s->members];
    s->p = 0;
    for (int i = 0; i < all; i++)
        if (i < from || i >= to)
            s->own[s->p++] = i;
    s->r = rs_min_int(s->m, s->p);
    *value = 0.0;
    if (s->p == 0)
        return RS_OK;
    gather(s, s->p);
    return rs_eigen_sum(s->p, s->small, s->r, s->values, s->vectors, value,
                        &s->eigen);
}

/* member number `at` leaves, those behind it move up */
static void drop(rs_group_trace *s, int at)
{
    const int from = s->first[at + 1], to = s->first[at];
    const int all = s->first[s->members];
    s->inside[s->set[at]] = 0;
    memmove(s->S_J + (size_t)s->d * to, s->S_J + (size_t)s->d * from,
            (size_t)s->d * (all - from) * sizeof *s->S_J);
    memmove(s->column + to, s->column + from,
            (size_t)(all - from) * sizeof *s->column);
    for (int i = at; i + 1 < s->members; i++) {
        s->set[i] = s->set[i + 1];
        s->first[i + 1] = s->first[i + 2] - (from - to);
    }
    s->members--;
}

/* so many members at the start are those of the set; what stood between them is
 * dropped */
static int keep_common(rs_group_trace *s, int count, const int *set)
{
    int same = 0;
    while (same < s->members && same < count) {
        if (s->set[same] == set[same])
            same++;
        else if (same + 1 < s->members && s->set[same + 1] == set[same])
            drop(s, same);
        else
            break;
    }
    return same;
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_group_trace *s = (rs_group_trace *)state;
    const int same = keep_common(s, count, set);
    for (int i = same; i < s->members; i++)
        s->inside[s->set[i]] = 0;
    s->members = same;
    for (int i = same; i < count; i++) {
        const int g = set[i], size = rs_group_size(s->products->groups, g);
        const int *column = rs_group_columns(s->products->groups, g);
        const int at = s->first[i];
        RS_TRY(rs_group_product_columns(s->products, g,
                                        s->S_J + (size_t)s->d * at));
        memcpy(s->column + at, column, (size_t)size * sizeof *column);
        s->set[i] = g;
        s->inside[g] = 1;
        s->first[i + 1] = at + size;
        s->members = i + 1;
    }
    RS_TRY(leading_of(s, 0, 0, value));
    s->value[count] = *value;
    return RS_OK;
}

/* on the leading eigenvectors and the columns of the group */
static rs_status promise_of(rs_group_trace *s, int g, double *value)
{
    const int size = rs_group_size(s->products->groups, g);
    const int *column = rs_group_columns(s->products->groups, g);
    const double *block = s->blocks + s->products->block[g];
    const int r = s->r, order = r + size;
    for (int b = 0; b < r; b++)
        for (int a = 0; a < r; a++)
            s->small[a + (size_t)order * b] = a == b ? s->values[a] : 0.0;
    for (int b = 0; b < size; b++) {
        double *to = s->small + (size_t)order * (r + b);
        for (int a = 0; a < r; a++)
            to[a] = s->SV[column[b] + (size_t)s->d * a];
        rs_copy((size_t)size, block + (size_t)size * b, to + r);
    }
    return rs_eigen_sum(order, s->small, rs_min_int(s->m, order),
                        s->values + s->m, NULL, value, &s->eigen);
}

static rs_status value_with(rs_group_trace *s, int g, double *value)
{
    const int size = rs_group_size(s->products->groups, g);
    const int *column = rs_group_columns(s->products->groups, g);
    const double *block = s->blocks + s->products->block[g];
    const int order = s->p + size;
    gather(s, order);
    for (int b = 0; b < size; b++) {
        double *to = s->small + (size_t)order * (s->p + b);
        for (int a = 0; a < s->p; a++)
            to[a] = s->S_J[column[b] + (size_t)s->d * s->own[a]];
        rs_copy((size_t)size, block + (size_t)size * b, to + s->p);
    }
    return rs_eigen_sum(order, s->small, rs_min_int(s->m, order),
                        s->values + s->m, NULL, value, &s->eigen);
}

/* SV of the present eigenvectors */
static void products_of_leading(rs_group_trace *s)
{
    rs_fill((size_t)s->d * s->r, 0.0, s->SV);
    for (int from = 0, to; from < s->p; from = to) {
        /* columns side by side */
        for (to = from + 1; to < s->p && s->own[to] == s->own[to - 1] + 1;
             to++)
            ;
        rs_gemm('N', 'N', s->d, s->r, to - from, 1.0,
                s->S_J + (size_t)s->d * s->own[from], s->d, s->vectors + from,
                s->p, 1.0, s->SV, s->d);
    }
}

/* what a group adds to the eigenvalues, to second order, or has by itself */
static double estimate_of(const rs_group_trace *s, int g)
{
    const int size = rs_group_size(s->products->groups, g);
    const int *column = rs_group_columns(s->products->groups, g);
    const double *block = s->blocks + s->products->block[g];
    double sum = 0.0;
    for (int b = 0; b < size; b++) {
        if (s->r < s->m)
            sum += block[b + (size_t)size * b];
        for (int a = 0; a < s->r; a++) {
            const double entry = s->SV[column[b] + (size_t)s->d * a];
            if (s->values[a] > 0.0)
                sum += entry * entry / s->values[a];
        }
    }
    return sum;
}

/* the groups to look at: marked by a promise above -INFINITY; others get an
 * estimate that is no larger than any value of those */
static int choose_looks(rs_group_trace *s, double *value)
{
    const rs_groups *groups = s->products->groups;
    int open = 0;
    for (int g = 0; g < groups->count; g++) {
        const int out = s->inside[g] || groups->barred[g];
        s->promise[g] = value[g] = out ? -INFINITY : estimate_of(s, g);
        open += !out;
    }
    if (open <= RS_GROUP_PROMISES || s->looks == groups->count)
        return 0;
    rs_topk_order(groups->count, s->promise, RS_GROUP_PROMISES, s->first_looks,
                  s->order);
    for (int g = 0; g < groups->count; g++)
        s->promise[g] = -INFINITY;
    for (int i = 0; i < RS_GROUP_PROMISES; i++)
        s->promise[s->first_looks[i]] = 0.0;
    return 1;
}

static rs_status all_gains(rs_group_trace *s, double base, double *value)
{
    const rs_groups *groups = s->products->groups;
    int left = s->p <= RS_GROUP_SMALL ? groups->count : s->looks;
    products_of_leading(s);
    const int estimated = choose_looks(s, value);
    double least = INFINITY;
    for (int g = 0; g < groups->count; g++) {
        if (s->promise[g] == -INFINITY)
            continue;
        RS_TRY(promise_of(s, g, value + g));
        s->promise[g] = value[g];
        least = fmin(least, value[g]);
    }
    for (int g = 0; estimated && g < groups->count; g++)
        if (value[g] > -INFINITY && s->promise[g] == -INFINITY)
            value[g] = fmin(base + value[g], least);
    if (s->r < s->m)
        return RS_OK; /* nothing of the set was left out */
    for (; left > 0; left--) {
        int best = -1;
        for (int g = 0; g < groups->count; g++)
            if (s->promise[g] > -INFINITY &&
                (best < 0 || s->promise[g] > s->promise[best]))
                best = g;
        if (best < 0)
            break;
        s->promise[best] = -INFINITY;
        RS_TRY(value_with(s, best, value + best));
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

static rs_status gains(void *state, double *value)
{
    rs_group_trace *s = (rs_group_trace *)state;
    double worth;
    RS_TRY(leading_of(s, 0, 0, &worth));
    return all_gains(s, worth, value);
}

static rs_status exchanges(void *state, int at, double *value)
{
    rs_group_trace *s = (rs_group_trace *)state;
    double worth;
    RS_TRY(leading_of(s, s->first[at], s->first[at + 1], &worth));
    return all_gains(s, worth, value);
}

/* what the rows of a member carry of the eigenvalues, sum of l_a v_a^2: about
 * what is lost without it */
static rs_status losses(void *state, double *loss)
{
    const rs_group_trace *s = (const rs_group_trace *)state;
    for (int i = 0; i < s->members; i++) {
        loss[i] = 0.0;
        for (int at = s->first[i]; at < s->first[i + 1]; at++)
            for (int a = 0; a < s->r; a++) {
                const double entry = s->vectors[at + (size_t)s->p * a];
                loss[i] += s->values[a] * entry * entry;
            }
    }
    return RS_OK;
}

rs_value rs_group_trace_value(rs_group_trace *trace)
{
    rs_value value = {.state = trace,
                      .total = trace->total,
                      .move = move,
                      .gains = gains,
                      .losses = losses,
                      .exchanges = exchanges};
    return value;
}
