#include "method/regression/regression.h"

#include <math.h>

#include "la/linalg.h"
#include "la/toprows.h"
#include "solve/penalty.h"
#include "solve/ridge.h"

/* the penalty grows no further */
#define RS_RPFS_MU 1e10
/* iterations there without a lower loss that end it */
#define RS_RPFS_QUIET 100

typedef struct {
    const rs_l20_problem *p;
    double *V, *E; /* copies: d x c, n x c */
    double *W, *L; /* d x c: regression, multiplier of V */
    double *M, *F; /* n x c: multiplier of E, X W + 1 b' - Y */
    double *T, *D; /* n x c, d x c: what the regression is given */
    double *b;     /* c */
    double *norms; /* 2 n: scratch */
    double *best;  /* d x c */
    double best_loss;
    int quiet;         /* iterations at the largest mu without a lower loss */
    double quiet_loss; /* the lowest loss when these began */
    rs_row_regression regression;
    rs_toprows_ws rows;
} rpfs_state;

/*
 * T = Y + E - M/mu and D = V - L/mu, from which W = argmin ||T - X W||^2 +
 * ||W - D||^2, and b = the column means of T, which X'T does not see, as X'1 = 0
 */
static rs_status update_W(rpfs_state *s, double mu)
{
    const rs_l20_problem *p = s->p;
    const size_t n = (size_t)p->n, size = (size_t)p->d * p->c;
    for (int l = 0; l < p->c; l++) {
        s->b[l] = 0.0;
        for (size_t i = n * l; i < n * (l + 1); i++) {
            s->T[i] = p->Y[i] + s->E[i] - s->M[i] / mu;
            s->b[l] += s->T[i] / n;
        }
    }
    for (size_t i = 0; i < size; i++)
        s->D[i] = s->V[i] - s->L[i] / mu;
    return rs_row_regression_solve_about(s->T, s->D, s->W, s->F,
                                         &s->regression);
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
    const rs_l20_problem *p = s->p;
    RS_TRY(rs_data_residual(p->X, p->c, p->Y, W, F));
    for (int l = 0; l < p->c; l++)
        for (int i = 0; i < p->n; i++, F++)
            *F = s->b[l] - *F;
    return RS_OK;
}

/* E = F + M/mu with every row shortened by 1/mu */
static void update_E(rpfs_state *s, double mu)
{
    const int n = s->p->n, c = s->p->c;
    rs_copy((size_t)n * c, s->F, s->E);
    rs_axpy((size_t)n * c, 1.0 / mu, s->M, s->E);
    rs_prox_rows(NULL, n, c, s->E, 1.0 / mu, 1.0, s->norms, s->norms + n);
}

/* multiplier += mu (X - copy); the largest gap */
static double update_multiplier(size_t size, double mu, const double *X,
                                const double *copy, double *multiplier)
{
    double largest = 0.0;
    for (size_t i = 0; i < size; i++) {
        const double gap = X[i] - copy[i];
        multiplier[i] += mu * gap;
        largest = fmax(largest, fabs(gap));
    }
    return largest;
}

/*
 * At the largest mu the residuals are shortened by 1e-10: the loss has no say
 * any more, and the iteration wanders from set to set until the copies happen
 * to meet, which may take thousands of iterations. Has none of the sets met
 * there lately lowered the loss?
 */
static int has_converged(rpfs_state *s, double mu)
{
    if (mu < RS_RPFS_MU)
        return 0;
    if (s->best_loss < s->quiet_loss * (1.0 - s->p->tol)) {
        s->quiet_loss = s->best_loss;
        s->quiet = 0;
    }
    return ++s->quiet > RS_RPFS_QUIET;
}

/* the loss at V; the lowest one is kept */
static rs_status evaluate_V(rpfs_state *s, rs_history *history)
{
    const rs_l20_problem *p = s->p;
    RS_TRY(fitted_gap(s, s->V, s->T));
    const double loss = rs_row_norms(p->n, p->c, s->T, s->norms);
    if (!isfinite(loss))
        return RS_NOT_FINITE;
    rs_history_add(history, loss);
    if (loss < s->best_loss) {
        s->best_loss = loss;
        rs_copy((size_t)p->d * p->c, s->V, s->best);
    }
    return RS_OK;
}

static rs_status rpfs_init(rs_context *ctx, const rs_l20_problem *p, double *V,
                           double *E, rpfs_state *s)
{
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    *s = (rpfs_state){
        .p = p, .V = V, .E = E, .best_loss = INFINITY, .quiet_loss = INFINITY};
    RS_ALLOC_DOUBLES(ctx, size, &s->W, &s->L, &s->D, &s->best);
    RS_ALLOC_DOUBLES(ctx, cells, &s->M, &s->F, &s->T);
    s->b = rs_alloc_double(ctx, (size_t)p->c);
    s->norms = rs_alloc_double(ctx, 2 * (size_t)p->n);
    RS_TRY(rs_allocated(ctx));
    rs_fill(size, 0.0, s->L);
    rs_fill(cells, 0.0, s->M);
    RS_TRY(rs_toprows_init(ctx, p->d, &s->rows));
    RS_TRY(rs_row_regression_init(ctx, p->X, p->c, &s->regression));
    return rs_row_regression_factor(1.0, NULL, NULL, &s->regression);
}

rs_status rs_rpfs(rs_context *ctx, const rs_l20_problem *p, double mu,
                  double rho, double *V, double *E, rs_history *history)
{
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    rpfs_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(rpfs_init(ctx, p, V, E, &s));
    RS_TRY(rs_history_init(ctx, p->maxit, history));
    for (int i = 0; i < p->maxit && status == RS_MAXIT; i++) {
        RS_TRY(update_W(&s, mu));
        RS_TRY(update_V(&s, mu));
        RS_TRY(fitted_gap(&s, s.W, s.F));
        update_E(&s, mu);
        const double gap = fmax(update_multiplier(size, mu, s.W, s.V, s.L),
                                update_multiplier(cells, mu, s.F, s.E, s.M));
        RS_TRY(evaluate_V(&s, history));
        if (gap <= p->tol || has_converged(&s, mu))
            status = RS_OK;
        mu = fmin(rho * mu, RS_RPFS_MU);
        RS_TRY(rs_poll(ctx));
    }
    rs_copy(size, s.best, V);
    return status;
}
