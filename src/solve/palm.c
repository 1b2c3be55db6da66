#include "solve/palm.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/momentum.h"
#include "solve/q_mm.h"
#include "solve/turn.h"

/* a turn is tried after so many rounds in which the nonzero rows were the same,
 * the last of which changed f by no more than this share */
#define RS_PALM_STILL 3
#define RS_PALM_SLOW 1e-4
/* it ends where a step gains less than this share of f */
#define RS_PALM_STEP_GAIN 1e-6
#define RS_PALM_TURNS 300
/* and is taken where it gains more than rounds with momentum soon would */
#define RS_PALM_TURN_GAIN 1e-3
/* the same at the end of one run of several */
#define RS_PALM_END_GAIN 2e-4

struct rs_palm_loop {
    rs_context *ctx;
    const rs_palm_settings *set;
    const rs_palm_copy *copies;
    rs_palm_fit *fit; /* of the run that goes on */
    rs_history history;
    rs_covop *op;
    int d, m;
    size_t size; /* d * m */
    double *W;
    double *SW; /* S W, kept in step with W */
    double *C;  /* linear term of the W step; scratch between steps */
    rs_q_ws q;
    rs_momentum momentum;
    int turns;              /* is W turned? */
    unsigned char *has_row; /* d: the nonzero rows of the copies */
    int still;              /* rounds since they changed, or since a trial */
    int wait;               /* such rounds before the next trial */
    int ends;               /* of runs since a turn was tried there */
    int ends_wait;          /* such ends before the next trial */
    rs_turn_ws turn;
};

/* block of the momentum that holds copy i, behind W and S W */
#define RS_PALM_BLOCK(i) (2 + (i))

/* C = sum_i beta_i U_i + tau W */
static void coupling(rs_palm_loop *s, double tau)
{
    const rs_palm_copy *first = s->copies, *second = s->copies + 1;
    double beta1 = first->is_active ? first->beta : 0.0;
    double beta2 = second->is_active ? second->beta : 0.0;
    for (size_t i = 0; i < s->size; i++)
        s->C[i] = beta1 * first->U[i] + beta2 * second->U[i] + tau * s->W[i];
}

/*
 * W: problem (Q) with C = sum_i beta_i U_i + tau W, extrapolated. A solver that
 * would end above its start gives the start back (RS_STALLED); the MM step
 * that may take its place cannot rise.
 */
static rs_status update_W(rs_palm_loop *s, double weight)
{
    const rs_q_problem problem = {s->op, s->d, s->m, s->C};
    rs_q_info info;
    coupling(s, s->set->tau);
    rs_momentum_extrapolate(weight, s->C, &s->momentum);
    rs_status status =
        rs_q_solve(&problem, &s->set->inner, s->W, s->SW, &info, &s->q);
    s->fit->inner_iterations += info.iterations;
    if (status == RS_STALLED && s->set->replaces_rejected &&
        s->set->inner.method == RS_Q_PENCF) {
        s->fit->rejected++;
        rs_q_run step = {&problem, {0.0, 1}, s->W, s->SW, &s->q.base, 0};
        status = rs_q_mm(&step);
        s->fit->inner_iterations += step.iterations;
    }
    return rs_is_usable(status) ? RS_OK : status;
}

/* f(W, U_1, U_2) */
static double objective(const rs_palm_loop *s)
{
    double f = -rs_dot(s->size, s->W, s->SW);
    for (int i = 0; i < RS_PALM_COPIES; i++)
        f += rs_palm_copy_value(s->copies + i, s->size, s->W);
    return f;
}

/* the gap of a copy; overwrites C */
static rs_status copy_gap(rs_palm_loop *s, const rs_palm_copy *copy,
                          double *gap)
{
    if (copy->gap) {
        *gap = copy->gap(copy->state, s->W, copy->U);
        return RS_OK;
    }
    double h;
    rs_copy(s->size, s->W, s->C);
    RS_TRY(copy->prox(copy->state, copy->beta, s->size, s->C, &h));
    *gap = rs_distance(s->size, s->C, copy->U);
    return RS_OK;
}

/*
 * First-order residual, each block in its own unit: the largest of
 * ||rgrad_W f|| / ||egrad_W f|| and of the gaps of the copies relative to ||W||.
 */
static rs_status stationarity(rs_palm_loop *s)
{
    const rs_q_problem problem = {s->op, s->d, s->m, s->C};
    const double root_m = sqrt((double)s->m);
    coupling(s, 0.0);
    s->fit->kkt = rs_q_residual(&problem, s->W, s->SW, &s->q.base);
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        double gap;
        if (!s->copies[i].is_active)
            continue;
        RS_TRY(copy_gap(s, s->copies + i, &gap));
        s->fit->kkt = fmax(s->fit->kkt, gap / root_m);
    }
    return RS_OK;
}

