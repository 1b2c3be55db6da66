#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/ridge.h"

typedef struct {
    const rs_sf2sog_problem *p;
    rs_sf2sog_fit *fit;
    int n, d, m;
    rs_projection base;      /* A = shift I - X'TX */
    rs_ridge smoother;       /* I + L / lambda */
    double *L, *K;           /* n x n: the Laplacian, and -T */
    double *A0;              /* neighbours x n */
    double *F;               /* n x m */
    rs_adaptive_space space; /* F */
    double unit;             /* of gamma: mean ||W'(x_i - x_l)||^2 for any W */
    double zero;             /* of the objective */
    double value;            /* of the objective */
} sf2sog_state;

/* ---- the start ------------------------------------------------------------- */

static rs_status init_state(rs_context *ctx, const rs_sf2sog_problem *p,
                            rs_sf2sog_fit *fit, sf2sog_state *s)
{
    const rs_data *X = p->base.X;
    const size_t n = (size_t)X->n;
    *s = (sf2sog_state){
        .p = p, .fit = fit, .n = X->n, .d = X->d, .m = p->base.m};
    RS_ALLOC_DOUBLES(ctx, n * n, &s->L, &s->K);
    s->A0 = rs_alloc_double(ctx, n * p->neighbours);
    s->F = rs_alloc_double(ctx, n * s->m);
    RS_TRY(rs_allocated(ctx));
    s->space = (rs_adaptive_space){.m = s->m, .Z = s->F};
    RS_TRY(rs_ridge_init(ctx, s->n, &s->smoother));
    RS_TRY(rs_projection_init(ctx, &p->base, NULL, 0, NULL, s->K, &fit->base,
                              &s->base));
    RS_TRY(rs_adaptive_start(ctx, p->near, p->neighbours, &fit->A));
    rs_copy(n * p->neighbours, fit->A.weight, s->A0);
    fit->A.centre = s->A0;
    return RS_OK;
}

/* what gamma and the objective are measured by */
static rs_status find_units(sf2sog_state *s)
{
    const rs_neighbours *near = s->p->near;
    const size_t edges = near->start[s->n];
    double length = 0.0;
    double *square = rs_alloc_double(s->p->base.X->ctx, (size_t)s->d);
    RS_TRY_ALLOC(square);
    for (size_t e = 0; e < edges; e++)
        length += near->distance[e] * near->distance[e];
    RS_TRY(rs_data_column_squares(s->p->base.X, square));
    const double total = rs_sum(s->d, square);
    const double share = (double)s->m / s->d, lambda = s->p->lambda;
    s->unit = length > 0.0 ? share * length / (double)edges : 1.0;
    /* what rounding leaves beside what a projection has by chance */
    s->zero = RS_TIE * share * total * lambda / (1.0 + lambda);
    return RS_OK;
}

/* gamma, or one at which e_i / (4 gamma) sums to 1, the sum of a row, in the
 * mean over all samples */
static void scale_gamma(sf2sog_state *s)
{
    rs_adaptive *A = &s->fit->A;
    double gamma = s->p->gamma;
    if (gamma == 0.0) {
        /* the costs without weights */
        rs_fill((size_t)s->n * A->k, 1.0, A->weight);
        gamma = rs_adaptive_cost(&s->space, A) / (4.0 * s->n);
        rs_copy((size_t)s->n * A->k, s->A0, A->weight);
    }
    gamma = fmax(gamma, RS_NOTHING * s->unit);
    s->fit->gamma = fmin(gamma, s->unit / RS_NOTHING);
    A->alpha = 2.0 * s->fit->gamma;
}

/* ---- steps ----------------------------------------------------------------- */

