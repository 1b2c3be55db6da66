#include "data/covop.h"

#include <string.h>

#include "la/linalg.h"

int rs_covop_prefers_explicit(const rs_data *X, double m, double iterations)
{
    const double explicit_product = 2.0 * X->d * X->d;
    const double thin_products = 4.0 * X->work[RS_TASK_PRODUCT];
    return X->d <= 2.0 * X->n &&
           X->work[RS_TASK_GRAM_FEATURES] + explicit_product * m * iterations <
               thin_products * m * iterations;
}

rs_status rs_covop_from_matrix(rs_context *ctx, int d, const double *S,
                               int block, rs_covop *op)
{
    *op =
        (rs_covop){.d = d, .factor = 1.0, .S = S, .block = block, .ctx = ctx};
    op->diagonal = rs_alloc_double(ctx, (size_t)d);
    RS_TRY_ALLOC(op->diagonal);
    for (int j = 0; j < d; j++)
        op->diagonal[j] = S[j + (size_t)j * d];
    op->trace = rs_sum(d, op->diagonal);
    return RS_OK;
}

rs_status rs_covop_from_data(rs_context *ctx, rs_data *X, int block,
                             rs_covop *op)
{
    *op = (rs_covop){
        .d = X->d, .factor = 1.0, .X = X, .block = block, .ctx = ctx};
    op->diagonal = rs_alloc_double(ctx, (size_t)X->d);
    op->XW = rs_alloc_double(ctx, (size_t)X->n * block);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_column_squares(X, op->diagonal));
    op->trace = rs_sum(X->d, op->diagonal);
    return RS_OK;
}

void rs_covop_normalise(rs_covop *op)
{
    const double factor = op->trace > 0.0 ? op->d / op->trace : 1.0;
    op->factor *= factor;
    op->trace *= factor;
    rs_scale((size_t)op->d, factor, op->diagonal);
}

double rs_covop_use_unit(rs_covop *op)
{
    const double unit = rs_power_near(op->trace / op->d);
    op->factor /= unit;
    op->trace /= unit;
    rs_scale((size_t)op->d, 1.0 / unit, op->diagonal);
    return unit;
}

rs_status rs_covop_apply(rs_covop *op, int m, const double *W, double *SW)
{
    if (m > op->block)
        return RS_BAD_INPUT;
    op->products += m;
    return op->S ? rs_times_polled(op->ctx, op->d, op->d, m, op->factor, op->S,
                                   W, SW)
                 : rs_data_scatter(op->X, m, op->factor, W, op->XW, SW);
}

/* factor * S[, index], from the matrix */
static void copy_columns(const rs_covop *op, int count, const int *index,
                         double *out)
{
    const size_t d = (size_t)op->d;
    for (int j = 0; j < count; j++) {
        const double *column = op->S + (size_t)index[j] * d;
        for (size_t i = 0; i < d; i++)
            out[i + (size_t)j * d] = op->factor * column[i];
    }
}

rs_status rs_covop_keep(int room, rs_covop *op)
{
    op->kept = rs_alloc_double(op->ctx, (size_t)op->d * room);
    op->place = rs_alloc_int(op->ctx, (size_t)op->d);
    RS_TRY(rs_allocated(op->ctx));
    memset(op->place, 0, (size_t)op->d * sizeof *op->place);
    op->room = room;
    return RS_OK;
}

static int is_kept(const rs_covop *op, int j)
{
    return op->place && op->place[j] > 0;
}

rs_status rs_covop_columns(rs_covop *op, int count, const int *index,
                           double *out)
{
    const size_t d = (size_t)op->d;
    if (op->S) {
        copy_columns(op, count, index, out);
        return RS_OK;
    }
    for (int j = 0, width = 1; j < count; j += width, width = 1) {
        double *to = out + d * j;
        if (is_kept(op, index[j])) {
            rs_copy(d, op->kept + d * (op->place[index[j]] - 1), to);
            continue;
        }
        while (width < op->block && j + width < count &&
               !is_kept(op, index[j + width]))
            width++;
        RS_TRY(rs_data_column_products(op->X, width, index + j, op->XW, to));
        rs_scale(d * width, op->factor, to);
        for (int i = 0; i < width && op->held < op->room; i++) {
            rs_copy(d, to + d * i, op->kept + d * op->held);
            op->place[index[j + i]] = ++op->held;
        }
        op->products += width;
        RS_TRY(rs_poll(op->ctx));
    }
    return RS_OK;
}
