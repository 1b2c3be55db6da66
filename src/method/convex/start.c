#include "method/convex/convex.h"

#include <math.h>

#include "eigen/leading.h"

/* Ritz pairs are at most this share of the samples and of the features */
#define RS_LEADING_SHARE 0.6
/* they are found roughly: what follows from them is bounded by their residuals */
#define RS_LEADING_TOL 1e-2
#define RS_LEADING_STEPS 4

/*
 * G = S_T or, for few samples, K = T^{1/2} Xc Xc' T^{1/2} = U diag(s) U', T =
 * diag(t/2): the eigenvectors of S_T are then those of the range of
 * Xc'T^{1/2}U.
 */
rs_status rs_spca_components(const rs_spca *pr, const double *t,
                             rs_spca_pairs *pairs)
{
    const rs_ritz_control rough = {.tol = RS_LEADING_TOL,
                                   .maxit = RS_LEADING_STEPS};
    const int n = pr->n, d = pr->d, wide = n < d, order = wide ? n : d;
    const int all = pairs->m == 0 || rs_leading_is_dense(order, pairs->m);
    const int wanted = all ? order : pairs->m;
    const size_t size = (size_t)order * order;
    double *G = rs_alloc_double(pr->ctx, wide || !pr->S ? size : 0), residual;
    double *weight = rs_alloc_double(pr->ctx, (size_t)n);
    double *U = rs_alloc_double(pr->ctx, (size_t)order * wanted);
    pairs->values = rs_alloc_double(pr->ctx, (size_t)wanted + 1);
    RS_TRY(rs_allocated(pr->ctx));
    for (int i = 0; i < n; i++)
        weight[i] = wide ? sqrt(0.5 * t[i]) : 0.5 * t[i];
    if (wide)
        RS_TRY(rs_data_gram_samples(pr->X, NULL, G));
    else if (!pr->S)
        RS_TRY(rs_data_gram_weighted(pr->X, weight, G));
    for (int j = 0; wide && j < n; j++)
        for (int i = 0; i < n; i++)
            G[i + (size_t)j * n] *= weight[i] * weight[j];
    const rs_leading_operator A =
        rs_leading_explicit(order, wide || !pr->S ? G : pr->S);
    pairs->square = rs_sum_squares(size, A.A);
    const rs_status status = rs_leading_find(pr->ctx, &A, wanted, &rough,
                                             pairs->values, U, &residual);
    if (!rs_is_usable(status))
        return status;
    pairs->values[wanted] = 0.0;
    pairs->m = all ? 0 : wanted;
    while (pairs->m < wanted &&
           pairs->values[pairs->m] > 1e-12 * pairs->values[0])
        pairs->m++;
    pairs->V = U;
    if (!wide)
        return RS_OK;
    rs_qr_ws qr;
    RS_TRY_ALLOC(pairs->V = rs_alloc_double(pr->ctx, (size_t)d * pairs->m));
    rs_scale_rows(n, pairs->m, weight, U);
    RS_TRY(rs_data_crossprod(pr->X, pairs->m, U, pairs->V));
    RS_TRY(rs_qr_init(pr->ctx, d, pairs->m, &qr));
    RS_TRY(rs_qr_orthonormal(d, pairs->m, pairs->V, &qr));
    return rs_poll(pr->ctx);
}

/*
 * S beside V, (I - VV')S(I - VV'), has the squared norm
 * ||S||^2 - 2 ||SV||^2 + ||V'SV||^2, whose root no eigenvalue exceeds. If V
 * spans an invariant subspace but for its residual SV - V V'SV, the eigenvalue
 * behind the last, `next`, says more.
 */
