#include "method/spectral/spectral.h"

#include <math.h>

#include "base/arena.h"
#include "la/linalg.h"

typedef struct {
    const rs_slap_problem *p;
    rs_slap_fit *fit;
    int n, m;
    double *ZW;     /* n x m */
    double *last_B; /* order x m */
    rs_arena arena;
} slap_state;

/* half of sum_ij (e_ij a_ij + alpha a_ij^2), and the penalty */
static double objective(const slap_state *s)
{
    const rs_adaptive_space space = {s->m, 0, s->ZW, NULL, 0.0};
    const rs_adaptive *A = &s->fit->A;
    return 0.5 * rs_adaptive_cost(&space, A) +
           0.5 * A->alpha * rs_adaptive_square(A) +
           s->fit->base.used.gamma *
               rs_minor_penalty(&s->fit->base.used, &s->fit->base.minor);
}

/* the CAN weights within classes, by the data; distances are those of the
 * coordinates */
static rs_status start_A(rs_context *ctx, slap_state *s)
{
    const rs_minor *minor = &s->fit->base.minor;
    const double *Z = minor->space.coordinates;
    rs_neighbours near;
    if (!minor->is_wide) {
        double *columns =
            rs_alloc_double(&s->arena.ctx, (size_t)s->n * minor->order);
        RS_TRY_ALLOC(columns);
        RS_TRY(rs_data_columns(minor->X, minor->order, minor->kept, columns));
        Z = columns;
    }
    RS_TRY(rs_adaptive_near(&s->arena.ctx, s->n, minor->order, Z,
                            s->p->base.neighbours + 1, s->p->label, &near));
    return rs_adaptive_start(ctx, &near, s->p->base.neighbours, &s->fit->A);
}

/* over the nearest of the class along W */
static rs_status update_A(slap_state *s)
{
    const rs_adaptive_space space = {s->m, 0, s->ZW, NULL, 0.0};
    rs_neighbours near;
    rs_arena_clear(&s->arena);
    RS_TRY(rs_adaptive_near(&s->arena.ctx, s->n, s->m, s->ZW,
                            s->p->base.neighbours, s->p->label, &near));
    return rs_adaptive_update(&space, &near, &s->fit->A);
}

/* T = Y'LY for the present A */
static rs_status form_laplacian(slap_state *s)
{
    rs_graph S;
    rs_laplacian L;
    rs_arena_clear(&s->arena);
    RS_TRY(rs_adaptive_graph(&s->arena.ctx, &s->fit->A, &S));
    RS_TRY(rs_laplacian_init(&s->arena.ctx, &S, 0.0, RS_LAPLACIAN_UNNORMALIZED,
                             1, &L));
    return rs_minor_set(rs_laplacian_apply, &L, &s->fit->base.minor);
}

static rs_status update_W(slap_state *s, int first)
{
    rs_minor *minor = &s->fit->base.minor;
    double value;
    int steps;
    rs_status status =
        first ? rs_minor_descend(&s->fit->base.used, 1, minor, &value, &steps)
              : rs_minor_improve(&s->fit->base.used, s->last_B, minor, &value,
                                 &steps);
    return rs_is_usable(status) ? rs_minor_project(minor, s->ZW) : status;
}

static rs_status begin(rs_context *ctx, slap_state *s)
{
    rs_directions_fit *fit = &s->fit->base;
    rs_arena_init(ctx, &s->arena);
    RS_TRY(rs_directions_init(ctx, &s->p->base, fit));
    s->m = fit->minor.m;
    s->ZW = rs_alloc_double(ctx, (size_t)s->n * s->m);
    s->last_B = rs_alloc_double(ctx, (size_t)fit->minor.order * s->m);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(start_A(ctx, s));
    RS_TRY(form_laplacian(s));
    rs_directions_scale(&s->p->base, fit);
    RS_TRY(update_W(s, 1));
    rs_history_add(&fit->history, objective(s));
    return RS_OK;
}

rs_status rs_slap(rs_context *ctx, const rs_slap_problem *p, rs_slap_fit *fit)
{
    slap_state s = {.p = p, .fit = fit, .n = p->base.X->n};
    rs_directions_fit *base = &fit->base;
    rs_status status = RS_MAXIT;
    RS_TRY(begin(ctx, &s));
    for (int round = 0; round < p->base.maxit && status == RS_MAXIT; round++) {
        RS_TRY(update_A(&s));
        RS_TRY(form_laplacian(&s));
        RS_TRY(update_W(&s, 0));
        status =
            rs_history_step(objective(&s), 0.0, p->base.tol, &base->history);
        RS_TRY(rs_poll(ctx));
    }
    RS_TRY(rs_minor_stationarity(&base->used, &base->minor, &base->kkt));
    return status;
}
