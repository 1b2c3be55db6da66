#include "solve/palm.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/steps.h"

/* what a round moves: W, S W and the copies */
enum { RS_PALM_BLOCKS = 2 + RS_PALM_COPIES };

typedef struct {
    rs_context *ctx;
    const rs_palm_settings *set;
    const rs_palm_copy *copies;
    rs_palm_fit *fit;
    int m;
    size_t size; /* d * m */
    double *W, *SW;
    double *C; /* linear term of the W step; scratch between steps */
    rs_q q;
    double t;           /* Nesterov's sequence */
    double *M, *last_M; /* 2 S W + C, of this round and of the one before */
    double *block[RS_PALM_BLOCKS], *kept[RS_PALM_BLOCKS];
} palm_state;

/* C = sum_i beta_i U_i + tau W */
static void couple(palm_state *s, double tau)
{
    const rs_palm_copy *first = s->copies, *second = s->copies + 1;
    const double beta1 = first->is_active ? first->beta : 0.0;
    const double beta2 = second->is_active ? second->beta : 0.0;
    for (size_t i = 0; i < s->size; i++)
        s->C[i] = beta1 * first->U[i] + beta2 * second->U[i] + tau * s->W[i];
}

/* W: problem (Q) with C, extrapolated */
static rs_status update_W(palm_state *s, double weight)
{
    couple(s, s->set->tau);
    for (size_t i = 0; i < s->size; i++) {
        s->M[i] = 2.0 * s->SW[i] + s->C[i];
        s->C[i] += weight * (s->M[i] - s->last_M[i]);
    }
    const rs_status status =
        rs_q_solve(&s->set->inner, s->C, s->W, s->SW, &s->q);
    s->fit->inner_iterations += s->q.iterations;
    s->fit->rejected = s->q.rejected;
    return rs_is_usable(status) ? RS_OK : status;
}

/* U: the proximal point of (W + inertia U) / (1 + inertia), or W where the copy
 * is not active; *f += h(U) + beta/2 ||W - U||^2 */
static rs_status update_copy(const palm_state *s, const rs_palm_copy *copy,
                             double inertia, double *f)
{
    const double a = 1.0 / (1.0 + inertia), b = inertia / (1.0 + inertia);
    double h;
    if (!copy->is_active) {
        rs_copy(s->size, s->W, copy->U);
        return RS_OK;
    }
    for (size_t i = 0; i < s->size; i++)
        copy->U[i] = a * s->W[i] + b * copy->U[i];
    RS_TRY(copy->prox(copy->state, copy->beta * (1.0 + inertia), copy->U, &h));
    const double gap = rs_distance(s->size, s->W, copy->U);
    *f += h + 0.5 * copy->beta * gap * gap;
    return RS_OK;
}

/*
 * First-order residual, each block in its own unit: the largest of
 * ||rgrad_W f|| / ||egrad_W f|| and of the gaps of the copies relative to ||W||.
 */
static rs_status stationarity(palm_state *s)
{
    const double root_m = sqrt((double)s->m);
    couple(s, 0.0);
    s->fit->kkt = rs_q_residual(s->C, s->W, s->SW, &s->q);
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        const rs_palm_copy *copy = s->copies + i;
        double gap, h;
        if (!copy->is_active)
            continue;
        if (copy->gap) {
            gap = copy->gap(copy->state, s->W, copy->U);
        } else {
            rs_copy(s->size, s->W, s->C);
            RS_TRY(copy->prox(copy->state, copy->beta, s->C, &h));
            gap = rs_distance(s->size, s->C, copy->U);
        }
        s->fit->kkt = fmax(s->fit->kkt, gap / root_m);
    }
    return RS_OK;
}

/*
 * The change of f is small, and so is the residual. *end = RS_MAXIT: go on;
 * RS_STALLED: f stands, at a point that is not stationary.
 */
static rs_status look_at_end(palm_state *s, rs_status *end)
{
    const double unit = s->q.op->trace / s->q.d;
    *end = RS_MAXIT;
    if (rs_history_change(&s->fit->history, unit) > s->set->tol)
        return RS_OK;
    RS_TRY(stationarity(s));
    if (s->fit->kkt <= rs_residual_limit(s->set->tol))
        *end = RS_OK;
    else if (rs_history_stands(&s->fit->history))
        *end = RS_STALLED;
    return RS_OK;
}

