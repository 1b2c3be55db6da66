#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/centre.h"
#include "method/spca_psd/ridge.h"
#include "method/spca_psd/plain.h"
#include "solve/reweight.h"

/*
 * A step is W = (S_T + A_0)^{-1} S_T with A_0 = diag(c) + eta N. As
 * S_T = Xt'(T/2) Xt, W lies in the row space of Xt: by Woodbury's formula
 *
 *   W = L Xt,  L = A_0^{-1} Xt'Q,
 *   Q = (2 T^{-1} + H)^{-1},  H = Xt A_0^{-1} Xt',
 *   R = Xt - Xt W = P Xt,  P = I - H Q = 2 T^{-1} Q.
 *
 * The nuclear norm: with Gamma Gamma' = Xt Xt' and W = V diag(sigma) .., the
 * matrix L Gamma has the singular values of W and the vectors V. N is
 * nu_i = 1 / (2 sqrt(sigma_i^2 + floor)) on V and nu_0 beyond, so that
 *
 *   A_0 = D - eta Vs Vs',  D = diag(c + eta nu_0),
 *   Vs = V diag(nu_0 - nu_i)^{1/2}
 *   A_0^{-1} = D^{-1} + D^{-1} Vs M^{-1} Vs' D^{-1},
 *   M = (diag(nu) + Vs' C D^{-1} Vs) / (eta nu_0),
 *
 * which is sums of positive semidefinite matrices only: nothing cancels,
 * however large nu_0 is. Vs = L Gamma U diag(s), and
 * s_i^2 = (nu_0 - nu_i) / sigma_i^2 is finite where sigma_i = 0.
 */

typedef struct {
    const rs_spca *pr;
    rs_spca_smoothing smoothing;
    rs_spca_point *at;
    rs_ridge system;     /* 2 T^{-1} + H */
    double *c, *e;       /* d: c and the inverse of D */
    double *share;       /* d: roots of c e / (eta nu_0) */
    double *s_inverse;   /* n: 2 / t */
    double *L, *LU, *B;  /* d x n: L, L Gamma U, D^{-1} Vs */
    double *G, *Q, *P;   /* n x n */
    double *Gamma, *U;   /* n x n: a root of G; Gamma U */
    double *M, *Y;       /* n x n: the factor R of M; Xt B R^{-1} */
    double *N1, *N2;     /* n x n scratch */
    double *g;           /* n */
    double *sigma;       /* n: squares of the singular values */
    double *nu, *s;      /* n */
    double nu_0;         /* 0: N is diagonal, or there is none */
    const double *first; /* d: the diagonal of the first W, or NULL */
    rs_eigen_ws eigen;
} wide_state;

static rs_status init_state(const rs_spca *pr,
                            const rs_spca_paper_settings *set,
                            rs_spca_point *at, double *left, double *right,
                            wide_state *s)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    *s = (wide_state){.pr = pr,
                      .smoothing = rs_spca_plain_smoothing(pr, set),
                      .at = at,
                      .L = left,
                      .B = right};
    RS_ALLOC_DOUBLES(pr->ctx, n * n, &s->G, &s->Q, &s->P, &s->Gamma, &s->U,
                     &s->M, &s->Y, &s->N1, &s->N2);
    RS_ALLOC_DOUBLES(pr->ctx, n, &s->s_inverse, &s->g, &s->sigma, &s->nu,
                     &s->s);
    RS_ALLOC_DOUBLES(pr->ctx, d, &s->c, &s->e, &s->share);
    s->LU = rs_alloc_double(pr->ctx, d * n);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_eigen_init(pr->ctx, pr->n, &s->eigen));
    return rs_ridge_init(pr->ctx, pr->n, &s->system);
}

/* to <- diag(row) from diag(column), both d x n */
static void scale_into(int d, int n, const double *from, const double *row,
                       const double *column, double *to)
{
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)d * i;
        for (int j = 0; j < d; j++)
            to[at + j] = row[j] * from[at + j] * column[i];
    }
}

