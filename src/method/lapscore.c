#include "method/lapscore.h"

#include <math.h>

#include "la/linalg.h"

/* a weighted variance below this share of f'Df is the rounding of a constant */
#define RS_LAPSCORE_CONSTANT 1e-14

/* image = L f */
static double score_of(const rs_laplacian *L, int n, const double *f,
                       const double *image)
{
    double total = 0.0, sum = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        total += L->degree[i];
        sum += L->degree[i] * f[i];
        square += L->degree[i] * f[i] * f[i];
    }
    const double spread = total > 0.0 ? square - sum * (sum / total) : 0.0;
    if (!(spread > RS_LAPSCORE_CONSTANT * square))
        return 2.0;
    return rs_dot((size_t)n, f, image) / spread;
}

rs_status rs_lapscore(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                      double *score)
{
    const int n = X->n, d = X->d;
    const int step = rs_min_int(d, RS_LAPSCORE_BLOCK);
    double *block = rs_alloc_double(ctx, (size_t)n * step);
    double *image = rs_alloc_double(ctx, (size_t)n * step);
    RS_TRY(rs_allocated(ctx));
    for (int from = 0; from < d; from += step) {
        const int width = rs_min_int(step, d - from);
        RS_TRY(rs_data_column_range(X, from, width, block));
        RS_TRY(rs_laplacian_apply(L, width, block, image));
        for (int c = 0; c < width; c++)
            score[from + c] =
                score_of(L, n, block + (size_t)n * c, image + (size_t)n * c);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
