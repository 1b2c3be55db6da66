#include "method/convex/convex.h"

#include <math.h>

/*
 * Newton steps in a trust region for f(F), by truncated conjugate gradients
 * (solve/tcg.h), preconditioned by
 *
 *   2 ((eta + b_k) I + L_k (S + (lambda/2) D))   for column k,
 *
 * with b_k = f_k'(S + (lambda/2) D) f_k. Columns of about the same
 * (eta + b_k) / L_k share one factorisation. Beside eta the eigenvalues of S
 * below eta / 2 hardly count, so that its leading pairs stand for it.
 */

#define RS_GROUP_RATIO 1.5    /* least ratio of neighbouring shifts */
#define RS_RADIUS_FACTOR 10.0 /* first radius in preconditioned steps */
#define RS_ACCEPT 0.05        /* least ratio of decreases */
#define RS_CG_REDUCTION 0.1

/* ---- preconditioner ----------------------------------------------------- */

/* d^3/3 flops for a system of order d, m^2 d + m^3/3 by Woodbury's formula */
static int prefers_dense(const rs_spca *pr)
{
    const double m = pr->pairs.m, d = pr->d;
    return pr->S && d * d * d < 3.0 * m * m * d + m * m * m;
}

rs_status rs_exact_newton_init(rs_exact *s)
{
    const rs_spca *pr = s->f.pr;
    const rs_spca_pairs *pairs = &pr->pairs;
    rs_spca_preconditioner *pre = &s->pre;
    const size_t d = (size_t)pr->d, m = (size_t)pairs->m;
    pre->dense = prefers_dense(pr);
    for (int g = 0; g < RS_GROUPS; g++) {
        pre->diagonal[g] = rs_alloc_double(pr->ctx, d);
        RS_TRY(rs_ridge_init(pr->ctx, pre->dense ? pr->d : pairs->m,
                             &pre->system[g]));
    }
    if (pre->dense)
        return rs_allocated(pr->ctx);
    RS_ALLOC_DOUBLES(pr->ctx, d * m, &pre->root, &pre->scaled);
    RS_TRY(rs_allocated(pr->ctx));
    rs_copy(d * m, pairs->V, pre->root);
    for (size_t k = 0; k < m; k++)
        rs_scale(d, sqrt(fmax(pairs->values[k], 0.0)), pre->root + d * k);
    return RS_OK;
}

rs_status rs_exact_newton_room(rs_exact *s)
{
    const rs_spca *pr = s->f.pr;
    const size_t d = (size_t)pr->d, r = (size_t)s->f.at->capacity;
    RS_ALLOC_DOUBLES(pr->ctx, d * r, &s->pre.block, &s->pre.W);
    s->pre.Y = rs_alloc_double(pr->ctx, (size_t)pr->pairs.m * r);
    s->pre.group = rs_alloc_int(pr->ctx, r);
    RS_TRY(rs_allocated(pr->ctx));
    return rs_tcg_init(pr->ctx, d * r, 1, &s->tcg);
}

/* the system of a group: S + diag(shift + (lambda/2) D) */
static rs_status factor_group(rs_exact *s, int g, double shift)
{
    const rs_spca *pr = s->f.pr;
    rs_spca_preconditioner *pre = &s->pre;
    rs_ridge *system = &pre->system[g];
    const int d = pr->d, m = pr->pairs.m;
    double *c = pre->diagonal[g];
    for (int j = 0; j < d; j++)
        c[j] = shift + 0.5 * pr->lambda * s->f.at->D[j];
    if (pre->dense) {
        rs_copy((size_t)d * d, pr->S, system->A);
        return rs_ridge_factor_grown(d, c, system);
    }
    /* I + root' C^{-1} root; C^{-1} is kept */
    for (int j = 0; j < d; j++)
        c[j] = 1.0 / sqrt(c[j]);
    rs_copy((size_t)d * m, pre->root, pre->scaled);
    rs_scale_rows(d, m, c, pre->scaled);
    for (int j = 0; j < d; j++)
        c[j] *= c[j];
    rs_fill((size_t)m * m, 0.0, system->A);
    RS_TRY(rs_gram_add(pr->ctx, d, m, pre->scaled, d, system->A));
    return rs_ridge_factor(m, NULL, system);
}

