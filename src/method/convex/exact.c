/* The optimum for the loss ||R||^2: f near a point, Newton's method, columns of F,
 * and a row of penalties. */
#include "method/convex/convex.h"

#include <math.h>
#include <string.h>

#include "eigen/leading.h"

#define RS_SCREEN_TOL 1e-7    /* relative, of lengths beside lambda */
#define RS_GROUP_RATIO 1.5    /* least ratio of neighbouring shifts */
#define RS_RADIUS_FACTOR 10.0 /* first radius in preconditioned steps */
#define RS_ROUND_TOL 1e-7  /* squared gradient norm relative to f while the */
#define RS_FIRST_TOL 1e-9  /* smoothing is wide; then from here on */
#define RS_TIGHTENING 1e-3 /* by so much at a time */
#define RS_NARROWING 0.1   /* of the smoothing, from round to round */
#define RS_SMOOTHED 0.025  /* gap that smoothing leaves, of the wanted one */
#define RS_MOST_ADDED 256  /* columns that F gains in one round */
#define RS_NEAR_WIDENING 1e4 /* first smoothing from another optimum */
#define RS_COLD INFINITY     /* the widest smoothing at first */
#define RS_GROUPS 8          /* most factorisations of one preconditioner */

/* f near a point */
typedef struct {
    const rs_spca *pr;
    rs_spca_point *at;
    double floor;         /* under the roots of the column norms */
    double *active;       /* d: 1, or 0 if row j of F is kept at 0 */
    double f;             /* f(F) */
    double *L;            /* r: F'F = diag(L) */
    double *FL, *SF, *g;  /* d x r: F diag(L), S F, the gradient */
    double *own;          /* r x r: 2 A'A + lambda F'DF */
    double *dD;           /* d, scratch as all that follows */
    double *SV, *FS, *W;  /* d x r */
    double *XV;           /* n x r */
    double *S1, *S2, *S3; /* r x r */
    rs_eigen_ws eigen;
} curve;

typedef struct {
    int dense;                  /* d x d systems, or by the pairs of S */
    rs_ridge system[RS_GROUPS]; /* of columns with about the same shift */
    double *diagonal[RS_GROUPS];
    double *root, *scaled; /* d x m: V diag(values)^{1/2} */
    int *group;            /* r */
    double *block, *W, *Y; /* d x r; m x r */
} preconditioner;

/* the best point and bound so far */
typedef struct {
    double *F; /* d x r */
    int r;
    double value; /* without smoothing */
    double bound, margin;
} best_point;

typedef struct rs_exact {
    const rs_spca_exact_settings *set;
    rs_spca_fit *fit;
    curve f;
    rs_spca_point trial;
    preconditioner pre;
    rs_tcg_ws tcg;
    double radius, flops;   /* of the trust region; of the steps so far */
    int steps;              /* tried */
    int at_rounding;        /* did rounding end the last ones? */
    double widest;          /* smoothing of a norm at first */
    int *returned;          /* d: taken out and come back? */
    double *before;         /* d: active, before columns change */
    double *square, *extra; /* d: ||x_j||^2; diagonal of the dual's Z */
    best_point best;
    rs_spca_dual dual;
    rs_arena arena;
} rs_exact;

/* ---- f near a point ------------------------------------------------------------ */

/* rows of features whose column of Omega is kept at zero become zero */
static void mask(const curve *f, double *M)
{
    rs_scale_rows(f->pr->d, f->at->r, f->active, M);
}

/* f at a point that was measured, with the present floor */
static double value_at(const curve *f, const rs_spca_point *at)
{
    return rs_spca_objective(f->pr, f->floor, 0.0, at);
}

/* the weights of f; D = 0 for inactive columns */
static void refresh_weights(curve *f)
{
    rs_spca_weights(f->pr, f->floor, 0.0, f->at);
    rs_scale_rows(f->pr->d, 1, f->active, f->at->D);
}

