#include "method/regression/l20.h"

#include "la/linalg.h"

rs_status rs_l20_residual(const rs_l20_problem *problem, const double *W,
                          double *R)
{
    RS_TRY(rs_data_times(problem->X, problem->c, W, R));
    rs_axpy((size_t)problem->n * problem->c, -1.0, problem->Y, R);
    return RS_OK;
}
