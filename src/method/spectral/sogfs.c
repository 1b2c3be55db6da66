#include "method/spectral/spectral.h"

#include <math.h>

#include "base/arena.h"
#include "graph/graph.h"
#include "la/linalg.h"

/* sums of eigenvalues of L count as zero, and certainly as zero, below these
 * shares of its trace per sample */
#define RS_SOGFS_ZERO 1e-9
#define RS_SOGFS_CERTAIN 1e-11
/* rounds of filtering of an embedding */
#define RS_SOGFS_FILTERS 500
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
    rs_adaptive_space space; /* Z W, F and lambda */
    rs_graph S;              /* in the arena, as L is */
    rs_laplacian L;
    double *ZW;     /* n x m */
    double *both;   /* n x (m + c) */
    double *last_B; /* order x m */
    /* what the components of the graph are driven by; c > 0 */
    struct {
        double factor;
        int direction;    /* of the last change of lambda: 1, -1, or 0 */
        int turns;        /* changes of direction */
        double *last, *V; /* n x c: F of the last round, eigenvectors */
        double *values, *residuals; /* c */
        int *queue;                 /* n */
    } rank;
    rs_arena arena;
} sogfs_state;

/* half of sum_ij (e_ij a_ij + alpha a_ij^2), and the penalty; Z W is current */
static double objective(const sogfs_state *s)
{
    const rs_adaptive *A = &s->fit->A;
    return 0.5 * rs_adaptive_cost(&s->space, A) +
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
    RS_TRY(
        rs_laplacian_init(ctx, &s->S, 0.0, RS_LAPLACIAN_UNNORMALIZED, &s->L));
    return rs_minor_set(rs_laplacian_apply, &s->L, &s->fit->base.minor);
}

/* A over the nearest by the data in the first rounds; then by e_ij: the columns
 * of Z W, and of F times the root of lambda */
static rs_status update_A(sogfs_state *s)
{
    const size_t n = (size_t)s->n;
    rs_neighbours near;
    if (s->fit->rounds < s->p->rounds)
        return rs_adaptive_update(&s->space, s->p->near, &s->fit->A);
    rs_arena_clear(&s->arena);
    rs_copy(n * s->m, s->ZW, s->both);
    rs_copy(n * s->c, s->fit->F, s->both + n * s->m);
    rs_scale(n * s->c, sqrt(s->space.lambda), s->both + n * s->m);
    RS_TRY(rs_adaptive_near(&s->arena.ctx, s->n, s->m + s->c, s->both,
                            s->p->base.neighbours, s->p->label, &near));
    return rs_adaptive_update(&s->space, &near, &s->fit->A);
}

/* has Y'LY more null vectors than W has columns, as the graph has components?
 * Equal weights say nothing about which of them to take then. */
static int is_undecided(sogfs_state *s)
{
    const rs_minor *minor = &s->fit->base.minor;
    s->fit->components =
        rs_graph_components(&s->S, s->fit->label, s->rank.queue);
    return minor->order - (s->n - s->fit->components) > minor->m;
}

static rs_status update_W(sogfs_state *s, rs_sogfs_round *round)
{
    rs_minor *minor = &s->fit->base.minor;
    const rs_minor_control *control = &s->fit->base.used;
    const int first = s->fit->base.history.count == 0;
    double value;
    int steps;
    rs_status status =
        first || (s->c && is_undecided(s))
            ? rs_minor_descend(control, first, minor, &value, &steps)
            : rs_minor_improve(control, s->last_B, minor, &value, &steps);
    round->steps = steps;
    return rs_is_usable(status) ? rs_minor_project(minor, s->ZW) : status;
}

/* F = the c smallest eigenvectors of L; the sums of its eigenvalues */
static rs_status update_F(sogfs_state *s, rs_sogfs_round *round)
{
    const size_t n = (size_t)s->n, c = (size_t)s->c;
    rs_copy(n * c, s->fit->F, s->rank.last);
    rs_status status =
        rs_embedding(&s->arena.ctx, &s->L, s->c, RS_NOTHING, RS_SOGFS_FILTERS,
                     s->rank.values, s->rank.V, s->rank.residuals);
    if (!rs_is_usable(status))
        return status;
    rs_laplacian_trivial(&s->L, s->fit->F);
    rs_copy(n * (c - 1), s->rank.V, s->fit->F + n);
    round->lowest = rs_sum(s->c - 1, s->rank.values);
    round->lowest_next = round->lowest + s->rank.values[c - 1];
    return RS_OK;
}

