#include "graph/graph.h"

#include "la/linalg.h"

/* G <- C G C: rows and columns less their means */
static void centre_twice(int size, double *G)
{
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < size; j++) {
            const int step = pass ? size : 1;
            double *g = G + (size_t)j * (pass ? 1 : size);
            double sum = 0.0;
            for (int i = 0; i < size; i++)
                sum += g[(size_t)i * step];
            for (int i = 0; i < size; i++)
                g[(size_t)i * step] -= sum / size;
        }
}

rs_status rs_local_init(rs_context *ctx, rs_data *X, const rs_neighbours *near,
                        int q, int relative, double *lambda,
                        rs_local_discriminant *N)
{
    const int n = X->n, d = X->d, size = q + 1;
    if (near->n != n || q < 1 || q > near->k || !(*lambda > 0.0))
        return RS_BAD_INPUT;
    const size_t square = (size_t)size * size;
    double *rows = rs_alloc_double(ctx, (size_t)d * size), *G;
    *N = (rs_local_discriminant){.ctx = ctx, .n = n, .size = size};
    N->index = rs_alloc_int(ctx, (size_t)n * size);
    N->piece = G = rs_alloc_double(ctx, square * n);
    N->values = rs_alloc_double(ctx, (size_t)size);
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < n; i++, G += square) {
        RS_TRY(rs_neighbourhood(X, near, i, q, N->index + (size_t)i * size,
                                rows));
        rs_gram(d, size, rows, G);
        centre_twice(size, G);
        for (int a = 0; a < size; a++)
            N->scatter += G[a + (size_t)a * size] / ((double)q * n);
    }
    if (relative && N->scatter > 0.0)
        *lambda *= N->scatter;
    /* G1 = 0, so that 1 is an eigenvector */
    G = N->piece;
    for (int i = 0; i < n; i++, G += square) {
        for (int a = 0; a < size; a++)
            G[a + (size_t)a * size] += *lambda;
        RS_TRY(rs_cholesky(size, G, size));
        RS_TRY(rs_cholesky_inverse(size, G));
        centre_twice(size, G);
        rs_symmetrise(size, G);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

/* y += E P E'v for one piece P */
static void add_piece(const rs_local_discriminant *N, int i, const double *v,
                      double *y)
{
    const int size = N->size;
    const int *index = N->index + (size_t)i * size;
    const double *P = N->piece + (size_t)i * size * size;
    for (int a = 0; a < size; a++)
        N->values[a] = v[index[a]];
    for (int a = 0; a < size; a++) {
        double sum = 0.0;
        for (int b = 0; b < size; b++)
            sum += P[b + (size_t)a * size] * N->values[b];
        y[index[a]] += sum;
    }
}

rs_status rs_local_apply(void *N_, int m, const double *V, double *NV)
{
    const rs_local_discriminant *N = (const rs_local_discriminant *)N_;
    const size_t n = (size_t)N->n;
    rs_fill(n * m, 0.0, NV);
    for (int c = 0; c < m; c++) {
        for (int i = 0; i < N->n; i++)
            add_piece(N, i, V + n * c, NV + n * c);
        RS_TRY(rs_poll(N->ctx));
    }
    return RS_OK;
}
