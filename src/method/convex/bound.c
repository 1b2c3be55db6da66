#include "method/convex/convex.h"

#include <float.h>
#include <math.h>

/*
 * The dual of the problem: for any Y, and Z with columns no longer than lambda,
 *
 *   M = eta I - sym(Xc'Y) + sym(Z) >= 0   implies
 *   optimum >= <Y, Xc> - ||Y||^2 / 4.
 *
 * Y = 2 R comes from the point, so that with G = 2 S F + B
 *
 *   M = eta I - 2 S + sym(G F') + diag(extra).
 *
 * If M has a negative eigenvalue -delta, (sY, sZ + (1 - s) lambda I) is feasible
 * for every s <= (lambda + eta) / (lambda + eta + delta). What rounding may have
 * done to M is added to delta, what it may have done to the value is taken off,
 * so that the bound holds for the numbers as they are.
 *
 * On the vectors beside a basis Q of [V, F], V the leading eigenvectors of S, M
 * is at least g = eta - 2 rest. With g > 0 the Schur complement gives
 *
 *   M >= min(g, smallest eigenvalue of H - T'T / g or 0),
 *   H = Q'MQ,  T = (I - QQ') M Q.
 *
 * A basis of [V, F, B] leaves T = 0 but for `extra`, which is then left out, and
 * serves if eta is too small. A matrix M that is not large is used as it is.
 */

/* up to this order M may be a d x d matrix for the sake of `extra` */
#define RS_SLACK_DENSE 4000
/* Q has at most this share of d columns, g is at least this share of eta */
#define RS_BASIS_SHARE 0.75
#define RS_LEAST_FLOOR 0.1

typedef struct {
    const rs_spca *pr;
    const rs_spca_point *at;
    const double *B, *extra;
    rs_context *ctx;
    double base;       /* M = base I - 2 S + ...: without F, Z is lambda I */
    double *G;         /* d x r */
    int k;             /* columns of Q */
    double *Q, *MQ;    /* d x k; NULL: Q = I */
    double *H;         /* k x k: -Q'MQ */
    double lowest;     /* eigenvalue of M, from below */
    double rounding;   /* what this has done to it, besides that in M */
    double *values;    /* k */
    rs_eigen_ws eigen; /* of order k */
} slack;

/* ---- M on a basis ------------------------------------------------------------- */

static rs_status room_for_order(int k, slack *s)
{
    s->k = k;
    s->H = rs_alloc_double(s->ctx, (size_t)k * k);
    s->values = rs_alloc_double(s->ctx, (size_t)k);
    RS_TRY(rs_allocated(s->ctx));
    return rs_eigen_init(s->ctx, k, &s->eigen);
}

/* Q = [V, the rest of F, and of B, made orthonormal]; *fails if rounding spoils it */
static rs_status find_basis(slack *s, int with_B, int *fails)
{
    const int d = s->pr->d, m = s->pr->pairs.m, r = s->at->r;
    const int more = with_B ? 2 * r : r, k = m + more;
    const double *V = s->pr->pairs.V;
    const size_t dm = (size_t)d * m, dr = (size_t)d * r, kk = (size_t)k * k;
    double worst = 0.0, *small = rs_alloc_double(s->ctx, (size_t)m * more);
    rs_qr_ws qr;
    RS_ALLOC_DOUBLES(s->ctx, (size_t)d * k, &s->Q, &s->MQ);
    RS_TRY(room_for_order(k, s));
    RS_TRY(rs_qr_init(s->ctx, d, more, &qr));
    double *rest = s->Q + dm;
    rs_copy(dm, V, s->Q);
    rs_copy(dr, s->at->F, rest);
    if (with_B)
        rs_copy(dr, s->B, rest + dr);
    for (int twice = 0; more > 0 && twice < 2; twice++) {
        RS_TRY(rs_leave_span(s->ctx, d, m, V, more, rest, small));
        RS_TRY(rs_qr_orthonormal(d, more, rest, &qr));
    }
    RS_TRY(rs_leave_span(s->ctx, d, m, V, more, rest, small));
    rs_gram(d, k, s->Q, s->H);
    for (size_t i = 0; i < kk; i++)
        worst = fmax(worst, fabs(s->H[i] - (i % ((size_t)k + 1) == 0)));
    *fails = !(worst < RS_NOTHING);
    return rs_poll(s->ctx);
}

