#include "method/spca_psd/newton.h"

#include <float.h>
#include <math.h>

#define RS_GROUP_RATIO 1.5    /* least ratio of neighbouring shifts */
#define RS_RADIUS_FACTOR 10.0 /* first radius in preconditioned steps */
#define RS_ACCEPT 0.05        /* least ratio of decreases */
#define RS_CG_REDUCTION 0.1
#define RS_RAISES 8 /* of the preconditioner's diagonal */

/* ---- preconditioner ----------------------------------------------------- */

/* (eta + b_k) / L_k, b_k = (A'tA)_kk / 2 + lambda/2 (F'DF)_kk */
static double column_shift(const rs_exact *s, int k)
{
    size_t kk = k + (size_t)k * s->r;
    double b = 0.5 * (s->Ata[kk] + s->pr->lambda * s->Fdf[kk]);
    return (s->round.eta + b) / s->L[k];
}

/*
 * The factorisation of a group. Where S_T is singular beside its rounding, its
 * diagonal is raised until it is not.
 */
static rs_status factor_group(rs_exact *s, int g, const double *t,
                              double shift)
{
    const rs_spca *pr = s->pr;
    rs_spca_ridge *ridge = &s->ridge[g];
    double trace = 0.0, raised = 0.0;
    rs_status status = RS_SINGULAR;
    for (int i = 0; i < pr->n; i++)
        trace += 0.5 * s->at->t[i] * s->at->centre.row_square[i];
    for (int k = 0; k < RS_RAISES && status == RS_SINGULAR; k++) {
        for (int j = 0; j < s->d; j++)
            ridge->c[j] = shift + raised + 0.5 * pr->lambda * s->at->D[j];
        status = rs_spca_ridge_factor(s->weighed, &s->at->centre, t,
                                      s->scatter ? s->scatter : pr->S, ridge);
        raised = raised > 0.0 ? 100.0 * raised : DBL_EPSILON * trace;
    }
    return status;
}