/*
 * The change of f is small, and so is the residual. *end = RS_MAXIT: go on;
 * RS_STALLED: f stands, at a point that is not stationary.
 */
static rs_status look_at_end(rs_palm_loop *s, rs_status *end)
{
    const rs_history *history = &s->history;
    *end = RS_MAXIT;
    if (!s->set->has_converged(history, s->op->trace / s->d, s->set->tol))
        return RS_OK;
    RS_TRY(stationarity(s));
    if (s->fit->kkt <= rs_residual_limit(s->set->tol))
        *end = RS_OK;
    else if (rs_history_stands(history, RS_STANDING))
        *end = RS_STALLED;
    return RS_OK;
}

/* one round of W and the copies; returns the objective in *f */
static rs_status alternate(rs_palm_loop *s, double weight, double *f)
{
    RS_TRY(update_W(s, weight));
    *f = -rs_dot(s->size, s->W, s->SW);
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        double value;
        RS_TRY(rs_palm_copy_step(s->copies + i, s->size, s->W,
                                 s->copies[i].inertia, &value));
        *f += value;
    }
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/* tau/2 ||W - W_last||^2 + sum_i rho_i/2 ||U_i - U_i,last||^2, which a plain
 * round guarantees; the sum where it counts */
static double sufficient_decrease(const rs_palm_loop *s)
{
    const rs_momentum *mom = &s->momentum;
    double bound = 0.5 * s->set->tau * rs_momentum_moved(mom, 0);
    for (int i = 0; i < RS_PALM_COPIES && s->set->counts_copies; i++) {
        const rs_palm_copy *copy = s->copies + i;
        if (copy->is_active)
            bound += 0.5 * copy->inertia * copy->beta *
                     rs_momentum_moved(mom, RS_PALM_BLOCK(i));
    }
    return bound;
}

/* an extrapolated round, and the plain one where f did not fall enough */
static rs_status outer_iteration(rs_palm_loop *s, double last, double *f)
{
    rs_momentum *mom = &s->momentum;
    double weight = s->set->extrapolates ? rs_momentum_weight(mom) : 0.0;
    int accepted = 1;
    rs_momentum_keep_point(mom);
    RS_TRY(alternate(s, weight, f));
    if (weight > 0.0 && *f > last - sufficient_decrease(s)) {
        rs_momentum_return_to_point(mom);
        accepted = 0;
        RS_TRY(alternate(s, 0.0, f));
    }
    rs_momentum_advance(accepted, mom);
    return RS_OK;
}

/* the rounds in which no copy that sees rows has gained or lost one */
static void count_still(rs_palm_loop *s)
{
    int changed = 0;
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        const rs_palm_copy *copy = s->copies + i;
        if (!copy->is_active || !copy->sees_rows)
            continue;
        for (int j = 0; j < s->d; j++) {
            unsigned char has = 0;
            for (int c = 0; c < s->m && !has; c++)
                has = copy->U[j + (size_t)c * s->d] != 0.0;
            changed += has != s->has_row[j];
            s->has_row[j] = has;
        }
    }
    s->still = changed ? 0 : s->still + 1;
}

/* W, with all that belongs to it, in the basis of its span that suits the
 * copies of the entries, where f is lower there by this share of it */
static rs_status turn_in_span(rs_palm_loop *s, double share, double *f)
{
    const double least = RS_PALM_STEP_GAIN * fabs(*f);
    const rs_turn_limits limits = {s->set->tau, least, RS_PALM_TURNS};
    double gain;
    s->still = 0;
    rs_momentum_keep_point(&s->momentum);
    RS_TRY(rs_turn(&limits, s->copies, s->W, &gain, &s->turn));
    if (gain < share * fabs(*f)) {
        rs_momentum_return_to_point(&s->momentum);
        s->wait *= 2;
        return RS_OK;
    }
    rs_turn_along(s->SW, &s->turn);
    rs_turn_along(s->momentum.last_argument, &s->turn);
    for (int i = 0; i < RS_PALM_COPIES; i++)
        if (rs_palm_copy_follows(s->copies + i))
            rs_turn_along(s->copies[i].U, &s->turn);
    *f -= gain;
    return RS_OK;
}

