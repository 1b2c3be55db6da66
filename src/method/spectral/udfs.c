#include "method/spectral/spectral.h"

#include "la/linalg.h"

/* the local matrices, and T = Y'NY */
static rs_status form_problem(rs_context *ctx, const rs_udfs_problem *p,
                              rs_udfs_fit *fit)
{
    rs_local_discriminant N;
    RS_TRY(rs_local_gather(ctx, p->base.X, p->near, p->base.neighbours, &N));
    fit->lambda = p->lambda;
    if (p->relative_lambda)
        fit->lambda *= N.scatter > 0.0 ? N.scatter : 1.0;
    RS_TRY(rs_local_invert(fit->lambda, &N));
    return rs_minor_set(rs_local_apply, &N, &fit->base.minor);
}

rs_status rs_udfs(rs_context *ctx, const rs_udfs_problem *p, rs_udfs_fit *fit)
{
    rs_minor *minor = &fit->base.minor;
    rs_history *history = &fit->base.history;
    rs_status status = RS_MAXIT;
    RS_TRY(rs_directions_init(ctx, &p->base, &fit->base));
    RS_TRY(form_problem(ctx, p, fit));
    rs_directions_scale(&p->base, &fit->base);
    const rs_minor_control control = fit->base.used;

    rs_fill((size_t)minor->d, 1.0, minor->weight);
    RS_TRY(rs_minor_step(control.gamma, minor));
    rs_history_add(history, rs_minor_objective(&control, minor));
    for (int k = 0; k < p->base.maxit && status == RS_MAXIT; k++) {
        rs_minor_reweigh(&control, minor);
        RS_TRY(rs_minor_step(control.gamma, minor));
        status = rs_history_step(rs_minor_objective(&control, minor), 0.0,
                                 p->base.tol, history);
        RS_TRY(rs_poll(ctx));
    }
    rs_minor_control plain = control;
    plain.eps = 0.0;
    fit->penalised = rs_minor_objective(&plain, minor);
    RS_TRY(rs_minor_stationarity(&control, minor, &fit->base.kkt));
    return status;
}
