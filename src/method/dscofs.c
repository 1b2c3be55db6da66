#include "method/dscofs.h"

#include <math.h>

#include "base/choose.h"
#include "la/linalg.h"
#include "solve/momentum.h"
#include "solve/q_mm.h"

/* rows of Z below this norm are rounding noise: the k rows of largest norm of
 * a W with fewer nonzero rows */
#define RS_DSCOFS_NO_ROW 1e-12

typedef struct {
    const rs_dscofs_settings *set;
    rs_covop *op;
    rs_dscofs_fit *fit;
    int d, m;
    size_t size;         /* d * m */
    double *SW;          /* S W, kept in step with W */
    double *C;           /* linear term of the W step; scratch between steps */
    double *norms;       /* d */
    unsigned char *keep; /* d * m */
    rs_choose_ws choose;
    rs_q_ws q;
    rs_momentum momentum;
} dscofs_state;

static int has_elements(const dscofs_state *s)
{
    return s->set->s < s->size;
}

static int has_rows(const dscofs_state *s)
{
    return s->set->k < s->d;
}

/* C = 2 (mu1 Y + mu2 Z + tau W) */
static void coupling(dscofs_state *s, double tau)
{
    double mu1 = has_elements(s) ? s->set->mu1 : 0.0;
    double mu2 = has_rows(s) ? s->set->mu2 : 0.0;
    const double *W = s->fit->W, *Y = s->fit->Y, *Z = s->fit->Z;
    for (size_t i = 0; i < s->size; i++)
        s->C[i] = 2.0 * (mu1 * Y[i] + mu2 * Z[i] + tau * W[i]);
}

/*
 * W: problem (Q) with C = 2 (mu1 Y + mu2 Z + tau1 W). A solver that would end
 * above its start gives the start back (RS_STALLED): the step is counted and
 * one MM step, which cannot rise, takes its place.
 */
static rs_status update_W(dscofs_state *s, double weight)
{
    rs_q_problem problem = {s->op, s->d, s->m, s->C};
    const rs_q_limits one_step = {0.0, 1};
    rs_q_info info;
    coupling(s, s->set->tau1);
    rs_momentum_extrapolate(weight, s->C, &s->momentum);
    rs_status status =
        rs_q_solve(&problem, &s->set->inner, s->fit->W, s->SW, &info, &s->q);
    s->fit->inner_iterations += info.iterations;
    if (status == RS_STALLED && s->set->inner.method == RS_Q_PENCF) {
        s->fit->rejected++;
        status = rs_q_mm(&problem, &one_step, s->fit->W, s->SW,
                         &info.iterations, &s->q.base);
        s->fit->inner_iterations += info.iterations;
    }
    return rs_is_usable(status) ? RS_OK : status;
}

/* copy <- (W + tau copy) / (1 + tau) */
static void mix(const dscofs_state *s, double tau, double *copy)
{
    double a = 1.0 / (1.0 + tau), b = tau / (1.0 + tau);
    const double *W = s->fit->W;
    for (size_t i = 0; i < s->size; i++)
        copy[i] = a * W[i] + b * copy[i];
}

/* keep <- the s largest of C; ties go to the feature of larger variance */
static rs_status choose_entries(dscofs_state *s)
{
    return rs_choose_mask(s->size, s->C, s->op->diagonal, (size_t)s->d,
                          s->set->s, s->keep, &s->choose);
}

/* Y: the s entries of largest modulus of (W + tau Y) / (1 + tau) */
static rs_status update_Y(dscofs_state *s, double tau)
{
    double *Y = s->fit->Y;
    if (!has_elements(s)) {
        rs_copy(s->size, s->fit->W, Y);
        return RS_OK;
    }
    mix(s, tau, Y);
    for (size_t i = 0; i < s->size; i++)
        s->C[i] = fabs(Y[i]);
    RS_TRY(choose_entries(s));
    for (size_t i = 0; i < s->size; i++)
        if (!s->keep[i])
            Y[i] = 0.0;
    return RS_OK;
}