/* have the nonzero rows stayed the same, and does f fall slowly? */
static int is_time_to_turn(rs_palm_loop *s, double f)
{
    const rs_history *history = &s->history;
    double change = rs_history_last(history) - f;
    if (!s->turns)
        return 0;
    count_still(s);
    return s->still >= s->wait && change <= RS_PALM_SLOW * fabs(f);
}

/*
 * The end of one run of several: rows that change with the penalties from run to
 * run never stay the same for the rounds that is_time_to_turn() waits for.
 * Where a turn is taken, the run goes on.
 */
static rs_status turn_at_end(rs_palm_loop *s, rs_status *end)
{
    double *f = s->history.objective + s->history.count - 1;
    const double before = *f;
    const int wait = s->wait;
    if (!s->turns || ++s->ends < s->ends_wait)
        return RS_OK;
    s->ends = 0;
    RS_TRY(turn_in_span(s, RS_PALM_END_GAIN, f));
    s->wait = wait;
    if (*f < before)
        *end = RS_MAXIT;
    else
        s->ends_wait *= 2;
    return RS_OK;
}

static rs_status init_state(rs_palm_loop *s)
{
    rs_context *ctx = s->ctx;
    s->d = s->op->d;
    s->size = (size_t)s->d * s->m;
    RS_ALLOC_DOUBLES(ctx, s->size, &s->SW, &s->C);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_momentum_init(ctx, s->size, s->W, s->SW, s->copies[0].U,
                            s->copies[1].U, &s->momentum));
    s->turns = s->set->turns && s->m > 1 && rs_turn_matters(s->copies);
    s->still = 0;
    s->wait = RS_PALM_STILL;
    s->ends = 0;
    s->ends_wait = 1;
    if (s->turns) {
        s->has_row = rs_alloc(ctx, (size_t)s->d, 1);
        RS_TRY(rs_allocated(ctx));
        memset(s->has_row, 0, (size_t)s->d);
        RS_TRY(rs_turn_init(ctx, s->d, s->m, s->copies, &s->turn));
    }
    RS_TRY(rs_history_init(ctx, s->set->maxit + 1, &s->history));
    return rs_q_init(ctx, s->d, s->m, s->set->inner.method, &s->q);
}

/* S W and the copies that belong to W */
static rs_status begin(rs_palm_loop *s)
{
    RS_TRY(rs_covop_apply(s->op, s->m, s->W, s->SW));
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        rs_copy(s->size, s->W, s->copies[i].U);
        RS_TRY(rs_palm_copy_update(s->copies + i, s->size, s->W, 0.0));
    }
    return RS_OK;
}

rs_status rs_palm_open(rs_context *ctx, rs_covop *op, int m,
                       const rs_palm_settings *settings, double *W,
                       const rs_palm_copy *copies, rs_palm_loop **palm)
{
    rs_palm_loop *s = rs_alloc(ctx, 1, sizeof *s);
    RS_TRY(rs_allocated(ctx));
    *s = (rs_palm_loop){.ctx = ctx,
                        .set = settings,
                        .copies = copies,
                        .op = op,
                        .m = m,
                        .W = W};
    RS_TRY(init_state(s));
    *palm = s;
    return begin(s);
}

rs_status rs_palm_run(rs_palm_loop *s, rs_palm_fit *fit)
{
    rs_status status = RS_MAXIT;
    s->fit = fit;
    fit->inner_iterations = 0;
    fit->rejected = 0;
    rs_history_clear(&s->history);
    rs_history_add(&s->history, objective(s));
    for (int k = 0; k < s->set->maxit && status == RS_MAXIT; k++) {
        double f;
        RS_TRY(outer_iteration(s, s->history.objective[k], &f));
        if (is_time_to_turn(s, f))
            RS_TRY(turn_in_span(s, RS_PALM_TURN_GAIN, &f));
        rs_history_add(&s->history, f);
        RS_TRY(look_at_end(s, &status));
        if (status == RS_OK && s->set->turns_at_ends)
            RS_TRY(turn_at_end(s, &status));
        RS_TRY(rs_poll(s->ctx));
    }
    if (status == RS_MAXIT) /* otherwise it is known from look_at_end() */
        RS_TRY(stationarity(s));
    fit->history = s->history;
    return status;
}

rs_status rs_palm(rs_context *ctx, rs_covop *op, int m,
                  const rs_palm_settings *settings, double *W,
                  const rs_palm_copy *copies, rs_palm_fit *fit)
{
    rs_palm_loop *palm = NULL;
    RS_TRY(rs_palm_open(ctx, op, m, settings, W, copies, &palm));
    return rs_palm_run(palm, fit);
}
