#include "method/rfs_split.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/prox.h"
#include "solve/row_regression.h"

/* steps, and those between two looks at the gap */
#define RS_SPLIT_STEPS 96
#define RS_SPLIT_LOOK 8
/* longer steps of the multipliers */
#define RS_SPLIT_RELAXATION 1.6
/* the first penalty is so many times 1 / the mean row of Y, and that of V so
 * many times the mean square of a feature and gamma / limit of it */
#define RS_SPLIT_FIRST_PENALTY 2.0
#define RS_SPLIT_SHARE 3.0
/* the penalty is balanced at so many looks, by at most this factor */
#define RS_SPLIT_BALANCED 3
#define RS_SPLIT_BALANCE 5.0
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
typedef struct {
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
    int *near;           /* d */
    rs_row_regression regression;
} split_state;

static rs_status split_init(rs_context *ctx, const rs_rfs_splitting *problem,
                            split_state *s)
{
    rs_data *X = problem->p->X;
    const size_t n = (size_t)X->n, d = (size_t)X->d, c = (size_t)problem->p->c;
    memset(s, 0, sizeof *s);
    s->problem = problem;
    s->X = X;
    s->Y = problem->p->Y;
    s->n = X->n;
    s->d = X->d;
    s->c = problem->p->c;
    s->W = rs_alloc_double(ctx, d * c);
    s->V = rs_alloc_double(ctx, d * c);
    s->N = rs_alloc_double(ctx, d * c);
    s->B = rs_alloc_double(ctx, d * c);
    s->D = rs_alloc_double(ctx, d * c);
    s->R = rs_alloc_double(ctx, n * c);
    s->M = rs_alloc_double(ctx, n * c);
    s->T = rs_alloc_double(ctx, n * c);
    s->Theta = rs_alloc_double(ctx, n * c);
    s->E = rs_alloc_double(ctx, n * c);
    s->sample = rs_alloc_double(ctx, n);
    s->weight = rs_alloc_double(ctx, n);
    s->row = rs_alloc_double(ctx, d);
    s->pull = rs_alloc_double(ctx, d);
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
    rs_fill(d, 1.0, s->row);
    RS_TRY(rs_row_regression_factor(s->share, s->row, NULL, &s->regression));
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
    RS_TRY(residuals(s, s->D, s->T));
    for (size_t i = 0; i < n_cells; i++)
        s->T[i] -= s->R[i] + s->M[i];
    RS_TRY(rs_row_regression_solve(s->T, s->W, s->E, &s->regression));
    rs_axpy(d_cells, 1.0, s->D, s->W);
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
    const double relax = RS_SPLIT_RELAXATION;
    double missing = 0.0, moved = 0.0;
    for (size_t i = 0; i < cells; i++) {
        A[i] = relax * target[i] + (1.0 - relax) * Z[i] - Q[i];
        Q[i] = Z[i];
    }
    rs_prox_l2p(rows, s->c, A, threshold, 1.0, Z, norms, s->scratch);
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
    double value =
        rs_penalty_l2p(s->n, s->c, s->E, 1.0, s->sample) +
        s->problem->p->gamma * rs_penalty_l2p(s->d, s->c, s->V, 1.0, s->row);
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
static rs_status correct(split_state *s, int count)
{
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
            s->Theta[i + n * l] += s->sample[i] * s->E[i + n * l];
    return RS_OK;
}

/* rows of Theta that are longer than 1 become as long */
static void clip(split_state *s)
{
    rs_row_norms(s->n, s->c, s->Theta, s->scratch);
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++)
            s->Theta[i + (size_t)s->n * l] /= fmax(1.0, s->scratch[i]);
}

/* A of correct(), with a little on its diagonal */
static rs_status factor_near(split_state *s, int count)
{
    const rs_rfs_splitting *problem = s->problem;
    double *A = problem->equations->A, mean = 0.0;
    for (int i = 0; i < s->n; i++)
        mean += s->sample[i] / s->n;
    for (int i = 0; i < s->n; i++)
        s->sample[i] = 1.0 / fmax(s->sample[i], RS_SPLIT_SHORTEST * mean);
    RS_TRY(rs_data_gram_subset(s->X, s->sample, count, s->near, problem->panel,
                               A));
    double trace = 0.0;
    for (int a = 0; a < count; a++)
        trace += A[a * ((size_t)count + 1)];
    rs_fill((size_t)count, RS_SPLIT_RIDGE * trace / count, s->weight);
    return rs_ridge_factor_grown(count, s->weight, problem->equations);
}

/* bounds of the multipliers and, where these are nearly good enough, of what
 * corrections make of them; sample and row hold norms of residuals and V */
static rs_status look(split_state *s, double best, rs_rfs_fit *fit)
{
    const size_t cells = (size_t)s->n * s->c;
    const double tol = s->problem->p->tol;
    for (size_t i = 0; i < cells; i++)
        s->Theta[i] = -s->rho * s->M[i];
    RS_TRY(bound(s, fit));
    double gap = (best - fit->bound) / best;
    int count = list_near(s);
    if (gap <= tol || gap > RS_SPLIT_CORRECTED_FROM * tol || count <= 0)
        return RS_OK;
    rs_status status = factor_near(s, count);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    for (int round = 0; round < RS_SPLIT_ROUNDS; round++) {
        RS_TRY(correct(s, count));
        clip(s);
        RS_TRY(bound(s, fit));
    }
    return RS_OK;
}

rs_status rs_rfs_split(rs_context *ctx, const rs_rfs_splitting *problem,
                       double *best, rs_rfs_fit *fit)
{
    const rs_rfs_problem *p = problem->p;
    const int steps = rs_min_int(RS_SPLIT_STEPS, p->maxit);
    split_state s;
    RS_TRY(split_init(ctx, problem, &s));
    RS_TRY(begin(&s));
    for (int at = 1; at <= steps; at++) {
        RS_TRY(step(&s));
        if (at % RS_SPLIT_LOOK == 0 || at == steps) {
            RS_TRY(offer(&s, best, fit));
            RS_TRY(look(&s, *best, fit));
            if (at <= RS_SPLIT_BALANCED * RS_SPLIT_LOOK)
                balance(&s);
        }
        rs_history_add(&fit->history, *best);
        if ((*best - fit->bound) / *best <= p->tol &&
            *best < problem->scale.at_zero)
            return RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
