#include "method/bsufs.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/momentum.h"
#include "solve/prox.h"

typedef struct {
    const rs_bsufs_settings *set;
    rs_covop *op;
    rs_bsufs_fit *fit;
    int d, m;
    size_t size; /* d * m */
    double *SW;  /* S W, kept in step with W */
    double *C;   /* linear term of the W step; scratch between steps */
    double *norms, *shrunk; /* d each */
    rs_q_ws q;
    rs_momentum momentum;
} bsufs_state;

static int has_elements(const rs_bsufs_settings *set)
{
    return set->lambda2 > 0.0;
}

static int has_rows(const rs_bsufs_settings *set)
{
    return set->lambda1 > 0.0;
}

/* C = beta1 U + beta2 V + tau W */
static void coupling(bsufs_state *s, double tau)
{
    const rs_bsufs_settings *set = s->set;
    double beta1 = has_elements(set) ? set->beta1 : 0.0;
    double beta2 = has_rows(set) ? set->beta2 : 0.0;
    const double *W = s->fit->W, *U = s->fit->U, *V = s->fit->V;
    for (size_t i = 0; i < s->size; i++)
        s->C[i] = beta1 * U[i] + beta2 * V[i] + tau * W[i];
}

/* W: problem (Q) with C = beta1 U + beta2 V + tau W, extrapolated */
static rs_status update_W(bsufs_state *s, double weight)
{
    rs_q_problem problem = {s->op, s->d, s->m, s->C};
    rs_q_info info;
    coupling(s, s->set->tau);
    rs_momentum_extrapolate(weight, s->C, &s->momentum);
    rs_status status =
        rs_q_solve(&problem, &s->set->inner, s->fit->W, s->SW, &info, &s->q);
    s->fit->inner_iterations += info.iterations;
    return rs_is_usable(status) ? RS_OK : status;
}

/* out = (beta W + tau old) / (beta + tau) */
static void mix(const bsufs_state *s, double beta, double tau,
                const double *old, double *out)
{
    double a = beta / (beta + tau), b = tau / (beta + tau);
    const double *W = s->fit->W;
    for (size_t i = 0; i < s->size; i++)
        out[i] = a * W[i] + b * old[i];
}

/* U: prox of lambda2/(beta1 + tau) |.|^q, element by element */
static void update_U(bsufs_state *s, double tau)
{
    const rs_bsufs_settings *set = s->set;
    if (!has_elements(set)) {
        rs_copy(s->size, s->fit->W, s->fit->U);
        return;
    }
    mix(s, set->beta1, tau, s->fit->U, s->fit->U);
    rs_prox_lq(s->size, s->fit->U, set->lambda2 / (set->beta1 + tau), set->q,
               s->fit->U);
}

/* V: prox of lambda1/(beta2 + tau) ||.||^p, row by row */
static void update_V(bsufs_state *s, double tau)
{
    const rs_bsufs_settings *set = s->set;
    if (!has_rows(set)) {
        rs_copy(s->size, s->fit->W, s->fit->V);
        return;
    }
    mix(s, set->beta2, tau, s->fit->V, s->fit->V);
    rs_prox_l2p(s->d, s->m, s->fit->V, set->lambda1 / (set->beta2 + tau),
                set->p, s->fit->V, s->norms, s->shrunk);
}

static double squared_distance(const bsufs_state *s, const double *copy)
{
    double gap = rs_distance(s->size, s->fit->W, copy);
    return gap * gap;
}

static double objective(bsufs_state *s)
{
    const rs_bsufs_settings *set = s->set;
    double f = -rs_dot(s->size, s->fit->W, s->SW);
    if (has_elements(set))
        f += set->lambda2 * rs_penalty_lq(s->size, s->fit->U, set->q) +
             0.5 * set->beta1 * squared_distance(s, s->fit->U);
    if (has_rows(set))
        f += set->lambda1 *
                 rs_penalty_l2p(s->d, s->m, s->fit->V, set->p, s->norms) +
             0.5 * set->beta2 * squared_distance(s, s->fit->V);
    return f;
}

/*
 * First-order residual: the largest of ||rgrad_W f|| / ||egrad_W f|| and the
 * distances of U and V from their proximal points, relative to ||W||.
 */
