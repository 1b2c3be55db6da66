#include "method/regression/rfs.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"
#include "solve/prox.h"
#include "solve/row_regression.h"

/* rounding errors of bounds: so many machine epsilons times the root of the
 * number of terms times the norms involved */
#define RS_RFS_MARGIN 8.0
/* gamma this close to the one where W = 0 begins counts as equal */
#define RS_RFS_AT_THE_LIMIT 1e-10
/* longer steps of the multipliers */
#define RS_RFS_RELAXATION 1.6
/* the first penalty is so many times 1 / the mean row of Y, and that of V so
 * many times the mean square of a feature and gamma / limit of it */
#define RS_RFS_FIRST_PENALTY 2.0
#define RS_RFS_FIRST_SHARE 3.0
/* steps between two looks at the gap, and between two rounds of regressions, of
 * which there are as many at most */
#define RS_RFS_LOOK 8
#define RS_RFS_ROUND 64
/* penalties change by at most the first factor at once; the second is what pays
 * for a factorisation */
#define RS_RFS_BALANCE 5.0
#define RS_RFS_REFACTOR 1.5
/* a dual point is corrected while the gap is at most so many times the tolerance;
 * rows of X'Theta from this share of gamma on take part, in equations with this
 * ridge, and from the other one on in regressions;
 * rows of features in W may also become longer by this share */
#define RS_RFS_CORRECTED_FROM 30.0
#define RS_RFS_NEAR 0.999
#define RS_RFS_RIDGE 1e-6
#define RS_RFS_NEARLY 0.98
#define RS_RFS_LONGER 0.02
/* shorter residuals count as this share of the mean one; where they may vanish,
 * as this share of the tolerance */
#define RS_RFS_SHORTEST 1e-3
#define RS_RFS_VANISHING 0.02
/* rows of V that are zero, but near their bound, begin a round of regressions as
 * this share of the mean one; it ends where a step closes less than this share of
 * the gap or, if residuals may vanish, of so many times the tolerance */
#define RS_RFS_ENTRY 0.01
#define RS_RFS_SLOW 0.02
#define RS_RFS_OPEN 0.1

/* a variable Z that should be equal to a target, for rows of which `radius`
 * times the norms are in f; Q: its multiplier over the penalty */
typedef struct {
    int rows;
    double radius, penalty;
    double *Z, *Q, *A;    /* rows x c; A: scratch */
    double *norms;        /* rows: of Z, or scratch */
    double missing, went; /* squares of the residuals of the last step */
} rfs_copy;

typedef struct {
    rs_context *ctx;
    const rs_rfs_problem *p;
    rs_rfs_fit *fit;
    int n, d, c;
    double gamma;
    double at_zero; /* f(0) */
    double widest;  /* norm of the longest feature */
    double square;  /* mean square of the features */
    double limit;   /* the gamma from which W = 0 */
    double best;    /* f(fit->W) */
    int has_begun;
    double *at_zero_pull;     /* d */
    rfs_copy R, V;            /* of Y - X W, and of W */
    double *W, *T;            /* d x c, n x c: W and Y - X W */
    double *Theta, *B, *pull; /* n x c, d x c, d: a dual point, X'Theta */
    double *u, *v, *scratch;  /* d, n, max(n, d) */
    rs_row_regression plain;  /* of the splitting */
    rs_row_regression weighted;
} rfs_state;
/* ---- bounds ------------------------------------------------------------------ */

static double largest(int count, const double *x)
{
    double value = 0.0;
    for (int i = 0; i < count; i++)
        value = fmax(value, x[i]);
    return value;
}

/* rows of Y at length 1, zeros where they vanish */
static void directions(int n, int c, const double *Y, double *norm,
                       double *Theta)
{
    rs_row_norms(n, c, Y, norm);
    for (int l = 0; l < c; l++)
        for (int i = 0; i < n; i++) {
            const size_t at = i + (size_t)n * l;
            Theta[at] = norm[i] > 0.0 ? Y[at] / norm[i] : 0.0;
        }
}

rs_status rs_rfs_pull_at_zero(rs_context *ctx, const rs_data *X,
                              const double *Y, int c, double *pull)
{
    double *norm = rs_alloc_double(ctx, (size_t)X->n);
    double *Theta = rs_alloc_double(ctx, (size_t)X->n * c);
    double *B = rs_alloc_double(ctx, (size_t)X->d * c);
    RS_TRY(rs_allocated(ctx));
    directions(X->n, c, Y, norm, Theta);
    RS_TRY(rs_data_crossprod(X, c, Theta, B));
    rs_row_norms(X->d, c, B, pull);
    return RS_OK;
}

