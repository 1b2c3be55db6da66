#include <math.h>
#include <string.h>

#include "base/select.h"
#include "solve/stiefel.h"
#include "method/kmeans/admm.h"

typedef struct {
    const rs_admm_settings *set;
    rs_admm_fit *fit;
    int d, rank, k;
    size_t size;           /* d * k */
    const double *P;       /* d x rank */
    const double *squares; /* rank */
    double *diagonal;      /* d: A_ii */
    double mu;
    double *V, *U, *W, *Omega, *Gamma; /* d x k */
    double *PM;                        /* rank x k: P'M */
    double *work;                      /* d */
    unsigned char *keep, *last;        /* d: the set, and the one before */
    rs_choose_ws choose;
    rs_stiefel_ws stiefel;
} admm_state;

/* A_ii = sum_j sigma_j^2 p_ij^2 */
static void diagonal_of_A(admm_state *s)
{
    rs_fill((size_t)s->d, 0.0, s->diagonal);
    for (int j = 0; j < s->rank; j++) {
        const double *p = s->P + (size_t)j * s->d;
        for (int i = 0; i < s->d; i++)
            s->diagonal[i] += s->squares[j] * p[i] * p[i];
    }
}

/* out += P diag(weight) P' M */
static void add_spectral(admm_state *s, const double *weight, const double *M,
                         double *out)
{
    rs_crossprod(s->d, s->rank, s->k, s->P, M, s->PM);
    rs_scale_rows(s->rank, s->k, weight, s->PM);
    rs_gemm('N', 'N', s->d, s->k, s->rank, 1.0, s->P, s->d, s->PM, s->rank,
            1.0, out, s->d);
}

/* out = mu (U - Omega / mu) + mu (W - Gamma / mu) */
static void pull(const admm_state *s, double *out)
{
    for (size_t i = 0; i < s->size; i++)
        out[i] = s->mu * (s->U[i] + s->W[i]) - s->Omega[i] - s->Gamma[i];
}

/* V = sqrt(k) M / ||M||,  M = A U + mu (U - Omega/mu) + mu (W - Gamma/mu) */
static void update_V_bilinear(admm_state *s)
{
    pull(s, s->V);
    add_spectral(s, s->squares, s->U, s->V);
    double norm = rs_norm(s->size, s->V);
    if (norm > 0.0)
        rs_scale(s->size, sqrt((double)s->k) / norm, s->V);
}

/*
 * V = (mu/2) (mu I - A)^{-1} (B + C), B = U - Omega/mu, C = W - Gamma/mu, by
 * (mu I - A)^{-1} = (I + P diag(sigma^2 / (mu - sigma^2)) P') / mu
 */
static void update_V_quadratic(admm_state *s, double *weight)
{
    double *BC = s->stiefel.moved;
    pull(s, BC);
    rs_scale(s->size, 0.5 / s->mu, BC);
    for (int j = 0; j < s->rank; j++)
        weight[j] = s->squares[j] / (s->mu - s->squares[j]);
    rs_copy(s->size, BC, s->V);
    add_spectral(s, weight, BC, s->V);
}

/* U = polar(A V + mu (V + Omega/mu)); the quadratic form has no A V */
static rs_status update_U(admm_state *s)
{
    for (size_t i = 0; i < s->size; i++)
        s->U[i] = s->mu * s->V[i] + s->Omega[i];
    if (s->set->form == RS_ADMM_BILINEAR)
        add_spectral(s, s->squares, s->V, s->U);
    return rs_stiefel_polar(s->U, &s->stiefel);
}

/* W = the k rows of V + Gamma/mu with the largest norm, ties by the given
 * order */
static rs_status update_W(admm_state *s)
{
    for (size_t i = 0; i < s->size; i++)
        s->W[i] = s->V[i] + s->Gamma[i] / s->mu;
    rs_row_norms(s->d, s->k, s->W, s->fit->scores);
    memcpy(s->last, s->keep, (size_t)s->d);
    RS_TRY(rs_choose_mask((size_t)s->d, s->fit->scores, s->set->tie,
                          (size_t)s->d, (size_t)s->k, s->keep, &s->choose));
    for (int c = 0; c < s->k; c++)
        for (int i = 0; i < s->d; i++)
            if (!s->keep[i])
                s->W[i + (size_t)c * s->d] = 0.0;
    return RS_OK;
}

