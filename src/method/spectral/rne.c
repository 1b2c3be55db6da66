#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"

/* steps of the power iteration for the norm of B */
#define RS_RNE_POWERS 20

typedef struct {
    const rs_data *X;
    const rs_graph *R;
    const rs_rne_settings *set;
    int n, d, k;
    double g;
    double bound;                          /* of B'B, about */
    double *H, *D, *G, *last_G;            /* d x k */
    double *BH, *BD, *M, *Y, *V, *scratch; /* n x k */
    double *E; /* k x k: H'H - I, then sym H'D and D'D */
} rne_state;

/* ---- products with B ------------------------------------------------------------- */

/* out = (I - R) in, or (I - R') in */
static void take_neighbours(const rne_state *s, int transposed,
                            const double *in, double *out)
{
    const rs_graph *R = s->R;
    const size_t n = (size_t)s->n;
    rs_copy(n * s->k, in, out);
    for (int c = 0; c < s->k; c++, in += n, out += n)
        for (int i = 0; i < s->n; i++)
            for (size_t a = R->start[i]; a < R->start[i + 1]; a++) {
                const int j = R->index[a];
                if (transposed)
                    out[j] -= R->weight[a] * in[i];
                else
                    out[i] -= R->weight[a] * in[j];
            }
}

/* out (n x k) = B W */
static rs_status times(rne_state *s, const double *W, double *out)
{
    const double *mean = s->set->mean;
    RS_TRY(rs_data_times(s->X, s->k, W, s->scratch));
    for (int c = 0; c < s->k && mean; c++) {
        const double shift = rs_dot((size_t)s->d, mean, W + (size_t)c * s->d);
        for (int i = 0; i < s->n; i++)
            s->scratch[i + (size_t)c * s->n] += shift;
    }
    take_neighbours(s, mean != NULL, s->scratch, out);
    return rs_poll(s->X->ctx);
}

/* W (d x k) = B'U */
static rs_status times_transposed(rne_state *s, const double *U, double *W)
{
    const double *mean = s->set->mean;
    take_neighbours(s, mean == NULL, U, s->scratch);
    RS_TRY(rs_data_crossprod(s->X, s->k, s->scratch, W));
    for (int c = 0; c < s->k && mean; c++)
        rs_axpy((size_t)s->d, rs_sum(s->n, s->scratch + (size_t)c * s->n),
                mean, W + (size_t)c * s->d);
    return rs_poll(s->X->ctx);
}

/* ---- objectives -------------------------------------------------------------------- */

/* E = H'H - I */
static void update_E(rne_state *s)
{
    rs_gram(s->d, s->k, s->H, s->E);
    for (int c = 0; c < s->k; c++)
        s->E[c + (size_t)c * s->k] -= 1.0;
}

static double objective(const rne_state *s)
{
    return rs_sum_moduli((size_t)s->n * s->k, s->BH) +
           0.25 * s->set->alpha * rs_sum_squares((size_t)s->k * s->k, s->E);
}

/* G = g B'(BH - V) + alpha H (H'H - I) */
static rs_status gradient(rne_state *s, double *G)
{
    const size_t length = (size_t)s->n * s->k;
    rs_subtract(length, s->BH, s->V, s->BD);
    rs_scale(length, s->g, s->BD);
    RS_TRY(times_transposed(s, s->BD, G));
    return rs_gemm_polled(s->X->ctx, 'N', 'N', s->d, s->k, s->k, s->set->alpha,
                          s->H, s->d, s->E, s->k, 1.0, G, s->d);
}

/* coefficients of t, ..., t^4 of what the step H + t D changes in
 * (g / 2) ||BH - V||^2 + (alpha / 4) ||H'H - I||^2 */
static void change_along(rne_state *s, double *coefficient)
{
    const size_t length = (size_t)s->n * s->k, square = (size_t)s->k * s->k;
    const double alpha = s->set->alpha;
    double *HD = s->E + square, *DD = HD + square, slope = 0.0;
    for (size_t at = 0; at < length; at++)
        slope += (s->BH[at] - s->V[at]) * s->BD[at];
    rs_crossprod(s->d, s->k, s->k, s->H, s->D, HD);
    rs_symmetrise(s->k, HD);
    rs_gram(s->d, s->k, s->D, DD);
    /* E + 2 t HD + t^2 DD */
    coefficient[0] = s->g * slope + alpha * rs_dot(square, s->E, HD);
    coefficient[1] = 0.5 * s->g * rs_sum_squares(length, s->BD) +
                     0.25 * alpha *
                         (4.0 * rs_sum_squares(square, HD) +
                          2.0 * rs_dot(square, s->E, DD));
    coefficient[2] = alpha * rs_dot(square, HD, DD);
    coefficient[3] = 0.25 * alpha * rs_sum_squares(square, DD);
}

static double slope_at(const double *coefficient, double t)
{
    return coefficient[0] +
           t * (2.0 * coefficient[1] +
                t * (3.0 * coefficient[2] + t * 4.0 * coefficient[3]));
}

/* a minimum of the polynomial on [0, 1]; 0 where it does not fall */
static double step_length(const double *coefficient)
{
    double low = 0.0, high = 1.0;
    if (!(coefficient[0] < 0.0))
        return 0.0;
    if (slope_at(coefficient, high) <= 0.0)
        return high;
    for (int half = 0; half < RS_INNER_STEPS; half++) {
        const double t = 0.5 * (low + high);
        if (slope_at(coefficient, t) < 0.0)
            low = t;
        else
            high = t;
    }
    return low;
}

/* ---- steps ----------------------------------------------------------------------------- */

