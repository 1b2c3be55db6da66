#include "method/rfs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/reweight.h"
#include "solve/ridge.h"

/* what smoothing may add to the objective, as a share of the tolerance: the
 * dual bound converges last, so that less costs nothing */
#define SMOOTHING 0.02
/* longest step of the extrapolation, in plain steps */
#define LONGEST_STEP 64.0
/* a feature that came back so often stays active */
#define LARGEST_RETURNS 3
/* gamma this close to the one where W = 0 begins counts as equal */
#define AT_THE_LIMIT 1e-10
/* rounding errors: so many machine epsilons times the root of the number of
 * terms times the norms involved */
#define MARGIN 8.0
/* residuals shorter than so many smoothing levels nearly vanish */
#define VANISHING 1e3

typedef struct {
    const rs_rfs_problem *p;
    int n, d, c;
    rs_rfs_fit *fit;
    double best, at_zero; /* f(fit->W), f(0) */
    /* smoothing: sqrt(||w_j||^2 + eps_row^2), sqrt(||r_i||^2 + eps_sample^2);
     * either sum is too high by at most SMOOTHING tol of `level` */
    double eps_row, eps_sample, level, shrink;
    /* features with a row of W; the others have u_j = 0 */
    int count, *active;
    unsigned char *returns; /* d */
    /* the last regression */
    double *W, *R;              /* d x c, n x c: coefficients, residuals */
    double *row, *sample;       /* d, n: their row norms */
    double objective, smoothed; /* f, and what the iteration minimises */
    double iteration_bound;     /* best dual value of this iteration */
    double widest;              /* norm of the longest feature */
    /* weights u_j = 2 ||w_j||, v_i = 2 ||r_i||, one after the other (d + n),
     * along a cycle: the point, one and two steps on, and extrapolated */
    double *point, *once, *twice, *ahead;
    double longest; /* step of the extrapolation */
    int finished;
    /* workspaces */
    rs_ridge ridge;        /* system of equations */
    double *weight;        /* min(n, d): its diagonal */
    double *inverse;       /* n: 1 / v */
    double *Z, *B, *panel; /* n x c, d x c, n x RS_PANEL */
    double *pull;          /* d */
    double *dW, *XdW, *E;  /* d x c, n x c, min(n, d) x c */
} rfs_state;

/* ---- the dual point ----------------------------------------------------- */

/* rows of R (n x c) divided by sqrt(norm^2 + eps^2), into Theta */
static void directions(int n, int c, const double *R, const double *norm,
                       double eps, double *Theta)
{
    for (int i = 0; i < n; i++) {
        double length = rs_smoothed_norm(norm[i], eps);
        for (int l = 0; l < c; l++) {
            size_t at = i + (size_t)n * l;
            Theta[at] = length > 0.0 ? R[at] / length : 0.0;
        }
    }
}

static double largest(int count, const double *x)
{
    double value = 0.0;
    for (int i = 0; i < count; i++)
        value = fmax(value, x[i]);
    return value;
}

rs_status rs_rfs_pull_at_zero(rs_context *ctx, const rs_data *X,
                              const double *Y, int c, double *pull)
{
    double *norm = rs_alloc_double(ctx, (size_t)X->n);
    double *Theta = rs_alloc_double(ctx, (size_t)X->n * c);
    double *B = rs_alloc_double(ctx, (size_t)X->d * c);
    RS_TRY(rs_allocated(ctx));
    rs_row_norms(X->n, c, Y, norm);
    directions(X->n, c, Y, norm, 0.0, Theta);
    RS_TRY(rs_data_crossprod(X, c, Theta, B));
    rs_row_norms(X->d, c, B, pull);
    return RS_OK;
}

/*
 * Theta with <Theta, Y> = value, rows no longer than `longest` and row norms
 * `pull` of X'Theta, divided by what makes it feasible, bounds f from below.
 * Rounding of the value and of the norms is allowed for. The best one of an
 * iteration stays in fit->pull.
 */
