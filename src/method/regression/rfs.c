#include "method/regression/rfs.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/regression/rfs_split.h"
#include "solve/reweight.h"
#include "solve/ridge.h"

/* what smoothing may add to the objective, as a share of the tolerance: the
 * dual bound converges last, so that less costs nothing */
#define RS_RFS_SMOOTHING 0.02
/* longest step of the extrapolation, in plain steps */
#define RS_RFS_LONGEST_STEP 64.0
/* a feature that came back so often stays active */
#define RS_RFS_LARGEST_RETURNS 3
/* gamma this close to the one where W = 0 begins counts as equal */
#define RS_RFS_AT_THE_LIMIT 1e-10
/* residuals shorter than so many smoothing levels nearly vanish */
#define RS_RFS_VANISHING 1e3
/* a row shorter than so many smoothing levels is held up by the smoothing alone,
 * where its weight is at most sqrt(1 + 3^2) times the smallest one */
#define RS_RFS_HELD_UP 3.0
/* share of the mean row that the others begin with, of a given start and of
 * residuals, and that a feature comes back with: far above the smoothing, and
 * too little to disturb the rows that are there */
#define RS_RFS_START_SHARE 0.1
#define RS_RFS_ENTRY_SHARE 0.01
/* while W = 0 is best although the gap is closed the smoothing falls by this
 * factor, down to the second share of f */
#define RS_RFS_SHRINK 0.1
#define RS_RFS_LEAST_SHRINK 1e-8
/* a tolerance below this one asks for no less smoothing */
#define RS_RFS_FINEST_TOL 1e-12
/* rows of at most so many smoothing levels may be trimmed; where f would rise a
 * tenth of it is tried next, as long as it exceeds the second number */
#define RS_RFS_TRIM_MOST 1e3
#define RS_RFS_TRIM_LEAST 5.0

/* the last regression */
typedef struct {
    double *W, *R;              /* d x c, n x c: coefficients, residuals */
    double *row, *sample;       /* d, n: their row norms */
    double objective, smoothed; /* f, and what the iteration minimises */
} rfs_point;

/* sqrt(||w_j||^2 + row^2), sqrt(||r_i||^2 + sample^2): either sum is too high
 * by at most RS_RFS_SMOOTHING tol of `level`, the best f times `shrink` when it
 * was set */
typedef struct {
    double row, sample;
    double level, shrink;
} rfs_smoothing;

/* features with a row of W; the others have u_j = 0 */
typedef struct {
    int count, *index;
    unsigned char *returns; /* d: how often they came back */
} rfs_active;

/* weights u_j = 2 ||w_j||, v_i = 2 ||r_i||, one after the other (d + n), along
 * a cycle: the point, one and two steps on, and extrapolated */
typedef struct {
    double *point, *once, *twice, *ahead;
    double longest; /* step of the extrapolation */
} rfs_weights;

/* bounds of the minimum */
typedef struct {
    double best;          /* of this iteration */
    double *pull;         /* d */
    double *dW, *XdW, *E; /* d x c, n x c, min(n, d) x c: one refinement */
} rfs_dual;

/* the weighted regression */
typedef struct {
    rs_ridge equations;
    double *weight;  /* min(n, d): what is added to the diagonal */
    double *inverse; /* n: 1 / v */
    double *Z, *B;   /* n x c, d x c */
    double *panel;   /* X->subset_room: for the Gram matrix */
} rfs_system;

