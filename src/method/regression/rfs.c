#include "method/regression/regression.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/penalty.h"
#include "solve/ridge.h"

/* longer steps of the multipliers */
#define RS_RFS_RELAXATION 1.6
/* the first penalty is so many times 1 / the mean row of Y, and that of V so
 * many times the mean square of a feature and gamma / limit of it */
#define RS_RFS_FIRST_PENALTY 2.0
#define RS_RFS_SHARE 3.0
/* steps of the splitting, and between two looks at the gap */
#define RS_RFS_STEPS 64
#define RS_RFS_LOOK 8
/* the penalty is balanced up to this step, by at most this factor at once */
#define RS_RFS_BALANCED 24
#define RS_RFS_BALANCE 5.0
/* a dual point is corrected while the gap is at most so many times the tolerance;
 * rows of X'Theta from this share of gamma on take part, in equations with this
 * ridge; rows of features in W may also become longer by the last share */
#define RS_RFS_CORRECTED_FROM 30.0
#define RS_RFS_NEAR 0.999
#define RS_RFS_RIDGE 1e-6
#define RS_RFS_LONGER 0.02
/* shorter residuals count as this share of the mean one in corrections of the
 * multipliers */
#define RS_RFS_SHORTEST 1e-3
/* what smoothing may add to the objective, as a share of the tolerance, which
 * counts as no less than RS_NOTHING; residuals
 * of fewer smoothing levels nearly vanish, rows of fewer are held up by it */
#define RS_RFS_SMOOTHING 0.02
#define RS_RFS_VANISHING 1e3
#define RS_RFS_HELD_UP 3.0
/* longest step of the extrapolation, in plain steps */
#define RS_RFS_LONGEST_STEP 64.0
/* share of the mean row that the others begin the regressions with, and that a
 * feature comes back with; so often it may leave */
#define RS_RFS_START 0.1
#define RS_RFS_ENTRY 0.01
#define RS_RFS_RETURNS 3

/* a variable Z that should be equal to a target; Q: its multiplier over the penalty */
typedef struct {
    int rows;
    double *Z, *Q, *A;    /* rows x c; A: scratch */
    double *norms;        /* rows: of Z, or scratch */
    double missing, went; /* squares of the residuals of the last step */
} rfs_copy;

struct rs_rfs_state {
    rs_context *ctx;
    const rs_rfs_problem *p;
    rs_rfs_fit *fit;
    int n, d, c;
    double gamma, best; /* best: f(fit->W) */
    double *W, *T;      /* d x c, n x c: W and Y - X W */
    double *scratch;    /* max(n, d) */
    /* of the problem without its penalty */
    struct {
        double at_zero; /* f(0) */
        double widest;  /* norm of the longest feature */
        double square;  /* mean square of the features */
        double limit;   /* the gamma from which W = 0 */
        double *pull;   /* d: at W = 0 */
    } scale;
    struct {
        rfs_copy R, V;           /* of Y - X W, and of W */
        double rho, share;       /* penalty of R, and that of V beside it */
        rs_row_regression plain; /* without weights */
    } split;
    struct {
        double *Theta, *B; /* n x c, d x c: the point, X'Theta */
        double *pull;      /* d: row norms of B */
        double *u, *v;     /* d, n: weights of corrections */
    } dual;
    struct {
        double *at[4];          /* d + n: of three regressions, and a trial */
        unsigned char *returns; /* d: how often a feature came back */
        double row_eps, eps;    /* smoothing of rows and residuals */
        double smoothed;        /* what the last regression minimised */
    } weights;
    rs_row_regression weighted;
};

/* ---- bounds ------------------------------------------------------------------ */

rs_status rs_rfs_pull_at_zero(rs_context *ctx, const rs_data *X,
                              const double *Y, int c, double *pull)
{
    double *scale = rs_alloc_double(ctx, (size_t)X->n);
    double *Theta = rs_alloc_double(ctx, (size_t)X->n * c);
    RS_TRY(rs_allocated(ctx));
    rs_row_norms(X->n, c, Y, scale);
    for (int i = 0; i < X->n; i++)
        scale[i] = scale[i] > 0.0 ? 1.0 / scale[i] : 0.0;
    rs_copy((size_t)X->n * c, Y, Theta);
    rs_scale_rows(X->n, c, scale, Theta);
    return rs_data_product_norms(X, c, Theta, pull);
}