static rs_status bound_rest(const rs_spca *pr, double next,
                            rs_spca_pairs *pairs)
{
    const int d = pr->d, m = pairs->m;
    const size_t dm = (size_t)d * m, mm = (size_t)m * m;
    double *R = rs_alloc_double(pr->ctx, dm),
           *H = rs_alloc_double(pr->ctx, mm);
    RS_TRY(rs_allocated(pr->ctx));
    rs_crossprod(d, m, m, pairs->V, pairs->SV, H);
    if (isnan(next)) {
        const double left = pairs->square -
                            2.0 * rs_sum_squares(dm, pairs->SV) +
                            rs_sum_squares(mm, H);
        pairs->rest = sqrt(fmax(left, 0.0) + RS_ROUNDING * pairs->square);
        return RS_OK;
    }
    rs_copy(dm, pairs->SV, R);
    rs_gemm('N', 'N', d, m, m, -1.0, pairs->V, d, H, m, 1.0, R, d);
    pairs->rest = fmax(next, 0.0) + rs_norm(dm, R) + RS_ROUNDING * pr->trace;
    return rs_poll(pr->ctx);
}

rs_status rs_spca_prepare(rs_spca *pr)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    const int order = rs_min_int(pr->n, pr->d);
    /* at most so many eigenvalues of S exceed eta / 2; 0: too many for Ritz pairs */
    const double count = fmax(1.0, ceil(2.0 * pr->trace / pr->eta));
    const int few = count <= RS_LEADING_SHARE * order ? (int)count : 0;
    const int all = few == 0 || rs_leading_is_dense(order, few);
    rs_spca_pairs *pairs = &pr->pairs;
    if (pr->loss != RS_LOSS_FROBENIUS)
        return RS_OK;
    if (d <= 2 * n) {
        double *S = rs_alloc_double(pr->ctx, d * d);
        RS_TRY_ALLOC(S);
        RS_TRY(rs_data_gram_weighted(pr->X, NULL, S));
        pr->S = S;
    }
    double *t = rs_alloc_double(pr->ctx, n);
    RS_TRY_ALLOC(t);
    rs_fill(n, 2.0, t);
    pairs->m = few;
    RS_TRY(rs_spca_components(pr, t, pairs));
    if (all && few > 0)
        pairs->m = rs_min_int(few, pairs->m);
    double *XV = rs_alloc_double(pr->ctx, n * pairs->m);
    pairs->SV = rs_alloc_double(pr->ctx, d * pairs->m);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_data_scatter(pr->X, pairs->m, 1.0, pairs->V, XV, pairs->SV));
    return bound_rest(pr, all ? pairs->values[pairs->m] : NAN, pairs);
}

/* columns that a start may gain before its room has to double: few do */
#define RS_COLUMNS_TO_GAIN 8

rs_status rs_spca_point_pca(const rs_spca *pr, rs_spca_point *at)
{
    const rs_spca_pairs *pairs = &pr->pairs;
    double *values = rs_alloc_double(pr->ctx, (size_t)pairs->m);
    int r = 0;
    RS_TRY_ALLOC(values);
    while (r < pairs->m && pairs->values[r] > 0.5 * pr->eta)
        r++;
    const double level = 0.5 * pr->lambda * sqrt((double)pr->d / (r + 1));
    for (int k = 0; k < r; k++)
        values[k] =
            (pairs->values[k] - 0.5 * pr->eta) / (pairs->values[k] + level);
    RS_TRY(rs_spca_point_init(
        pr, rs_min_int(r + r / 8 + RS_COLUMNS_TO_GAIN, pr->d), at));
    return rs_spca_point_set(pr, r, values, pairs->V, at);
}

/* ---- where Omega = 0 ceases to be the solution -------------------------------- */

/*
 * The objective is convex, so 0 is optimal exactly if no direction Omega >= 0
 * descends from it:
 *
 *   <G, Omega> <= eta tr(Omega) + lambda sum_j ||omega_j||   for all Omega,
 *
 * G = Xc' diag(weight) Xc, weight = 2 (||R||^2) or 1 / ||x_i|| (sum of row
 * norms). Along a line of penalties every Omega bounds from below the s from
 * which on 0 is optimal. Tried are single features, v v' for leading and for
 * sparse v, and the projectors onto the leading eigenvectors of G, which win on
 * wide data: their columns are shorter than those of v v' by the root of the
 * rank.
 */

