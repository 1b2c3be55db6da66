#include "method/fspca.h"

#include <string.h>

#include "base/choose.h"
#include "base/topk.h"

/* eigenvalues below this share of the largest one count as zero */
#define RS_FSPCA_RANK 1e-12
/* share of the trace, times d, that may lie beyond the m leading eigenvalues
 * of a matrix of rank m: their rounding */
#define RS_FSPCA_REST (4.0 * 2.220446e-16)
/* relative differences of objectives that count as none */
#define RS_FSPCA_TIE 1e-13

typedef struct {
    rs_covop *op;
    rs_fspca_fit *fit;
    int d, k, m;
    double *W;           /* d x m: V on the rows of the subset */
    double *SW;          /* d x m */
    unsigned char *keep; /* d: the subset as a mask */
    unsigned char *last; /* d */
    rs_choose_ws choose;
    rs_subpca_ws subpca;
} fspca_state;

static rs_status init_state(rs_context *ctx, rs_covop *op, int k, int m,
                            int iterations, rs_fspca_fit *fit, fspca_state *s)
{
    s->op = op;
    s->fit = fit;
    s->d = op->d;
    s->k = k;
    s->m = m;
    s->W = rs_alloc_double(ctx, (size_t)op->d * m);
    s->SW = rs_alloc_double(ctx, (size_t)op->d * m);
    s->keep = rs_alloc(ctx, (size_t)op->d, 1);
    s->last = rs_alloc(ctx, (size_t)op->d, 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_choose_init(ctx, (size_t)op->d, &s->choose));
    fit->is_global = 0;
    fit->nodes = 0.0;
    RS_TRY(rs_history_init(ctx, iterations, &fit->history));
    return rs_subpca_init(ctx, op, k, m, &s->subpca);
}

/* subset <- the k largest scores, ties to the larger variance */
static rs_status choose_subset(fspca_state *s)
{
    RS_TRY(rs_choose_mask((size_t)s->d, s->fit->scores, s->op->diagonal,
                          (size_t)s->d, (size_t)s->k, s->keep, &s->choose));
    for (int j = 0, at = 0; j < s->d; j++)
        if (s->keep[j])
            s->fit->subset[at++] = j;
    return RS_OK;
}

/* V and values of the subset; the objective -tr(W'SW) is recorded */
static rs_status solve_on_subset(fspca_state *s)
{
    double sum = 0.0;
    RS_TRY(rs_subpca(s->fit->subset, s->fit->values, s->fit->V, &s->subpca));
    for (int c = 0; c < s->m; c++)
        sum += s->fit->values[c];
    rs_history_add(&s->fit->history, -sum);
    return RS_OK;
}

/* scores_j = sum_c weight_c v_jc^2 over the columns of A (d x m) */
static void weighted_squares(const fspca_state *s, const double *weight,
                             int invert, const double *A, double *scores)
{
    rs_fill((size_t)s->d, 0.0, scores);
    for (int c = 0; c < s->m; c++) {
        const double *a = A + (size_t)c * s->d;
        if (invert && weight[c] <= RS_FSPCA_RANK * weight[0])
            continue;
        double w = invert ? 1.0 / weight[c] : weight[c];
        for (int j = 0; j < s->d; j++)
            scores[j] += w * a[j] * a[j];
    }
}

/*
 * scores = diag of P = S W (W'SW)^+ W'S. As W holds eigenvectors of S[I, I],
 * W'SW is diagonal with the eigenvalues.
 */
static rs_status project(fspca_state *s)
{
    rs_fill((size_t)s->d * s->m, 0.0, s->W);
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < s->k; i++)
            s->W[s->fit->subset[i] + (size_t)c * s->d] =
                s->fit->V[i + (size_t)c * s->k];
    RS_TRY(rs_covop_apply(s->op, s->m, s->W, s->SW));
    weighted_squares(s, s->fit->values, 1, s->SW, s->fit->scores);
    return RS_OK;
}

/* the set of Go; scores = diag of the best rank-m approximation of S */
static rs_status choose_by_leading(fspca_state *s, const double *values,
                                   const double *vectors)
{
    double sum = 0.0;
    for (int c = 0; c < s->m; c++)
        sum += values[c];
    s->fit->is_global =
        s->op->trace - sum <= RS_FSPCA_REST * s->d * s->op->trace;
    weighted_squares(s, values, 0, vectors, s->fit->scores);
    if (s->m == s->k) { /* tr(W'SW) is the sum of the chosen variances */
        s->fit->is_global = 1;
        rs_copy((size_t)s->d, s->op->diagonal, s->fit->scores);
    }
    return choose_subset(s);
}

rs_status rs_fspca_go(rs_context *ctx, rs_covop *op, int k, int m,
                      const double *values, const double *vectors,
                      rs_fspca_fit *fit)
{
    fspca_state s;
    RS_TRY(init_state(ctx, op, k, m, 1, fit, &s));
    RS_TRY(choose_by_leading(&s, values, vectors));
    return solve_on_subset(&s);
}

rs_status rs_fspca_ipu(rs_context *ctx, rs_covop *op, int k, int m,
                       const double *values, const double *vectors, int maxit,
                       rs_fspca_fit *fit)
{
    fspca_state s;
    RS_TRY(init_state(ctx, op, k, m, maxit + 1, fit, &s));
    RS_TRY(choose_by_leading(&s, values, vectors));
    RS_TRY(solve_on_subset(&s));
    if (fit->is_global)
        return RS_OK;
    for (int it = 0; it < maxit; it++) {
        memcpy(s.last, s.keep, (size_t)s.d);
        RS_TRY(project(&s));
        RS_TRY(choose_subset(&s));
        if (memcmp(s.last, s.keep, (size_t)s.d) == 0)
            return RS_OK;
        RS_TRY(solve_on_subset(&s));
        /* equal sets in turn */
        if (rs_history_change(&fit->history, 0.0) <= RS_FSPCA_TIE)
            return RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return RS_MAXIT;
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
    fspca_state s;
    search_state search;
    if (!op->S)
        return RS_BAD_INPUT;
    RS_TRY(init_search(ctx, op, k, m, &search));
    RS_TRY(begin_search(fit->subset, &search));
    RS_TRY(branch(&search, 0, 0, 0.0));

    RS_TRY(init_state(ctx, op, k, m, 1, fit, &s));
    memset(s.keep, 0, (size_t)s.d);
    for (int i = 0; i < k; i++)
        s.keep[search.order[search.best[i]]] = 1;
    for (int j = 0, at = 0; j < s.d; j++)
        if (s.keep[j])
            fit->subset[at++] = j;
    fit->is_global = 1;
    fit->nodes = search.nodes;
    RS_TRY(solve_on_subset(&s));
    return project(&s);
}