/* (eta + b_k) / L_k, b_k = (A'A)_kk + lambda/2 (F'DF)_kk */
static double column_shift(const rs_spca_curve *f, int k)
{
    return (f->pr->eta + 0.5 * f->own[k + (size_t)k * f->at->r]) / f->L[k];
}

/* one factorisation per group of columns with about the same shift */
static rs_status factor_groups(rs_exact *s)
{
    const int r = s->f.at->r;
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < r; k++) {
        least = fmin(least, column_shift(&s->f, k));
        most = fmax(most, column_shift(&s->f, k));
    }
    const double span = log(most / least);
    const double ratio = fmax(log(RS_GROUP_RATIO), span / RS_GROUPS * 1.0001);
    for (int k = 0; k < r; k++)
        s->pre.group[k] = (int)(log(column_shift(&s->f, k) / least) / ratio);
    for (int g = 0; g < RS_GROUPS; g++) {
        int used = 0;
        for (int k = 0; k < r; k++)
            used += s->pre.group[k] == g;
        if (used > 0)
            RS_TRY(factor_group(s, g, least * exp((g + 0.5) * ratio)));
        RS_TRY(rs_poll(s->f.pr->ctx));
    }
    return RS_OK;
}

/* block (d x m) <- (S + C)^{-1} block */
static rs_status solve_group(rs_exact *s, int g, int m, double *block)
{
    rs_spca_preconditioner *pre = &s->pre;
    const int d = s->f.pr->d, order = s->f.pr->pairs.m;
    if (pre->dense)
        return rs_ridge_solve(m, block, &pre->system[g]);
    rs_scale_rows(d, m, pre->diagonal[g], block);
    rs_crossprod(d, order, m, pre->root, block, pre->Y);
    RS_TRY(rs_ridge_solve(m, pre->Y, &pre->system[g]));
    rs_matmul(d, order, m, pre->root, pre->Y, pre->W);
    rs_scale_rows(d, m, pre->diagonal[g], pre->W);
    rs_axpy((size_t)d * m, -1.0, pre->W, block);
    return RS_OK;
}

/* z_k = (S + lambda/2 D + shift_k I)^{-1} r_k / (2 L_k) */
static rs_status precondition(void *state, const double *r, double *z)
{
    rs_exact *s = (rs_exact *)state;
    const size_t d = (size_t)s->f.pr->d;
    double *block = s->pre.block;
    for (int g = 0; g < RS_GROUPS; g++) {
        int m = 0;
        for (int k = 0; k < s->f.at->r; k++)
            if (s->pre.group[k] == g)
                rs_copy(d, r + k * d, block + d * m++);
        if (m == 0)
            continue;
        RS_TRY(solve_group(s, g, m, block));
        m = 0;
        for (int k = 0; k < s->f.at->r; k++) {
            if (s->pre.group[k] != g)
                continue;
            rs_copy(d, block + d * m++, z + k * d);
            rs_scale(d, 0.5 / s->f.L[k], z + k * d);
        }
    }
    rs_spca_mask(&s->f, z);
    return RS_OK;
}

static rs_status hessian(void *state, const double *V, double *out)
{
    return rs_spca_hessian(&((rs_exact *)state)->f, V, out);
}

/* ---- trust region ------------------------------------------------------- */

/*
 * One product with the Hessian and the preconditioner: four thin products with
 * the data, and with r x r matrices five on the side of the samples and eight
 * on that of the features.
 */
static double step_flops(const rs_exact *s)
{
    const double n = s->f.pr->n, d = s->f.pr->d, r = s->f.at->r;
    return 8.0 * n * d * r + 10.0 * n * r * r + 16.0 * d * r * r;
}

