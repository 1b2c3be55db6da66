#include "method/bsufs.h"

#include "solve/palm.h"
#include "solve/prox.h"

typedef struct {
    const rs_bsufs_settings *set;
    int d, m;
    double *norms, *shrunk; /* d each */
} bsufs_penalties;

/* U: prox of lambda2/weight |.|^q, element by element */
static rs_status prox_elements(void *state, double weight, double *U)
{
    const bsufs_penalties *s = (const bsufs_penalties *)state;
    rs_prox_lq((size_t)s->d * s->m, U, s->set->lambda2 / weight, s->set->q, U);
    return RS_OK;
}

static double penalty_of_elements(void *state, const double *U)
{
    const bsufs_penalties *s = (const bsufs_penalties *)state;
    return s->set->lambda2 * rs_penalty_lq((size_t)s->d * s->m, U, s->set->q);
}

/* V: prox of lambda1/weight ||.||^p, row by row */
static rs_status prox_rows(void *state, double weight, double *V)
{
    bsufs_penalties *s = (bsufs_penalties *)state;
    rs_prox_l2p(s->d, s->m, V, s->set->lambda1 / weight, s->set->p, V,
                s->norms, s->shrunk);
    return RS_OK;
}

static double penalty_of_rows(void *state, const double *V)
{
    bsufs_penalties *s = (bsufs_penalties *)state;
    return s->set->lambda1 *
           rs_penalty_l2p(s->d, s->m, V, s->set->p, s->norms);
}

static int is_settled(const rs_history *history, double unit, double tol)
{
    return rs_history_change(history, unit) < tol;
}

rs_status rs_bsufs(rs_context *ctx, rs_covop *op, int m,
                   const rs_bsufs_settings *set, rs_bsufs_fit *fit)
{
    bsufs_penalties s = {set, op->d, m, NULL, NULL};
    const rs_palm_settings settings = {.tau = set->tau,
                                       .inner = set->inner,
                                       .extrapolates = 1,
                                       .turns = set->inner.method == RS_Q_MM,
                                       .is_settled = is_settled,
                                       .tol = set->tol,
                                       .maxit = set->maxit};
    const rs_palm_copy copies[RS_PALM_COPIES] = {
        {fit->U, set->lambda2 > 0.0, set->beta1, set->tau / set->beta1, &s,
         prox_elements, penalty_of_elements, NULL, 0},
        {fit->V, set->lambda1 > 0.0, set->beta2, set->tau / set->beta2, &s,
         prox_rows, penalty_of_rows, NULL, 1}};
    rs_palm_fit end;

    s.norms = rs_alloc_double(ctx, (size_t)op->d);
    s.shrunk = rs_alloc_double(ctx, (size_t)op->d);
    RS_TRY(rs_allocated(ctx));
    rs_status status = rs_palm(ctx, op, m, &settings, fit->W, copies, &end);
    if (!rs_is_usable(status))
        return status;
    fit->history = end.history;
    fit->kkt = end.kkt;
    fit->inner_iterations = end.inner_iterations;
    return status;
}