static void offer_bound(rfs_state *s, double value, double longest,
                        const double *pull)
{
    const double unit = MARGIN * DBL_EPSILON * sqrt((double)s->n);
    double rounding = unit * s->widest * sqrt((double)s->n) * longest;
    double excess =
        fmax(longest, (largest(s->d, pull) + rounding) / s->p->gamma);
    value -= unit * s->at_zero * longest;
    value /= fmax(excess, 1.0) * (1.0 + unit);
    if (value > s->iteration_bound) {
        s->iteration_bound = value;
        rs_copy((size_t)s->d, pull, s->fit->pull);
    }
    if (value > s->fit->bound)
        s->fit->bound = value;
}

/* theta_i = r_i / sqrt(||r_i||^2 + eps^2) */
static rs_status bound_from_residuals(rfs_state *s)
{
    const rs_rfs_problem *p = s->p;
    directions(s->n, s->c, s->R, s->sample, s->eps_sample, s->Z);
    RS_TRY(rs_data_crossprod(p->X, s->c, s->Z, s->B));
    rs_row_norms(s->d, s->c, s->B, s->pull);
    double value = rs_dot((size_t)s->n * s->c, s->Z, p->Y);
    offer_bound(s, value, 1.0, s->pull);
    return RS_OK;
}

/* Theta = 2 gamma Z with Z of the n equations and B = X'Z; exact also where
 * residuals are at rounding level */
static void bound_from_equations(rfs_state *s, const double *XtZ)
{
    const double twice = 2.0 * s->p->gamma;
    rs_row_norms(s->n, s->c, s->Z, s->sample);
    rs_row_norms(s->d, s->c, XtZ, s->pull);
    rs_scale((size_t)s->d, twice, s->pull);
    double value = twice * rs_dot((size_t)s->n * s->c, s->Z, s->p->Y);
    offer_bound(s, value, twice * largest(s->n, s->sample), s->pull);
}

static double relative_gap(const rfs_state *s)
{
    return fabs(s->best - s->fit->bound) / s->best;
}

/* ---- the weighted regression -------------------------------------------- */

/*
 * Z = (X U X' + gamma V)^{-1} Y, W = U X'Z and, without cancellation where
 * residuals vanish, R = gamma V Z. A diagonal that has grown acts like larger
 * v.
 */
static rs_status dual_regression(rfs_state *s, const double *u,
                                 const double *v)
{
    const rs_rfs_problem *p = s->p;
    for (int i = 0; i < s->n; i++)
        s->weight[i] = p->gamma * v[i];
    RS_TRY(rs_data_gram_samples(p->X, u, s->ridge.A));
    RS_TRY(rs_ridge_factor_grown(s->n, s->weight, &s->ridge));
    rs_copy((size_t)s->n * s->c, p->Y, s->Z);
    RS_TRY(rs_ridge_solve(s->c, s->Z, &s->ridge));
    RS_TRY(rs_data_crossprod(p->X, s->c, s->Z, s->W));
    bound_from_equations(s, s->W);
    for (int l = 0; l < s->c; l++) {
        const size_t W_at = (size_t)s->d * l, R_at = (size_t)s->n * l;
        for (int j = 0; j < s->d; j++)
            s->W[W_at + j] *= u[j];
        for (int i = 0; i < s->n; i++)
            s->R[R_at + i] =
                (s->weight[i] + s->ridge.growth * s->ridge.diagonal[i]) *
                s->Z[R_at + i];
    }
    return RS_OK;
}

/*
 * The same in the active features: Theta = 2 V^{-1} R. Where residuals vanish
 * rounding leaves little of them, so that one step of refinement makes
 * X_A'Theta = 2 gamma U^{-1} W again: with E what is missing there, dW = A^{-1} E
 * and Theta += V^{-1} X dW, W -= dW / 2 (W stays as it is: only Theta needs it).
 */
