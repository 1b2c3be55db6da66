/* The reweighted iteration, on the cone and without it. */
#include "method/convex/convex.h"

#include <float.h>
#include <math.h>

#include "solve/steps.h"

/* the state of the iteration that both models share */
typedef struct {
    const rs_spca *pr;
    const rs_spca_settings *set;
    rs_spca_point *at; /* weights t, D, and the squares that they come from */
    rs_spca_fit *fit;
    /* added under the roots of the norms of columns and of residuals */
    double column_floor, residual_floor;
    double ridge;            /* added to the diagonal of the linear system */
    int levels;              /* of smaller floors that are still to come */
    int steps;               /* at this one */
    double *c;               /* d: (lambda/2) D + ridge */
    int is_dense;            /* the route */
    struct cone_route *cone; /* or NULL */
    rs_spca_plain *plain;    /* without the cone */
    /* without the cone: the weight of the nuclear norm is that of diag(first),
     * or 1; Nesterov's sequence, 0 before the first step; and the objective of
     * the last step */
    const double *first;
    double momentum, smoothed;
} reweighted;

/* ---- products about the centre c ------------------------------------------- */

/* W (d x m) = Xt'Y = Xc'Y - c (1'Y) */
static rs_status crossprod(const reweighted *s, int m, const double *Y,
                           double *W)
{
    const size_t n = (size_t)s->pr->n, d = (size_t)s->pr->d;
    RS_TRY(rs_data_crossprod(s->pr->X, m, Y, W));
    for (int j = 0; s->at->c && j < m; j++)
        rs_axpy(d, -rs_sum(s->pr->n, Y + j * n), s->at->c, W + j * d);
    return RS_OK;
}

/* S_T (d x d) = Xt'TXt = Xc'TXc - g c' - c g' + (1'T1) c c', g = Xc'T1, T =
 * diag(t/2) */
static rs_status scatter(const reweighted *s, double *S)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d;
    const double *c = s->at->c;
    double *half = pr->scratch, *g = half + pr->n;
    rs_copy((size_t)pr->n, s->at->t, half);
    rs_scale((size_t)pr->n, 0.5, half);
    RS_TRY(rs_data_gram_weighted(pr->X, half, S));
    if (!c)
        return rs_poll(pr->ctx);
    const double total = rs_sum(pr->n, half);
    RS_TRY(rs_data_crossprod(pr->X, 1, half, g));
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            S[i + (size_t)j * d] +=
                total * c[i] * c[j] - g[i] * c[j] - c[i] * g[j];
    return rs_poll(pr->ctx);
}

/* K (n x n) = Xt E Xt' = Xc E Xc' - g 1' - 1 g' + (c'E c) 1 1', g = Xc E c, E =
 * diag(e) */
static rs_status gram(const reweighted *s, const double *e, double *K)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n;
    const double *c = s->at->c;
    double *g = pr->scratch, *ec = g + n;
    RS_TRY(rs_data_gram_samples(pr->X, e, K));
    if (!c)
        return rs_poll(pr->ctx);
    rs_copy((size_t)pr->d, c, ec);
    rs_scale_rows(pr->d, 1, e, ec);
    RS_TRY(rs_data_times(pr->X, 1, ec, g));
    const double own = rs_dot((size_t)pr->d, c, ec);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            K[i + (size_t)j * n] += own - g[i] - g[j];
    return rs_poll(pr->ctx);
}

/* the best centre for the weights t: c = sum_i t_i x_i / sum_i t_i, and
 * ||x_i - c||^2 = ||x_i||^2 - 2 x_i'c + ||c||^2 */
static rs_status set_centre(const reweighted *s)
{
    const rs_spca *pr = s->pr;
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    double *c = s->at->c, *square = s->at->row_square;
    if (!c)
        return RS_OK;
    RS_TRY(rs_data_crossprod(pr->X, 1, s->at->t, c));
    rs_scale(d, 1.0 / rs_sum(pr->n, s->at->t), c);
    RS_TRY(rs_data_times(pr->X, 1, c, square));
    const double own = rs_sum_squares(d, c);
    for (size_t i = 0; i < n; i++)
        square[i] = fmax(pr->data_square[i] - 2.0 * square[i] + own, 0.0);
    return RS_OK;
}