/* ---- the step ------------------------------------------------------------ */

/* c and D^{-1} of the weights */
static void use_weights(wide_state *s, double ridge)
{
    const rs_spca *pr = s->pr;
    const double floor = s->smoothing.set.floors.column;
    for (int j = 0; j < pr->d; j++) {
        double nu = s->nu_0;
        if (nu == 0.0)
            nu = s->first ? rs_reweight(s->first[j] * s->first[j], floor, 1.0)
                          : 1.0;
        s->c[j] = 0.5 * pr->lambda * s->at->D[j] + ridge;
        s->e[j] = 1.0 / (s->c[j] + pr->eta * nu);
    }
}

/* B = D^{-1} Vs, M = R'R, Y = Xt B R^{-1} */
static rs_status factor_nuclear(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    const double unit = 1.0 / (pr->eta * s->nu_0);
    for (int j = 0; j < d; j++)
        s->share[j] = sqrt(s->c[j] * s->e[j] * unit);
    scale_into(d, n, s->LU, s->share, s->s, s->B);
    RS_TRY(rs_gemm_polled(pr->ctx, 'T', 'N', n, n, d, 1.0, s->B, d, s->B, d,
                          0.0, s->M, n));
    for (int i = 0; i < n; i++)
        s->M[i + (size_t)n * i] += s->nu[i] * unit;
    RS_TRY(rs_cholesky_polled(pr->ctx, n, s->M));
    scale_into(d, n, s->LU, s->e, s->s, s->B);
    RS_TRY(rs_spca_times(pr, s->at->centre.c, n, s->B, s->Y));
    rs_triangular_solve('R', 'N', n, n, s->M, n, s->Y, n);
    return rs_poll(pr->ctx);
}

/* Q = (2 T^{-1} + H)^{-1}, P = 2 T^{-1} Q */
static rs_status factor_samples(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n;
    for (int i = 0; i < n; i++)
        s->s_inverse[i] = 2.0 / s->at->t[i];
    RS_TRY(rs_spca_gram(pr, &s->at->centre, s->e, s->g, s->system.A));
    if (s->nu_0 > 0.0)
        rs_syrk_add(n, n, s->Y, n, s->system.A);
    RS_TRY(rs_ridge_factor(n, s->s_inverse, &s->system));
    RS_TRY(rs_ridge_inverse(s->Q, &s->system));
    rs_copy((size_t)n * n, s->Q, s->P);
    rs_scale_rows(n, n, s->s_inverse, s->P);
    return rs_poll(pr->ctx);
}

/* L = D^{-1} Xt'Q + B R^{-1} Y'Q */
static rs_status update_w(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    use_weights(s, s->smoothing.set.ridge);
    if (s->nu_0 > 0.0)
        RS_TRY(factor_nuclear(s));
    RS_TRY(factor_samples(s));
    RS_TRY(rs_spca_crossprod(pr, s->at->centre.c, n, s->Q, s->L));
    rs_scale_rows(d, n, s->e, s->L);
    if (s->nu_0 == 0.0)
        return rs_poll(pr->ctx);
    rs_crossprod(n, n, n, s->Y, s->Q, s->N1);
    rs_triangular_solve('L', 'N', n, n, s->M, n, s->N1, n);
    return rs_gemm_polled(pr->ctx, 'N', 'N', d, n, n, 1.0, s->B, d, s->N1, n,
                          1.0, s->L, d);
}

/* ---- what follows from W ------------------------------------------------- */

/* Gamma with Gamma Gamma' = G */
static rs_status root_of_gram(wide_state *s)
{
    const int n = s->pr->n;
    RS_TRY(rs_eigen_largest(n, s->G, n, s->g, s->Gamma, &s->eigen));
    for (int i = 0; i < n; i++)
        rs_scale((size_t)n, sqrt(fmax(s->g[i], 0.0)),
                 s->Gamma + (size_t)n * i);
    return rs_poll(s->pr->ctx);
}

