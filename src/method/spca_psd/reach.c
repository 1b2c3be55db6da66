#include "method/spca_psd/reach.h"

#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/start.h"

/*
 * Where Omega = 0 ceases to be the solution. The objective is convex, so 0 is
 * optimal exactly when no direction Omega >= 0 descends from it:
 *
 *   <G, Omega> <= eta tr(Omega) + lambda sum_j ||omega_j||   for all Omega,
 *
 * G = 2 S (||R||^2) or sum_i x_i x_i' / ||x_i|| (sum of row norms). Along a
 * line of penalties eta = eta0 + s eta1, lambda = lambda0 + s lambda1 every
 * Omega bounds from below the s from which on 0 is optimal:
 *
 *   s >= (<G, Omega> - eta0 tr(Omega) - lambda0 h) / (eta1 tr(Omega) +
 *        lambda1 h),   h = sum_j ||omega_j||.
 *
 * Tried are single features, v v' for leading and for sparse v, and the
 * projectors onto the leading eigenvectors of G, which win on wide data: their
 * columns are shorter than those of v v' by the root of the rank.
 */

#define RS_POWER_STEPS 12
#define RS_SPARSE_STEPS 20

/* what Omega gives: <G, Omega>, tr(Omega), sum_j ||omega_j|| */
static double crossing(const rs_spca_line *line, double inner, double trace,
                       double norms)
{
    double below = line->eta1 * trace + line->lambda1 * norms;
    double above = inner - line->eta0 * trace - line->lambda0 * norms;
    return above / below;
}

static double sum_of_magnitudes(size_t d, const double *v)
{
    double total = 0.0;
    for (size_t j = 0; j < d; j++)
        total += fabs(v[j]);
    return total;
}

/* Gv = Xc'(weight * (Xc v)); XV is n */
static rs_status apply(const rs_spca *pr, const double *weight,
                       const double *v, double *XV, double *Gv)
{
    RS_TRY(rs_spca_times(pr, NULL, 1, v, XV));
    for (int i = 0; i < pr->n; i++)
        XV[i] *= weight[i];
    RS_TRY(rs_spca_crossprod(pr, NULL, 1, XV, Gv));
    return rs_poll(pr->ctx);
}

/* v <- the entries of 2 Gv shortened by lambda, at length 1; 0 if none is left
 */
static int shrink(size_t d, const double *Gv, double lambda, double *v)
{
    for (size_t j = 0; j < d; j++)
        v[j] = copysign(fmax(2.0 * fabs(Gv[j]) - lambda, 0.0), Gv[j]);
    double length = rs_norm(d, v);
    if (!(length > 0.0))
        return 0;
    rs_scale(d, 1.0 / length, v);
    return 1;
}

/*
 * Power iteration from the longest sample, then the same with shortened
 * entries (Journee, Nesterov, Richtarik and Sepulchre), at the penalties of
 * the best crossing so far.
 */
static rs_status one_direction(const rs_spca *pr, const rs_spca_line *line,
                               const double *weight, double *best)
{
    const size_t d = (size_t)pr->d, n = (size_t)pr->n;
    double *v = rs_alloc_double(pr->ctx, d), *Gv = rs_alloc_double(pr->ctx, d);
    double *XV = rs_alloc_double(pr->ctx, n);
    RS_TRY(rs_allocated(pr->ctx));
    size_t longest = 0;
    for (size_t i = 1; i < n; i++)
        if (pr->data_square[i] > pr->data_square[longest])
            longest = i;
    rs_fill(n, 0.0, XV);
    XV[longest] = 1.0;
    RS_TRY(rs_spca_crossprod(pr, NULL, 1, XV, Gv));
    for (int k = 0; k < RS_POWER_STEPS + RS_SPARSE_STEPS; k++) {
        double lambda = line->lambda0 + fmax(*best, 0.0) * line->lambda1;
        if (!shrink(d, Gv, k < RS_POWER_STEPS ? 0.0 : lambda, v))
            return RS_OK;
        RS_TRY(apply(pr, weight, v, XV, Gv));
        double inner = rs_dot(d, v, Gv);
        *best =
            fmax(*best, crossing(line, inner, 1.0, sum_of_magnitudes(d, v)));
    }
    return RS_OK;
}

/* the projectors onto the first r eigenvectors, for every r */
static rs_status projectors(const rs_spca *pr, const rs_spca_line *line,
                            const double *weight, double *best)
{
    const size_t d = (size_t)pr->d, n = (size_t)pr->n;
    double *square = rs_alloc_double(pr->ctx, d), inner = 0.0;
    const double *values, *V;
    double *t = rs_alloc_double(pr->ctx, n);
    int count;
    RS_TRY(rs_allocated(pr->ctx));
    const double factor = pr->loss == RS_LOSS_FROBENIUS ? 2.0 : 1.0;
    for (size_t i = 0; i < n; i++)
        t[i] = 2.0 * weight[i] / factor;
    RS_TRY(rs_spca_components(pr, t, 0.0, &count, &values, &V));
    rs_fill(d, 0.0, square);
    for (int r = 0; r < count; r++) {
        double norms = 0.0;
        inner += factor * values[r];
        for (size_t j = 0; j < d; j++) {
            square[j] += V[j + r * d] * V[j + r * d];
            norms += sqrt(square[j]);
        }
        *best = fmax(*best, crossing(line, inner, r + 1.0, norms));
    }
    return RS_OK;
}

rs_status rs_spca_reach(const rs_spca *pr, const rs_spca_line *line,
                        double enough, double *reach)
{
    const int frobenius = pr->loss == RS_LOSS_FROBENIUS;
    double *weight = rs_alloc_double(pr->ctx, (size_t)pr->n);
    double *square = rs_alloc_double(pr->ctx, (size_t)pr->d);
    RS_TRY(rs_allocated(pr->ctx));
    for (int i = 0; i < pr->n; i++) {
        double length = sqrt(pr->data_square[i]);
        weight[i] = frobenius ? 2.0 : length > 0.0 ? 1.0 / length : 0.0;
    }
    *reach = -INFINITY;
    RS_TRY(rs_data_column_squares(pr->X, square));
    for (int j = 0; frobenius && j < pr->d; j++)
        *reach = fmax(*reach, crossing(line, 2.0 * square[j], 1.0, 1.0));
    if (*reach < enough)
        RS_TRY(one_direction(pr, line, weight, reach));
    if (*reach < enough)
        RS_TRY(projectors(pr, line, weight, reach));
    return RS_OK;
}
