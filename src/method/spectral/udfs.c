#include "method/spectral/spectral.h"

#include "la/linalg.h"

rs_status rs_udfs(rs_context *ctx, const rs_udfs_problem *p, rs_udfs_fit *fit)
{
    const rs_directions_problem *base = &p->base;
    rs_minor *minor = &fit->base.minor;
    rs_local_discriminant N;
    rs_status status = RS_MAXIT;
    RS_TRY(rs_directions_init(ctx, base, &fit->base));
    fit->lambda = p->lambda;
    RS_TRY(rs_local_init(ctx, base->X, p->near, base->neighbours,
                         p->relative_lambda, &fit->lambda, &N));
    RS_TRY(rs_minor_set(rs_local_apply, &N, minor));
    fit->base.used = rs_minor_scaled(base->asked, base->relative_gamma, minor);
    const rs_minor_control control = fit->base.used;

    rs_fill((size_t)minor->d, 1.0, minor->weight);
    for (int k = 0; k <= base->maxit && status == RS_MAXIT; k++) {
        RS_TRY(rs_minor_step(control.gamma, minor));
        status = rs_history_step(rs_minor_objective(&control, minor), 0.0,
                                 base->tol, &fit->base.history);
        rs_minor_reweigh(&control, minor);
        RS_TRY(rs_poll(ctx));
    }
    rs_minor_control plain = control;
    plain.eps = 0.0;
    fit->penalised = rs_minor_objective(&plain, minor);
    RS_TRY(rs_minor_stationarity(&control, minor, &fit->base.kkt));
    return status;
}
