#include "method/spca_psd/plain.h"
#include "solve/momentum.h"
#include "solve/reweight.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/centre.h"
#include "method/spca_psd/ridge.h"

/* from 1e-3 to 1e-6 for rows, from 1e-6 to 1e-8 of the mean for residuals */
#define RS_PLAIN_LEVELS 3
/* values after which rises and falls of the objective are those of one level */
#define RS_PLAIN_WINDOW 60

rs_spca_smoothing rs_spca_plain_smoothing(const rs_spca *pr,
                                          const rs_spca_paper_settings *set)
{
    rs_spca_smoothing smoothing = {*set, 0, 0};
    smoothing.levels = pr->loss == RS_LOSS_FROBENIUS ? 0 : RS_PLAIN_LEVELS;
    return smoothing;
}

int rs_spca_refine(rs_spca_smoothing *smoothing, rs_spca_end *end)
{
    smoothing->steps++;
    if (*end == RS_SPCA_STALLED && smoothing->steps < RS_PLAIN_WINDOW)
        *end = RS_SPCA_GOES_ON;
    if (*end == RS_SPCA_GOES_ON || smoothing->levels == 0)
        return 0;
    *end = RS_SPCA_GOES_ON;
    smoothing->steps = 0;
    smoothing->levels--;
    smoothing->set.ridge *= 0.2;
    smoothing->set.floors.column *= 0.1;
    smoothing->set.floors.residual *= 0.2;
    return 1;
}

typedef struct {
    const rs_spca *pr;
    rs_spca_smoothing smoothing;
    rs_spca_point *at;
    double *W;         /* d x d */
    double *S, *A, *N; /* d x d: S_T; the system; the nuclear norm's weight */
    double *WW;        /* d x d scratch */
    double *R;         /* n x d */
    double *half, *g, *values;
    double nuclear;          /* ||W||_* */
    double *last_W, *last_R; /* of the step before, not extrapolated */
    double t;                /* Nesterov's sequence, 0 before the first step */
    double smoothed, value;  /* the objective at W, smoothed and not */
    rs_eigen_ws eigen;
} plain_state;

static rs_status init_state(const rs_spca *pr,
                            const rs_spca_paper_settings *set,
                            rs_spca_point *at, double *W, plain_state *s)
{
    size_t d = (size_t)pr->d, n = (size_t)pr->n;
    *s = (plain_state){.pr = pr,
                       .smoothing = rs_spca_plain_smoothing(pr, set),
                       .at = at,
                       .W = W};
    RS_ALLOC_DOUBLES(pr->ctx, d * d, &s->S, &s->A, &s->N, &s->WW, &s->last_W);
    RS_ALLOC_DOUBLES(pr->ctx, n * d, &s->R, &s->last_R);
    s->t = 0.0;
    s->smoothed = s->value = INFINITY;
    s->half = rs_alloc_double(pr->ctx, n);
    RS_ALLOC_DOUBLES(pr->ctx, d, &s->g, &s->values);
    RS_TRY(rs_allocated(pr->ctx));
    rs_fill(d * d, 0.0, s->N);
    rs_fill(d * d, 0.0, s->last_W);
    rs_fill(n * d, 0.0, s->last_R);
    return rs_eigen_init(pr->ctx, pr->d, &s->eigen);
}

/* N of W = diag(w); without w the weight is 1 */
static void first_nuclear_weight(plain_state *s, const double *w)
{
    const int d = s->pr->d;
    for (int j = 0; j < d; j++)
        s->N[j + (size_t)j * d] =
            w ? rs_reweight(w[j] * w[j], s->smoothing.set.floors.column, 1.0)
              : 1.0;
    for (int j = 0; w && j < d; j++)
        s->nuclear += w[j];
}

