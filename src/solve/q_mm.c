#include "solve/q_mm.h"

rs_status rs_q_mm(rs_q_run *run)
{
    const rs_q_problem *problem = run->problem;
    const size_t size = (size_t)problem->d * problem->m;
    double *W = run->W, *SW = run->SW;
    for (run->iterations = 0; run->iterations < run->limits.maxit;
         run->iterations++) {
        if (run->limits.maxit > 1 &&
            rs_q_residual(problem, W, SW, run->base) <= run->limits.tol)
            return RS_OK;
        /* W = polar(2 S W + C) */
        for (size_t i = 0; i < size; i++)
            W[i] = 2.0 * SW[i] + problem->C[i];
        RS_TRY(rs_stiefel_polar(W, &run->base->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, W, SW));
    }
    return RS_MAXIT;
}
