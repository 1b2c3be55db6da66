/* Traces on a set of features, kept up by projections. */
#include "sets/trace_subset.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* the extreme eigenvalue need not be accurate: the shift is larger by that */
static const rs_ritz_control rough = {.tol = 1e-3, .maxit = 100};

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
    const rs_trace_problem *p = &ws->problem;
    RS_TRY(p->leading(p->state, ws->subset, ws->values, ws->V));
    rs_history_add(history, -rs_sum(p->m, ws->values));
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
    for (int c = 0; c < m && ws->values[c] > RS_NOTHING * ws->values[0]; c++)
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
        if (rs_history_change(history, 0.0) <= RS_ROUNDING)
            return RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return RS_MAXIT;
}

/* ---- of the samples ---------------------------------------------------------- */

int rs_sample_form_block(int d, int m)
{
    return rs_max_int(m, rs_ritz_block(d, 1));
}

rs_status rs_sample_form_init(rs_context *ctx, rs_data *X, int k, int m,
                              const rs_form_parts *N, rs_sample_form *form)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    *form = (rs_sample_form){
        .ctx = ctx, .X = X, .k = k, .m = m, .N = *N, .sign = 1.0};
    RS_TRY(rs_leading_init(ctx, k, m, &form->leading));
    RS_TRY(rs_leading_init(ctx, X->d, 1, &form->extreme));
    const int is_dense = form->extreme.is_dense;
    const int widest =
        rs_max_int(rs_sample_form_block(X->d, m), is_dense ? X->d : k);
    RS_ALLOC_DOUBLES(ctx, n * widest, &form->panel, &form->image);
    form->inner = rs_alloc_double(ctx, (size_t)rs_max_int(N->c, 1) * widest);
    form->A = rs_alloc_double(ctx, (size_t)k * k);
    form->whole = rs_alloc_double(ctx, is_dense ? d * d : 0);
    form->vector = rs_alloc_double(ctx, d);
    return rs_allocated(ctx);
}

/* NY (n x m) = N Y */
static rs_status multiply(rs_sample_form *form, int m, const double *Y,
                          double *NY)
{
    const int n = form->X->n, c = form->N.c;
    for (int l = 0; l < m; l++)
        for (int i = 0; i < n; i++)
            NY[i + (size_t)n * l] =
                form->N.a ? form->N.a[i] * Y[i + (size_t)n * l] : 0.0;
    if (form->N.G) {
        RS_TRY(rs_gemm_polled(form->ctx, 'T', 'N', c, m, n, 1.0, form->N.G, n,
                              Y, n, 0.0, form->inner, c));
        RS_TRY(rs_gemm_polled(form->ctx, 'N', 'N', n, m, c, 1.0, form->N.G, n,
                              form->inner, c, 1.0, NY, n));
    }
    if (form->N.K)
        RS_TRY(rs_gemm_polled(form->ctx, 'N', 'N', n, m, n, 1.0, form->N.K, n,
                              Y, n, 1.0, NY, n));
    return RS_OK;
}

rs_status rs_sample_form_apply(void *state, int m, const double *W, double *AW)
{
    rs_sample_form *form = (rs_sample_form *)state;
    const size_t size = (size_t)form->X->d * m;
    RS_TRY(rs_data_times(form->X, m, W, form->panel));
    RS_TRY(multiply(form, m, form->panel, form->image));
    RS_TRY(rs_data_crossprod(form->X, m, form->image, AW));
    for (size_t i = 0; i < size; i++)
        AW[i] = form->sign * (AW[i] + form->shift * W[i]);
    return RS_OK;
}

/* block (n x count): columns of X; A <- block'N block + shift I */
static rs_status submatrix(rs_sample_form *form, int count, double *A)
{
    const int n = form->X->n;
    RS_TRY(multiply(form, count, form->panel, form->image));
    RS_TRY(rs_gemm_polled(form->ctx, 'T', 'N', count, count, n, 1.0,
                          form->panel, n, form->image, n, 0.0, A, count));
    rs_symmetrise(count, A);
    for (int j = 0; j < count; j++)
        A[j * ((size_t)count + 1)] += form->shift;
    return RS_OK;
}

rs_status rs_sample_form_leading(void *state, const int *subset,
                                 double *values, double *V)
{
    rs_sample_form *form = (rs_sample_form *)state;
    RS_TRY(rs_data_columns(form->X, form->k, subset, 0, form->panel));
    RS_TRY(submatrix(form, form->k, form->A));
    return rs_leading_of(form->A, values, V, &form->leading);
}

rs_status rs_sample_form_diagonal(rs_sample_form *form, double *diagonal)
{
    const int n = form->X->n, d = form->X->d;
    for (int from = 0; from < d; from += form->k) {
        const int count = rs_min_int(form->k, d - from);
        RS_TRY(rs_data_columns(form->X, count, NULL, from, form->panel));
        RS_TRY(multiply(form, count, form->panel, form->image));
        for (int c = 0; c < count; c++)
            diagonal[from + c] =
                form->shift + rs_dot((size_t)n, form->panel + (size_t)n * c,
                                     form->image + (size_t)n * c);
        RS_TRY(rs_poll(form->ctx));
    }
    return RS_OK;
}

rs_status rs_sample_form_make_positive(rs_sample_form *form)
{
    const int d = form->X->d;
    double least, residual = 0.0;
    rs_status status = RS_OK;
    form->shift = 0.0;
    if (form->extreme.is_dense) {
        RS_TRY(rs_data_columns(form->X, d, NULL, 0, form->panel));
        RS_TRY(submatrix(form, d, form->whole));
        rs_scale((size_t)d * d, -1.0, form->whole);
        RS_TRY(
            rs_leading_of(form->whole, &least, form->vector, &form->extreme));
    } else {
        form->sign = -1.0;
        const rs_operator negative = {rs_sample_form_apply, form};
        status = rs_ritz_largest(&negative, &rough, 0, NULL, &least,
                                 form->vector, &form->extreme.iterative);
        residual = form->extreme.iterative.residual;
        form->sign = 1.0;
    }
    if (!rs_is_usable(status))
        return status;
    form->shift = fmax(0.0, least + (residual + 1e-8) * fabs(least));
    return RS_OK;
}

rs_status rs_sample_form_components(const int *subset, const double *V,
                                    double *XV, rs_sample_form *form)
{
    const int n = form->X->n;
    RS_TRY(rs_data_columns(form->X, form->k, subset, 0, form->panel));
    return rs_gemm_polled(form->ctx, 'N', 'N', n, form->m, form->k, 1.0,
                          form->panel, n, V, form->k, 0.0, XV, n);
}