/* ---- on the cone ----------------------------------------------------------------- */

typedef struct cone_route {
    rs_ridge system;
    double *S, *half, *vectors, *values; /* dense: d x d, n, d x d, d */
    rs_eigen_ws eigen;
    double *E, *shift; /* d: 1 / c, (eta/2) E */
    double *XV, *XEV;  /* n x block */
    double *EV, *BW;   /* d x block */
    double *P;         /* d x block: the last eigenvectors */
    int room, found;   /* of these */
    rs_ritz eigs;
} cone_route;

/*
 * F <- factor of the PSD part of sym((S_T - eta/2 I) N), N = (S_T + diag(c))^{-1}.
 * As S_T N = I - diag(c) N, that matrix is
 *
 *   I - N * ((c_i + c_j + eta) / 2), element by element.
 *
 * For few samples, with E = diag(1/c), Q = (Xt E Xt' + diag(2/t))^{-1} and
 * B = Xt'Q Xt of rank at most n, it is
 *
 *   (E B + B E)/2 + (eta/2) E B E - (eta/2) E
 *
 * and has at most n positive eigenvalues; an iterative solver finds them, started
 * from the eigenvectors of the step before.
 */

/* pairs behind the positive ones that must turn out negative: under the l21 loss
 * positive ones appear later, too */
#define RS_MORE_GUARDS 16

/* flops of a step by the features, with Cholesky, inverse and the eigenproblem,
 * or by the samples with about r positive eigenvalues */
static int prefers_dense(const reweighted *s, double r)
{
    const double n = s->pr->n, d = s->pr->d;
    if (s->set->route != RS_ROUTE_CHEAPEST)
        return s->set->route == RS_ROUTE_DENSE;
    return n >= d || 5.0 * d * d * d < n * n * d + 64.0 * r * d * (n + r);
}

/* room for so many positive eigenvalues, and for as many vectors from before */
static rs_status room_for(const rs_spca *pr, int wanted, const double *V,
                          cone_route *cone)
{
    const int most = rs_min_int(wanted, pr->n);
    const int block = rs_ritz_block(pr->d, most);
    cone->room = most;
    const size_t n = (size_t)pr->n, d = (size_t)pr->d, m = (size_t)block;
    RS_ALLOC_DOUBLES(pr->ctx, n * m, &cone->XV, &cone->XEV);
    RS_ALLOC_DOUBLES(pr->ctx, d * m, &cone->EV, &cone->BW, &cone->P);
    cone->values = rs_alloc_double(pr->ctx, m);
    RS_TRY(rs_allocated(pr->ctx));
    rs_copy(d * cone->found, V, cone->P);
    return rs_ritz_init(pr->ctx, pr->d, most, block,
                        rs_ritz_capacity(pr->d, most, block), &cone->eigs);
}

/* the search starts from the eigenvectors of S_T above eta/2 */
static rs_status init_cone(reweighted *s, cone_route *cone)
{
    const rs_spca *pr = s->pr;
    const size_t d = (size_t)pr->d;
    rs_spca_pairs pairs = pr->pairs; /* none for the l21 loss */
    int above = 0;
    *cone = (cone_route){.found = 0};
    s->cone = cone;
    s->is_dense = prefers_dense(s, pr->loss == RS_LOSS_L21 ? pr->n : 0.0);
    if (!s->is_dense && pr->loss == RS_LOSS_L21)
        RS_TRY(rs_spca_components(pr, s->at->t, &pairs));
    while (above < pairs.m && pairs.values[above] > 0.5 * pr->eta)
        above++;
    s->is_dense = s->is_dense || prefers_dense(s, above);
    if (s->is_dense) {
        RS_ALLOC_DOUBLES(pr->ctx, d * d, &cone->S, &cone->vectors);
        cone->values = rs_alloc_double(pr->ctx, d);
        RS_TRY(rs_allocated(pr->ctx));
        RS_TRY(rs_ridge_init(pr->ctx, pr->d, &cone->system));
        return rs_eigen_init(pr->ctx, pr->d, &cone->eigen);
    }
    RS_ALLOC_DOUBLES(pr->ctx, d, &cone->E, &cone->shift);
    cone->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_ridge_init(pr->ctx, pr->n, &cone->system));
    cone->found = above;
    return room_for(pr, above + 4 + above / 4, pairs.V, cone);
}