/* Z: the k rows of largest norm of (W + tau Z) / (1 + tau) */
static rs_status update_Z(dscofs_state *s, double tau)
{
    double *Z = s->fit->Z;
    if (!has_rows(s)) {
        rs_copy(s->size, s->fit->W, Z);
        return RS_OK;
    }
    mix(s, tau, Z);
    rs_row_norms(s->d, s->m, Z, s->norms);
    RS_TRY(rs_choose_mask((size_t)s->d, s->norms, s->op->diagonal,
                          (size_t)s->d, (size_t)s->set->k, s->keep,
                          &s->choose));
    for (int c = 0; c < s->m; c++) {
        double *column = Z + (size_t)c * s->d;
        for (int i = 0; i < s->d; i++)
            if (!s->keep[i])
                column[i] = 0.0;
    }
    return RS_OK;
}

static double squared_distance(const dscofs_state *s, const double *copy)
{
    double gap = rs_distance(s->size, s->fit->W, copy);
    return gap * gap;
}

/* f(W, Y, Z) */
static double objective(const dscofs_state *s)
{
    double f = -rs_dot(s->size, s->fit->W, s->SW);
    if (has_elements(s))
        f += s->set->mu1 * squared_distance(s, s->fit->Y);
    if (has_rows(s))
        f += s->set->mu2 * squared_distance(s, s->fit->Z);
    return f;
}

/* |f - last| / (u + |last|) <= tol, the paper's test, where the mean u of the
 * variances, tr(S) / d, takes the place of its 1 */
static int is_settled(const dscofs_state *s, double last, double f)
{
    double unit = s->op->trace / s->d;
    return fabs(f - last) <= s->set->tol * (unit + fabs(last));
}

/* ||W - copy|| over the nonzero entries of the copy */
static double gap_on_support(const dscofs_state *s, const double *copy)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->size; i++)
        if (copy[i] != 0.0) {
            double gap = s->fit->W[i] - copy[i];
            sum += gap * gap;
        }
    return sqrt(sum);
}

/*
 * Distance from 0 to grad f + normal cones, each block in its own unit: the
 * largest of ||rgrad_W f|| / ||egrad_W f|| and of ||W - copy|| / ||W|| on the
 * supports of Y and Z (off the support the normal cone is everything).
 */
static double stationarity(dscofs_state *s)
{
    rs_q_problem problem = {s->op, s->d, s->m, s->C};
    double root_m = sqrt((double)s->m);
    coupling(s, 0.0);
    double kkt = rs_q_residual(&problem, s->fit->W, s->SW, &s->q.base);
    if (has_elements(s))
        kkt = fmax(kkt, gap_on_support(s, s->fit->Y) / root_m);
    if (has_rows(s))
        kkt = fmax(kkt, gap_on_support(s, s->fit->Z) / root_m);
    return kkt;
}

/*
 * The change of f is below tol, and so is the residual its limit. RS_MAXIT: go
 * on; RS_STALLED: f stands, at a point that is not stationary.
 */
static rs_status look_at_end(dscofs_state *s, double last, double f)
{
    if (!is_settled(s, last, f))
        return RS_MAXIT;
    s->fit->kkt = stationarity(s);
    if (s->fit->kkt <= rs_residual_limit(s->set->tol))
        return RS_OK;
    return rs_history_stands(&s->fit->history, RS_STANDING) ? RS_STALLED
                                                            : RS_MAXIT;
}

/* position of the entry of largest modulus in row i */
static size_t largest_in_row(const dscofs_state *s, const double *A, int i)
{
    size_t at = (size_t)i;
    for (int c = 1; c < s->m; c++) {
        size_t here = i + (size_t)c * s->d;
        if (fabs(A[here]) > fabs(A[at]))
            at = here;
    }
    return at;
}

static void clear_rounding_noise(dscofs_state *s, double *A)
{
    rs_row_norms(s->d, s->m, A, s->norms);
    for (int i = 0; i < s->d; i++)
        for (int c = 0; c < s->m && s->norms[i] < RS_DSCOFS_NO_ROW; c++)
            A[i + (size_t)c * s->d] = 0.0;
}

/*
 * B: Z with its s largest entries, where each row first keeps its own largest
 * one, so that no selected row is lost while s >= k.
 */
