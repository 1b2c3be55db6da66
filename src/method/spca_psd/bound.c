#include "method/spca_psd/bound.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/multiplier.h"
#include "method/spca_psd/shortcut.h"

/*
 * The dual of the problem: for Y with 1'Y = 0 where the centre is free, and Z
 * with columns no longer than lambda,
 *
 *   M = eta I - sym(Xc'Y) + sym(Z) >= 0   implies
 *   optimum >= <Y, Xc> - ||Y||^2 / 4      (||R||^2)
 *   optimum >= <Y, Xc>, rows ||y_i|| <= 1 (sum of row norms).
 *
 * Y = diag(t) R comes from the point, Z = F B' + diag(extra) from the caller.
 * Where M has a negative eigenvalue -delta, (sY, sZ + (1 - s) lambda I) is
 * feasible for every s <= (lambda + eta) / (lambda + eta + delta). What rounding
 * may have done to M is added to delta, what it may have done to the value is
 * taken off (RS_MARGIN), so that the bound holds for the numbers as they are.
 *
 * M is eta I plus a matrix whose range lies in that of [Xc', F, B] and of the
 * unit vectors with extra > 0, so its spectrum follows from a small matrix,
 * without an iterative eigen-solver. This file has the bound for ||R||^2, where
 * Y = 2 R; method/spca_psd/multiplier.c the one for the sum of row norms.
 */

/* up to this order the slack may be a d x d matrix for the sake of `extra` */
#define RS_SLACK_DENSE 4000

/* the blocks of the bound for the sum of row norms */
static rs_status reserve_rows(size_t k, size_t r, rs_spca_slack *ws)
{
    rs_context *ctx = ws->pr->ctx;
    size_t n = (size_t)ws->pr->n;
    RS_ALLOC_DOUBLES(ctx, n * k, &ws->Xq, &ws->Y, &ws->WX);
    RS_ALLOC_DOUBLES(ctx, k * r, &ws->Fq, &ws->Bq, &ws->range, &ws->HF);
    RS_ALLOC_DOUBLES(ctx, k * k, &ws->Zq, &ws->T, &ws->K1, &ws->K2, &ws->QJ,
                     &ws->ZJ);
    RS_ALLOC_DOUBLES(ctx, k * RS_SLACK_BLOCK, &ws->panel, &ws->ZP, &ws->VP);
    RS_ALLOC_DOUBLES(ctx, n, &ws->w, &ws->length);
    ws->u = rs_alloc_double(ctx, k);
    return rs_allocated(ctx);
}

/*
 * Room for a basis of k columns and r columns of F. What is too small is taken
 * anew at one and a half times the size, so that all rooms together are at most
 * three times the last, however the rank grows.
 */
static rs_status slack_reserve(size_t k, size_t r, rs_spca_slack *ws)
{
    rs_context *ctx = ws->pr->ctx;
    size_t n = (size_t)ws->pr->n, d = (size_t)ws->pr->d, b = RS_SLACK_BLOCK;
    const size_t wide = ws->k < ws->pr->d ? k : r; /* of a QR factorisation */
    if ((size_t)ws->qr.cols < wide) {
        size_t more = ws->qr.cols > 0 ? wide + wide / 2 : wide;
        RS_TRY(rs_qr_init(ctx, (int)d, (int)(more < d ? more : d), &ws->qr));
    }
    if (k <= (size_t)ws->columns && r <= (size_t)ws->rank)
        return RS_OK;
    if (ws->columns > 0) {
        k = k + k / 2 > (size_t)ws->columns ? k + k / 2 : (size_t)ws->columns;
        r = r + r / 2 > (size_t)ws->rank ? r + r / 2 : (size_t)ws->rank;
    }
    k = k < d ? k : d;
    r = r < k ? r : k;
    ws->columns = (int)k;
    ws->rank = (int)r;
    ws->Q = rs_alloc_double(ctx, d * k);
    RS_ALLOC_DOUBLES(ctx, k * k, &ws->H, &ws->U);
    ws->values = rs_alloc_double(ctx, k);
    ws->XV = rs_alloc_double(ctx, n * b);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, (int)k, &ws->eigen));
    if (ws->pr->loss == RS_LOSS_L21)
        return reserve_rows(k, r, ws);
    ws->MQ = rs_alloc_double(ctx, d * k);
    ws->YV = rs_alloc_double(ctx, n * b);
    ws->W = rs_alloc_double(ctx, d * b);
    RS_ALLOC_DOUBLES(ctx, r * b, &ws->V1, &ws->V2, &ws->V3);
    RS_TRY(rs_allocated(ctx));
    return RS_OK;
}

