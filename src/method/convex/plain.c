#include "method/convex/reweighted.h"

#include <math.h>

#include "solve/momentum.h"

/*
 * A step is W = (S_T + A_0)^{-1} S_T with A_0 = diag(c) + eta N. The rows of W lie
 * in the space of the samples: W = L V' with V (d x q) orthonormal, the identity
 * if samples are many. For few samples, by Woodbury's formula,
 *
 *   L = A_0^{-1} Xt' (diag(2/t) + H)^{-1} Xt V,  H = Xt A_0^{-1} Xt'.
 *
 * The nuclear norm: L U has orthogonal columns of lengths sigma_i, and N is
 * nu_i = 1 / (2 sqrt(sigma_i^2 + floor)) on them and nu_0 beyond, so that
 *
 *   A_0 = D - eta Vs Vs',  D = diag(c + eta nu_0),  Vs = L U diag(s),
 *   A_0^{-1} = D^{-1} + B M^{-1} B',  B = D^{-1} Vs,
 *   M = (diag(nu) + Vs' C D^{-1} Vs) / (eta nu_0),  C = diag(c).
 *
 * M is a sum of positive semidefinite matrices: nothing cancels, however large
 * nu_0 is; s_i^2 = (nu_0 - nu_i) / sigma_i^2 is finite at sigma_i = 0.
 */

rs_status rs_spca_plain_init(rs_reweighted *s, const double *start,
                             rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int wide = s->set->route != RS_ROUTE_DENSE && pr->n < pr->d;
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    double square, *values, *ones = rs_alloc_double(pr->ctx, n);
    *p = (rs_spca_plain){.V = NULL};
    RS_TRY_ALLOC(ones);
    s->first = start;
    s->momentum = 0.0;
    s->smoothed = INFINITY;
    s->is_dense = !wide;
    rs_fill(n, 2.0, ones);
    p->q = wide ? 0 : pr->d;
    if (wide)
        RS_TRY(rs_spca_components(pr, ones, &square, &p->q, &values, &p->V));
    const size_t q = (size_t)p->q;
    RS_ALLOC_DOUBLES(pr->ctx, d * q, &p->L, &p->last_L, &p->LU, &p->B);
    RS_ALLOC_DOUBLES(pr->ctx, n * q, &p->R, &p->last_R, &p->Y);
    RS_ALLOC_DOUBLES(pr->ctx, q * q, &p->U, &p->M);
    RS_ALLOC_DOUBLES(pr->ctx, q, &p->nu, &p->s);
    RS_ALLOC_DOUBLES(pr->ctx, d > n ? d : n, &p->e, &p->g);
    p->S = wide ? NULL : rs_alloc_double(pr->ctx, d * d);
    RS_TRY(rs_allocated(pr->ctx));
    rs_fill(d * q, 0.0, p->last_L);
    rs_fill(n * q, 0.0, p->last_R);
    RS_TRY(rs_eigen_init(pr->ctx, p->q, &p->eigen));
    return rs_ridge_init(pr->ctx, wide ? pr->n : pr->d, &p->system);
}

/* ---- the step ------------------------------------------------------------ */

/* B <- L U diag(s), times diag(row) */
static void scaled_vectors(const rs_spca_plain *p, int d, const double *row)
{
    rs_copy((size_t)d * p->q, p->LU, p->B);
    for (int i = 0; i < p->q; i++)
        rs_scale((size_t)d, p->s[i], p->B + (size_t)d * i);
    rs_scale_rows(d, p->q, row, p->B);
}

/* e = 1 / D, and while N is diagonal 1 / A_0 */
static void use_weights(const rs_reweighted *s, rs_spca_plain *p)
{
    for (int j = 0; j < s->pr->d; j++) {
        double nu = p->nu_0;
        if (nu == 0.0)
            nu = s->first ? rs_reweight(s->first[j] * s->first[j],
                                        s->floors.column, 1.0)
                          : 1.0;
        p->e[j] = 1.0 / (s->c[j] + s->pr->eta * nu);
    }
}

