#include "method/convex/convex.h"

#include <math.h>
#include <string.h>

#include "eigen/components.h"

#define RS_ROUND_TOL 1e-7  /* squared gradient norm relative to f while the */
#define RS_FIRST_TOL 1e-9  /* smoothing is wide; then from here */
#define RS_LAST_TOL 1e-26  /* to there, */
#define RS_TIGHTENING 1e-3 /* by so much */
#define RS_NARROWING 0.1   /* of the smoothing, from round to round */
#define RS_SMOOTHED 0.025  /* gap that smoothing leaves, of the wanted one */
#define RS_BOUND_WIDENING 10.0 /* bounds are sought from here on */
#define RS_FINEST_GAP 1e-12    /* the smoothing aims at no less */
#define RS_MOST_ADDED 256      /* columns that F gains in one round */
#define RS_NEAR_WIDENING 1e4   /* first smoothing from another optimum */
#define RS_MOST_ROUNDS 200     /* of Newton's method */

/* ---- room ------------------------------------------------------------------- */

static rs_status alloc_columns(rs_exact *s)
{
    const rs_spca *pr = s->f.pr;
    const size_t d = (size_t)pr->d, r = (size_t)s->f.at->capacity;
    double *kept = rs_alloc_double(pr->ctx, d * r);
    RS_TRY_ALLOC(kept);
    if (s->best.F)
        rs_copy(d * s->best.r, s->best.F, kept);
    s->best.F = kept;
    RS_TRY(s->trial.F ? rs_spca_point_room(pr, (int)r, &s->trial)
                      : rs_spca_point_init(pr, (int)r, &s->trial));
    return rs_exact_newton_room(s);
}

rs_status rs_exact_init(const rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit, rs_exact *s)
{
    const size_t d = (size_t)pr->d;
    memset(s, 0, sizeof *s);
    s->set = set;
    s->fit = fit;
    RS_ALLOC_DOUBLES(pr->ctx, d, &s->before, &s->square, &s->extra);
    s->returned = rs_alloc_int(pr->ctx, d);
    s->dual.room = rs_min_int(pr->d, RS_MOST_ADDED);
    s->dual.vectors = rs_alloc_double(pr->ctx, d * s->dual.room);
    RS_TRY(rs_allocated(pr->ctx));
    rs_arena_init(pr->ctx, &s->arena);
    RS_TRY(rs_data_column_squares(pr->X, s->square));
    RS_TRY(rs_history_init(pr->ctx, set->maxit, &fit->history));
    RS_TRY(rs_spca_curve_init(pr, at, &s->f));
    RS_TRY(rs_exact_newton_init(s));
    return alloc_columns(s);
}

/* it doubles, so that all rooms together are at most twice the last */
rs_status rs_exact_make_room(rs_exact *s, int extra)
{
    rs_spca_point *at = s->f.at;
    const double *F = at->F;
    if (at->r + extra <= at->capacity)
        return RS_OK;
    RS_TRY(rs_spca_point_room(s->f.pr, at->r + extra, at));
    rs_copy((size_t)s->f.pr->d * at->r, F, at->F);
    RS_TRY(rs_spca_curve_room(&s->f));
    return alloc_columns(s);
}

/* ---- columns of F and of Omega --------------------------------------------- */

/* squared length of v within the range of F = P diag(L)^{1/2} */
static double share_in_range(const rs_spca_curve *f, const double *v)
{
    const size_t d = (size_t)f->pr->d;
    double square = 0.0;
    for (int k = 0; k < f->at->r; k++) {
        const double inner = rs_dot(d, f->at->F + d * k, v);
        square += inner * inner / f->L[k];
    }
    return square;
}

/*
 * Columns length * v_k for the eigenvectors v_k of the slack with negative
 * eigenvalues, as long as the objective falls. *added counts them.
 */
static rs_status add_columns(rs_exact *s, int *added)
{
    const rs_spca *pr = s->f.pr;
    rs_spca_point *at = s->f.at;
    const size_t d = (size_t)pr->d, r = (size_t)at->r;
    double *vectors = s->dual.vectors;
    int kept = 0;
    *added = 0;
    for (int k = 0; k < s->dual.count && at->r + kept < pr->d; k++)
        if (share_in_range(&s->f, vectors + k * d) < 0.5)
            rs_copy(d, vectors + k * d, vectors + d * kept++);
    if (kept == 0)
        return RS_OK;
    rs_scale_rows(pr->d, kept, s->f.active, vectors);
    RS_TRY(rs_exact_make_room(s, kept));
    for (double length = 0.5; length > 1e-6; length *= 0.5) {
        rs_copy(d * kept, vectors, at->F + d * r);
        rs_scale(d * kept, length, at->F + d * r);
        at->r = (int)r + kept;
        RS_TRY(rs_spca_measure(pr, at));
        if (rs_spca_value(&s->f, at) < s->f.f) {
            *added = kept;
            return RS_OK;
        }
    }
    at->r = (int)r;
    return rs_spca_measure(pr, at);
}