/* F rotated so that F'F = diag(L), vanished columns dropped; measures, f */
static rs_status refresh(curve *f)
{
    rs_spca_point *at = f->at;
    const int d = f->pr->d, r = at->r;
    int kept = 0;
    if (r > 0) {
        rs_gram(d, r, at->F, at->C);
        RS_TRY(rs_eigen_largest(r, at->C, r, f->L, f->S1, &f->eigen));
        while (kept < r && f->L[kept] > RS_ROUNDING)
            kept++;
        rs_matmul(d, r, kept, at->F, f->S1, f->W);
        rs_copy((size_t)d * kept, f->W, at->F);
    }
    at->r = kept;
    RS_TRY(rs_spca_measure(f->pr, at));
    refresh_weights(f);
    f->f = value_at(f, at);
    return isfinite(f->f) ? RS_OK : RS_NOT_FINITE;
}

/* out (r x r) = F' diag(weight) V */
static void weighted_product(curve *f, const double *weight, const double *V,
                             double *out)
{
    const int d = f->pr->d, r = f->at->r;
    rs_copy((size_t)d * r, V, f->W);
    rs_scale_rows(d, r, weight, f->W);
    rs_crossprod(d, r, r, f->at->F, f->W, out);
}

/* M (r x r) <- M + M' */
static void add_transpose(int r, double *M)
{
    rs_symmetrise(r, M);
    rs_scale((size_t)r * r, 2.0, M);
}

/* g = 2 G F = F (2 A'A + lambda F'DF) - 2 S F (2 - L) + lambda D F L + 2 eta F */
static rs_status set_gradient(curve *f)
{
    const rs_spca *pr = f->pr;
    const rs_spca_point *at = f->at;
    const int d = pr->d, r = at->r;
    if (r == 0)
        return RS_OK;
    RS_TRY(rs_data_crossprod(pr->X, r, at->A, f->SF));
    weighted_product(f, at->D, at->F, f->own);
    rs_gram(pr->n, r, at->A, f->S1);
    rs_scale((size_t)r * r, pr->lambda, f->own);
    rs_axpy((size_t)r * r, 2.0, f->S1, f->own);
    rs_matmul(d, r, r, at->F, f->own, f->g);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            const size_t jk = j + (size_t)k * d;
            f->FL[jk] = at->F[jk] * f->L[k];
            f->g[jk] += 2.0 * (f->L[k] - 2.0) * f->SF[jk] +
                        pr->lambda * at->D[j] * f->FL[jk] +
                        2.0 * pr->eta * at->F[jk];
        }
    return RS_OK;
}

/* dD_j = -D_j^3 <omega_j, d omega_j>, product = f_j S2 f_j'/2 + v_j L f_j' */
static void norm_change(curve *f, const double *V)
{
    const rs_spca_point *at = f->at;
    const int d = f->pr->d;
    rs_fill((size_t)d, 0.0, f->dD);
    for (int k = 0; k < at->r; k++)
        for (int j = 0; j < d; j++) {
            const size_t jk = j + (size_t)k * d;
            f->dD[j] += 0.5 * f->FS[jk] * at->F[jk] + f->FL[jk] * V[jk];
        }
    for (int j = 0; j < d; j++)
        f->dD[j] *= -at->D[j] * at->D[j] * at->D[j];
}

/*
 * With S2 = F'V + V'F
 *
 *   -2 S V (2 - L) + 2 S F S2 + V (2 eta + 2 A'A + lambda F'DF)
 *   + F (2 (F'S V + V'S F) + lambda (F'DV + V'DF + F'dD F))
 *   + lambda (D (F S2 + V L) + dD F L).
 */
