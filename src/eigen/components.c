#include "eigen/components.h"

#include <math.h>

/* directions of V'SV below this share of the largest are those of a V of lower
 * rank */
#define RS_COMPONENTS_RANK 1e-12

static double *scratch(rs_context *ctx, int rows, int columns)
{
    return rs_alloc_double(ctx, (size_t)rows * columns);
}

/* does K = Z Z' pay for `count` products? */
static int pays_by_samples(const rs_covop *op, int m, int count)
{
    const rs_data *X = op->X;
    if (op->S || X->n > X->d)
        return 0;
    double gram = rs_data_work(X, RS_TASK_GRAM_SAMPLES);
    double square = (double)X->n * X->n * m;
    double product = rs_data_work(X, RS_TASK_PRODUCT) * m;
    return gram + count * square < count * product;
}

rs_status rs_components_init(rs_context *ctx, rs_covop *op, int m, int count,
                             rs_components_ws *ws)
{
    ws->op = op;
    ws->m = m;
    ws->by_samples = pays_by_samples(op, m, count);
    ws->order = ws->by_samples ? op->X->n : op->d;
    ws->ZV = scratch(ctx, ws->order, m);
    ws->SV = scratch(ctx, ws->order, m);
    ws->basis = scratch(ctx, ws->order, m);
    ws->inner = scratch(ctx, m, m);
    ws->vectors = scratch(ctx, m, m);
    ws->values = scratch(ctx, m, 1);
    ws->K = ws->by_samples ? scratch(ctx, ws->order, ws->order) : NULL;
    RS_TRY(rs_allocated(ctx));
    if (ws->by_samples)
        RS_TRY(rs_data_gram_samples(op->X, NULL, ws->K));
    return rs_eigen_init(ctx, m, &ws->eigen);
}

/* the columns of *vectors: a basis B with B'(V'SV) B = I */
static rs_status invert_inner(int *rank, rs_components_ws *ws)
{
    const int m = ws->m;
    rs_symmetrise(m, ws->inner);
    RS_TRY(rs_eigen_largest(m, ws->inner, m, ws->values, ws->vectors,
                            &ws->eigen));
    *rank = 0;
    for (int j = 0; j < m && ws->values[j] > 0.0 &&
                    ws->values[j] > RS_COMPONENTS_RANK * ws->values[0];
         j++, ++*rank)
        rs_scale((size_t)m, 1.0 / sqrt(ws->values[j]),
                 ws->vectors + (size_t)j * m);
    return RS_OK;
}

/* tr(B'(SV)'(SV) B), with (SV)'(SV) = f^2 (ZV)'K(ZV) where S = f Z'Z */
static double carried(int rank, rs_components_ws *ws)
{
    const int m = ws->m, rows = ws->order;
    const size_t size = (size_t)rows * rank;
    rs_matmul(rows, m, rank, ws->by_samples ? ws->ZV : ws->SV, ws->vectors,
              ws->basis);
    if (!ws->by_samples)
        return rs_sum_squares(size, ws->basis);
    rs_matmul(rows, rows, rank, ws->K, ws->basis, ws->SV);
    return ws->op->factor * ws->op->factor * rs_dot(size, ws->basis, ws->SV);
}

rs_status rs_components_share(const double *V, double *share,
                              rs_components_ws *ws)
{
    rs_covop *op = ws->op;
    const int m = ws->m;
    int rank;
    if (ws->by_samples) {
        RS_TRY(rs_data_times(op->X, m, V, ws->ZV));
        rs_gram(ws->order, m, ws->ZV, ws->inner);
        rs_scale((size_t)m * m, op->factor, ws->inner);
    } else {
        RS_TRY(rs_covop_apply(op, m, V, ws->SV));
        rs_crossprod(op->d, m, m, V, ws->SV, ws->inner);
    }
    RS_TRY(invert_inner(&rank, ws));
    *share = op->trace > 0.0 ? fmin(1.0, carried(rank, ws) / op->trace) : 0.0;
    return rs_poll(op->ctx);
}
