#include "method/score/score.h"

#include <math.h>

#include "la/linalg.h"

/* weight of the last token beside that of the first, in one direction or the other */
#define RS_ILFS_STEEPNESS 5000.0
/* share of the tokens that speak for a feature at the start */
#define RS_ILFS_FIRST 0.2

/* ---- tokens --------------------------------------------------------------- */

/* f_i <- p_i; 1 / classes where all class means are equal to f_i. room: 2 classes */
static void relative_distances(int n, const rs_ilfs_problem *p, double *room,
                               double *f)
{
    double *mean = room, *size = room + p->classes;
    rs_fill(2 * (size_t)p->classes, 0.0, room);
    for (int i = 0; i < n; i++) {
        mean[p->class[i]] += f[i];
        size[p->class[i]] += 1.0;
    }
    for (int c = 0; c < p->classes; c++)
        mean[c] /= size[c];
    for (int i = 0; i < n; i++) {
        double own = f[i] - mean[p->class[i]], sum = 0.0;
        for (int c = 0; c < p->classes; c++)
            sum += (f[i] - mean[c]) * (f[i] - mean[c]);
        f[i] = sum > 0.0 ? own * own / sum : 1.0 / p->classes;
    }
}

/*
 * counts of p between the edges least + t (most - least) / (tokens - 1), where
 * only the largest p reach the last one. Where all p are equal the edges are
 * those from 0 to 1.
 */
static void count_tokens(int n, const double *p, int tokens, double *counts)
{
    double least = p[0], most = p[0];
    for (int i = 1; i < n; i++) {
        least = fmin(least, p[i]);
        most = fmax(most, p[i]);
    }
    if (most - least <= RS_NOTHING) {
        least = 0.0;
        most = 1.0;
    }
    const double steps = (tokens - 1) / (most - least);
    rs_fill((size_t)tokens, 0.0, counts);
    for (int i = 0; i < n; i++) {
        double at = (p[i] - least) * steps + RS_NOTHING * (tokens - 1);
        counts[rs_min_int((int)at, tokens - 1)] += 1.0;
    }
}

static rs_status tokenize(rs_context *ctx, const rs_data *X,
                          const rs_ilfs_problem *p, double *counts)
{
    const int n = X->n, d = X->d;
    const int width = rs_columns_per_call((double)n * p->classes, 4.0,
                                          rs_min_int(d, RS_PANEL));
    double *block = rs_alloc_double(ctx, (size_t)n * width);
    double *mean = rs_alloc_double(ctx, 2 * (size_t)p->classes);
    RS_TRY(rs_allocated(ctx));
    for (int from = 0; from < d; from += width) {
        const int count = rs_min_int(width, d - from);
        RS_TRY(rs_data_columns(X, count, NULL, from, block));
        for (int c = 0; c < count; c++) {
            double *f = block + (size_t)n * c;
            relative_distances(n, p, mean, f);
            count_tokens(n, f, p->tokens,
                         counts + (size_t)p->tokens * (from + c));
        }
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

/* ---- EM ------------------------------------------------------------------- */

/* a falls linearly and sums to 1, b is a backwards */
static void token_distributions(int tokens, double *a, double *b)
{
    const double fall = (RS_ILFS_STEEPNESS - 1.0) / (tokens - 1);
    const double sum = 0.5 * tokens * (RS_ILFS_STEEPNESS + 1.0);
    for (int t = 0; t < tokens; t++) {
        a[t] = (RS_ILFS_STEEPNESS - fall * t) / sum;
        b[tokens - 1 - t] = a[t];
    }
}

/* the share of the first tokens */
static double first_share(int tokens, const double *counts)
{
    const int first = rs_max_int(1, (int)(RS_ILFS_FIRST * tokens + 0.5));
    return rs_sum(first, counts) / rs_sum(tokens, counts);
}

/* -sum_j l_j(pi); next_j <- sum_t N_t w_t / n, w_t = pi a_t / (pi a_t + (1 - pi) b_t) */
static double em_sweep(int d, int tokens, const double *counts,
                       const double *a, const double *pi, double *next)
{
    const double *b = a + tokens;
    double value = 0.0;
    for (int j = 0; j < d; j++) {
        const double *N = counts + (size_t)tokens * j;
        next[j] = 0.0;
        for (int t = 0; t < tokens; t++) {
            const double mixed = pi[j] * a[t] + (1.0 - pi[j]) * b[t];
            next[j] += N[t] * pi[j] * a[t] / mixed;
            value -= N[t] * log(mixed);
        }
        next[j] /= rs_sum(tokens, N);
    }
    return value;
}

rs_status rs_ilfs(rs_context *ctx, const rs_data *X, const rs_ilfs_problem *p,
                  double *pi, double *counts, rs_history *history)
{
    double *a = rs_alloc_double(ctx, 2 * (size_t)p->tokens);
    double *next = rs_alloc_double(ctx, (size_t)X->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, history));
    RS_TRY(tokenize(ctx, X, p, counts));
    token_distributions(p->tokens, a, a + p->tokens);
    for (int j = 0; j < X->d; j++)
        pi[j] = first_share(p->tokens, counts + (size_t)p->tokens * j);
    for (int step = 0;; step++) {
        rs_history_add(history,
                       em_sweep(X->d, p->tokens, counts, a, pi, next));
        if (rs_history_change(history, 0.0) <= p->tol)
            return RS_OK;
        if (step == p->maxit)
            return p->tol > 0.0 ? RS_MAXIT : RS_OK;
        rs_copy((size_t)X->d, next, pi);
        RS_TRY(rs_poll(ctx));
    }
}