static rs_status bound_from_features(rfs_state *s, const double *weights)
{
    const rs_rfs_problem *p = s->p;
    const double *u = weights, *v = weights + s->d;
    const int n = s->n, k = s->count, c = s->c;
    const size_t d = (size_t)s->d;
    double *Theta = s->Z, *dW = s->dW, *XdW = s->XdW;
    for (int l = 0; l < c; l++)
        for (int i = 0; i < n; i++)
            Theta[i + (size_t)n * l] = 2.0 * s->R[i + (size_t)n * l] / v[i];
    RS_TRY(rs_data_crossprod(p->X, c, Theta, s->B));
    for (int l = 0; l < c; l++)
        for (int a = 0; a < k; a++) {
            size_t at = s->active[a] + d * l;
            s->E[a + (size_t)k * l] =
                2.0 * p->gamma * s->W[at] / u[s->active[a]] - s->B[at];
        }
    RS_TRY(rs_ridge_solve(c, s->E, &s->ridge));
    rs_fill(d * c, 0.0, dW);
    for (int l = 0; l < c; l++)
        for (int a = 0; a < k; a++)
            dW[s->active[a] + d * l] = s->E[a + (size_t)k * l];
    RS_TRY(rs_data_times(p->X, c, dW, XdW));
    for (int l = 0; l < c; l++)
        for (int i = 0; i < n; i++)
            Theta[i + (size_t)n * l] += XdW[i + (size_t)n * l] / v[i];
    RS_TRY(rs_data_crossprod(p->X, c, Theta, s->B));
    rs_row_norms(s->d, c, s->B, s->pull);
    rs_row_norms(n, c, Theta, s->inverse);
    double value = rs_dot((size_t)n * c, Theta, p->Y);
    offer_bound(s, value, largest(n, s->inverse), s->pull);
    return RS_OK;
}

/* R = Y - X W */
static rs_status residuals(rfs_state *s)
{
    const size_t cells = (size_t)s->n * s->c;
    RS_TRY(rs_data_times(s->p->X, s->c, s->W, s->R));
    for (size_t i = 0; i < cells; i++)
        s->R[i] = s->p->Y[i] - s->R[i];
    return RS_OK;
}

/* W = (X' V^{-1} X + gamma U^{-1})^{-1} X' V^{-1} Y in the active features */
static rs_status primal_regression(rfs_state *s, const double *u,
                                   const double *v)
{
    const rs_rfs_problem *p = s->p;
    const int n = s->n, k = s->count;
    const size_t d = (size_t)s->d;
    for (int i = 0; i < n; i++)
        s->inverse[i] = 1.0 / v[i];
    RS_TRY(rs_data_gram_subset(p->X, s->inverse, k, s->active, s->panel,
                               s->ridge.A));
    for (int a = 0; a < k; a++)
        s->weight[a] = p->gamma / u[s->active[a]];
    RS_TRY(rs_ridge_factor_grown(k, s->weight, &s->ridge));
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < n; i++)
            s->Z[i + (size_t)n * l] = p->Y[i + (size_t)n * l] * s->inverse[i];
    RS_TRY(rs_data_crossprod(p->X, s->c, s->Z, s->W));
    for (int l = 0; l < s->c; l++)
        for (int a = 0; a < k; a++)
            s->B[a + (size_t)k * l] = s->W[s->active[a] + d * l];
    RS_TRY(rs_ridge_solve(s->c, s->B, &s->ridge));
    rs_fill(d * s->c, 0.0, s->W);
    for (int l = 0; l < s->c; l++)
        for (int a = 0; a < k; a++)
            s->W[s->active[a] + d * l] = s->B[a + (size_t)k * l];
    return residuals(s);
}

/* W = argmin sum_i ||r_i||^2 / v_i + gamma sum_j ||w_j||^2 / u_j, and R */
static rs_status weighted_regression(rfs_state *s, const double *weights)
{
    const double *u = weights, *v = weights + s->d;
    if (s->count > s->n)
        return dual_regression(s, u, v);
    if (s->count > 0)
        return primal_regression(s, u, v);
    rs_fill((size_t)s->d * s->c, 0.0, s->W);
    return residuals(s);
}

/* ---- one iteration ------------------------------------------------------ */

/* norms of the rows of W and R, and f(W) */
static void measure(rfs_state *s)
{
    rs_row_norms(s->d, s->c, s->W, s->row);
    rs_row_norms(s->n, s->c, s->R, s->sample);
    double loss = 0.0, penalty = 0.0;
    for (int i = 0; i < s->n; i++)
        loss += s->sample[i];
    for (int j = 0; j < s->d; j++)
        penalty += s->row[j];
    s->objective = loss + s->p->gamma * penalty;
}

