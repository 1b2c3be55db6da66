#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/penalty.h"
#include "solve/stiefel.h"

/* a copy of what is to be equal to it, and the multiplier of that */
typedef struct {
    size_t count;
    double *copy, *multiplier;
} split;

typedef struct {
    const rs_eufs_problem *p;
    rs_eufs_fit *fit;
    int n, d, c;
    double mu;
    double *X;     /* n x d */
    double *B;     /* n x d: X - U V' + Y3/mu, then X - E + Y3/mu */
    double *U;     /* n x c */
    double *V;     /* d x c */
    split Z, J, E; /* of U, V, X - U V'; with Y1, Y2, Y3 */
    double *LU;    /* n x c: L times U, Z or N */
    double *N;     /* n x c: what U is the polar factor of; the rounded Z */
    double *row;   /* 2 n: norms of the samples, scratch */
    double *norm;  /* 2 d */
    int *label;    /* n: the column of the largest entry of a row of Z */
    rs_stiefel_ws stiefel;
} eufs_state;

/* ---- steps of the ADMM --------------------------------------------------------- */

/* to (n x d) -= U V' */
static rs_status take_product(eufs_state *s, double *to)
{
    return rs_gemm_polled(s->p->X->ctx, 'N', 'T', s->n, s->d, s->c, -1.0, s->U,
                          s->n, s->V, s->d, 1.0, to, s->n);
}

/* E = the rows of X - U V' + Y3/mu shrunk by 1/mu, and B = X - E + Y3/mu */
static rs_status update_E(eufs_state *s)
{
    double *E = s->E.copy;
    for (size_t i = 0; i < s->E.count; i++)
        E[i] = s->B[i] = s->X[i] + s->E.multiplier[i] / s->mu;
    RS_TRY(take_product(s, E));
    rs_prox_rows(NULL, s->n, s->d, E, 1.0 / s->mu, 1.0, s->row, s->row + s->n);
    rs_subtract(s->E.count, s->B, E, s->B);
    return rs_poll(s->p->X->ctx);
}

/* V = ((X - E + Y3/mu)'U + J + Y2/mu) / 2 */
static rs_status update_V(eufs_state *s)
{
    rs_copy(s->J.count, s->J.copy, s->V);
    rs_axpy(s->J.count, 1.0 / s->mu, s->J.multiplier, s->V);
    return rs_gemm_polled(s->p->X->ctx, 'T', 'N', s->d, s->c, s->n, 0.5, s->B,
                          s->n, s->U, s->n, 0.5, s->V, s->d);
}

/* J = the rows of V - Y2/mu shrunk by alpha/mu */
static void update_J(eufs_state *s)
{
    rs_copy(s->J.count, s->V, s->J.copy);
    rs_axpy(s->J.count, -1.0 / s->mu, s->J.multiplier, s->J.copy);
    rs_prox_rows(NULL, s->d, s->c, s->J.copy, s->p->alpha / s->mu, 1.0,
                 s->norm, s->norm + s->d);
}

/* Z = (U - Y1/mu - (beta/mu) L U)_+ */
static rs_status update_Z(eufs_state *s)
{
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, s->U, s->LU));
    for (size_t i = 0; i < s->Z.count; i++)
        s->Z.copy[i] =
            fmax(0.0, s->U[i] - (s->Z.multiplier[i] + s->p->beta * s->LU[i]) /
                                    s->mu);
    return RS_OK;
}

/* U = polar(Z + Y1/mu - (beta/mu) L Z + (X - E + Y3/mu) V) */
static rs_status update_U(eufs_state *s)
{
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, s->Z.copy, s->LU));
    for (size_t i = 0; i < s->Z.count; i++)
        s->N[i] = s->Z.copy[i] +
                  (s->Z.multiplier[i] - s->p->beta * s->LU[i]) / s->mu;
    RS_TRY(rs_gemm_polled(s->p->X->ctx, 'N', 'N', s->n, s->c, s->d, 1.0, s->B,
                          s->n, s->V, s->d, 1.0, s->N, s->n));
    if (!(rs_sum_squares(s->Z.count, s->N) > 0.0))
        return RS_OK;
    rs_copy(s->Z.count, s->N, s->U);
    return rs_stiefel_polar(s->U, &s->stiefel);
}