static void slack_begin(const rs_spca *pr, const rs_spca_point *at,
                        const double *B, const double *extra,
                        rs_spca_slack *ws)
{
    if (!ws->pr)
        rs_arena_init(pr->ctx, &ws->arena);
    ws->pr = pr;
    ws->at = at;
    ws->B = B;
    ws->extra = at->r > 0 ? extra : NULL; /* without F, Z is lambda I */
}

/* the size of the basis, and room for it */
static rs_status slack_size(rs_spca_slack *ws)
{
    const size_t d = (size_t)ws->pr->d, rank = (size_t)ws->at->r;
    ws->units = 0;
    for (size_t j = 0; ws->extra && j < d; j++)
        ws->units += ws->extra[j] > 0.0;
    size_t columns = (size_t)ws->pr->n + 2 * rank + (size_t)ws->units;
    if (columns >= d && d > RS_SLACK_DENSE && ws->units > 0) {
        columns -= (size_t)ws->units;
        ws->units = 0;
    }
    ws->k = columns < d ? (int)columns : ws->pr->d;
    return slack_reserve((size_t)ws->k, rank > 0 ? rank : 1, ws);
}

/*
 * Q: an orthonormal basis of [Xc', F, B], or the identity, which is not formed,
 * where that is not smaller.
 */
static rs_status slack_basis(rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const int n = pr->n, d = pr->d, r = at->r;
    if (ws->k == d)
        return RS_OK;
    rs_fill((size_t)d * ws->k, 0.0, ws->Q);
    for (int j = 0; j < n; j += RS_SLACK_BLOCK) {
        int width = rs_min_int(RS_SLACK_BLOCK, n - j);
        rs_fill((size_t)n * width, 0.0, ws->XV);
        for (int i = 0; i < width; i++)
            ws->XV[j + i + (size_t)i * n] = 1.0;
        RS_TRY(
            rs_spca_crossprod(pr, NULL, width, ws->XV, ws->Q + (size_t)j * d));
    }
    double *rest = ws->Q + (size_t)n * d;
    rs_copy((size_t)d * r, at->F, rest);
    rs_copy((size_t)d * r, ws->B, rest + (size_t)d * r);
    double *unit = rest + 2 * (size_t)d * r;
    for (int j = 0; ws->units > 0 && j < d; j++) {
        if (ws->extra[j] <= 0.0)
            continue;
        unit[j] = 1.0;
        unit += d;
    }
    RS_TRY(rs_qr_orthonormal(d, ws->k, ws->Q, &ws->qr));
    return rs_poll(pr->ctx);
}

/*
 * MV += (F B'V + B F'V)/2 + (eta I + diag(extra)) V, sizes d x m; V1 holds
 * F'V
 */