/* the same for a W that is no regression */
static rs_status evaluate(rfs_state *s)
{
    RS_TRY(residuals(s));
    measure(s);
    return RS_OK;
}

/* f with both kinds of norms smoothed; rows that are not active are zero */
static double smoothed_objective(const rfs_state *s)
{
    double loss = 0.0, penalty = 0.0;
    for (int i = 0; i < s->n; i++)
        loss += rs_smoothed_norm(s->sample[i], s->eps_sample);
    for (int a = 0; a < s->count; a++)
        penalty += rs_smoothed_norm(s->row[s->active[a]], s->eps_row);
    return loss + s->p->gamma * penalty;
}

static void keep_best(rfs_state *s)
{
    if (s->objective < s->best) {
        s->best = s->objective;
        rs_copy((size_t)s->d * s->c, s->W, s->fit->W);
    }
}

/* u_j = 2 sqrt(||w_j||^2 + eps^2), v_i = 2 sqrt(||r_i||^2 + eps^2) */
static void next_weights(const rfs_state *s, double *weights)
{
    rs_fill((size_t)s->d, 0.0, weights);
    for (int a = 0; a < s->count; a++) {
        int j = s->active[a];
        weights[j] = 2.0 * rs_smoothed_norm(s->row[j], s->eps_row);
    }
    for (int i = 0; i < s->n; i++)
        weights[s->d + i] =
            2.0 * rs_smoothed_norm(s->sample[i], s->eps_sample);
}

/* do residuals nearly vanish, so that their directions are no multipliers? */
static int needs_multipliers(const rfs_state *s)
{
    double least = INFINITY;
    for (int i = 0; i < s->n; i++)
        least = fmin(least, s->sample[i]);
    return s->count > 0 && s->count <= s->n && relative_gap(s) > s->p->tol &&
           least < VANISHING * s->eps_sample;
}

/* from weights to the next ones; says when to stop */
static rs_status step(rfs_state *s, const double *from, double *to)
{
    s->iteration_bound = -INFINITY;
    RS_TRY(weighted_regression(s, from));
    measure(s);
    s->smoothed = smoothed_objective(s);
    keep_best(s);
    RS_TRY(bound_from_residuals(s));
    if (needs_multipliers(s))
        RS_TRY(bound_from_features(s, from));
    rs_history_add(&s->fit->history, s->best);
    next_weights(s, to);
    s->finished = (relative_gap(s) <= s->p->tol && s->best < s->at_zero) ||
                  s->fit->history.count > s->p->maxit;
    return RS_OK;
}

/* ---- three iterations and an extrapolation ------------------------------ */

/*
 * With p the logarithms of the weights, r = p_1 - p_0 and q = p_2 - p_1 - r,
 *     p = p_0 + 2 a r + a^2 q,   a = ||r|| / ||q||  (a = 1 gives p_2).
 * Weights stay above their smallest value and below what f allows.
 */
