#include "data/scatter.h"

/* the rows up to each column of S[, from..from + width) += W */
static void add_columns(int d, int from, int width, int stride,
                        const double *W, double *S)
{
    for (int c = 0; c < width; c++) {
        const double *w = W + (size_t)c * stride;
        double *s = S + (size_t)(from + c) * d;
        for (int i = 0; i <= from + c; i++)
            s[i] += w[i];
    }
}

rs_status rs_scatter_add(rs_context *ctx, const rs_data *X, double *S)
{
    const int n = X->n, d = X->d;
    double *panel = rs_alloc_double(ctx, (size_t)n * RS_SCATTER_BLOCK);
    double *W = rs_alloc_double(ctx, (size_t)d * RS_SCATTER_BLOCK);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < d; j += RS_SCATTER_BLOCK) {
        const int width = rs_min_int(RS_SCATTER_BLOCK, d - j);
        int stride;
        RS_TRY(rs_data_column_range(X, j, width, panel));
        RS_TRY(
            rs_data_crossprod_first(X, j + width, width, panel, W, &stride));
        add_columns(d, j, width, stride, W, S);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

rs_status rs_scatter_merge(rs_context *ctx, int d, const double *T, double *S)
{
    for (int j = 0; j < d; j += RS_SCATTER_BLOCK) {
        const int width = rs_min_int(RS_SCATTER_BLOCK, d - j);
        add_columns(d, j, width, d, T + (size_t)j * d, S);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