static void add_penalties(rs_spca_slack *ws, int m, const double *V,
                          double *MV)
{
    const rs_spca *pr = ws->pr;
    const int d = pr->d, r = ws->at->r;
    rs_axpy((size_t)d * m, pr->eta, V, MV);
    if (r == 0) { /* Z = lambda I */
        rs_axpy((size_t)d * m, pr->lambda, V, MV);
        return;
    }
    rs_crossprod(d, r, m, ws->B, V, ws->V2);
    rs_gemm('N', 'N', d, m, r, 0.5, ws->at->F, d, ws->V2, r, 1.0, MV, d);
    rs_gemm('N', 'N', d, m, r, 0.5, ws->B, d, ws->V1, r, 1.0, MV, d);
    for (int k = 0; ws->units > 0 && k < m; k++)
        for (int j = 0; j < d; j++)
            MV[j + (size_t)k * d] += ws->extra[j] * V[j + (size_t)k * d];
}

/*
 * MV = eta V - (Xc'(Y V) + Y'(Xc V)) / 2 + sym(Z) V for m <= RS_SLACK_BLOCK,
 * Y V = t (Xc V - A F'V), Y'U = Xc'(t U) - F A'(t U)
 */
static rs_status slack_times(rs_spca_slack *ws, int m, const double *V,
                             double *MV)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const int n = pr->n, d = pr->d, r = at->r;

    RS_TRY(rs_spca_times(pr, NULL, m, V, ws->YV));
    if (r > 0) {
        rs_crossprod(d, r, m, at->F, V, ws->V1);
        rs_gemm('N', 'N', n, m, r, -1.0, at->A, n, ws->V1, r, 1.0, ws->YV, n);
    }
    rs_scale_rows(n, m, at->t, ws->YV);
    RS_TRY(rs_spca_crossprod(pr, NULL, m, ws->YV, MV));
    RS_TRY(rs_spca_times(pr, NULL, m, V, ws->XV));
    rs_scale_rows(n, m, at->t, ws->XV);
    RS_TRY(rs_spca_crossprod(pr, NULL, m, ws->XV, ws->W));
    rs_axpy((size_t)d * m, 1.0, ws->W, MV);
    if (r > 0) {
        rs_crossprod(n, r, m, at->A, ws->XV, ws->V3);
        rs_gemm('N', 'N', d, m, r, -1.0, at->F, d, ws->V3, r, 1.0, MV, d);
    }
    rs_scale((size_t)d * m, -0.5, MV);
    add_penalties(ws, m, V, MV);
    return RS_OK;
}

/* <Y, Xc> = sum_i t_i (||x_i||^2 - ||a_i||^2) */
static double inner_product(const rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const int n = pr->n;
    double value = 0.0;
    for (int i = 0; i < n; i++)
        value += at->t[i] * pr->data_square[i];
    for (int k = 0; k < at->r; k++) {
        const double *a = at->A + (size_t)k * n;
        for (int i = 0; i < n; i++)
            value -= at->t[i] * a[i] * a[i];
    }
    return value;
}

/*
 * H = -M where Q is the identity:
 *
 *   M = eta I - 2 S + sym((2 Xc'A + B) F') + diag(extra)
 */
static rs_status whole_slack(rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const int d = pr->d, r = at->r;
    const size_t dr = (size_t)d * r, dd = (size_t)d * d;
    const double *S = pr->S;
    rs_fill(dd, 0.0, ws->H);
    if (r > 0) {
        RS_TRY(rs_spca_crossprod(pr, NULL, r, at->A, ws->MQ));
        rs_scale(dr, 2.0, ws->MQ);
        rs_axpy(dr, 1.0, ws->B, ws->MQ);
        RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'T', d, d, r, -1.0, ws->MQ, d,
                              at->F, d, 0.0, ws->H, d));
        rs_symmetrise(d, ws->H);
    }
    if (!S) {
        RS_TRY(rs_data_gram_features(pr->X, ws->MQ));
        S = ws->MQ;
    }
    rs_axpy(dd, 2.0, S, ws->H);
    for (int j = 0; j < d; j++) {
        double own = r == 0 ? pr->lambda : 0.0;
        if (ws->units > 0)
            own = ws->extra[j];
        ws->H[j + (size_t)j * d] -= pr->eta + own;
    }
    return rs_poll(pr->ctx);
}

