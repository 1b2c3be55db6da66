#include <math.h>

#include "la/linalg.h"
#include "method/spca_model.h"
#include "solve/reweight.h"

/*
 * The best centre for a given Omega: v is the geometric median of the rows u_i
 * of Xc (I - Omega), a mixture v = sum_i w_i u_i of them. Everything follows from
 * the Gram matrix K of the residuals for any centre: with q = K w,
 *
 *   ||u_i - v||^2 = k_ii - 2 q_i + w'q.
 *
 * Weiszfeld's iteration w_i ~ 1 / ||u_i - v|| descends; it is slow towards a
 * median that is one of the rows, which are therefore tried themselves.
 */

#define RS_CENTRE_STEPS 2000

typedef struct {
    int n;
    double *K, *w, *best, *q, *square;
    double value; /* at best */
} median_state;

/* squares of the distances for the weights s->w; their roots' sum */
static double distances(median_state *s)
{
    const int n = s->n;
    rs_gemv('N', n, n, 1.0, s->K, n, s->w, 0.0, s->q);
    double constant = rs_dot((size_t)n, s->w, s->q), sum = 0.0;
    for (int i = 0; i < n; i++) {
        double own = s->K[i + (size_t)i * n];
        s->square[i] = fmax(own - 2.0 * s->q[i] + constant, 0.0);
        sum += sqrt(s->square[i]);
    }
    if (sum < s->value) {
        s->value = sum;
        rs_copy((size_t)n, s->w, s->best);
    }
    return sum;
}

/* the row that is nearest to all others */
static void try_rows(median_state *s)
{
    const int n = s->n;
    for (int i = 0; i < n; i++) {
        double sum = 0.0, own = s->K[i + (size_t)i * n];
        for (int j = 0; j < n; j++) {
            double other = s->K[j + (size_t)j * n];
            double square = own + other - 2.0 * s->K[j + (size_t)i * n];
            sum += sqrt(fmax(square, 0.0));
        }
        if (sum >= s->value)
            continue;
        s->value = sum;
        rs_fill((size_t)n, 0.0, s->best);
        s->best[i] = 1.0;
    }
}

/* w_i ~ 1 / ||u_i - v||, from s->w on, until the sum falls no more */
static rs_status weiszfeld(rs_spca *pr, median_state *s)
{
    const int n = s->n;
    double last = distances(s);
    for (int k = 0; k < RS_CENTRE_STEPS; k++) {
        double total = 0.0, floor = 1e-30 * last * last;
        if (!(last > 0.0))
            return RS_OK;
        for (int i = 0; i < n; i++) {
            s->w[i] = 2.0 * rs_reweight(s->square[i], floor, 1.0);
            total += s->w[i];
        }
        rs_scale((size_t)n, 1.0 / total, s->w);
        double now = distances(s);
        if (!(now < last * (1.0 - 1e-14)))
            return RS_OK;
        last = now;
        if (k % 50 == 49)
            RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

rs_status rs_spca_best_centre(rs_spca *pr, double *K, double *residual_square)
{
    const size_t n = (size_t)pr->n;
    median_state s = {.n = pr->n, .K = K, .value = INFINITY};
    s.w = rs_alloc_double(pr->ctx, n);
    s.best = rs_alloc_double(pr->ctx, n);
    s.q = rs_alloc_double(pr->ctx, n);
    s.square = rs_alloc_double(pr->ctx, n);
    RS_TRY(rs_allocated(pr->ctx));
    double before = 0.0;
    for (size_t i = 0; i < n; i++) {
        before += sqrt(residual_square[i]);
        s.w[i] = 1.0 / (double)n;
    }
    RS_TRY(weiszfeld(pr, &s));
    try_rows(&s);
    if (!(s.value < before))
        return RS_OK;
    rs_copy(n, s.best, s.w);
    distances(&s);
    rs_copy(n, s.square, residual_square);
    /* v = (I - Omega) c for the same mixture c of the samples */
    return rs_spca_set_centre(pr, s.best);
}

/* K = R R', some columns of R = Xt - A F' at a time */
static rs_status gram_of_residuals(rs_spca *pr, const rs_spca_point *at,
                                   double *K)
{
    const int n = pr->n, d = pr->d;
    rs_fill((size_t)n * n, 0.0, K);
    for (int j = 0; j < d; j += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, d - j);
        rs_spca_panel(pr, j, width);
        if (at->r > 0)
            rs_gemm('N', 'T', n, width, at->r, -1.0, at->A, n, at->F + j, d,
                    1.0, pr->panel, n);
        rs_syrk_add(n, width, pr->panel, n, K);
        RS_TRY(rs_poll(pr->ctx));
    }
    rs_mirror_upper(n, K);
    return RS_OK;
}

rs_status rs_spca_centre_point(rs_spca *pr, rs_spca_point *at,
                               rs_spca_fit *fit)
{
    const rs_spca_floors none = {0.0, 0.0};
    if (!pr->adaptive)
        return RS_OK;
    double *K = rs_alloc_double(pr->ctx, (size_t)pr->n * pr->n);
    RS_TRY_ALLOC(K);
    RS_TRY(gram_of_residuals(pr, at, K));
    RS_TRY(rs_spca_best_centre(pr, K, at->residual_square));
    RS_TRY(rs_spca_measure(pr, at));
    fit->objective = rs_spca_objective(pr, &none, at);
    return RS_OK;
}
