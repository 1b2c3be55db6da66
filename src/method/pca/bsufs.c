#include "method/pca/pca.h"

#include "solve/penalty.h"

typedef struct {
    const rs_bsufs_settings *set;
    int d, m;
    double *norms, *shrunk; /* d each */
} bsufs_penalties;

/* U: prox of lambda2/weight |.|^q, element by element */
static rs_status prox_elements(void *state, double weight, double *U,
                               double *h)
{
    const bsufs_penalties *s = (const bsufs_penalties *)state;
    const double lambda = s->set->lambda2;
    *h = lambda *
         rs_prox_lq((size_t)s->d * s->m, U, lambda / weight, s->set->q, U);
    return RS_OK;
}

/* V: prox of lambda1/weight ||.||^p, row by row */
static rs_status prox_rows(void *state, double weight, double *V, double *h)
{
    bsufs_penalties *s = (bsufs_penalties *)state;
    const double lambda = s->set->lambda1;
    *h = lambda * rs_prox_rows(s->set->groups, s->d, s->m, V, lambda / weight,
                               s->set->p, s->norms, s->shrunk);
    return RS_OK;
}

rs_status rs_bsufs(rs_context *ctx, rs_covop *op, int m,
                   const rs_bsufs_settings *set, rs_bsufs_fit *fit)
{
    bsufs_penalties state = {set, op->d, m, NULL, NULL};
    RS_ALLOC_DOUBLES(ctx, (size_t)op->d, &state.norms, &state.shrunk);
    RS_TRY(rs_allocated(ctx));
    const rs_palm_settings settings = {.tau = set->tau,
                                       .inner = set->inner,
                                       .extrapolates = 1,
                                       .tol = set->tol,
                                       .maxit = set->maxit};
    const rs_palm_copy copies[RS_PALM_COPIES] = {
        {.U = fit->U,
         .is_active = set->lambda2 > 0.0,
         .beta = set->beta1,
         .inertia = set->tau / set->beta1,
         .state = &state,
         .prox = prox_elements},
        {.U = fit->V,
         .is_active = set->lambda1 > 0.0,
         .beta = set->beta2,
         .inertia = set->tau / set->beta2,
         .state = &state,
         .prox = prox_rows}};
    return rs_palm(ctx, op, m, &settings, fit->W, copies, &fit->end);
}