/* nu and s of the singular values, and nu_0 */
static void weigh_nuclear(wide_state *s)
{
    const double floor = s->smoothing.set.floors.column, low = sqrt(floor);
    if (s->pr->eta == 0.0)
        return;
    s->nu_0 = rs_reweight(0.0, floor, 1.0);
    for (int i = 0; i < s->pr->n; i++) {
        const double high = sqrt(s->sigma[i] + floor);
        s->nu[i] = rs_reweight(s->sigma[i], floor, 1.0);
        s->s[i] = sqrt(0.5 / (low * high * (low + high)));
    }
}

/* LU = L Gamma U with orthogonal columns, their squares, ||W||_* */
static rs_status split_w(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    RS_TRY(rs_gemm_polled(pr->ctx, 'T', 'N', n, n, d, 1.0, s->L, d, s->L, d,
                          0.0, s->N1, n));
    rs_matmul(n, n, n, s->N1, s->Gamma, s->N2);
    rs_crossprod(n, n, n, s->Gamma, s->N2, s->N1);
    rs_symmetrise(n, s->N1);
    RS_TRY(rs_eigen_largest(n, s->N1, n, s->sigma, s->N2, &s->eigen));
    rs_matmul(n, n, n, s->Gamma, s->N2, s->U);
    RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, n, n, 1.0, s->L, d, s->U, n,
                          0.0, s->LU, d));
    s->at->trace = 0.0;
    for (int i = 0; i < n; i++) {
        s->sigma[i] = rs_sum_squares((size_t)d, s->LU + (size_t)d * i);
        s->at->trace += sqrt(s->sigma[i]);
    }
    weigh_nuclear(s);
    return RS_OK;
}

/* ||w^j||^2 = l_j'G l_j, ||r_i||^2 = p_i'G p_i, ||W||_* */
static rs_status measure(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    if (pr->adaptive)
        RS_TRY(rs_spca_gram(pr, &s->at->centre, NULL, s->g, s->G));
    rs_matmul(n, n, n, s->P, s->G, s->N1);
    rs_row_products(n, n, s->P, s->N1, s->at->residual_square);
    if (pr->eta > 0.0) {
        if (pr->adaptive)
            RS_TRY(root_of_gram(s));
        RS_TRY(split_w(s));
        rs_row_products(d, n, s->LU, s->LU, s->at->column_square);
        return rs_poll(pr->ctx);
    }
    RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, n, n, 1.0, s->L, d, s->G, n,
                          0.0, s->LU, d));
    rs_row_products(d, n, s->L, s->LU, s->at->column_square);
    return rs_poll(pr->ctx);
}

/* ---- the end ------------------------------------------------------------- */

/* ||S_T||, S_T = Xt'(T/2) Xt */
static double scatter_norm(const wide_state *s)
{
    const int n = s->pr->n;
    const double *t = s->at->t;
    double square = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double g = s->G[i + (size_t)n * j];
            square += 0.25 * t[i] * t[j] * g * g;
        }
    return sqrt(square);
}

/*
 * The gradient (S_T + A_0) W - S_T with the weights of W and without the ridge
 * is -Xt'(T/2) P Xt + A_0 L Xt. With Gamma U in place of Xt, which has the same
 * norm, it is -Xt'(T/2) P Gamma U + C LU + eta LU diag(nu). Overwrites B, c, e.
 */