/* one factorisation per group of columns with about the same shift */
static rs_status precondition_init(rs_exact *s)
{
    const rs_spca *pr = s->pr;
    const double *t = s->weights ? s->weights : s->at->t;
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < s->r; k++) {
        least = fmin(least, column_shift(s, k));
        most = fmax(most, column_shift(s, k));
    }
    double span = log(most / least);
    double ratio = fmax(log(RS_GROUP_RATIO), span / RS_GROUPS * 1.0001);
    if (s->ridge[0].dense && pr->loss == RS_LOSS_L21)
        RS_TRY(rs_spca_scatter(pr, s->at->centre.c, s->at->t, s->half, s->dD,
                               s->scatter));
    for (int k = 0; k < s->r; k++)
        s->group[k] = (int)(log(column_shift(s, k) / least) / ratio);
    for (int g = 0; g < s->groups; g++) {
        int used = 0;
        double shift = least * exp((g + 0.5) * ratio);
        for (int k = 0; k < s->r; k++)
            used += s->group[k] == g;
        if (used == 0)
            continue;
        RS_TRY(factor_group(s, g, t, shift));
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

/* z_k = (S_T + lambda/2 D + shift_k I)^{-1} r_k / (2 L_k) */
static rs_status precondition(void *state, const double *r, double *z)
{
    rs_exact *s = (rs_exact *)state;
    const size_t d = (size_t)s->d;
    for (int g = 0; g < s->groups; g++) {
        int m = 0;
        for (int k = 0; k < s->r; k++)
            if (s->group[k] == g)
                rs_copy(d, r + k * d, s->block + d * m++);
        if (m == 0)
            continue;
        RS_TRY(rs_spca_ridge_solve(s->weighed, &s->at->centre, m, s->block,
                                   s->W, &s->ridge[g]));
        m = 0;
        for (int k = 0; k < s->r; k++) {
            if (s->group[k] != g)
                continue;
            rs_copy(d, s->block + d * m++, z + k * d);
            rs_scale(d, 0.5 / s->L[k], z + k * d);
        }
    }
    rs_exact_mask(s, z);
    return RS_OK;
}

/*
 * One product with the Hessian and the preconditioner: four thin products with
 * the data, and with r x r matrices five on the side of the samples and eight
 * on that of the features.
 */
static double step_flops(const rs_spca *pr, double r)
{
    double n = pr->n, d = pr->d;
    return 8.0 * n * d * r + 10.0 * n * r * r + 16.0 * d * r * r;
}

/* ---- trust region ------------------------------------------------------- */

static int has_budget(const rs_exact *s)
{
    return s->flops < s->set->flops;
}

/* conjugate gradient steps that are left at this rank */
static int steps_left(const rs_exact *s)
{
    const double steps = (s->set->flops - s->flops) / step_flops(s->pr, s->r);
    return steps < s->set->inner_maxit ? rs_max_int((int)steps, 1)
                                       : s->set->inner_maxit;
}

static rs_status hessian(void *state, const double *V, double *out)
{
    return rs_exact_hessian((rs_exact *)state, V, out);
}

/* the step of truncated conjugate gradients from <g, z> = rz */
static rs_status minimise_model(rs_exact *s, rs_tcg_problem *problem,
                                double rz, rs_tcg_info *info)
{
    problem->radius = s->radius;
    problem->reduction = fmin(RS_CG_REDUCTION, sqrt(sqrt(rz / fabs(s->f))));
    problem->maxit = steps_left(s);
    RS_TRY(rs_tcg_solve(problem, s->g, rz, info, &s->tcg));
    s->fit->inner_iterations += info->iterations;
    /* value, gradient and preconditioner cost about as much as one step more */
    s->flops += (info->iterations + 1) * step_flops(s->pr, s->r);
    return RS_OK;
}

/* the rounding of f: ||R||^2 comes from squares as large as ||Xc||^2, the rows
 * of R from differences of rows as long as those of Xc */
static double rounding(const rs_exact *s)
{
    const rs_spca *pr = s->pr;
    double loss = pr->loss == RS_LOSS_FROBENIUS
                      ? 1e-14 * pr->trace
                      : DBL_EPSILON * sqrt(pr->n * pr->trace);
    return 1e-13 * fabs(s->f) + loss;
}

/*
 * Try F + the step; *ratio compares actual and modelled decrease, both raised by the
 * rounding of f, which must not decide on tiny steps.
 */
static rs_status try_step(rs_exact *s, double decrease, double *ratio)
{
    rs_spca_point *trial = &s->trial;
    trial->r = s->r;
    rs_spca_copy_centre(s->pr, &s->at->centre, &trial->centre);
    for (size_t i = 0; i < s->size; i++)
        trial->F[i] = s->at->F[i] + s->tcg.step[i];
    RS_TRY(rs_exact_measure(s, trial));
    const double f = rs_spca_objective(&s->round, &s->floors, trial);
    const double noise = rounding(s);
    *ratio = (s->f - f + noise) / (decrease + noise);
    s->steps++;
    if (*ratio > RS_ACCEPT) {
        rs_copy(s->size, trial->F, s->at->F);
        rs_spca_copy_centre(s->pr, &trial->centre, &s->at->centre);
        s->moved = 1;
    }
    return RS_OK;
}

static void update_radius(rs_exact *s, double ratio, double length)
{
    if (!(ratio >= 0.25))
        s->radius = 0.25 * length;
    else if (ratio > 0.75 && length > 0.9 * s->radius)
        s->radius *= 2.0;
}

/* keeps f where F or the floors have changed since; rounds come beside the
 * steps, so that there may be more values than steps */
rs_status rs_exact_record(rs_exact *s)
{
    if (!s->moved)
        return RS_OK;
    s->moved = 0;
    if (s->fit->history.count > 0)
        s->fit->iterations++;
    RS_TRY(rs_history_make_room(s->pr->ctx, &s->fit->history));
    rs_history_add(&s->fit->history, s->f);
    return RS_OK;
}

/* everything at F that a step needs; with it the value is recorded */
static rs_status linearise(rs_exact *s)
{
    RS_TRY(rs_exact_refresh(s));
    RS_TRY(rs_exact_record(s));
    if (s->r == 0)
        return RS_OK;
    RS_TRY(rs_exact_gradient(s));
    rs_exact_mask(s, s->g);
    return precondition_init(s);
}

/*
 * Newton steps with the number of columns fixed, until the squared
 * preconditioned gradient norm falls below tol * f.
 */
rs_status rs_exact_newton(rs_exact *s, double tol)
{
    double rz, ratio = 1.0;
    s->radius = 0.0;
    s->at_rounding = 0;
    for (;;) {
        rs_tcg_info info;
        if (ratio > RS_ACCEPT)
            RS_TRY(linearise(s));
        if (s->r == 0)
            return RS_OK;
        rs_tcg_problem problem = {.size = s->size,
                                  .state = s,
                                  .hessian = hessian,
                                  .precondition = precondition};
        RS_TRY(rs_tcg_begin(&problem, s->g, &rz, &s->tcg));
        if (rz <= tol * fabs(s->f))
            return RS_OK;
        if (s->steps >= s->set->maxit || !has_budget(s))
            return RS_MAXIT;
        if (s->radius == 0.0)
            s->radius = RS_RADIUS_FACTOR * sqrt(rz);
        RS_TRY(minimise_model(s, &problem, rz, &info));
        RS_TRY(try_step(s, info.decrease, &ratio));
        update_radius(s, ratio, info.length);
        /* f cannot judge such steps any more: one is taken, for the gradient */
        if (!(info.decrease > rounding(s))) {
            s->at_rounding = 1;
            return ratio > RS_ACCEPT ? linearise(s) : RS_OK;
        }
    }
}