/* D = (H - step G)_+ - H */
static void set_direction(rne_state *s, double step)
{
    for (size_t at = 0; at < (size_t)s->d * s->k; at++)
        s->D[at] = fmax(s->H[at] - step * s->G[at], 0.0) - s->H[at];
}

/* ||s||^2 / s'y for s = t D and the change y of the gradient */
static double next_step(const rne_state *s, double t, double step)
{
    double inner = 0.0, square = 0.0;
    for (size_t at = 0; at < (size_t)s->d * s->k; at++) {
        const double move = t * s->D[at];
        square += move * move;
        inner += move * (s->G[at] - s->last_G[at]);
    }
    if (!(inner > 0.0))
        return 10.0 * step;
    return fmin(fmax(square / inner, 1e-3 * step), 1e3 * step);
}

/* H by projected gradient at the present M, Y and g */
static rs_status update_H(rne_state *s)
{
    const size_t size = (size_t)s->d * s->k, length = (size_t)s->n * s->k;
    double step = 1.0 / (s->g * s->bound + 2.0 * s->set->alpha);
    double coefficient[4];
    rs_copy(length, s->M, s->V);
    rs_axpy(length, 1.0 / s->g, s->Y, s->V);
    RS_TRY(gradient(s, s->G));
    for (int it = 0; it < s->set->inner_maxit; it++) {
        set_direction(s, step);
        if (rs_norm(size, s->D) <= s->set->inner_tol * rs_norm(size, s->H))
            break;
        RS_TRY(times(s, s->D, s->BD));
        change_along(s, coefficient);
        const double t = step_length(coefficient);
        if (t == 0.0)
            break;
        rs_axpy(size, t, s->D, s->H);
        rs_axpy(length, t, s->BD, s->BH);
        for (size_t at = 0; at < size; at++)
            s->H[at] = fmax(s->H[at], 0.0);
        update_E(s);
        rs_copy(size, s->G, s->last_G);
        RS_TRY(gradient(s, s->G));
        step = next_step(s, t, step);
    }
    return times(s, s->H, s->BH);
}

/* M = soft(BH - Y / g, 1 / g), Y += g (M - BH); ||M - BH|| / ||BH|| */
static double update_M(rne_state *s)
{
    const size_t length = (size_t)s->n * s->k;
    const double least = 1.0 / s->g, size = rs_norm(length, s->BH);
    for (size_t at = 0; at < length; at++) {
        const double value = s->BH[at] - s->Y[at] / s->g;
        s->M[at] = copysign(fmax(fabs(value) - least, 0.0), value);
        s->Y[at] += s->g * (s->M[at] - s->BH[at]);
    }
    return size > 0.0 ? rs_distance(length, s->M, s->BH) / size : 0.0;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* the largest eigenvalue of B'B, about, by powers of it */
static rs_status estimate_bound(rne_state *s)
{
    const size_t d = (size_t)s->d;
    rs_copy(d * s->k, s->H, s->D);
    for (int power = 0; power < RS_RNE_POWERS; power++) {
        RS_TRY(times(s, s->D, s->BD));
        RS_TRY(times_transposed(s, s->BD, s->D));
        for (int c = 0; c < s->k; c++)
            s->bound = fmax(s->bound, rs_norm(d, s->D + d * c));
        rs_unit_columns(s->d, s->k, s->D);
    }
    return RS_OK;
}

static rs_status begin(rs_context *ctx, const rs_data *X, const rs_graph *R,
                       const rs_rne_settings *set, rs_rne_fit *fit,
                       rne_state *s)
{
    const size_t size = (size_t)X->d * set->k, length = (size_t)X->n * set->k;
    *s = (rne_state){.X = X,
                     .R = R,
                     .set = set,
                     .n = X->n,
                     .d = X->d,
                     .k = set->k,
                     .g = set->penalty};
    RS_ALLOC_DOUBLES(ctx, size, &s->H, &s->D, &s->G, &s->last_G);
    RS_ALLOC_DOUBLES(ctx, length, &s->BH, &s->BD, &s->M, &s->Y, &s->V,
                     &s->scratch);
    s->E = rs_alloc_double(ctx, 3 * (size_t)s->k * s->k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, set->maxit + 1, &fit->history));
    rs_copy(size, fit->H, s->H);
    rs_unit_columns(s->d, s->k, s->H);
    update_E(s);
    RS_TRY(times(s, s->H, s->BH));
    rs_copy(length, s->BH, s->M);
    rs_fill(length, 0.0, s->Y);
    rs_copy(size, s->H, fit->H);
    rs_history_add(&fit->history, objective(s));
    return estimate_bound(s);
}

rs_status rs_rne(rs_context *ctx, const rs_data *X, const rs_graph *R,
                 const rs_rne_settings *set, rs_rne_fit *fit)
{
    rne_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(begin(ctx, X, R, set, fit, &s));
    double before = rs_history_last(&fit->history);
    for (int round = 0; round < set->maxit && status == RS_MAXIT; round++) {
        double best = rs_history_last(&fit->history);
        RS_TRY(update_H(&s));
        const double F = objective(&s);
        if (!isfinite(F))
            return RS_NOT_FINITE;
        if (F < best) {
            best = F;
            rs_copy((size_t)s.d * s.k, s.H, fit->H);
        }
        rs_history_add(&fit->history, best);
        fit->residual = update_M(&s);
        s.g *= set->growth;
        if (fabs(F - before) <= set->tol * best &&
            fit->residual <= sqrt(set->tol))
            status = RS_OK;
        before = F;
    }
    return status;
}