/* H = -Q'MQ */
static rs_status project_slack(rs_spca_slack *ws)
{
    const int d = ws->pr->d, k = ws->k;
    if (k == d)
        return whole_slack(ws);
    for (int j = 0; j < k; j += RS_SLACK_BLOCK) {
        int width = rs_min_int(RS_SLACK_BLOCK, k - j);
        RS_TRY(slack_times(ws, width, ws->Q + (size_t)j * d,
                           ws->MQ + (size_t)j * d));
        RS_TRY(rs_poll(ws->pr->ctx));
    }
    rs_crossprod(d, k, k, ws->Q, ws->MQ, ws->H);
    rs_scale((size_t)k * k, -1.0, ws->H);
    rs_symmetrise(k, ws->H);
    return rs_poll(ws->pr->ctx);
}

/* the bound for the spectrum that the basis does not show */
static double outside_basis(const rs_spca_slack *ws, double lowest)
{
    if (ws->at->r == 0)
        return fmin(lowest, ws->pr->eta + ws->pr->lambda);
    return ws->k < ws->pr->d ? fmin(lowest, ws->pr->eta) : lowest;
}

/* smallest eigenvalue of M, and the eigenvectors below the threshold */
static rs_status slack_spectrum(rs_spca_slack *ws, double threshold, int room,
                                int *count, double *vectors, double *lowest)
{
    const int d = ws->pr->d, k = ws->k;
    RS_TRY(rs_eigen_largest(k, ws->H, 1, ws->values, NULL, &ws->eigen));
    *lowest = outside_basis(ws, -ws->values[0]);
    *count = 0;
    if (room == 0 || *lowest >= threshold)
        return RS_OK;
    RS_TRY(rs_eigen_above(k, ws->H, -threshold, count, ws->values, ws->U,
                          &ws->eigen));
    *count = rs_min_int(*count, room);
    if (k == d)
        rs_copy((size_t)d * *count, ws->U, vectors);
    else
        rs_matmul(d, k, *count, ws->Q, ws->U, vectors);
    return RS_OK;
}

/* <M, Omega> = eta tr(Omega) - <Xt'Y, Omega> + <F B', Omega> */
static double complementarity(const rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    double value = pr->eta * at->trace;
    if (at->r == 0)
        return 0.0;
    rs_matmul(pr->d, at->r, at->r, at->F, at->C, at->FC);
    value += rs_dot((size_t)pr->d * at->r, ws->B, at->FC);
    for (int i = 0; i < pr->n; i++)
        value +=
            at->t[i] * (at->residual_square[i] - at->centre.row_square[i]);
    for (int k = 0; k < at->r; k++)
        for (int i = 0; i < pr->n; i++) {
            double a = at->A[i + (size_t)k * pr->n];
            value += at->t[i] * a * a;
        }
    return value;
}

/* what rounding may have done to M, in the spectral norm, and to the value */
static void rounding_margins(const rs_spca_slack *ws, double *slack,
                             double *value)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const size_t dr = (size_t)pr->d * at->r;
    const double unit = RS_MARGIN * DBL_EPSILON * sqrt((double)pr->n + pr->d);
    *value = 4.0 * unit * pr->trace;
    *slack =
        unit * (2.0 * pr->trace + rs_norm(dr, at->F) * rs_norm(dr, ws->B) +
                pr->lambda + pr->eta);
}

