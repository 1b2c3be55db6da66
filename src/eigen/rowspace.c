#include "eigen/rowspace.h"

#include <math.h>

#include "la/linalg.h"

typedef struct {
    rs_context *ctx;
    const rs_data *X;
    int n, d, rank;
    int *pivot;    /* n: the samples that were taken come first */
    double *L;     /* n x n: ZZ' = LL', its first `rank` columns */
    double *rest;  /* n: squared distances from the span */
    double *R;     /* rank x rank, upper: L on the samples taken, transposed */
    double *panel; /* n x RS_PANEL */
} search;

/* the sample that is furthest from the span; -1 where the rest is rounding */
static int furthest(const search *s, double least)
{
    int best = -1;
    for (int i = 0; i < s->n; i++)
        if (s->rest[i] > least) {
            least = s->rest[i];
            best = i;
        }
    return best;
}

/* L[, r] = (K[, p] - L[, <r] L[p, <r]') / sqrt(rest of p) */
static void add_column(search *s, const double *K, int p)
{
    const int n = s->n, r = s->rank;
    double *column = s->L + (size_t)r * n;
    const double root = sqrt(s->rest[p]);
    for (int c = 0; c < r; c++)
        s->panel[c] = s->L[p + (size_t)c * n];
    rs_copy((size_t)n, K + (size_t)p * n, column);
    if (r > 0)
        rs_gemv('N', n, r, -1.0, s->L, n, s->panel, 1.0, column);
    for (int i = 0; i < n; i++) {
        column[i] /= root;
        s->rest[i] = fmax(s->rest[i] - column[i] * column[i], 0.0);
    }
    s->rest[p] = 0.0;
}

static rs_status factor(search *s, const double *K)
{
    double largest = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->rest[i] = K[i + (size_t)i * s->n];
        largest = fmax(largest, s->rest[i]);
    }
    if (!isfinite(largest))
        return RS_NOT_FINITE;
    const int most = rs_min_int(s->n, s->d);
    for (s->rank = 0; s->rank < most; s->rank++) {
        const int p = furthest(s, RS_ROWSPACE_TOL * largest);
        if (p < 0)
            break;
        s->pivot[s->rank] = p;
        add_column(s, K, p);
        RS_TRY(rs_poll(s->ctx));
    }
    for (int c = 0; c < s->rank; c++)
        for (int i = 0; i < s->rank; i++)
            s->R[c + (size_t)i * s->rank] =
                i >= c ? s->L[s->pivot[i] + (size_t)c * s->n] : 0.0;
    return RS_OK;
}

/* basis <- R'^{-1} basis */
static rs_status divide(search *s, rs_row_space *space)
{
    const int r = s->rank;
    const int step = rs_columns_per_call(r, r, s->d);
    for (int j = 0; j < s->d; j += step) {
        rs_triangular_solve('L', 'T', r, rs_min_int(step, s->d - j), s->R, r,
                            space->basis + (size_t)j * r, r);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* the samples that were taken, made orthonormal by their factor */
static rs_status first_basis(search *s, rs_row_space *space)
{
    const int r = s->rank;
    for (int j = 0; j < s->d; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, s->d - j);
        RS_TRY(rs_data_column_range(s->X, j, width, s->panel));
        for (int c = 0; c < width; c++)
            for (int i = 0; i < r; i++)
                space->basis[i + (size_t)(j + c) * r] =
                    s->panel[s->pivot[i] + (size_t)c * s->n];
        RS_TRY(rs_poll(s->ctx));
    }
    return divide(s, space);
}

/* once more, by the Gram matrix of the basis itself: the first factor is as
 * accurate as ZZ' is well conditioned */
static rs_status refine(search *s, rs_row_space *space)
{
    const int r = s->rank, step = rs_columns_per_call(r, r, s->d);
    rs_fill((size_t)r * r, 0.0, s->R);
    for (int j = 0; j < s->d; j += step) {
        rs_syrk_add(r, rs_min_int(step, s->d - j),
                    space->basis + (size_t)j * r, r, s->R);
        RS_TRY(rs_poll(s->ctx));
    }
    RS_TRY(rs_cholesky_polled(s->ctx, r, s->R));
    return divide(s, space);
}

/* coordinates = Z V */
static rs_status project(search *s, rs_row_space *space)
{
    const int n = s->n, r = s->rank;
    for (int j = 0; j < s->d; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, s->d - j);
        RS_TRY(rs_data_column_range(s->X, j, width, s->panel));
        rs_gemm('N', 'T', n, r, width, 1.0, s->panel, n,
                space->basis + (size_t)j * r, r, j > 0 ? 1.0 : 0.0,
                space->coordinates, n);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

rs_status rs_row_space_find(rs_context *ctx, const rs_data *X,
                            rs_row_space *space)
{
    const size_t n = (size_t)X->n;
    search s = {.ctx = ctx, .X = X, .n = X->n, .d = X->d};
    double *K;
    RS_ALLOC_DOUBLES(ctx, n * n, &K, &s.L, &s.R);
    s.pivot = rs_alloc_int(ctx, n);
    s.rest = rs_alloc_double(ctx, n);
    s.panel = rs_alloc_double(ctx, n * RS_PANEL);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_gram_samples(X, NULL, K));
    RS_TRY(factor(&s, K));
    if (s.rank < 1)
        return RS_BAD_INPUT;
    space->rank = s.rank;
    space->basis = rs_alloc_double(ctx, (size_t)s.rank * s.d);
    space->coordinates = rs_alloc_double(ctx, n * s.rank);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(first_basis(&s, space));
    RS_TRY(refine(&s, space));
    return project(&s, space);
}
