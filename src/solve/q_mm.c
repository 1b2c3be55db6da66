#include "solve/q_mm.h"

rs_status rs_q_mm(const rs_q_problem *problem, const rs_q_limits *limits,
                  double *W, double *SW, int *iterations, rs_q_base *base)
{
    const size_t size = (size_t)problem->d * problem->m;
    for (*iterations = 0; *iterations < limits->maxit; ++*iterations) {
        if (limits->maxit > 1 &&
            rs_q_residual(problem, W, SW, base) <= limits->tol)
            return RS_OK;
        /* W = polar(2 S W + C) */
        for (size_t i = 0; i < size; i++)
            W[i] = 2.0 * SW[i] + problem->C[i];
        RS_TRY(rs_stiefel_polar(W, &base->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
    }
    return RS_MAXIT;
}
