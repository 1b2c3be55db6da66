#include "method/spectral/directions.h"

rs_status rs_directions_init(rs_context *ctx, const rs_directions_problem *p,
                             rs_directions_fit *fit)
{
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(rs_minor_init(ctx, p->X, p->m, p->square, &fit->minor));
    fit->minor.groups = p->groups;
    return RS_OK;
}

void rs_directions_scale(const rs_directions_problem *p,
                         rs_directions_fit *fit)
{
    fit->used = rs_minor_scaled(p->asked, p->relative_gamma, &fit->minor);
}
