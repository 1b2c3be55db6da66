#include "graph/roughness.h"

#include "la/linalg.h"

/* a weighted variance below this share of f'Df is the rounding of a constant */
#define RS_ROUGHNESS_CONSTANT 1e-14

/* feature j is f, and Lf = L f */
static void add_feature(const rs_laplacian *L, int n, int j, const double *f,
                        const double *Lf, rs_roughness *r)
{
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        sum += L->degree[i] * f[i];
        square += L->degree[i] * f[i] * f[i];
    }
    const double spread = r->total > 0.0 ? square - sum * (sum / r->total) : 0;
    r->sum[j] = sum;
    r->square[j] = square;
    r->rough[j] = rs_dot((size_t)n, f, Lf);
    r->relative[j] =
        spread > RS_ROUGHNESS_CONSTANT * square ? r->rough[j] / spread : 2.0;
}

rs_status rs_roughness_on(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                          rs_roughness *r)
{
    const int n = X->n, d = X->d;
    const int step = rs_min_int(d, RS_ROUGHNESS_BLOCK);
    double *block, *image;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * step, &block, &image);
    RS_TRY(rs_allocated(ctx));
    r->total = rs_sum(n, L->degree);
    for (int from = 0; from < d; from += step) {
        const int width = rs_min_int(step, d - from);
        RS_TRY(rs_data_column_range(X, from, width, block));
        RS_TRY(rs_laplacian_apply(L, width, block, image));
        for (int c = 0; c < width; c++)
            add_feature(L, n, from + c, block + (size_t)n * c,
                        image + (size_t)n * c, r);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