static rs_status dense_step(const reweighted *s)
{
    const rs_spca *pr = s->pr;
    cone_route *cone = s->cone;
    const int d = pr->d;
    const double *c = s->c;
    double *M = cone->system.A;
    int found;
    if (pr->S)
        rs_copy((size_t)d * d, pr->S, M);
    else
        RS_TRY(scatter(s, M));
    RS_TRY(rs_ridge_factor(d, c, &cone->system));
    RS_TRY(rs_ridge_inverse(cone->S, &cone->system));
    for (int j = 0; j < d; j++) {
        double *column = cone->S + (size_t)j * d;
        for (int i = 0; i < d; i++)
            column[i] *= -0.5 * (c[i] + c[j] + pr->eta);
        column[j] += 1.0;
    }
    RS_TRY(rs_eigen_above(d, cone->S, RS_SPCA_RANK_TOL, &found, cone->values,
                          cone->vectors, &cone->eigen));
    return rs_spca_point_set(pr, found, cone->values, cone->vectors, s->at);
}

/* MV = B (E V/2) + E * B (V/2 + (eta/2) E V) - (eta/2) E V */
static rs_status apply_half_step(void *state, int m, const double *V,
                                 double *MV)
{
    const reweighted *s = (const reweighted *)state;
    cone_route *cone = s->cone;
    const rs_spca *pr = s->pr;
    const size_t nm = (size_t)pr->n * m, dm = (size_t)pr->d * m;
    rs_copy(dm, V, cone->EV);
    rs_scale_rows(pr->d, m, cone->E, cone->EV);
    RS_TRY(rs_spca_times(pr, s->at, m, V, cone->XV));
    RS_TRY(rs_spca_times(pr, s->at, m, cone->EV, cone->XEV));
    rs_axpy(nm, pr->eta, cone->XEV, cone->XV);
    RS_TRY(rs_ridge_solve(m, cone->XV, &cone->system));
    RS_TRY(rs_ridge_solve(m, cone->XEV, &cone->system));
    RS_TRY(crossprod(s, m, cone->XV, cone->BW));
    RS_TRY(crossprod(s, m, cone->XEV, MV));
    rs_scale_rows(pr->d, m, cone->E, cone->BW);
    for (size_t i = 0; i < dm; i++)
        MV[i] = 0.5 * (MV[i] + cone->BW[i] - pr->eta * cone->EV[i]);
    return RS_OK;
}

/* with room for twice as many eigenvalues if there may be more: all rooms
 * together are at most twice the last */
static rs_status lowrank_step(reweighted *s, double tol)
{
    const rs_spca *pr = s->pr;
    cone_route *cone = s->cone;
    const int n = pr->n, d = pr->d;
    const int guards =
        pr->loss == RS_LOSS_FROBENIUS ? RS_RITZ_EXTRA : RS_MORE_GUARDS;
    const rs_operator half = {apply_half_step, s};
    const rs_ritz_control control = {
        .tol = tol, .maxit = s->set->inner_maxit, .shift = cone->shift};
    for (int j = 0; j < d; j++) {
        cone->E[j] = 1.0 / s->c[j];
        cone->shift[j] = 0.5 * pr->eta * cone->E[j];
    }
    RS_TRY(gram(s, cone->E, cone->system.A));
    for (int i = 0; i < n; i++)
        cone->half[i] = 2.0 / s->at->t[i];
    RS_TRY(rs_ridge_factor(n, cone->half, &cone->system));
    for (;;) {
        const int wanted = rs_min_int(cone->found + guards, cone->room);
        cone->eigs.wanted = wanted;
        cone->eigs.block = rs_ritz_block(d, wanted);
        const rs_status status =
            rs_ritz_largest(&half, &control, cone->found, cone->P,
                            cone->values, cone->P, &cone->eigs);
        if (!rs_is_usable(status))
            return status;
        cone->found = 0;
        while (cone->found < wanted &&
               cone->values[cone->found] > RS_SPCA_RANK_TOL)
            cone->found++;
        if (cone->found < wanted || wanted == n)
            break;
        if (wanted == cone->room)
            RS_TRY(room_for(pr, 2 * wanted, cone->P, cone));
    }
    return rs_spca_point_set(pr, cone->found, cone->values, cone->P, s->at);
}