/*
 * Theta with <Theta, Y> = value, rows no longer than `longest` and row norms
 * `pull` of X'Theta, divided by what makes it feasible, bounds f from below.
 * Rounding of the value and of the norms is allowed for.
 */
static void offer_bound(rs_rfs_state *s, double value, double longest,
                        const double *pull)
{
    const double root = sqrt((double)s->n);
    const double unit = RS_ERRORS * DBL_EPSILON * root;
    const double rounding = unit * s->scale.widest * root * longest;
    const double excess =
        fmax(longest, (rs_largest(s->d, pull) + rounding) / s->gamma);
    value = (value - unit * s->scale.at_zero * longest) /
            (fmax(excess, 1.0) * (1.0 + unit));
    if (value > s->fit->bound) {
        s->fit->bound = value;
        rs_copy((size_t)s->d, pull, s->fit->pull);
    }
}

/* B = X'Theta, and the bound of Theta */
static rs_status bound(rs_rfs_state *s)
{
    RS_TRY(rs_data_crossprod(s->p->X, s->c, s->dual.Theta, s->dual.B));
    rs_row_norms(s->d, s->c, s->dual.B, s->dual.pull);
    rs_row_norms(s->n, s->c, s->dual.Theta, s->scratch);
    offer_bound(s, rs_dot((size_t)s->n * s->c, s->dual.Theta, s->p->Y),
                rs_largest(s->n, s->scratch), s->dual.pull);
    return RS_OK;
}

/* below 0 where the bound is above what it confines, by rounding */
static double relative_gap(const rs_rfs_state *s)
{
    return (s->best - s->fit->bound) / s->best;
}

static int is_closed(const rs_rfs_state *s)
{
    return relative_gap(s) <= s->p->tol && s->best < s->scale.at_zero;
}

static int is_over(const rs_rfs_state *s)
{
    return is_closed(s) || s->fit->history.count > s->p->maxit;
}

static double mean_of(int count, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] / count;
    return sum;
}

/* rows of Z that are longer than 1 become as long */
static void shorten(int rows, int c, double *Z, double *norms)
{
    rs_row_norms(rows, c, Z, norms);
    for (int l = 0; l < c; l++)
        for (int i = 0; i < rows; i++)
            if (norms[i] > 1.0)
                Z[i + (size_t)rows * l] *= 1.0 / norms[i];
}

/*
 * Theta += S X_J A^{-1} E with A = X_J'S X_J and S = diag(1 / ||r_i||): the
 * least change, in a norm in which the directions of long residuals hardly move,
 * after which the rows of X_J'Theta that were too long have length gamma.
 */
static rs_status correct(rs_rfs_state *s, const double *v, double longer)
{
    const size_t n = (size_t)s->n;
    double *E = s->split.V.A;
    for (int j = 0; j < s->d; j++) {
        const double most = s->split.V.norms[j] > 0.0 ? longer : 0.0;
        s->scratch[j] = fmin(s->gamma / s->dual.pull[j] - 1.0, most);
    }
    rs_copy((size_t)s->d * s->c, s->dual.B, E);
    rs_scale_rows(s->d, s->c, s->scratch, E);
    RS_TRY(rs_row_regression_invert(E, E, &s->weighted));
    RS_TRY(rs_data_times(s->p->X, s->c, E, s->split.R.A));
    for (int l = 0; l < s->c; l++)
        for (size_t i = 0; i < n; i++)
            s->dual.Theta[i + n * l] += s->split.R.A[i + n * l] / v[i];
    shorten(s->n, s->c, s->dual.Theta, s->scratch);
    return bound(s);
}

/* bounds of what two corrections make of Theta, unless more features are near
 * than there are samples */
static rs_status corrections(rs_rfs_state *s, const double *v, double longer)
{
    int count = 0;
    for (int j = 0; j < s->d; j++) {
        s->dual.u[j] = s->split.V.norms[j] > 0.0 ||
                       s->dual.pull[j] > RS_RFS_NEAR * s->gamma;
        count += s->dual.u[j] > 0.0;
    }
    if (count == 0 || count > s->n)
        return RS_OK;
    const double ridge = RS_RFS_RIDGE * s->scale.square / mean_of(s->n, v);
    rs_status status =
        rs_row_regression_factor(ridge, s->dual.u, v, &s->weighted);
    for (int k = 0; k < 2 && status == RS_OK; k++)
        status = correct(s, v, longer);
    return status == RS_SINGULAR ? RS_OK : status;
}

