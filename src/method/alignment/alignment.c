#include "method/alignment/alignment.h"

#include <math.h>

#include "base/select.h"
#include "sets/search.h"

/* numbers that the products may take, and the Gram matrix of the panel */
#define RS_ALIGNMENT_PRODUCTS 5.0e7
#define RS_ALIGNMENT_PANEL 1.6e7
/* features of data in memory, where many products serve no better than these,
 * and a wrong prediction costs them all; the panel is to take a quarter of the
 * work of their products */
#define RS_ALIGNMENT_PREDICTED 8

/* the members, the included features and j, and then the best others; *given:
 * how many come first, of *size */
static rs_status choose_panel(rs_value_alignment *s, int j,
                              rs_alignment_ahead *a, int *given, int *size)
{
    const rs_groups *groups = s->groups;
    const rs_value value = rs_alignment_as_value(s);
    int count = 0;
    RS_TRY(value.gains(value.state, a->merit));
    for (int i = 0; i < s->set.count; i++)
        a->panel[count++] = s->set.set[i];
    a->panel[count++] = j;
    for (int i = 0; i < groups->included && count < a->size; i++)
        if (!s->set.inside[groups->include[i]] && groups->include[i] != j)
            a->panel[count++] = groups->include[i];
    for (int i = 0; i < count; i++)
        a->merit[a->panel[i]] = -INFINITY;
    *given = count;
    rs_topk_order(groups->count, a->merit, a->size - count, a->panel + count,
                  a->order);
    while (count < a->size && a->merit[a->panel[count]] > -INFINITY)
        count++;
    *size = count;
    return RS_OK;
}

/* feature[0..held) <- j and what the search takes after it, of `size` in the
 * panel */
static rs_status predict(rs_value_alignment *s, int given, int size,
                         rs_alignment_ahead *a)
{
    rs_context *ctx = &a->arena.ctx;
    const rs_search_settings settings = {.k = a->k};
    const int to = rs_min_int(rs_min_int(a->k, s->set.count + a->most), size);
    int *set = rs_alloc_int(ctx, (size_t)size);
    double *target, *second, *worth;
    rs_covop op;
    rs_groups groups;
    rs_value_alignment within;
    rs_search search;
    RS_ALLOC_DOUBLES(ctx, (size_t)size, &target, &second, &worth);
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < size; i++) {
        target[i] = s->target[a->panel[i]];
        second[i] = s->groups->second[a->panel[i]];
        set[i] = i;
    }
    RS_TRY(rs_covop_from_matrix(ctx, size, a->gram, 1, &op));
    RS_TRY(rs_groups_of_one(ctx, size, second, NULL, NULL, &groups));
    RS_TRY(rs_value_alignment_init(ctx, &op, &groups, rs_max_int(to, given),
                                   target, s->ridge, &within));
    const rs_value value = rs_alignment_as_value(&within);
    RS_TRY(rs_search_init(ctx, &groups, &value, &settings, &search));
    RS_TRY(rs_search_grow(&search, given, to, set, worth, NULL));
    a->held = rs_max_int(to - s->set.count, 1);
    for (int i = 0; i < a->held; i++)
        a->feature[i] = a->panel[set[s->set.count + i]];
    return RS_OK;
}

static rs_status products_ahead(rs_value_alignment *s, int j,
                                const double **columns)
{
    rs_alignment_ahead *a = (rs_alignment_ahead *)s->state;
    rs_data *X = s->op->X;
    int at = 0, given, size;
    while (at < a->held && a->feature[at] != j)
        at++;
    if (at == a->held) {
        rs_arena_clear(&a->arena);
        RS_TRY(choose_panel(s, j, a, &given, &size));
        RS_TRY(rs_data_gram_subset(X, NULL, size, a->panel, a->room, a->gram));
        RS_TRY(predict(s, given, size, a));
        RS_TRY(rs_data_column_products(X, a->held, a->feature, a->columns,
                                       a->products));
        at = 0;
    }
    *columns = a->products + (size_t)X->d * at;
    return RS_OK;
}

rs_status rs_alignment_read_ahead(rs_context *ctx, int k,
                                  rs_alignment_ahead *a,
                                  rs_value_alignment *value)
{
    const rs_data *X = value->op->X;
    const size_t d = (size_t)X->d;
    const double most = X->is_read ? fmax(2.0, RS_ALIGNMENT_PRODUCTS / X->d)
                                   : RS_ALIGNMENT_PREDICTED;
    const double panel = X->is_read ? RS_ALIGNMENT_PANEL : 0.25 * most * X->d;
    if (!rs_data_shares_columns(X))
        return RS_OK;
    *a = (rs_alignment_ahead){.k = k};
    a->most = (int)fmin(k, most);
    a->size = (int)fmin(X->d, k + sqrt(fmin(panel, RS_ALIGNMENT_PANEL)));
    a->columns = rs_alloc_double(ctx, rs_data_column_room(X));
    a->products = rs_alloc_double(ctx, d * a->most);
    a->gram = rs_alloc_double(ctx, (size_t)a->size * a->size);
    a->room = rs_alloc_double(ctx, X->subset_room);
    RS_ALLOC_DOUBLES(ctx, d, &a->merit, &a->order);
    RS_ALLOC_INTS(ctx, d, &a->feature, &a->panel);
    rs_arena_init(ctx, &a->arena);
    value->products = products_ahead;
    value->state = a;
    return rs_allocated(ctx);
}