/* lambda goes up or down until the graph has the components wanted */
static rs_status drive_components(const rs_sogfs_round *round, sogfs_state *s)
{
    const double unit = rs_sum(s->n, s->L.degree) / s->n;
    const int direction = round->lowest > RS_SOGFS_ZERO * unit           ? 1
                          : round->lowest_next < RS_SOGFS_CERTAIN * unit ? -1
                                                                         : 0;
    if (direction) {
        if (s->rank.direction && direction != s->rank.direction &&
            s->rank.turns++ > 0)
            s->rank.factor = sqrt(s->rank.factor);
        s->rank.direction = direction;
        s->space.lambda *=
            direction > 0 ? s->rank.factor : 1.0 / s->rank.factor;
        if (direction < 0)
            rs_copy((size_t)s->n * s->c, s->rank.last, s->fit->F);
    }
    s->fit->alternates = s->rank.factor < RS_SOGFS_FACTOR;
    if (s->fit->alternates)
        return RS_STALLED;
    const int negligible = s->space.lambda < RS_SOGFS_LAMBDA * s->fit->A.alpha;
    return (!direction || negligible) && s->fit->rounds > 1 ? RS_OK : RS_MAXIT;
}

/* ---- the loop ------------------------------------------------------------------------ */

static rs_status init_rank(rs_context *ctx, sogfs_state *s)
{
    const size_t n = (size_t)s->n, c = (size_t)s->c;
    s->rank.factor = 2.0;
    RS_ALLOC_DOUBLES(ctx, n * c, &s->rank.last, &s->rank.V, &s->fit->F);
    RS_ALLOC_DOUBLES(ctx, c, &s->rank.values, &s->rank.residuals);
    RS_ALLOC_INTS(ctx, n, &s->rank.queue, &s->fit->label);
    RS_TRY(rs_allocated(ctx));
    rs_fill(n * c, 0.0, s->fit->F);
    return RS_OK;
}

/* the CAN weights, by the neighbours given or, within classes, by the data:
 * distances are those of the coordinates */
static rs_status start_A(rs_context *ctx, sogfs_state *s)
{
    const rs_minor *minor = &s->fit->base.minor;
    const int k = s->p->base.neighbours;
    const double *Z = minor->coordinates;
    rs_neighbours near;
    if (!s->p->label)
        return rs_adaptive_start(ctx, s->p->near, k, &s->fit->A);
    if (minor->kept) {
        double *columns =
            rs_alloc_double(&s->arena.ctx, (size_t)s->n * minor->order);
        RS_TRY_ALLOC(columns);
        RS_TRY(
            rs_data_columns(minor->X, minor->order, minor->kept, 0, columns));
        Z = columns;
    }
    RS_TRY(rs_adaptive_near(&s->arena.ctx, s->n, minor->order, Z, k + 1,
                            s->p->label, &near));
    return rs_adaptive_start(ctx, &near, k, &s->fit->A);
}

static rs_status init_state(rs_context *ctx, const rs_sogfs_problem *p,
                            rs_sogfs_fit *fit, sogfs_state *s)
{
    *s = (sogfs_state){
        .p = p, .fit = fit, .ctx = ctx, .n = p->base.X->n, .c = p->clusters};
    *fit = (rs_sogfs_fit){.rounds = 0};
    rs_arena_init(ctx, &s->arena);
    RS_TRY(rs_directions_init(ctx, &p->base, &fit->base));
    s->m = fit->base.minor.m;
    const size_t n = (size_t)s->n;
    s->ZW = rs_alloc_double(ctx, n * s->m);
    s->both = rs_alloc_double(ctx, n * (size_t)(s->m + s->c));
    s->last_B = rs_alloc_double(ctx, (size_t)fit->base.minor.order * s->m);
    fit->round = (rs_sogfs_round *)rs_alloc(ctx, (size_t)p->base.maxit,
                                            sizeof *fit->round);
    RS_TRY(rs_allocated(ctx));
    if (s->c > 0)
        RS_TRY(init_rank(ctx, s));
    RS_TRY(start_A(ctx, s));
    s->space = (rs_adaptive_space){s->m, s->c, s->ZW, fit->F, fit->A.alpha};
    return RS_OK;
}

/* the CAN graph, its embedding, and the directions for it */
static rs_status begin(sogfs_state *s)
{
    rs_sogfs_round first;
    RS_TRY(form_laplacian(s));
    s->fit->base.used = rs_minor_scaled(
        s->p->base.asked, s->p->base.relative_gamma, &s->fit->base.minor);
    if (s->c > 0)
        RS_TRY(update_F(s, &first));
    RS_TRY(update_W(s, &first));
    rs_history_add(&s->fit->base.history, objective(s));
    return RS_OK;
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
        *round = (rs_sogfs_round){.lambda = s.space.lambda,
                                  .before = objective(&s)};
        RS_TRY(update_A(&s));
        RS_TRY(form_laplacian(&s));
        RS_TRY(update_W(&s, round));
        if (s.c > 0)
            RS_TRY(update_F(&s, round));
        round->after = objective(&s);
        fit->rounds++;
        status =
            rs_history_step(round->after, 0.0, p->base.tol, &base->history);
        if (s.c > 0 && rs_is_usable(status))
            status = drive_components(round, &s);
        RS_TRY(rs_poll(ctx));
    }
    if (s.c > 0)
        fit->components = rs_graph_components(&s.S, fit->label, s.rank.queue);
    RS_TRY(rs_minor_stationarity(&base->used, &base->minor, &base->kkt));
    return status;
}
