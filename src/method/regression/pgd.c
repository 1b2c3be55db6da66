#include "method/regression/regression.h"

#include "la/linalg.h"
#include "la/toprows.h"

rs_status rs_l20_residual(const rs_l20_problem *problem, const double *W,
                          double *R)
{
    RS_TRY(rs_data_times(problem->X, problem->c, W, R));
    rs_axpy((size_t)problem->n * problem->c, -1.0, problem->Y, R);
    return RS_OK;
}

rs_status rs_pgd(rs_context *ctx, const rs_l20_problem *p, double step,
                 double *W, rs_history *history)
{
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    double *R = rs_alloc_double(ctx, cells);
    double *gradient = rs_alloc_double(ctx, size);
    rs_toprows_ws rows;
    rs_status status = RS_MAXIT;
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_toprows_init(ctx, p->d, &rows));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, history));
    RS_TRY(rs_toprows_keep(p->c, p->k, NULL, W, &rows));
    RS_TRY(rs_l20_residual(p, W, R));
    rs_history_add(history, rs_sum_squares(cells, R));
    for (int i = 0; i < p->maxit && status == RS_MAXIT; i++) {
        RS_TRY(rs_data_crossprod(p->X, p->c, R, gradient));
        rs_axpy(size, -step, gradient, W);
        RS_TRY(rs_toprows_keep(p->c, p->k, NULL, W, &rows));
        RS_TRY(rs_l20_residual(p, W, R));
        status =
            rs_history_step(rs_sum_squares(cells, R), 1e-300, p->tol, history);
    }
    return status;
}