/* one round of W and the copies; returns the objective in *f */
static rs_status alternate(palm_state *s, double weight, double *f)
{
    RS_TRY(update_W(s, weight));
    *f = -rs_dot(s->size, s->W, s->SW);
    for (int i = 0; i < RS_PALM_COPIES; i++)
        RS_TRY(update_copy(s, s->copies + i, s->copies[i].inertia, f));
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/* ||block - kept block||^2 */
static double moved(const palm_state *s, int b)
{
    const double distance = rs_distance(s->size, s->block[b], s->kept[b]);
    return distance * distance;
}

/* tau/2 ||W - W_last||^2 + sum_i rho_i/2 ||U_i - U_i,last||^2, which a plain
 * round guarantees */
static double sufficient_decrease(const palm_state *s)
{
    double bound = 0.5 * s->set->tau * moved(s, 0);
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        const rs_palm_copy *copy = s->copies + i;
        if (copy->is_active)
            bound += 0.5 * copy->inertia * copy->beta * moved(s, 2 + i);
    }
    return bound;
}

/* an extrapolated round, and the plain one where f did not fall enough */
static rs_status outer_iteration(palm_state *s, double last, double *f)
{
    const double weight =
        s->set->extrapolates ? rs_momentum_weight_at(s->t) : 0.0;
    for (int b = 0; b < RS_PALM_BLOCKS && weight > 0.0; b++)
        rs_copy(s->size, s->block[b], s->kept[b]);
    RS_TRY(alternate(s, weight, f));
    s->t = rs_momentum_next(s->t);
    if (weight > 0.0 && *f > last - sufficient_decrease(s)) {
        for (int b = 0; b < RS_PALM_BLOCKS; b++)
            rs_copy(s->size, s->kept[b], s->block[b]);
        RS_TRY(alternate(s, 0.0, f));
        s->t = 1.0;
    }
    double *swap = s->last_M;
    s->last_M = s->M;
    s->M = swap;
    return RS_OK;
}

/* the copies at W, and f there */
static rs_status begin(rs_covop *op, palm_state *s)
{
    double f;
    for (int b = 0; b < RS_PALM_BLOCKS; b++)
        s->kept[b] = rs_alloc_double(s->ctx, s->size);
    RS_ALLOC_DOUBLES(s->ctx, s->size, &s->SW, &s->C, &s->M, &s->last_M);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_q_init(s->ctx, op, s->m, s->set->inner.method, &s->q));
    RS_TRY(rs_history_init(s->ctx, s->set->maxit + 1, &s->fit->history));
    RS_TRY(rs_covop_apply(op, s->m, s->W, s->SW));
    rs_fill(s->size, 0.0, s->last_M);
    s->block[0] = s->W;
    s->block[1] = s->SW;
    f = -rs_dot(s->size, s->W, s->SW);
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        s->block[2 + i] = s->copies[i].U;
        rs_copy(s->size, s->W, s->copies[i].U);
        RS_TRY(update_copy(s, s->copies + i, 0.0, &f));
    }
    rs_history_add(&s->fit->history, f);
    return RS_OK;
}

rs_status rs_palm(rs_context *ctx, rs_covop *op, int m,
                  const rs_palm_settings *settings, double *W,
                  const rs_palm_copy *copies, rs_palm_fit *fit)
{
    palm_state s = {.ctx = ctx,
                    .set = settings,
                    .copies = copies,
                    .fit = fit,
                    .m = m,
                    .size = (size_t)op->d * m,
                    .W = W,
                    .t = 1.0};
    rs_status status = RS_MAXIT;
    fit->inner_iterations = fit->rejected = 0;
    RS_TRY(begin(op, &s));
    while (fit->history.count <= settings->maxit && status == RS_MAXIT) {
        double f;
        RS_TRY(outer_iteration(&s, rs_history_last(&fit->history), &f));
        rs_history_add(&fit->history, f);
        RS_TRY(look_at_end(&s, &status));
        RS_TRY(rs_poll(ctx));
    }
    if (status == RS_MAXIT) /* otherwise it is known from look_at_end() */
        RS_TRY(stationarity(&s));
    return status;
}
