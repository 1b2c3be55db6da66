#include "solve/qproblem.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_q_base_init(rs_context *ctx, int d, int m, rs_q_base *base)
{
    base->gradient = rs_alloc_double(ctx, (size_t)d * m);
    RS_TRY(rs_allocated(ctx));
    return rs_stiefel_init(ctx, d, m, &base->stiefel);
}

double rs_q_value(const rs_q_problem *problem, const double *W,
                  const double *SW)
{
    size_t size = (size_t)problem->d * problem->m;
    return -rs_dot(size, W, SW) - rs_dot(size, W, problem->C);
}

void rs_q_gradient(const rs_q_problem *problem, const double *SW, double *out)
{
    size_t size = (size_t)problem->d * problem->m;
    for (size_t i = 0; i < size; i++)
        out[i] = -2.0 * SW[i] - problem->C[i];
}

double rs_q_residual(const rs_q_problem *problem, const double *W,
                     const double *SW, rs_q_base *base)
{
    size_t size = (size_t)problem->d * problem->m;
    rs_q_gradient(problem, SW, base->gradient);
    double scale = rs_norm(size, base->gradient);
    rs_stiefel_project(W, base->gradient, &base->stiefel);
    return scale > 0.0 ? rs_norm(size, base->gradient) / scale : 0.0;
}

double rs_q_unit(const rs_q_problem *problem)
{
    if (problem->op->trace > 0.0)
        return problem->op->trace / problem->d;
    double norm = rs_norm((size_t)problem->d * problem->m, problem->C);
    return norm > 0.0 ? norm / sqrt((double)problem->m) : 1.0;
}
