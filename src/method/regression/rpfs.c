#include "method/regression/l20.h"

#include <math.h>

#include "la/linalg.h"
#include "la/toprows.h"
#include "solve/ridge.h"

typedef struct {
    const rs_l20_problem *p;
    double *V, *E; /* copies: d x c, n x c */
    double *W, *L; /* d x c: regression, multiplier of V */
    double *M, *F; /* n x c: multiplier of E, X W + 1 b' - Y */
    double *T, *G; /* n x c, d x c: right-hand sides */
    double *b;     /* c */
    double *best;  /* d x c */
    double best_loss;
    int quiet;         /* iterations at the largest mu without a lower loss */
    double quiet_loss; /* the lowest loss when these began */
    int dual;
    rs_ridge ridge; /* XX' + I or X'X + I */
    rs_toprows_ws rows;
} rpfs_state;

/* b = column means of T, which X'T does not see, as X'1 = 0 */
static void update_intercept(rpfs_state *s)
{
    const int n = s->p->n;
    for (int l = 0; l < s->p->c; l++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += s->T[i + (size_t)n * l];
        s->b[l] = sum / n;
    }
}

/*
 * T = Y + E - M/mu;  W = (X'X + I)^{-1} (V - L/mu + X'T)
 */
static rs_status update_W(rpfs_state *s, double mu)
{
    const rs_l20_problem *p = s->p;
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    for (size_t i = 0; i < cells; i++)
        s->T[i] = p->Y[i] + s->E[i] - s->M[i] / mu;
    update_intercept(s);
    RS_TRY(rs_data_crossprod(p->X, p->c, s->T, s->W));
    for (size_t i = 0; i < size; i++)
        s->W[i] += s->V[i] - s->L[i] / mu;
    if (!s->dual)
        return rs_ridge_solve(p->c, s->W, &s->ridge);
    return rs_ridge_solve_dual(p->X, NULL, p->c, s->W, s->T, s->G, &s->ridge);
}

/* V = the k largest rows of W + L/mu */
static rs_status update_V(rpfs_state *s, double mu)
{
    const rs_l20_problem *p = s->p;
    const size_t size = (size_t)p->d * p->c;
    for (size_t i = 0; i < size; i++)
        s->V[i] = s->W[i] + s->L[i] / mu;
    return rs_toprows_keep(p->c, p->k, NULL, s->V, &s->rows);
}

/* F = X W + 1 b' - Y */
static rs_status fitted_gap(rpfs_state *s, const double *W, double *F)
{
    const int n = s->p->n;
    RS_TRY(rs_l20_residual(s->p, W, F));
    for (int l = 0; l < s->p->c; l++)
        for (int i = 0; i < n; i++)
            F[i + (size_t)n * l] += s->b[l];
    return RS_OK;
}

/* E = F + M/mu with every row shortened by 1/mu */
static void update_E(rpfs_state *s, double mu)
{
    const int n = s->p->n, c = s->p->c;
    for (int i = 0; i < n; i++) {
        double square = 0.0;
        for (int l = 0; l < c; l++) {
            size_t at = i + (size_t)n * l;
            s->E[at] = s->F[at] + s->M[at] / mu;
            square += s->E[at] * s->E[at];
        }
        double norm = sqrt(square);
        double shrink = norm * mu > 1.0 ? 1.0 - 1.0 / (norm * mu) : 0.0;
        for (int l = 0; l < c; l++)
            s->E[i + (size_t)n * l] *= shrink;
    }
}

/* L += mu (W - V), M += mu (F - E); the largest of both gaps */
static double update_multipliers(rpfs_state *s, double mu)
{
    const size_t cells = (size_t)s->p->n * s->p->c;
    const size_t size = (size_t)s->p->d * s->p->c;
    double largest = 0.0;
    for (size_t i = 0; i < size; i++) {
        double gap = s->W[i] - s->V[i];
        s->L[i] += mu * gap;
        largest = fmax(largest, fabs(gap));
    }
    for (size_t i = 0; i < cells; i++) {
        double gap = s->F[i] - s->E[i];
        s->M[i] += mu * gap;
        largest = fmax(largest, fabs(gap));
    }
    return largest;
}

