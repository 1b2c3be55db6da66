#include "eigen/leading.h"

#include "la/linalg.h"
#include "data/dense.h"

rs_status rs_subpca_init(rs_context *ctx, rs_covop *op, int k, int m,
                         rs_subpca_ws *ws)
{
    const int by_samples = !op->S && op->X->n < k && op->X->n >= m;
    const int order = by_samples ? op->X->n : k;
    *ws = (rs_subpca_ws){.op = op, .k = k, .m = m, .by_samples = by_samples};
    ws->A = rs_alloc_double(ctx, (size_t)order * order);
    RS_TRY(rs_allocated(ctx));
    if (!op->S) { /* a block of n x k that is filled anew for every subset */
        const int n = op->X->n;
        ws->columns = rs_alloc_double(ctx, (size_t)n * k);
        ws->U = rs_alloc_double(ctx, (size_t)n * m);
        RS_TRY(rs_allocated(ctx));
        RS_TRY(rs_data_dense(ctx, n, k, ws->columns, m, &ws->panel));
        RS_TRY(rs_qr_init(ctx, k, m, &ws->qr));
    }
    return rs_leading_init(ctx, order, m, &ws->leading);
}

/* A = S[I, I], or one of the two Gram matrices of the columns I */
static rs_status load_subset(const int *subset, rs_subpca_ws *ws)
{
    const int k = ws->k, d = ws->op->d;
    for (int i = 0; i < k; i++)
        if (subset[i] < 0 || subset[i] >= d)
            return RS_BAD_INPUT;
    if (ws->op->S) {
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                ws->A[i + (size_t)j * k] =
                    ws->op->S[subset[i] + (size_t)subset[j] * d];
        return RS_OK;
    }
    RS_TRY(rs_data_columns(ws->op->X, k, subset, 0, ws->columns));
    return ws->by_samples ? rs_data_gram_samples(&ws->panel, NULL, ws->A)
                          : rs_data_gram_weighted(&ws->panel, NULL, ws->A);
}

rs_status rs_subpca(const int *subset, double *values, double *V,
                    rs_subpca_ws *ws)
{
    RS_TRY(load_subset(subset, ws));
    RS_TRY(rs_leading_of(ws->A, values, ws->by_samples ? ws->U : V,
                         &ws->leading));
    for (int c = 0; c < ws->m; c++)
        values[c] = values[c] > 0.0 ? ws->op->factor * values[c] : 0.0;
    if (!ws->by_samples)
        return RS_OK;
    /* eigenvectors of Z'Z from those of Z Z' */
    RS_TRY(rs_data_crossprod(&ws->panel, ws->m, ws->U, V));
    return rs_qr_orthonormal(ws->k, ws->m, V, &ws->qr);
}