/* Y1 += mu (Z - U), Y2 += mu (J - V), Y3 += mu (X - U V' - E), mu grows; the
 * residuals are kept */
static rs_status update_multipliers(eufs_state *s)
{
    double *residual = s->fit->residual;
    rs_subtract(s->E.count, s->X, s->E.copy, s->B);
    RS_TRY(take_product(s, s->B));
    residual[0] =
        rs_distance(s->Z.count, s->Z.copy, s->U) / sqrt((double)s->c);
    residual[1] = rs_distance(s->J.count, s->J.copy, s->V) /
                  fmax(rs_norm(s->J.count, s->V), sqrt((double)s->n));
    residual[2] = rs_norm(s->E.count, s->B) / sqrt((double)s->n);
    rs_axpy(s->E.count, s->mu, s->B, s->E.multiplier);
    for (size_t i = 0; i < s->Z.count; i++)
        s->Z.multiplier[i] += s->mu * (s->Z.copy[i] - s->U[i]);
    for (size_t i = 0; i < s->J.count; i++)
        s->J.multiplier[i] += s->mu * (s->J.copy[i] - s->V[i]);
    s->mu = fmin(s->mu * s->p->rho, s->p->largest_mu);
    return RS_OK;
}

/* ---- the guard ----------------------------------------------------------------- */

/* N = of Z the largest entry of every row, in columns of norm 1; a sample
 * without one has none. Is there a sample in every column? */
static int round_Z(eufs_state *s)
{
    const size_t n = (size_t)s->n;
    rs_fill(s->Z.count, 0.0, s->N);
    for (size_t i = 0; i < n; i++) {
        s->label[i] = 0;
        for (int l = 1; l < s->c; l++)
            if (s->Z.copy[i + n * l] > s->Z.copy[i + n * s->label[i]])
                s->label[i] = l;
        s->N[i + n * s->label[i]] = s->Z.copy[i + n * s->label[i]];
    }
    rs_unit_columns(s->n, s->c, s->N);
    for (int l = 0; l < s->c; l++)
        if (!(rs_norm(n, s->N + n * l) > 0.0))
            return 0;
    return 1;
}

/* f of the rounded Z and V; row receives the norms of the residuals */
static rs_status objective(eufs_state *s, const double *V, double *f)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d;
    rs_fill(n, 0.0, s->row);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < n; i++) {
            const size_t l = (size_t)s->label[i];
            const double rest =
                s->X[i + n * j] - s->N[i + n * l] * V[j + d * l];
            s->row[i] += rest * rest;
        }
    for (size_t i = 0; i < n; i++)
        s->row[i] = sqrt(s->row[i]);
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, s->N, s->LU));
    *f = rs_sum(s->n, s->row) +
         s->p->alpha * rs_row_norms(s->d, s->c, V, s->norm) +
         s->p->beta * rs_dot(s->Z.count, s->N, s->LU);
    return isfinite(*f) ? rs_poll(s->p->X->ctx) : RS_NOT_FINITE;
}

/* the rounded Z and V become the fit, pull_j = ||x_j' diag(1 / residual) N|| */
static rs_status keep(eufs_state *s, const double *V, int iteration)
{
    s->fit->best = iteration;
    rs_copy(s->Z.count, s->N, s->fit->U);
    for (int i = 0; i < s->n; i++)
        s->row[i] = s->row[i] > 0.0 ? 1.0 / s->row[i] : 0.0;
    rs_scale_rows(s->n, s->c, s->row, s->N);
    RS_TRY(rs_gemm_polled(s->p->X->ctx, 'T', 'N', s->d, s->c, s->n, 1.0, s->X,
                          s->n, s->N, s->n, 0.0, s->fit->V, s->d));
    rs_row_norms(s->d, s->c, s->fit->V, s->fit->pull);
    rs_copy(s->J.count, V, s->fit->V);
    return RS_OK;
}