static rs_status hessian(void *state, const double *V, double *out)
{
    curve *f = &((rs_exact *)state)->f;
    const rs_spca *pr = f->pr;
    const rs_spca_point *at = f->at;
    const int d = pr->d, r = at->r;
    const size_t rr = (size_t)r * r;
    rs_crossprod(d, r, r, at->F, V, f->S2);
    add_transpose(r, f->S2);
    rs_matmul(d, r, r, at->F, f->S2, f->FS);
    norm_change(f, V);
    if (pr->S)
        rs_matmul(d, d, r, pr->S, V, f->SV);
    else
        RS_TRY(rs_data_scatter(pr->X, r, 1.0, V, f->XV, f->SV));
    weighted_product(f, at->D, V, f->S1);
    rs_crossprod(d, r, r, at->F, f->SV, f->S3);
    rs_scale(rr, 2.0, f->S3);
    rs_axpy(rr, pr->lambda, f->S1, f->S3);
    add_transpose(r, f->S3);
    weighted_product(f, f->dD, at->F, f->S1);
    rs_axpy(rr, pr->lambda, f->S1, f->S3);
    rs_matmul(d, r, r, at->F, f->S3, out);
    rs_gemm('N', 'N', d, r, r, 1.0, V, d, f->own, r, 1.0, out, d);
    rs_gemm('N', 'N', d, r, r, 2.0, f->SF, d, f->S2, r, 1.0, out, d);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            const size_t jk = j + (size_t)k * d;
            out[jk] += pr->lambda * (at->D[j] * (f->FS[jk] + V[jk] * f->L[k]) +
                                     f->dD[j] * f->FL[jk]) +
                       2.0 * (pr->eta * V[jk] + (f->L[k] - 2.0) * f->SV[jk]);
        }
    mask(f, out);
    return rs_poll(pr->ctx);
}

/* ---- multipliers of the column norms ------------------------------------------ */

/*
 * At an optimum with omega_j = 0, row j of the gradient without its own norm,
 * h_j, satisfies h_j = -C b with ||F b|| <= lambda: the length of h_j in
 * C^{-1} is at most lambda. (D_j = 0 if the column is inactive.)
 */
static double dual_length(const curve *f, int j)
{
    const double own = f->pr->lambda * f->at->D[j];
    double square = 0.0;
    for (int k = 0; k < f->at->r; k++) {
        const size_t jk = j + (size_t)k * f->pr->d;
        const double h = f->g[jk] - own * f->FL[jk];
        square += h * h / f->L[k];
    }
    return sqrt(square);
}

/*
 * Columns shorter than their smoothing whose norm would hold them at zero are
 * taken out (their rows of F become zero and stay so); those that should not
 * have been come back, as long as the smoothing, for good.
 */
static int screen_columns(curve *f, int *returned)
{
    const int d = f->pr->d;
    const double lambda = f->pr->lambda;
    int changed = 0;
    for (int j = 0; j < d; j++) {
        const double length = dual_length(f, j);
        double factor = 0.0;
        if (f->active[j] > 0.0) {
            if (returned[j] || length >= lambda ||
                f->at->column_square[j] >= f->floor)
                continue;
            f->active[j] = 0.0;
        } else {
            if (length <= lambda * (1.0 + RS_SCREEN_TOL))
                continue;
            f->active[j] = 1.0;
            returned[j] = 1;
            factor = -2.0 * sqrt(f->floor) / length;
        }
        for (int k = 0; k < f->at->r; k++) {
            const size_t jk = j + (size_t)k * d;
            f->at->F[jk] = factor * f->g[jk] / f->L[k];
        }
        changed++;
    }
    return changed;
}

/*
 * Z = F B' + diag(extra): the rows of B are -h_j C^{-1}, which makes M F zero
 * and hardly depends on a short f_j itself, shortened to lambda. If the column
 * is inactive the length that is left goes into the diagonal unless ||x_j||^2
 * is small beside eta. Row j of F being zero, this does not touch M F.
 */
static void dual_columns(const curve *f, const double *square, double *B,
                         double *extra)
{
    const double lambda = f->pr->lambda;
    for (int j = 0; j < f->pr->d; j++) {
        const double own = lambda * f->at->D[j];
        const double length = fmax(dual_length(f, j), 1e-300);
        const double used = fmin(length, lambda);
        for (int k = 0; k < f->at->r; k++) {
            const size_t jk = j + (size_t)k * f->pr->d;
            const double h = f->g[jk] / f->L[k] - own * f->at->F[jk];
            B[jk] = -used / length * h;
        }
        extra[j] = 0.0;
        if (f->active[j] == 0.0 && 4.0 * square[j] > f->pr->eta)
            extra[j] = sqrt(lambda * lambda - used * used);
    }
}

/* ---- Newton's method ----------------------------------------------------------- */

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

/* ---- preconditioner ----------------------------------------------------- */