typedef struct {
    rs_context *ctx;
    const rs_rfs_problem *p; /* the problem below */
    rs_rfs_problem problem;  /* with the gamma of the fit that is made */
    int n, d, c;
    int fits;    /* made so far */
    int follows; /* will others follow? */
    rs_rfs_fit *fit;
    rs_rfs_scale scale;
    const double *start; /* d x c, or NULL */
    double best;         /* f(fit->W) */
    int finished;
    rfs_point now;
    rfs_smoothing smooth;
    rfs_active active;
    rfs_weights weights;
    rfs_dual dual;
    rfs_system system;
    double *kept; /* d x c: the end of the fit before, where there is none of
                       the splitting */
    double *pull; /* d: at W = 0 */
    double limit; /* the largest of these */
    rs_rfs_splitting splitting;
    rs_rfs_splitter *splitter; /* or NULL */
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

/* the bound that Theta gives with <Theta, Y> = value, rows no longer than
 * `longest` and row norms `pull` of X'Theta; the best one of an iteration stays
 * in fit->pull */
static void offer_bound(rfs_state *s, double value, double longest,
                        const double *pull)
{
    value = rs_rfs_dual_bound(&s->scale, value, longest, pull);
    if (value > s->dual.best) {
        s->dual.best = value;
        rs_copy((size_t)s->d, pull, s->fit->pull);
    }
    if (value > s->fit->bound)
        s->fit->bound = value;
}

/* theta_i = r_i / sqrt(||r_i||^2 + eps^2) */
static rs_status bound_from_residuals(rfs_state *s)
{
    const rs_rfs_problem *p = s->p;
    directions(s->n, s->c, s->now.R, s->now.sample, s->smooth.sample,
               s->system.Z);
    RS_TRY(rs_data_crossprod(p->X, s->c, s->system.Z, s->system.B));
    rs_row_norms(s->d, s->c, s->system.B, s->dual.pull);
    double value = rs_dot((size_t)s->n * s->c, s->system.Z, p->Y);
    offer_bound(s, value, 1.0, s->dual.pull);
    return RS_OK;
}

/* Theta = 2 gamma Z with Z of the n equations and B = X'Z; exact also where
 * residuals are at rounding level */
static void bound_from_equations(rfs_state *s, const double *XtZ)
{
    const double twice = 2.0 * s->p->gamma;
    rs_row_norms(s->n, s->c, s->system.Z, s->now.sample);
    rs_row_norms(s->d, s->c, XtZ, s->dual.pull);
    rs_scale((size_t)s->d, twice, s->dual.pull);
    double value = twice * rs_dot((size_t)s->n * s->c, s->system.Z, s->p->Y);
    offer_bound(s, value, twice * largest(s->n, s->now.sample), s->dual.pull);
}

/* below 0 where the bound is above what it confines, by rounding */
static double relative_gap(const rfs_state *s)
{
    return (s->best - s->fit->bound) / s->best;
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
        s->system.weight[i] = p->gamma * v[i];
    RS_TRY(rs_data_gram_samples(p->X, u, s->system.equations.A));
    RS_TRY(
        rs_ridge_factor_grown(s->n, s->system.weight, &s->system.equations));
    rs_copy((size_t)s->n * s->c, p->Y, s->system.Z);
    RS_TRY(rs_ridge_solve(s->c, s->system.Z, &s->system.equations));
    RS_TRY(rs_data_crossprod(p->X, s->c, s->system.Z, s->now.W));
    bound_from_equations(s, s->now.W);
    for (int l = 0; l < s->c; l++) {
        const size_t W_at = (size_t)s->d * l, R_at = (size_t)s->n * l;
        for (int j = 0; j < s->d; j++)
            s->now.W[W_at + j] *= u[j];
        for (int i = 0; i < s->n; i++)
            s->now.R[R_at + i] =
                (s->system.weight[i] + s->system.equations.growth *
                                           s->system.equations.diagonal[i]) *
                s->system.Z[R_at + i];
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
    const int n = s->n, k = s->active.count, c = s->c;
    const size_t d = (size_t)s->d;
    double *Theta = s->system.Z, *dW = s->dual.dW, *XdW = s->dual.XdW;
    for (int l = 0; l < c; l++)
        for (int i = 0; i < n; i++)
            Theta[i + (size_t)n * l] =
                2.0 * s->now.R[i + (size_t)n * l] / v[i];
    RS_TRY(rs_data_crossprod(p->X, c, Theta, s->system.B));
    for (int l = 0; l < c; l++)
        for (int a = 0; a < k; a++) {
            size_t at = s->active.index[a] + d * l;
            s->dual.E[a + (size_t)k * l] =
                2.0 * p->gamma * s->now.W[at] / u[s->active.index[a]] -
                s->system.B[at];
        }
    RS_TRY(rs_ridge_solve(c, s->dual.E, &s->system.equations));
    rs_fill(d * c, 0.0, dW);
    for (int l = 0; l < c; l++)
        for (int a = 0; a < k; a++)
            dW[s->active.index[a] + d * l] = s->dual.E[a + (size_t)k * l];
    RS_TRY(rs_data_times(p->X, c, dW, XdW));
    for (int l = 0; l < c; l++)
        for (int i = 0; i < n; i++)
            Theta[i + (size_t)n * l] += XdW[i + (size_t)n * l] / v[i];
    RS_TRY(rs_data_crossprod(p->X, c, Theta, s->system.B));
    rs_row_norms(s->d, c, s->system.B, s->dual.pull);
    rs_row_norms(n, c, Theta, s->system.inverse);
    double value = rs_dot((size_t)n * c, Theta, p->Y);
    offer_bound(s, value, largest(n, s->system.inverse), s->dual.pull);
    return RS_OK;
}

/* R = Y - X W */
static rs_status residuals(rfs_state *s)
{
    const size_t cells = (size_t)s->n * s->c;
    RS_TRY(rs_data_times(s->p->X, s->c, s->now.W, s->now.R));
    for (size_t i = 0; i < cells; i++)
        s->now.R[i] = s->p->Y[i] - s->now.R[i];
    return RS_OK;
}

/* W = (X' V^{-1} X + gamma U^{-1})^{-1} X' V^{-1} Y in the active features */
static rs_status primal_regression(rfs_state *s, const double *u,
                                   const double *v)
{
    const rs_rfs_problem *p = s->p;
    const int n = s->n, k = s->active.count;
    const size_t d = (size_t)s->d;
    for (int i = 0; i < n; i++)
        s->system.inverse[i] = 1.0 / v[i];
    RS_TRY(rs_data_gram_subset(p->X, s->system.inverse, k, s->active.index,
                               s->system.panel, s->system.equations.A));
    for (int a = 0; a < k; a++)
        s->system.weight[a] = p->gamma / u[s->active.index[a]];
    RS_TRY(rs_ridge_factor_grown(k, s->system.weight, &s->system.equations));
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < n; i++)
            s->system.Z[i + (size_t)n * l] =
                p->Y[i + (size_t)n * l] * s->system.inverse[i];
    RS_TRY(rs_data_crossprod(p->X, s->c, s->system.Z, s->now.W));
    for (int l = 0; l < s->c; l++)
        for (int a = 0; a < k; a++)
            s->system.B[a + (size_t)k * l] =
                s->now.W[s->active.index[a] + d * l];
    RS_TRY(rs_ridge_solve(s->c, s->system.B, &s->system.equations));
    rs_fill(d * s->c, 0.0, s->now.W);
    for (int l = 0; l < s->c; l++)
        for (int a = 0; a < k; a++)
            s->now.W[s->active.index[a] + d * l] =
                s->system.B[a + (size_t)k * l];
    return residuals(s);
}

/* W = argmin sum_i ||r_i||^2 / v_i + gamma sum_j ||w_j||^2 / u_j, and R */
static rs_status weighted_regression(rfs_state *s, const double *weights)
{
    const double *u = weights, *v = weights + s->d;
    if (s->active.count > s->n)
        return dual_regression(s, u, v);
    if (s->active.count > 0)
        return primal_regression(s, u, v);
    rs_fill((size_t)s->d * s->c, 0.0, s->now.W);
    return residuals(s);
}

/* ---- one iteration ------------------------------------------------------ */

/* norms of the rows of W and R, and f(W) */
static void measure(rfs_state *s)
{
    rs_row_norms(s->d, s->c, s->now.W, s->now.row);
    rs_row_norms(s->n, s->c, s->now.R, s->now.sample);
    double loss = 0.0, penalty = 0.0;
    for (int i = 0; i < s->n; i++)
        loss += s->now.sample[i];
    for (int j = 0; j < s->d; j++)
        penalty += s->now.row[j];
    s->now.objective = loss + s->p->gamma * penalty;
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
        loss += rs_smoothed_norm(s->now.sample[i], s->smooth.sample);
    for (int a = 0; a < s->active.count; a++)
        penalty +=
            rs_smoothed_norm(s->now.row[s->active.index[a]], s->smooth.row);
    return loss + s->p->gamma * penalty;
}

static void keep_best(rfs_state *s)
{
    if (s->now.objective < s->best) {
        s->best = s->now.objective;
        rs_copy((size_t)s->d * s->c, s->now.W, s->fit->W);
    }
}

/* u_j = 2 sqrt(||w_j||^2 + eps^2), v_i = 2 sqrt(||r_i||^2 + eps^2) */
static void next_weights(const rfs_state *s, double *weights)
{
    rs_fill((size_t)s->d, 0.0, weights);
    for (int a = 0; a < s->active.count; a++) {
        int j = s->active.index[a];
        weights[j] = 2.0 * rs_smoothed_norm(s->now.row[j], s->smooth.row);
    }
    for (int i = 0; i < s->n; i++)
        weights[s->d + i] =
            2.0 * rs_smoothed_norm(s->now.sample[i], s->smooth.sample);
}

/* do residuals nearly vanish, so that their directions are no multipliers? */
static int needs_multipliers(const rfs_state *s)
{
    double least = INFINITY;
    for (int i = 0; i < s->n; i++)
        least = fmin(least, s->now.sample[i]);
    return s->active.count > 0 && s->active.count <= s->n &&
           relative_gap(s) > s->p->tol &&
           least < RS_RFS_VANISHING * s->smooth.sample;
}

static int is_finished(const rfs_state *s)
{
    return (relative_gap(s) <= s->p->tol && s->best < s->scale.at_zero) ||
           s->fit->history.count > s->p->maxit;
}

/* from weights to the next ones; says when to stop */
static rs_status step(rfs_state *s, const double *from, double *to)
{
    s->dual.best = -INFINITY;
    RS_TRY(weighted_regression(s, from));
    measure(s);
    s->now.smoothed = smoothed_objective(s);
    keep_best(s);
    RS_TRY(bound_from_residuals(s));
    if (needs_multipliers(s))
        RS_TRY(bound_from_features(s, from));
    rs_history_add(&s->fit->history, s->best);
    next_weights(s, to);
    s->finished = is_finished(s);
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
        out[i] = s->weights.twice[i];
        if (s->weights.twice[i] <= 0.0)
            continue;
        double r = log(s->weights.once[i] / s->weights.point[i]);
        double q = log(s->weights.twice[i] / s->weights.once[i]) - r;
        rr += r * r;
        qq += q * q;
    }
    double a = qq > 0.0 ? sqrt(rr / qq) : 1.0;
    a = fmin(fmax(a, 1.0), s->weights.longest);
    if (a == 1.0)
        return a;
    for (int i = 0; i < total; i++) {
        if (s->weights.twice[i] <= 0.0)
            continue;
        double r = log(s->weights.once[i] / s->weights.point[i]);
        double q = log(s->weights.twice[i] / s->weights.once[i]) - r;
        double least = 2.0 * (i < d ? s->smooth.row : s->smooth.sample);
        double most = 2.0 * s->best / (i < d ? s->p->gamma : 1.0);
        double value = s->weights.point[i] * exp(a * (2.0 * r + a * q));
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
    RS_TRY(step(s, s->weights.point, s->weights.once));
    if (s->finished)
        return RS_OK;
    RS_TRY(step(s, s->weights.once, s->weights.twice));
    double before = s->now.smoothed;
    if (s->finished)
        return RS_OK;
    if (!isfinite(before))
        return RS_NOT_FINITE;
    double length = extrapolate(s, s->weights.ahead);
    rs_status status = step(s, s->weights.ahead, s->weights.point);
    if (status != RS_OK && status != RS_SINGULAR)
        return status;
    *accepted =
        status == RS_OK && (s->now.smoothed <= before || length == 1.0);
    if (*accepted) {
        s->weights.longest =
            fmin(4.0 * s->weights.longest, RS_RFS_LONGEST_STEP);
    } else {
        s->weights.longest = fmax(1.0, 0.5 * length);
        swap(&s->weights.point, &s->weights.twice);
    }
    return RS_OK;
}

/* ---- active features and smoothing -------------------------------------- */

static double mean_active_norm(const rfs_state *s)
{
    double sum = 0.0;
    for (int a = 0; a < s->active.count; a++)
        sum += s->now.row[s->active.index[a]];
    return s->active.count > 0 ? sum / s->active.count : 0.0;
}

/*
 * A row at the smallest value whose feature is clearly inside its dual
 * constraint is zero from now on; a feature outside of it comes back.
 */
static void update_active(rfs_state *s)
{
    const double gamma = s->p->gamma, *pull = s->fit->pull;
    const double room = 2.0 * sqrt(fmax(relative_gap(s), 0.0)),
                 inside = gamma * (1.0 - room);
    const double entry =
        fmax(s->smooth.row, RS_RFS_ENTRY_SHARE * mean_active_norm(s));
    s->active.count = 0;
    for (int j = 0; j < s->d; j++) {
        if (s->weights.point[j] <= 0.0 && pull[j] > gamma) {
            s->weights.point[j] = 2.0 * entry;
            s->active.returns[j]++;
        } else if (s->now.row[j] < RS_RFS_HELD_UP * s->smooth.row &&
                   pull[j] < inside &&
                   s->active.returns[j] < RS_RFS_LARGEST_RETURNS) {
            s->weights.point[j] = 0.0;
        }
        if (s->weights.point[j] > 0.0)
            s->active.index[s->active.count++] = j;
    }
}

/* eps follows the objective down; it falls further while W = 0 is still the
 * best although the gap is closed */
static void update_smoothing(rfs_state *s)
{
    if (relative_gap(s) <= s->p->tol)
        s->smooth.shrink =
            fmax(RS_RFS_SHRINK * s->smooth.shrink, RS_RFS_LEAST_SHRINK);
    if (s->best * s->smooth.shrink < 0.5 * s->smooth.level)
        s->smooth.level = s->best * s->smooth.shrink;
    double share = RS_RFS_SMOOTHING * fmax(s->p->tol, RS_RFS_FINEST_TOL) *
                   s->smooth.level;
    s->smooth.sample = share / s->n;
    s->smooth.row = share / (s->p->gamma * s->d);
}

/* ---- start and end ------------------------------------------------------ */

/* weights of W = 0, with equal rows, or of the given start, whose smaller rows
 * get a share of the mean one */
static rs_status first_weights(rfs_state *s)
{
    const rs_rfs_problem *p = s->p;
    double least_row = s->scale.at_zero / (p->gamma * s->d);
    double least_sample = s->smooth.sample;
    if (s->start && rs_norm((size_t)s->d * s->c, s->start) > 0.0) {
        rs_copy((size_t)s->d * s->c, s->start, s->now.W);
        RS_TRY(evaluate(s));
        keep_best(s);
        least_row = fmin(RS_RFS_START_SHARE * mean_active_norm(s), least_row);
        least_row = fmax(least_row, s->smooth.row);
        least_sample =
            fmax(RS_RFS_START_SHARE * s->best / s->n, s->smooth.sample);
    }
    for (int j = 0; j < s->d; j++)
        s->weights.point[j] = 2.0 * fmax(s->now.row[j], least_row);
    for (int i = 0; i < s->n; i++)
        s->weights.point[s->d + i] =
            2.0 * fmax(s->now.sample[i], least_sample);
    return RS_OK;
}

/* rows that only the smoothing kept from zero go, where f does not rise */
static rs_status trim(rfs_state *s)
{
    const size_t d = (size_t)s->d;
    for (double factor = RS_RFS_TRIM_MOST; factor > RS_RFS_TRIM_LEAST;
         factor /= 10.0) {
        rs_row_norms(s->d, s->c, s->fit->W, s->now.row);
        rs_copy(d * s->c, s->fit->W, s->now.W);
        int cut = 0;
        for (int j = 0; j < s->d; j++) {
            if (s->now.row[j] == 0.0 || s->now.row[j] > factor * s->smooth.row)
                continue;
            cut = 1;
            for (int l = 0; l < s->c; l++)
                s->now.W[j + d * l] = 0.0;
        }
        if (!cut)
            return RS_OK;
        RS_TRY(evaluate(s));
        if (s->now.objective < s->best) {
            keep_best(s);
            rs_history_replace(&s->fit->history, s->best);
            return RS_OK;
        }
    }
    return RS_OK;
}

static rs_status init_parts(rs_context *ctx, rfs_state *s)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d, c = (size_t)s->c;
    const int order = rs_min_int(s->n, s->d);
    s->now.W = rs_alloc_double(ctx, d * c);
    s->now.R = rs_alloc_double(ctx, n * c);
    s->now.row = rs_alloc_double(ctx, d);
    s->now.sample = rs_alloc_double(ctx, n);
    s->active.index = rs_alloc_int(ctx, d);
    s->active.returns = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_ALLOC_DOUBLES(ctx, d + n, &s->weights.point, &s->weights.once,
                     &s->weights.twice, &s->weights.ahead);
    s->dual.pull = rs_alloc_double(ctx, d);
    RS_ALLOC_DOUBLES(ctx, d * c, &s->dual.dW, &s->system.B);
    RS_ALLOC_DOUBLES(ctx, n * c, &s->dual.XdW, &s->system.Z);
    s->dual.E = rs_alloc_double(ctx, (size_t)order * c);
    s->system.weight = rs_alloc_double(ctx, (size_t)order);
    s->system.inverse = rs_alloc_double(ctx, n);
    s->system.panel = rs_alloc_double(ctx, s->p->X->subset_room);
    RS_TRY(rs_allocated(ctx));
    return rs_ridge_init(ctx, order, &s->system.equations);
}

