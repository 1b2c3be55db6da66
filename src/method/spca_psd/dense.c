#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/dense.h"
#include "method/spca_psd/leading.h"
#include "method/spca_psd/model.h"
#include "method/spca_psd/ridge.h"
#include "eigen/eigs_positive.h"

/* from this order on few eigenvectors are searched for, if a block of so many
 * times the columns fits into the matrix */
#define RS_SEARCH_ORDER 300
#define RS_SEARCH_SHARE 16

/* room for an iterative search, where the rank is known to be small */
static rs_status prepare_search(rs_spca *pr, rs_spca_dense_ws *ws)
{
    const int wanted = ws->found + 4 + ws->found / 2;
    const int block = rs_eigs_block(pr->d, wanted);
    if (pr->d < RS_SEARCH_ORDER || RS_SEARCH_SHARE * block > pr->d)
        return RS_OK;
    ws->P = rs_alloc_double(pr->ctx, (size_t)pr->d * block);
    ws->shift = rs_alloc_double(pr->ctx, (size_t)pr->d);
    ws->Y = rs_alloc_double(pr->ctx, 2 * (size_t)pr->d * block);
    RS_TRY(rs_allocated(pr->ctx));
    return rs_eigs_init_sized(pr->ctx, pr->d, wanted, block, 4 * block + 8,
                              &ws->eigs);
}

/* the first search begins with the leading eigenvectors of S, if they are known */
static rs_status first_pairs(rs_spca *pr, rs_spca_dense_ws *ws)
{
    const rs_spca_lead *lead = NULL;
    if (ws->fixed)
        RS_TRY(rs_spca_leading(pr, &lead));
    if (!lead)
        return RS_OK;
    while (ws->found < lead->m && lead->values[ws->found] > 0.5 * pr->eta)
        ws->found++;
    RS_TRY(prepare_search(pr, ws));
    if (ws->eigs.wanted > 0)
        rs_copy((size_t)pr->d * ws->found, lead->V, ws->P);
    return RS_OK;
}

rs_status rs_spca_dense_init(rs_spca *pr, rs_spca_dense_ws *ws)
{
    size_t square = (size_t)pr->d * pr->d;
    ws->fixed = pr->loss == RS_LOSS_FROBENIUS;
    ws->found = 0;
    ws->eigs.wanted = 0;
    ws->all = NULL;
    if (ws->fixed)
        RS_TRY(rs_spca_fixed_scatter(pr));
    ws->S = ws->fixed ? pr->S : rs_alloc_double(pr->ctx, square);
    RS_TRY(rs_ridge_init(pr->ctx, pr->d, &ws->system));
    ws->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    ws->values = rs_alloc_double(pr->ctx, (size_t)pr->d);
    RS_TRY(rs_allocated(pr->ctx));
    return first_pairs(pr, ws);
}

/* the Cholesky factor of S_T + diag(c) */
static rs_status factor_system(const rs_spca *pr, const double *c,
                               rs_spca_dense_ws *ws)
{
    rs_copy((size_t)pr->d * pr->d, ws->S, ws->system.A);
    RS_TRY(rs_ridge_factor(pr->d, c, &ws->system));
    return rs_poll(pr->ctx);
}

/*
 * With N = (S_T + diag(c))^{-1}, S_T N = I - diag(c) N, so
 * sym(Omega_half) = I - N * ((c_i + c_j + eta) / 2), element by element.
 */
static rs_status half_step(const rs_spca *pr, const double *c,
                           rs_spca_dense_ws *ws)
{
    const int d = pr->d;
    double *M = ws->system.A;
    RS_TRY(rs_cholesky_inverse(d, M));
    for (int j = 0; j < d; j++) {
        double *column = M + (size_t)j * d;
        for (int i = 0; i < d; i++)
            column[i] *= -0.5 * (c[i] + c[j] + pr->eta);
        column[j] += 1.0;
    }
    return rs_poll(pr->ctx);
}

typedef struct {
    const rs_spca *pr;
    const double *c;
    rs_spca_dense_ws *ws;
} half_operator;