/* the bound of the multipliers and, where these are nearly good enough, of what
 * corrections make of them */
static rs_status look_at_dual(rs_rfs_state *s)
{
    const double least = RS_RFS_SHORTEST * mean_of(s->n, s->split.R.norms);
    rs_copy((size_t)s->n * s->c, s->split.R.Q, s->dual.Theta);
    rs_scale((size_t)s->n * s->c, -s->split.rho, s->dual.Theta);
    RS_TRY(bound(s));
    for (int i = 0; i < s->n; i++)
        s->dual.v[i] = fmax(s->split.R.norms[i], least);
    const double gap = relative_gap(s), tol = s->p->tol;
    return gap > tol && gap <= RS_RFS_CORRECTED_FROM * tol
               ? corrections(s, s->dual.v, 0.0)
               : RS_OK;
}

/* ---- primal points ------------------------------------------------------------ */

/* f(W) for the residuals, whose norms and those of W stay in the copies; kept
 * where it is the least so far */
static void offer(rs_rfs_state *s, const double *W, const double *residuals)
{
    const double f = rs_row_norms(s->n, s->c, residuals, s->split.R.norms) +
                     s->gamma * rs_row_norms(s->d, s->c, W, s->split.V.norms);
    if (f < s->best) {
        s->best = f;
        rs_copy((size_t)s->d * s->c, W, s->fit->W);
    }
}

/* ---- regressions ---------------------------------------------------------------- */

/*
 * The published regression with the weights u_j and v_i in `from`, one after the
 * other: features with u_j = 0 take no part. `to`: the next ones, norms of rows
 * and residuals, smoothed. Theta = R / v bounds f.
 */
static rs_status regression(rs_rfs_state *s, const double *from, double *to)
{
    const double *v = from + s->d;
    const size_t n = (size_t)s->n;
    double least = INFINITY;
    RS_TRY(rs_row_regression_factor(s->gamma, from, v, &s->weighted));
    RS_TRY(rs_row_regression_solve(s->p->Y, s->W, s->T, &s->weighted));
    offer(s, s->W, s->T);
    s->weights.smoothed = 0.0;
    for (int i = 0; i < s->n; i++) {
        to[s->d + i] = hypot(s->split.R.norms[i], s->weights.eps);
        s->weights.smoothed += to[s->d + i];
        least = fmin(least, s->split.R.norms[i]);
    }
    for (int j = 0; j < s->d; j++) {
        to[j] = from[j] > 0.0 ? hypot(s->split.V.norms[j], s->weights.row_eps)
                              : 0.0;
        s->weights.smoothed += s->gamma * to[j];
    }
    for (int l = 0; l < s->c; l++)
        for (size_t i = 0; i < n; i++)
            s->dual.Theta[i + n * l] = s->T[i + n * l] / v[i];
    RS_TRY(bound(s));
    if (!is_closed(s) && least < RS_RFS_VANISHING * s->weights.eps)
        RS_TRY(corrections(s, v, RS_RFS_LONGER));
    rs_history_add(&s->fit->history, s->best);
    RS_TRY(rs_poll(s->ctx));
    return isfinite(s->weights.smoothed) ? RS_OK : RS_NOT_FINITE;
}

/*
 * With p the logarithms of the weights, r = p_1 - p_0 and q = p_2 - p_1 - r,
 *     p = p_0 + 2 a r + a^2 q,   a = ||r|| / ||q||  (a = 1 gives p_2),
 * between the smallest value and what f allows; returns a.
 */