static rs_status feasible_loadings(dscofs_state *s)
{
    double *B = s->fit->B;
    clear_rounding_noise(s, s->fit->Z);
    rs_copy(s->size, s->fit->Z, B);
    if (!has_elements(s))
        return RS_OK;
    for (size_t i = 0; i < s->size; i++)
        s->C[i] = fabs(B[i]);
    for (int i = 0; i < s->d; i++) {
        size_t at = largest_in_row(s, B, i);
        if (B[at] != 0.0)
            s->C[at] += 2.0; /* entries of Z are at most 1 */
    }
    RS_TRY(choose_entries(s));
    for (size_t i = 0; i < s->size; i++)
        if (!s->keep[i])
            B[i] = 0.0;
    return RS_OK;
}

/* one round of W, Y, Z; the objective in *f */
static rs_status alternate(dscofs_state *s, double weight, double *f)
{
    RS_TRY(update_W(s, weight));
    RS_TRY(update_Y(s, s->set->tau2));
    RS_TRY(update_Z(s, s->set->tau2));
    *f = objective(s);
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/* the decrease that a plain round guarantees:
 * tau1 ||W - W_last||^2 + tau2 (mu1 ||Y - Y_last||^2 + mu2 ||Z - Z_last||^2) */
static double sufficient_decrease(const dscofs_state *s)
{
    const rs_dscofs_settings *set = s->set;
    const rs_momentum *mom = &s->momentum;
    double bound = set->tau1 * rs_momentum_moved(mom, 0);
    if (has_elements(s))
        bound += set->tau2 * set->mu1 * rs_momentum_moved(mom, 2);
    if (has_rows(s))
        bound += set->tau2 * set->mu2 * rs_momentum_moved(mom, 3);
    return bound;
}

/*
 * One outer iteration: an extrapolated round, and the plain one, which cannot
 * rise, where the former falls short of the sufficient decrease. The solvers
 * that minimise over W take the plain round only.
 */
static rs_status outer_iteration(dscofs_state *s, double last, double *f)
{
    const int is_mm = s->set->inner.method == RS_Q_MM;
    rs_momentum *mom = &s->momentum;
    double weight = is_mm ? rs_momentum_weight(mom) : 0.0;
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

static rs_status init_state(rs_context *ctx, rs_covop *op, int m,
                            const rs_dscofs_settings *settings,
                            rs_dscofs_fit *fit, dscofs_state *s)
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
    s->keep = rs_alloc(ctx, s->size, 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_momentum_init(ctx, s->size, fit->W, s->SW, fit->Y, fit->Z,
                            &s->momentum));
    RS_TRY(rs_choose_init(ctx, s->size, &s->choose));
    fit->inner_iterations = 0;
    fit->rejected = 0;
    fit->kkt = INFINITY;
    RS_TRY(rs_history_init(ctx, settings->maxit + 1, &fit->history));
    return rs_q_init(ctx, op->d, m, settings->inner.method, &s->q);
}

rs_status rs_dscofs(rs_context *ctx, rs_covop *op, int m,
                    const rs_dscofs_settings *settings, rs_dscofs_fit *fit)
{
    dscofs_state s;
    rs_status status = RS_MAXIT;

    RS_TRY(init_state(ctx, op, m, settings, fit, &s));
    RS_TRY(rs_covop_apply(op, m, fit->W, s.SW));
    rs_copy(s.size, fit->W, fit->Y);
    rs_copy(s.size, fit->W, fit->Z);
    RS_TRY(update_Y(&s, 0.0));
    RS_TRY(update_Z(&s, 0.0));
    double f = objective(&s);
    rs_history_add(&fit->history, f);
    for (int k = 0; k < settings->maxit && status == RS_MAXIT; k++) {
        double last = f;
        RS_TRY(outer_iteration(&s, last, &f));
        rs_history_add(&fit->history, f);
        status = look_at_end(&s, last, f);
        RS_TRY(rs_poll(ctx));
    }
    fit->kkt = stationarity(&s);
    RS_TRY(feasible_loadings(&s));
    return status;
}
