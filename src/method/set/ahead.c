/* Products of alignment, with several features at once. */
#include "method/set/ahead.h"

#include <math.h>

#include "base/select.h"

/* features whose products are made at once, of data that are read in passes: so
 * many for each one that is searched for */
#define RS_AHEAD_EACH 8
/* numbers that these products may take */
#define RS_AHEAD_ROOM 5.0e7
/* of data in memory, which so many products read once and multiply fast */
#define RS_AHEAD_IN_MEMORY 16

static rs_status products_ahead(rs_value_alignment *s, int j,
                                const double **columns)
{
    rs_alignment_ahead *a = (rs_alignment_ahead *)s->state;
    const rs_groups *groups = s->groups;
    const rs_value value = rs_alignment_as_value(s);
    int at = 0;
    while (at < a->held && a->feature[at] != j)
        at++;
    if (at == a->held) {
        RS_TRY(value.gains(s, a->merit));
        for (int i = 0; i < groups->included; i++)
            if (!s->set.inside[groups->include[i]])
                a->merit[groups->include[i]] = INFINITY;
        a->merit[j] = -INFINITY;
        a->feature[0] = j;
        rs_topk_order(groups->count, a->merit, a->most - 1, a->feature + 1,
                      a->order);
        a->held = 1;
        while (a->held < a->most && a->merit[a->feature[a->held]] > -INFINITY)
            a->held++;
        RS_TRY(rs_data_column_products(s->op->X, a->held, a->feature,
                                       a->columns, a->products));
        at = 0;
    }
    *columns = a->products + (size_t)s->op->d * at;
    return RS_OK;
}

rs_status rs_alignment_read_ahead(rs_context *ctx, int k,
                                  rs_alignment_ahead *a,
                                  rs_value_alignment *value)
{
    const rs_data *X = value->op->X;
    const size_t d = (size_t)X->d;
    const double most =
        X->is_read ? RS_AHEAD_EACH * (k + 8.0) : RS_AHEAD_IN_MEMORY;
    const size_t room = rs_data_column_room(X);
    if (!X->is_read && room == 0)
        return RS_OK;
    *a = (rs_alignment_ahead){
        .most = (int)fmin(d, fmin(most, 1.0 + RS_AHEAD_ROOM / d))};
    a->columns = rs_alloc_double(ctx, room);
    a->products = rs_alloc_double(ctx, d * a->most);
    RS_ALLOC_DOUBLES(ctx, d, &a->merit, &a->order);
    a->feature = rs_alloc_int(ctx, d);
    value->products = products_ahead;
    value->state = a;
    return rs_allocated(ctx);
}