#define RS_POWER_STEPS 12
#define RS_SPARSE_STEPS 20

/* s >= (<G, Omega> - eta0 tr(Omega) - lambda0 h) / (eta1 tr(Omega) +
 * lambda1 h), h = sum_j ||omega_j|| */
static void cross(const rs_spca_line *line, double inner, double trace,
                  double norms, double *best)
{
    const double below = line->eta1 * trace + line->lambda1 * norms;
    const double above = inner - line->eta0 * trace - line->lambda0 * norms;
    *best = fmax(*best, above / below);
}

/*
 * Power iteration from the longest sample, then the same with entries shortened
 * by the penalty of the best crossing so far (Journee, Nesterov, Richtarik and
 * Sepulchre).
 */
static rs_status cross_directions(const rs_spca *pr, const rs_spca_line *line,
                                  const double *weight, double *best)
{
    const size_t d = (size_t)pr->d, n = (size_t)pr->n;
    double *v = rs_alloc_double(pr->ctx, d), *Gv = rs_alloc_double(pr->ctx, d);
    double *Xv = rs_alloc_double(pr->ctx, n);
    size_t longest = 0;
    RS_TRY(rs_allocated(pr->ctx));
    for (size_t i = 1; i < n; i++)
        if (pr->data_square[i] > pr->data_square[longest])
            longest = i;
    rs_fill(n, 0.0, Xv);
    Xv[longest] = 1.0;
    for (int k = 0; k <= RS_POWER_STEPS + RS_SPARSE_STEPS; k++) {
        RS_TRY(rs_data_crossprod(pr->X, 1, Xv, Gv));
        RS_TRY(rs_poll(pr->ctx));
        double cut = 0.0;
        if (k > 0)
            cross(line, rs_dot(d, v, Gv), 1.0, rs_sum_moduli(d, v), best);
        if (k >= RS_POWER_STEPS)
            cut = line->lambda0 + fmax(*best, 0.0) * line->lambda1;
        for (size_t j = 0; j < d; j++)
            v[j] = copysign(fmax(2.0 * fabs(Gv[j]) - cut, 0.0), Gv[j]);
        const double length = rs_norm(d, v);
        if (!(length > 0.0))
            return RS_OK;
        rs_scale(d, 1.0 / length, v);
        RS_TRY(rs_data_times(pr->X, 1, v, Xv));
        rs_scale_rows((int)n, 1, weight, Xv);
    }
    return RS_OK;
}

/* the projectors onto the first r eigenvectors, for every r */
static rs_status cross_projectors(const rs_spca *pr, const rs_spca_line *line,
                                  double *weight, double *square, double *best)
{
    const size_t d = (size_t)pr->d;
    double inner = 0.0;
    rs_spca_pairs pairs = {.m = 0};
    rs_scale((size_t)pr->n, 2.0, weight);
    RS_TRY(rs_spca_components(pr, weight, &pairs));
    rs_fill(d, 0.0, square);
    for (int r = 0; r < pairs.m; r++) {
        const double *v = pairs.V + r * d;
        double norms = 0.0;
        inner += pairs.values[r];
        for (size_t j = 0; j < d; j++) {
            square[j] += v[j] * v[j];
            norms += sqrt(square[j]);
        }
        cross(line, inner, r + 1.0, norms, best);
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
        const double length = sqrt(pr->data_square[i]);
        weight[i] = frobenius ? 2.0 : length > 0.0 ? 1.0 / length : 0.0;
    }
    *reach = -INFINITY;
    RS_TRY(rs_data_column_squares(pr->X, square));
    for (int j = 0; frobenius && j < pr->d; j++)
        cross(line, 2.0 * square[j], 1.0, 1.0, reach);
    if (*reach < enough)
        RS_TRY(cross_directions(pr, line, weight, reach));
    if (*reach < enough)
        RS_TRY(cross_projectors(pr, line, weight, square, reach));
    return RS_OK;
}