/* d^3/3 flops for a system of order d, m^2 d + m^3/3 by Woodbury's formula */
static rs_status init_newton(rs_exact *s)
{
    const rs_spca *pr = s->f.pr;
    const rs_spca_pairs *pairs = &pr->pairs;
    preconditioner *pre = &s->pre;
    const size_t d = (size_t)pr->d, m = (size_t)pairs->m;
    pre->dense =
        pr->S && pow(pr->d, 3) < 3.0 * m * m * pr->d + pow(pairs->m, 3);
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

/* the system of a group: S + diag(shift + (lambda/2) D) */
static rs_status factor_group(rs_exact *s, int g, double shift)
{
    const rs_spca *pr = s->f.pr;
    preconditioner *pre = &s->pre;
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
static double column_shift(const curve *f, int k)
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
    preconditioner *pre = &s->pre;
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
    mask(&s->f, z);
    return RS_OK;
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
    problem->reduction = fmin(RS_TCG_REDUCTION, sqrt(sqrt(rz / fabs(s->f.f))));
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
    *ratio = (s->f.f - value_at(&s->f, trial) + noise) / (decrease + noise);
    s->steps++;
    if (*ratio > RS_TCG_ACCEPT)
        rs_copy(size, trial->F, at->F);
    return RS_OK;
}

/* everything at F that a step needs. With it f is recorded, unless that is done;
 * rounds come beside the steps, so that there may be more values than steps. */
static rs_status linearise(rs_exact *s)
{
    rs_history *history = &s->fit->history;
    RS_TRY(refresh(&s->f));
    if (history->count == 0 || rs_history_last(history) != s->f.f) {
        s->fit->iterations += history->count > 0;
        RS_TRY(rs_history_make_room(s->f.pr->ctx, history));
        rs_history_add(history, s->f.f);
    }
    if (s->f.at->r == 0)
        return RS_OK;
    RS_TRY(set_gradient(&s->f));
    mask(&s->f, s->f.g);
    return factor_groups(s);
}

/* with the number of columns fixed, until the squared preconditioned gradient
 * norm falls below tol * f. RS_OK, RS_MAXIT. */
static rs_status take_steps(rs_exact *s, double tol)
{
    double rz, ratio = 1.0;
    s->radius = 0.0;
    s->at_rounding = 0;
    for (;;) {
        rs_tcg_info info;
        if (ratio > RS_TCG_ACCEPT)
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
        s->radius = rs_tcg_radius(ratio, &info, s->radius);
        /* f cannot judge such steps any more: one is taken, for the gradient */
        if (!(info.decrease > rounding(s))) {
            s->at_rounding = 1;
            return ratio > RS_TCG_ACCEPT ? linearise(s) : RS_OK;
        }
    }
}

/* ---- room ------------------------------------------------------------------- */

/* for as many columns as the point has room for; what depends on them is void, but
 * for the best F */
static rs_status columns_room(rs_exact *s)
{
    const rs_spca *pr = s->f.pr;
    curve *f = &s->f;
    preconditioner *pre = &s->pre;
    const size_t d = (size_t)pr->d, r = (size_t)f->at->capacity;
    const double *best = s->best.F;
    RS_ALLOC_DOUBLES(pr->ctx, d * r, &f->FL, &f->SF, &f->g, &f->SV, &f->FS,
                     &f->W, &pre->block, &pre->W, &s->best.F);
    RS_ALLOC_DOUBLES(pr->ctx, r * r, &f->own, &f->S1, &f->S2, &f->S3);
    f->XV = rs_alloc_double(pr->ctx, pr->S ? 1 : (size_t)pr->n * r);
    f->L = rs_alloc_double(pr->ctx, r);
    pre->Y = rs_alloc_double(pr->ctx, (size_t)pr->pairs.m * r);
    pre->group = rs_alloc_int(pr->ctx, r);
    RS_TRY(rs_allocated(pr->ctx));
    if (best)
        rs_copy(d * s->best.r, best, s->best.F);
    s->dual.B = f->W;
    RS_TRY(rs_eigen_init(pr->ctx, (int)r, &f->eigen));
    RS_TRY(rs_tcg_init(pr->ctx, d * r, 1, &s->tcg));
    return s->trial.F ? rs_spca_point_room(pr, (int)r, &s->trial)
                      : rs_spca_point_init(pr, (int)r, &s->trial);
}

static rs_status init_solver(rs_spca_path *path)
{
    rs_exact *s = path->solver;
    const rs_spca *pr = &path->pr;
    const size_t d = (size_t)pr->d;
    *s = (rs_exact){.set = &path->set,
                    .fit = &path->fit,
                    .f = {.pr = pr, .at = &path->at},
                    .dual = {.pr = pr,
                             .at = &path->at,
                             .below = -0.1 * path->set.gap,
                             .room = rs_min_int(pr->d, RS_MOST_ADDED),
                             .arena = &s->arena}};
    RS_ALLOC_DOUBLES(pr->ctx, d, &s->before, &s->square, &s->extra,
                     &s->f.active, &s->f.dD);
    s->returned = rs_alloc_int(pr->ctx, d);
    s->dual.vectors = rs_alloc_double(pr->ctx, d * s->dual.room);
    RS_TRY(rs_allocated(pr->ctx));
    s->dual.extra = s->extra;
    rs_fill(d, 1.0, s->f.active);
    rs_arena_init(pr->ctx, &s->arena);
    RS_TRY(rs_data_column_squares(pr->X, s->square));
    RS_TRY(rs_history_init(pr->ctx, path->set.maxit, &path->fit.history));
    RS_TRY(init_newton(s));
    return columns_room(s);
}

/* it doubles, so that all rooms together are at most twice the last */
static rs_status make_room(rs_exact *s, int extra)
{
    rs_spca_point *at = s->f.at;
    const double *F = at->F;
    if (at->r + extra <= at->capacity)
        return RS_OK;
    RS_TRY(rs_spca_point_room(s->f.pr, at->r + extra, at));
    rs_copy((size_t)s->f.pr->d * at->r, F, at->F);
    return columns_room(s);
}

/* ---- columns of F and of Omega --------------------------------------------- */

/* squared length of v within the range of F = P diag(L)^{1/2} */
static double share_in_range(const curve *f, const double *v)
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
    RS_TRY(make_room(s, kept));
    for (double length = 0.5; length > 1e-6; length *= 0.5) {
        rs_copy(d * kept, vectors, at->F + d * r);
        rs_scale(d * kept, length, at->F + d * r);
        at->r = (int)r + kept;
        RS_TRY(rs_spca_measure(pr, at));
        if (value_at(&s->f, at) < s->f.f) {
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
    curve *f = &s->f;
    const size_t d = (size_t)f->pr->d, size = d * f->at->r;
    const double allowed = 2.0 * RS_SMOOTHED * s->set->gap * widening;
    rs_copy(size, f->at->F, s->trial.F);
    rs_copy(d, f->active, s->before);
    *changed = screen_columns(f, s->returned);
    if (*changed == 0)
        return RS_OK;
    RS_TRY(rs_spca_measure(f->pr, f->at));
    if (value_at(f, f->at) > f->f * (1.0 + allowed)) {
        for (size_t j = 0; j < d; j++)
            s->returned[j] |= f->active[j] != s->before[j];
        rs_copy(d, s->before, f->active);
        rs_copy(size, s->trial.F, f->at->F);
        *changed = 0;
        RS_TRY(refresh(f));
        RS_TRY(set_gradient(f));
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
    s->fit->objective = rs_spca_objective(s->f.pr, 0.0, 0.0, s->f.at);
    return RS_OK;
}

/* the bound of this round, and the best of all rounds: each of them holds */
static rs_status certify(rs_exact *s)
{
    rs_spca_fit *fit = s->fit;
    dual_columns(&s->f, s->square, s->f.W, s->extra);
    RS_TRY(rs_spca_bound(&s->dual, fit));
    if (fit->bound > s->best.bound) {
        s->best.bound = fit->bound;
        s->best.margin = fit->margin;
    }
    fit->bound = s->best.bound;
    fit->margin = s->best.margin;
    keep_best(s);
    return RS_OK;
}

/* ---- rounds --------------------------------------------------------------------- */

static double widest_smoothing(const rs_exact *s)
{
    return 1.0 / fmax(s->set->gap, RS_NOTHING);
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
    refresh_weights(&s->f);
}

static rs_status begin(rs_exact *s, double widening)
{
    const rs_spca *pr = s->f.pr;
    rs_spca_point *at = s->f.at;
    s->steps = 0;
    s->flops = 0.0;
    s->fit->iterations = s->fit->inner_iterations = 0;
    rs_history_clear(&s->fit->history);
    memset(s->returned, 0, (size_t)pr->d * sizeof(int));
    RS_TRY(rs_spca_measure(pr, at));
    s->fit->objective = rs_spca_objective(pr, 0.0, 0.0, at);
    s->fit->bound = s->best.bound = -INFINITY;
    s->best.margin = 0.0;
    s->best.r = 0; /* the best so far is Omega = 0 */
    s->best.value = pr->trace;
    keep_best(s);
    s->widest = 0.1 * sqrt(rs_sum(pr->d, at->column_square) / pr->d);
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
        if (*tol < RS_ROUNDING * RS_ROUNDING || rounded > 1)
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
        rs_status status = take_steps(s, widening > 1.0 ? RS_ROUND_TOL : tol);
        int changed = 0, limit = status == RS_MAXIT;
        if (!limit)
            RS_TRY(status);
        limit |= round == s->set->maxit;
        rounded = s->at_rounding ? rounded + 1 : 0;
        RS_TRY(set_gradient(&s->f));
        if (!limit && s->f.at->r > 0)
            RS_TRY(screen(s, widening, &changed));
        if (RS_NARROWING * widening > 1.0 && !limit) { /* no bounds yet */
            widening *= RS_NARROWING;
            smooth(s, s->f.f, widening);
        } else if (changed == 0) { /* else F is not at its minimum */
            RS_TRY(certify(s));
            if (s->best.value - s->fit->bound <= s->set->gap * s->best.value)
                return RS_OK;
            if (limit)
                return RS_MAXIT;
            RS_TRY(grow(s, rounded, &widening, &tol));
        }
    }
}

/*
 * The optimum of a problem on the same data, from the point. The smoothing
 * starts at `widening` times the last one: RS_COLD, or less from a point that
 * is near the optimum. RS_OK, RS_MAXIT, RS_STALLED.
 */
static rs_status solve(double widening, rs_exact *s)
{
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
    *path = (rs_spca_path){.pr = *pr, .set = *set};
    RS_TRY_ALLOC(path->solver = rs_alloc(pr->ctx, 1, sizeof *path->solver));
    if (F) {
        RS_TRY(rs_spca_point_init(pr, r, &path->at));
        RS_TRY(rs_spca_point_set(pr, r, NULL, F, &path->at));
    } else {
        RS_TRY(rs_spca_point_pca(pr, &path->at));
    }
    return init_solver(path);
}

rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta)
{
    const rs_spca *pr = &path->pr;
    const int near = path->is_optimum && eta == pr->eta;
    rs_status status = RS_STALLED;
    path->pr.lambda = lambda;
    path->pr.eta = eta;
    if (near)
        status = solve(RS_NEAR_WIDENING, path->solver);
    if (status != RS_OK && rs_is_usable(status)) {
        if (path->begun) { /* from principal components, as a single fit would */
            rs_spca_point cold;
            RS_TRY(rs_spca_point_pca(pr, &cold));
            rs_fill((size_t)pr->d, 1.0, path->solver->f.active);
            path->at.r = 0;
            RS_TRY(make_room(path->solver, cold.r));
            RS_TRY(rs_spca_point_set(pr, cold.r, NULL, cold.F, &path->at));
        }
        status = solve(RS_COLD, path->solver);
    }
    path->begun = 1;
    path->is_optimum = status == RS_OK && path->at.r > 0;
    return status;
}

rs_status rs_spca_path_explained(rs_spca_path *path, double *share)
{
    const int r = path->at.r;
    rs_arena *arena = &path->solver->arena;
    rs_covop op;
    *share = 0.0;
    if (r == 0)
        return RS_OK;
    rs_arena_clear(arena);
    RS_TRY(rs_covop_from_data(&arena->ctx, path->pr.X, r, &op));
    return rs_components_share(&op, r, path->at.F, share);
}
