#include "method/spca_psd/paper.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/dense.h"
#include "method/spca_psd/lowrank.h"
#include "method/spca_psd/start.h"

/* with d x d matrices eigenpairs are searched for where the block of the search
 * has at most d / 16 columns */
#define RS_SEARCH_SHARE 16

typedef struct {
    const rs_spca *pr;
    const rs_spca_paper_settings *set;
    rs_spca_point *at;
    rs_spca_fit *fit;
    double *c;    /* d: (lambda/2) D + ridge */
    int searches; /* positive eigenpairs are searched for */
    rs_spca_dense_ws dense;
    rs_spca_lowrank_ws lowrank;
} paper;

/*
 * Flops of one step. Dense: Cholesky, inverse and the eigenproblem, whose
 * reduction runs at a fraction of the speed of the rest. Low rank: a sample
 * Gram matrix and about eight products and orthonormalisations of r columns.
 */
static double dense_flops(double n, double d, rs_spca_loss loss)
{
    return 5.0 * d * d * d + (loss == RS_LOSS_L21 ? 2.0 * n * d * d : 0.0);
}

static double lowrank_flops(double n, double d, double r)
{
    return n * n * d + n * n * n + 64.0 * r * d * (n + r);
}

rs_spca_route rs_spca_cheaper_route(const rs_spca *pr, double r)
{
    double n = pr->n, d = pr->d;
    return n < d && lowrank_flops(n, d, r) < dense_flops(n, d, pr->loss)
               ? RS_ROUTE_LOWRANK
               : RS_ROUTE_DENSE;
}

/*
 * Room for so many positive eigenvalues. On the dense route a search for many
 * costs more than all eigenpairs by LAPACK, which then take its place.
 */
static rs_status room_for(paper *s, int wanted)
{
    const rs_spca *pr = s->pr;
    const int dense = s->set->route == RS_ROUTE_DENSE;
    wanted = rs_min_int(wanted, pr->n);
    if (dense && RS_SEARCH_SHARE * rs_eigs_block(pr->d, wanted) > pr->d) {
        s->searches = 0;
        return rs_spca_dense_init(pr, &s->dense);
    }
    return rs_spca_lowrank_init(pr, dense, wanted, &s->lowrank);
}

/* the search starts from the eigenvectors of S_T above eta/2 */
static rs_status init_search(paper *s)
{
    const rs_spca *pr = s->pr;
    const double *values, *V;
    int count;
    RS_TRY(
        rs_spca_components(pr, s->at->t, 0.5 * pr->eta, &count, &values, &V));
    int wanted = count + 4 + count / 4;
    RS_TRY(room_for(s, wanted));
    if (!s->searches)
        return RS_OK;
    s->lowrank.found = count;
    rs_copy((size_t)pr->d * count, V, s->lowrank.P);
    return rs_poll(pr->ctx);
}

void rs_spca_published(const rs_spca *pr, rs_spca_paper_settings *set)
{
    double mean = 0.0; /* of the diagonal of S_T at Omega = 0 */
    for (int i = 0; i < pr->n; i++)
        mean += pr->loss == RS_LOSS_FROBENIUS ? pr->data_square[i]
                                              : 0.5 * sqrt(pr->data_square[i]);
    set->ridge = (pr->loss == RS_LOSS_FROBENIUS ? 5e-5 : 3e-4) * mean / pr->d;
    set->floors.column = pr->loss == RS_LOSS_FROBENIUS ? DBL_EPSILON : 1e-3;
    set->floors.residual = 1e-6 * pr->trace / pr->n;
}

static rs_status init(paper *s)
{
    const rs_spca *pr = s->pr;
    s->c = rs_alloc_double(pr->ctx, (size_t)pr->d);
    RS_TRY_ALLOC(s->c);
    RS_TRY(rs_history_init(pr->ctx, s->set->maxit + 1, &s->fit->history));
    /* dense: where S_T stays the same, and its leading pairs are known */
    s->searches = s->set->route == RS_ROUTE_LOWRANK || (pr->S && pr->leading);
    return s->searches ? init_search(s) : rs_spca_dense_init(pr, &s->dense);
}

/*
 * Room for twice as many eigenvalues, so that all rooms together are at most
 * twice the last; the last eigenvectors are kept.
 */
static rs_status widen(paper *s)
{
    rs_spca_lowrank_ws old = s->lowrank;
    RS_TRY(room_for(s, 2 * old.eigs.wanted));
    if (!s->searches)
        return RS_OK;
    s->lowrank.found = old.found;
    rs_copy((size_t)s->pr->d * old.found, old.P, s->lowrank.P);
    return RS_OK;
}

/* the eigen-solver is well ahead of the outer iteration, within limits */
static double eigen_tolerance(const paper *s)
{
    double ahead = 1e-4 * rs_history_change(&s->fit->history, 0.0);
    return fmax(s->set->inner_tol, fmin(1e-6, ahead));
}

/* Omega = PSD part of sym((S_T - (eta/2) I)(S_T + diag(c))^{-1}) */
static rs_status update_omega(paper *s)
{
    for (int j = 0; j < s->pr->d; j++)
        s->c[j] = 0.5 * s->pr->lambda * s->at->D[j] + s->set->ridge;
    const double tol = eigen_tolerance(s);
    for (int full = 1; s->searches;) {
        RS_TRY(rs_spca_lowrank_step(s->c, tol, s->set->inner_maxit, &full,
                                    s->at, &s->lowrank));
        if (!full)
            return RS_OK;
        RS_TRY(widen(s));
    }
    return rs_spca_dense_step(s->pr, s->c, s->at, &s->dense);
}

rs_status rs_spca_paper(const rs_spca *pr, const rs_spca_paper_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit)
{
    paper s = {.pr = pr, .set = set, .at = at, .fit = fit};
    rs_spca_end end = RS_SPCA_GOES_ON;
    RS_TRY(init(&s));
    fit->iterations = 0;
    fit->inner_iterations = 0;
    if (set->record_start)
        rs_history_add(&fit->history,
                       rs_spca_objective(pr, &rs_spca_unsmoothed, at));
    while (fit->iterations < set->maxit && end == RS_SPCA_GOES_ON) {
        RS_TRY(rs_spca_set_centre(pr, at->t, &at->centre));
        RS_TRY(update_omega(&s));
        RS_TRY(rs_spca_measure(pr, at));
        rs_spca_weights(pr, &set->floors, at);
        fit->objective = rs_spca_objective(pr, &rs_spca_unsmoothed, at);
        RS_TRY(
            rs_spca_record(pr, fit->objective, set->tol, &fit->history, &end));
        fit->iterations++;
    }
    return rs_spca_ending(end);
}
