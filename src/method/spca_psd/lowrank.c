#include "method/spca_psd/lowrank.h"

#include <math.h>

#include "la/linalg.h"

/*
 * With E = diag(1/c) and B = Xt'Q Xt of rank at most n (method/spca_psd/ridge.c),
 *
 *   sym(Omega_half) = (E B + B E)/2 + (eta/2) E B E - (eta/2) E
 *
 * has at most n positive eigenvalues; an iterative solver finds them, started
 * from the eigenvectors of the step before.
 */

rs_status rs_spca_lowrank_init(const rs_spca *pr, int dense, int wanted,
                               rs_spca_lowrank_ws *ws)
{
    const int block = rs_eigs_block(pr->d, wanted);
    size_t n = (size_t)pr->n, d = (size_t)pr->d, m = (size_t)block;
    ws->pr = pr;
    ws->found = 0;
    RS_ALLOC_DOUBLES(pr->ctx, d, &ws->E, &ws->shift);
    RS_ALLOC_DOUBLES(pr->ctx, n * m, &ws->XV, &ws->XEV);
    RS_ALLOC_DOUBLES(pr->ctx, d * m, &ws->EV, &ws->BW, &ws->P);
    ws->values = rs_alloc_double(pr->ctx, m);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_spca_ridge_init(pr, dense, block, &ws->ridge));
    return rs_eigs_init_sized(pr->ctx, pr->d, wanted, block, 4 * block + 8,
                              &ws->eigs);
}

/* MV = B (E V/2) + E * B (V/2 + (eta/2) E V) - (eta/2) E V */
static rs_status apply_half_step(void *state, int m, const double *V,
                                 double *MV)
{
    rs_spca_lowrank_ws *ws = (rs_spca_lowrank_ws *)state;
    const rs_spca *pr = ws->pr;
    const size_t nm = (size_t)pr->n * m, dm = (size_t)pr->d * m;

    rs_copy(dm, V, ws->EV);
    rs_scale_rows(pr->d, m, ws->E, ws->EV);
    RS_TRY(rs_spca_times(pr, ws->centre->c, m, V, ws->XV));
    RS_TRY(rs_spca_times(pr, ws->centre->c, m, ws->EV, ws->XEV));
    for (size_t i = 0; i < nm; i++)
        ws->XV[i] = 0.5 * ws->XV[i] + 0.5 * pr->eta * ws->XEV[i];
    rs_scale(nm, 0.5, ws->XEV);
    RS_TRY(rs_spca_ridge_kernel(m, ws->XV, &ws->ridge));
    RS_TRY(rs_spca_ridge_kernel(m, ws->XEV, &ws->ridge));
    RS_TRY(rs_spca_crossprod(pr, ws->centre->c, m, ws->XV, ws->BW));
    RS_TRY(rs_spca_crossprod(pr, ws->centre->c, m, ws->XEV, MV));
    rs_scale_rows(pr->d, m, ws->E, ws->BW);
    for (size_t i = 0; i < dm; i++)
        MV[i] += ws->BW[i] - 0.5 * pr->eta * ws->EV[i];
    return RS_OK;
}

/* MV = V - (diag(w) N V + N diag(w) V) / 2, N = (S_T + diag(c))^{-1}, w = c +
 * eta/2: sym(Omega_half) as in method/spca_psd/dense.c */
static rs_status apply_by_factor(void *state, int m, const double *V,
                                 double *MV)
{
    rs_spca_lowrank_ws *ws = (rs_spca_lowrank_ws *)state;
    const int d = ws->pr->d;
    const size_t dm = (size_t)d * m;
    rs_copy(dm, V, ws->EV);
    rs_copy(dm, V, ws->BW);
    rs_scale_rows(d, m, ws->E, ws->BW);
    RS_TRY(rs_ridge_solve(m, ws->EV, &ws->ridge.system));
    RS_TRY(rs_ridge_solve(m, ws->BW, &ws->ridge.system));
    rs_scale_rows(d, m, ws->E, ws->EV);
    for (size_t i = 0; i < dm; i++)
        MV[i] = V[i] - 0.5 * (ws->EV[i] + ws->BW[i]);
    return RS_OK;
}

rs_status rs_spca_lowrank_step(const double *c, double tol, int maxit,
                               int *full, rs_spca_point *at,
                               rs_spca_lowrank_ws *ws)
{
    const rs_spca *pr = ws->pr;
    const size_t d = (size_t)pr->d;
    ws->centre = &at->centre;
    rs_copy(d, c, ws->ridge.c);
    for (size_t j = 0; j < d; j++) {
        ws->E[j] = ws->ridge.dense ? c[j] + 0.5 * pr->eta : 1.0 / c[j];
        ws->shift[j] = 0.5 * pr->eta / c[j];
    }
    RS_TRY(rs_spca_ridge_factor(pr, &at->centre, at->t, pr->S, &ws->ridge));
    rs_status status =
        rs_eigs_positive(ws->ridge.dense ? apply_by_factor : apply_half_step,
                         ws, ws->shift, ws->found, ws->P, tol, maxit,
                         &ws->found, ws->values, ws->P, &ws->eigs);
    if (!rs_is_usable(status))
        return status;
    *full = ws->found == ws->eigs.wanted && ws->found < pr->n;
    return rs_spca_point_from_pairs(pr, ws->found, ws->values, ws->P, at);
}
