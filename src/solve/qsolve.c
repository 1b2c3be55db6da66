#include "solve/qsolve.h"

#include <math.h>

#include "solve/q_mm.h"

rs_status rs_q_init(rs_context *ctx, int d, int m, rs_q_method method,
                    rs_q_ws *ws)
{
    RS_TRY(rs_q_base_init(ctx, d, m, &ws->base));
    switch (method) {
    case RS_Q_MM:
        return RS_OK;
    case RS_Q_RTR:
        return rs_q_rtr_init(ctx, d, m, &ws->rtr);
    case RS_Q_PENCF:
        return rs_q_pencf_init(ctx, d, m, &ws->pencf);
    }
    return RS_BAD_INPUT;
}

rs_status rs_q_solve(const rs_q_problem *problem, const rs_q_control *control,
                     double *W, double *SW, rs_q_info *info, rs_q_ws *ws)
{
    rs_q_run run = {problem, control->limits, W, SW, &ws->base, 0};
    rs_status status = RS_BAD_INPUT;
    switch (control->method) {
    case RS_Q_MM:
        status = rs_q_mm(&run);
        break;
    case RS_Q_RTR:
        status = rs_q_rtr(&run, &ws->rtr);
        break;
    case RS_Q_PENCF:
        status = rs_q_pencf(&run, &ws->pencf);
        break;
    }
    info->iterations = run.iterations;
    if (!rs_is_usable(status))
        return status;
    info->value = rs_q_value(problem, W, SW);
    info->residual = rs_q_residual(problem, W, SW, &ws->base);
    return isfinite(info->value) ? status : RS_NOT_FINITE;
}
