/* Traces on a set of features, kept up by projections. */
#include "sets/trace_subset.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* eigenvalues below this share of the largest one count as zero */
#define RS_TRACE_RANK 1e-12
/* relative differences of objectives that count as none */
#define RS_TRACE_TIE 1e-13

rs_status rs_trace_init(rs_context *ctx, const rs_trace_problem *problem,
                        int *subset, double *V, double *values, double *scores,
                        rs_trace_ws *ws)
{
    const size_t d = (size_t)problem->d;
    *ws = (rs_trace_ws){.problem = *problem,
                        .subset = subset,
                        .V = V,
                        .values = values,
                        .scores = scores};
    RS_ALLOC_DOUBLES(ctx, d * problem->m, &ws->W, &ws->AW);
    RS_ALLOC_BYTES(ctx, d, &ws->keep, &ws->last);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_choose_init(ctx, d, &ws->choose));
    return rs_choose_first(ctx, d, problem->first, &ws->choose);
}

static void list_subset(rs_trace_ws *ws)
{
    for (int j = 0, at = 0; j < ws->problem.d; j++)
        if (ws->keep[j])
            ws->subset[at++] = j;
}

rs_status rs_trace_choose(rs_trace_ws *ws)
{
    const size_t d = (size_t)ws->problem.d;
    double least = 0.0, most = 0.0;
    for (size_t j = 0; j < d && ws->problem.last; j++) {
        least = fmin(least, ws->scores[j]);
        most = fmax(most, ws->scores[j]);
    }
    for (size_t j = 0; j < d && ws->problem.last; j++)
        if (ws->problem.last[j])
            ws->scores[j] = least - (most - least);
    RS_TRY(rs_choose_mask(d, ws->scores, ws->problem.second, d,
                          (size_t)ws->problem.k, ws->keep, &ws->choose));
    list_subset(ws);
    return RS_OK;
}

void rs_trace_set(const int *subset, rs_trace_ws *ws)
{
    memset(ws->keep, 0, (size_t)ws->problem.d);
    for (int i = 0; i < ws->problem.k; i++)
        ws->keep[subset[i]] = 1;
    list_subset(ws);
}

rs_status rs_trace_solve(rs_history *history, rs_trace_ws *ws)
{
    double sum = 0.0;
    RS_TRY(
        ws->problem.leading(ws->problem.state, ws->subset, ws->values, ws->V));
    for (int c = 0; c < ws->problem.m; c++)
        sum += ws->values[c];
    rs_history_add(history, -sum);
    return RS_OK;
}

/* As W holds eigenvectors of A[I, I], W'AW is diagonal with the eigenvalues. */
rs_status rs_trace_project(rs_trace_ws *ws)
{
    const int d = ws->problem.d, k = ws->problem.k, m = ws->problem.m;
    rs_fill((size_t)d * m, 0.0, ws->W);
    for (int c = 0; c < m; c++)
        for (int i = 0; i < k; i++)
            ws->W[ws->subset[i] + (size_t)c * d] = ws->V[i + (size_t)c * k];
    RS_TRY(ws->problem.apply(ws->problem.state, m, ws->W, ws->AW));
    rs_fill((size_t)d, 0.0, ws->scores);
    for (int c = 0; c < m && ws->values[c] > RS_TRACE_RANK * ws->values[0];
         c++)
        for (int j = 0; j < d; j++) {
            const double entry = ws->AW[j + (size_t)c * d];
            ws->scores[j] += entry * entry / ws->values[c];
        }
    return RS_OK;
}

rs_status rs_trace_climb(rs_context *ctx, int maxit, rs_history *history,
                         rs_trace_ws *ws)
{
    const size_t d = (size_t)ws->problem.d;
    for (int it = 0; it < maxit; it++) {
        memcpy(ws->last, ws->keep, d);
        RS_TRY(rs_trace_project(ws));
        RS_TRY(rs_trace_choose(ws));
        if (memcmp(ws->last, ws->keep, d) == 0)
            return RS_OK;
        RS_TRY(rs_trace_solve(history, ws));
        /* equal sets in turn */
        if (rs_history_change(history, 0.0) <= RS_TRACE_TIE)
            return RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return RS_MAXIT;
}
