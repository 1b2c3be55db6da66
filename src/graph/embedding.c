#include "graph/embedding.h"

#include <math.h>

#include "la/linalg.h"
#include "eigen/chebyshev.h"
#include "eigen/leading.h"

int rs_embedding_block(int n, int m)
{
    return rs_chebyshev_block(n, m);
}

/* the smallest of L are the largest of -L - (bound + 1) t t', t the trivial
 * vector, which then comes last */
static rs_status by_lapack(rs_context *ctx, rs_laplacian *L, int m,
                           const double *trivial, double *values, double *V,
                           double *residual)
{
    const size_t n = (size_t)L->W->n;
    const double away = 2.0 * rs_laplacian_bound(L) + 1.0;
    double *A = rs_alloc_double(ctx, n * n);
    double *one = rs_alloc_double(ctx, n);
    RS_TRY(rs_allocated(ctx));
    for (size_t j = 0; j < n; j++) {
        rs_fill(n, 0.0, one);
        one[j] = -1.0;
        RS_TRY(rs_laplacian_apply(L, 1, one, A + n * j));
        rs_axpy(n, -away * trivial[j], trivial, A + n * j);
    }
    const rs_leading_operator whole = rs_leading_explicit((int)n, A);
    double unused;
    RS_TRY(rs_leading_find(ctx, &whole, m, &rs_leading_accurate, values, V,
                           &unused));
    for (int c = 0; c < m; c++) {
        const double *v = V + n * c;
        values[c] = -values[c];
        RS_TRY(rs_laplacian_apply(L, 1, v, one));
        rs_axpy(n, -values[c], v, one);
        residual[c] = rs_norm(n, one);
    }
    return RS_OK;
}

static rs_status smallest_pairs(rs_context *ctx, rs_laplacian *L, int m,
                                const rs_embedding_control *control,
                                double *values, double *V, double *residual)
{
    const int n = L->W->n;
    double *trivial = rs_alloc_double(ctx, (size_t)n);
    RS_TRY_ALLOC(trivial);
    rs_laplacian_trivial(L, trivial);
    const int has_trivial = rs_sum_squares((size_t)n, trivial) > 0.0;
    rs_sparse_operator A = {n, rs_laplacian_apply_rows, L,
                            rs_laplacian_bound(L),
                            has_trivial ? trivial : NULL};
    rs_status status =
        rs_leading_is_dense(n, m)
            ? by_lapack(ctx, L, m, trivial, values, V, residual)
            : rs_chebyshev_smallest(ctx, &A, m, control->tol, control->maxit,
                                    values, V, residual);
    for (int c = 0; c < m && rs_is_usable(status); c++)
        values[c] = fmax(values[c], 0.0);
    return status;
}

/* V <- D^{-1/2} V, columns of norm 1, and the residuals with the random walk */
static rs_status to_random_walk(rs_laplacian *L, int m, const double *values,
                                double *V, double *scratch, double *residual)
{
    const size_t n = (size_t)L->W->n;
    for (int c = 0; c < m; c++) {
        double *v = V + n * c;
        for (size_t i = 0; i < n; i++)
            v[i] *= L->root[i];
        const double norm = rs_norm(n, v);
        rs_scale(n, norm > 0.0 ? 1.0 / norm : 0.0, v);
        RS_TRY(rs_laplacian_apply(L, 1, v, scratch));
        rs_axpy(n, -values[c], v, scratch);
        residual[c] = rs_norm(n, scratch);
    }
    return RS_OK;
}

rs_status rs_embedding(rs_context *ctx, rs_laplacian *L, int m,
                       const rs_embedding_control *control, double *values,
                       double *V, double *residual)
{
    static const rs_embedding_control usual = {RS_EMBEDDING_TOL,
                                               RS_EMBEDDING_MAXIT};
    if (m < 1 || m >= L->W->n)
        return RS_BAD_INPUT;
    if (!control)
        control = &usual;
    if (L->kind != RS_LAPLACIAN_RANDOM_WALK)
        return smallest_pairs(ctx, L, m, control, values, V, residual);

    rs_laplacian symmetric;
    double *scratch = rs_alloc_double(ctx, (size_t)L->W->n);
    RS_TRY_ALLOC(scratch);
    RS_TRY(rs_laplacian_convert(ctx, L, RS_LAPLACIAN_SYMMETRIC, &symmetric));
    rs_status status =
        smallest_pairs(ctx, &symmetric, m, control, values, V, residual);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(to_random_walk(L, m, values, V, scratch, residual));
    return status;
}