/* the penalty grows no further */
#define RS_RPFS_MU 1e10
/* iterations there without a lower loss that end it */
#define RS_RPFS_QUIET 100

/*
 * At the largest mu the residuals are shortened by 1e-10: the loss has no say
 * any more, and the iteration wanders from set to set until the copies happen
 * to meet, which may take thousands of iterations. Has none of the sets met
 * there lately lowered the loss?
 */
static int has_converged(rpfs_state *s, double mu, double tol)
{
    if (mu < RS_RPFS_MU)
        return 0;
    if (s->best_loss < s->quiet_loss * (1.0 - tol)) {
        s->quiet_loss = s->best_loss;
        s->quiet = 0;
    }
    return ++s->quiet > RS_RPFS_QUIET;
}

/* the loss at V; the lowest one is kept */
static rs_status evaluate_V(rpfs_state *s, rs_history *history)
{
    const int n = s->p->n, c = s->p->c;
    double loss = 0.0;
    RS_TRY(fitted_gap(s, s->V, s->T));
    for (int i = 0; i < n; i++) {
        double square = 0.0;
        for (int l = 0; l < c; l++)
            square += s->T[i + (size_t)n * l] * s->T[i + (size_t)n * l];
        loss += sqrt(square);
    }
    if (!isfinite(loss))
        return RS_NOT_FINITE;
    rs_history_add(history, loss);
    if (loss < s->best_loss) {
        s->best_loss = loss;
        rs_copy((size_t)s->p->d * c, s->V, s->best);
    }
    return RS_OK;
}

static rs_status factorise(rs_context *ctx, rpfs_state *s)
{
    const rs_l20_problem *p = s->p;
    const int order = rs_min_int(p->n, p->d);
    s->dual = rs_ridge_prefers_dual(p->n, p->d);
    RS_TRY(rs_ridge_init(ctx, order, &s->ridge));
    RS_TRY(s->dual ? rs_data_gram_samples(p->X, NULL, s->ridge.A)
                   : rs_data_gram_features(p->X, s->ridge.A));
    return rs_ridge_factor(order, NULL, &s->ridge);
}

static rs_status rpfs_init(rs_context *ctx, const rs_l20_problem *p, double *V,
                           double *E, rpfs_state *s)
{
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    s->p = p;
    s->V = V;
    s->E = E;
    RS_ALLOC_DOUBLES(ctx, size, &s->W, &s->L, &s->G, &s->best);
    RS_ALLOC_DOUBLES(ctx, cells, &s->M, &s->F, &s->T);
    s->b = rs_alloc_double(ctx, (size_t)p->c);
    RS_TRY(rs_allocated(ctx));
    rs_fill(size, 0.0, s->L);
    rs_fill(cells, 0.0, s->M);
    s->best_loss = INFINITY;
    s->quiet = 0;
    s->quiet_loss = INFINITY;
    RS_TRY(rs_toprows_init(ctx, p->d, &s->rows));
    return factorise(ctx, s);
}

rs_status rs_rpfs(rs_context *ctx, const rs_l20_problem *p, double mu,
                  double rho, double tol, int maxit, double *V, double *E,
                  rs_history *history)
{
    rpfs_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(rpfs_init(ctx, p, V, E, &s));
    RS_TRY(rs_history_init(ctx, maxit, history));
    for (int i = 0; i < maxit && status == RS_MAXIT; i++) {
        RS_TRY(update_W(&s, mu));
        RS_TRY(update_V(&s, mu));
        RS_TRY(fitted_gap(&s, s.W, s.F));
        update_E(&s, mu);
        if (update_multipliers(&s, mu) <= tol)
            status = RS_OK;
        RS_TRY(evaluate_V(&s, history));
        if (has_converged(&s, mu, tol))
            status = RS_OK;
        mu = fmin(rho * mu, RS_RPFS_MU);
        RS_TRY(rs_poll(ctx));
    }
    rs_copy((size_t)p->d * p->c, s.best, V);
    return status;
}
