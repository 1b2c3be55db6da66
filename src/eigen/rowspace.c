/*
 * Samples are taken one by one, always the one that is furthest from the span
 * of those before (Cholesky factorisation of ZZ' with pivots), until what is
 * left of every sample is rounding. O(n^2 (n + d)).
 */
#include "eigen/minor.h"

#include <math.h>

#include "la/linalg.h"

/* squared distances from the span below this share of the largest squared norm
 * of a sample are rounding */
#define RS_ROWSPACE_TOL 1e-11

/* the sample that is furthest from the span; -1 if the distances are rounding */
static int furthest(int n, const double *distance, double least)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (distance[i] > least) {
            least = distance[i];
            best = i;
        }
    return best;
}

/* L[, r] = (K[, p] - L[, <r] L[p, <r]') / sqrt(distance of p), and the squared
 * distances from the span that has p in it; row: r numbers */
static void add_column(int n, int r, int p, const double *K, double *L,
                       double *distance, double *row)
{
    double *column = L + (size_t)r * n;
    const double root = sqrt(distance[p]);
    for (int c = 0; c < r; c++)
        row[c] = L[p + (size_t)c * n];
    rs_copy((size_t)n, K + (size_t)p * n, column);
    if (r > 0)
        rs_gemv('N', n, r, -1.0, L, n, row, 1.0, column);
    for (int i = 0; i < n; i++) {
        column[i] /= root;
        distance[i] = fmax(distance[i] - column[i] * column[i], 0.0);
    }
    distance[p] = 0.0;
}

/* pivot (n): the samples that span the row space, *rank of them */
static rs_status choose_samples(rs_context *ctx, const rs_data *X, int *rank,
                                int *pivot)
{
    const int n = X->n;
    double *K, *L, *distance, *row, largest = 0.0;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * n, &K, &L);
    RS_ALLOC_DOUBLES(ctx, (size_t)n, &distance, &row);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_gram_samples(X, NULL, K));
    for (int i = 0; i < n; i++) {
        distance[i] = K[i + (size_t)i * n];
        largest = fmax(largest, distance[i]);
    }
    if (!isfinite(largest))
        return RS_NOT_FINITE;
    for (*rank = 0; *rank < rs_min_int(n, X->d); (*rank)++) {
        const int p = furthest(n, distance, RS_ROWSPACE_TOL * largest);
        if (p < 0)
            break;
        pivot[*rank] = p;
        add_column(n, *rank, p, K, L, distance, row);
        RS_TRY(rs_poll(ctx));
    }
    return *rank > 0 ? RS_OK : RS_BAD_INPUT;
}

/* V (d x r) orthonormal, some columns at a time, which leave the span of those
 * before them twice; inner: r x RS_PANEL */
static rs_status orthonormalise(rs_context *ctx, int d, int r, double *V,
                                double *inner)
{
    const int step = rs_columns_per_call(d, RS_PANEL, rs_min_int(r, RS_PANEL));
    rs_qr_ws qr;
    RS_TRY(rs_qr_init(ctx, d, step, &qr));
    for (int j = 0; j < r; j += step) {
        const int width = rs_min_int(step, r - j);
        double *columns = V + (size_t)j * d;
        for (int pass = 0; pass < 2; pass++) {
            RS_TRY(rs_gemm_polled(ctx, 'T', 'N', j, width, d, 1.0, V, d,
                                  columns, d, 0.0, inner, r));
            RS_TRY(rs_gemm_polled(ctx, 'N', 'N', d, width, j, -1.0, V, d,
                                  inner, r, 1.0, columns, d));
            RS_TRY(rs_qr_orthonormal(d, width, columns, &qr));
        }
    }
    return RS_OK;
}

rs_status rs_row_space_find(rs_context *ctx, rs_data *X, rs_row_space *space)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    double *inner;
    int *pivot = rs_alloc_int(ctx, n);
    RS_TRY_ALLOC(pivot);
    RS_TRY(choose_samples(ctx, X, &space->rank, pivot));
    const size_t r = (size_t)space->rank;
    space->basis = rs_alloc_double(ctx, d * r);
    space->coordinates = rs_alloc_double(ctx, n * r);
    inner = rs_alloc_double(ctx, r * RS_PANEL);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_rows(X, space->rank, pivot, space->basis));
    RS_TRY(orthonormalise(ctx, X->d, space->rank, space->basis, inner));
    return rs_data_times(X, space->rank, space->basis, space->coordinates);
}
