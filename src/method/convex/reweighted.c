#include "method/convex/convex.h"

#include <float.h>
#include <math.h>

/*
 * The published smoothing and ridge leave the objective itself some per cent
 * above its minimum if the penalties matter. Without the cone the iteration
 * therefore begins with them, and when it would end goes on with smaller ones: from
 * 1e-3 to 1e-6 for rows, from 1e-6 to 1e-8 of the mean for residuals.
 */
#define RS_PLAIN_LEVELS 3
/* so many of the last values show that only rounding moves the objective */
#define RS_STALL_WINDOW 50
#define RS_STALL_TURNS 10

/* column norms are smoothed by machine epsilon (||R||^2) or 1e-3, residual norms
 * and the diagonal by small multiples of their mean */
static rs_status init(const rs_spca *pr, const rs_spca_settings *set,
                      rs_spca_point *at, rs_spca_fit *fit, rs_reweighted *s)
{
    const int squares = pr->loss == RS_LOSS_FROBENIUS;
    double mean = 0.0; /* of the diagonal of S_T at Omega = 0 */
    for (int i = 0; i < pr->n; i++)
        mean += squares ? pr->data_square[i] : 0.5 * sqrt(pr->data_square[i]);
    *s = (rs_reweighted){.pr = pr, .set = set, .at = at, .fit = fit};
    s->ridge = (squares ? 5e-5 : 3e-4) * mean / pr->d;
    s->floors.column = squares ? DBL_EPSILON : 1e-3;
    s->floors.residual = 1e-6 * pr->trace / pr->n;
    s->c = rs_alloc_double(pr->ctx, (size_t)pr->d);
    RS_TRY_ALLOC(s->c);
    fit->iterations = fit->inner_iterations = 0;
    fit->bound = fit->margin = fit->lowest = fit->kkt = NAN;
    return rs_history_init(pr->ctx, set->maxit + 1, &fit->history);
}

/* unit weights D = 2; t = 2, or 1/||x_i|| for the l21 loss with centre 0 */
static void unit_weights(rs_reweighted *s)
{
    const rs_spca *pr = s->pr;
    rs_spca_point *at = s->at;
    rs_copy((size_t)pr->n, pr->data_square, at->residual_square);
    rs_fill((size_t)pr->d, 0.0, at->column_square);
    rs_spca_weights(pr, &s->floors, at);
    rs_fill((size_t)pr->d, 2.0, at->D);
    if (pr->adaptive)
        rs_fill((size_t)pr->n, 2.0, at->t);
}

/* the point has been measured: its weights, and its objective is the first */
static void record_start(rs_reweighted *s)
{
    rs_spca_weights(s->pr, &s->floors, s->at);
    rs_history_add(&s->fit->history,
                   rs_spca_objective(s->pr, &rs_spca_unsmoothed, s->at));
}

/* rises and falls in turn, or no change at all, at the present smoothing */
static int has_stalled(const rs_reweighted *s)
{
    int rises = 0, falls = 0;
    if (s->steps <= RS_STALL_WINDOW)
        return 0;
    const rs_history *history = &s->fit->history;
    const double *f = history->objective + history->count - RS_STALL_WINDOW;
    for (int k = 0; k < RS_STALL_WINDOW; k++) {
        rises += f[k] >= f[k - 1];
        falls += f[k] <= f[k - 1];
    }
    return rises >= RS_STALL_TURNS && falls >= RS_STALL_TURNS;
}

/* one iteration, with the weights after it; RS_MAXIT: it goes on */
static rs_status take_step(rs_reweighted *s, rs_spca_cone *cone,
                           rs_spca_plain *plain)
{
    rs_history *history = &s->fit->history;
    rs_status status = RS_MAXIT;
    RS_TRY(rs_spca_set_centre(s->pr, s->at));
    for (int j = 0; j < s->pr->d; j++)
        s->c[j] = 0.5 * s->pr->lambda * s->at->D[j] + s->ridge;
    RS_TRY(cone ? rs_spca_cone_step(s, cone) : rs_spca_plain_step(s, plain));
    s->fit->objective = rs_spca_objective(s->pr, &rs_spca_unsmoothed, s->at);
    if (!isfinite(s->fit->objective))
        return RS_NOT_FINITE;
    rs_history_add(history, s->fit->objective);
    s->fit->iterations++;
    s->steps++;
    if (rs_history_change(history, 0.0) < s->set->tol)
        status = RS_OK;
    else if (has_stalled(s))
        status = RS_STALLED;
    if (status != RS_MAXIT && s->levels > 0) {
        status = RS_MAXIT;
        s->steps = 0;
        s->levels--;
        s->ridge *= 0.2;
        s->floors.column *= 0.1;
        s->floors.residual *= 0.2;
        rs_spca_plain_refine(s, plain);
    }
    rs_spca_weights(s->pr, &s->floors, s->at);
    RS_TRY(rs_poll(s->pr->ctx));
    return status;
}

static rs_status iterate(rs_reweighted *s, rs_spca_cone *cone,
                         rs_spca_plain *plain)
{
    rs_status status = RS_MAXIT;
    while (status == RS_MAXIT && s->fit->iterations < s->set->maxit)
        status = take_step(s, cone, plain);
    return status;
}

/* ---- the best centre for the last Omega ---------------------------------------- */

/*
 * R c' is best at the geometric median v of the rows u_i of Xc (I - Omega), by
 * Weiszfeld's iteration with less and less smoothing; the median may be one of
 * the rows.
 */