static double extrapolate(const rfs_state *s, double *out)
{
    const int d = s->d, total = s->d + s->n;
    double rr = 0.0, qq = 0.0;
    for (int i = 0; i < total; i++) {
        out[i] = s->twice[i];
        if (s->twice[i] <= 0.0)
            continue;
        double r = log(s->once[i] / s->point[i]);
        double q = log(s->twice[i] / s->once[i]) - r;
        rr += r * r;
        qq += q * q;
    }
    double a = qq > 0.0 ? sqrt(rr / qq) : 1.0;
    a = fmin(fmax(a, 1.0), s->longest);
    if (a == 1.0)
        return a;
    for (int i = 0; i < total; i++) {
        if (s->twice[i] <= 0.0)
            continue;
        double r = log(s->once[i] / s->point[i]);
        double q = log(s->twice[i] / s->once[i]) - r;
        double least = 2.0 * (i < d ? s->eps_row : s->eps_sample);
        double most = 2.0 * s->best / (i < d ? s->p->gamma : 1.0);
        double value = s->point[i] * exp(a * (2.0 * r + a * q));
        out[i] = fmin(fmax(value, least), most);
    }
    return a;
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* two steps and a longer one in their direction, which counts only if the
 * smoothed objective falls; `point` moves on, *accepted says how */
static rs_status cycle(rfs_state *s, int *accepted)
{
    *accepted = 0;
    RS_TRY(step(s, s->point, s->once));
    if (s->finished)
        return RS_OK;
    RS_TRY(step(s, s->once, s->twice));
    double before = s->smoothed;
    if (s->finished)
        return RS_OK;
    if (!isfinite(before))
        return RS_NOT_FINITE;
    double length = extrapolate(s, s->ahead);
    rs_status status = step(s, s->ahead, s->point);
    if (status != RS_OK && status != RS_SINGULAR)
        return status;
    *accepted = status == RS_OK && (s->smoothed <= before || length == 1.0);
    if (*accepted) {
        s->longest = fmin(4.0 * s->longest, LONGEST_STEP);
    } else {
        s->longest = fmax(1.0, 0.5 * length);
        swap(&s->point, &s->twice);
    }
    return RS_OK;
}

/* ---- active features and smoothing -------------------------------------- */

static double mean_active_norm(const rfs_state *s)
{
    double sum = 0.0;
    for (int a = 0; a < s->count; a++)
        sum += s->row[s->active[a]];
    return s->count > 0 ? sum / s->count : 0.0;
}

/*
 * A row at the smallest value whose feature is clearly inside its dual
 * constraint is zero from now on; a feature outside of it comes back.
 */
static void update_active(rfs_state *s)
{
    const double gamma = s->p->gamma, *pull = s->fit->pull;
    const double inside = gamma * (1.0 - 2.0 * sqrt(relative_gap(s)));
    const double entry = fmax(s->eps_row, 0.01 * mean_active_norm(s));
    s->count = 0;
    for (int j = 0; j < s->d; j++) {
        if (s->point[j] <= 0.0 && pull[j] > gamma) {
            s->point[j] = 2.0 * entry;
            s->returns[j]++;
        } else if (s->row[j] < 3.0 * s->eps_row && pull[j] < inside &&
                   s->returns[j] < LARGEST_RETURNS) {
            s->point[j] = 0.0;
        }
        if (s->point[j] > 0.0)
            s->active[s->count++] = j;
    }
}

/* eps follows the objective down; it falls further while W = 0 is still the
 * best although the gap is closed */
static void update_smoothing(rfs_state *s)
{
    if (relative_gap(s) <= s->p->tol)
        s->shrink = fmax(0.1 * s->shrink, 1e-8);
    if (s->best * s->shrink < 0.5 * s->level)
        s->level = s->best * s->shrink;
    double share = SMOOTHING * fmax(s->p->tol, 1e-12) * s->level;
    s->eps_sample = share / s->n;
    s->eps_row = share / (s->p->gamma * s->d);
}

/* ---- start and end ------------------------------------------------------ */

/* weights of W = 0, with equal rows, or of the given start, whose smaller rows
 * get a share of the mean one */
static rs_status first_weights(rfs_state *s)
{
    const rs_rfs_problem *p = s->p;
    double least_row = s->at_zero / (p->gamma * s->d);
    double least_sample = s->eps_sample;
    if (p->start && rs_norm((size_t)s->d * s->c, p->start) > 0.0) {
        rs_copy((size_t)s->d * s->c, p->start, s->W);
        RS_TRY(evaluate(s));
        keep_best(s);
        least_row = fmin(0.1 * mean_active_norm(s), least_row);
        least_row = fmax(least_row, s->eps_row);
        least_sample = fmax(0.1 * s->best / s->n, s->eps_sample);
    }
    for (int j = 0; j < s->d; j++)
        s->point[j] = 2.0 * fmax(s->row[j], least_row);
    for (int i = 0; i < s->n; i++)
        s->point[s->d + i] = 2.0 * fmax(s->sample[i], least_sample);
    return RS_OK;
}

/* rows that only the smoothing kept from zero go, where f does not rise */
static rs_status trim(rfs_state *s)
{
    const size_t d = (size_t)s->d;
    for (double factor = 1e3; factor > 5.0; factor /= 10.0) {
        rs_row_norms(s->d, s->c, s->fit->W, s->row);
        rs_copy(d * s->c, s->fit->W, s->W);
        int cut = 0;
        for (int j = 0; j < s->d; j++) {
            if (s->row[j] == 0.0 || s->row[j] > factor * s->eps_row)
                continue;
            cut = 1;
            for (int l = 0; l < s->c; l++)
                s->W[j + d * l] = 0.0;
        }
        if (!cut)
            return RS_OK;
        RS_TRY(evaluate(s));
        if (s->objective < s->best) {
            keep_best(s);
            s->fit->history.objective[s->fit->history.count - 1] = s->best;
            return RS_OK;
        }
    }
    return RS_OK;
}

static rs_status rfs_init(rs_context *ctx, const rs_rfs_problem *p,
                          rs_rfs_fit *fit, rfs_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, c = (size_t)p->c;
    const size_t order = n < d ? n : d;
    memset(s, 0, sizeof *s);
    s->p = p;
    s->fit = fit;
    s->n = p->X->n;
    s->d = p->X->d;
    s->c = p->c;
    s->active = rs_alloc_int(ctx, d);
    s->returns = (unsigned char *)rs_alloc(ctx, d, 1);
    const struct {
        double **block;
        size_t size;
    } rooms[] = {{&s->W, d * c},
                 {&s->B, d * c},
                 {&s->R, n * c},
                 {&s->Z, n * c},
                 {&s->dW, d * c},
                 {&s->XdW, n * c},
                 {&s->E, order * c},
                 {&s->row, d},
                 {&s->pull, d},
                 {&s->sample, n},
                 {&s->inverse, n},
                 {&s->point, d + n},
                 {&s->once, d + n},
                 {&s->twice, d + n},
                 {&s->ahead, d + n},
                 {&s->weight, order},
                 {&s->panel, p->X->subset_room}};
    RS_TRY(rs_allocated(ctx));
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        *rooms[i].block = rs_alloc_double(ctx, rooms[i].size);
        RS_TRY_ALLOC(*rooms[i].block);
    }
    RS_TRY(rs_ridge_init(ctx, (int)order, &s->ridge));
    memset(s->returns, 0, d);
    RS_TRY(rs_data_column_squares(p->X, s->pull));
    s->widest = sqrt(largest(s->d, s->pull));
    s->count = s->d;
    for (int j = 0; j < s->d; j++)
        s->active[j] = j;
    return rs_history_init(ctx, p->maxit + 1, &fit->history);
}

