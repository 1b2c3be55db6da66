#include "method/spca_psd/exact.h"

#include <math.h>
#include <string.h>

#include "method/spca_psd/bound.h"
#include "method/spca_psd/leading.h"
#include "method/spca_psd/newton.h"
#include "method/spca_psd/screen.h"
#include "method/spca_psd/start.h"

#define RS_FIRST_TOL 1e-9      /* squared gradient norm relative to f, */
#define RS_LAST_TOL 1e-26      /* tightened from one to the other */
#define RS_ROUND_TOL 1e-7      /* the same while the smoothing is wide, */
#define RS_FINER_ROUND 1e-11   /* and in rounds taken again */
#define RS_REWIDENING 1e4      /* of the smoothing, where these begin */
#define RS_ROUNDED 2           /* rounds in a row that end by rounding */
#define RS_NARROWING 0.1       /* of the smoothing, from round to round, */
#define RS_SLOW_NARROWING 0.4  /* and in rounds taken again */
#define RS_TIGHTENING 1e-3     /* of the gradient, once that has ended */
#define RS_BOUND_WIDENING 10.0 /* bounds are sought from here on */
#define RS_FINEST_GAP 1e-12    /* the smoothing aims at no less */
#define RS_MOST_ADDED 256      /* columns that F gains in one round */
#define RS_SMOOTHED 0.05    /* gap that smoothing leaves, of the wanted one */
#define RS_SHARP 1e-12      /* smoothing of columns at a projector */
#define RS_TRACE_SHARE 0.05 /* of the penalties, as penalty on the trace */
#define RS_MOST_ROUNDS \
    200              /* of Newton's method, then come bounds and columns */
#define RS_ROUNDS 64 /* values of the objective beside the steps */

static rs_status alloc_columns(rs_exact *s, int capacity)
{
    rs_context *ctx = s->pr->ctx;
    size_t n = (size_t)s->n, d = (size_t)s->d, r = (size_t)capacity;
    RS_ALLOC_DOUBLES(ctx, d * r, &s->FL, &s->g, &s->FS, &s->W, &s->block);
    RS_ALLOC_DOUBLES(ctx, n * r, &s->AV, &s->AS, &s->U);
    RS_ALLOC_DOUBLES(ctx, r * r, &s->Fdf, &s->Ata, &s->S1, &s->S2, &s->S3,
                     &s->S4);
    s->L = rs_alloc_double(ctx, r);
    s->group = rs_alloc_int(ctx, r);
    if (s->pr->S) /* one product with S in place of two with the data */
        RS_ALLOC_DOUBLES(ctx, d * r, &s->SF, &s->SV);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_tcg_init(ctx, d * r, 1, &s->tcg));
    RS_TRY(s->trial.F ? rs_spca_point_room(s->pr, capacity, &s->trial)
                      : rs_spca_point_init(s->pr, capacity, &s->trial));
    double *kept = rs_alloc_double(ctx, d * r);
    RS_TRY_ALLOC(kept);
    if (s->kept)
        rs_copy(d * s->kept_rank, s->kept, kept);
    s->kept = kept;
    for (int g = 0; g < s->groups; g++) {
        size_t rows = (size_t)s->weighed->n;
        s->ridge[g].width = capacity;
        s->ridge[g].Y =
            g == 0 ? rs_alloc_double(ctx, rows * r) : s->ridge[0].Y;
        RS_TRY_ALLOC(s->ridge[g].Y);
    }
    return rs_eigen_init(ctx, capacity, &s->eigen);
}

/*
 * The preconditioner's systems: d^3/3 flops each from S_T, or n^2 d + n^3/3 by
 * Woodbury's formula.
 */
static int prefers_dense(const rs_spca *pr)
{
    double n = pr->n, d = pr->d;
    return d * d * d < 3.0 * n * n * d + n * n * n;
}

static rs_status init_preconditioner(rs_exact *s)
{
    const rs_spca *pr = s->pr;
    RS_TRY(rs_spca_leading_part(pr, &s->weighed, &s->weights));
    const int dense = s->weighed == pr && prefers_dense(pr);
    for (int g = 0; g < s->groups; g++)
        RS_TRY(rs_spca_ridge_init(s->weighed, dense, 0, &s->ridge[g]));
    if (dense && !pr->S)
        s->scatter = rs_alloc_double(pr->ctx, (size_t)pr->d * pr->d);
    return rs_allocated(pr->ctx);
}