static rs_status rfs_init(rs_context *ctx, const rs_rfs_problem *p,
                          rs_rfs_fit *fit, rfs_state *s)
{
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->problem = *p;
    s->p = &s->problem;
    s->fit = fit;
    s->n = p->X->n;
    s->d = p->X->d;
    s->c = p->c;
    s->start = p->start;
    s->pull = rs_alloc_double(ctx, (size_t)s->d);
    s->kept = rs_alloc_double(ctx, (size_t)s->d * s->c);
    RS_TRY(init_parts(ctx, s));
    RS_TRY(rs_data_column_squares(p->X, s->dual.pull));
    s->scale.widest = sqrt(largest(s->d, s->dual.pull));
    s->scale.n = s->n;
    s->scale.d = s->d;
    RS_TRY(rs_rfs_pull_at_zero(ctx, p->X, p->Y, p->c, s->pull));
    s->limit = largest(s->d, s->pull);
    return rs_history_init(ctx, p->maxit + 1, &fit->history);
}

/* W = 0: its objective, and the bound that it gives */
static void begin_at_zero(double gamma, rfs_state *s)
{
    const size_t d = (size_t)s->d, c = (size_t)s->c;
    s->problem.gamma = s->scale.gamma = gamma;
    rs_fill(d * c, 0.0, s->now.W);
    rs_copy((size_t)s->n * c, s->p->Y, s->now.R);
    measure(s);
    s->scale.at_zero = s->best = s->smooth.level = s->now.objective;
    s->smooth.shrink = s->weights.longest = 1.0;
    s->smooth.row = s->smooth.sample = 0.0;
    s->finished = 0;
    rs_fill(d * c, 0.0, s->fit->W);
    memset(s->active.returns, 0, d);
    s->active.count = s->d;
    for (int j = 0; j < s->d; j++)
        s->active.index[j] = j;
    rs_history_clear(&s->fit->history);
    s->fit->bound = 0.0;
    s->dual.best = -INFINITY;
    offer_bound(s, s->best, 1.0, s->pull);
}