/* the step of truncated conjugate gradients from <g, z> = rz */
static rs_status minimise_model(rs_exact *s, rs_tcg_problem *problem,
                                double rz, rs_tcg_info *info)
{
    const double left = (s->set->flops - s->flops) / step_flops(s);
    problem->radius = s->radius;
    problem->reduction = fmin(RS_CG_REDUCTION, sqrt(sqrt(rz / fabs(s->f.f))));
    problem->maxit = left < s->set->inner_maxit ? rs_max_int((int)left, 1)
                                                : s->set->inner_maxit;
    RS_TRY(rs_tcg_solve(problem, s->f.g, rz, info, &s->tcg));
    s->fit->inner_iterations += info->iterations;
    /* value, gradient and preconditioner cost about as much as one step more */
    s->flops += (info->iterations + 1) * step_flops(s);
    return RS_OK;
}

/* the rounding of f: ||R||^2 comes from squares as large as ||Xc||^2 */
static double rounding(const rs_exact *s)
{
    return 1e-13 * fabs(s->f.f) + 1e-14 * s->f.pr->trace;
}

/*
 * F + the step, if f falls by enough; *ratio compares actual and modelled
 * decrease, both raised by the rounding of f, which must not decide on tiny
 * steps.
 */
static rs_status try_step(rs_exact *s, double decrease, double *ratio)
{
    rs_spca_point *at = s->f.at, *trial = &s->trial;
    const size_t size = (size_t)s->f.pr->d * at->r;
    const double noise = rounding(s);
    trial->r = at->r;
    rs_copy(size, at->F, trial->F);
    rs_axpy(size, 1.0, s->tcg.step, trial->F);
    RS_TRY(rs_spca_measure(s->f.pr, trial));
    *ratio =
        (s->f.f - rs_spca_value(&s->f, trial) + noise) / (decrease + noise);
    s->steps++;
    if (*ratio > RS_ACCEPT)
        rs_copy(size, trial->F, at->F);
    return RS_OK;
}

static void update_radius(rs_exact *s, double ratio, double length)
{
    if (!(ratio >= 0.25))
        s->radius = 0.25 * length;
    else if (ratio > 0.75 && length > 0.9 * s->radius)
        s->radius *= 2.0;
}

/* f is kept, unless that is done; rounds come beside the steps, so that there
 * may be more values than steps */
static rs_status record(rs_exact *s)
{
    rs_history *history = &s->fit->history;
    if (history->count > 0 && rs_history_last(history) == s->f.f)
        return RS_OK;
    s->fit->iterations += history->count > 0;
    RS_TRY(rs_history_make_room(s->f.pr->ctx, history));
    rs_history_add(history, s->f.f);
    return RS_OK;
}

/* everything at F that a step needs; with it the value is recorded */
static rs_status linearise(rs_exact *s)
{
    RS_TRY(rs_spca_refresh(&s->f));
    RS_TRY(record(s));
    if (s->f.at->r == 0)
        return RS_OK;
    RS_TRY(rs_spca_gradient(&s->f));
    rs_spca_mask(&s->f, s->f.g);
    return factor_groups(s);
}

rs_status rs_exact_newton(rs_exact *s, double tol)
{
    double rz, ratio = 1.0;
    s->radius = 0.0;
    s->at_rounding = 0;
    for (;;) {
        rs_tcg_info info;
        if (ratio > RS_ACCEPT)
            RS_TRY(linearise(s));
        if (s->f.at->r == 0)
            return RS_OK;
        rs_tcg_problem problem = {.size = (size_t)s->f.pr->d * s->f.at->r,
                                  .state = s,
                                  .hessian = hessian,
                                  .precondition = precondition};
        RS_TRY(rs_tcg_begin(&problem, s->f.g, &rz, &s->tcg));
        if (rz <= tol * fabs(s->f.f))
            return RS_OK;
        if (s->steps >= s->set->maxit || s->flops >= s->set->flops)
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
