/* Alignment of sets of groups. */
#include "sets/value_alignment.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

static rs_status own_products(rs_value_alignment *s, int g,
                              const double **columns)
{
    *columns = s->columns;
    return rs_covop_columns(s->op, rs_group_size(s->groups, g),
                            rs_group_columns(s->groups, g), s->columns);
}

rs_status rs_value_alignment_init(rs_context *ctx, rs_covop *op,
                                  const rs_groups *groups, int k,
                                  const double *target, double ridge,
                                  rs_value_alignment *s)
{
    const size_t count = (size_t)groups->count;
    size_t *start;
    double *blocks;
    *s = (rs_value_alignment){.ctx = ctx,
                              .op = op,
                              .groups = groups,
                              .ridge = ridge,
                              .products = own_products};
    RS_ALLOC_DOUBLES(ctx, count, &s->target, &s->own, &s->sum);
    s->beside = rs_alloc_double(ctx, count * (size_t)k);
    s->columns = rs_alloc_double(ctx, (size_t)op->d * rs_group_widest(groups));
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_members_init(ctx, groups->count, &s->set));
    RS_TRY(rs_group_blocks(ctx, op, groups, &start, &blocks));
    for (int g = 0; g < groups->count; g++) {
        const int *column = rs_group_columns(groups, g);
        const size_t size = (size_t)rs_group_size(groups, g);
        s->target[g] = 0.0;
        for (size_t i = 0; i < size; i++)
            s->target[g] += target[column[i]];
        s->own[g] = rs_sum_squares(size * size, blocks + start[g]);
        s->total = fmax(s->total, s->target[g] / sqrt(s->own[g] + ridge));
    }
    return RS_OK;
}

/* squared norms of the blocks of all groups with a new member */
static rs_status enter(rs_value_alignment *s, int member)
{
    const rs_groups *groups = s->groups;
    const int size = rs_group_size(groups, member);
    double *beside = s->beside + (size_t)groups->count * s->set.count;
    const double *columns;
    RS_TRY(s->products(s, member, &columns));
    for (int g = 0; g < groups->count; g++) {
        const int *column = rs_group_columns(groups, g);
        beside[g] = 0.0;
        for (int b = 0; b < size; b++)
            for (int a = 0; a < rs_group_size(groups, g); a++) {
                const double entry = columns[column[a] + (size_t)s->op->d * b];
                beside[g] += entry * entry;
            }
    }
    rs_axpy((size_t)groups->count, 1.0, beside, s->sum);
    rs_members_join(&s->set, member, size);
    return RS_OK;
}

/* sum of targets and squared norm, but for the member in place `out` */
static void parts(const rs_value_alignment *s, int out, double *top,
                  double *bottom)
{
    const size_t count = (size_t)s->groups->count;
    *top = 0.0;
    *bottom = s->ridge;
    for (int i = 0; i < s->set.count; i++) {
        if (i == out)
            continue;
        *top += s->target[s->set.set[i]];
        for (int l = 0; l < s->set.count; l++)
            if (l != out)
                *bottom += s->beside[s->set.set[l] + count * i];
    }
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_value_alignment *s = (rs_value_alignment *)state;
    rs_members *m = &s->set;
    const size_t groups = (size_t)s->groups->count;
    double top, bottom;
    int out;
    while ((out = rs_members_leaving(m, count, set)) >= 0) {
        double *beside = s->beside + groups * out;
        rs_members_remove(m, out);
        memmove(beside, beside + groups,
                groups * (m->count - out) * sizeof *beside);
    }
    rs_fill(groups, 0.0, s->sum);
    for (int i = 0; i < m->count; i++)
        rs_axpy(groups, 1.0, s->beside + groups * i, s->sum);
    memcpy(m->asked, set, (size_t)count * sizeof *set);
    for (int i = 0; i < count; i++)
        if (!m->inside[set[i]])
            RS_TRY(enter(s, set[i]));
    parts(s, -1, &top, &bottom);
    *value = count > 0 ? top / sqrt(bottom) : 0.0;
    return RS_OK;
}

/* of the set but for the member in place `out` */
static rs_status values_beside(rs_value_alignment *s, int out, double *value)
{
    const rs_groups *groups = s->groups;
    const size_t count = (size_t)groups->count;
    double top, bottom;
    parts(s, out, &top, &bottom);
    for (int g = 0; g < groups->count; g++) {
        double more = s->own[g] + 2.0 * s->sum[g];
        if (out >= 0)
            more -= 2.0 * s->beside[g + count * out];
        value[g] = s->set.inside[g] || groups->barred[g]
                       ? -INFINITY
                       : (top + s->target[g]) / sqrt(bottom + more);
    }
    return rs_poll(s->ctx);
}

static rs_status gains(void *state, double *value)
{
    return values_beside((rs_value_alignment *)state, -1, value);
}

static rs_status exchanges(void *state, int at, double *value)
{
    rs_value_alignment *s = (rs_value_alignment *)state;
    return values_beside(s, rs_members_place(&s->set, at), value);
}

rs_value rs_alignment_as_value(rs_value_alignment *s)
{
    return (rs_value){.state = s,
                      .total = s->total,
                      .move = move,
                      .gains = gains,
                      .exchanges = exchanges};
}

int rs_alignment_near_copies(const rs_value_alignment *s, int at, double least)
{
    const rs_groups *groups = s->groups;
    const int member = s->set.asked[at];
    const double *beside =
        s->beside + (size_t)groups->count * rs_members_place(&s->set, at);
    int count = 0;
    for (int g = 0; g < groups->count; g++)
        count += g != member && !groups->barred[g] &&
                 beside[g] >=
                     least * least * sqrt(s->own[g]) * sqrt(s->own[member]);
    return count;
}
