#include "method/regression/rfs_split.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/prox.h"
#include "solve/row_regression.h"

/* steps, and those between two looks at the gap */
#define RS_SPLIT_STEPS 96
#define RS_SPLIT_LOOK 8
/* longer steps of the multipliers, from a start and where a run follows another */
#define RS_SPLIT_RELAXATION 1.6
#define RS_SPLIT_NEXT_RELAXATION 1.8
/* the first penalty is so many times 1 / the mean row of Y, and that of V so
 * many times the mean square of a feature and gamma / limit of it */
#define RS_SPLIT_FIRST_PENALTY 2.0
#define RS_SPLIT_SHARE 3.0
/* the penalty is balanced at so many looks, by at most this factor */
#define RS_SPLIT_BALANCED 3
#define RS_SPLIT_BALANCE 5.0
/* where a run follows another: penalties in units of 1 / the mean residual and of
 * gamma times that residual over the mean row of V; a new factorisation where the
 * latter has changed by this factor; how far to extrapolate, in ways of the last
 * two; and steps between looks */
#define RS_SPLIT_NEXT_PENALTY 0.7
#define RS_SPLIT_NEXT_SHARE 0.4
#define RS_SPLIT_REFACTOR 1.5
#define RS_SPLIT_FARTHEST 2.0
#define RS_SPLIT_NEXT_LOOK 2
/* a dual point is corrected while the gap is at most so many times the
 * tolerance, in so many rounds, with this ridge; rows of X'Theta from this share
 * of gamma on take part */
#define RS_SPLIT_CORRECTED_FROM 30.0
#define RS_SPLIT_ROUNDS 2
#define RS_SPLIT_RIDGE 1e-6
#define RS_SPLIT_NEAR 0.999
/* shorter residuals count as this share of the mean one */
#define RS_SPLIT_SHORTEST 1e-3

/*
 * The augmented Lagrangian with scaled multipliers M and N,
 *
 *     sum ||r_i|| + gamma sum ||v_j|| + (rho/2) ||R + X W - Y + M||^2
 *         + (rho share/2) ||V - W + N||^2;   Theta = -rho M.
 */
struct rs_rfs_splitter {
    rs_context *ctx;
    const rs_rfs_splitting *problem;
    const rs_data *X;
    const double *Y;
    int n, d, c;
    double rho, share;
    double primal, dual; /* squares of the residuals of the last step */
    double *W, *V, *N;   /* d x c */
    double *R, *M, *T;   /* n x c */
    double *Theta, *E;   /* n x c, n x c: a dual point, and scratch */
    double *B, *D;       /* d x c: X'Theta; scratch */
    double *sample;      /* n */
    double *row, *pull;  /* d */
    double *scratch;     /* max(n, d) */
    double *weight;      /* n */
    int *near;           /* d: features that corrections move, */
    int count;           /* so many; 0: there are no equations for them */
    int age;             /* steps since these were made */
    double *metric;      /* n: S of correct() */
    rs_row_regression regression;
    /* between runs M and N hold rho M and rho share N */
    int ends;            /* points kept */
    double gamma;        /* of the last end, */
    double way;          /* and log(gamma) there less that of the one before */
    int first_look;      /* steps before it */
    double *last_end[4]; /* V, R, M, N of the end before the last */
};

typedef struct rs_rfs_splitter split_state;

rs_status rs_rfs_split_open(rs_context *ctx, const rs_rfs_splitting *problem,
                            rs_rfs_splitter **splitter)
{
    rs_data *X = problem->p->X;
    const size_t n = (size_t)X->n, d = (size_t)X->d, c = (size_t)problem->p->c;
    split_state *s = rs_alloc(ctx, 1, sizeof *s);
    RS_TRY(rs_allocated(ctx));
    memset(s, 0, sizeof *s);
    *splitter = s;
    s->ctx = ctx;
    s->problem = problem;
    s->X = X;
    s->Y = problem->p->Y;
    s->n = X->n;
    s->d = X->d;
    s->c = problem->p->c;
    RS_ALLOC_DOUBLES(ctx, d * c, &s->W, &s->V, &s->N, &s->B, &s->D);
    RS_ALLOC_DOUBLES(ctx, n * c, &s->R, &s->M, &s->T, &s->Theta, &s->E);
    RS_ALLOC_DOUBLES(ctx, n, &s->sample, &s->weight, &s->metric);
    RS_ALLOC_DOUBLES(ctx, d, &s->row, &s->pull);
    s->scratch = rs_alloc_double(ctx, n > d ? n : d);
    s->near = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    return rs_row_regression_init(ctx, X, s->c, &s->regression);
}

