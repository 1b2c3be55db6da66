#include <math.h>
#include <string.h>

#include "la/toprows.h"
#include "method/kmeans/kmeans.h"
#include "solve/stiefel.h"

typedef struct {
    const rs_admm_problem *p;
    rs_admm_fit *fit;
    size_t size; /* d * k */
    double mu;
    double *diagonal;                  /* d: A_ii */
    double *V, *U, *W, *Omega, *Gamma; /* d x k */
    double *PM;                        /* rank x k: P'M */
    double *weight;                    /* rank: of the columns of P */
    unsigned char *last;               /* d: the set before */
    rs_toprows_ws top;                 /* the set */
    rs_stiefel_ws stiefel;
} admm_state;

/* out += P diag(weight) P' M */
static void add_spectral(admm_state *s, const double *weight, const double *M,
                         double *out)
{
    const rs_admm_problem *p = s->p;
    rs_crossprod(p->d, p->rank, p->k, p->P, M, s->PM);
    rs_scale_rows(p->rank, p->k, weight, s->PM);
    rs_gemm('N', 'N', p->d, p->k, p->rank, 1.0, p->P, p->d, s->PM, p->rank,
            1.0, out, p->d);
}

/*
 * With C = mu (U - Omega/mu) + mu (W - Gamma/mu): the bilinear form has
 * V = sqrt(k) M / ||M||, M = A U + C, the quadratic one V = (mu I - A)^{-1} C / 2
 * by (mu I - A)^{-1} = (I + P diag(sigma^2 / (mu - sigma^2)) P') / mu
 */
static void update_V(admm_state *s)
{
    const rs_admm_problem *p = s->p;
    double *C = s->stiefel.moved;
    for (size_t i = 0; i < s->size; i++)
        C[i] = s->mu * (s->U[i] + s->W[i]) - s->Omega[i] - s->Gamma[i];
    if (p->form == RS_ADMM_QUADRATIC)
        rs_scale(s->size, 0.5 / s->mu, C);
    rs_copy(s->size, C, s->V);
    if (p->form == RS_ADMM_BILINEAR) {
        add_spectral(s, p->squares, s->U, s->V);
        const double norm = rs_norm(s->size, s->V);
        if (norm > 0.0)
            rs_scale(s->size, sqrt((double)p->k) / norm, s->V);
        return;
    }
    for (int j = 0; j < p->rank; j++)
        s->weight[j] = p->squares[j] / (s->mu - p->squares[j]);
    add_spectral(s, s->weight, C, s->V);
}

/* U = polar(A V + mu (V + Omega/mu)); the quadratic form has no A V */
static rs_status update_U(admm_state *s)
{
    for (size_t i = 0; i < s->size; i++)
        s->U[i] = s->mu * s->V[i] + s->Omega[i];
    if (s->p->form == RS_ADMM_BILINEAR)
        add_spectral(s, s->p->squares, s->V, s->U);
    return rs_stiefel_polar(s->U, &s->stiefel);
}

/* W = the k rows of V + Gamma/mu with the largest norm, ties by the given order */
static rs_status update_W(admm_state *s)
{
    for (size_t i = 0; i < s->size; i++)
        s->W[i] = s->V[i] + s->Gamma[i] / s->mu;
    memcpy(s->last, s->top.keep, (size_t)s->p->d);
    return rs_toprows_keep(s->p->k, s->p->k, s->p->tie, s->W, &s->top);
}

/* Omega += mu (V - U), Gamma += mu (V - W), mu <- min(rho mu, mu_max) */
static void update_multipliers(admm_state *s)
{
    for (size_t i = 0; i < s->size; i++) {
        s->Omega[i] += s->mu * (s->V[i] - s->U[i]);
        s->Gamma[i] += s->mu * (s->V[i] - s->W[i]);
    }
    s->mu = fmin(s->mu * s->p->rho, s->p->mu_max);
}

/* -sum A_ii over the set, A_ii = sum_j sigma_j^2 p_ij^2 */
static double objective(const admm_state *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->p->d; i++)
        if (s->top.keep[i])
            sum += s->diagonal[i];
    return -sum;
}

/* V = U = W = the start made orthonormal, Omega = Gamma = 0 */
static rs_status begin(rs_context *ctx, const rs_admm_problem *p,
                       rs_admm_fit *fit, admm_state *s)
{
    rs_qr_ws qr;
    *s = (admm_state){
        .p = p, .fit = fit, .size = (size_t)p->d * p->k, .mu = p->mu};
    RS_ALLOC_DOUBLES(ctx, s->size, &s->V, &s->U, &s->W, &s->Omega, &s->Gamma);
    s->diagonal = rs_alloc_double(ctx, (size_t)p->d);
    s->PM = rs_alloc_double(ctx, (size_t)p->rank * p->k);
    s->weight = rs_alloc_double(ctx, (size_t)p->rank);
    s->last = (unsigned char *)rs_alloc(ctx, (size_t)p->d, 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_toprows_init(ctx, p->d, &s->top));
    RS_TRY(rs_history_init(ctx, p->maxit, &fit->history));
    RS_TRY(rs_stiefel_init(ctx, p->d, p->k, &s->stiefel));
    RS_TRY(rs_qr_init(ctx, p->d, p->k, &qr));
    memset(s->top.keep, 0, (size_t)p->d);
    rs_fill((size_t)p->d, 0.0, s->diagonal);
    for (int j = 0; j < p->rank; j++)
        for (int i = 0; i < p->d; i++) {
            const double entry = p->P[i + (size_t)j * p->d];
            s->diagonal[i] += p->squares[j] * entry * entry;
        }
    rs_copy(s->size, p->start, s->V);
    RS_TRY(rs_qr_orthonormal(p->d, p->k, s->V, &qr));
    rs_copy(s->size, s->V, s->U);
    rs_copy(s->size, s->V, s->W);
    rs_fill(s->size, 0.0, s->Omega);
    rs_fill(s->size, 0.0, s->Gamma);
    return RS_OK;
}

rs_status rs_kmeans_admm(rs_context *ctx, const rs_admm_problem *p,
                         rs_admm_fit *fit)
{
    admm_state s;
    int unchanged = 0;
    const double root = sqrt((double)p->k);
    RS_TRY(begin(ctx, p, fit, &s));
    for (int t = 0; t < p->maxit && unchanged < p->patience; t++) {
        update_V(&s);
        fit->norms[t] = rs_norm(s.size, s.V);
        if (!isfinite(fit->norms[t]))
            return RS_NOT_FINITE;
        RS_TRY(update_U(&s));
        RS_TRY(update_W(&s));
        update_multipliers(&s);
        rs_history_add(&fit->history, objective(&s));
        unchanged =
            memcmp(s.top.keep, s.last, (size_t)p->d) == 0 ? unchanged + 1 : 0;
        RS_TRY(rs_poll(ctx));
    }
    fit->gap_U = rs_distance(s.size, s.V, s.U) / root;
    fit->gap_W = rs_distance(s.size, s.V, s.W) / root;
    rs_copy((size_t)p->d, s.top.norms, fit->scores);
    rs_topk_order(p->d, fit->scores, p->k, fit->selected, s.top.norms);
    return unchanged < p->patience ? RS_MAXIT : RS_OK;
}