static double extrapolate(rs_rfs_state *s, double longest)
{
    const double *zero = s->weights.at[0], *once = s->weights.at[1],
                 *twice = s->weights.at[2];
    double rr = 0.0, qq = 0.0, *out = s->weights.at[3];
    for (int i = 0; i < s->d + s->n; i++) {
        if (twice[i] <= 0.0)
            continue;
        const double r = log(once[i] / zero[i]),
                     q = log(twice[i] / once[i]) - r;
        rr += r * r;
        qq += q * q;
    }
    const double a = qq > 0.0 ? fmin(fmax(sqrt(rr / qq), 1.0), longest) : 1.0;
    for (int i = 0; i < s->d + s->n; i++) {
        const double least = i < s->d ? s->weights.row_eps : s->weights.eps;
        const double most = s->best / (i < s->d ? s->gamma : 1.0);
        const double r = log(once[i] / zero[i]),
                     q = log(twice[i] / once[i]) - r;
        out[i] = twice[i];
        if (a > 1.0 && twice[i] > 0.0)
            out[i] =
                fmin(fmax(zero[i] * exp(a * (2.0 * r + a * q)), least), most);
    }
    return a;
}

/* two regressions and one with extrapolated weights, which counts only where the
 * smoothed objective does not rise; weights[0] moves on */
static rs_status cycle(rs_rfs_state *s, double *longest)
{
    double **w = s->weights.at;
    for (int k = 0; k < 2; k++) {
        RS_TRY(regression(s, w[k], w[k + 1]));
        if (is_over(s))
            return RS_OK;
    }
    const double before = s->weights.smoothed, a = extrapolate(s, *longest);
    const rs_status status = regression(s, w[3], w[0]);
    if (status != RS_OK && status != RS_SINGULAR)
        return status;
    const int accepted =
        status == RS_OK && (s->weights.smoothed <= before || a == 1.0);
    if (!accepted)
        rs_copy((size_t)s->d + s->n, w[2], w[0]);
    *longest = accepted ? fmin(4.0 * *longest, RS_RFS_LONGEST_STEP)
                        : fmax(1.0, 0.5 * a);
    return RS_OK;
}

static double mean_row(const rs_rfs_state *s, const double *norms)
{
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < s->d; j++) {
        sum += norms[j];
        count += norms[j] > 0.0;
    }
    return sum / rs_max_int(count, 1);
}

/* A row that only the smoothing holds up, of a feature clearly inside its dual
 * constraint, is zero from now on; a feature outside of it comes back. */
static void update_active(rs_rfs_state *s)
{
    double *u = s->weights.at[0];
    const double *pull = s->fit->pull;
    const double inside =
        s->gamma * (1.0 - 2.0 * sqrt(fmax(relative_gap(s), 0.0)));
    const double entry =
        fmax(s->weights.row_eps, RS_RFS_ENTRY * mean_row(s, u));
    for (int j = 0; j < s->d; j++) {
        if (u[j] <= 0.0 && pull[j] > s->gamma) {
            u[j] = entry;
            s->weights.returns[j]++;
        } else if (u[j] < RS_RFS_HELD_UP * s->weights.row_eps &&
                   pull[j] < inside &&
                   s->weights.returns[j] < RS_RFS_RETURNS) {
            u[j] = 0.0;
        }
    }
}

/* eps follows the objective down */
static void update_smoothing(rs_rfs_state *s)
{
    const double share =
        RS_RFS_SMOOTHING * fmax(s->p->tol, RS_NOTHING) * s->best;
    s->weights.eps = share / s->n;
    s->weights.row_eps = share / (s->gamma * s->d);
}

/* regressions from the best W on, whose smaller rows get a share of the mean one */
static rs_status regressions(rs_rfs_state *s)
{
    double longest = 1.0, *u = s->weights.at[0], *v = u + s->d;
    RS_TRY(rs_data_residual(s->p->X, s->c, s->p->Y, s->fit->W, s->T));
    offer(s, s->fit->W, s->T);
    update_smoothing(s);
    const double row = fmin(RS_RFS_START * mean_row(s, s->split.V.norms),
                            s->scale.at_zero / (s->gamma * s->d));
    for (int j = 0; j < s->d; j++)
        u[j] = fmax(s->split.V.norms[j], fmax(row, s->weights.row_eps));
    for (int i = 0; i < s->n; i++)
        v[i] = fmax(s->split.R.norms[i], RS_RFS_START * s->best / s->n);
    memset(s->weights.returns, 0, (size_t)s->d);
    while (!is_over(s)) {
        RS_TRY(cycle(s, &longest));
        update_active(s);
        update_smoothing(s);
    }
    return RS_OK;
}

