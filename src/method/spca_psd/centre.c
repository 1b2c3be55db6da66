#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/model.h"
#include "solve/reweight.h"

/*
 * The best centre for a given Omega: v is the geometric median of the rows u_i
 * of Xc (I - Omega), a mixture v = sum_i w_i u_i of them. Their coordinates in
 * any orthonormal basis, from any origin, will do.
 *
 * Weiszfeld's iteration w_i ~ 1 / ||u_i - v|| descends; it is slow towards a
 * median that is one of the rows, so that the rows near its end are tried
 * themselves.
 */

#define RS_CENTRE_STEPS 2000
#define RS_CENTRE_ROWS 64 /* rows that are tried */

typedef struct {
    int n, q;
    const double *U;               /* n x q: the rows u_i */
    double *w, *best, *v, *square; /* v: q, else n */
    double *near;                  /* n: squares at the end of the iteration */
    double value;                  /* at best */
} median_state;

/* squares of the distances from v; their roots' sum */
static double distances(median_state *s)
{
    const int n = s->n;
    double sum = 0.0;
    rs_fill((size_t)n, 0.0, s->square);
    for (int a = 0; a < s->q; a++) {
        const double *u = s->U + (size_t)a * n;
        for (int i = 0; i < n; i++) {
            double apart = u[i] - s->v[a];
            s->square[i] += apart * apart;
        }
    }
    for (int i = 0; i < n; i++)
        sum += sqrt(s->square[i]);
    return sum;
}

/* v = sum_i w_i u_i, kept where it is the best so far; the sum there */
static double mixture(median_state *s)
{
    rs_gemv('T', s->n, s->q, 1.0, s->U, s->n, s->w, 0.0, s->v);
    double sum = distances(s);
    if (sum < s->value) {
        s->value = sum;
        rs_copy((size_t)s->n, s->w, s->best);
    }
    return sum;
}

/* the rows next to where the iteration ended */
static rs_status try_rows(rs_spca *pr, median_state *s)
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
        mixture(s);
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

/* w_i ~ 1 / ||u_i - v||, from s->w on, until the sum falls no more */
static rs_status weiszfeld(rs_spca *pr, median_state *s)
{
    const int n = s->n;
    double last = mixture(s);
    for (int k = 0; k < RS_CENTRE_STEPS; k++) {
        double total = 0.0, floor = 1e-30 * last * last;
        if (!(last > 0.0))
            return RS_OK;
        for (int i = 0; i < n; i++) {
            s->w[i] = 2.0 * rs_reweight(s->square[i], floor, 1.0);
            total += s->w[i];
        }
        rs_scale((size_t)n, 1.0 / total, s->w);
        double now = mixture(s);
        if (!(now < last * (1.0 - 1e-14)))
            return RS_OK;
        last = now;
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

rs_status rs_spca_best_centre(rs_spca *pr, int q, const double *U,
                              double *residual_square)
{
    const size_t n = (size_t)pr->n;
    median_state s = {.n = pr->n, .q = q, .U = U, .value = INFINITY};
    s.w = rs_alloc_double(pr->ctx, n);
    s.best = rs_alloc_double(pr->ctx, n);
    s.v = rs_alloc_double(pr->ctx, (size_t)q);
    s.square = rs_alloc_double(pr->ctx, n);
    s.near = rs_alloc_double(pr->ctx, n);
    RS_TRY(rs_allocated(pr->ctx));
    double before = 0.0;
    for (size_t i = 0; i < n; i++) {
        before += sqrt(residual_square[i]);
        s.w[i] = 1.0 / (double)n;
    }
    RS_TRY(weiszfeld(pr, &s));
    RS_TRY(try_rows(pr, &s));
    if (!(s.value < before))
        return RS_OK;
    rs_copy(n, s.best, s.w);
    mixture(&s);
    rs_copy(n, s.square, residual_square);
    /* v = (I - Omega) c for the same mixture c of the samples */
    return rs_spca_set_centre(pr, s.best);
}

/* columns from .. of R = Xt - A F' into pr->panel */
static void residual_panel(rs_spca *pr, const rs_spca_point *at, int from,
                           int width)
{
    const int n = pr->n;
    rs_spca_panel(pr, from, width);
    if (at->r > 0)
        rs_gemm('N', 'T', n, width, at->r, -1.0, at->A, n, at->F + from, pr->d,
                1.0, pr->panel, n);
}

/* U = R, n x d */
static rs_status all_residuals(rs_spca *pr, const rs_spca_point *at, double *U)
{
    for (int j = 0; j < pr->d; j += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, pr->d - j);
        residual_panel(pr, at, j, width);
        rs_copy((size_t)pr->n * width, pr->panel, U + (size_t)pr->n * j);
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

/* U (n x n) with U U' = R R', from some columns of R at a time */
static rs_status root_of_residuals(rs_spca *pr, const rs_spca_point *at,
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
        int width = rs_min_int(RS_PANEL, pr->d - j);
        residual_panel(pr, at, j, width);
        rs_syrk_add(n, width, pr->panel, n, K);
        RS_TRY(rs_poll(pr->ctx));
    }
    rs_mirror_upper(n, K);
    RS_TRY(rs_eigen_largest(n, K, n, values, U, &eigen));
    for (int i = 0; i < n; i++)
        rs_scale((size_t)n, sqrt(fmax(values[i], 0.0)), U + (size_t)n * i);
    return rs_poll(pr->ctx);
}

rs_status rs_spca_centre_point(rs_spca *pr, rs_spca_point *at,
                               rs_spca_fit *fit)
{
    const rs_spca_floors none = {0.0, 0.0};
    if (!pr->adaptive)
        return RS_OK;
    const int q = rs_min_int(pr->n, pr->d);
    double *U = rs_alloc_double(pr->ctx, (size_t)pr->n * q);
    RS_TRY_ALLOC(U);
    RS_TRY(pr->n > pr->d ? all_residuals(pr, at, U)
                         : root_of_residuals(pr, at, U));
    RS_TRY(rs_spca_best_centre(pr, q, U, at->residual_square));
    RS_TRY(rs_spca_measure(pr, at));
    fit->objective = rs_spca_objective(pr, &none, at);
    return RS_OK;
}
