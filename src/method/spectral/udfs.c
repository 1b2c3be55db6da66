#include "method/spectral/udfs.h"

#include <math.h>

/* the local matrices, and T = Y'NY */
static rs_status form_problem(rs_context *ctx, rs_data *X,
                              const rs_neighbours *near,
                              const rs_udfs_settings *set, rs_udfs_fit *fit)
{
    rs_local_discriminant N;
    RS_TRY(rs_local_gather(ctx, X, near, set->neighbours, &N));
    fit->lambda = set->lambda;
    if (set->relative_lambda)
        fit->lambda *= N.scatter > 0.0 ? N.scatter : 1.0;
    RS_TRY(rs_local_invert(fit->lambda, &N));
    return rs_minor_set(rs_local_apply, &N, &fit->minor);
}

rs_status rs_udfs(rs_context *ctx, rs_data *X, const rs_neighbours *near,
                  const double *square, const rs_udfs_settings *settings,
                  rs_udfs_fit *fit)
{
    rs_minor *minor = &fit->minor;
    rs_status status = RS_MAXIT;
    RS_TRY(rs_history_init(ctx, settings->maxit + 1, &fit->history));
    RS_TRY(rs_minor_init(ctx, X, settings->m, square, minor));
    minor->groups = settings->groups;
    RS_TRY(form_problem(ctx, X, near, settings, fit));
    const rs_minor_control asked = {settings->gamma, 1.0, settings->eps,
                                    settings->tol, 1};
    const rs_minor_control control =
        rs_minor_scaled(asked, settings->relative_gamma, minor);
    fit->gamma = control.gamma;
    fit->eps = control.eps;

    rs_minor_reset(minor);
    RS_TRY(rs_minor_step(control.gamma, minor));
    rs_history_add(&fit->history, rs_minor_objective(&control, minor));
    for (int k = 0; k < settings->maxit && status == RS_MAXIT; k++) {
        rs_minor_reweigh(&control, minor);
        RS_TRY(rs_minor_step(control.gamma, minor));
        status = rs_history_step(rs_minor_objective(&control, minor), 0.0,
                                 settings->tol, &fit->history);
        RS_TRY(rs_poll(ctx));
    }
    rs_minor_control plain = control;
    plain.eps = 0.0;
    fit->penalised = rs_minor_objective(&plain, minor);
    RS_TRY(rs_minor_stationarity(&control, minor, &fit->kkt));
    return status;
}
