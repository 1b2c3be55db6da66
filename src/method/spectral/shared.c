#include "method/spectral/spectral.h"

#include <string.h>

rs_status rs_projection_init(rs_context *ctx, const rs_projection_problem *p,
                             double *a, int c, double *G, double *K,
                             rs_projection_fit *fit, rs_projection *s)
{
    const rs_form_parts N = {a, c, G, K};
    const rs_trace_problem problem = {.d = p->X->d,
                                      .k = p->k,
                                      .m = p->m,
                                      .second = p->ties,
                                      .state = &s->form,
                                      .apply = rs_sample_form_apply,
                                      .leading = rs_sample_form_leading,
                                      .last = p->constant,
                                      .first = p->first};
    s->p = p;
    s->fit = fit;
    s->XV = rs_alloc_double(ctx, (size_t)p->X->n * p->m);
    s->best = rs_alloc_int(ctx, (size_t)p->k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &s->updates));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(rs_sample_form_init(ctx, p->X, p->k, p->m, &N, &s->form));
    return rs_trace_init(ctx, &problem, fit->subset, fit->V, fit->values,
                         fit->scores, &s->trace);
}

void rs_projection_keep(rs_projection *s)
{
    memcpy(s->best, s->fit->subset, (size_t)s->p->k * sizeof(int));
}

rs_status rs_projection_solve(rs_projection *s)
{
    s->form.shift = 0.0;
    rs_history_clear(&s->updates);
    RS_TRY(rs_trace_solve(&s->updates, &s->trace));
    return rs_sample_form_components(s->fit->subset, s->fit->V, s->XV,
                                     &s->form);
}

rs_status rs_projection_shift(rs_projection *s)
{
    RS_TRY(rs_sample_form_make_positive(&s->form));
    rs_history_clear(&s->updates);
    return rs_trace_solve(&s->updates, &s->trace);
}

rs_status rs_projection_climb(rs_projection *s)
{
    RS_TRY(rs_projection_shift(s));
    const rs_status status =
        rs_trace_climb(s->form.ctx, s->p->maxit, &s->updates, &s->trace);
    return status == RS_MAXIT ? RS_OK : status;
}

rs_status rs_projection_score(rs_projection *s)
{
    RS_TRY(rs_projection_shift(s));
    return rs_trace_project(&s->trace);
}

rs_status rs_directions_init(rs_context *ctx, const rs_directions_problem *p,
                             rs_directions_fit *fit)
{
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(rs_minor_init(p->X, p->m, p->square, &fit->minor));
    fit->minor.groups = p->groups;
    return RS_OK;
}