rs_status rs_exact_init(const rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit, rs_exact *s)
{
    size_t d = (size_t)pr->d;
    *s = (rs_exact){.pr = pr,
                    .round = *pr,
                    .set = set,
                    .fit = fit,
                    .at = at,
                    .n = pr->n,
                    .d = pr->d,
                    .groups = RS_GROUPS};
    RS_ALLOC_DOUBLES(pr->ctx, d, &s->dD, &s->active, &s->before);
    s->returned = rs_alloc_int(pr->ctx, d);
    RS_ALLOC_DOUBLES(pr->ctx, d, &s->square, &s->extra);
    RS_ALLOC_DOUBLES(pr->ctx, (size_t)pr->n, &s->w, &s->half);
    s->best.room = rs_min_int(pr->d, RS_MOST_ADDED);
    s->best.vectors = rs_alloc_double(pr->ctx, d * s->best.room);
    RS_TRY(rs_allocated(pr->ctx));
    rs_fill(d, 1.0, s->active);
    RS_TRY(rs_data_column_squares(pr->X, s->square));
    RS_TRY(init_preconditioner(s));
    if (pr->adaptive) {
        RS_TRY(rs_median_init(pr->ctx, pr->n, pr->d, &s->median));
        RS_TRY(rs_median_init(pr->ctx, pr->n, pr->d, &s->probe));
    }
    RS_TRY(rs_history_init(pr->ctx, set->maxit + RS_ROUNDS, &fit->history));
    return alloc_columns(s, at->capacity);
}

/*
 * Continuation in eta: without a penalty on the trace the dual slack vanishes on
 * far more than the range of Omega, and columns of F that are to vanish hardly
 * do. So while the smoothing is wide a small penalty stands in for it, which
 * narrows with it.
 */
static void set_penalties(rs_exact *s, double wide)
{
    const rs_spca *pr = s->pr;
    s->round = *pr;
    if (pr->loss == RS_LOSS_L21)
        s->round.eta =
            fmax(pr->eta, RS_TRACE_SHARE * wide * (pr->lambda + pr->eta));
}

/*
 * Roots smoothed by a twentieth of the wanted gap, split between the terms,
 * times `widening` from 1/gap down to 1; no more than a tenth of the typical
 * norm at first, and narrowing with it.
 */
static void set_floors(rs_exact *s, double objective, double widening)
{
    const double gap = fmax(s->set->gap, RS_FINEST_GAP);
    double share = 0.025 * gap * objective * widening;
    double wide = gap * widening;
    double column =
        fmin(share / (s->pr->lambda * s->d), wide * s->widest.column);
    double residual = fmin(share / s->n, wide * s->widest.residual);
    rs_spca_floors floors = {column * column, residual * residual};
    s->moved |= floors.column != s->floors.column ||
                floors.residual != s->floors.residual;
    s->floors = floors;
    set_penalties(s, gap * widening);
}

static void set_widest(rs_exact *s)
{
    double square = 0.0;
    for (int j = 0; j < s->d; j++)
        square += s->at->column_square[j];
    s->widest.column = 0.1 * sqrt(square / s->d);
    s->widest.residual = 0.1 * sqrt(s->pr->trace / s->n);
}

/* squared length of v within the range of F = P diag(L)^{1/2} */
static double share_in_range(const rs_exact *s, const double *v)
{
    double square = 0.0;
    for (int k = 0; k < s->r; k++) {
        const double *f = s->at->F + (size_t)k * s->d;
        double inner = rs_dot((size_t)s->d, f, v);
        square += inner * inner / s->L[k];
    }
    return square;
}

/* it doubles, so that all rooms together are at most twice the last */
rs_status rs_exact_make_room(rs_exact *s, int extra)
{
    rs_spca_point *at = s->at;
    const double *F = at->F;
    if (at->r + extra <= at->capacity)
        return RS_OK;
    RS_TRY(rs_spca_point_room(s->pr, at->r + extra, at));
    rs_copy((size_t)s->d * at->r, F, at->F);
    return alloc_columns(s, at->capacity);
}