/*
 * Theta with <Theta, Y> = value, rows no longer than `longest` and row norms
 * `pull` of X'Theta, divided by what makes it feasible, bounds f from below.
 * Rounding of the value and of the norms is allowed for.
 */
static void offer_bound(rfs_state *s, double value, double longest,
                        const double *pull)
{
    const double root = sqrt((double)s->n);
    const double unit = RS_RFS_MARGIN * DBL_EPSILON * root;
    const double rounding = unit * s->widest * root * longest;
    const double excess =
        fmax(longest, (largest(s->d, pull) + rounding) / s->gamma);
    value = (value - unit * s->at_zero * longest) /
            (fmax(excess, 1.0) * (1.0 + unit));
    if (value > s->fit->bound) {
        s->fit->bound = value;
        rs_copy((size_t)s->d, pull, s->fit->pull);
    }
}

/* B = X'Theta, and the bound of Theta */
static rs_status bound(rfs_state *s)
{
    RS_TRY(rs_data_crossprod(s->p->X, s->c, s->Theta, s->B));
    rs_row_norms(s->d, s->c, s->B, s->pull);
    rs_row_norms(s->n, s->c, s->Theta, s->scratch);
    offer_bound(s, rs_dot((size_t)s->n * s->c, s->Theta, s->p->Y),
                largest(s->n, s->scratch), s->pull);
    return RS_OK;
}

/* below 0 where the bound is above what it confines, by rounding */
static double relative_gap(const rfs_state *s)
{
    return (s->best - s->fit->bound) / s->best;
}

static int is_closed(const rfs_state *s)
{
    return relative_gap(s) <= s->p->tol && s->best < s->at_zero;
}

static double mean_of(int count, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] / count;
    return sum;
}

/* v_i = the norms of the residuals, none below this share of the mean one */
static void measure_residuals(rfs_state *s, double shortest)
{
    const double least = shortest * mean_of(s->n, s->R.norms);
    for (int i = 0; i < s->n; i++)
        s->v[i] = fmax(s->R.norms[i], least);
}

/* u_j = `zero` and more for the features whose row is not zero or whose bound is
 * near, 0 for the others */
static void find_near(rfs_state *s, const double *pull, double share,
                      double zero)
{
    for (int j = 0; j < s->d; j++)
        s->u[j] = s->V.norms[j] > 0.0 || pull[j] > share * s->gamma
                      ? fmax(s->V.norms[j], zero)
                      : 0.0;
}

/* rows of Z that are longer than `most` become as long */
static void shorten(int rows, int c, double most, double *Z, double *norms)
{
    rs_row_norms(rows, c, Z, norms);
    for (int l = 0; l < c; l++)
        for (int i = 0; i < rows; i++)
            if (norms[i] > most)
                Z[i + (size_t)rows * l] *= most / norms[i];
}

/*
 * Theta += S X_J A^{-1} E with A = X_J'S X_J and S = diag(1 / ||r_i||): the
 * least change, in a norm in which the directions of long residuals hardly move,
 * after which the rows of X_J'Theta that were too long have length gamma.
 */
static rs_status correct(rfs_state *s)
{
    const size_t n = (size_t)s->n;
    double *E = s->V.A;
    for (int j = 0; j < s->d; j++) {
        const double most = s->V.norms[j] > 0.0 ? RS_RFS_LONGER : 0.0;
        s->scratch[j] = fmin(s->gamma / s->pull[j] - 1.0, most);
    }
    rs_copy((size_t)s->d * s->c, s->B, E);
    rs_scale_rows(s->d, s->c, s->scratch, E);
    RS_TRY(rs_row_regression_invert(E, E, &s->weighted));
    RS_TRY(rs_data_times(s->p->X, s->c, E, s->R.A));
    for (int l = 0; l < s->c; l++)
        for (size_t i = 0; i < n; i++)
            s->Theta[i + n * l] += s->R.A[i + n * l] / s->v[i];
    shorten(s->n, s->c, 1.0, s->Theta, s->scratch);
    return bound(s);
}

/* bounds of what two corrections make of Theta, unless more features are near
 * than there are samples */
static rs_status corrections(rfs_state *s, double shortest)
{
    int count = 0;
    find_near(s, s->pull, RS_RFS_NEAR, 1.0);
    for (int j = 0; j < s->d; j++) {
        s->u[j] = s->u[j] > 0.0;
        count += s->u[j] > 0.0;
    }
    if (count == 0 || count > s->n)
        return RS_OK;
    measure_residuals(s, shortest);
    const double ridge = RS_RFS_RIDGE * s->square / mean_of(s->n, s->v);
    rs_status status =
        rs_row_regression_factor(ridge, s->u, s->v, &s->weighted);
    for (int k = 0; k < 2 && status == RS_OK; k++)
        status = correct(s);
    return status == RS_SINGULAR ? RS_OK : status;
}

