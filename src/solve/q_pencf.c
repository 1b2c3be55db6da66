#include "solve/q_pencf.h"

#include <math.h>

#include "la/linalg.h"

/* steps, in units of 1 / S */
#define RS_PENCF_FIRST_STEP 0.01
#define RS_PENCF_LARGEST_STEP 1000.0
#define RS_PENCF_BALL 1.0001
/* pull back to the manifold when ||W'W - I|| exceeds this */
#define RS_PENCF_INFEASIBLE 0.1

typedef struct {
    const rs_q_problem *problem;
    double beta;
    double unit; /* of the gradients */
    size_t size;
    rs_q_pencf_ws *ws;
    rs_stiefel_ws *stiefel;
} pencf_state;

rs_status rs_q_pencf_init(rs_context *ctx, int d, int m, rs_q_pencf_ws *ws)
{
    const size_t size = (size_t)d * m, square = (size_t)m * m;
    RS_ALLOC_DOUBLES(ctx, size, &ws->direction, &ws->last_W,
                     &ws->last_direction, &ws->start, &ws->Sstart);
    RS_ALLOC_DOUBLES(ctx, square, &ws->multiplier, &ws->excess);
    return rs_allocated(ctx);
}

/* D(W) = G - W sym(W'G) + beta W (W'W - I); returns ||W'W - I|| */
static double penalty_direction(pencf_state *s, const double *W,
                                const double *SW)
{
    const int d = s->problem->d, m = s->problem->m;
    rs_q_gradient(s->problem, SW, s->ws->direction);
    rs_stiefel_sym_product(W, s->ws->direction, s->ws->multiplier, s->stiefel);
    rs_gram(d, m, W, s->ws->excess);
    for (int j = 0; j < m; j++)
        s->ws->excess[j + (size_t)j * m] -= 1.0;
    double infeasibility = rs_norm((size_t)m * m, s->ws->excess);
    /* both corrections are W times a small matrix: one product */
    for (size_t i = 0; i < (size_t)m * m; i++)
        s->ws->multiplier[i] =
            s->beta * s->ws->excess[i] - s->ws->multiplier[i];
    rs_gemm('N', 'N', d, m, m, 1.0, W, d, s->ws->multiplier, m, 1.0,
            s->ws->direction, d);
    return infeasibility;
}

/* the two Barzilai-Borwein formulas, alternating, below the largest step */
static double barzilai_borwein(const pencf_state *s, const double *W,
                               int iteration)
{
    double ss = 0.0, sy = 0.0, yy = 0.0;
    for (size_t i = 0; i < s->size; i++) {
        double ds = W[i] - s->ws->last_W[i];
        double dy = s->ws->direction[i] - s->ws->last_direction[i];
        ss += ds * ds;
        sy += ds * dy;
        yy += dy * dy;
    }
    sy = fabs(sy);
    double step = iteration % 2 ? ss / sy : sy / yy;
    return isfinite(step) ? fmin(step, RS_PENCF_LARGEST_STEP / s->unit)
                          : RS_PENCF_FIRST_STEP / s->unit;
}

/* W <- W - step D, then back into the ball of radius 1.0001 sqrt(m) */
static void move(pencf_state *s, double step, double *W)
{
    rs_copy(s->size, W, s->ws->last_W);
    rs_copy(s->size, s->ws->direction, s->ws->last_direction);
    rs_axpy(s->size, -step, s->ws->direction, W);
    double radius = RS_PENCF_BALL * sqrt((double)s->problem->m);
    double norm = rs_norm(s->size, W);
    if (norm > radius)
        rs_scale(s->size, radius / norm, W);
}

/* beta = max(min(||egrad(W0)|| / (2 m), 1e10), 1e-10), in units of S */
static double default_penalty(pencf_state *s, const double *SW)
{
    rs_q_gradient(s->problem, SW, s->ws->direction);
    double norm = rs_norm(s->size, s->ws->direction);
    return fmax(fmin(0.5 * norm / s->problem->m, 1e10 * s->unit),
                1e-10 * s->unit);
}

/* iterate until the penalty direction vanishes; RS_STALLED on divergence */
static rs_status descend(pencf_state *s, rs_q_run *run)
{
    const rs_q_problem *problem = s->problem;
    double *W = run->W, *SW = run->SW;
    double scale = rs_norm(s->size, s->ws->direction);
    for (run->iterations = 0; run->iterations < run->limits.maxit;
         run->iterations++) {
        double infeasibility = penalty_direction(s, W, SW);
        double size = rs_norm(s->size, s->ws->direction);
        if (!isfinite(infeasibility) || !isfinite(size))
            return RS_STALLED;
        if (size <= run->limits.tol * scale)
            return RS_OK;
        move(s,
             run->iterations == 0 ? RS_PENCF_FIRST_STEP / s->unit
                                  : barzilai_borwein(s, W, run->iterations),
             W);
        if (infeasibility > RS_PENCF_INFEASIBLE)
            RS_TRY(rs_stiefel_polar(W, s->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
    }
    return RS_MAXIT;
}

rs_status rs_q_pencf(rs_q_run *run, rs_q_pencf_ws *ws)
{
    const rs_q_problem *problem = run->problem;
    const size_t size = (size_t)problem->d * problem->m;
    double *W = run->W, *SW = run->SW;
    double start_value = rs_q_value(problem, W, SW);
    pencf_state s = {problem, 0.0, rs_q_unit(problem),
                     size,    ws,  &run->base->stiefel};

    rs_copy(size, W, ws->start);
    rs_copy(size, SW, ws->Sstart);
    s.beta = default_penalty(&s, SW);
    rs_status status = descend(&s, run);
    if (!rs_is_usable(status) && status != RS_NOT_FINITE)
        return status;
    if (status == RS_OK || status == RS_MAXIT) {
        RS_TRY(rs_stiefel_polar(W, s.stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
        if (rs_q_value(problem, W, SW) <= start_value)
            return status;
    }
    rs_copy(size, ws->start, W);
    rs_copy(size, ws->Sstart, SW);
    return RS_STALLED;
}
