#include "method/spectral/spectral.h"

#include <math.h>

#include "base/arena.h"
#include "graph/embedding.h"
#include "la/linalg.h"

/* sums of eigenvalues of L count as zero, and certainly as zero, below these
 * shares of its trace per sample */
#define RS_SOGFS_ZERO 1e-9
#define RS_SOGFS_CERTAIN 1e-11
/* smallest factor of lambda */
#define RS_SOGFS_FACTOR 1.001
/* and smallest lambda, relative to alpha: where the graph has too many
 * components still, the neighbours alone make them */
#define RS_SOGFS_LAMBDA 0.125

typedef struct {
    const rs_sogfs_problem *p;
    rs_sogfs_fit *fit;
    rs_context *ctx;
    int n, m, c;
    double lambda, factor;
    int direction; /* of the last change of lambda: 1, -1, or 0 */
    int turns;     /* changes of direction */
    rs_graph S;    /* in the arena, as L is */
    rs_laplacian L;
    double trace;               /* of L */
    double *ZW;                 /* n x m */
    double *both;               /* n x (m + c) */
    double *last_F;             /* n x c */
    double *last_B;             /* order x m */
    double *values, *residuals; /* c */
    double *V;                  /* n x c */
    int *queue;                 /* n */
    rs_arena arena;
} sogfs_state;

static rs_adaptive_space space_of(const sogfs_state *s)
{
    rs_adaptive_space space = {s->m, s->c, s->ZW, s->fit->F, s->lambda};
    return space;
}

/* half of sum_ij (e_ij a_ij + alpha a_ij^2), and the penalty; Z W is current */
static double objective(const sogfs_state *s)
{
    const rs_adaptive_space space = space_of(s);
    const rs_adaptive *A = &s->fit->A;
    return 0.5 * rs_adaptive_cost(&space, A) +
           0.5 * A->alpha * rs_adaptive_square(A) +
           s->fit->base.used.gamma *
               rs_minor_penalty(&s->fit->base.used, &s->fit->base.minor);
}

/* ---- steps ------------------------------------------------------------------------ */

/* L of the present A, and T = Y'LY; what was in the arena is void */
static rs_status form_laplacian(sogfs_state *s)
{
    rs_context *ctx = &s->arena.ctx;
    rs_arena_clear(&s->arena);
    RS_TRY(rs_adaptive_graph(ctx, &s->fit->A, &s->S));
    RS_TRY(rs_laplacian_init(ctx, &s->S, 0.0, RS_LAPLACIAN_UNNORMALIZED,
                             rs_embedding_block(s->n, s->c), &s->L));
    s->trace = 0.0;
    for (int i = 0; i < s->n; i++)
        s->trace += s->L.degree[i];
    return rs_minor_set(rs_laplacian_apply, &s->L, &s->fit->base.minor);
}

/* the nearest by e_ij: the columns of Z W, and of F times the root of lambda */
static rs_status nearest(sogfs_state *s, rs_neighbours *near)
{
    const size_t n = (size_t)s->n;
    rs_arena_clear(&s->arena);
    rs_copy(n * s->m, s->ZW, s->both);
    rs_copy(n * s->c, s->fit->F, s->both + n * s->m);
    rs_scale(n * s->c, sqrt(s->lambda), s->both + n * s->m);
    return rs_adaptive_near(&s->arena.ctx, s->n, s->m + s->c, s->both,
                            s->p->base.neighbours, NULL, near);
}

static rs_status update_A(sogfs_state *s, int by_data)
{
    const rs_adaptive_space space = space_of(s);
    rs_neighbours near;
    if (by_data)
        near = *s->p->near;
    else
        RS_TRY(nearest(s, &near));
    return rs_adaptive_update(&space, &near, &s->fit->A);
}

/* has Y'LY more null vectors than W has columns? Equal weights say nothing
 * about which of them to take then. */
static int is_undecided(sogfs_state *s)
{
    const rs_minor *minor = &s->fit->base.minor;
    const int components = rs_graph_components(&s->S, s->fit->label, s->queue);
    return minor->order - (s->n - components) > minor->m;
}

static rs_status update_W(sogfs_state *s, int *steps)
{
    rs_minor *minor = &s->fit->base.minor;
    double value;
    rs_status status =
        is_undecided(s)
            ? rs_minor_descend(&s->fit->base.used, 0, minor, &value, steps)
            : rs_minor_improve(&s->fit->base.used, s->last_B, minor, &value,
                               steps);
    return rs_is_usable(status) ? rs_minor_project(minor, s->ZW) : status;
}

/* F = the c smallest eigenvectors of L; the sums of its eigenvalues */
static rs_status update_F(sogfs_state *s, double *lowest, double *next)
{
    const size_t n = (size_t)s->n, c = (size_t)s->c;
    rs_copy(n * c, s->fit->F, s->last_F);
    rs_status status = rs_embedding(&s->arena.ctx, &s->L, s->c, NULL,
                                    s->values, s->V, s->residuals);
    if (!rs_is_usable(status))
        return status;
    rs_laplacian_trivial(&s->L, s->fit->F);
    rs_copy(n * (c - 1), s->V, s->fit->F + n);
    *lowest = 0.0;
    for (size_t a = 0; a + 1 < c; a++)
        *lowest += s->values[a];
    *next = *lowest + s->values[c - 1];
    return RS_OK;
}