/* the eigen-solver is well ahead of the outer iteration, within limits */
static rs_status cone_step(reweighted *s)
{
    const double ahead = 1e-4 * rs_history_change(&s->fit->history, 0.0);
    const double tol = fmax(s->set->inner_tol, fmin(1e-6, ahead));
    RS_TRY(s->is_dense ? dense_step(s) : lowrank_step(s, tol));
    return rs_spca_measure(s->pr, s->at);
}

/* ---- without the cone ------------------------------------------------------------ */

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

static rs_status init_plain(reweighted *s, const double *start,
                            rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int wide = s->set->route != RS_ROUTE_DENSE && pr->n < pr->d;
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    double *ones = rs_alloc_double(pr->ctx, n);
    rs_spca_pairs pairs = {.m = 0};
    RS_TRY_ALLOC(ones);
    s->plain = p;
    s->first = start;
    s->smoothed = INFINITY;
    s->is_dense = !wide;
    rs_fill(n, 2.0, ones);
    if (wide)
        RS_TRY(rs_spca_components(pr, ones, &pairs));
    *p = (rs_spca_plain){.q = wide ? pairs.m : pr->d, .V = pairs.V};
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
static void use_weights(const reweighted *s, rs_spca_plain *p)
{
    for (int j = 0; j < s->pr->d; j++) {
        double nu = p->nu_0;
        if (nu == 0.0)
            nu = s->first ? rs_reweight(s->first[j] * s->first[j],
                                        s->column_floor, 1.0)
                          : 1.0;
        p->e[j] = 1.0 / (s->c[j] + s->pr->eta * nu);
    }
}

/* L = (S_T + A_0)^{-1} S_T, R = Xt (I - L) */
static rs_status step_by_features(reweighted *s, rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d;
    const size_t dd = (size_t)d * d;
    RS_TRY(scatter(s, p->S));
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
    RS_TRY(rs_spca_times(pr, s->at, d, p->B, p->R));
    return rs_poll(pr->ctx);
}

/* B = D^{-1} Vs, M = R'R, Y = Xt B R^{-1} */
static rs_status factor_nuclear(reweighted *s, rs_spca_plain *p)
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
    RS_TRY(rs_spca_times(pr, s->at, q, p->B, p->Y));
    rs_triangular_solve('R', 'N', n, q, p->M, q, p->Y, n);
    return rs_poll(pr->ctx);
}