/* out = Y - X V */
static rs_status residuals(split_state *s, const double *V, double *out)
{
    const size_t cells = (size_t)s->n * s->c;
    RS_TRY(rs_data_times(s->X, s->c, V, out));
    for (size_t i = 0; i < cells; i++)
        out[i] = s->Y[i] - out[i];
    return RS_OK;
}

/* the factorisation of X'X + share I, and the first R and V, without
 * multipliers */
static rs_status begin(split_state *s)
{
    const rs_rfs_problem *p = s->problem->p;
    const size_t d = (size_t)s->d, c = (size_t)s->c;
    double squares = 0.0;
    RS_TRY(rs_data_column_squares(s->X, s->row));
    for (int j = 0; j < s->d; j++)
        squares += s->row[j];
    s->share = RS_SPLIT_SHARE * p->gamma / s->problem->limit * squares / d;
    s->rho = RS_SPLIT_FIRST_PENALTY * s->n / s->problem->scale.at_zero;
    s->first_look = RS_SPLIT_LOOK;
    RS_TRY(rs_row_regression_factor(s->share, NULL, NULL, &s->regression));
    if (p->start)
        rs_copy(d * c, p->start, s->V);
    else
        rs_fill(d * c, 0.0, s->V);
    rs_fill(d * c, 0.0, s->N);
    rs_fill((size_t)s->n * c, 0.0, s->M);
    return residuals(s, s->V, s->R);
}

/* W = argmin ||X W - (Y - R - M)||^2 + share ||W - (V + N)||^2, and
 * T <- Y - X W */
static rs_status regress(split_state *s)
{
    const size_t n_cells = (size_t)s->n * s->c, d_cells = (size_t)s->d * s->c;
    for (size_t i = 0; i < d_cells; i++)
        s->D[i] = s->V[i] + s->N[i];
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] = s->Y[i] - s->R[i] - s->M[i];
    RS_TRY(
        rs_row_regression_solve_about(s->T, s->D, s->W, s->E, &s->regression));
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] = s->E[i] + s->R[i] + s->M[i];
    return RS_OK;
}

/*
 * A variable Z (rows x c) that should be equal to `target`, with multiplier Q:
 * out of A = relaxed target - Q follow Z = prox of `threshold` times the row
 * norms and Q = Z - A. The squares of what is missing and of how far Z went,
 * times `factor`, are added to the residuals.
 */
static void split_step(split_state *s, int rows, const double *target,
                       double threshold, double factor, double *Z, double *Q,
                       double *A, double *norms)
{
    const size_t cells = (size_t)rows * s->c;
    const double relax =
        s->ends > 0 ? RS_SPLIT_NEXT_RELAXATION : RS_SPLIT_RELAXATION;
    double missing = 0.0, moved = 0.0;
    for (size_t i = 0; i < cells; i++) {
        A[i] = relax * target[i] + (1.0 - relax) * Z[i] - Q[i];
        Q[i] = Z[i];
    }
    rs_copy(cells, A, Z);
    rs_prox_rows(NULL, rows, s->c, Z, threshold, 1.0, norms, s->scratch);
    for (size_t i = 0; i < cells; i++) {
        const double gap = Z[i] - target[i], way = Z[i] - Q[i];
        missing += gap * gap;
        moved += way * way;
        Q[i] = Z[i] - A[i];
    }
    s->primal += factor * missing;
    s->dual += factor * moved;
}

static rs_status step(split_state *s)
{
    const double rho = s->rho, share = s->share;
    RS_TRY(regress(s));
    s->primal = s->dual = 0.0;
    split_step(s, s->n, s->T, 1.0 / rho, 1.0, s->R, s->M, s->E, s->sample);
    split_step(s, s->d, s->W, s->problem->p->gamma / (rho * share), share,
               s->V, s->N, s->D, s->row);
    return RS_OK;
}

/* rho follows the ratio of the residuals, so that both fall alike; the
 * multipliers themselves stay */