/* L = (S_T + A_0)^{-1} S_T, R = Xt (I - L) */
static rs_status step_by_features(rs_reweighted *s, rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d;
    const size_t dd = (size_t)d * d;
    RS_TRY(rs_spca_scatter(pr, s->at->c, s->at->t, p->g, p->L, p->S));
    rs_copy(dd, p->S, p->system.A);
    if (p->nu_0 > 0.0) {
        scaled_vectors(p, d, NULL);
        RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'T', d, d, d, -pr->eta, p->B, d,
                              p->B, d, 1.0, p->system.A, d));
    }
    for (int j = 0; j < d; j++)
        p->g[j] = 1.0 / p->e[j];
    RS_TRY(rs_ridge_factor(d, p->g, &p->system));
    rs_copy(dd, p->S, p->L);
    RS_TRY(rs_ridge_solve(d, p->L, &p->system));
    rs_copy(dd, p->L, p->B);
    rs_scale(dd, -1.0, p->B);
    for (int j = 0; j < d; j++)
        p->B[j + (size_t)j * d] += 1.0;
    RS_TRY(rs_spca_times(pr, s->at->c, d, p->B, p->R));
    return rs_poll(pr->ctx);
}

/* B = D^{-1} Vs, M = R'R, Y = Xt B R^{-1} */
static rs_status factor_nuclear(rs_reweighted *s, rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d, q = p->q;
    const double unit = 1.0 / (pr->eta * p->nu_0);
    for (int j = 0; j < d; j++)
        p->g[j] = sqrt(s->c[j] * p->e[j] * unit);
    scaled_vectors(p, d, p->g);
    rs_fill((size_t)q * q, 0.0, p->M);
    RS_TRY(rs_gram_add(pr->ctx, d, q, p->B, d, p->M));
    for (int i = 0; i < q; i++)
        p->M[i + (size_t)q * i] += p->nu[i] * unit;
    RS_TRY(rs_cholesky_polled(pr->ctx, q, p->M));
    scaled_vectors(p, d, p->e);
    RS_TRY(rs_spca_times(pr, s->at->c, q, p->B, p->Y));
    rs_triangular_solve('R', 'N', n, q, p->M, q, p->Y, n);
    return rs_poll(pr->ctx);
}

/* L = D^{-1} Xt'Z + B R^{-1} Y'Z and R = diag(2/t) Z, Z = (diag(2/t) + H)^{-1} Xt V
 */
static rs_status step_by_samples(rs_reweighted *s, rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d, q = p->q;
    double *Z = p->R, *small = p->U;
    if (p->nu_0 > 0.0)
        RS_TRY(factor_nuclear(s, p));
    RS_TRY(rs_spca_gram(pr, s->at->c, p->e, p->g, p->L, p->system.A));
    if (p->nu_0 > 0.0)
        rs_syrk_add(n, q, p->Y, n, p->system.A);
    for (int i = 0; i < n; i++)
        p->g[i] = 2.0 / s->at->t[i];
    RS_TRY(rs_ridge_factor(n, p->g, &p->system));
    RS_TRY(rs_spca_times(pr, s->at->c, q, p->V, Z));
    RS_TRY(rs_ridge_solve(q, Z, &p->system));
    RS_TRY(rs_spca_crossprod(pr, s->at->c, q, Z, p->L));
    rs_scale_rows(d, q, p->e, p->L);
    if (p->nu_0 > 0.0) {
        rs_crossprod(n, q, q, p->Y, Z, small);
        rs_triangular_solve('L', 'N', q, q, p->M, q, small, q);
        RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, q, q, 1.0, p->B, d, small,
                              q, 1.0, p->L, d));
    }
    rs_scale_rows(n, q, p->g, Z);
    return rs_poll(pr->ctx);
}

/* ---- what follows from W ------------------------------------------------- */

/* nu and s of the lengths of the columns of L U, and nu_0 */
static void weigh_nuclear(const rs_reweighted *s, rs_spca_plain *p)
{
    const size_t d = (size_t)s->pr->d;
    const double floor = s->floors.column, low = sqrt(floor);
    if (s->pr->eta == 0.0)
        return;
    p->nu_0 = rs_reweight(0.0, floor, 1.0);
    for (int i = 0; i < p->q; i++) {
        const double square = rs_sum_squares(d, p->LU + d * i);
        const double high = sqrt(square + floor);
        p->nu[i] = rs_reweight(square, floor, 1.0);
        p->s[i] = sqrt(0.5 / (low * high * (low + high)));
    }
}

/* squares of the rows of W and of the residuals, the nuclear norm and its weight;
 * *higher: has the smoothed objective risen? */