static rs_status stationarity(wide_state *s, double *kkt)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    if (pr->eta == 0.0) {
        RS_TRY(root_of_gram(s));
        rs_copy((size_t)n * n, s->Gamma, s->U);
        RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, n, n, 1.0, s->L, d, s->U,
                              n, 0.0, s->LU, d));
    }
    rs_matmul(n, n, n, s->P, s->U, s->N1);
    for (int i = 0; i < n; i++)
        s->g[i] = -0.5 * s->at->t[i];
    rs_scale_rows(n, n, s->g, s->N1);
    RS_TRY(rs_spca_crossprod(pr, s->at->centre.c, n, s->N1, s->B));
    use_weights(s, 0.0);
    for (int i = 0; i < n; i++) {
        const double nuclear = pr->eta > 0.0 ? pr->eta * s->nu[i] : 0.0;
        const size_t at = (size_t)d * i;
        for (int j = 0; j < d; j++)
            s->B[at + j] += (s->c[j] + nuclear) * s->LU[at + j];
    }
    *kkt = rs_norm((size_t)d * n, s->B) / scatter_norm(s);
    return RS_OK;
}

/* the right factor of W is Xt' */
static rs_status second_factor(wide_state *s)
{
    const int n = s->pr->n;
    rs_fill((size_t)n * n, 0.0, s->N1);
    for (int i = 0; i < n; i++)
        s->N1[i + (size_t)i * n] = 1.0;
    return rs_spca_crossprod(s->pr, s->at->centre.c, n, s->N1, s->B);
}

/* the best centre for W; the last objective becomes that of it. The residuals
 * P Xt have the coordinates P U, since U U' = G */
static rs_status finish_centre(wide_state *s, rs_history *history)
{
    const int n = s->pr->n;
    if (!s->pr->adaptive)
        return RS_OK;
    rs_matmul(n, n, n, s->P, s->U, s->N1);
    RS_TRY(rs_spca_best_centre(s->pr, n, s->N1, s->at->residual_square,
                               &s->at->centre));
    rs_history_replace(history,
                       rs_spca_objective(s->pr, &rs_spca_unsmoothed, s->at));
    return RS_OK;
}

/* G does not change where the centre is fixed */
static rs_status begin(const double *start, wide_state *s)
{
    s->first = start;
    s->at->trace = 0.0;
    for (int j = 0; start && j < s->pr->d; j++)
        s->at->trace += start[j];
    if (s->pr->adaptive)
        return RS_OK;
    RS_TRY(rs_spca_gram(s->pr, &s->at->centre, NULL, s->g, s->G));
    return s->pr->eta > 0.0 ? root_of_gram(s) : RS_OK;
}

rs_status rs_spca_plain_wide(const rs_spca *pr,
                             const rs_spca_paper_settings *set,
                             const double *start, rs_spca_point *at,
                             double *left, double *right, rs_spca_fit *fit)
{
    wide_state s;
    rs_spca_end end = RS_SPCA_GOES_ON;

    fit->inner_iterations = 0;
    RS_TRY(rs_history_init(pr->ctx, set->maxit + 1, &fit->history));
    RS_TRY(init_state(pr, set, at, left, right, &s));
    RS_TRY(begin(start, &s));
    if (set->record_start)
        rs_history_add(&fit->history,
                       rs_spca_objective(pr, &rs_spca_unsmoothed, at));
    fit->iterations = 0;
    while (fit->iterations < set->maxit && end == RS_SPCA_GOES_ON) {
        RS_TRY(rs_spca_set_centre(pr, at->t, &at->centre));
        RS_TRY(update_w(&s));
        RS_TRY(measure(&s));
        rs_spca_weights(pr, &s.smoothing.set.floors, at);
        double f = rs_spca_objective(pr, &rs_spca_unsmoothed, at);
        RS_TRY(rs_spca_record(pr, f, set->tol, &fit->history, &end));
        if (rs_spca_refine(&s.smoothing, &end)) {
            weigh_nuclear(&s);
            rs_spca_weights(pr, &s.smoothing.set.floors, at);
        }
        fit->iterations++;
    }
    RS_TRY(stationarity(&s, &fit->kkt));
    RS_TRY(second_factor(&s));
    RS_TRY(finish_centre(&s, &fit->history));
    fit->objective = rs_history_last(&fit->history);
    return rs_spca_ending(end);
}