/*
 * Columns length * v_k for the eigenvectors v_k of the slack with negative
 * eigenvalues, as long as the objective falls. *added counts them.
 */
static rs_status add_columns(rs_exact *s, int count, double *vectors,
                             int *added)
{
    const size_t d = (size_t)s->d;
    const double before = s->f;
    int kept = 0;
    *added = 0;
    for (int k = 0; k < count && s->r + kept < s->d; k++)
        if (share_in_range(s, vectors + k * d) < 0.5)
            rs_copy(d, vectors + k * d, vectors + d * kept++);
    if (kept == 0)
        return RS_OK;
    rs_scale_rows(s->d, kept, s->active, vectors);
    RS_TRY(rs_exact_make_room(s, kept));
    for (double length = 0.5; length > 1e-6; length *= 0.5) {
        double *fresh = s->at->F + d * s->r;
        rs_copy(d * kept, vectors, fresh);
        rs_scale(d * kept, length, fresh);
        s->at->r = s->r + kept;
        RS_TRY(rs_spca_measure(s->pr, s->at));
        if (rs_spca_objective(&s->round, &s->floors, s->at) < before) {
            *added = kept;
            s->moved = 1;
            return RS_OK;
        }
    }
    s->at->r = s->r;
    return rs_spca_measure(s->pr, s->at);
}

/* ---- the phases of a round ---------------------------------------------- */

/* how fine the rounds are: first the smoothing narrows, then the gradient */
typedef struct {
    double widening; /* of the smoothing, from 1/gap down to 1 */
    double tol;      /* of the Newton steps once it is 1 */
    double finer;    /* on all tolerances: vanishing residuals ask for more */
    double round;    /* of the Newton steps while the smoothing is wide */
    int restarted;   /* has the smoothing been widened once more? */
    int rounded;     /* rounds in a row that ended at the level of rounding */
} schedule;

static double widest_smoothing(const rs_exact *s)
{
    return 1.0 / fmax(s->set->gap, RS_FINEST_GAP);
}

/* the best so far is Omega = 0 */
static void keep_zero(rs_exact *s)
{
    const rs_spca *pr = s->pr;
    const double *square = s->at->centre.row_square;
    s->kept_rank = 0;
    s->kept_value = 0.0;
    for (int i = 0; i < s->n; i++)
        s->kept_value += pr->loss == RS_LOSS_L21 ? sqrt(square[i]) : square[i];
}

/* F where its objective, without smoothing, is the lowest so far */
static void keep_best(rs_exact *s)
{
    if (!(s->fit->objective < s->kept_value))
        return;
    s->kept_value = s->fit->objective;
    s->kept_rank = s->at->r;
    rs_copy((size_t)s->d * s->at->r, s->at->F, s->kept);
}

/* the point becomes the best one; other rounds may have ended elsewhere */
static rs_status return_to_best(rs_exact *s)
{
    if (!(s->kept_value < s->fit->objective))
        return RS_OK;
    s->at->r = s->kept_rank;
    rs_copy((size_t)s->d * s->kept_rank, s->kept, s->at->F);
    RS_TRY(rs_exact_measure(s, s->at));
    s->fit->objective = rs_spca_objective(s->pr, &rs_spca_unsmoothed, s->at);
    return RS_OK;
}

static rs_status begin(rs_exact *s, double widening, schedule *plan)
{
    const rs_spca *pr = s->pr;
    s->best.bound = -INFINITY;
    s->best.margin = 0.0;
    s->best.count = 0;
    s->moved = 1;
    s->steps = 0;
    s->flops = 0.0;
    s->screened = 0;
    s->fit->wanted = s->set->gap;
    s->fit->iterations = 0;
    s->fit->inner_iterations = 0;
    rs_history_clear(&s->fit->history);
    memset(s->returned, 0, (size_t)s->d * sizeof(int));
    plan->finer = pr->loss == RS_LOSS_L21 ? 1e-2 : 1.0;
    plan->tol = plan->finer * RS_FIRST_TOL;
    plan->round = plan->finer * RS_ROUND_TOL;
    plan->restarted = 0;
    plan->rounded = 0;
    plan->widening = fmin(widening, widest_smoothing(s));
    RS_TRY(rs_spca_measure(pr, s->at));
    s->fit->objective = rs_spca_objective(pr, &rs_spca_unsmoothed, s->at);
    s->fit->bound = -INFINITY;
    keep_zero(s);
    keep_best(s);
    set_widest(s);
    set_floors(s, s->fit->objective, plan->widening);
    rs_spca_weights(pr, &s->floors, s->at);
    return RS_OK;
}

