#include "method/fspca/fspca.h"

/* share of the trace, times d, that may lie beyond the m leading eigenvalues
 * of a matrix of rank m: their rounding */
#define RS_FSPCA_REST (4.0 * 2.220446e-16)

static rs_status apply_operator(void *state, int m, const double *W,
                                double *SW)
{
    return rs_covop_apply(((rs_fspca_state *)state)->op, m, W, SW);
}

static rs_status leading_on_subset(void *state, const int *subset,
                                   double *values, double *V)
{
    return rs_subpca(subset, values, V, &((rs_fspca_state *)state)->subpca);
}

rs_status rs_fspca_begin(rs_context *ctx, rs_covop *op, int k, int m,
                         int iterations, rs_fspca_fit *fit, rs_fspca_state *s)
{
    const rs_trace_problem problem = {op->d,
                                      k,
                                      m,
                                      op->diagonal,
                                      s,
                                      apply_operator,
                                      leading_on_subset,
                                      NULL,
                                      fit->first};
    s->op = op;
    s->fit = fit;
    fit->is_global = 0;
    RS_TRY(rs_trace_init(ctx, &problem, fit->subset, fit->V, fit->values,
                         fit->scores, &s->trace));
    RS_TRY(rs_history_init(ctx, iterations, &fit->history));
    return rs_subpca_init(ctx, op, k, m, &s->subpca);
}

/* scores = diag of the best rank-m approximation of S */
rs_status rs_fspca_choose_go(rs_fspca_state *s, const double *values,
                             const double *vectors)
{
    const int d = s->op->d, k = s->trace.problem.k, m = s->trace.problem.m;
    double sum = 0.0;
    for (int c = 0; c < m; c++)
        sum += values[c];
    s->fit->is_global = s->op->trace - sum <= RS_FSPCA_REST * d * s->op->trace;
    rs_trace_weighted_squares(&s->trace, values, 0, vectors, s->fit->scores);
    if (m == k) { /* tr(W'SW) is the sum of the chosen variances */
        s->fit->is_global = 1;
        rs_copy((size_t)d, s->op->diagonal, s->fit->scores);
    }
    return rs_trace_choose(&s->trace);
}

rs_status rs_fspca_go(rs_context *ctx, rs_covop *op, int k, int m,
                      const double *values, const double *vectors,
                      rs_fspca_fit *fit)
{
    rs_fspca_state s;
    RS_TRY(rs_fspca_begin(ctx, op, k, m, 1, fit, &s));
    RS_TRY(rs_fspca_choose_go(&s, values, vectors));
    return rs_trace_solve(&fit->history, &s.trace);
}

rs_status rs_fspca_given(rs_context *ctx, rs_covop *op, int k, int m,
                         const int *set, rs_fspca_fit *fit)
{
    rs_fspca_state s;
    RS_TRY(rs_fspca_begin(ctx, op, k, m, 1, fit, &s));
    rs_trace_set(set, &s.trace);
    RS_TRY(rs_trace_solve(&fit->history, &s.trace));
    return rs_trace_project(&s.trace);
}

rs_status rs_fspca_ipu(rs_context *ctx, rs_covop *op, int k, int m,
                       const double *values, const double *vectors, int maxit,
                       rs_fspca_fit *fit)
{
    rs_fspca_state s;
    RS_TRY(rs_fspca_begin(ctx, op, k, m, maxit + 1, fit, &s));
    RS_TRY(rs_fspca_choose_go(&s, values, vectors));
    RS_TRY(rs_trace_solve(&fit->history, &s.trace));
    if (fit->is_global)
        return RS_OK;
    return rs_trace_climb(ctx, maxit, &fit->history, &s.trace);
}