static double stationarity(bsufs_state *s)
{
    const rs_bsufs_settings *set = s->set;
    rs_q_problem problem = {s->op, s->d, s->m, s->C};
    double root_m = sqrt((double)s->m);
    coupling(s, 0.0);
    double kkt = rs_q_residual(&problem, s->fit->W, s->SW, &s->q.base);
    if (has_elements(set)) {
        rs_prox_lq(s->size, s->fit->W, set->lambda2 / set->beta1, set->q,
                   s->C);
        kkt = fmax(kkt, rs_distance(s->size, s->C, s->fit->U) / root_m);
    }
    if (has_rows(set)) {
        rs_prox_l2p(s->d, s->m, s->fit->W, set->lambda1 / set->beta2, set->p,
                    s->C, s->norms, s->shrunk);
        kkt = fmax(kkt, rs_distance(s->size, s->C, s->fit->V) / root_m);
    }
    return kkt;
}

/*
 * The change of f is below tol, and so is the residual its limit. RS_MAXIT: go
 * on; RS_STALLED: f stands, at a point that is not stationary.
 */
static rs_status look_at_end(bsufs_state *s)
{
    const rs_history *history = &s->fit->history;
    double unit = s->op->trace / s->d;
    if (!(rs_history_change(history, unit) < s->set->tol))
        return RS_MAXIT;
    s->fit->kkt = stationarity(s);
    if (s->fit->kkt <= rs_residual_limit(s->set->tol))
        return RS_OK;
    return rs_history_stands(history, RS_STANDING) ? RS_STALLED : RS_MAXIT;
}

/* one round of W, U, V; returns the objective in *f */
static rs_status alternate(bsufs_state *s, double weight, double *f)
{
    RS_TRY(update_W(s, weight));
    update_U(s, s->set->tau);
    update_V(s, s->set->tau);
    *f = objective(s);
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/*
 * One outer iteration: an extrapolated round, and the plain one, which cannot
 * rise, where the former does not decrease f by tau/2 ||W - W_last||^2.
 */
static rs_status outer_iteration(bsufs_state *s, double last, double *f)
{
    rs_momentum *mom = &s->momentum;
    double weight = rs_momentum_weight(mom);
    int accepted = 1;
    rs_momentum_keep_point(mom);
    RS_TRY(alternate(s, weight, f));
    if (weight > 0.0 &&
        *f > last - 0.5 * s->set->tau * rs_momentum_moved(mom, 0)) {
        rs_momentum_return_to_point(mom);
        accepted = 0;
        RS_TRY(alternate(s, 0.0, f));
    }
    rs_momentum_advance(accepted, mom);
    return RS_OK;
}

static rs_status init_state(rs_context *ctx, rs_covop *op, int m,
                            const rs_bsufs_settings *settings,
                            rs_bsufs_fit *fit, bsufs_state *s)
{
    s->set = settings;
    s->op = op;
    s->fit = fit;
    s->d = op->d;
    s->m = m;
    s->size = (size_t)op->d * m;
    s->SW = rs_alloc_double(ctx, s->size);
    s->C = rs_alloc_double(ctx, s->size);
    s->norms = rs_alloc_double(ctx, (size_t)op->d);
    s->shrunk = rs_alloc_double(ctx, (size_t)op->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_momentum_init(ctx, s->size, fit->W, s->SW, fit->U, fit->V,
                            &s->momentum));
    fit->inner_iterations = 0;
    fit->kkt = INFINITY;
    RS_TRY(rs_history_init(ctx, settings->maxit + 1, &fit->history));
    return rs_q_init(ctx, op->d, m, settings->inner.method, &s->q);
}

rs_status rs_bsufs(rs_context *ctx, rs_covop *op, int m,
                   const rs_bsufs_settings *settings, rs_bsufs_fit *fit)
{
    bsufs_state s;
    rs_status status = RS_MAXIT;

    RS_TRY(init_state(ctx, op, m, settings, fit, &s));
    RS_TRY(rs_covop_apply(op, m, fit->W, s.SW));
    rs_copy(s.size, fit->W, fit->U);
    rs_copy(s.size, fit->W, fit->V);
    update_U(&s, 0.0);
    update_V(&s, 0.0);
    rs_history_add(&fit->history, objective(&s));
    for (int k = 0; k < settings->maxit && status == RS_MAXIT; k++) {
        double f;
        RS_TRY(outer_iteration(&s, fit->history.objective[k], &f));
        rs_history_add(&fit->history, f);
        status = look_at_end(&s);
        RS_TRY(rs_poll(ctx));
    }
    fit->kkt = stationarity(&s);
    return status;
}