/* Newton steps to the tolerance of the round; *limit: the limit came first */
static rs_status minimise(rs_exact *s, schedule *plan, int *limit)
{
    rs_status status =
        rs_exact_newton(s, plan->widening > 1.0 ? plan->round : plan->tol);
    *limit = status == RS_MAXIT;
    plan->rounded = s->at_rounding ? plan->rounded + 1 : 0;
    return *limit ? RS_OK : status;
}

/* the columns as they were, for good, where taking them out makes the objective
 * rise by more than the smoothing may have made of it */
static rs_status undo_where_higher(rs_exact *s, const schedule *plan,
                                   int *changed)
{
    const double allowed = RS_SMOOTHED * s->set->gap * plan->widening;
    RS_TRY(rs_exact_measure(s, s->at));
    if (rs_spca_objective(&s->round, &s->floors, s->at) <=
        s->f * (1.0 + allowed))
        return RS_OK;
    for (int j = 0; j < s->d; j++)
        s->returned[j] |= s->active[j] != s->before[j];
    rs_copy((size_t)s->d, s->before, s->active);
    rs_copy(s->size, s->trial.F, s->at->F);
    *changed = 0;
    RS_TRY(rs_exact_refresh(s));
    return s->r > 0 ? rs_exact_gradient(s) : RS_OK;
}

/* columns of Omega that vanish are taken out, others come back, unless the
 * minimum was not reached; *changed says how many */
static rs_status screen(rs_exact *s, const schedule *plan, int limit,
                        int *changed)
{
    *changed = 0;
    if (s->r == 0)
        return RS_OK;
    RS_TRY(rs_exact_gradient(s));
    if (limit)
        return RS_OK;
    rs_copy(s->size, s->at->F, s->trial.F);
    rs_copy((size_t)s->d, s->active, s->before);
    *changed = rs_exact_screen(s);
    if (*changed > 0)
        RS_TRY(undo_where_higher(s, plan, changed));
    s->screened += *changed;
    return RS_OK;
}

/* the smoothing of the round to come, relative to the objective */
static void smooth(rs_exact *s, double objective, const schedule *plan)
{
    set_floors(s, objective, plan->widening);
    rs_exact_weights(s);
}

static void narrow(schedule *plan)
{
    const double share = plan->restarted ? RS_SLOW_NARROWING : RS_NARROWING;
    plan->widening = fmax(1.0, plan->widening * share);
}

/* while the smoothing alone exceeds the gap, a bound would not help */
static int needs_bound(const rs_exact *s, const schedule *plan, int limit)
{
    return s->pr->loss == RS_LOSS_L21 || plan->widening <= RS_BOUND_WIDENING ||
           limit;
}

/* the bound of this round, and the best of all rounds: each of them holds */
static rs_status certify(rs_exact *s)
{
    rs_spca_fit *fit = s->fit;
    rs_spca_dual *best = &s->best;
    const double below = -0.1 * s->set->gap - (s->round.eta - s->pr->eta) /
                                                  (s->pr->lambda + s->pr->eta);
    rs_exact_dual_columns(s, s->block, s->extra);
    RS_TRY(rs_spca_bound(s->pr, s->at, s->block, s->extra, below, best->room,
                         &best->count, best->vectors, fit, &s->slack));
    if (fit->bound > best->bound) {
        best->bound = fit->bound;
        best->margin = fit->margin;
    }
    fit->bound = best->bound;
    fit->margin = best->margin;
    keep_best(s);
    return RS_OK;
}

static int is_closed(const rs_exact *s)
{
    return s->kept_value - s->fit->bound <= s->set->gap * s->kept_value;
}