/* ---- splitting ------------------------------------------------------------------ */

/*
 * The augmented Lagrangian with scaled multipliers M and N of R and V,
 *
 *     sum ||r_i|| + gamma sum ||v_j|| + (rho/2) ||R + X W - Y + M||^2
 *         + (rho share/2) ||V - W + N||^2;   Theta = -rho M.
 */
/* W = argmin ||X W - (Y - R - M)||^2 + share ||W - (V + N)||^2, and T = Y - X W */
static rs_status regress(rs_rfs_state *s)
{
    const size_t n_cells = (size_t)s->n * s->c, d_cells = (size_t)s->d * s->c;
    for (size_t i = 0; i < d_cells; i++)
        s->split.V.A[i] = s->split.V.Z[i] + s->split.V.Q[i];
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] = s->p->Y[i] - s->split.R.Z[i] - s->split.R.Q[i];
    RS_TRY(rs_row_regression_solve_about(s->T, s->split.V.A, s->W,
                                         s->split.R.A, &s->split.plain));
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] = s->split.R.A[i] + s->split.R.Z[i] + s->split.R.Q[i];
    return RS_OK;
}

/*
 * Out of A = relaxed target - Q follow Z = prox of the row norms and
 * Q = Z - A. The squares of what is missing and of how far Z went are the
 * residuals of the step.
 */
static void update_copy(int c, const double *target, double threshold,
                        double *scratch, rfs_copy *copy)
{
    const size_t cells = (size_t)copy->rows * c;
    double *Z = copy->Z, *Q = copy->Q, *A = copy->A;
    copy->missing = copy->went = 0.0;
    for (size_t i = 0; i < cells; i++) {
        A[i] = RS_RFS_RELAXATION * target[i] +
               (1.0 - RS_RFS_RELAXATION) * Z[i] - Q[i];
        Q[i] = Z[i];
        Z[i] = A[i];
    }
    rs_prox_rows(NULL, copy->rows, c, Z, threshold, 1.0, copy->norms, scratch);
    for (size_t i = 0; i < cells; i++) {
        const double gap = Z[i] - target[i], way = Z[i] - Q[i];
        copy->missing += gap * gap;
        copy->went += way * way;
        Q[i] = Z[i] - A[i];
    }
}

/* rho follows the ratio of the residuals, so that both fall alike; the
 * multipliers themselves stay */
static void balance(rs_rfs_state *s)
{
    const double missing =
        s->split.R.missing + s->split.share * s->split.V.missing;
    const double went = s->split.R.went + s->split.share * s->split.V.went;
    if (!(missing > 0.0) || !(went > 0.0))
        return;
    const double factor =
        fmin(fmax(sqrt(missing / went), 1.0 / RS_RFS_BALANCE), RS_RFS_BALANCE);
    s->split.rho *= factor;
    rs_scale((size_t)s->n * s->c, 1.0 / factor, s->split.R.Q);
    rs_scale((size_t)s->d * s->c, 1.0 / factor, s->split.V.Q);
}

/* at V, which is the start or where the last fit has ended, without multipliers */
static rs_status begin(rs_rfs_state *s)
{
    s->split.share =
        RS_RFS_SHARE * s->gamma / s->scale.limit * s->scale.square;
    s->split.rho = RS_RFS_FIRST_PENALTY * s->n / s->scale.at_zero;
    rs_fill((size_t)s->n * s->c, 0.0, s->split.R.Q);
    rs_fill((size_t)s->d * s->c, 0.0, s->split.V.Q);
    RS_TRY(
        rs_data_residual(s->p->X, s->c, s->p->Y, s->split.V.Z, s->split.R.Z));
    return rs_row_regression_factor(s->split.share, NULL, NULL,
                                    &s->split.plain);
}

