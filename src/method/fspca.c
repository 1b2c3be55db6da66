#include "method/fspca.h"

#include <string.h>

#include "base/topk.h"

/* share of the trace, times d, that may lie beyond the m leading eigenvalues
 * of a matrix of rank m: their rounding */
#define RS_FSPCA_REST (4.0 * 2.220446e-16)
/* relative differences of objectives that count as none */
#define RS_FSPCA_TIE 1e-13

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
    fit->nodes = 0.0;
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

/* ---- exact search ------------------------------------------------------ */

/* the bound by eigenvalues is worth its cost above so many subsets */
#define RS_FSPCA_WORTH_BOUNDING 64.0

typedef struct {
    rs_context *ctx;
    const rs_covop *op;
    int d, k, m;
    int *order;   /* features by descending variance */
    double *sums; /* d + 1: cumulated variances in that order */
    int *chosen;  /* d: positions in `order`; the first ones are decided */
    int *best;    /* k positions */
    double best_value;
    double *A;      /* d x d: a principal submatrix */
    double *values; /* d */
    double nodes;
    rs_eigen_ws eigen;
} search_state;

/* sum of the m largest eigenvalues of S on the first `count` of `chosen` */
static rs_status captured(search_state *s, int count, double *sum)
{
    const int m = s->m < count ? s->m : count;
    for (int j = 0; j < count; j++) {
        const double *column =
            s->op->S + (size_t)s->order[s->chosen[j]] * s->d;
        for (int i = 0; i < count; i++)
            s->A[i + (size_t)j * count] = column[s->order[s->chosen[i]]];
    }
    RS_TRY(rs_eigen_largest(count, s->A, m, s->values, NULL, &s->eigen));
    *sum = 0.0;
    for (int c = 0; c < m; c++)
        *sum += s->values[c];
    s->nodes += 1.0;
    return RS_OK;
}

static double subsets(int n, int k)
{
    double count = 1.0;
    for (int i = 1; i <= k; i++)
        count *= (double)(n - k + i) / i;
    return count;
}

static int improves(const search_state *s, double value)
{
    return value > s->best_value * (1.0 + RS_FSPCA_TIE);
}

/* a completed subset */
static rs_status visit_leaf(search_state *s)
{
    double value;
    RS_TRY(captured(s, s->k, &value));
    if (improves(s, value)) {
        s->best_value = value;
        memcpy(s->best, s->chosen, (size_t)s->k * sizeof(int));
    }
    return RS_OK;
}

/*
 * Can a completion of the first `depth` choices from the positions
 * from..d-1 improve? No eigenvalue sum over a subset exceeds the one over all
 * candidates together.
 */
static rs_status is_promising(search_state *s, int depth, int from,
                              int *answer)
{
    double bound;
    *answer = 1;
    if (subsets(s->d - from, s->k - depth) < RS_FSPCA_WORTH_BOUNDING)
        return RS_OK;
    for (int j = from; j < s->d; j++)
        s->chosen[depth + j - from] = j;
    RS_TRY(captured(s, depth + s->d - from, &bound));
    *answer = improves(s, bound);
    return RS_OK;
}

/* all completions of the first `depth` choices from positions from..d-1 */
static rs_status branch(search_state *s, int depth, int from, double variance)
{
    const int needed = s->k - depth;
    int promising;
    if (needed == 0)
        return visit_leaf(s);
    RS_TRY(is_promising(s, depth, from, &promising));
    for (int j = from; promising && j <= s->d - needed; j++) {
        /* variances bound the eigenvalues and only fall from here on */
        if (!improves(s, variance + s->sums[j + needed] - s->sums[j]))
            break;
        s->chosen[depth] = j;
        RS_TRY(branch(s, depth + 1, j + 1,
                      variance + s->sums[j + 1] - s->sums[j]));
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

static rs_status init_search(rs_context *ctx, const rs_covop *op, int k, int m,
                             search_state *s)
{
    const int d = op->d;
    s->ctx = ctx;
    s->op = op;
    s->d = d;
    s->k = k;
    s->m = m;
    s->nodes = 0.0;
    s->order = rs_alloc_int(ctx, (size_t)d);
    s->chosen = rs_alloc_int(ctx, (size_t)d + k);
    s->best = rs_alloc_int(ctx, (size_t)k);
    s->sums = rs_alloc_double(ctx, (size_t)d + 1);
    s->A = rs_alloc_double(ctx, (size_t)d * d);
    s->values = rs_alloc_double(ctx, (size_t)d);
    RS_TRY(rs_allocated(ctx));
    rs_topk_order(d, op->diagonal, d, s->order, s->values);
    s->sums[0] = 0.0;
    for (int j = 0; j < d; j++)
        s->sums[j + 1] = s->sums[j] + op->S[s->order[j] * ((size_t)d + 1)];
    return rs_eigen_init(ctx, d, &s->eigen);
}

/* the marked features to the front of the order; returns how many they are */
static int put_first(const unsigned char *first, search_state *s)
{
    int count = 0;
    for (int j = 0; first && j < s->d; j++) {
        const int feature = s->order[j];
        if (!first[feature])
            continue;
        memmove(s->order + count + 1, s->order + count,
                (size_t)(j - count) * sizeof(int));
        s->order[count++] = feature;
    }
    for (int j = 0; j < s->d; j++)
        s->sums[j + 1] =
            s->sums[j] + s->op->S[s->order[j] * ((size_t)s->d + 1)];
    return count;
}

/* the given subset as the first candidate */
static rs_status begin_search(const int *subset, search_state *s)
{
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < s->d; j++)
            if (s->order[j] == subset[i])
                s->chosen[i] = j;
    memcpy(s->best, s->chosen, (size_t)s->k * sizeof(int));
    return captured(s, s->k, &s->best_value);
}

rs_status rs_fspca_exact(rs_context *ctx, rs_covop *op, int k, int m,
                         rs_fspca_fit *fit)
{
    rs_fspca_state s;
    search_state search;
    if (!op->S)
        return RS_BAD_INPUT;
    RS_TRY(init_search(ctx, op, k, m, &search));
    const int marked = put_first(fit->first, &search);
    RS_TRY(begin_search(fit->subset, &search));
    for (int j = 0; j < marked; j++)
        search.chosen[j] = j;
    RS_TRY(branch(&search, marked, marked, search.sums[marked]));

    RS_TRY(rs_fspca_begin(ctx, op, k, m, 1, fit, &s));
    for (int i = 0; i < k; i++)
        search.best[i] = search.order[search.best[i]];
    rs_trace_set(search.best, &s.trace);
    fit->is_global = 1;
    fit->nodes = search.nodes;
    RS_TRY(rs_trace_solve(&fit->history, &s.trace));
    return rs_trace_project(&s.trace);
}