/* 1: up, -1: down, 0: the graph has the components wanted */
static int judge(const sogfs_state *s, double lowest, double next)
{
    const double unit = s->trace / s->n;
    if (lowest > RS_SOGFS_ZERO * unit)
        return 1;
    return next < RS_SOGFS_CERTAIN * unit ? -1 : 0;
}

static void change_lambda(sogfs_state *s, int direction)
{
    if (s->direction && direction != s->direction && s->turns++ > 0)
        s->factor = sqrt(s->factor);
    s->direction = direction;
    s->lambda *= direction > 0 ? s->factor : 1.0 / s->factor;
    if (direction < 0)
        rs_copy((size_t)s->n * s->c, s->last_F, s->fit->F);
}

static int is_negligible(const sogfs_state *s)
{
    return s->lambda < RS_SOGFS_LAMBDA * s->fit->A.alpha;
}

/* ---- the loop ------------------------------------------------------------------------ */

static rs_status init_state(rs_context *ctx, const rs_sogfs_problem *p,
                            rs_sogfs_fit *fit, sogfs_state *s)
{
    const size_t n = (size_t)p->base.X->n, c = (size_t)p->clusters;
    if (p->clusters < 1 || c >= n)
        return RS_BAD_INPUT;
    *s = (sogfs_state){.p = p,
                       .fit = fit,
                       .ctx = ctx,
                       .n = p->base.X->n,
                       .c = p->clusters,
                       .factor = 2.0};
    RS_TRY(rs_directions_init(ctx, &p->base, &fit->base));
    s->m = fit->base.minor.m;
    RS_TRY(rs_adaptive_start(ctx, p->near, p->base.neighbours, &fit->A));
    s->ZW = rs_alloc_double(ctx, n * s->m);
    s->both = rs_alloc_double(ctx, n * (size_t)(s->m + s->c));
    RS_ALLOC_DOUBLES(ctx, n * c, &s->last_F, &s->V, &fit->F);
    s->last_B = rs_alloc_double(ctx, (size_t)fit->base.minor.order * s->m);
    RS_ALLOC_DOUBLES(ctx, c, &s->values, &s->residuals);
    RS_ALLOC_INTS(ctx, n, &s->queue, &fit->label);
    fit->round = (rs_sogfs_round *)rs_alloc(ctx, (size_t)p->base.maxit,
                                            sizeof *fit->round);
    RS_TRY(rs_allocated(ctx));
    rs_fill(n * c, 0.0, fit->F);
    fit->rounds = fit->alternates = 0;
    rs_arena_init(ctx, &s->arena);
    return RS_OK;
}

/* the CAN graph, its embedding, and the directions for it */
static rs_status begin(sogfs_state *s)
{
    double lowest, next, value;
    int steps;
    s->lambda = s->fit->A.alpha;
    RS_TRY(form_laplacian(s));
    rs_directions_scale(&s->p->base, &s->fit->base);
    RS_TRY(update_F(s, &lowest, &next));
    rs_status status = rs_minor_descend(&s->fit->base.used, 1,
                                        &s->fit->base.minor, &value, &steps);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(rs_minor_project(&s->fit->base.minor, s->ZW));
    rs_history_add(&s->fit->base.history, objective(s));
    return RS_OK;
}

static rs_status do_round(sogfs_state *s, rs_sogfs_round *round)
{
    round->lambda = s->lambda;
    round->before = objective(s);
    RS_TRY(update_A(s, s->fit->rounds < s->p->rounds));
    RS_TRY(form_laplacian(s));
    RS_TRY(update_W(s, &round->steps));
    RS_TRY(update_F(s, &round->lowest, &round->lowest_next));
    round->after = objective(s);
    rs_history_add(&s->fit->base.history, round->after);
    s->fit->rounds++;
    return rs_poll(s->ctx);
}

rs_status rs_sogfs(rs_context *ctx, const rs_sogfs_problem *p,
                   rs_sogfs_fit *fit)
{
    sogfs_state s;
    rs_directions_fit *base = &fit->base;
    rs_status status = RS_MAXIT;
    RS_TRY(init_state(ctx, p, fit, &s));
    RS_TRY(begin(&s));
    while (fit->rounds < p->base.maxit && status == RS_MAXIT) {
        rs_sogfs_round *round = fit->round + fit->rounds;
        RS_TRY(do_round(&s, round));
        const int direction = judge(&s, round->lowest, round->lowest_next);
        if (direction)
            change_lambda(&s, direction);
        if ((!direction || is_negligible(&s)) && fit->rounds > 1)
            status = RS_OK;
        if (s.factor < RS_SOGFS_FACTOR) {
            fit->alternates = 1;
            status = RS_STALLED;
        }
    }
    fit->components = rs_graph_components(&s.S, fit->label, s.queue);
    RS_TRY(rs_minor_stationarity(&base->used, &base->minor, &base->kkt));
    return status;
}