/* MQ = base Q - 2 S Q + (G (F'Q) + F (G'Q)) / 2 + diag(extra) Q, H = -Q'MQ */
static rs_status multiply(slack *s)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d, m = pr->pairs.m, r = s->at->r, k = s->k;
    const size_t dm = (size_t)d * m, dk = (size_t)d * k;
    double *P = rs_alloc_double(s->ctx, (size_t)k * r);
    double *XQ = rs_alloc_double(s->ctx, (size_t)pr->n * (k - m));
    RS_TRY(rs_allocated(s->ctx));
    rs_copy(dm, pr->pairs.SV, s->MQ);
    RS_TRY(rs_data_scatter(pr->X, k - m, 1.0, s->Q + dm, XQ, s->MQ + dm));
    for (size_t i = 0; i < dk; i++)
        s->MQ[i] = s->base * s->Q[i] - 2.0 * s->MQ[i];
    rs_crossprod(d, k, r, s->Q, s->at->F, P);
    rs_gemm('N', 'T', d, k, r, 0.5, s->G, d, P, k, 1.0, s->MQ, d);
    rs_crossprod(d, k, r, s->Q, s->G, P);
    rs_gemm('N', 'T', d, k, r, 0.5, s->at->F, d, P, k, 1.0, s->MQ, d);
    for (int i = 0; s->extra && i < k; i++)
        for (int j = 0; j < d; j++)
            s->MQ[j + (size_t)i * d] += s->extra[j] * s->Q[j + (size_t)i * d];
    rs_crossprod(d, k, k, s->Q, s->MQ, s->H);
    rs_symmetrise(k, s->H);
    rs_scale((size_t)k * k, -1.0, s->H);
    return rs_poll(s->ctx);
}

/* H = -M, Q = I */
static rs_status whole_slack(slack *s)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d, r = s->at->r;
    const size_t dd = (size_t)d * d;
    const double *S = pr->S;
    double *room = rs_alloc_double(s->ctx, S ? 1 : dd);
    s->Q = NULL;
    RS_TRY(room_for_order(d, s));
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'T', d, d, r, -1.0, s->G, d, s->at->F,
                          d, 0.0, s->H, d));
    rs_symmetrise(d, s->H);
    if (!S) {
        RS_TRY(rs_data_gram_weighted(pr->X, NULL, room));
        S = room;
    }
    rs_axpy(dd, 2.0, S, s->H);
    for (int j = 0; j < d; j++)
        s->H[j + (size_t)j * d] -= s->base + (s->extra ? s->extra[j] : 0.0);
    return rs_poll(s->ctx);
}

/* ---- its spectrum --------------------------------------------------------------- */

/* s->lowest: the smallest eigenvalue of -T (k x k) */
static rs_status find_lowest(slack *s, const double *T)
{
    RS_TRY(rs_eigen_largest(s->k, T, 1, s->values, NULL, &s->eigen));
    s->lowest = -s->values[0];
    return rs_poll(s->ctx);
}

/* the vectors Q u of Q'MQ below the threshold, smallest eigenvalue first */
static rs_status find_vectors(slack *s, double threshold, rs_spca_dual *dual)
{
    const int k = s->k;
    double *U = rs_alloc_double(s->ctx, (size_t)k * k);
    RS_TRY_ALLOC(U);
    RS_TRY(rs_eigen_above(k, s->H, -threshold, &dual->count, s->values, U,
                          &s->eigen));
    dual->count = rs_min_int(dual->count, dual->room);
    if (s->Q)
        rs_matmul(s->pr->d, k, dual->count, s->Q, U, dual->vectors);
    else
        rs_copy((size_t)k * dual->count, U, dual->vectors);
    return rs_poll(s->ctx);
}

/* s->lowest by a basis of [V, F] or of [V, F, B]; -INFINITY if it fails */
static rs_status on_basis(slack *s, int with_B)
{
    const rs_spca *pr = s->pr;
    const double g = s->base - 2.0 * pr->pairs.rest;
    int fails;
    s->lowest = -INFINITY;
    RS_TRY(find_basis(s, with_B, &fails));
    if (fails)
        return RS_OK;
    RS_TRY(multiply(s));
    const int d = pr->d, k = s->k;
    const size_t kk = (size_t)k * k;
    double *T = rs_alloc_double(s->ctx, kk);
    RS_TRY_ALLOC(T);
    rs_gemm('N', 'N', d, k, k, 1.0, s->Q, d, s->H, k, 1.0, s->MQ, d);
    const double beside = rs_norm((size_t)d * k, s->MQ);
    const double unit = RS_ERRORS * DBL_EPSILON * sqrt((double)d + k);
    const double product = unit * (2.0 * pr->trace + pr->eta + pr->lambda);
    rs_gram(d, k, s->MQ, T);
    rs_scale(kk, with_B ? 0.0 : 1.0 / g, T);
    rs_axpy(kk, 1.0, s->H, T);
    RS_TRY(find_lowest(s, T));
    s->lowest = fmin(s->lowest, g);
    s->rounding =
        product + (with_B ? beside : (2.0 * beside + product) * product / g);
    return RS_OK;
}

/* s->lowest, and the vectors below the threshold unless that is not below it */
static rs_status spectrum(slack *s, double threshold, rs_spca_dual *dual)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d, k = pr->pairs.m + s->at->r;
    dual->count = 0;
    if (s->base - 2.0 * pr->pairs.rest > RS_LEAST_FLOOR * s->base &&
        k <= RS_BASIS_SHARE * d) {
        RS_TRY(on_basis(s, 0));
        if (s->lowest >= threshold || dual->room == 0)
            return RS_OK;
        if (isfinite(s->lowest))
            RS_TRY(find_vectors(s, threshold, dual));
        if (dual->count > 0)
            return RS_OK;
    }
    s->rounding = 0.0;
    if (d <= RS_SLACK_DENSE || k + s->at->r > d) {
        RS_TRY(whole_slack(s));
        RS_TRY(find_lowest(s, s->H));
    } else {
        s->extra = NULL;
        RS_TRY(on_basis(s, 1));
    }
    return isfinite(s->lowest) && s->lowest < threshold && dual->room > 0
               ? find_vectors(s, threshold, dual)
               : RS_OK;
}

