/* Units of columns. */
#include "sets/value.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

int rs_priced_columns(const rs_price *price, int count, const int *set)
{
    int columns = 0;
    for (int i = 0; i < count && price->columns; i++)
        columns += price->columns[set[i]];
    return columns;
}

int rs_price_is_spent(const rs_price *price, int columns)
{
    return price->columns &&
           !(price->freedom - price->shrink * columns >= 1.0);
}

double rs_priced(const rs_price *price, double total, double E, int columns,
                 int as)
{
    if (columns == as || E == -INFINITY)
        return E;
    if (rs_price_is_spent(price, as) && columns < as)
        return total / RS_NOTHING * (as - columns);
    if (rs_price_is_spent(price, columns))
        return -INFINITY;
    const double ratio = (price->freedom - price->shrink * as) /
                         (price->freedom - price->shrink * columns);
    return total - (total - E) * ratio * sqrt(ratio);
}

int rs_group_widest(const rs_groups *groups)
{
    int widest = 1;
    for (int g = 0; g < groups->count; g++)
        widest = rs_max_int(widest, rs_group_size(groups, g));
    return widest;
}

rs_status rs_group_columns_of_largest(rs_context *ctx, const rs_groups *groups,
                                      int most, int *columns)
{
    const int count = groups->count;
    int *size = rs_alloc_int(ctx, (size_t)count);
    RS_TRY_ALLOC(size);
    for (int g = 0; g < count; g++) {
        const int own = groups->barred[g] ? 0 : rs_group_size(groups, g);
        int at = g;
        for (; at > 0 && size[at - 1] < own; at--)
            size[at] = size[at - 1];
        size[at] = own;
    }
    *columns = 0;
    for (int g = 0; g < rs_min_int(most, count); g++)
        *columns += size[g];
    for (int i = 0, own = 0; i < groups->included; i++) {
        own += rs_group_size(groups, groups->include[i]);
        *columns = rs_max_int(*columns, own);
    }
    return RS_OK;
}

rs_status rs_group_blocks(rs_context *ctx, const rs_covop *op,
                          const rs_groups *groups, size_t **start,
                          double **blocks)
{
    const int widest = rs_group_widest(groups), n = op->S ? 0 : op->X->n;
    double *panel = rs_alloc_double(ctx, (size_t)n * widest);
    size_t *from = *start =
        (size_t *)rs_alloc(ctx, (size_t)groups->count + 1, sizeof *from);
    RS_TRY(rs_allocated(ctx));
    from[0] = 0;
    for (int g = 0; g < groups->count; g++) {
        const size_t size = (size_t)rs_group_size(groups, g);
        from[g + 1] = from[g] + size * size;
    }
    *blocks = rs_alloc_double(ctx, from[groups->count]);
    RS_TRY_ALLOC(*blocks);
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        const int *column = rs_group_columns(groups, g);
        double *block = *blocks + from[g];
        if (size == 1) {
            *block = op->diagonal[*column];
            continue;
        }
        if (!op->S) {
            RS_TRY(rs_data_columns(op->X, size, column, 0, panel));
            rs_gram(op->X->n, size, panel, block);
        }
        for (int b = 0; b < size && op->S; b++)
            for (int a = 0; a < size; a++)
                block[a + (size_t)b * size] =
                    op->S[column[a] + (size_t)op->d * column[b]];
        rs_scale((size_t)size * size, op->factor, block);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

rs_status rs_groups_of_one(rs_context *ctx, int d, const double *second,
                           const unsigned char *first,
                           const unsigned char *barred, rs_groups *groups)
{
    const size_t count = (size_t)d;
    int *start = rs_alloc_int(ctx, count + 1);
    int *include = rs_alloc_int(ctx, count);
    unsigned char *none = (unsigned char *)rs_alloc(ctx, count, 1);
    RS_TRY(rs_allocated(ctx));
    *groups = (rs_groups){.count = d,
                          .start = start,
                          .column = start,
                          .second = second,
                          .barred = barred ? barred : none,
                          .include = include};
    memset(none, 0, count);
    for (int j = 0; j <= d; j++)
        start[j] = j;
    for (int j = 0; j < d && first; j++)
        if (first[j])
            include[groups->included++] = j;
    return RS_OK;
}

/* ---- a set ------------------------------------------------------------------ */

rs_status rs_members_init(rs_context *ctx, int groups, rs_members *m)
{
    m->count = 0;
    RS_ALLOC_INTS(ctx, (size_t)groups + 1, &m->asked, &m->set, &m->first);
    m->inside = (unsigned char *)rs_alloc(ctx, (size_t)groups, 1);
    RS_TRY(rs_allocated(ctx));
    memset(m->inside, 0, (size_t)groups);
    m->first[0] = 0;
    return RS_OK;
}

static int place_of(int g, int count, const int *set)
{
    int place = 0;
    while (place < count && set[place] != g)
        place++;
    return place;
}

int rs_members_place(const rs_members *m, int asked)
{
    return place_of(m->asked[asked], m->count, m->set);
}

int rs_members_leaving(const rs_members *m, int count, const int *set)
{
    int place = m->count - 1;
    while (place >= 0 && place_of(m->set[place], count, set) < count)
        place--;
    return place;
}

void rs_members_join(rs_members *m, int g, int columns)
{
    m->inside[g] = 1;
    m->set[m->count] = g;
    m->first[m->count + 1] = m->first[m->count] + columns;
    m->count++;
}

void rs_members_remove(rs_members *m, int place)
{
    const int columns = m->first[place + 1] - m->first[place];
    m->inside[m->set[place]] = 0;
    m->count--;
    for (int i = place; i < m->count; i++) {
        m->set[i] = m->set[i + 1];
        m->first[i + 1] = m->first[i + 2] - columns;
    }
}