static rs_status measure(rs_reweighted *s, rs_spca_plain *p, int *higher)
{
    const rs_spca *pr = s->pr;
    rs_spca_point *at = s->at;
    const int d = pr->d, q = p->q;
    const double before = s->smoothed;
    rs_row_squares(d, q, p->L, at->column_square);
    rs_row_squares(pr->n, q, p->R, at->residual_square);
    at->trace = 0.0;
    if (pr->eta > 0.0) {
        rs_fill((size_t)q * q, 0.0, p->M);
        RS_TRY(rs_gram_add(pr->ctx, d, q, p->L, d, p->M));
        RS_TRY(rs_eigen_largest(q, p->M, q, p->nu, p->U, &p->eigen));
        RS_TRY(rs_gemm_polled(pr->ctx, 'N', 'N', d, q, q, 1.0, p->L, d, p->U,
                              q, 0.0, p->LU, d));
        for (int i = 0; i < q; i++)
            at->trace += rs_norm((size_t)d, p->LU + (size_t)d * i);
        weigh_nuclear(s, p);
    }
    s->smoothed = rs_spca_objective(pr, &s->floors, at);
    *higher = !(s->smoothed <= before);
    return rs_poll(pr->ctx);
}

void rs_spca_plain_refine(rs_reweighted *s, rs_spca_plain *p)
{
    weigh_nuclear(s, p);
    s->smoothed = rs_spca_objective(s->pr, &s->floors, s->at);
}

/* M, last <- M + weight (M - last), M */
static void extrapolate(size_t size, double weight, double *M, double *last)
{
    for (size_t i = 0; i < size; i++) {
        const double now = M[i];
        M[i] += weight * (now - last[i]);
        last[i] = now;
    }
}

/*
 * L and R, which with a free centre is X - X W - 1 v', go on by Nesterov's
 * extrapolation if samples are many. If that would raise the smoothed objective
 * the step itself is taken, which does not.
 */
rs_status rs_spca_plain_step(rs_reweighted *s, rs_spca_plain *p)
{
    const size_t dq = (size_t)s->pr->d * p->q, nq = (size_t)s->pr->n * p->q;
    const double smoothed = s->smoothed;
    const double weight = s->momentum > 0.0 && s->pr->n >= s->pr->d
                              ? rs_momentum_weight_at(s->momentum)
                              : 0.0;
    int higher;
    use_weights(s, p);
    RS_TRY(p->V ? step_by_samples(s, p) : step_by_features(s, p));
    extrapolate(dq, weight, p->L, p->last_L);
    extrapolate(nq, weight, p->R, p->last_R);
    s->momentum = s->momentum > 0.0 ? rs_momentum_next(s->momentum) : 1.0;
    RS_TRY(measure(s, p, &higher));
    if (weight == 0.0 || !higher)
        return RS_OK;
    rs_copy(dq, p->last_L, p->L);
    rs_copy(nq, p->last_R, p->R);
    s->momentum = 1.0;
    s->smoothed = smoothed;
    return measure(s, p, &higher);
}

/* ---- the end ------------------------------------------------------------- */

/*
 * The gradient (S_T + A_0) L - S_T V = A_0 L - Xt'(T/2) R, which is measured with
 * L U in the place of L. S_T V = Xt'(T/2) Xt V, Xt V = R + Xt L.
 */
rs_status rs_spca_plain_stationarity(rs_reweighted *s, rs_spca_plain *p,
                                     double *kkt)
{
    const rs_spca *pr = s->pr;
    const double *D = s->at->D, *t = s->at->t;
    const int n = pr->n, d = pr->d, q = p->q, nuclear = pr->eta > 0.0;
    const size_t dq = (size_t)d * q, nq = (size_t)n * q;
    const double *LU = nuclear ? p->LU : p->L;
    double *T = p->last_R, *out = p->last_L;
    RS_TRY(rs_spca_times(pr, s->at->c, q, p->L, T));
    rs_axpy(nq, 1.0, p->R, T);
    rs_scale_rows(n, q, t, T);
    RS_TRY(rs_spca_crossprod(pr, s->at->c, q, T, out));
    const double size = 0.5 * rs_norm(dq, out);
    if (nuclear)
        rs_matmul(n, q, q, p->R, p->U, T);
    else
        rs_copy(nq, p->R, T);
    rs_scale_rows(n, q, t, T);
    RS_TRY(rs_spca_crossprod(pr, s->at->c, q, T, out));
    for (int i = 0; i < q; i++)
        for (int j = 0; j < d; j++) {
            const size_t ji = j + (size_t)d * i;
            const double own =
                pr->lambda * D[j] + (nuclear ? 2.0 * pr->eta * p->nu[i] : 0.0);
            out[ji] = 0.5 * (own * LU[ji] - out[ji]);
        }
    *kkt = rs_norm(dq, out) / size;
    return RS_OK;
}