#define RS_CENTRE_STEPS 200
#define RS_CENTRE_TOL 1e-10
#define RS_CENTRE_NARROWING 1e-2

/* R (n x q) -= 1 v'; the squares of its rows, kept in `best` if the sum of their
 * roots is the least; *value is that, *last the sum itself */
static void shift_rows(int n, int q, const double *v, double *R,
                       double *square, double *best, double *value,
                       double *last)
{
    for (int a = 0; a < q; a++)
        for (int i = 0; i < n; i++)
            R[i + (size_t)a * n] -= v[a];
    rs_row_squares(n, q, R, square);
    *last = rs_smoothed_sum((size_t)n, square, 0.0, 1.0);
    if (*last < *value) {
        *value = *last;
        rs_copy((size_t)n, square, best);
    }
}

/* R (n x q): the residuals, in any orthonormal basis; the last objective becomes
 * that with the best centre */
static rs_status finish_centre(rs_reweighted *s, int q, double *R)
{
    const int n = s->pr->n;
    double *best = s->at->residual_square, *square, *t, *v;
    double value = rs_smoothed_sum((size_t)n, best, 0.0, 1.0), last = value;
    double floor = 1e-2 * value * value / ((double)n * n);
    RS_ALLOC_DOUBLES(s->pr->ctx, (size_t)n, &square, &t);
    v = rs_alloc_double(s->pr->ctx, (size_t)q);
    RS_TRY(rs_allocated(s->pr->ctx));
    rs_copy((size_t)n, best, square);
    for (int k = 0; k < RS_CENTRE_STEPS && value > 0.0; k++) {
        const double before = last;
        double total = 0.0;
        rs_reweight_all((size_t)n, square, floor, 1.0, t);
        for (int i = 0; i < n; i++)
            total += t[i];
        rs_gemv('T', n, q, 1.0 / total, R, n, t, 0.0, v);
        shift_rows(n, q, v, R, square, best, &value, &last);
        if (fabs(last - before) <= RS_CENTRE_TOL * before)
            floor *= RS_CENTRE_NARROWING;
        RS_TRY(rs_poll(s->pr->ctx));
    }
    int row = 0;
    for (int i = 1; i < n; i++)
        if (square[i] < square[row])
            row = i;
    for (int a = 0; a < q; a++)
        v[a] = R[row + (size_t)a * n];
    shift_rows(n, q, v, R, square, best, &value, &last);
    s->fit->objective = rs_spca_objective(s->pr, &rs_spca_unsmoothed, s->at);
    rs_history_replace(&s->fit->history, s->fit->objective);
    return RS_OK;
}

/* ---- the two models --------------------------------------------------------------- */

rs_status rs_spca_on_cone(const rs_spca *pr, const rs_spca_settings *set,
                          int r, const double *start, rs_spca_point *at,
                          rs_spca_fit *fit, int *is_dense)
{
    rs_reweighted s;
    rs_spca_cone cone;
    RS_TRY(rs_spca_point_init(pr, rs_max_int(r, 1), at));
    RS_TRY(init(pr, set, at, fit, &s));
    if (r > 0) {
        RS_TRY(rs_spca_point_set(pr, r, NULL, start, at));
        RS_TRY(rs_spca_measure(pr, at));
        record_start(&s);
    } else {
        unit_weights(&s);
    }
    RS_TRY(rs_spca_cone_init(&s, &cone));
    *is_dense = s.is_dense;
    const rs_status status = iterate(&s, &cone, NULL);
    if (!pr->adaptive || !rs_is_usable(status))
        return status;
    double *R = rs_alloc_double(pr->ctx, (size_t)pr->n * pr->d);
    RS_TRY_ALLOC(R);
    RS_TRY(rs_spca_residuals(pr, at, R));
    RS_TRY(finish_centre(&s, pr->d, R));
    return status;
}

/* the squares and the trace of W = diag(w) */
static rs_status measure_diagonal(rs_reweighted *s, const double *w)
{
    rs_spca_point *at = s->at;
    double *rest = at->D; /* (1 - w_j)^2: row squares of Xc (I - diag(w)) */
    for (int j = 0; j < s->pr->d; j++) {
        at->column_square[j] = w[j] * w[j];
        at->trace += w[j];
        rest[j] = (1.0 - w[j]) * (1.0 - w[j]);
    }
    return rs_data_row_squares(s->pr->X, rest, at->residual_square);
}

rs_status rs_spca_without_cone(const rs_spca *pr, const rs_spca_settings *set,
                               const double *start, rs_spca_point *at,
                               rs_spca_plain *plain, rs_spca_fit *fit)
{
    rs_reweighted s;
    RS_TRY(rs_spca_point_init(pr, 1, at));
    RS_TRY(init(pr, set, at, fit, &s));
    s.levels = pr->loss == RS_LOSS_FROBENIUS ? 0 : RS_PLAIN_LEVELS;
    if (start) {
        RS_TRY(measure_diagonal(&s, start));
        record_start(&s);
    } else {
        unit_weights(&s);
    }
    RS_TRY(rs_spca_plain_init(&s, start, plain));
    const rs_status status = iterate(&s, NULL, plain);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(rs_spca_plain_stationarity(&s, plain, &fit->kkt));
    if (pr->adaptive)
        RS_TRY(finish_centre(&s, plain->q, plain->R));
    return status;
}
