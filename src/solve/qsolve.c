#include "solve/qsolve.h"

#include <math.h>

static int blocks_needed(rs_q_method method)
{
    switch (method) {
    case RS_Q_MM:
        return 1;
    case RS_Q_RTR:
        return 9;
    case RS_Q_PENCF:
        return 6;
    }
    return RS_Q_BLOCKS;
}

rs_status rs_q_init(rs_context *ctx, int d, int m, rs_q_method method,
                    rs_q_ws *ws)
{
    ws->method = method;
    for (int b = 0; b < RS_Q_BLOCKS; b++)
        ws->blocks[b] = NULL;
    for (int b = 0; b < blocks_needed(method); b++) {
        ws->blocks[b] = rs_alloc_double(ctx, (size_t)d * m);
        RS_TRY_ALLOC(ws->blocks[b]);
    }
    for (int b = 0; b < 2; b++) {
        ws->small[b] = rs_alloc_double(ctx, (size_t)m * m);
        RS_TRY_ALLOC(ws->small[b]);
    }
    return rs_stiefel_init(ctx, d, m, &ws->stiefel);
}

double rs_q_value(const rs_q_problem *problem, const double *W,
                  const double *SW)
{
    size_t size = (size_t)problem->d * problem->m;
    return -rs_dot(size, W, SW) - rs_dot(size, W, problem->C);
}

double rs_q_unit(const rs_q_problem *problem)
{
    if (problem->op->trace > 0.0)
        return problem->op->trace / problem->d;
    double norm = rs_norm((size_t)problem->d * problem->m, problem->C);
    return norm > 0.0 ? norm / sqrt((double)problem->m) : 1.0;
}

void rs_q_gradient(const rs_q_problem *problem, const double *SW, double *out)
{
    size_t size = (size_t)problem->d * problem->m;
    for (size_t i = 0; i < size; i++)
        out[i] = -2.0 * SW[i] - problem->C[i];
}

double rs_q_residual(const rs_q_problem *problem, const double *W,
                     const double *SW, rs_q_ws *ws)
{
    size_t size = (size_t)problem->d * problem->m;
    double *grad = ws->blocks[0];
    rs_q_gradient(problem, SW, grad);
    double scale = rs_norm(size, grad);
    rs_stiefel_project(W, grad, &ws->stiefel);
    return scale > 0.0 ? rs_norm(size, grad) / scale : 0.0;
}

rs_status rs_q_mm(const rs_q_problem *problem, const rs_q_control *control,
                  double *W, double *SW, rs_q_info *info, rs_q_ws *ws)
{
    size_t size = (size_t)problem->d * problem->m;
    rs_status status = RS_MAXIT;
    info->iterations = 0;
    while (info->iterations < control->maxit) {
        if (control->maxit > 1 &&
            rs_q_residual(problem, W, SW, ws) <= control->tol) {
            status = RS_OK;
            break;
        }
        /* W = polar(2 S W + C) */
        for (size_t i = 0; i < size; i++)
            W[i] = 2.0 * SW[i] + problem->C[i];
        RS_TRY(rs_stiefel_polar(W, &ws->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
        info->iterations++;
    }
    return status;
}

rs_status rs_q_solve(const rs_q_problem *problem, const rs_q_control *control,
                     double *W, double *SW, rs_q_info *info, rs_q_ws *ws)
{
    rs_status status = RS_BAD_INPUT;
    switch (control->method) {
    case RS_Q_MM:
        status = rs_q_mm(problem, control, W, SW, info, ws);
        break;
    case RS_Q_RTR:
        status = rs_q_rtr(problem, control, W, SW, info, ws);
        break;
    case RS_Q_PENCF:
        status = rs_q_pencf(problem, control, W, SW, info, ws);
        break;
    }
    if (!rs_is_usable(status))
        return status;
    info->value = rs_q_value(problem, W, SW);
    info->residual = rs_q_residual(problem, W, SW, ws);
    return isfinite(info->value) ? status : RS_NOT_FINITE;
}