/* the bound of the multipliers and, where these are nearly good enough, of what
 * corrections make of them */
static rs_status look_at_dual(rfs_state *s)
{
    const double tol = s->p->tol;
    rs_copy((size_t)s->n * s->c, s->R.Q, s->Theta);
    rs_scale((size_t)s->n * s->c, -s->R.penalty, s->Theta);
    RS_TRY(bound(s));
    if (relative_gap(s) <= tol ||
        relative_gap(s) > RS_RFS_CORRECTED_FROM * tol)
        return RS_OK;
    return corrections(s, RS_RFS_SHORTEST);
}

/* ---- primal points ------------------------------------------------------------ */

/* f(W) for the residuals, whose norms and those of W stay in the copies; kept
 * where it is the least so far */
static double offer(rfs_state *s, const double *W, const double *residuals)
{
    const double f =
        rs_penalty_rows(NULL, s->n, s->c, residuals, 1.0, s->R.norms) +
        s->gamma * rs_penalty_rows(NULL, s->d, s->c, W, 1.0, s->V.norms);
    if (f < s->best) {
        s->best = f;
        rs_copy((size_t)s->d * s->c, W, s->fit->W);
    }
    return f;
}

/* out = Y - X V */
static rs_status residuals(rfs_state *s, const double *V, double *out)
{
    const size_t cells = (size_t)s->n * s->c;
    RS_TRY(rs_data_times(s->p->X, s->c, V, out));
    for (size_t i = 0; i < cells; i++)
        out[i] = s->p->Y[i] - out[i];
    return RS_OK;
}

/*
 * Published regressions, each with the weights u_j = ||w_j|| and v_i = ||r_i||
 * of the one before, from V on: f falls, and Theta = R / v bounds it.
 */
static rs_status regressions(rfs_state *s, double share, double shortest)
{
    const size_t n = (size_t)s->n;
    const int vanish = shortest < RS_RFS_SHORTEST;
    double last = INFINITY, mean = 0.0;
    int rows = 0;
    for (int j = 0; j < s->d; j++) {
        mean += s->V.norms[j];
        rows += s->V.norms[j] > 0.0;
    }
    find_near(s, s->fit->pull, share,
              RS_RFS_ENTRY * mean / rs_max_int(rows, 1));
    for (int k = 0; k < RS_RFS_ROUND && !is_closed(s); k++) {
        measure_residuals(s, shortest);
        RS_TRY(rs_row_regression_factor(s->gamma, s->u, s->v, &s->weighted));
        RS_TRY(rs_row_regression_solve(s->p->Y, s->W, s->T, &s->weighted));
        const double f = offer(s, s->W, s->T);
        for (int l = 0; l < s->c; l++)
            for (size_t i = 0; i < n; i++)
                s->Theta[i + n * l] = s->T[i + n * l] / s->v[i];
        RS_TRY(bound(s));
        rs_history_add(&s->fit->history, s->best);
        RS_TRY(rs_poll(s->ctx));
        const double open =
            vanish ? RS_RFS_OPEN * s->p->tol * f : last - s->fit->bound;
        if (!(last - f >= RS_RFS_SLOW * open) && k > (vanish ? 8 : 2))
            break;
        last = f;
        rs_copy((size_t)s->d, s->V.norms, s->u);
    }
    return RS_OK;
}

/*
 * Regressions with residuals that are not too short; then, where a row of R is
 * zero and the tolerance asks for it, those in which residuals vanish, from R
 * and V, where zeros are exact, or from where they were. Once the zeros are the
 * ones of the solution, few of them lead to W and, corrected, to Theta.
 */
static rs_status regression_round(rfs_state *s, int goes_on)
{
    const double tol = s->p->tol;
    int zeros = 0;
    RS_TRY(regressions(s, RS_RFS_NEARLY, RS_RFS_SHORTEST));
    rs_row_norms(s->n, s->c, s->R.Z, s->R.norms);
    rs_row_norms(s->d, s->c, s->V.Z, s->V.norms);
    for (int i = 0; i < s->n; i++)
        zeros += s->R.norms[i] == 0.0;
    if (zeros == 0 || tol >= RS_RFS_SHORTEST || is_closed(s))
        return RS_OK;
    if (goes_on) {
        RS_TRY(residuals(s, s->fit->W, s->T));
        offer(s, s->fit->W, s->T);
    }
    RS_TRY(regressions(s, RS_RFS_NEAR, RS_RFS_VANISHING * tol));
    return is_closed(s) ? RS_OK : corrections(s, RS_RFS_VANISHING * tol);
}