/* splitting, as long as it halves the gap in so many steps */
static rs_status split(rs_rfs_state *s)
{
    double before = relative_gap(s);
    for (int step = 1; !is_over(s); step++) {
        RS_TRY(regress(s));
        update_copy(s->c, s->T, 1.0 / s->split.rho, s->scratch, &s->split.R);
        update_copy(s->c, s->W, s->gamma / (s->split.rho * s->split.share),
                    s->scratch, &s->split.V);
        if (step % RS_RFS_LOOK == 0) {
            RS_TRY(
                rs_data_residual(s->p->X, s->c, s->p->Y, s->split.V.Z, s->T));
            offer(s, s->split.V.Z, s->T);
            RS_TRY(look_at_dual(s));
        }
        rs_history_add(&s->fit->history, s->best);
        if (step % RS_RFS_LOOK == 0 && step <= RS_RFS_BALANCED)
            balance(s);
        if (step % RS_RFS_STEPS == 0) {
            if (relative_gap(s) > 0.5 * before)
                return RS_OK;
            before = relative_gap(s);
        }
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* ---- fits ------------------------------------------------------------------------- */

static rs_status init_copy(rs_context *ctx, int rows, int c, rfs_copy *copy)
{
    *copy = (rfs_copy){.rows = rows};
    RS_ALLOC_DOUBLES(ctx, (size_t)rows * c, &copy->Z, &copy->Q, &copy->A);
    copy->norms = rs_alloc_double(ctx, (size_t)rows);
    return rs_allocated(ctx);
}

rs_status rs_rfs_init(rs_context *ctx, const rs_rfs_problem *p,
                      rs_rfs_fit *fit, rs_rfs_state **state)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, c = (size_t)p->c;
    rs_rfs_state *s = *state = rs_alloc(ctx, 1, sizeof *s);
    RS_TRY_ALLOC(s);
    *s = (rs_rfs_state){
        .ctx = ctx, .p = p, .fit = fit, .n = p->X->n, .d = p->X->d, .c = p->c};
    RS_TRY(init_copy(ctx, s->n, s->c, &s->split.R));
    RS_TRY(init_copy(ctx, s->d, s->c, &s->split.V));
    RS_ALLOC_DOUBLES(ctx, d * c, &s->W, &s->dual.B);
    RS_ALLOC_DOUBLES(ctx, n * c, &s->T, &s->dual.Theta);
    RS_ALLOC_DOUBLES(ctx, d, &s->scale.pull, &s->dual.pull, &s->dual.u);
    s->dual.v = rs_alloc_double(ctx, n);
    RS_ALLOC_DOUBLES(ctx, d + n, &s->weights.at[0], &s->weights.at[1],
                     &s->weights.at[2], &s->weights.at[3]);
    s->weights.returns = (unsigned char *)rs_alloc(ctx, d, 1);
    s->scratch = rs_alloc_double(ctx, n > d ? n : d);
    RS_TRY(rs_allocated(ctx));
    rs_fill(d * c, 0.0, s->split.V.Z);
    if (p->start)
        rs_copy(d * c, p->start, s->split.V.Z);
    RS_TRY(rs_data_column_squares(p->X, s->dual.pull));
    s->scale.widest = sqrt(rs_largest(s->d, s->dual.pull));
    s->scale.square = mean_of(s->d, s->dual.pull);
    s->scale.at_zero = rs_row_norms(s->n, s->c, p->Y, s->dual.v);
    RS_TRY(rs_rfs_pull_at_zero(ctx, p->X, p->Y, p->c, s->scale.pull));
    s->scale.limit = rs_largest(s->d, s->scale.pull);
    RS_TRY(rs_row_regression_init(ctx, p->X, s->c, &s->split.plain));
    RS_TRY(rs_row_regression_init(ctx, p->X, s->c, &s->weighted));
    return rs_history_init(ctx, p->maxit + 1, &fit->history);
}

rs_status rs_rfs_next(double gamma, rs_rfs_state *s)
{
    s->gamma = gamma;
    s->best = s->scale.at_zero;
    rs_fill((size_t)s->d * s->c, 0.0, s->fit->W);
    s->fit->bound = 0.0;
    rs_history_clear(&s->fit->history);
    offer_bound(s, s->best, 1.0, s->scale.pull);
    rs_history_add(&s->fit->history, s->best);
    if (s->scale.limit <= gamma * (1.0 + RS_TIE))
        return RS_OK;
    RS_TRY(begin(s));
    RS_TRY(split(s));
    RS_TRY(regressions(s));
    rs_copy((size_t)s->d * s->c, s->fit->W, s->split.V.Z);
    return relative_gap(s) <= s->p->tol ? RS_OK : RS_MAXIT;
}
