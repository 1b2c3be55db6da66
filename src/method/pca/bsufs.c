#include "method/pca/bsufs.h"

#include "solve/prox.h"

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

static double penalty_of_elements(void *state, const double *U)
{
    const bsufs_penalties *s = (const bsufs_penalties *)state;
    return s->set->lambda2 * rs_penalty_lq((size_t)s->d * s->m, U, s->set->q);
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

static double penalty_of_rows(void *state, const double *V)
{
    bsufs_penalties *s = (bsufs_penalties *)state;
    return s->set->lambda1 *
           rs_penalty_rows(s->set->groups, s->d, s->m, V, s->set->p, s->norms);
}

typedef struct {
    bsufs_penalties penalties;
    rs_palm_settings settings;
    rs_palm_copy copies[RS_PALM_COPIES];
    rs_palm_loop *palm;
} bsufs_state;

static rs_status open_state(rs_context *ctx, rs_covop *op, int m,
                            const rs_bsufs_settings *set,
                            const rs_bsufs_fit *fit, bsufs_state *s)
{
    s->penalties =
        (bsufs_penalties){set, op->d, m, rs_alloc_double(ctx, (size_t)op->d),
                          rs_alloc_double(ctx, (size_t)op->d)};
    RS_TRY(rs_allocated(ctx));
    s->settings = (rs_palm_settings){.tau = set->tau,
                                     .inner = set->inner,
                                     .extrapolates = 1,
                                     .tol = set->tol,
                                     .maxit = set->maxit};
    const rs_palm_copy elements = {.U = fit->U,
                                   .is_active = set->lambda2 > 0.0,
                                   .beta = set->beta1,
                                   .inertia = set->tau / set->beta1,
                                   .state = &s->penalties,
                                   .prox = prox_elements,
                                   .penalty = penalty_of_elements};
    const rs_palm_copy rows = {.U = fit->V,
                               .is_active = set->lambda1 > 0.0,
                               .beta = set->beta2,
                               .inertia = set->tau / set->beta2,
                               .state = &s->penalties,
                               .prox = prox_rows,
                               .penalty = penalty_of_rows};
    s->copies[0] = elements;
    s->copies[1] = rows;
    return rs_palm_open(ctx, op, m, &s->settings, fit->W, s->copies, &s->palm);
}

rs_status rs_bsufs(rs_context *ctx, rs_covop *op, int m,
                   const rs_bsufs_settings *set, rs_bsufs_fit *fit)
{
    bsufs_state s;
    RS_TRY(open_state(ctx, op, m, set, fit, &s));
    return rs_palm_run(s.palm, &fit->end);
}

rs_status rs_bsufs_path(rs_context *ctx, rs_covop *op, int m,
                        const rs_bsufs_settings *set, int count,
                        const double *lambda1, rs_bsufs_taker take,
                        void *state, rs_bsufs_fit *fit)
{
    rs_bsufs_settings now = *set;
    bsufs_state s;
    now.lambda1 = lambda1[0];
    RS_TRY(open_state(ctx, op, m, &now, fit, &s));
    for (int at = 0; at < count; at++) {
        now.lambda1 = lambda1[at];
        s.copies[1].is_active = now.lambda1 > 0.0;
        rs_status ending = rs_palm_run(s.palm, &fit->end);
        if (!rs_is_usable(ending))
            return ending;
        RS_TRY(take(state, at, ending, fit));
    }
    return RS_OK;
}