/* L = D^{-1} Xt'Z + B R^{-1} Y'Z and R = diag(2/t) Z, Z = (diag(2/t) + H)^{-1} Xt V */
static rs_status step_by_samples(reweighted *s, rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d, q = p->q;
    double *Z = p->R, *small = p->U;
    if (p->nu_0 > 0.0)
        RS_TRY(factor_nuclear(s, p));
    RS_TRY(gram(s, p->e, p->system.A));
    if (p->nu_0 > 0.0)
        rs_syrk_add(n, q, p->Y, n, p->system.A);
    for (int i = 0; i < n; i++)
        p->g[i] = 2.0 / s->at->t[i];
    RS_TRY(rs_ridge_factor(n, p->g, &p->system));
    RS_TRY(rs_spca_times(pr, s->at, q, p->V, Z));
    RS_TRY(rs_ridge_solve(q, Z, &p->system));
    RS_TRY(crossprod(s, q, Z, p->L));
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

/* at the present smoothing the objective, and nu and s of the lengths of the columns
 * of L U, and nu_0 */
static void refresh(reweighted *s)
{
    const size_t d = (size_t)s->pr->d;
    rs_spca_plain *p = s->plain;
    const double floor = s->column_floor, low = sqrt(floor);
    s->smoothed = rs_spca_objective(s->pr, floor, s->residual_floor, s->at);
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

/* squares of the rows of W and of the residuals, the nuclear norm and its weight,
 * and the smoothed objective */
static rs_status measure(reweighted *s, rs_spca_plain *p)
{
    const rs_spca *pr = s->pr;
    rs_spca_point *at = s->at;
    const int d = pr->d, q = p->q;
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
    }
    refresh(s);
    return rs_poll(pr->ctx);
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
static rs_status plain_step(reweighted *s)
{
    rs_spca_plain *p = s->plain;
    const size_t dq = (size_t)s->pr->d * p->q, nq = (size_t)s->pr->n * p->q;
    const double weight = s->momentum > 0.0 && s->pr->n >= s->pr->d
                              ? rs_momentum_weight_at(s->momentum)
                              : 0.0;
    const double before = s->smoothed;
    use_weights(s, p);
    RS_TRY(p->V ? step_by_samples(s, p) : step_by_features(s, p));
    extrapolate(dq, weight, p->L, p->last_L);
    extrapolate(nq, weight, p->R, p->last_R);
    s->momentum = s->momentum > 0.0 ? rs_momentum_next(s->momentum) : 1.0;
    RS_TRY(measure(s, p));
    if (weight == 0.0 || s->smoothed <= before)
        return RS_OK;
    rs_copy(dq, p->last_L, p->L);
    rs_copy(nq, p->last_R, p->R);
    s->momentum = 1.0;
    return measure(s, p);
}

/* ---- the end ------------------------------------------------------------- */

/*
 * The gradient (S_T + A_0) L - S_T V = A_0 L - Xt'(T/2) R, which is measured with
 * L U in the place of L. S_T V = Xt'(T/2) Xt V, Xt V = R + Xt L.
 */
static rs_status stationarity(reweighted *s, rs_spca_plain *p, double *kkt)
{
    const rs_spca *pr = s->pr;
    const double *D = s->at->D, *t = s->at->t;
    const int n = pr->n, d = pr->d, q = p->q, nuclear = pr->eta > 0.0;
    const size_t dq = (size_t)d * q, nq = (size_t)n * q;
    const double *LU = nuclear ? p->LU : p->L;
    double *T = p->last_R, *out = p->last_L;
    RS_TRY(rs_spca_times(pr, s->at, q, p->L, T));
    rs_axpy(nq, 1.0, p->R, T);
    rs_scale_rows(n, q, t, T);
    RS_TRY(crossprod(s, q, T, out));
    const double size = 0.5 * rs_norm(dq, out);
    if (nuclear)
        rs_matmul(n, q, q, p->R, p->U, T);
    else
        rs_copy(nq, p->R, T);
    rs_scale_rows(n, q, t, T);
    RS_TRY(crossprod(s, q, T, out));
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

/* ---- the iteration --------------------------------------------------------------- */

/*
 * The published smoothing and ridge leave the objective itself some per cent
 * above its minimum if the penalties matter. Without the cone the iteration
 * therefore begins with them, and when it would end goes on with smaller ones: from
 * 1e-3 to 1e-6 for rows, from 1e-6 to 1e-8 of the mean for residuals.
 */
#define RS_PLAIN_LEVELS 3
/* so many of the last values show that only rounding moves the objective */
#define RS_STALL_WINDOW 50
#define RS_STALL_TURNS 10

/* column norms are smoothed by machine epsilon (||R||^2) or 1e-3, residual norms
 * and the diagonal by small multiples of their mean */
static rs_status init(const rs_spca *pr, const rs_spca_settings *set,
                      rs_spca_point *at, rs_spca_fit *fit, reweighted *s)
{
    const int squares = pr->loss == RS_LOSS_FROBENIUS;
    double mean = 0.0; /* of the diagonal of S_T at Omega = 0 */
    for (int i = 0; i < pr->n; i++)
        mean += squares ? pr->data_square[i] : 0.5 * sqrt(pr->data_square[i]);
    *s = (reweighted){.pr = pr, .set = set, .at = at, .fit = fit};
    s->ridge = (squares ? 5e-5 : 3e-4) * mean / pr->d;
    s->column_floor = squares ? DBL_EPSILON : 1e-3;
    s->residual_floor = 1e-6 * pr->trace / pr->n;
    s->c = rs_alloc_double(pr->ctx, (size_t)pr->d);
    RS_TRY_ALLOC(s->c);
    fit->iterations = fit->inner_iterations = 0;
    fit->bound = fit->margin = fit->lowest = fit->kkt = NAN;
    return rs_history_init(pr->ctx, set->maxit + 1, &fit->history);
}

static void reweigh(const reweighted *s)
{
    rs_spca_weights(s->pr, s->column_floor, s->residual_floor, s->at);
}

/* the weights at a start that has been measured, whose objective is the first. Else
 * unit weights D = 2; t = 2, or 1/||x_i|| for the l21 loss with centre 0. */
static void begin(int has_start, reweighted *s)
{
    const rs_spca *pr = s->pr;
    rs_spca_point *at = s->at;
    if (has_start) {
        reweigh(s);
        rs_history_add(&s->fit->history, rs_spca_objective(pr, 0.0, 0.0, at));
        return;
    }
    rs_copy((size_t)pr->n, pr->data_square, at->residual_square);
    rs_fill((size_t)pr->d, 0.0, at->column_square);
    reweigh(s);
    rs_fill((size_t)pr->d, 2.0, at->D);
    if (pr->adaptive)
        rs_fill((size_t)pr->n, 2.0, at->t);
}

/* rises and falls in turn, or no change at all, at the present smoothing */
static int has_stalled(const reweighted *s)
{
    int rises = 0, falls = 0;
    if (s->steps <= RS_STALL_WINDOW)
        return 0;
    const rs_history *history = &s->fit->history;
    const double *f = history->objective + history->count - RS_STALL_WINDOW;
    for (int k = 0; k < RS_STALL_WINDOW; k++) {
        rises += f[k] >= f[k - 1];
        falls += f[k] <= f[k - 1];
    }
    return rises >= RS_STALL_TURNS && falls >= RS_STALL_TURNS;
}

/* one iteration, with the weights after it; RS_MAXIT: it goes on */
static rs_status take_step(reweighted *s)
{
    rs_history *history = &s->fit->history;
    rs_status status = RS_MAXIT;
    RS_TRY(set_centre(s));
    for (int j = 0; j < s->pr->d; j++)
        s->c[j] = 0.5 * s->pr->lambda * s->at->D[j] + s->ridge;
    RS_TRY(s->cone ? cone_step(s) : plain_step(s));
    s->fit->objective = rs_spca_objective(s->pr, 0.0, 0.0, s->at);
    if (!isfinite(s->fit->objective))
        return RS_NOT_FINITE;
    rs_history_add(history, s->fit->objective);
    s->fit->iterations++;
    s->steps++;
    if (rs_history_change(history, 0.0) < s->set->tol)
        status = RS_OK;
    else if (has_stalled(s))
        status = RS_STALLED;
    if (status != RS_MAXIT && s->levels > 0) {
        status = RS_MAXIT;
        s->steps = 0;
        s->levels--;
        s->ridge *= 0.2;
        s->column_floor *= 0.1;
        s->residual_floor *= 0.2;
        refresh(s);
    }
    reweigh(s);
    RS_TRY(rs_poll(s->pr->ctx));
    return status;
}

static rs_status iterate(reweighted *s)
{
    rs_status status = RS_MAXIT;
    while (status == RS_MAXIT && s->fit->iterations < s->set->maxit)
        status = take_step(s);
    return status;
}

/* ---- the best centre for the last Omega ---------------------------------------- */

/*
 * R c' is best at the geometric median v of the rows u_i of Xc (I - Omega), by
 * Weiszfeld's iteration with less and less smoothing; the median may be one of
 * the rows.
 */
#define RS_CENTRE_TOL 1e-10
#define RS_CENTRE_NARROWING 1e-2

/* R (n x q) -= 1 v'; the squares of its rows, kept in `best` if the sum of their
 * roots, which is returned, is less than *least */
static double shift_rows(int n, int q, const double *v, double *R,
                         double *square, double *best, double *least)
{
    for (int a = 0; a < q; a++)
        for (int i = 0; i < n; i++)
            R[i + (size_t)a * n] -= v[a];
    rs_row_squares(n, q, R, square);
    const double sum = rs_smoothed_rows(NULL, (size_t)n, square, 0.0, 1.0);
    if (sum < *least) {
        *least = sum;
        rs_copy((size_t)n, square, best);
    }
    return sum;
}

/* R (n x q): the residuals, in any orthonormal basis; the last objective becomes
 * that with the best centre */
static rs_status finish_centre(reweighted *s, int q, double *R)
{
    const int n = s->pr->n;
    double *best = s->at->residual_square, *square, *t, *v;
    double least = rs_smoothed_rows(NULL, (size_t)n, best, 0.0, 1.0);
    double floor = 1e-2 * least * least / ((double)n * n), last = least;
    RS_ALLOC_DOUBLES(s->pr->ctx, (size_t)n, &square, &t);
    v = rs_alloc_double(s->pr->ctx, (size_t)q);
    RS_TRY(rs_allocated(s->pr->ctx));
    rs_copy((size_t)n, best, square);
    for (int k = 0; k < RS_INNER_STEPS && least > 0.0; k++) {
        const double before = last;
        rs_reweight_rows(NULL, (size_t)n, square, floor, 1.0, t);
        rs_gemv('T', n, q, 1.0 / rs_sum(n, t), R, n, t, 0.0, v);
        last = shift_rows(n, q, v, R, square, best, &least);
        if (fabs(last - before) <= RS_CENTRE_TOL * before)
            floor *= RS_CENTRE_NARROWING;
        RS_TRY(rs_poll(s->pr->ctx));
    }
    int row = 0;
    for (int i = 1; i < n; i++)
        if (square[i] < square[row])
            row = i;
    for (int a = 0; a < q; a++)
        v[a] = R[row + (size_t)a * n];
    shift_rows(n, q, v, R, square, best, &least);
    s->fit->objective = rs_spca_objective(s->pr, 0.0, 0.0, s->at);
    rs_history_replace(&s->fit->history, s->fit->objective);
    return RS_OK;
}

/* ---- the two models --------------------------------------------------------------- */

rs_status rs_spca_on_cone(const rs_spca *pr, const rs_spca_settings *set,
                          int r, const double *start, rs_spca_point *at,
                          rs_spca_fit *fit, int *is_dense)
{
    reweighted s;
    cone_route cone;
    RS_TRY(rs_spca_point_init(pr, rs_max_int(r, 1), at));
    RS_TRY(init(pr, set, at, fit, &s));
    if (r > 0) {
        RS_TRY(rs_spca_point_set(pr, r, NULL, start, at));
        RS_TRY(rs_spca_measure(pr, at));
    }
    begin(r > 0, &s);
    RS_TRY(init_cone(&s, &cone));
    *is_dense = s.is_dense;
    const rs_status status = iterate(&s);
    if (!pr->adaptive || !rs_is_usable(status))
        return status;
    double *R = rs_alloc_double(pr->ctx, (size_t)pr->n * pr->d);
    RS_TRY_ALLOC(R);
    RS_TRY(rs_spca_residuals(pr, at, 0, pr->d, R));
    RS_TRY(finish_centre(&s, pr->d, R));
    return status;
}

/* the squares and the trace of W = diag(w) */
static rs_status measure_diagonal(reweighted *s, const double *w)
{
    rs_spca_point *at = s->at;
    double *rest = at->D; /* (1 - w_j)^2: row squares of Xc (I - diag(w)) */
    for (int j = 0; j < s->pr->d; j++) {
        at->column_square[j] = w[j] * w[j];
        at->trace += w[j];
        rest[j] = (1.0 - w[j]) * (1.0 - w[j]);
    }
    return rs_data_row_squares(s->pr->X, rest, at->residual_square);
}

rs_status rs_spca_without_cone(const rs_spca *pr, const rs_spca_settings *set,
                               const double *start, rs_spca_point *at,
                               rs_spca_plain *plain, rs_spca_fit *fit)
{
    reweighted s;
    RS_TRY(rs_spca_point_init(pr, 1, at));
    RS_TRY(init(pr, set, at, fit, &s));
    s.levels = pr->loss == RS_LOSS_FROBENIUS ? 0 : RS_PLAIN_LEVELS;
    if (start)
        RS_TRY(measure_diagonal(&s, start));
    begin(start != NULL, &s);
    RS_TRY(init_plain(&s, start, plain));
    const rs_status status = iterate(&s);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(stationarity(&s, plain, &fit->kkt));
    if (pr->adaptive)
        RS_TRY(finish_centre(&s, plain->q, plain->R));
    return status;
}
