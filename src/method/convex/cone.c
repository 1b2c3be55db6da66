#include "method/convex/reweighted.h"

#include <math.h>

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
#define RS_GUARDS 2
#define RS_MORE_GUARDS 16

/* flops of a step by the features, with Cholesky, inverse and the eigenproblem,
 * or by the samples with about r positive eigenvalues */
static int prefers_dense(const rs_reweighted *s, double r)
{
    const double n = s->pr->n, d = s->pr->d;
    if (s->set->route != RS_ROUTE_CHEAPEST)
        return s->set->route == RS_ROUTE_DENSE;
    return n >= d || 5.0 * d * d * d < n * n * d + 64.0 * r * d * (n + r);
}

static rs_status init_dense(const rs_spca *pr, rs_spca_cone *cone)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    RS_ALLOC_DOUBLES(pr->ctx, d * d, &cone->S, &cone->vectors);
    cone->half = rs_alloc_double(pr->ctx, n);
    cone->values = rs_alloc_double(pr->ctx, d);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_ridge_init(pr->ctx, pr->d, &cone->system));
    return rs_eigen_init(pr->ctx, pr->d, &cone->eigen);
}

/* room for so many positive eigenvalues, and for as many vectors from before */
static rs_status room_for(const rs_spca *pr, int wanted, const double *V,
                          rs_spca_cone *cone)
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
rs_status rs_spca_cone_init(rs_reweighted *s, rs_spca_cone *cone)
{
    const rs_spca *pr = s->pr;
    double *values = pr->pairs.values, *V = pr->pairs.V;
    double square;
    int count = pr->pairs.m, above = 0;
    *cone = (rs_spca_cone){.found = 0};
    s->is_dense = prefers_dense(s, pr->loss == RS_LOSS_L21 ? pr->n : 0.0);
    if (!s->is_dense && pr->loss == RS_LOSS_L21) {
        count = 0;
        RS_TRY(rs_spca_components(pr, s->at->t, &square, &count, &values, &V));
    }
    while (above < count && values[above] > 0.5 * pr->eta)
        above++;
    s->is_dense = s->is_dense || prefers_dense(s, above);
    if (s->is_dense)
        return init_dense(pr, cone);
    RS_ALLOC_DOUBLES(pr->ctx, (size_t)pr->d, &cone->E, &cone->shift);
    cone->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_ridge_init(pr->ctx, pr->n, &cone->system));
    cone->found = above;
    return room_for(pr, above + 4 + above / 4, V, cone);
}

static rs_status dense_step(rs_reweighted *s, rs_spca_cone *cone)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d;
    const double *c = s->c;
    double *M = cone->system.A;
    int found;
    if (pr->S)
        rs_copy((size_t)d * d, pr->S, M);
    else
        RS_TRY(rs_spca_scatter(pr, s->at->c, s->at->t, cone->half,
                               cone->values, M));
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

typedef struct {
    const rs_reweighted *s;
    rs_spca_cone *cone;
} half_step;

/* MV = B (E V/2) + E * B (V/2 + (eta/2) E V) - (eta/2) E V */
static rs_status apply_half_step(void *state, int m, const double *V,
                                 double *MV)
{
    const rs_reweighted *s = ((half_step *)state)->s;
    rs_spca_cone *cone = ((half_step *)state)->cone;
    const rs_spca *pr = s->pr;
    const double *c = s->at->c;
    const size_t nm = (size_t)pr->n * m, dm = (size_t)pr->d * m;
    rs_copy(dm, V, cone->EV);
    rs_scale_rows(pr->d, m, cone->E, cone->EV);
    RS_TRY(rs_spca_times(pr, c, m, V, cone->XV));
    RS_TRY(rs_spca_times(pr, c, m, cone->EV, cone->XEV));
    rs_axpy(nm, pr->eta, cone->XEV, cone->XV);
    RS_TRY(rs_ridge_solve(m, cone->XV, &cone->system));
    RS_TRY(rs_ridge_solve(m, cone->XEV, &cone->system));
    RS_TRY(rs_spca_crossprod(pr, c, m, cone->XV, cone->BW));
    RS_TRY(rs_spca_crossprod(pr, c, m, cone->XEV, MV));
    rs_scale_rows(pr->d, m, cone->E, cone->BW);
    for (size_t i = 0; i < dm; i++)
        MV[i] = 0.5 * (MV[i] + cone->BW[i] - pr->eta * cone->EV[i]);
    return RS_OK;
}

/* with room for twice as many eigenvalues if there may be more: all rooms
 * together are at most twice the last */
static rs_status lowrank_step(rs_reweighted *s, double tol, rs_spca_cone *cone)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    const int squares = pr->loss == RS_LOSS_FROBENIUS;
    half_step state = {s, cone};
    const rs_operator half = {apply_half_step, &state};
    const rs_ritz_control control = {
        .tol = tol, .maxit = s->set->inner_maxit, .shift = cone->shift};
    for (int j = 0; j < d; j++)
        cone->E[j] = 1.0 / s->c[j];
    RS_TRY(rs_spca_gram(pr, s->at->c, cone->E, cone->half, cone->shift,
                        cone->system.A));
    for (int i = 0; i < n; i++)
        cone->half[i] = 2.0 / s->at->t[i];
    RS_TRY(rs_ridge_factor(n, cone->half, &cone->system));
    for (int j = 0; j < d; j++)
        cone->shift[j] = 0.5 * pr->eta * cone->E[j];
    for (;;) {
        const int wanted = rs_min_int(
            cone->found + (squares ? RS_GUARDS : RS_MORE_GUARDS), cone->room);
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
rs_status rs_spca_cone_step(rs_reweighted *s, rs_spca_cone *cone)
{
    const double ahead = 1e-4 * rs_history_change(&s->fit->history, 0.0);
    const double tol = fmax(s->set->inner_tol, fmin(1e-6, ahead));
    RS_TRY(s->is_dense ? dense_step(s, cone) : lowrank_step(s, tol, cone));
    return rs_spca_measure(s->pr, s->at);
}