/* the same from the factor: MV = V - (diag(w) N V + N diag(w) V) / 2, w = c +
 * eta/2 */
static rs_status apply_half_step(void *state, int m, const double *V,
                                 double *MV)
{
    half_operator *op = (half_operator *)state;
    const int d = op->pr->d;
    const size_t dm = (size_t)d * m;
    const double shift = 0.5 * op->pr->eta, *c = op->c;
    double *Y = op->ws->Y, *Z = Y + dm;
    rs_copy(dm, V, Y);
    for (int k = 0; k < m; k++)
        for (int j = 0; j < d; j++)
            Z[j + (size_t)k * d] = (c[j] + shift) * V[j + (size_t)k * d];
    RS_TRY(rs_ridge_solve(2 * m, Y, &op->ws->system));
    for (int k = 0; k < m; k++)
        for (int j = 0; j < d; j++) {
            size_t jk = j + (size_t)k * d;
            MV[jk] = V[jk] - 0.5 * ((c[j] + shift) * Y[jk] + Z[jk]);
        }
    return rs_poll(op->pr->ctx);
}

/*
 * The positive eigenpairs from those of the step before; *done = 0 where they
 * were not found, or may be more. The matrix is one of rank n at most minus
 * (eta/2) diag(1/c), as method/spca_psd/lowrank.c says.
 */
static rs_status search_pairs(rs_spca *pr, const double *c, double tol,
                              int maxit, int *done, rs_spca_dense_ws *ws)
{
    half_operator op = {pr, c, ws};
    *done = 0;
    if (ws->eigs.wanted == 0)
        return RS_OK;
    for (int j = 0; j < pr->d; j++)
        ws->shift[j] = 0.5 * pr->eta / c[j];
    rs_status status =
        rs_eigs_positive(apply_half_step, &op, ws->shift, ws->found, ws->P,
                         tol, maxit, &ws->found, ws->values, ws->P, &ws->eigs);
    if (!rs_is_usable(status))
        return status;
    *done = status == RS_OK && ws->found < ws->eigs.wanted;
    if (!*done)
        ws->eigs.wanted = 0;
    return rs_poll(pr->ctx);
}

/* the eigenvectors above the tolerance of the rank by LAPACK */
static rs_status all_pairs(rs_spca *pr, rs_spca_dense_ws *ws)
{
    const size_t d = (size_t)pr->d;
    if (!ws->all) {
        RS_TRY(rs_eigen_init(pr->ctx, pr->d, &ws->eigen));
        RS_TRY_ALLOC(ws->all = rs_alloc_double(pr->ctx, d * d));
    }
    RS_TRY(rs_eigen_above(pr->d, ws->system.A, RS_SPCA_RANK_TOL, &ws->found,
                          ws->values, ws->all, &ws->eigen));
    RS_TRY(prepare_search(pr, ws));
    if (ws->eigs.wanted > 0)
        rs_copy(d * ws->found, ws->all, ws->P);
    return RS_OK;
}

rs_status rs_spca_dense_step(rs_spca *pr, const double *c, double tol,
                             int maxit, rs_spca_point *at,
                             rs_spca_dense_ws *ws)
{
    int done;
    if (!ws->fixed)
        RS_TRY(rs_spca_scatter(pr, at->t, ws->half, ws->values, ws->S));
    RS_TRY(factor_system(pr, c, ws));
    RS_TRY(search_pairs(pr, c, tol, maxit, &done, ws));
    if (!done) {
        RS_TRY(half_step(pr, c, ws));
        RS_TRY(all_pairs(pr, ws));
    }
    const double *vectors = done ? ws->P : ws->all;
    RS_TRY(rs_spca_point_room(pr, ws->found, at));
    for (at->r = 0; at->r < ws->found && ws->values[at->r] > RS_SPCA_RANK_TOL;
         at->r++) {
        double *f = at->F + (size_t)at->r * pr->d;
        rs_copy((size_t)pr->d, vectors + (size_t)at->r * pr->d, f);
        rs_scale((size_t)pr->d, sqrt(ws->values[at->r]), f);
    }
    return RS_OK;
}