/* ---- splitting ------------------------------------------------------------------ */

/*
 * The augmented Lagrangian with scaled multipliers M and N of R and V,
 *
 *     sum ||r_i|| + gamma sum ||v_j|| + (rho/2) ||R + X W - Y + M||^2
 *         + (rho share/2) ||V - W + N||^2;   Theta = -rho M.
 */
static rs_status factorise(rfs_state *s)
{
    return rs_row_regression_factor(s->V.penalty / s->R.penalty, NULL, NULL,
                                    &s->plain);
}

/* W = argmin ||X W - (Y - R - M)||^2 + share ||W - (V + N)||^2, and
 * T = Y - X W */
static rs_status regress(rfs_state *s)
{
    const size_t n_cells = (size_t)s->n * s->c, d_cells = (size_t)s->d * s->c;
    for (size_t i = 0; i < d_cells; i++)
        s->V.A[i] = s->V.Z[i] + s->V.Q[i];
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] = s->p->Y[i] - s->R.Z[i] - s->R.Q[i];
    RS_TRY(
        rs_row_regression_solve_about(s->T, s->V.A, s->W, s->R.A, &s->plain));
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] = s->R.A[i] + s->R.Z[i] + s->R.Q[i];
    return RS_OK;
}

/*
 * Out of A = relaxed target - Q follow Z = prox of the row norms and
 * Q = Z - A. The squares of what is missing and of how far Z went are the
 * residuals of the step.
 */
static void update_copy(int c, const double *target, double *scratch,
                        rfs_copy *copy)
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
    rs_prox_rows(NULL, copy->rows, c, Z, copy->radius / copy->penalty, 1.0,
                 copy->norms, scratch);
    for (size_t i = 0; i < cells; i++) {
        const double gap = Z[i] - target[i], way = Z[i] - Q[i];
        copy->missing += gap * gap;
        copy->went += way * way;
        Q[i] = Z[i] - A[i];
    }
}

/* another penalty, the multiplier itself stays */
static void set_penalty(int c, double penalty, rfs_copy *copy)
{
    rs_scale((size_t)copy->rows * c, copy->penalty / penalty, copy->Q);
    copy->penalty = penalty;
}

/* what the residuals of a step ask a penalty to change by */
static double wanted_change(const rfs_copy *copy)
{
    if (!(copy->missing > 0.0) || !(copy->went > 0.0))
        return 1.0;
    const double factor = sqrt(copy->missing / copy->went);
    return fmin(fmax(factor, 1.0 / RS_RFS_BALANCE), RS_RFS_BALANCE);
}

/* both penalties follow the ratios of their residuals, so that these fall alike;
 * their own ratio where that is worth a factorisation */
static rs_status balance(rfs_state *s)
{
    const double R = wanted_change(&s->R), V = wanted_change(&s->V);
    const int stays = fabs(log(V / R)) < log(RS_RFS_REFACTOR);
    set_penalty(s->c, R * s->R.penalty, &s->R);
    set_penalty(s->c, (stays ? R : V) * s->V.penalty, &s->V);
    return stays ? RS_OK : factorise(s);
}

/* at the start, or W = 0, without multipliers */
static rs_status begin(rfs_state *s)
{
    const size_t n_cells = (size_t)s->n * s->c, d_cells = (size_t)s->d * s->c;
    const double share = RS_RFS_FIRST_SHARE * s->gamma / s->limit * s->square;
    s->R.penalty = RS_RFS_FIRST_PENALTY * s->n / s->at_zero;
    s->V.penalty = s->R.penalty * share;
    if (s->p->start)
        rs_copy(d_cells, s->p->start, s->V.Z);
    else
        rs_fill(d_cells, 0.0, s->V.Z);
    rs_fill(n_cells, 0.0, s->R.Q);
    rs_fill(d_cells, 0.0, s->V.Q);
    RS_TRY(residuals(s, s->V.Z, s->R.Z));
    return factorise(s);
}

/* is it time for other penalties: soon, and ever more rarely */
static int is_time_to_balance(int step)
{
    int next = RS_RFS_LOOK;
    while (next < step)
        next *= 2;
    return step == next;
}

