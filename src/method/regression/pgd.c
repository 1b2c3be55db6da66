#include "method/regression/pgd.h"

#include <math.h>

#include "la/linalg.h"
#include "la/toprows.h"

rs_status rs_pgd(rs_context *ctx, const rs_l20_problem *p, double step,
                 double tol, int maxit, double *W, rs_history *history)
{
    const size_t cells = (size_t)p->n * p->c, size = (size_t)p->d * p->c;
    double *R = rs_alloc_double(ctx, cells);
    double *gradient = rs_alloc_double(ctx, size);
    rs_toprows_ws rows;
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_toprows_init(ctx, p->d, &rows));
    RS_TRY(rs_history_init(ctx, maxit + 1, history));
    RS_TRY(rs_toprows_keep(p->c, p->k, NULL, W, &rows));
    RS_TRY(rs_l20_residual(p, W, R));
    rs_history_add(history, rs_sum_squares(cells, R));
    for (int i = 0; i < maxit; i++) {
        RS_TRY(rs_data_crossprod(p->X, p->c, R, gradient));
        rs_axpy(size, -step, gradient, W);
        RS_TRY(rs_toprows_keep(p->c, p->k, NULL, W, &rows));
        RS_TRY(rs_l20_residual(p, W, R));
        double loss = rs_sum_squares(cells, R);
        if (!isfinite(loss))
            return RS_NOT_FINITE;
        rs_history_add(history, loss);
        if (rs_history_change(history, 1e-300) <= tol)
            return RS_OK;
    }
    return RS_MAXIT;
}
