#include "solve/lbfgs.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/steps.h"

/* the second Wolfe condition: enough of a new slope */
#define RS_LBFGS_SLOPE 0.9

rs_status rs_lbfgs_init(rs_context *ctx, size_t size, rs_lbfgs *ws)
{
    *ws = (rs_lbfgs){.ctx = ctx};
    RS_ALLOC_DOUBLES(ctx, size, &ws->gradient, &ws->direction, &ws->trial,
                     &ws->trial_gradient);
    RS_ALLOC_DOUBLES(ctx, size * RS_LBFGS_MEMORY, &ws->steps, &ws->changes);
    return rs_allocated(ctx);
}

/* direction = - H gradient, by the two loops over the pairs */
static void two_loops(size_t size, const double *metric, rs_lbfgs *ws)
{
    double *q = ws->direction;
    rs_copy(size, ws->gradient, q);
    for (int t = 0; t < ws->count; t++) {
        const int at =
            (ws->next - 1 - t + 2 * RS_LBFGS_MEMORY) % RS_LBFGS_MEMORY;
        const double *s = ws->steps + size * at, *y = ws->changes + size * at;
        ws->weight[at] = rs_dot(size, s, q) / ws->curvature[at];
        rs_axpy(size, -ws->weight[at], y, q);
    }
    if (ws->count > 0) { /* by the metric and the curvature of the last pair */
        const int at = (ws->next - 1 + RS_LBFGS_MEMORY) % RS_LBFGS_MEMORY;
        const double *y = ws->changes + size * at;
        double square = 0.0;
        for (size_t i = 0; i < size; i++) {
            square += metric[i] * y[i] * y[i];
            q[i] *= metric[i];
        }
        rs_scale(size, ws->curvature[at] / square, q);
    }
    for (int t = ws->count - 1; t >= 0; t--) {
        const int at =
            (ws->next - 1 - t + 2 * RS_LBFGS_MEMORY) % RS_LBFGS_MEMORY;
        const double *s = ws->steps + size * at, *y = ws->changes + size * at;
        const double back = rs_dot(size, y, q) / ws->curvature[at];
        rs_axpy(size, ws->weight[at] - back, s, q);
    }
    rs_scale(size, -1.0, q);
}

/* the pair that belongs to the step from x to the trial point */
static void keep_pair(size_t size, const double *x, rs_lbfgs *ws)
{
    double *s = ws->steps + size * ws->next;
    double *y = ws->changes + size * ws->next;
    for (size_t i = 0; i < size; i++) {
        s[i] = ws->trial[i] - x[i];
        y[i] = ws->trial_gradient[i] - ws->gradient[i];
    }
    const double sy = rs_dot(size, s, y);
    if (!(sy > RS_ROUNDING * rs_norm(size, s) * rs_norm(size, y)))
        return;
    ws->curvature[ws->next] = sy;
    ws->next = (ws->next + 1) % RS_LBFGS_MEMORY;
    ws->count = rs_min_int(ws->count + 1, RS_LBFGS_MEMORY);
}

/*
 * A point on the ray that satisfies both conditions, by doubling and bisection
 * with quadratic interpolation; *found = 0 where there is none. A point that
 * only lowers the value enough will do at the end.
 */
static rs_status search_ray(const rs_lbfgs_problem *problem, const double *x,
                            double slope, double step, double *value,
                            int *found, rs_lbfgs *ws)
{
    double low = 0.0, high = INFINITY;
    *found = 0;
    *value = INFINITY;
    for (int t = 0; t < RS_INNER_STEPS; t++) {
        if (ws->evaluations >= problem->evaluations)
            break;
        rs_copy(problem->size, x, ws->trial);
        rs_axpy(problem->size, step, ws->direction, ws->trial);
        RS_TRY(problem->smooth(problem->state, ws->trial, value,
                               ws->trial_gradient));
        ws->evaluations++;
        RS_TRY(rs_poll(ws->ctx));
        if (!(*value <= ws->value + RS_DECREASE * step * slope)) {
            const double bend = *value - ws->value - step * slope;
            double next = bend > 0.0 && isfinite(bend)
                              ? -slope * step * step / (2.0 * bend)
                              : 0.0;
            high = step;
            next = fmax(next, low + 0.1 * (high - low));
            step = fmin(next, low + 0.5 * (high - low));
        } else if (rs_dot(problem->size, ws->trial_gradient, ws->direction) <
                   RS_LBFGS_SLOPE * slope) {
            low = step;
            step = isfinite(high) ? 0.5 * (low + high) : 2.0 * step;
        } else {
            *found = 1;
            return RS_OK;
        }
        if (isfinite(high) && high - low < 1e-14 * high)
            break;
    }
    *found = *value < ws->value;
    return RS_OK;
}

/* has the value fallen by too little over the window? */
static int stands(const rs_lbfgs_problem *problem, rs_lbfgs *ws)
{
    const int at = ws->steps_taken % RS_LBFGS_WINDOW;
    const double before = ws->past[at];
    const int full = ws->steps_taken >= RS_LBFGS_WINDOW;
    ws->past[at] = ws->value;
    return full && before - ws->value <= problem->tol * fabs(ws->value);
}

rs_status rs_lbfgs_minimise(const rs_lbfgs_problem *problem, double *x,
                            rs_lbfgs *ws)
{
    const size_t size = problem->size;
    ws->count = ws->next = ws->steps_taken = 0;
    ws->evaluations = 1;
    RS_TRY(problem->smooth(problem->state, x, &ws->value, ws->gradient));
    for (;; ws->steps_taken++) {
        double value;
        int found = 0;
        if (stands(problem, ws))
            return RS_OK;
        if (ws->evaluations >= problem->evaluations)
            return RS_MAXIT;
        two_loops(size, problem->metric, ws);
        const double slope = rs_dot(size, ws->gradient, ws->direction);
        /* without pairs the gradient says nothing about lengths */
        const double first =
            ws->count > 0 ? 1.0 : fmin(1.0, 1.0 / sqrt(-slope));
        if (slope < 0.0)
            RS_TRY(search_ray(problem, x, slope, first, &value, &found, ws));
        if (!found) {
            if (ws->evaluations >= problem->evaluations)
                return RS_MAXIT;
            if (ws->count == 0)
                return RS_STALLED;
            ws->count = 0;
            continue;
        }
        keep_pair(size, x, ws);
        rs_copy(size, ws->trial, x);
        rs_copy(size, ws->trial_gradient, ws->gradient);
        ws->value = value;
    }
}