static void balance(split_state *s)
{
    if (!(s->dual > 0.0) || !(s->primal > 0.0))
        return;
    double factor = sqrt(s->primal / s->dual);
    factor = fmin(fmax(factor, 1.0 / RS_SPLIT_BALANCE), RS_SPLIT_BALANCE);
    s->rho *= factor;
    rs_scale((size_t)s->n * s->c, 1.0 / factor, s->M);
    rs_scale((size_t)s->d * s->c, 1.0 / factor, s->N);
}

/* f(V), kept where it is the least so far */
static rs_status offer(split_state *s, double *best, rs_rfs_fit *fit)
{
    RS_TRY(residuals(s, s->V, s->E));
    double value = rs_penalty_rows(NULL, s->n, s->c, s->E, 1.0, s->sample) +
                   s->problem->p->gamma *
                       rs_penalty_rows(NULL, s->d, s->c, s->V, 1.0, s->row);
    if (value < *best) {
        *best = value;
        rs_copy((size_t)s->d * s->c, s->V, fit->W);
    }
    return RS_OK;
}

/* ---- dual points -------------------------------------------------------- */

/* B = X'Theta, and the bound of Theta */
static rs_status bound(split_state *s, rs_rfs_fit *fit)
{
    double longest = 0.0;
    RS_TRY(rs_data_crossprod(s->X, s->c, s->Theta, s->B));
    rs_row_norms(s->d, s->c, s->B, s->pull);
    rs_row_norms(s->n, s->c, s->Theta, s->scratch);
    for (int i = 0; i < s->n; i++)
        longest = fmax(longest, s->scratch[i]);
    double value = rs_dot((size_t)s->n * s->c, s->Theta, s->Y);
    value = rs_rfs_dual_bound(&s->problem->scale, value, longest, s->pull);
    if (value > fit->bound) {
        fit->bound = value;
        rs_copy((size_t)s->d, s->pull, fit->pull);
    }
    return RS_OK;
}

/* the features that a correction moves, -1 where they are too many */
static int list_near(split_state *s)
{
    const double least = RS_SPLIT_NEAR * s->problem->p->gamma;
    int count = 0;
    for (int j = 0; j < s->d; j++)
        if (s->pull[j] > least || s->row[j] > 0.0)
            s->near[count++] = j;
    return count <= rs_min_int(s->n, s->d) ? count : -1;
}

/*
 * Theta += S X_J A^{-1} E with A = X_J'S X_J and S = diag(1 / ||r_i||): the
 * least change, in a norm in which the directions of long residuals hardly move,
 * after which the rows of X_J'Theta that were too long have length gamma.
 */