/* W = 0: its objective, and the bound that it gives */
static rs_status evaluate_zero(rfs_state *s)
{
    rs_fill((size_t)s->d * s->c, 0.0, s->W);
    RS_TRY(evaluate(s));
    s->at_zero = s->best = s->level = s->objective;
    s->shrink = s->longest = 1.0;
    rs_copy((size_t)s->d * s->c, s->W, s->fit->W);
    s->fit->bound = 0.0;
    s->iteration_bound = -INFINITY;
    return bound_from_residuals(s);
}

rs_status rs_rfs(rs_context *ctx, const rs_rfs_problem *problem,
                 rs_rfs_fit *fit)
{
    rfs_state s;
    int accepted;
    RS_TRY(rfs_init(ctx, problem, fit, &s));
    RS_TRY(evaluate_zero(&s));
    if (largest(s.d, fit->pull) <= problem->gamma * (1.0 + AT_THE_LIMIT)) {
        rs_history_add(&fit->history, s.best);
        return RS_OK;
    }
    update_smoothing(&s);
    RS_TRY(first_weights(&s));
    rs_history_add(&fit->history, s.best);
    while (!s.finished) {
        RS_TRY(cycle(&s, &accepted));
        if (accepted && !s.finished) {
            update_active(&s);
            update_smoothing(&s);
        }
    }
    RS_TRY(trim(&s));
    return relative_gap(&s) <= problem->tol ? RS_OK : RS_MAXIT;
}
