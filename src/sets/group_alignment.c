/* Alignment of sets of groups. */
#include "sets/group_alignment.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

rs_status rs_group_alignment_init(rs_context *ctx,
                                  const rs_group_products *products, int k,
                                  const double *target, double ridge,
                                  rs_group_alignment *s)
{
    const rs_groups *groups = products->groups;
    const size_t count = (size_t)groups->count;
    *s =
        (rs_group_alignment){.ctx = ctx, .products = products, .ridge = ridge};
    s->set = rs_alloc_int(ctx, count);
    s->inside = (unsigned char *)rs_alloc(ctx, count, 1);
    RS_ALLOC_DOUBLES(ctx, count, &s->target, &s->own, &s->sum);
    s->beside = rs_alloc_double(ctx, count * (size_t)k);
    s->columns =
        rs_alloc_double(ctx, (size_t)products->d * rs_group_widest(groups));
    double *blocks = rs_alloc_double(ctx, products->block[count]);
    RS_TRY(rs_allocated(ctx));
    memset(s->inside, 0, count);
    RS_TRY(rs_group_product_blocks(ctx, products, blocks));
    for (int g = 0; g < groups->count; g++) {
        const int *column = rs_group_columns(groups, g);
        s->target[g] = 0.0;
        for (int i = 0; i < rs_group_size(groups, g); i++)
            s->target[g] += target[column[i]];
        s->own[g] = rs_sum_squares(products->block[g + 1] - products->block[g],
                                   blocks + products->block[g]);
        s->total = fmax(s->total, s->target[g] / sqrt(s->own[g] + ridge));
    }
    return RS_OK;
}

/* so many members at the start are those of the set; one that stood between them
 * leaves, and those behind it move up */
static int keep_common(rs_group_alignment *s, int count, const int *set)
{
    const size_t groups = (size_t)s->products->groups->count;
    int same = 0;
    while (same < s->members && same < count) {
        if (s->set[same] == set[same]) {
            same++;
        } else if (same + 1 < s->members && s->set[same + 1] == set[same]) {
            const size_t behind = (size_t)(s->members - same - 1);
            s->inside[s->set[same]] = 0;
            memmove(s->set + same, s->set + same + 1, behind * sizeof *s->set);
            memmove(s->beside + groups * same, s->beside + groups * (same + 1),
                    groups * behind * sizeof *s->beside);
            s->members--;
        } else {
            break;
        }
    }
    return same;
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_group_alignment *s = (rs_group_alignment *)state;
    const rs_groups *groups = s->products->groups;
    const int d = s->products->d;
    const int same = keep_common(s, count, set);
    double top = 0.0, bottom = s->ridge;
    for (int i = same; i < s->members; i++)
        s->inside[s->set[i]] = 0;
    for (int i = same; i < count; i++) {
        double *beside = s->beside + (size_t)groups->count * i;
        RS_TRY(rs_group_product_columns(s->products, set[i], s->columns));
        s->set[i] = set[i];
        s->inside[set[i]] = 1;
        for (int g = 0; g < groups->count; g++) {
            const int *column = rs_group_columns(groups, g);
            beside[g] = 0.0;
            for (int b = 0; b < rs_group_size(groups, set[i]); b++)
                for (int a = 0; a < rs_group_size(groups, g); a++) {
                    const double entry = s->columns[column[a] + (size_t)d * b];
                    beside[g] += entry * entry;
                }
        }
    }
    s->members = count;
    rs_fill((size_t)groups->count, 0.0, s->sum);
    for (int i = 0; i < count; i++) {
        rs_axpy((size_t)groups->count, 1.0,
                s->beside + (size_t)groups->count * i, s->sum);
        top += s->target[set[i]];
        for (int l = 0; l < count; l++)
            bottom += s->beside[set[l] + (size_t)groups->count * i];
    }
    *value = count > 0 ? top / sqrt(bottom) : 0.0;
    return RS_OK;
}

/* of the set but for member `at` */
static rs_status without(rs_group_alignment *s, int at, double *value)
{
    const rs_groups *groups = s->products->groups;
    const size_t count = (size_t)groups->count;
    double top = 0.0, bottom = s->ridge;
    RS_TRY(rs_poll(s->ctx));
    for (int i = 0; i < s->members; i++) {
        if (i == at)
            continue;
        top += s->target[s->set[i]];
        for (int l = 0; l < s->members; l++)
            if (l != at)
                bottom += s->beside[s->set[l] + count * i];
    }
    for (int g = 0; g < groups->count; g++) {
        double more = s->own[g] + 2.0 * s->sum[g];
        value[g] = -INFINITY;
        if (s->inside[g] || groups->barred[g])
            continue;
        if (at >= 0)
            more -= 2.0 * s->beside[g + count * at];
        value[g] = (top + s->target[g]) / sqrt(bottom + more);
    }
    return RS_OK;
}

static rs_status gains(void *state, double *value)
{
    return without((rs_group_alignment *)state, -1, value);
}

static rs_status exchanges(void *state, int at, double *value)
{
    return without((rs_group_alignment *)state, at, value);
}

rs_value rs_group_alignment_value(rs_group_alignment *alignment)
{
    rs_value value = {.state = alignment,
                      .total = alignment->total,
                      .move = move,
                      .gains = gains,
                      .exchanges = exchanges};
    return value;
}
