/* Cross-products by groups of features. */
#include "sets/group_products.h"

#include "la/linalg.h"

rs_status rs_group_products_init(rs_context *ctx, const rs_groups *groups,
                                 int d, const double *S, rs_data *X,
                                 double factor, rs_group_products *p)
{
    *p = (rs_group_products){
        .d = d, .S = S, .X = X, .factor = factor, .groups = groups};
    p->block =
        (size_t *)rs_alloc(ctx, (size_t)groups->count + 1, sizeof *p->block);
    RS_TRY_ALLOC(p->block);
    p->block[0] = 0;
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        p->block[g + 1] = p->block[g] + (size_t)size * size;
    }
    p->panel =
        rs_alloc_double(ctx, S ? 0 : (size_t)X->n * rs_group_widest(groups));
    return rs_allocated(ctx);
}

rs_status rs_group_product_columns(const rs_group_products *p, int g,
                                   double *out)
{
    const size_t d = (size_t)p->d;
    const int size = rs_group_size(p->groups, g);
    const int *column = rs_group_columns(p->groups, g);
    if (p->S) {
        for (int i = 0; i < size; i++)
            rs_copy(d, p->S + d * column[i], out + d * i);
    } else {
        RS_TRY(rs_data_columns(p->X, size, column, p->panel));
        RS_TRY(rs_data_crossprod(p->X, size, p->panel, out));
    }
    if (p->factor != 1.0)
        rs_scale(d * size, p->factor, out);
    return RS_OK;
}

rs_status rs_group_product_blocks(rs_context *ctx, const rs_group_products *p,
                                  double *out)
{
    for (int g = 0; g < p->groups->count; g++) {
        const int size = rs_group_size(p->groups, g);
        const int *column = rs_group_columns(p->groups, g);
        double *block = out + p->block[g];
        RS_TRY(rs_poll(ctx));
        if (p->S) {
            for (int b = 0; b < size; b++)
                for (int a = 0; a < size; a++)
                    block[a + (size_t)b * size] =
                        p->S[column[a] + (size_t)p->d * column[b]];
        } else {
            RS_TRY(rs_data_columns(p->X, size, column, p->panel));
            rs_gram(p->X->n, size, p->panel, block);
        }
        if (p->factor != 1.0)
            rs_scale((size_t)size * size, p->factor, block);
    }
    return RS_OK;
}
