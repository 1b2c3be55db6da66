#include "method/spca_psd/centre.h"

#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/median.h"

/*
 * For a given Omega v = (I - Omega) c is best at the geometric median of the rows
 * u_i of Xc (I - Omega), a mixture v = sum_i w_i u_i of them, and c is the same
 * mixture of the samples. The smoothing of the median narrows from step to step;
 * as the median may be one of the rows, those next to its end are tried
 * themselves.
 */

#define RS_CENTRE_WIDEST 1e-2 /* first smoothing, of the mean squared norm, */
#define RS_CENTRE_NARROWING 1e-3
#define RS_CENTRE_ROUNDS 7
#define RS_CENTRE_ROWS 64 /* rows that are tried */

typedef struct {
    int n, q;
    const double *U;    /* n x q: the rows u_i */
    double *w, *best;   /* n: the mixture, and the best so far */
    double *v, *square; /* q; n: squares of the distances from v */
    double *near;       /* n: the same at the end of the iteration */
    double value;       /* at best */
} mixtures;

/* v = sum_i w_i u_i and the squares, kept where their roots' sum is the least */
static void try_mixture(mixtures *s)
{
    const int n = s->n;
    double sum = 0.0;
    rs_gemv('T', n, s->q, 1.0, s->U, n, s->w, 0.0, s->v);
    rs_fill((size_t)n, 0.0, s->square);
    for (int a = 0; a < s->q; a++) {
        const double *u = s->U + (size_t)a * n;
        for (int i = 0; i < n; i++)
            s->square[i] += (u[i] - s->v[a]) * (u[i] - s->v[a]);
    }
    for (int i = 0; i < n; i++)
        sum += sqrt(s->square[i]);
    if (sum < s->value) {
        s->value = sum;
        rs_copy((size_t)n, s->w, s->best);
    }
}

/* the median, for less and less smoothing */
static rs_status try_median(const rs_spca *pr, double mean, mixtures *s)
{
    const size_t n = (size_t)s->n;
    double floor = RS_CENTRE_WIDEST * mean * mean;
    rs_median median;
    RS_TRY(rs_median_init(pr->ctx, s->n, s->q, &median));
    rs_copy(n * s->q, s->U, median.R);
    for (int k = 0; k < RS_CENTRE_ROUNDS; k++) {
        RS_TRY(rs_median_find(floor, &median));
        rs_copy(n, median.t, s->w);
        rs_scale(n, 1.0 / median.total, s->w);
        try_mixture(s);
        floor *= RS_CENTRE_NARROWING;
    }
    return RS_OK;
}

/* the rows next to where the iteration ended */
static rs_status try_rows(const rs_spca *pr, mixtures *s)
{
    const int n = s->n;
    rs_copy((size_t)n, s->square, s->near);
    for (int k = 0; k < RS_CENTRE_ROWS && k < n; k++) {
        int row = 0;
        for (int i = 1; i < n; i++)
            if (s->near[i] < s->near[row])
                row = i;
        s->near[row] = INFINITY;
        rs_fill((size_t)n, 0.0, s->w);
        s->w[row] = 1.0;
        try_mixture(s);
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

rs_status rs_spca_best_centre(const rs_spca *pr, int q, const double *U,
                              double *residual_square, rs_spca_centre *centre)
{
    const size_t n = (size_t)pr->n;
    mixtures s = {.n = pr->n, .q = q, .U = U, .value = INFINITY};
    double before = 0.0;
    RS_ALLOC_DOUBLES(pr->ctx, n, &s.w, &s.best, &s.square, &s.near);
    s.v = rs_alloc_double(pr->ctx, (size_t)q);
    RS_TRY(rs_allocated(pr->ctx));
    for (size_t i = 0; i < n; i++)
        before += sqrt(residual_square[i]);
    if (!(before > 0.0))
        return RS_OK;
    RS_TRY(try_median(pr, before / pr->n, &s));
    RS_TRY(try_rows(pr, &s));
    if (!(s.value < before))
        return RS_OK;
    rs_copy(n, s.best, s.w);
    try_mixture(&s);
    rs_copy(n, s.square, residual_square);
    return rs_spca_set_centre(pr, s.best, centre);
}

/* U (n x n) with U U' = R R', from some columns of R at a time */
static rs_status root_of_residuals(const rs_spca *pr, const rs_spca_point *at,
                                   double *U)
{
    const int n = pr->n;
    rs_eigen_ws eigen;
    double *K = rs_alloc_double(pr->ctx, (size_t)n * n);
    double *values = rs_alloc_double(pr->ctx, (size_t)n);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_eigen_init(pr->ctx, n, &eigen));
    rs_fill((size_t)n * n, 0.0, K);
    for (int j = 0; j < pr->d; j += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, pr->d - j);
        RS_TRY(rs_spca_residual_panel(pr, at, j, width, pr->panel));
        rs_syrk_add(n, width, pr->panel, n, K);
        RS_TRY(rs_poll(pr->ctx));
    }
    rs_mirror_upper(n, K);
    RS_TRY(rs_eigen_largest(n, K, n, values, U, &eigen));
    for (int i = 0; i < n; i++)
        rs_scale((size_t)n, sqrt(fmax(values[i], 0.0)), U + (size_t)n * i);
    return rs_poll(pr->ctx);
}

rs_status rs_spca_centre_point(const rs_spca *pr, rs_spca_point *at,
                               rs_spca_fit *fit)
{
    if (!pr->adaptive)
        return RS_OK;
    const int q = rs_min_int(pr->n, pr->d);
    double *U = rs_alloc_double(pr->ctx, (size_t)pr->n * q);
    RS_TRY_ALLOC(U);
    RS_TRY(pr->n > pr->d ? rs_spca_residuals(pr, at, U)
                         : root_of_residuals(pr, at, U));
    RS_TRY(rs_spca_best_centre(pr, q, U, at->residual_square, &at->centre));
    RS_TRY(rs_spca_measure(pr, at));
    fit->objective = rs_spca_objective(pr, &rs_spca_unsmoothed, at);
    return RS_OK;
}