/* L of A, the factor of I + L / lambda, and K = -T = -(I + L / lambda)^{-1} L */
static rs_status use_graph(sf2sog_state *s)
{
    const size_t size = (size_t)s->n * s->n;
    rs_adaptive_laplacian(&s->fit->A, s->L);
    rs_copy(size, s->L, s->smoother.A);
    rs_scale(size, 1.0 / s->p->lambda, s->smoother.A);
    RS_TRY(rs_ridge_factor_grown(s->n, NULL, &s->smoother));
    rs_copy(size, s->L, s->K);
    rs_scale(size, -1.0, s->K);
    RS_TRY(rs_ridge_solve(s->n, s->K, &s->smoother));
    rs_symmetrise(s->n, s->K);
    return RS_OK;
}

/* the best W and F = (I + L / lambda)^{-1} XW on the present set, and the objective */
static rs_status solve_basis(sf2sog_state *s)
{
    const size_t size = (size_t)s->n * s->m;
    const rs_adaptive *A = &s->fit->A;
    RS_TRY(rs_projection_solve(&s->base));
    rs_copy(size, s->base.XV, s->F);
    RS_TRY(rs_ridge_solve(s->m, s->F, &s->smoother));
    const double gap = rs_distance(size, s->base.XV, s->F);
    s->value = 0.5 * rs_adaptive_cost(&s->space, A) +
               s->p->lambda * gap * gap +
               0.5 * A->alpha * rs_adaptive_square(A);
    return RS_OK;
}

/* the set before, where rounding has made the objective worse */
static rs_status update_features(sf2sog_state *s)
{
    RS_TRY(solve_basis(s));
    const double last = s->value;
    rs_projection_keep(&s->base);
    RS_TRY(rs_projection_climb(&s->base));
    RS_TRY(solve_basis(s));
    if (s->value <= last)
        return RS_OK;
    rs_trace_set(s->base.best, &s->base.trace);
    return solve_basis(s);
}

/* Where the objective is zero, sets that score alike are zero as well: those
 * first in the order of the ties, if they are. */
static rs_status break_ties(sf2sog_state *s)
{
    s->fit->is_any = 0;
    s->fit->is_zero = s->value <= s->zero;
    if (!s->fit->is_zero)
        return RS_OK;
    rs_projection_keep(&s->base);
    rs_fill((size_t)s->d, 1.0, s->fit->base.scores);
    RS_TRY(rs_trace_choose(&s->base.trace));
    RS_TRY(solve_basis(s));
    s->fit->is_any = s->value <= s->zero;
    if (s->fit->is_any)
        return RS_OK;
    rs_trace_set(s->base.best, &s->base.trace);
    return solve_basis(s);
}

/* ---- the loop -------------------------------------------------------------- */

/* the k features of least x_j'Tx_j on the graph A_0, and updates from these */
static rs_status begin(sf2sog_state *s)
{
    RS_TRY(find_units(s));
    RS_TRY(use_graph(s));
    RS_TRY(rs_sample_form_make_positive(&s->base.form));
    RS_TRY(rs_sample_form_diagonal(&s->base.form, s->fit->base.scores));
    RS_TRY(rs_trace_choose(&s->base.trace));
    RS_TRY(update_features(s));
    scale_gamma(s);
    rs_history_add(&s->fit->base.history, s->value);
    return RS_OK;
}

rs_status rs_sf2sog(rs_context *ctx, const rs_sf2sog_problem *p,
                    rs_sf2sog_fit *fit)
{
    sf2sog_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(init_state(ctx, p, fit, &s));
    RS_TRY(begin(&s));
    for (int it = 0; it < p->base.maxit && status == RS_MAXIT; it++) {
        RS_TRY(rs_adaptive_update(&s.space, p->near, &fit->A));
        RS_TRY(use_graph(&s));
        RS_TRY(update_features(&s));
        status =
            rs_history_step(s.value, s.zero, p->base.tol, &fit->base.history);
        RS_TRY(rs_poll(ctx));
    }
    if (!rs_is_usable(status))
        return status;
    RS_TRY(break_ties(&s));
    if (!fit->is_any)
        RS_TRY(rs_projection_score(&s.base));
    return status;
}