static rs_status guard(eufs_state *s, const double *V, int iteration)
{
    rs_history *history = &s->fit->history;
    double best = iteration > 0 ? rs_history_last(history) : INFINITY, f;
    if (round_Z(s)) {
        RS_TRY(objective(s, V, &f));
        if (f < best) {
            best = f;
            RS_TRY(keep(s, V, iteration));
        }
    }
    rs_history_add(history, best);
    return RS_OK;
}

/* ---- the loop ------------------------------------------------------------------- */

static rs_status init_state(rs_context *ctx, const rs_eufs_problem *p,
                            rs_eufs_fit *fit, eufs_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, c = (size_t)p->c;
    *s = (eufs_state){.p = p,
                      .fit = fit,
                      .n = p->X->n,
                      .d = p->X->d,
                      .c = p->c,
                      .Z.count = n * c,
                      .J.count = d * c,
                      .E.count = n * d,
                      .mu = p->mu};
    RS_ALLOC_DOUBLES(ctx, s->E.count, &s->X, &s->B, &s->E.copy,
                     &s->E.multiplier);
    RS_ALLOC_DOUBLES(ctx, s->Z.count, &s->U, &s->Z.copy, &s->Z.multiplier,
                     &s->LU, &s->N);
    RS_ALLOC_DOUBLES(ctx, s->J.count, &s->V, &s->J.copy, &s->J.multiplier);
    s->row = rs_alloc_double(ctx, 2 * n);
    s->norm = rs_alloc_double(ctx, 2 * d);
    s->label = rs_alloc_int(ctx, n);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    return rs_stiefel_init(ctx, s->n, s->c, &s->stiefel);
}

/* U = Z as given, V = J = X'U, no multipliers */
static rs_status begin(eufs_state *s)
{
    for (int j = 0; j < s->d; j += RS_PANEL)
        RS_TRY(rs_data_columns(s->p->X, rs_min_int(RS_PANEL, s->d - j), NULL,
                               j, s->X + (size_t)s->n * j));
    rs_scale(s->E.count, 1.0 / s->p->size, s->X);
    rs_copy(s->Z.count, s->fit->U, s->U);
    rs_copy(s->Z.count, s->fit->U, s->Z.copy);
    RS_TRY(rs_gemm_polled(s->p->X->ctx, 'T', 'N', s->d, s->c, s->n, 1.0, s->X,
                          s->n, s->U, s->n, 0.0, s->V, s->d));
    rs_copy(s->J.count, s->V, s->J.copy);
    rs_fill(s->Z.count, 0.0, s->Z.multiplier);
    rs_fill(s->J.count, 0.0, s->J.multiplier);
    rs_fill(s->E.count, 0.0, s->E.multiplier);
    RS_TRY(guard(s, s->V, 0));
    rs_row_norms(s->d, s->c, s->V, s->norm);
    s->fit->level = rs_largest(s->d, s->norm);
    return RS_OK;
}

rs_status rs_eufs(rs_context *ctx, const rs_eufs_problem *p, rs_eufs_fit *fit)
{
    eufs_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(init_state(ctx, p, fit, &s));
    RS_TRY(begin(&s));
    for (int k = 0; k < p->maxit && status == RS_MAXIT; k++) {
        RS_TRY(update_E(&s));
        RS_TRY(update_V(&s));
        update_J(&s);
        RS_TRY(update_Z(&s));
        RS_TRY(update_U(&s));
        RS_TRY(update_multipliers(&s));
        RS_TRY(guard(&s, s.J.copy, k + 1));
        if (rs_largest(3, fit->residual) <= p->tol)
            status = RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return status;
}
