#include "method/regression/regression.h"

#include "la/linalg.h"
#include "la/toprows.h"

rs_status rs_pgd(rs_context *ctx, const rs_l20_problem *p, double step,
                 double *W, rs_history *history)
{
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    double *R = rs_alloc_double(ctx, cells);
    double *gradient = rs_alloc_double(ctx, size);
    rs_toprows_ws rows;
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_toprows_init(ctx, p->d, &rows));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, history));
    for (int i = 0;; i++) {
        RS_TRY(rs_toprows_keep(p->c, p->k, NULL, W, &rows));
        RS_TRY(rs_data_residual(p->X, p->c, p->Y, W, R));
        const rs_status status =
            rs_history_step(rs_sum_squares(cells, R), 1e-300, p->tol, history);
        if (status != RS_MAXIT || i == p->maxit)
            return status;
        RS_TRY(rs_data_crossprod(p->X, p->c, R, gradient));
        rs_axpy(size, step, gradient, W);
    }
}