/*
 * Columns of Omega that vanish are taken out, others come back; *changed counts
 * them. All are as they were, for good, if f rises by more than the smoothing may
 * have made of it.
 */
static rs_status screen(rs_exact *s, double widening, int *changed)
{
    rs_spca_curve *f = &s->f;
    const size_t d = (size_t)f->pr->d, size = d * f->at->r;
    const double allowed = 2.0 * RS_SMOOTHED * s->set->gap * widening;
    rs_copy(size, f->at->F, s->trial.F);
    rs_copy(d, f->active, s->before);
    *changed = rs_spca_screen(f, s->returned);
    if (*changed == 0)
        return RS_OK;
    RS_TRY(rs_spca_measure(f->pr, f->at));
    if (rs_spca_value(f, f->at) > f->f * (1.0 + allowed)) {
        for (size_t j = 0; j < d; j++)
            s->returned[j] |= f->active[j] != s->before[j];
        rs_copy(d, s->before, f->active);
        rs_copy(size, s->trial.F, f->at->F);
        *changed = 0;
        RS_TRY(rs_spca_refresh(f));
        RS_TRY(rs_spca_gradient(f));
    }
    return RS_OK;
}

/* ---- the best point and bound ------------------------------------------------- */

/* F if its objective, without smoothing, is the lowest so far */
static void keep_best(rs_exact *s)
{
    if (!(s->fit->objective < s->best.value))
        return;
    s->best.value = s->fit->objective;
    s->best.r = s->f.at->r;
    rs_copy((size_t)s->f.pr->d * s->best.r, s->f.at->F, s->best.F);
}

/* the point becomes the best one; other rounds may have ended elsewhere */
static rs_status return_to_best(rs_exact *s)
{
    if (!(s->best.value < s->fit->objective))
        return RS_OK;
    RS_TRY(rs_spca_point_set(s->f.pr, s->best.r, NULL, s->best.F, s->f.at));
    RS_TRY(rs_spca_measure(s->f.pr, s->f.at));
    s->fit->objective =
        rs_spca_objective(s->f.pr, &rs_spca_unsmoothed, s->f.at);
    return RS_OK;
}

/* the bound of this round, and the best of all rounds: each of them holds */
static rs_status certify(rs_exact *s)
{
    rs_spca_fit *fit = s->fit;
    rs_spca_dual *dual = &s->dual;
    rs_spca_dual_columns(&s->f, s->square, s->f.W, s->extra);
    dual->pr = s->f.pr;
    dual->at = s->f.at;
    dual->B = s->f.W;
    dual->extra = s->extra;
    dual->below = -0.1 * s->set->gap;
    dual->arena = &s->arena;
    RS_TRY(rs_spca_bound(dual, fit));
    if (fit->bound > s->best.bound) {
        s->best.bound = fit->bound;
        s->best.margin = fit->margin;
    }
    fit->bound = s->best.bound;
    fit->margin = s->best.margin;
    keep_best(s);
    return RS_OK;
}

static int is_closed(const rs_exact *s)
{
    return s->best.value - s->fit->bound <= s->set->gap * s->best.value;
}

/* ---- rounds --------------------------------------------------------------------- */

static double widest_smoothing(const rs_exact *s)
{
    return 1.0 / fmax(s->set->gap, RS_FINEST_GAP);
}

/*
 * Roots smoothed by a share of the wanted gap times `widening`, from 1/gap down
 * to 1; no more than a tenth of the typical norm at first, and narrowing with it.
 */
static void smooth(rs_exact *s, double objective, double widening)
{
    const rs_spca *pr = s->f.pr;
    const double wide = widening / widest_smoothing(s);
    const double share = RS_SMOOTHED * wide * objective;
    const double norm = fmin(share / (pr->lambda * pr->d), wide * s->widest);
    s->f.floor = norm * norm;
    rs_spca_refresh_weights(&s->f);
}

static rs_status begin(rs_exact *s, double widening)
{
    const rs_spca *pr = s->f.pr;
    rs_spca_point *at = s->f.at;
    double square = 0.0;
    s->steps = 0;
    s->flops = 0.0;
    s->fit->iterations = s->fit->inner_iterations = 0;
    rs_history_clear(&s->fit->history);
    memset(s->returned, 0, (size_t)pr->d * sizeof(int));
    RS_TRY(rs_spca_measure(pr, at));
    s->fit->objective = rs_spca_objective(pr, &rs_spca_unsmoothed, at);
    s->fit->bound = s->best.bound = -INFINITY;
    s->best.margin = 0.0;
    s->best.r = 0; /* the best so far is Omega = 0 */
    s->best.value = pr->trace;
    keep_best(s);
    for (int j = 0; j < pr->d; j++)
        square += at->column_square[j];
    s->widest = 0.1 * sqrt(square / pr->d);
    smooth(s, s->fit->objective, widening);
    return RS_OK;
}

