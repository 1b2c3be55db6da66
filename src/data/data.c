#include "data/data.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_data_times(const rs_data *X, int m, const double *W, double *Y)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    if (X->block < 1)
        return RS_BAD_INPUT;
    for (int c = 0; c < m; c += X->block)
        RS_TRY(X->ops->times(X, rs_min_int(X->block, m - c), W + d * c,
                             Y + n * c));
    return RS_OK;
}

rs_status rs_data_crossprod(const rs_data *X, int m, const double *Y,
                            double *W)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    if (X->block < 1)
        return RS_BAD_INPUT;
    for (int c = 0; c < m; c += X->block)
        RS_TRY(X->ops->crossprod(X, rs_min_int(X->block, m - c), Y + n * c,
                                 W + d * c));
    return RS_OK;
}

rs_status rs_data_scatter(const rs_data *X, int m, double factor,
                          const double *W, double *room, double *SW)
{
    if (m <= X->block && X->ops->scatter)
        return X->ops->scatter(X, m, factor, W, SW);
    RS_TRY(rs_data_times(X, m, W, room));
    if (factor != 1.0)
        rs_scale((size_t)X->n * m, factor, room);
    return rs_data_crossprod(X, m, room, SW);
}

rs_status rs_data_product_squares(const rs_data *X, int m, const double *Y,
                                  double *t)
{
    const size_t d = (size_t)X->d;
    const int step = rs_min_int(m, X->block);
    double *products = rs_alloc_double(X->ctx, d * (size_t)step);
    RS_TRY_ALLOC(products);
    rs_fill(d, 0.0, t);
    for (int from = 0; from < m; from += step) {
        const int width = rs_min_int(step, m - from);
        RS_TRY(rs_data_crossprod(X, width, Y + (size_t)X->n * from, products));
        for (int l = 0; l < width; l++)
            for (size_t j = 0; j < d; j++)
                t[j] += products[j + d * l] * products[j + d * l];
    }
    return RS_OK;
}

rs_status rs_data_product_norms(const rs_data *X, int m, const double *Y,
                                double *t)
{
    RS_TRY(rs_data_product_squares(X, m, Y, t));
    for (int j = 0; j < X->d; j++)
        t[j] = sqrt(t[j]);
    return RS_OK;
}

rs_status rs_data_residual(const rs_data *X, int m, const double *T,
                           const double *W, double *R)
{
    RS_TRY(rs_data_times(X, m, W, R));
    rs_subtract((size_t)X->n * m, T, R, R);
    return RS_OK;
}

rs_status rs_data_crossprod_first(const rs_data *X, int rows, int m,
                                  const double *Y, double *W, int *stride)
{
    rs_data first = *X;
    if (!X->is_read)
        first.d = rows;
    *stride = first.d;
    return rs_data_crossprod(&first, m, Y, W);
}

/* a list, or a range where index = NULL, of numbers from 0 to limit - 1 */
static rs_status check_list(int limit, int count, const int *index, int from)
{
    int sound = index || (from >= 0 && count >= 0 && from <= limit - count);
    for (int i = 0; index && i < count; i++)
        sound &= index[i] >= 0 && index[i] < limit;
    return sound ? RS_OK : RS_BAD_INPUT;
}

rs_status rs_data_columns(const rs_data *X, int count, const int *index,
                          int from, double *out)
{
    RS_TRY(check_list(X->d, count, index, from));
    return X->ops->columns(X, count, index, from, out);
}

size_t rs_data_column_room(const rs_data *X)
{
    return X->ops->column_products ? 0 : (size_t)X->n * X->block;
}

/* by slices as wide as was provided for */
rs_status rs_data_column_products(const rs_data *X, int count,
                                  const int *index, double *room, double *C)
{
    if (X->ops->column_products)
        return X->ops->column_products(X, count, index, C);
    for (int c = 0; c < count; c += X->block) {
        const int width = rs_min_int(X->block, count - c);
        RS_TRY(rs_data_columns(X, width, index + c, 0, room));
        RS_TRY(rs_data_crossprod(X, width, room, C + (size_t)X->d * c));
    }
    return RS_OK;
}

rs_status rs_data_rows(const rs_data *X, int count, const int *index, int from,
                       double *out)
{
    RS_TRY(check_list(X->n, count, index, from));
    return X->ops->rows(X, count, index, from, out);
}

rs_status rs_data_row_products(const rs_data *X, int count, const int *index,
                               int from, const double *rows, double *out)
{
    RS_TRY(check_list(X->n, count, index, from));
    if (count > X->block)
        return RS_BAD_INPUT;
    if (X->ops->row_products == NULL)
        return X->ops->times(X, count, rows, out);
    return X->ops->row_products(X, count, index, from, rows, out);
}

/* G[I, J] += Z[, I]' (T Z[, J]) over panels I <= J */
rs_status rs_data_add_panels(const rs_data *X, const double *t, int count,
                             const int *index, double *room, double *G)
{
    const int n = X->n;
    double *left = room, *right = room + (size_t)n * RS_PANEL;
    for (int j = 0; j < count; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, count - j);
        RS_TRY(X->ops->columns(X, width, index ? index + j : NULL, j, right));
        rs_scale_rows(n, width, t, right);
        for (int i = 0; i <= j; i += RS_PANEL) {
            const int height = rs_min_int(RS_PANEL, count - i);
            RS_TRY(
                X->ops->columns(X, height, index ? index + i : NULL, i, left));
            RS_TRY(rs_gemm_polled(X->ctx, 'T', 'N', height, width, n, 1.0,
                                  left, n, right, n, 1.0,
                                  G + i + (size_t)j * count, count));
        }
    }
    return RS_OK;
}

rs_status rs_data_add_gram(const rs_data *X, const double *t, int count,
                           const int *index, double *room, double *G)
{
    return index && !X->is_read
               ? rs_data_add_panels(X, t, count, index, room, G)
               : X->ops->add_gram(X, t, count, index, room, G);
}

rs_status rs_data_gram_subset(const rs_data *X, const double *t, int count,
                              const int *index, double *room, double *G)
{
    rs_fill((size_t)count * count, 0.0, G);
    RS_TRY(rs_data_add_gram(X, t, count, index, room, G));
    rs_mirror_upper(count, G);
    return RS_OK;
}

rs_status rs_data_gram_weighted(const rs_data *X, const double *t, double *G)
{
    return rs_data_gram_subset(X, t, X->d, NULL, NULL, G);
}

rs_status rs_data_gram_samples(const rs_data *X, const double *e, double *K)
{
    return X->ops->gram_samples(X, e, K);
}

rs_status rs_data_column_squares(const rs_data *X, double *squares)
{
    return X->ops->column_squares(X, squares);
}

rs_status rs_data_row_squares(const rs_data *X, const double *e,
                              double *squares)
{
    return X->ops->row_squares(X, e, squares);
}