static rs_status split(rfs_state *s)
{
    rs_history *history = &s->fit->history;
    for (int step = 1; !is_closed(s) && history->count <= s->p->maxit;
         step++) {
        const int is_last = history->count == s->p->maxit;
        RS_TRY(regress(s));
        update_copy(s->c, s->T, s->scratch, &s->R);
        update_copy(s->c, s->W, s->scratch, &s->V);
        if (step % RS_RFS_LOOK == 0 || is_last) {
            RS_TRY(residuals(s, s->V.Z, s->T));
            offer(s, s->V.Z, s->T);
            RS_TRY(look_at_dual(s));
        }
        rs_history_add(history, s->best);
        if (is_time_to_balance(step))
            RS_TRY(balance(s));
        if (step % RS_RFS_ROUND == 0)
            RS_TRY(regression_round(s, step / RS_RFS_ROUND % 2 == 0));
        RS_TRY(rs_poll(s->ctx));
    }
    return relative_gap(s) <= s->p->tol ? RS_OK : RS_MAXIT;
}

/* ---- fits ------------------------------------------------------------------------- */

static rs_status init_copy(rs_context *ctx, int rows, int c, rfs_copy *copy)
{
    *copy = (rfs_copy){.rows = rows, .radius = 1.0};
    RS_ALLOC_DOUBLES(ctx, (size_t)rows * c, &copy->Z, &copy->Q, &copy->A);
    copy->norms = rs_alloc_double(ctx, (size_t)rows);
    return rs_allocated(ctx);
}

static rs_status init(rs_context *ctx, const rs_rfs_problem *p,
                      rs_rfs_fit *fit, rfs_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, c = (size_t)p->c;
    *s = (rfs_state){
        .ctx = ctx, .p = p, .fit = fit, .n = p->X->n, .d = p->X->d, .c = p->c};
    RS_TRY(init_copy(ctx, s->n, s->c, &s->R));
    RS_TRY(init_copy(ctx, s->d, s->c, &s->V));
    RS_ALLOC_DOUBLES(ctx, d * c, &s->W, &s->B);
    RS_ALLOC_DOUBLES(ctx, n * c, &s->T, &s->Theta);
    RS_ALLOC_DOUBLES(ctx, d, &s->at_zero_pull, &s->pull, &s->u);
    s->v = rs_alloc_double(ctx, n);
    s->scratch = rs_alloc_double(ctx, n > d ? n : d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_column_squares(p->X, s->pull));
    s->widest = sqrt(largest(s->d, s->pull));
    s->square = mean_of(s->d, s->pull);
    s->at_zero = rs_penalty_rows(NULL, s->n, s->c, p->Y, 1.0, s->v);
    RS_TRY(rs_rfs_pull_at_zero(ctx, p->X, p->Y, p->c, s->at_zero_pull));
    s->limit = largest(s->d, s->at_zero_pull);
    RS_TRY(rs_row_regression_init(ctx, p->X, s->c, &s->plain));
    RS_TRY(rs_row_regression_init(ctx, p->X, s->c, &s->weighted));
    return rs_history_init(ctx, p->maxit + 1, &fit->history);
}

static rs_status next_fit(double gamma, rfs_state *s)
{
    s->gamma = s->V.radius = gamma;
    s->best = s->at_zero;
    rs_fill((size_t)s->d * s->c, 0.0, s->fit->W);
    s->fit->bound = 0.0;
    rs_history_clear(&s->fit->history);
    offer_bound(s, s->best, 1.0, s->at_zero_pull);
    rs_history_add(&s->fit->history, s->best);
    if (s->limit <= gamma * (1.0 + RS_RFS_AT_THE_LIMIT))
        return RS_OK;
    if (s->has_begun)
        shorten(s->d, s->c, gamma / s->V.penalty, s->V.Q, s->V.norms);
    else
        RS_TRY(begin(s));
    const rs_status status = split(s);
    s->has_begun = 1;
    return status;
}

rs_status rs_rfs(rs_context *ctx, const rs_rfs_problem *problem,
                 rs_rfs_fit *fit)
{
    rfs_state s;
    RS_TRY(init(ctx, problem, fit, &s));
    return next_fit(problem->gamma, &s);
}

rs_status rs_rfs_walk(rs_context *ctx, const rs_rfs_problem *problem,
                      int count, const double *gamma, rs_rfs_taker take,
                      void *state, rs_rfs_fit *fit)
{
    rfs_state s;
    int go_on = 1;
    RS_TRY(init(ctx, problem, fit, &s));
    for (int at = 0; at < count && go_on; at++) {
        rs_status ending = next_fit(gamma[at], &s);
        if (!rs_is_usable(ending))
            return ending;
        RS_TRY(take(state, at, ending, fit, &go_on));
    }
    return RS_OK;
}
