/* Alignment of sets of groups. */
#include "sets/value_alignment.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* features whose products are made at once, of data that are read in passes: so
 * many for each one that is searched for */
#define RS_AHEAD_EACH 8
/* numbers that these products may take */
#define RS_AHEAD_ROOM 5.0e7
/* of data in memory, which so many products read once and multiply fast */
#define RS_AHEAD_IN_MEMORY 16
/* correlation of near copies, of either sign */
#define RS_NEAR_COPY 0.9

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

/* S of the column of group j, and of those that promise most beside the set; those
 * of groups that are included come first */
static rs_status product_ahead(rs_value_alignment *s, int j,
                               const double **product)
{
    const rs_groups *groups = s->groups;
    int at = 0;
    while (at < s->held && s->ahead[at] != j)
        at++;
    if (at == s->held) {
        RS_TRY(gains(s, s->merit));
        for (int i = 0; i < groups->included; i++)
            if (!s->set.inside[groups->include[i]])
                s->merit[groups->include[i]] = INFINITY;
        s->merit[j] = -INFINITY;
        s->ahead[0] = j;
        rs_topk_order(groups->count, s->merit, s->most - 1, s->ahead + 1,
                      s->order);
        s->held = 1;
        while (s->held < s->most && s->merit[s->ahead[s->held]] > -INFINITY)
            s->held++;
        for (int i = 0; i < s->held; i++)
            s->column[i] = *rs_group_columns(groups, s->ahead[i]);
        RS_TRY(rs_data_column_products(s->op->X, s->held, s->column, s->room,
                                       s->products));
        at = 0;
    }
    *product = s->products + (size_t)s->op->d * at;
    return RS_OK;
}

/* squared norms of the blocks of all groups with a new member */
static rs_status enter(rs_value_alignment *s, int member)
{
    const rs_groups *groups = s->groups;
    const int size = rs_group_size(groups, member);
    double *beside = s->beside + (size_t)groups->count * s->set.count;
    const double *columns;
    if (s->most > 0) {
        RS_TRY(product_ahead(s, member, &columns));
    } else {
        RS_TRY(rs_covop_columns(s->op, size, rs_group_columns(groups, member),
                                s->columns));
        columns = s->columns;
    }
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

static rs_status exchanges(void *state, int at, double *value)
{
    rs_value_alignment *s = (rs_value_alignment *)state;
    return values_beside(s, rs_members_place(&s->set, at), value);
}

static rs_status init_ahead(rs_context *ctx, int k, rs_value_alignment *s)
{
    const rs_data *X = s->op->X;
    const size_t d = (size_t)X->d;
    const double most =
        X->is_read ? RS_AHEAD_EACH * (k + 8.0) : RS_AHEAD_IN_MEMORY;
    s->most = (int)fmin(d, fmin(most, 1.0 + RS_AHEAD_ROOM / d));
    s->room = rs_alloc_double(ctx, rs_data_column_room(X));
    s->products = rs_alloc_double(ctx, d * s->most);
    RS_ALLOC_DOUBLES(ctx, d, &s->merit, &s->order);
    RS_ALLOC_INTS(ctx, d, &s->ahead, &s->column);
    return rs_allocated(ctx);
}

rs_status rs_value_alignment_init(rs_context *ctx, rs_covop *op,
                                  const rs_groups *groups, int k,
                                  const double *target, double ridge,
                                  rs_value_alignment *s)
{
    const size_t count = (size_t)groups->count;
    size_t *start;
    double *blocks;
    *s = (rs_value_alignment){
        .ctx = ctx,
        .op = op,
        .groups = groups,
        .ridge = ridge,
        .as_value = {
            .state = s, .move = move, .gains = gains, .exchanges = exchanges}};
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
        s->as_value.total = fmax(s->as_value.total,
                                 s->target[g] / sqrt(s->own[g] + ridge / k));
    }
    /* by Cauchy and Schwarz: sum t_g <= (sum t_g^2 / o_g)^{1/2} (sum o_g)^{1/2} with
     * o_g = own + ridge / k, whose sum is below what a set divides by, squared */
    s->as_value.total *= sqrt(k);
    if (op->S || rs_group_widest(groups) > 1 ||
        !(op->X->is_read || rs_data_column_room(op->X) > 0))
        return RS_OK;
    return init_ahead(ctx, k, s);
}

int rs_alignment_near_copies(const rs_value_alignment *s, int at)
{
    const rs_groups *groups = s->groups;
    const int member = s->set.asked[at];
    const double *beside =
        s->beside + (size_t)groups->count * rs_members_place(&s->set, at);
    int count = 0;
    for (int g = 0; g < groups->count; g++)
        count += g != member && !groups->barred[g] &&
                 beside[g] >= RS_NEAR_COPY * RS_NEAR_COPY * sqrt(s->own[g]) *
                                  sqrt(s->own[member]);
    return count;
}
