#include "method/fspca/fspca.h"

#include <math.h>
#include <string.h>

#include "eigen/leading.h"
#include "sets/trace_subset.h"

/* share of the trace, times d, that may lie beyond the m leading eigenvalues
 * of a matrix of rank m: their rounding */
#define RS_FSPCA_REST (4.0 * 2.220446e-16)
/* values that differ by less, relatively, are the same */
#define RS_FSPCA_TIE 1e-11

/* the problem as one of traces on subsets */
typedef struct {
    rs_context *ctx;
    rs_covop *op;
    const rs_fspca_settings *asked;
    rs_fspca_fit *fit;
    rs_subpca_ws subpca;
    rs_trace_ws trace;
    rs_history climb;            /* of the projection updates from one start */
    double value[RS_FSPCA_ENDS]; /* of the ends, the best first */
} state;

static rs_status apply_operator(void *s, int m, const double *W, double *SW)
{
    return rs_covop_apply(((state *)s)->op, m, W, SW);
}

static rs_status leading_on_subset(void *s, const int *subset, double *values,
                                   double *V)
{
    return rs_subpca(subset, values, V, &((state *)s)->subpca);
}

static rs_status init(rs_context *ctx, rs_covop *op,
                      const rs_fspca_settings *asked, rs_fspca_fit *fit,
                      state *s)
{
    const rs_trace_problem problem = {.d = op->d,
                                      .k = asked->k,
                                      .m = asked->m,
                                      .second = op->diagonal,
                                      .state = s,
                                      .apply = apply_operator,
                                      .leading = leading_on_subset,
                                      .first = asked->first};
    *s = (state){.ctx = ctx, .op = op, .asked = asked, .fit = fit};
    fit->is_global = fit->count = 0;
    RS_TRY(rs_trace_init(ctx, &problem, fit->subset, fit->V, fit->values,
                         fit->scores, &s->trace));
    RS_TRY(rs_history_init(ctx, asked->maxit + 2, &s->climb));
    RS_TRY(
        rs_history_init(ctx, asked->maxit + asked->count + 8, &fit->history));
    return rs_subpca_init(ctx, op, asked->k, asked->m, &s->subpca);
}

/* the set of Go, by scores = diag of the best rank-m approximation of S */
static rs_status choose_go(state *s)
{
    const int d = s->op->d, m = s->asked->m;
    double sum = 0.0;
    for (int c = 0; c < m; c++)
        sum += s->asked->values[c];
    s->fit->is_global = s->op->trace - sum <= RS_FSPCA_REST * d * s->op->trace;
    rs_trace_weighted_squares(&s->trace, s->asked->values, 0,
                              s->asked->vectors, s->fit->scores);
    if (m == s->asked->k) { /* tr(W'SW) is the sum of the chosen variances */
        s->fit->is_global = 1;
        rs_copy((size_t)d, s->op->diagonal, s->fit->scores);
    }
    return rs_trace_choose(&s->trace);
}

/* ---- starts ----------------------------------------------------------------- */

/* the subset, of this value, takes its place among the best ends */
static void note_end(double value, state *s)
{
    rs_fspca_fit *fit = s->fit;
    const size_t k = (size_t)s->asked->k, bytes = k * sizeof(int);
    int at = fit->count;
    for (int e = 0; e < fit->count; e++)
        if (memcmp(fit->ends + k * e, fit->subset, bytes) == 0)
            return;
    while (at > 0 && value > s->value[at - 1] * (1.0 + RS_FSPCA_TIE))
        at--;
    if (at == RS_FSPCA_ENDS)
        return;
    fit->count = rs_min_int(fit->count + 1, RS_FSPCA_ENDS);
    for (int e = fit->count - 1; e > at; e--) {
        memcpy(fit->ends + k * e, fit->ends + k * (e - 1), bytes);
        s->value[e] = s->value[e - 1];
    }
    memcpy(fit->ends + k * at, fit->subset, bytes);
    s->value[at] = value;
    if (at == 0)
        rs_history_add(&fit->history, -value);
}

/* projection updates from the subset */
static rs_status climb(state *s)
{
    rs_history_clear(&s->climb);
    RS_TRY(rs_trace_solve(&s->climb, &s->trace));
    rs_status status =
        rs_trace_climb(s->ctx, s->asked->maxit, &s->climb, &s->trace);
    if (status != RS_OK && status != RS_MAXIT)
        return status;
    note_end(-rs_history_last(&s->climb), s);
    return RS_OK;
}

/* from the largest rows of the first eigenvectors */
static rs_status climb_from_rows(int vectors, state *s)
{
    const size_t d = (size_t)s->op->d;
    rs_fill(d, 0.0, s->fit->scores);
    for (size_t c = 0; c < (size_t)vectors; c++)
        for (size_t j = 0; j < d; j++) {
            const double entry = s->asked->vectors[j + d * c];
            s->fit->scores[j] += entry * entry;
        }
    RS_TRY(rs_trace_choose(&s->trace));
    return climb(s);
}

/* the set of Go, which is the subset; the rows of the eigenvectors, and of the
 * first; the diagonal; the given sets */
static rs_status climb_from_all(state *s)
{
    const int k = s->asked->k;
    RS_TRY(climb(s));
    RS_TRY(climb_from_rows(s->asked->m, s));
    if (s->asked->m > 1)
        RS_TRY(climb_from_rows(1, s));
    rs_copy((size_t)s->op->d, s->op->diagonal, s->fit->scores);
    RS_TRY(rs_trace_choose(&s->trace));
    RS_TRY(climb(s));
    for (int i = 0; i < s->asked->count; i++) {
        rs_trace_set(s->asked->starts + (size_t)i * k, &s->trace);
        RS_TRY(climb(s));
    }
    return RS_OK;
}

/* where the time is over, the best set so far, which is the set of Go at least
 */
static rs_status climb_in_time(state *s)
{
    rs_clock clock;
    rs_clock_start(s->asked->seconds, &clock);
    RS_TRY(rs_trace_solve(&s->climb, &s->trace));
    note_end(-rs_history_last(&s->climb), s);
    s->ctx->clock = &clock;
    const rs_status status = climb_from_all(s);
    s->ctx->clock = NULL;
    return status == RS_LATE ? RS_OK : status;
}

rs_status rs_fspca(rs_context *ctx, rs_covop *op,
                   const rs_fspca_settings *asked, rs_fspca_fit *fit)
{
    state s;
    RS_TRY(init(ctx, op, asked, fit, &s));
    if (asked->solver == RS_FSPCA_GIVEN)
        rs_trace_set(asked->starts, &s.trace);
    else
        RS_TRY(choose_go(&s));
    if (asked->solver == RS_FSPCA_STARTS && !fit->is_global) {
        RS_TRY(climb_in_time(&s));
        fit->is_global = asked->k == op->d;
        rs_history_clear(&s.climb);
        rs_trace_set(fit->ends, &s.trace);
        RS_TRY(rs_trace_solve(&s.climb, &s.trace));
        /* the value as the basis has it */
        rs_history_replace(&fit->history, rs_history_last(&s.climb));
        return rs_trace_project(&s.trace);
    }
    RS_TRY(rs_trace_solve(&fit->history, &s.trace));
    if (asked->solver == RS_FSPCA_GIVEN)
        return rs_trace_project(&s.trace);
    return asked->solver == RS_FSPCA_IPU && !fit->is_global
               ? rs_trace_climb(ctx, asked->maxit, &fit->history, &s.trace)
               : RS_OK;
}