/* N = (W W' + floor I)^{-1/2} / 2, ||W||_* = sum of roots of W W' */
static rs_status update_nuclear_weight(plain_state *s)
{
    const int d = s->pr->d;
    if (s->pr->eta == 0.0)
        return RS_OK;
    rs_fill((size_t)d * d, 0.0, s->WW);
    rs_syrk_add(d, d, s->W, d, s->WW);
    RS_TRY(rs_poll(s->pr->ctx));
    RS_TRY(rs_eigen_largest(d, s->WW, d, s->values, s->A, &s->eigen));
    s->nuclear = 0.0;
    for (int k = 0; k < d; k++) {
        double value = fmax(s->values[k], 0.0);
        /* the root of rounding would be no rounding */
        if (value > d * DBL_EPSILON * s->values[0])
            s->nuclear += sqrt(value);
        double root =
            sqrt(rs_reweight(value, s->smoothing.set.floors.column, 1.0));
        rs_scale((size_t)d, root, s->A + (size_t)k * d);
    }
    rs_fill((size_t)d * d, 0.0, s->N);
    rs_syrk_add(d, d, s->A, d, s->N);
    rs_mirror_upper(d, s->N);
    return rs_poll(s->pr->ctx);
}

/* A = S_T + (lambda/2) diag(D) + eta N + ridge I: no ridge of solve/ridge.h
 * since N is full, and the residual asks for A itself */
static rs_status assemble(plain_state *s, double ridge)
{
    const rs_spca *pr = s->pr;
    const size_t d = (size_t)pr->d;
    RS_TRY(
        rs_spca_scatter(pr, s->at->centre.c, s->at->t, s->half, s->g, s->S));
    rs_copy(d * d, s->S, s->A);
    if (pr->eta > 0.0)
        rs_axpy(d * d, pr->eta, s->N, s->A);
    for (size_t j = 0; j < d; j++)
        s->A[j + j * d] += 0.5 * pr->lambda * s->at->D[j] + ridge;
    return RS_OK;
}

/* W = A^{-1} S_T */
static rs_status update_w(plain_state *s)
{
    const int d = s->pr->d;
    RS_TRY(assemble(s, s->smoothing.set.ridge));
    RS_TRY(rs_cholesky(d, s->A, d));
    rs_copy((size_t)d * d, s->S, s->W);
    RS_TRY(rs_poll(s->pr->ctx));
    return rs_cholesky_solve(d, d, s->A, d, s->W, d);
}

/* R = Xt - Xt W */
static rs_status find_residuals(plain_state *s)
{
    const rs_spca *pr = s->pr;
    const int d = pr->d;
    rs_copy((size_t)d * d, s->W, s->WW);
    rs_scale((size_t)d * d, -1.0, s->WW);
    for (int j = 0; j < d; j++)
        s->WW[j + (size_t)j * d] += 1.0;
    RS_TRY(rs_spca_times(pr, s->at->centre.c, d, s->WW, s->R));
    return rs_poll(pr->ctx);
}

/* squares of the rows of W and of R, the nuclear norm and its weight; the
 * smoothed objective */
static rs_status measure(plain_state *s)
{
    const rs_spca *pr = s->pr;
    rs_row_squares(pr->d, pr->d, s->W, s->at->column_square);
    rs_row_squares(pr->n, pr->d, s->R, s->at->residual_square);
    RS_TRY(update_nuclear_weight(s));
    s->at->trace = s->nuclear;
    return rs_poll(pr->ctx);
}

/* M, last <- M + weight (M - last), M */
static void extrapolate(size_t size, double weight, double *M, double *last)
{
    for (size_t i = 0; i < size; i++) {
        double now = M[i];
        M[i] += weight * (now - last[i]);
        last[i] = now;
    }
}

static double objective(plain_state *s)
{
    s->at->trace = s->nuclear;
    return rs_spca_objective(s->pr, &rs_spca_unsmoothed, s->at);
}

/* everything at W; *higher: is the smoothed objective above the last? */
static rs_status evaluate(plain_state *s, int *higher)
{
    const double smoothed = s->smoothed;
    RS_TRY(measure(s));
    s->smoothed = rs_spca_objective(s->pr, &s->smoothing.set.floors, s->at);
    s->value = objective(s);
    *higher = !(s->smoothed <= smoothed);
    return RS_OK;
}