/* splitting, where it is asked for; what it leaves is the start of the
 * regressions */
static rs_status split(rfs_state *s)
{
    if (!s->splitter) {
        const rs_rfs_splitting problem = {
            s->p, s->scale, s->limit, &s->system.equations, s->system.panel};
        s->splitting = problem;
        RS_TRY(rs_rfs_split_open(s->ctx, &s->splitting, &s->splitter));
    }
    s->splitting.scale = s->scale;
    if (s->limit <= s->p->gamma * (1.0 + RS_RFS_AT_THE_LIMIT))
        return rs_rfs_split_at_zero(s->splitter);
    RS_TRY(rs_rfs_split_run(s->splitter, &s->best, s->fit));
    s->finished = is_finished(s);
    s->start = s->fit->W;
    update_smoothing(s);
    return s->finished ? RS_OK : first_weights(s);
}

/* regressions from the start, or from what splitting leaves */
static rs_status regressions(rfs_state *s)
{
    int accepted;
    update_smoothing(s);
    if (!s->p->split || s->fits == 0)
        RS_TRY(first_weights(s));
    rs_history_add(&s->fit->history, s->best);
    if (s->p->split)
        RS_TRY(split(s));
    while (!s->finished) {
        RS_TRY(cycle(s, &accepted));
        if (accepted && !s->finished) {
            update_active(s);
            update_smoothing(s);
        }
    }
    return trim(s);
}

