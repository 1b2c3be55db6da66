#include "graph/local_learning.h"

#include <math.h>

#include "la/linalg.h"

static double heat(double square, double t)
{
    return exp(-0.5 * (fmax(square, 0.0) / t / t));
}

/* the weights of the q rows of `rows` (d x (q + 1)) behind the first, which
 * become differences to it; K: q x q */
static rs_status predict(int d, int q, double t, double ridge, double *rows,
                         double *K, double *square, double *weight)
{
    for (int a = 1; a <= q; a++)
        rs_axpy((size_t)d, -1.0, rows, rows + (size_t)a * d);
    rs_gram(d, q, rows + d, K);
    for (int a = 0; a < q; a++) {
        square[a] = K[a + (size_t)a * q];
        weight[a] = heat(square[a], t);
    }
    for (int b = 0; b < q; b++)
        for (int a = 0; a < q; a++) {
            double *at = K + a + (size_t)b * q;
            *at = a == b ? 1.0 + ridge
                         : heat(square[a] + square[b] - 2.0 * *at, t);
        }
    RS_TRY(rs_cholesky(q, K, q));
    return rs_cholesky_solve(q, 1, K, q, weight, q);
}

rs_status rs_local_learning(rs_context *ctx, rs_data *X,
                            const rs_neighbours *near, int neighbours,
                            double t, double ridge, rs_graph *A)
{
    const int n = near->n, q = neighbours;
    if (q < 1 || q > near->k || n != X->n || !(t > 0.0) || !(ridge > 0.0))
        return RS_BAD_INPUT;
    double *rows = rs_alloc_double(ctx, (size_t)X->d * ((size_t)q + 1));
    double *K = rs_alloc_double(ctx, (size_t)q * q);
    double *square = rs_alloc_double(ctx, (size_t)q);
    int *index = rs_alloc_int(ctx, (size_t)q + 1);
    A->n = n;
    A->start = (size_t *)rs_alloc(ctx, (size_t)n + 1, sizeof(size_t));
    A->index = rs_alloc_int(ctx, (size_t)n * q);
    A->weight = rs_alloc_double(ctx, (size_t)n * q);
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i <= n; i++)
        A->start[i] = (size_t)i * q;
    for (int i = 0; i < n; i++) {
        index[0] = i;
        for (int a = 0; a < q; a++)
            A->index[A->start[i] + a] = index[a + 1] =
                near->index[near->start[i] + (size_t)a];
        RS_TRY(rs_data_rows(X, q + 1, index, rows));
        RS_TRY(predict(X->d, q, t, ridge, rows, K, square,
                       A->weight + A->start[i]));
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