/*
 * W and R, which with a free centre is X - X W - 1 v', go on by Nesterov's
 * extrapolation. Where that would raise the smoothed objective the step itself is
 * taken, which does not. Wide data take the steps as they are, as in the row
 * space.
 */
static rs_status accelerate(plain_state *s)
{
    const size_t d = (size_t)s->pr->d, dd = d * d, nd = d * s->pr->n;
    const int tall = s->pr->n >= s->pr->d;
    const double weight =
        tall && s->t > 0.0 ? rs_momentum_weight_at(s->t) : 0.0;
    const double smoothed = s->smoothed;
    int higher;
    extrapolate(dd, weight, s->W, s->last_W);
    extrapolate(nd, weight, s->R, s->last_R);
    s->t = s->t > 0.0 ? rs_momentum_next(s->t) : 1.0;
    RS_TRY(evaluate(s, &higher));
    if (weight == 0.0 || !higher)
        return RS_OK;
    rs_copy(dd, s->last_W, s->W);
    rs_copy(nd, s->last_R, s->R);
    s->t = 1.0;
    s->smoothed = smoothed;
    return evaluate(s, &higher);
}

/* ||A W - S_T|| / ||S_T|| with the weights of W */
static rs_status stationarity(plain_state *s, double *kkt)
{
    const size_t d = (size_t)s->pr->d;
    RS_TRY(assemble(s, 0.0));
    rs_gemm('N', 'N', s->pr->d, s->pr->d, s->pr->d, 1.0, s->A, s->pr->d, s->W,
            s->pr->d, 0.0, s->WW, s->pr->d);
    *kkt = rs_distance(d * d, s->WW, s->S) / rs_norm(d * d, s->S);
    return RS_OK;
}

/* the best centre for W; the last objective becomes that of it */
static rs_status finish_centre(plain_state *s, rs_history *history)
{
    if (!s->pr->adaptive)
        return RS_OK;
    RS_TRY(rs_spca_best_centre(s->pr, s->pr->d, s->R, s->at->residual_square,
                               &s->at->centre));
    rs_history_replace(history, objective(s));
    return RS_OK;
}

rs_status rs_spca_plain(const rs_spca *pr, const rs_spca_paper_settings *set,
                        const double *start, rs_spca_point *at, double *W,
                        rs_spca_fit *fit)
{
    plain_state s;
    rs_spca_end end = RS_SPCA_GOES_ON;

    fit->inner_iterations = 0;
    RS_TRY(rs_history_init(pr->ctx, set->maxit + 1, &fit->history));
    RS_TRY(init_state(pr, set, at, W, &s));
    first_nuclear_weight(&s, start);
    if (set->record_start)
        rs_history_add(&fit->history, objective(&s));
    fit->iterations = 0;
    while (fit->iterations < set->maxit && end == RS_SPCA_GOES_ON) {
        RS_TRY(rs_spca_set_centre(pr, at->t, &at->centre));
        RS_TRY(update_w(&s));
        RS_TRY(find_residuals(&s));
        RS_TRY(accelerate(&s));
        rs_spca_weights(pr, &s.smoothing.set.floors, at);
        RS_TRY(rs_spca_record(pr, s.value, set->tol, &fit->history, &end));
        if (rs_spca_refine(&s.smoothing, &end)) {
            RS_TRY(update_nuclear_weight(&s));
            rs_spca_weights(pr, &s.smoothing.set.floors, at);
            s.smoothed = rs_spca_objective(pr, &s.smoothing.set.floors, at);
        }
        fit->iterations++;
    }
    RS_TRY(stationarity(&s, &fit->kkt));
    RS_TRY(finish_centre(&s, &fit->history));
    fit->objective = rs_history_last(&fit->history);
    return rs_spca_ending(end);
}
