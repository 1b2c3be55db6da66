#include "method/regression/regression.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/penalty.h"
#include "solve/ridge.h"

/* eps beside the mean ||w_j||^2 of the first W */
#define RS_CRFS_SMOOTHING 1e-10
/* the width beside the mean square of the residuals */
#define RS_CRFS_WIDTH 4.0
/* a sample weighs at least exp(- this) */
#define RS_CRFS_FAR 200.0

typedef struct {
    const rs_crfs_problem *p;
    rs_crfs_fit *fit;
    int n, d;
    double *R;     /* n x c */
    double *u, *v; /* d, n: inverse weights of rows and samples */
    double *row;   /* d: ||w_j||^2 */
    double
        *squares; /* n x (width_steps + 1): ||e_i||^2 of the first iterates */
    double *penalty; /* width_steps + 1: sum_j ||w_j|| of these */
    rs_row_regression regression;
} crfs_state;

static rs_status init_state(rs_context *ctx, const rs_crfs_problem *p,
                            rs_crfs_fit *fit, crfs_state *s)
{
    const int n = p->X->n, d = p->X->d, kept = p->width_steps + 1;
    *s = (crfs_state){.p = p, .fit = fit, .n = n, .d = d};
    s->R = rs_alloc_double(ctx, (size_t)n * p->c);
    RS_ALLOC_DOUBLES(ctx, (size_t)d, &s->u, &s->row);
    s->v = rs_alloc_double(ctx, (size_t)n);
    s->squares = rs_alloc_double(ctx, (size_t)n * kept);
    s->penalty = rs_alloc_double(ctx, (size_t)kept);
    RS_TRY(rs_allocated(ctx));
    fit->width = p->width;
    fit->eps = p->eps;
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    return rs_row_regression_init(ctx, p->X, p->c, &s->regression);
}

/* the iterates whose width is not yet held have a place of their own */
static int place(const crfs_state *s, int step)
{
    return rs_min_int(step, s->p->width_steps);
}

static rs_status regress(crfs_state *s, int step, const double *v)
{
    const rs_crfs_problem *p = s->p;
    RS_TRY(rs_row_regression_factor(p->lambda, s->u, v, &s->regression));
    RS_TRY(rs_row_regression_solve(p->Y, s->fit->W, s->R, &s->regression));
    rs_row_squares(s->n, p->c, s->R,
                   s->squares + (size_t)s->n * place(s, step));
    rs_row_squares(s->d, p->c, s->fit->W, s->row);
    if (s->fit->eps < 0.0) {
        s->fit->eps = 0.0;
        for (int j = 0; j < s->d; j++)
            s->fit->eps += RS_CRFS_SMOOTHING * s->row[j] / s->d;
    }
    s->penalty[place(s, step)] =
        rs_smoothed_rows(NULL, (size_t)s->d, s->row, s->fit->eps, 1.0);
    return RS_OK;
}

/* the weights for s = 4 times the mean ||e_i||^2, while that is estimated */
static void reweight(crfs_state *s, int step)
{
    const double *square = s->squares + (size_t)s->n * place(s, step);
    if (!(s->p->width > 0.0) && step <= s->p->width_steps)
        s->fit->width =
            fmax(RS_CRFS_WIDTH * rs_sum(s->n, square) / s->n, s->p->least);
    for (int i = 0; i < s->n; i++) {
        double far = fmin(square[i] / s->fit->width, RS_CRFS_FAR);
        s->fit->sample[i] = exp(-far);
        s->v[i] = exp(far);
    }
    for (int j = 0; j < s->d; j++)
        s->u[j] = 2.0 * sqrt(s->row[j] + s->fit->eps);
}

static double objective(const crfs_state *s, int at)
{
    const double *square = s->squares + (size_t)s->n * at;
    double loss = 0.0;
    for (int i = 0; i < s->n; i++)
        loss -= s->fit->width * expm1(-square[i] / s->fit->width);
    return loss + s->p->lambda * s->penalty[at];
}

/* once the width is held: the objective of all iterates so far */
static void record(crfs_state *s, int step, int is_last)
{
    if (step < s->p->width_steps && !is_last)
        return;
    for (int at = s->fit->history.count; at <= step; at++)
        rs_history_add(&s->fit->history, objective(s, place(s, at)));
}

rs_status rs_crfs(rs_context *ctx, const rs_crfs_problem *p, rs_crfs_fit *fit)
{
    crfs_state s;
    RS_TRY(init_state(ctx, p, fit, &s));
    rs_copy((size_t)s.d, p->u, s.u);
    for (int step = 0; step <= p->maxit; step++) {
        RS_TRY(regress(&s, step, step > 0 ? s.v : NULL));
        reweight(&s, step);
        record(&s, step, step == p->maxit);
        if (step > p->width_steps &&
            rs_history_change(&fit->history, 0.0) <= p->tol)
            return RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return RS_MAXIT;
}