/* columns for F; if there are none to be had, finer rounds. RS_STALLED if the
 * gradient is at the level of rounding. */
static rs_status grow(rs_exact *s, int rounded, double *widening, double *tol)
{
    int added;
    RS_TRY(add_columns(s, &added));
    if (added == 0 && *widening > 1.0) {
        *widening = fmax(1.0, RS_NARROWING * *widening);
    } else if (added == 0) {
        *tol *= RS_TIGHTENING;
        if (*tol < RS_LAST_TOL || rounded > 1)
            return RS_STALLED;
    }
    smooth(s, s->fit->objective, *widening);
    return RS_OK;
}

static rs_status take_rounds(rs_exact *s, double widening)
{
    double tol = RS_FIRST_TOL;
    int rounded = 0; /* rounds in a row that ended at the level of rounding */
    for (int round = 1;; round++) {
        rs_status status =
            rs_exact_newton(s, widening > 1.0 ? RS_ROUND_TOL : tol);
        int changed = 0, limit = status == RS_MAXIT;
        if (!limit)
            RS_TRY(status);
        limit |= round == RS_MOST_ROUNDS;
        rounded = s->at_rounding ? rounded + 1 : 0;
        RS_TRY(rs_spca_gradient(&s->f));
        if (!limit && s->f.at->r > 0)
            RS_TRY(screen(s, widening, &changed));
        if (widening > RS_BOUND_WIDENING && !limit) {
            widening *= RS_NARROWING;
            smooth(s, s->f.f, widening);
        } else if (changed == 0) { /* else F is not at its minimum */
            RS_TRY(certify(s));
            if (is_closed(s) || limit)
                return is_closed(s) ? RS_OK : RS_MAXIT;
            RS_TRY(grow(s, rounded, &widening, &tol));
        }
    }
}

rs_status rs_exact_solve(const rs_spca *pr, double widening, rs_exact *s)
{
    s->f.pr = pr;
    widening = fmin(widening, widest_smoothing(s));
    RS_TRY(begin(s, widening));
    const rs_status status = take_rounds(s, widening);
    if (rs_is_usable(status))
        RS_TRY(return_to_best(s));
    return status;
}

/* ---- the path ------------------------------------------------------------ */

rs_status rs_spca_path_init(const rs_spca *pr,
                            const rs_spca_exact_settings *set, int r,
                            const double *F, rs_spca_path *path)
{
    memset(path, 0, sizeof *path);
    path->pr = *pr;
    path->set = *set;
    if (F) {
        RS_TRY(rs_spca_point_init(pr, r, &path->at));
        RS_TRY(rs_spca_point_set(pr, r, NULL, F, &path->at));
    } else {
        RS_TRY(rs_spca_point_pca(pr, &path->at));
    }
    return rs_exact_init(&path->pr, &path->set, &path->at, &path->fit,
                         &path->solver);
}

/* from principal components, as a single fit would */
static rs_status start_again(rs_spca_path *path)
{
    const rs_spca *pr = &path->pr;
    rs_spca_point cold;
    RS_TRY(rs_spca_point_pca(pr, &cold));
    rs_fill((size_t)pr->d, 1.0, path->solver.f.active);
    path->at.r = 0;
    RS_TRY(rs_exact_make_room(&path->solver, cold.r));
    return rs_spca_point_set(pr, cold.r, NULL, cold.F, &path->at);
}

rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta)
{
    const rs_spca *pr = &path->pr;
    const int near = path->is_optimum && eta == pr->eta;
    rs_status status = RS_STALLED;
    path->pr.lambda = lambda;
    path->pr.eta = eta;
    if (near)
        status = rs_exact_solve(pr, RS_NEAR_WIDENING, &path->solver);
    if (status != RS_OK && rs_is_usable(status)) {
        if (path->begun)
            RS_TRY(start_again(path));
        status = rs_exact_solve(pr, RS_COLD, &path->solver);
    }
    path->begun = 1;
    path->is_optimum = status == RS_OK && path->at.r > 0;
    return status;
}

rs_status rs_spca_path_explained(rs_spca_path *path, double *share)
{
    const int r = path->at.r;
    rs_arena *arena = &path->solver.arena;
    rs_covop op;
    rs_components_ws ws;
    *share = 0.0;
    if (r == 0)
        return RS_OK;
    rs_arena_clear(arena);
    RS_TRY(rs_covop_from_data(&arena->ctx, path->pr.X, r, &op));
    RS_TRY(rs_components_init(&arena->ctx, &op, r, &ws));
    return rs_components_share(path->at.F, share, &ws);
}
