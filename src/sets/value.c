/* Units of columns. */
#include "sets/value.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* what a set is ahead of one that leaves no degrees of freedom, per column */
#define RS_PRICE_SPENT 1e30

int rs_priced_columns(const rs_price *price, int count, const int *set)
{
    int columns = 0;
    for (int i = 0; i < count && price->columns; i++)
        columns += price->columns[set[i]];
    return columns;
}

int rs_price_is_spent(const rs_price *price, int columns)
{
    return price->columns && !(price->freedom - price->shrink * columns > 1.0);
}

double rs_priced(const rs_price *price, double total, double E, int columns,
                 int as)
{
    if (columns == as || E == -INFINITY)
        return E;
    if (rs_price_is_spent(price, columns))
        return -INFINITY;
    if (rs_price_is_spent(price, as))
        return RS_PRICE_SPENT * total * (as - columns);
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
                          const rs_groups *groups, double **blocks)
{
    const int widest = rs_group_widest(groups), n = op->S ? 0 : op->X->n;
    double *panel = rs_alloc_double(ctx, (size_t)n * widest);
    size_t entries = 0;
    for (int g = 0; g < groups->count; g++)
        entries += (size_t)rs_group_size(groups, g) * rs_group_size(groups, g);
    double *block = *blocks = rs_alloc_double(ctx, entries);
    RS_TRY(rs_allocated(ctx));
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        const int *column = rs_group_columns(groups, g);
        if (size == 1) {
            *block++ = op->diagonal[*column];
            continue;
        }
        if (!op->S) {
            RS_TRY(rs_data_columns(op->X, size, column, panel));
            rs_gram(op->X->n, size, panel, block);
        }
        for (int b = 0; b < size && op->S; b++)
            for (int a = 0; a < size; a++)
                block[a + (size_t)b * size] =
                    op->S[column[a] + (size_t)op->d * column[b]];
        rs_scale((size_t)size * size, op->factor, block);
        block += (size_t)size * size;
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
