/* The course of EM, from the objective after each E-step. */
#include "solve/em.h"

rs_status rs_em_begin(rs_context *ctx, const rs_em_settings *set,
                      rs_em_course *course)
{
    course->status = set->maxit > 0 ? RS_MAXIT : RS_OK;
    RS_TRY(rs_history_init(ctx, set->maxit + 1, &course->loss));
    return rs_history_init(ctx, set->maxit + 1, &course->loglik);
}

rs_status rs_em_record(double loglik, double penalty, int patience,
                       const rs_em_settings *set, rs_em_course *course,
                       int *ends)
{
    const double loss = penalty - loglik;
    if (!rs_all_finite(1, &loss))
        return RS_NOT_FINITE;
    rs_history_add(&course->loglik, loglik);
    rs_history_add(&course->loss, loss);
    if (rs_history_is_flat(&course->loss, patience, set->tol))
        course->status = RS_OK;
    *ends = course->status == RS_OK || course->loss.count > set->maxit;
    return RS_OK;
}
