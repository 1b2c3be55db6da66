#include "method/spca_exact.h"

#include <math.h>
#include <string.h>

#define RS_FIRST_TOL 1e-9      /* squared gradient norm relative to f, */
#define RS_LAST_TOL 1e-26      /* tightened from one to the other */
#define RS_ROUND_TOL 1e-7      /* the same while the smoothing is wide */
#define RS_NARROWING 0.1       /* of the smoothing, from round to round */
#define RS_BOUND_WIDENING 10.0 /* bounds are sought from here on */
#define RS_FINEST_GAP 1e-12    /* the smoothing aims at no less */

static rs_status alloc_columns(rs_exact *s, int capacity)
{
    rs_context *ctx = s->pr->ctx;
    size_t n = (size_t)s->n, d = (size_t)s->d, r = (size_t)capacity;
    double **wide[] = {&s->FL, &s->g,  &s->p,  &s->Hp, &s->res,  &s->z,
                       &s->q,  &s->Hq, &s->FS, &s->W,  &s->block};
    double **tall[] = {&s->AV, &s->AS, &s->U};
    double **square[] = {&s->Fdf, &s->Ata, &s->S1, &s->S2, &s->S3, &s->S4};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        RS_TRY_ALLOC(*wide[i] = rs_alloc_double(ctx, d * r));
    for (size_t i = 0; i < sizeof tall / sizeof *tall; i++)
        RS_TRY_ALLOC(*tall[i] = rs_alloc_double(ctx, n * r));
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        RS_TRY_ALLOC(*square[i] = rs_alloc_double(ctx, r * r));
    RS_TRY_ALLOC(s->L = rs_alloc_double(ctx, r));
    RS_TRY_ALLOC(s->group = rs_alloc_int(ctx, r));
    RS_TRY(rs_spca_point_init(s->pr, capacity, &s->trial));
    for (int g = 0; g < s->groups; g++) {
        s->ridge[g].width = capacity;
        s->ridge[g].Y = g == 0 ? rs_alloc_double(ctx, n * r) : s->ridge[0].Y;
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

static rs_status init_state(rs_spca *pr, const rs_spca_exact_settings *set,
                            rs_spca_point *at, rs_spca_fit *fit, rs_exact *s)
{
    const int dense = prefers_dense(pr);
    size_t d = (size_t)pr->d;
    memset(s, 0, sizeof *s);
    s->pr = pr;
    s->set = set;
    s->fit = fit;
    s->at = at;
    s->n = pr->n;
    s->d = pr->d;
    s->groups = RS_GROUPS;
    fit->inner_iterations = 0;
    s->dD = rs_alloc_double(pr->ctx, d);
    s->active = rs_alloc_double(pr->ctx, d);
    s->returned = rs_alloc_int(pr->ctx, d);
    s->square = rs_alloc_double(pr->ctx, d);
    s->extra = rs_alloc_double(pr->ctx, d);
    s->w = rs_alloc_double(pr->ctx, (size_t)pr->n);
    s->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    s->scatter = rs_alloc_double(pr->ctx, dense ? d * d : 1);
    RS_TRY(rs_allocated(pr->ctx));
    rs_fill(d, 1.0, s->active);
    memset(s->returned, 0, d * sizeof(int));
    rs_data_column_squares(pr->X, s->square);
    for (int g = 0; g < s->groups; g++)
        RS_TRY(rs_spca_ridge_init(pr, dense, 0, &s->ridge[g]));
    if (dense && pr->loss == RS_LOSS_FROBENIUS)
        RS_TRY(rs_spca_scatter(pr, NULL, NULL, NULL, s->scatter));
    RS_TRY(rs_history_init(pr->ctx, set->maxit + 64, &fit->history));
    return alloc_columns(s, at->capacity);
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
    s->floors.column = column * column;
    s->floors.residual = residual * residual;
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

/*
 * Room for `extra` more columns behind those of F. It doubles, so that all
 * rooms together are at most twice the last.
 */
static rs_status make_room(rs_exact *s, int extra)
{
    rs_spca_point *at = s->at;
    if (at->r + extra <= at->capacity)
        return RS_OK;
    rs_spca_point old = *at;
    int capacity = 2 * (at->r + extra) < s->d ? 2 * (at->r + extra) : s->d;
    RS_TRY(rs_spca_point_init(s->pr, capacity, at));
    at->r = old.r;
    rs_copy((size_t)s->d * old.r, old.F, at->F);
    RS_TRY(alloc_columns(s, capacity));
    return RS_OK;
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
    RS_TRY(make_room(s, kept));
    for (double length = 0.5; length > 1e-6; length *= 0.5) {
        double *fresh = s->at->F + d * s->r;
        rs_copy(d * kept, vectors, fresh);
        rs_scale(d * kept, length, fresh);
        s->at->r = s->r + kept;
        RS_TRY(rs_spca_measure(s->pr, s->at));
        if (rs_spca_objective(s->pr, &s->floors, s->at) < before) {
            *added = kept;
            return RS_OK;
        }
    }
    s->at->r = s->r;
    return rs_spca_measure(s->pr, s->at);
}

/* the next round: smaller floors, else a smaller gradient */
static rs_status tighten(double *widening, double *tol)
{
    if (*widening > 1.0) {
        *widening = fmax(1.0, *widening * RS_NARROWING);
        return RS_OK;
    }
    *tol *= 1e-3;
    return *tol < RS_LAST_TOL ? RS_STALLED : RS_OK;
}

/* while the smoothing alone exceeds the gap, a bound would not help */
static int needs_bound(const rs_exact *s, rs_status status, double widening)
{
    return s->pr->loss == RS_LOSS_L21 || widening <= RS_BOUND_WIDENING ||
           status == RS_MAXIT;
}

/* the bound of every round holds */
static void keep_best_bound(rs_spca_fit *fit, double *best, double *margin)
{
    if (fit->bound > *best) {
        *best = fit->bound;
        *margin = fit->margin;
    }
    fit->bound = *best;
    fit->margin = *margin;
}

rs_status rs_spca_exact(rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit)
{
    const rs_spca_floors none = {0.0, 0.0};
    rs_exact s;
    int steps = 0, count = 0, added = 0, room = pr->d < 256 ? pr->d : 256;
    /* vanishing residuals ask for more */
    const double finer = pr->loss == RS_LOSS_L21 ? 1e-2 : 1.0;
    double tol = finer * RS_FIRST_TOL, best = -INFINITY, margin = 0.0;

    RS_TRY(init_state(pr, set, at, fit, &s));
    double *vectors = rs_alloc_double(pr->ctx, (size_t)pr->d * room);
    RS_TRY_ALLOC(vectors);
    RS_TRY(rs_spca_measure(pr, at));
    fit->wanted = set->gap;
    double widening = 1.0 / fmax(set->gap, RS_FINEST_GAP);
    set_widest(&s);
    set_floors(&s, rs_spca_objective(pr, &none, at), widening);
    rs_spca_weights(pr, &s.floors, at);
    for (;;) {
        double goal = widening > 1.0 ? finer * RS_ROUND_TOL : tol;
        rs_status status = rs_exact_newton(&s, goal, &steps);
        if (!rs_is_usable(status))
            return status;
        int changed = 0;
        if (s.r > 0) {
            RS_TRY(rs_exact_gradient(&s));
            changed = status == RS_MAXIT ? 0 : rs_exact_screen(&s);
        }
        const int judged = needs_bound(&s, status, widening);
        /* F is another now; a bound asks for its minimum */
        if (changed > 0 && judged)
            continue;
        if (!judged) {
            widening = fmax(1.0, widening * RS_NARROWING);
            set_floors(&s, s.f, widening);
            rs_exact_weights(&s);
            continue;
        }
        rs_exact_dual_columns(&s, s.block, s.extra);
        RS_TRY(rs_spca_bound(pr, at, s.block, s.extra, -0.1 * set->gap, room,
                             &count, vectors, fit, &s.slack));
        keep_best_bound(fit, &best, &margin);
        if (fit->objective - fit->bound <= set->gap * fit->objective)
            return RS_OK;
        if (status == RS_MAXIT)
            return RS_MAXIT;
        RS_TRY(add_columns(&s, count, vectors, &added));
        if (added == 0)
            RS_TRY(tighten(&widening, &tol));
        set_floors(&s, fit->objective, widening);
        rs_exact_weights(&s);
    }
}