static rs_status rfs_open(rs_context *ctx, const rs_rfs_problem *problem,
                          rs_rfs_fit *fit, rfs_state **path)
{
    rfs_state *s = rs_alloc(ctx, 1, sizeof *s);
    RS_TRY(rs_allocated(ctx));
    *path = s;
    return rfs_init(ctx, problem, fit, s);
}

static rs_status rfs_next(rfs_state *s, double gamma)
{
    const size_t cells = (size_t)s->d * s->c;
    if (s->fits > 0) {
        rs_copy(cells, s->fit->W, s->kept);
        s->start = s->kept;
    }
    begin_at_zero(gamma, s);
    if (s->limit <= gamma * (1.0 + RS_RFS_AT_THE_LIMIT)) {
        rs_history_add(&s->fit->history, s->best);
        s->fits++;
        return s->p->split && s->follows ? split(s) : RS_OK;
    }
    RS_TRY(regressions(s));
    s->fits++;
    return relative_gap(s) <= s->p->tol ? RS_OK : RS_MAXIT;
}

rs_status rs_rfs(rs_context *ctx, const rs_rfs_problem *problem,
                 rs_rfs_fit *fit)
{
    rfs_state *path = NULL;
    RS_TRY(rfs_open(ctx, problem, fit, &path));
    return rfs_next(path, problem->gamma);
}

rs_status rs_rfs_walk(rs_context *ctx, const rs_rfs_problem *problem,
                      int count, const double *gamma, rs_rfs_taker take,
                      void *state, rs_rfs_fit *fit)
{
    rfs_state *path = NULL;
    int go_on = 1;
    RS_TRY(rfs_open(ctx, problem, fit, &path));
    path->follows = 1;
    for (int at = 0; at < count && go_on; at++) {
        rs_status ending = rfs_next(path, gamma[at]);
        if (!rs_is_usable(ending))
            return ending;
        RS_TRY(take(state, at, ending, fit, &go_on));
    }
    return RS_OK;
}