static rs_status correct(split_state *s)
{
    const int count = s->count;
    const double gamma = s->problem->p->gamma;
    const size_t d = (size_t)s->d, n = (size_t)s->n;
    rs_fill(d * s->c, 0.0, s->D);
    for (int l = 0; l < s->c; l++)
        for (int a = 0; a < count; a++) {
            const int j = s->near[a];
            const double excess = s->pull[j] - gamma;
            s->W[a + (size_t)count * l] =
                excess > 0.0 ? -excess / s->pull[j] * s->B[j + d * l] : 0.0;
        }
    RS_TRY(rs_ridge_solve(s->c, s->W, s->problem->equations));
    for (int l = 0; l < s->c; l++)
        for (int a = 0; a < count; a++)
            s->D[s->near[a] + d * l] = s->W[a + (size_t)count * l];
    RS_TRY(rs_data_times(s->X, s->c, s->D, s->E));
    for (int l = 0; l < s->c; l++)
        for (size_t i = 0; i < n; i++)
            s->Theta[i + n * l] += s->metric[i] * s->E[i + n * l];
    return RS_OK;
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

/* A of correct(), with a little on its diagonal */
static rs_status factor_near(split_state *s, int count)
{
    const rs_rfs_splitting *problem = s->problem;
    double *A = problem->equations->A, mean = 0.0;
    for (int i = 0; i < s->n; i++)
        mean += s->sample[i] / s->n;
    for (int i = 0; i < s->n; i++)
        s->metric[i] = 1.0 / fmax(s->sample[i], RS_SPLIT_SHORTEST * mean);
    RS_TRY(rs_data_gram_subset(s->X, s->metric, count, s->near, problem->panel,
                               A));
    double trace = 0.0;
    for (int a = 0; a < count; a++)
        trace += A[a * ((size_t)count + 1)];
    rs_fill((size_t)count, RS_SPLIT_RIDGE * trace / count, s->weight);
    return rs_ridge_factor_grown(count, s->weight, problem->equations);
}

static int is_closed(const split_state *s, double best, const rs_rfs_fit *fit)
{
    return (best - fit->bound) / best <= s->problem->p->tol &&
           best < s->problem->scale.at_zero;
}

static rs_status correct_rounds(split_state *s, rs_rfs_fit *fit)
{
    for (int round = 0; round < RS_SPLIT_ROUNDS && s->count > 0; round++) {
        RS_TRY(correct(s));
        shorten(s->n, s->c, 1.0, s->Theta, s->scratch);
        RS_TRY(bound(s, fit));
    }
    return RS_OK;
}

/* the equations of corrections for what is near now */
static rs_status renew_near(split_state *s)
{
    s->count = list_near(s);
    s->age = 0;
    if (s->count <= 0)
        return RS_OK;
    rs_status status = factor_near(s, s->count);
    if (status == RS_SINGULAR)
        s->count = 0;
    return status == RS_SINGULAR ? RS_OK : status;
}

/* do the equations cost more than what they are used for? */
static int are_kept(const split_state *s)
{
    return s->count > 0 && s->ends > 0 &&
           (double)s->count * s->count >
               2.0 * RS_SPLIT_ROUNDS * s->d * (double)s->c;
}

/* bounds of the multipliers and, where these are nearly good enough, of what
 * corrections make of them, by the equations that are there or by new ones;
 * sample and row hold norms of residuals and V */
static rs_status look(split_state *s, double best, rs_rfs_fit *fit)
{
    const size_t cells = (size_t)s->n * s->c;
    const double tol = s->problem->p->tol;
    for (size_t i = 0; i < cells; i++)
        s->Theta[i] = -s->rho * s->M[i];
    RS_TRY(bound(s, fit));
    double gap = (best - fit->bound) / best;
    if (gap <= tol || gap > RS_SPLIT_CORRECTED_FROM * tol)
        return RS_OK;
    if (are_kept(s)) {
        RS_TRY(correct_rounds(s, fit));
        if (s->age < RS_SPLIT_LOOK || is_closed(s, best, fit))
            return RS_OK;
    }
    RS_TRY(renew_near(s));
    return correct_rounds(s, fit);
}

/* ---- from problem to problem --------------------------------------------- */

/* the arrays that a run goes on from, and their sizes */
static void list_parts(const split_state *s, double **part, size_t *size)
{
    const size_t n_cells = (size_t)s->n * s->c, d_cells = (size_t)s->d * s->c;
    part[0] = s->V;
    part[1] = s->R;
    part[2] = s->M;
    part[3] = s->N;
    size[0] = size[3] = d_cells;
    size[1] = size[2] = n_cells;
}

static rs_status room_for_last_end(split_state *s)
{
    double *part[4];
    size_t size[4];
    if (s->last_end[0])
        return RS_OK;
    list_parts(s, part, size);
    for (int k = 0; k < 4; k++)
        s->last_end[k] = rs_alloc_double(s->ctx, size[k]);
    return rs_allocated(s->ctx);
}

/* an end: the multipliers without their penalties */
static void end_run(split_state *s)
{
    rs_scale((size_t)s->n * s->c, s->rho, s->M);
    rs_scale((size_t)s->d * s->c, s->rho * s->share, s->N);
    const double gamma = s->problem->p->gamma;
    s->way = s->ends > 0 ? log(gamma / s->gamma) : 0.0;
    s->gamma = gamma;
    s->ends++;
}

/* the last two ends, extrapolated in log(gamma); what is zero stays so */
static void extrapolate(split_state *s)
{
    double *part[4], ahead = 0.0;
    size_t size[4];
    const double gamma = s->problem->p->gamma;
    if (s->ends > 1 && s->way != 0.0)
        ahead =
            fmin(fmax(log(gamma / s->gamma) / s->way, 0.0), RS_SPLIT_FARTHEST);
    list_parts(s, part, size);
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < size[k]; i++) {
            const double now = part[k][i];
            if (ahead > 0.0 && now != 0.0)
                part[k][i] += ahead * (now - s->last_end[k][i]);
            s->last_end[k][i] = now;
        }
    shorten(s->n, s->c, 1.0, s->M, s->sample);
    shorten(s->d, s->c, gamma, s->N, s->row);
}