/* Omega += mu (V - U), Gamma += mu (V - W), mu <- min(rho mu, mu_max) */
static void update_multipliers(admm_state *s)
{
    for (size_t i = 0; i < s->size; i++) {
        s->Omega[i] += s->mu * (s->V[i] - s->U[i]);
        s->Gamma[i] += s->mu * (s->V[i] - s->W[i]);
    }
    s->mu = fmin(s->mu * s->set->rho, s->set->mu_max);
}

/* -sum A_ii over the set */
static double objective(const admm_state *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->d; i++)
        if (s->keep[i])
            sum += s->diagonal[i];
    return -sum;
}

/* V = U = W = the start made orthonormal, Omega = Gamma = 0 */
static rs_status start_point(rs_context *ctx, const double *start,
                             admm_state *s)
{
    rs_qr_ws qr;
    rs_copy(s->size, start, s->V);
    RS_TRY(rs_qr_init(ctx, s->d, s->k, &qr));
    RS_TRY(rs_qr_orthonormal(s->d, s->k, s->V, &qr));
    rs_copy(s->size, s->V, s->U);
    rs_copy(s->size, s->V, s->W);
    rs_fill(s->size, 0.0, s->Omega);
    rs_fill(s->size, 0.0, s->Gamma);
    return RS_OK;
}

static rs_status init_state(rs_context *ctx, int d, int rank, int k,
                            const double *P, const double *squares,
                            const rs_admm_settings *settings, rs_admm_fit *fit,
                            admm_state *s)
{

    *s = (admm_state){.set = settings,
                      .fit = fit,
                      .d = d,
                      .rank = rank,
                      .k = k,
                      .size = (size_t)d * k,
                      .P = P,
                      .squares = squares,
                      .mu = settings->mu};
    RS_ALLOC_DOUBLES(ctx, s->size, &s->V, &s->U, &s->W, &s->Omega, &s->Gamma);
    RS_ALLOC_DOUBLES(ctx, (size_t)d, &s->diagonal, &s->work);
    s->PM = rs_alloc_double(ctx, (size_t)rank * k);
    RS_ALLOC_BYTES(ctx, (size_t)d, &s->keep, &s->last);
    RS_TRY(rs_allocated(ctx));
    memset(s->keep, 0, (size_t)d);
    fit->blown_up = 0;
    diagonal_of_A(s);
    RS_TRY(rs_choose_init(ctx, (size_t)d, &s->choose));
    RS_TRY(rs_history_init(ctx, settings->maxit, &fit->history));
    return rs_stiefel_init(ctx, d, k, &s->stiefel);
}

/* V, and whether its norm left the scale of the constraint ||V||^2 = k */
static rs_status update_V(int iteration, double *weight, admm_state *s)
{
    if (s->set->form == RS_ADMM_BILINEAR)
        update_V_bilinear(s);
    else
        update_V_quadratic(s, weight);
    double norm = rs_norm(s->size, s->V);
    if (!isfinite(norm))
        return RS_NOT_FINITE;
    s->fit->norms[iteration] = norm;
    s->fit->blown_up |= norm > RS_ADMM_BLOW_UP * sqrt((double)s->k);
    return RS_OK;
}

static void finish(admm_state *s)
{
    double root = sqrt((double)s->k);
    s->fit->gap_U = rs_distance(s->size, s->V, s->U) / root;
    s->fit->gap_W = rs_distance(s->size, s->V, s->W) / root;
    rs_topk_order(s->d, s->fit->scores, s->k, s->fit->selected, s->work);
}

rs_status rs_kmeans_admm(rs_context *ctx, int d, int rank, int k,
                         const double *P, const double *squares,
                         const double *start, const rs_admm_settings *settings,
                         rs_admm_fit *fit)
{
    admm_state s;
    int unchanged = 0;
    double *weight = rs_alloc_double(ctx, (size_t)rank);
    RS_TRY_ALLOC(weight);
    RS_TRY(init_state(ctx, d, rank, k, P, squares, settings, fit, &s));
    RS_TRY(start_point(ctx, start, &s));
    for (int t = 0; t < settings->maxit && unchanged < settings->patience;
         t++) {
        RS_TRY(update_V(t, weight, &s));
        RS_TRY(update_U(&s));
        RS_TRY(update_W(&s));
        update_multipliers(&s);
        rs_history_add(&fit->history, objective(&s));
        unchanged = memcmp(s.keep, s.last, (size_t)d) == 0 ? unchanged + 1 : 0;
        RS_TRY(rs_poll(ctx));
    }
    finish(&s);
    return unchanged < settings->patience ? RS_MAXIT : RS_OK;
}