/* ---- the bound -------------------------------------------------------------------- */

/* lambda over the longest column of Z, at most 1 */
static double share_of_columns(const slack *s)
{
    const size_t d = (size_t)s->pr->d, r = (size_t)s->at->r;
    const double lambda = s->pr->lambda, *F = s->at->F, *B = s->B;
    double *BC = s->at->FC, longest = 0.0;
    rs_matmul((int)d, (int)r, (int)r, B, s->at->C, BC);
    for (size_t j = 0; j < d; j++) {
        const double own = s->extra ? s->extra[j] : 0.0;
        double square = 0.0, inner = 0.0;
        for (size_t k = 0; k < r; k++) {
            square += BC[j + k * d] * B[j + k * d];
            inner += F[j + k * d] * B[j + k * d];
        }
        longest = fmax(longest, square);
        longest = fmax(longest, square + own * (2.0 * inner + own));
    }
    longest =
        sqrt(longest) * (1.0 + RS_ERRORS * (double)(r + 4) * DBL_EPSILON);
    return longest > lambda ? lambda / longest : 1.0;
}

/* the value of the multipliers; left = ||R||^2, taken = ||A||^2 */
static void set_bound(const slack *s, rs_spca_fit *fit)
{
    const rs_spca *pr = s->pr;
    const rs_spca_point *at = s->at;
    const size_t dr = (size_t)pr->d * at->r;
    const double level = pr->lambda + pr->eta;
    const double unit = RS_ERRORS * DBL_EPSILON * sqrt((double)pr->n + pr->d);
    const double value = 4.0 * unit * pr->trace;
    const double error =
        s->rounding + unit * (2.0 * pr->trace + level +
                              rs_norm(dr, at->F) * rs_norm(dr, s->B));
    const double taken = rs_sum_squares((size_t)pr->n * at->r, at->A);
    const double a = 2.0 * (pr->trace - taken);
    const double left = rs_sum(pr->n, at->residual_square);
    const double delta = fmax(0.0, error - s->lowest);
    double part = share_of_columns(s) * (level / (level + delta));
    if (left > 0.0)
        part = fmax(fmin(part, 0.5 * a / left), 0.0);
    fit->lowest = s->lowest;
    fit->bound = part * a - part * part * left - value;
    fit->margin =
        value + fabs(a - 2.0 * part * left) * error / (level + delta);
    /* <M, Omega> = eta tr(Omega) - 2 <Xc'R, Omega> + <F B', Omega> */
    rs_matmul(pr->d, at->r, at->r, at->F, at->C, at->FC);
    const double complementarity = pr->eta * at->trace +
                                   2.0 * (left - pr->trace + taken) +
                                   rs_dot(dr, s->B, at->FC);
    fit->kkt = fmax(fmax(0.0, -s->lowest) / level,
                    fabs(complementarity) / fit->objective);
}

rs_status rs_spca_bound(rs_spca_dual *dual, rs_spca_fit *fit)
{
    const rs_spca *pr = dual->pr;
    const rs_spca_point *at = dual->at;
    const size_t dr = (size_t)pr->d * at->r;
    rs_arena_clear(dual->arena);
    slack s = {.pr = pr,
               .at = at,
               .B = dual->B,
               .extra = at->r > 0 ? dual->extra : NULL,
               .base = pr->eta + (at->r > 0 ? 0.0 : pr->lambda),
               .ctx = &dual->arena->ctx};
    fit->objective = rs_spca_objective(pr, 0.0, 0.0, at);
    RS_TRY_ALLOC(s.G = rs_alloc_double(s.ctx, dr));
    if (at->r > 0)
        RS_TRY(rs_data_crossprod(pr->X, at->r, at->A, s.G));
    rs_scale(dr, 2.0, s.G);
    rs_axpy(dr, 1.0, s.B, s.G);
    RS_TRY(spectrum(&s, dual->below * (pr->lambda + pr->eta), dual));
    set_bound(&s, fit);
    return RS_OK;
}

rs_status rs_spca_bound_point(const rs_spca *pr, rs_spca_point *at,
                              rs_spca_fit *fit)
{
    const size_t dr = (size_t)pr->d * at->r;
    double *B = rs_alloc_double(pr->ctx, dr);
    const double floor = 1e-20 * rs_largest(pr->d, at->column_square) + 1e-300;
    rs_arena arena;
    rs_spca_dual dual = {.pr = pr, .at = at, .B = B, .arena = &arena};
    RS_TRY_ALLOC(B);
    rs_arena_init(pr->ctx, &arena);
    rs_spca_weights(pr, floor, 0.0, at);
    rs_copy(dr, at->F, B);
    rs_scale_rows(pr->d, at->r, at->D, B);
    rs_scale(dr, pr->lambda, B);
    return rs_spca_bound(&dual, fit);
}