/* the penalties that suit the lengths of R and V; factorises where that of V is
 * far from the last one */
static rs_status next_penalties(split_state *s)
{
    double residual = 0.0, length = 0.0;
    int rows = 0;
    rs_row_norms(s->n, s->c, s->R, s->sample);
    rs_row_norms(s->d, s->c, s->V, s->row);
    for (int i = 0; i < s->n; i++)
        residual += s->sample[i] / s->n;
    for (int j = 0; j < s->d; j++) {
        length += s->row[j];
        rows += s->row[j] > 0.0;
    }
    if (residual > 0.0)
        s->rho = RS_SPLIT_NEXT_PENALTY / residual;
    const double share = RS_SPLIT_NEXT_SHARE * s->problem->p->gamma *
                         residual * rows / fmax(length, DBL_MIN);
    if (rows == 0 || !(share > 0.0) || !isfinite(share) ||
        fabs(log(share / s->share)) <= log(RS_SPLIT_REFACTOR))
        return RS_OK;
    s->share = share;
    return rs_row_regression_factor(share, NULL, NULL, &s->regression);
}

static rs_status follow(split_state *s)
{
    RS_TRY(room_for_last_end(s));
    extrapolate(s);
    RS_TRY(next_penalties(s));
    rs_scale((size_t)s->n * s->c, 1.0 / s->rho, s->M);
    rs_scale((size_t)s->d * s->c, 1.0 / (s->rho * s->share), s->N);
    return RS_OK;
}

rs_status rs_rfs_split_at_zero(split_state *s)
{
    const size_t n_cells = (size_t)s->n * s->c;
    RS_TRY(begin(s));
    rs_fill((size_t)s->d * s->c, 0.0, s->V);
    rs_copy(n_cells, s->Y, s->R);
    rs_row_norms(s->n, s->c, s->Y, s->sample);
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++) {
            const size_t at = i + (size_t)s->n * l;
            s->M[at] = s->sample[i] > 0.0 ? -s->Y[at] / s->sample[i] : 0.0;
        }
    RS_TRY(rs_data_crossprod(s->X, s->c, s->M, s->N));
    rs_scale(n_cells, 1.0 / s->rho, s->M);
    rs_scale((size_t)s->d * s->c, 1.0 / (s->rho * s->share), s->N);
    end_run(s);
    return RS_OK;
}

/* ---- a run ---------------------------------------------------------------- */

/* is it time to look at the gap after this step? */
static int looks(const split_state *s, int at, int steps)
{
    const int every = s->ends > 0 ? RS_SPLIT_NEXT_LOOK : RS_SPLIT_LOOK;
    return at == steps ||
           (at >= s->first_look && (at - s->first_look) % every == 0);
}

rs_status rs_rfs_split_run(split_state *s, double *best, rs_rfs_fit *fit)
{
    const int steps = rs_min_int(RS_SPLIT_STEPS, s->problem->p->maxit);
    const int balanced = s->ends > 0 ? 0 : RS_SPLIT_BALANCED * RS_SPLIT_LOOK;
    int at = 0, closed = 0;
    RS_TRY(s->ends > 0 ? follow(s) : begin(s));
    s->age += RS_SPLIT_LOOK;
    while (at < steps && !closed) {
        RS_TRY(step(s));
        s->age++;
        if (looks(s, ++at, steps)) {
            RS_TRY(offer(s, best, fit));
            RS_TRY(look(s, *best, fit));
            if (at <= balanced)
                balance(s);
        }
        rs_history_add(&fit->history, *best);
        closed = is_closed(s, *best, fit);
        RS_TRY(rs_poll(s->ctx));
    }
    if (!closed) /* the equations' room is for others now */
        s->count = 0;
    if (s->ends > 0)
        s->first_look = rs_max_int(RS_SPLIT_NEXT_LOOK, 3 * at / 4);
    end_run(s);
    return RS_OK;
}
