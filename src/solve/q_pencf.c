/*
 * PenCF for (Q): the exact-penalty first-order method of Xiao, Liu and Yuan
 * (2022). The iterate leaves the manifold, stays in a ball, and is brought
 * back by the polar factor at the end.
 */
#include <math.h>

#include "solve/qsolve.h"

/* steps, in units of 1 / S */
#define RS_PENCF_FIRST_STEP 0.01
#define RS_PENCF_LARGEST_STEP 1000.0
#define RS_PENCF_BALL 1.0001
/* pull back to the manifold when ||W'W - I|| exceeds this */
#define RS_PENCF_INFEASIBLE 0.1

typedef struct {
    const rs_q_problem *problem;
    double *direction; /* D(W) */
    double *last_W, *last_direction;
    double *multiplier; /* m x m: sym(W' egrad) */
    double *excess;     /* m x m: W'W - I */
    double beta;
    double unit; /* of the gradients */
    rs_stiefel_ws *stiefel;
    size_t size;
} pencf_state;

/* D(W) = G - W sym(W'G) + beta W (W'W - I); returns ||W'W - I|| */
static double penalty_direction(pencf_state *s, const double *W,
                                const double *SW)
{
    const int d = s->problem->d, m = s->problem->m;
    rs_q_gradient(s->problem, SW, s->direction);
    rs_stiefel_sym_product(W, s->direction, s->multiplier, s->stiefel);
    rs_gram(d, m, W, s->excess);
    for (int j = 0; j < m; j++)
        s->excess[j + (size_t)j * m] -= 1.0;
    double infeasibility = rs_norm((size_t)m * m, s->excess);
    /* both corrections are W times a small matrix: one product */
    for (size_t i = 0; i < (size_t)m * m; i++)
        s->multiplier[i] = s->beta * s->excess[i] - s->multiplier[i];
    rs_gemm('N', 'N', d, m, m, 1.0, W, d, s->multiplier, m, 1.0, s->direction,
            d);
    return infeasibility;
}

/* the two Barzilai-Borwein formulas, alternating, below the largest step */
static double barzilai_borwein(const pencf_state *s, const double *W,
                               int iteration)
{
    double ss = 0.0, sy = 0.0, yy = 0.0;
    for (size_t i = 0; i < s->size; i++) {
        double ds = W[i] - s->last_W[i];
        double dy = s->direction[i] - s->last_direction[i];
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
    rs_copy(s->size, W, s->last_W);
    rs_copy(s->size, s->direction, s->last_direction);
    rs_axpy(s->size, -step, s->direction, W);
    double radius = RS_PENCF_BALL * sqrt((double)s->problem->m);
    double norm = rs_norm(s->size, W);
    if (norm > radius)
        rs_scale(s->size, radius / norm, W);
}

static void bind_state(const rs_q_problem *problem, rs_q_ws *ws,
                       pencf_state *s)
{
    s->problem = problem;
    s->size = (size_t)problem->d * problem->m;
    s->unit = rs_q_unit(problem);
    s->direction = ws->blocks[1];
    s->last_W = ws->blocks[2];
    s->last_direction = ws->blocks[3];
    s->multiplier = ws->small[0];
    s->excess = ws->small[1];
    s->stiefel = &ws->stiefel;
}

/* beta = max(min(||egrad(W0)|| / (2 m), 1e10), 1e-10), in units of S */
static double default_penalty(pencf_state *s, const double *SW)
{
    rs_q_gradient(s->problem, SW, s->direction);
    double norm = rs_norm(s->size, s->direction);
    return fmax(fmin(0.5 * norm / s->problem->m, 1e10 * s->unit),
                1e-10 * s->unit);
}

/* iterate until the penalty direction vanishes; RS_STALLED on divergence */
static rs_status descend(pencf_state *s, const rs_q_control *control,
                         double *W, double *SW, int *iterations)
{
    const rs_q_problem *problem = s->problem;
    double scale = rs_norm(s->size, s->direction);
    for (*iterations = 0; *iterations < control->maxit; ++*iterations) {
        double infeasibility = penalty_direction(s, W, SW);
        double size = rs_norm(s->size, s->direction);
        if (!isfinite(infeasibility) || !isfinite(size))
            return RS_STALLED;
        if (size <= control->tol * scale)
            return RS_OK;
        move(s,
             *iterations == 0 ? RS_PENCF_FIRST_STEP / s->unit
                              : barzilai_borwein(s, W, *iterations),
             W);
        if (infeasibility > RS_PENCF_INFEASIBLE)
            RS_TRY(rs_stiefel_polar(W, s->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
    }
    return RS_MAXIT;
}

rs_status rs_q_pencf(const rs_q_problem *problem, const rs_q_control *control,
                     double *W, double *SW, rs_q_info *info, rs_q_ws *ws)
{
    double *start = ws->blocks[4], *Sstart = ws->blocks[5];
    double start_value = rs_q_value(problem, W, SW);
    pencf_state s;

    bind_state(problem, ws, &s);
    rs_copy(s.size, W, start);
    rs_copy(s.size, SW, Sstart);
    s.beta = default_penalty(&s, SW);
    rs_status status = descend(&s, control, W, SW, &info->iterations);
    if (!rs_is_usable(status) && status != RS_NOT_FINITE)
        return status;
    if (status == RS_OK || status == RS_MAXIT) {
        RS_TRY(rs_stiefel_polar(W, &ws->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
        if (rs_q_value(problem, W, SW) <= start_value)
            return status;
    }
    rs_copy(s.size, start, W);
    rs_copy(s.size, Sstart, SW);
    return RS_STALLED;
}