/* lambda over the longest column of Z, at most 1; from F, B and extra alone */
static double share_of_columns(const rs_spca_slack *ws)
{
    const rs_spca_point *at = ws->at;
    const size_t d = (size_t)ws->pr->d, r = (size_t)at->r;
    double longest = 0.0;
    if (r == 0) /* Z = lambda I */
        return 1.0;
    rs_gram((int)d, (int)r, at->F, at->C);
    rs_matmul((int)d, (int)r, (int)r, ws->B, at->C, at->FC);
    for (size_t j = 0; j < d; j++) {
        const double own = ws->extra ? ws->extra[j] : 0.0;
        double square = 0.0, inner = 0.0;
        for (size_t k = 0; k < r; k++) {
            square += at->FC[j + k * d] * ws->B[j + k * d];
            inner += at->F[j + k * d] * ws->B[j + k * d];
        }
        longest = fmax(longest, square);
        longest = fmax(longest, square + own * (2.0 * inner + own));
    }
    longest =
        sqrt(longest) * (1.0 + RS_MARGIN * (double)(r + 4) * DBL_EPSILON);
    return longest > ws->pr->lambda ? ws->pr->lambda / longest : 1.0;
}

/* the bound for ||R||^2 */
static rs_status bound_of_squares(rs_spca_slack *ws, double below, int room,
                                  int *count, double *vectors,
                                  rs_spca_fit *fit)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const double level = pr->lambda + pr->eta;
    double slack, value, a, b = 0.0, rounding = 0.0;
    int decided;
    RS_TRY(rs_spca_slack_shortcut(ws, below, room, count, vectors,
                                  &fit->lowest, &rounding, &decided));
    if (!decided) {
        rounding = 0.0;
        RS_TRY(slack_size(ws));
        RS_TRY(slack_basis(ws));
        RS_TRY(project_slack(ws));
        RS_TRY(slack_spectrum(ws, below, room, count, vectors, &fit->lowest));
    }
    rounding_margins(ws, &slack, &value);
    slack += rounding;
    a = inner_product(ws);
    double delta = fmax(0.0, slack - fit->lowest);
    double s = share_of_columns(ws) * level / (level + delta);
    for (int i = 0; i < pr->n; i++)
        b += at->t[i] * at->t[i] * at->residual_square[i];
    if (b > 0.0)
        s = fmax(fmin(s, 2.0 * a / b), 0.0);
    fit->bound = s * a - s * s * b / 4.0 - value;
    fit->margin = value + fabs(a - s * b / 2.0) * slack / (level + delta);
    fit->kkt = fmax(fmax(0.0, -fit->lowest) / level,
                    fabs(complementarity(ws)) / fit->objective);
    return RS_OK;
}

rs_status rs_spca_bound(const rs_spca *pr, const rs_spca_point *at,
                        const double *B, const double *extra, double below,
                        int room, int *count, double *vectors,
                        rs_spca_fit *fit, rs_spca_slack *ws)
{
    below *= pr->lambda + pr->eta;
    fit->objective = rs_spca_objective(pr, &rs_spca_unsmoothed, at);
    slack_begin(pr, at, B, extra, ws);
    if (pr->loss == RS_LOSS_FROBENIUS)
        return bound_of_squares(ws, below, room, count, vectors, fit);
    RS_TRY(slack_size(ws));
    RS_TRY(slack_basis(ws));
    double wanted = fit->objective * (1.0 - fit->wanted);
    return rs_spca_bound_rows(ws, below, room, count, vectors, wanted, fit);
}

rs_status rs_spca_bound_point(const rs_spca *pr, rs_spca_point *at,
                              rs_spca_fit *fit)
{
    const size_t size = (size_t)pr->d * at->r;
    double column = 0.0;
    int unused;
    rs_spca_slack slack = {0};
    for (int j = 0; j < pr->d; j++)
        column = fmax(column, at->column_square[j]);
    const rs_spca_floors floors = {1e-20 * column + 1e-300,
                                   1e-20 * pr->trace / pr->n};
    rs_spca_weights(pr, &floors, at);
    double *B = rs_alloc_double(pr->ctx, size + 1);
    RS_TRY_ALLOC(B);
    rs_copy(size, at->F, B);
    rs_scale_rows(pr->d, at->r, at->D, B);
    rs_scale(size, pr->lambda, B);
    fit->wanted = 1.0;
    return rs_spca_bound(pr, at, B, NULL, 0.0, 0, &unused, NULL, fit, &slack);
}