/*
 * The gradient is at the level of rounding. Where residuals vanish that is far
 * from zero under the narrow smoothing; a wider one, solved to the end, gives
 * better multipliers, which is tried once.
 */
static rs_status restart_smoothing(const rs_exact *s, schedule *plan)
{
    if (plan->restarted || s->pr->loss == RS_LOSS_FROBENIUS)
        return RS_STALLED;
    plan->restarted = 1;
    plan->rounded = 0;
    plan->round = plan->finer * RS_FINER_ROUND;
    plan->tol = plan->finer * RS_FIRST_TOL;
    plan->widening = fmin(RS_REWIDENING, widest_smoothing(s));
    return RS_OK;
}

/*
 * Is the gap no more than the smoothing may have made of it? Negative
 * eigenvalues of the slack hardly count in the bound for the sum of row norms,
 * and columns would be those of the smoothed problem.
 */
static int is_smoothing(const rs_exact *s, const schedule *plan)
{
    const rs_spca_fit *fit = s->fit;
    const double allowed = RS_SMOOTHED * s->set->gap * plan->widening;
    return s->pr->loss == RS_LOSS_L21 && plan->widening > 1.0 &&
           fit->objective - fit->bound <= allowed * fit->objective;
}

/* columns for F; where there are none to be had, finer rounds. RS_STALLED
 * when the gradient is at the level of rounding. */
static rs_status grow(rs_exact *s, schedule *plan)
{
    int added = 0;
    if (!is_smoothing(s, plan))
        RS_TRY(add_columns(s, s->best.count, s->best.vectors, &added));
    if (added == 0 && plan->widening > 1.0) {
        narrow(plan);
    } else if (added == 0) {
        plan->tol *= RS_TIGHTENING;
        if (plan->tol < RS_LAST_TOL || plan->rounded >= RS_ROUNDED)
            RS_TRY(restart_smoothing(s, plan));
    }
    smooth(s, s->fit->objective, plan);
    return RS_OK;
}

/*
 * At a projector onto the row space residuals are zero and say nothing of their
 * multipliers: Y begins at zero, and the bound itself finds it, in closed form
 * where all y_i then are short enough.
 */
static rs_status certify_projector(rs_exact *s, int *closed)
{
    const rs_spca_floors kept = s->floors;
    s->floors.column *= RS_SHARP;
    RS_TRY(rs_exact_refresh(s));
    RS_TRY(rs_exact_gradient(s));
    rs_fill((size_t)s->n, 0.0, s->at->t);
    RS_TRY(certify(s));
    *closed = is_closed(s);
    if (*closed)
        return rs_exact_record(s);
    s->floors = kept;
    rs_exact_weights(s);
    return RS_OK;
}

static rs_status take_rounds(rs_exact *s, schedule *plan)
{
    int limit = 0, changed, closed = 0;
    if (s->projector)
        RS_TRY(certify_projector(s, &closed));
    for (int round = 1; !closed && !limit; round++) {
        RS_TRY(minimise(s, plan, &limit));
        limit |= round == RS_MOST_ROUNDS;
        RS_TRY(screen(s, plan, limit, &changed));
        if (!needs_bound(s, plan, limit)) {
            narrow(plan);
            smooth(s, s->f, plan);
        } else if (changed == 0) { /* else F is not at its minimum */
            RS_TRY(certify(s));
            closed = is_closed(s);
            if (!closed && !limit)
                RS_TRY(grow(s, plan));
        }
    }
    return closed ? RS_OK : RS_MAXIT;
}

rs_status rs_exact_solve(const rs_spca *pr, double widening, rs_exact *s)
{
    schedule plan;
    s->pr = pr;
    RS_TRY(begin(s, widening, &plan));
    rs_status status = take_rounds(s, &plan);
    if (rs_is_usable(status))
        RS_TRY(return_to_best(s));
    return status;
}

rs_status rs_spca_exact(const rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit)
{
    rs_exact s;
    int projector;
    RS_TRY(rs_spca_try_projector(pr, at, &projector));
    RS_TRY(rs_exact_init(pr, set, at, fit, &s));
    s.projector = projector;
    return rs_exact_solve(pr, RS_COLD, &s);
}
