#include "solve/em.h"

#include <string.h>

#include "la/linalg.h"

static const double log_two_pi = 1.8378770664093454836;

/* changes below the tolerance in a row: single ones may be slow steps */
#define RS_EM_FACTORS_PATIENCE 2

typedef struct {
    const rs_gaps *gaps;
    rs_gap_columns missing;
    int n, d, r;
    double seen;      /* entries */
    double *Z;        /* n x d, zeros where entries are missing */
    double *row_sum;  /* n: squares of what is seen */
    double *column;   /* d: the same */
    double *G;        /* r x r: W'W */
    double *M;        /* (r + 1) x (r + 1) */
    double *part;     /* d x r: some rows of W */
    double *products; /* d x (r + 1): Z'[E, 1] */
    double *Zmu;      /* n */
    double *total;    /* packed sums of all samples */
    double *sums;     /* (packed) x patterns: of [e; 1][e; 1]' and s M^{-1} */
    double *inverse;  /* (r x r) x patterns: M^{-1}, both triangles */
    double *one;      /* r + 1 */
    double *whole;    /* r x r: M^{-1} where all is seen */
    double *prior;    /* packed sums of the samples of the prior */
    int *others;      /* d */
    double ridge;
    double penalty; /* minus the logarithm of the prior */
    int packed;     /* (r + 1)(r + 2)/2 */
    rs_context *ctx;
} workspace;

static void sum_squares(workspace *ws)
{
    rs_fill(ws->n, 0.0, ws->row_sum);
    for (int j = 0; j < ws->d; j++) {
        const double *z = ws->Z + (size_t)ws->n * j;
        ws->column[j] = rs_sum_squares(ws->n, z);
        for (int i = 0; i < ws->n; i++)
            ws->row_sum[i] += z[i] * z[i];
    }
}

static rs_status init(rs_context *ctx, const rs_gaps *gaps, int r, double *Z,
                      workspace *ws)
{
    const size_t n = gaps->n, d = gaps->d, side = (size_t)r + 1;
    *ws = (workspace){.gaps = gaps,
                      .n = gaps->n,
                      .d = gaps->d,
                      .r = r,
                      .Z = Z,
                      .ctx = ctx,
                      .packed = (r + 1) * (r + 2) / 2,
                      .seen = (double)n * d};
    for (int p = 0; p < gaps->patterns; p++)
        ws->seen -= (double)rs_gaps_rows(gaps, p) * rs_gaps_columns(gaps, p);
    RS_ALLOC_DOUBLES(ctx, n, &ws->row_sum, &ws->Zmu);
    ws->column = rs_alloc_double(ctx, d);
    RS_ALLOC_DOUBLES(ctx, side * side, &ws->G, &ws->M, &ws->whole);
    RS_ALLOC_DOUBLES(ctx, d * side, &ws->part, &ws->products);
    RS_ALLOC_DOUBLES(ctx, ws->packed, &ws->total, &ws->prior);
    ws->sums = rs_alloc_double(ctx, (size_t)ws->packed * gaps->patterns);
    ws->inverse = rs_alloc_double(ctx, side * side * gaps->patterns);
    ws->one = rs_alloc_double(ctx, side);
    ws->others = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_gaps_by_column(ctx, gaps, &ws->missing));
    sum_squares(ws);
    return RS_OK;
}

/* part (count x r) = the rows of W in `row` */
static void rows_of(const workspace *ws, const double *W, int count,
                    const int *row)
{
    for (int k = 0; k < ws->r; k++)
        for (int c = 0; c < count; c++)
            ws->part[c + (size_t)count * k] = W[row[c] + (size_t)ws->d * k];
}

/* M = s I + W_o'W_o, its Cholesky factor; *count: what is seen */
static rs_status factor_pattern(workspace *ws, const double *W, double noise,
                                int p, int *count)
{
    const int r = ws->r, g = rs_gaps_columns(ws->gaps, p);
    const int *gap = ws->gaps->gap + ws->gaps->start[p];
    const int o = ws->d - g;
    const int few = g <= o;
    *count = o;
    if (few) {
        rs_copy((size_t)r * r, ws->G, ws->M);
        rows_of(ws, W, g, gap);
    } else {
        rs_fill((size_t)r * r, 0.0, ws->M);
        rs_gaps_others(ws->d, g, gap, ws->others);
        rows_of(ws, W, o, ws->others);
    }
    if (rs_min_int(g, o) > 0)
        rs_gemm('T', 'N', r, r, few ? g : o, few ? -1.0 : 1.0, ws->part,
                few ? g : o, ws->part, few ? g : o, 1.0, ws->M, r);
    for (int k = 0; k < r; k++)
        ws->M[k + (size_t)r * k] += noise;
    return rs_cholesky(r, ws->M, r);
}

/* The components of the samples of a pattern, and what it adds to the log
 * likelihood. E holds W'z on entry. */
static double expect_samples(workspace *ws, const rs_em_factors_fit *fit,
                             int p, int count, const double *Wmu,
                             double square)
{
    const int r = ws->r, n = ws->n, from = ws->gaps->first[p];
    const double *inverse = ws->inverse + (size_t)r * r * p;
    double logdet = (count - r) * log(fit->noise), value = 0.0;
    double *b = ws->one;
    for (int k = 0; k < r; k++)
        logdet += 2.0 * log(ws->M[k + (size_t)r * k]);
    for (int s = 0; s < rs_gaps_rows(ws->gaps, p); s++) {
        const int i = ws->gaps->row[from + s];
        double form = ws->row_sum[i] - 2.0 * ws->Zmu[i] + square;
        for (int k = 0; k < r; k++)
            b[k] = fit->E[i + (size_t)n * k] - Wmu[k];
        for (int k = 0; k < r; k++) {
            const double e = rs_dot(r, inverse + (size_t)r * k, b);
            fit->E[i + (size_t)n * k] = e;
            form -= e * b[k];
        }
        value -=
            0.5 * (count * log_two_pi + logdet + fmax(0.0, form) / fit->noise);
    }
    return value;
}

/* W_o'mu_o and mu_o'mu_o of a pattern, from those of all features */
static double seen_means(workspace *ws, const rs_em_factors_fit *fit, int p,
                         const double *all, double square, double *Wmu)
{
    const size_t d = ws->d;
    rs_copy(ws->r, all, Wmu);
    for (size_t at = ws->gaps->start[p]; at < ws->gaps->start[p + 1]; at++) {
        const int j = ws->gaps->gap[at];
        square -= fit->mean[j] * fit->mean[j];
        for (int k = 0; k < ws->r; k++)
            Wmu[k] -= fit->mean[j] * fit->W[j + d * k];
    }
    return square;
}

/* M^{-1} of all features, and what the prior takes from the objective */
static rs_status expect_prior(workspace *ws, const rs_em_factors_fit *fit)
{
    const int r = ws->r, others = ws->d - r;
    double logdet = others * log(fit->noise), trace = others / fit->noise;
    double *M = ws->whole;
    rs_copy((size_t)r * r, ws->G, M);
    for (int k = 0; k < r; k++)
        M[k + (size_t)r * k] += fit->noise;
    RS_TRY(rs_cholesky(r, M, r));
    for (int k = 0; k < r; k++)
        logdet += 2.0 * log(M[k + (size_t)r * k]);
    RS_TRY(rs_cholesky_inverse(r, M));
    for (int k = 0; k < r; k++)
        trace += M[k + (size_t)r * k];
    ws->penalty = 0.5 * ws->ridge * (logdet + trace);
    return RS_OK;
}

/* the E-step; *loglik at the parameters as they are */
static rs_status expect(workspace *ws, rs_em_factors_fit *fit, double *loglik)
{
    const int n = ws->n, d = ws->d, r = ws->r;
    double *all = ws->total, *Wmu = ws->total + r; /* 2 r <= packed + 1 */
    const double square = rs_sum_squares(d, fit->mean);
    *loglik = 0.0;
    rs_gram(d, r, fit->W, ws->G);
    RS_TRY(expect_prior(ws, fit));
    RS_TRY(rs_gemm_polled(ws->ctx, 'N', 'N', n, r, d, 1.0, ws->Z, n, fit->W, d,
                          0.0, fit->E, n));
    rs_gemv('N', n, d, 1.0, ws->Z, n, fit->mean, 0.0, ws->Zmu);
    rs_gemv('T', d, r, 1.0, fit->W, d, fit->mean, 0.0, all);
    for (int p = 0; p < ws->gaps->patterns; p++) {
        double *inverse = ws->inverse + (size_t)r * r * p;
        int count;
        RS_TRY(rs_poll(ws->ctx));
        RS_TRY(factor_pattern(ws, fit->W, fit->noise, p, &count));
        rs_copy((size_t)r * r, ws->M, inverse);
        RS_TRY(rs_cholesky_inverse(r, inverse));
        const double own = seen_means(ws, fit, p, all, square, Wmu);
        *loglik += expect_samples(ws, fit, p, count, Wmu, own);
    }
    return RS_OK;
}

/* packed sums over the samples of pattern p: [e; 1][e; 1]' and s M^{-1} */
static void sum_pattern(workspace *ws, const rs_em_factors_fit *fit, int p)
{
    const int r = ws->r, from = ws->gaps->first[p];
    const int samples = rs_gaps_rows(ws->gaps, p);
    const double *inverse = ws->inverse + (size_t)r * r * p;
    double *sum = ws->sums + (size_t)ws->packed * p;
    size_t at = 0;
    for (int k = 0; k <= r; k++)
        for (int l = 0; l <= k; l++)
            sum[at++] = k < r
                            ? samples * fit->noise * inverse[l + (size_t)r * k]
                            : 0.0;
    for (int s = 0; s < samples; s++) {
        const int i = ws->gaps->row[from + s];
        for (int k = 0; k < r; k++)
            ws->one[k] = fit->E[i + (size_t)ws->n * k];
        ws->one[r] = 1.0;
        at = 0;
        for (int k = 0; k <= r; k++) {
            rs_axpy((size_t)k + 1, ws->one[k], ws->one, sum + at);
            at += (size_t)k + 1;
        }
    }
}

/* The same of the samples of the prior, whose expected components are columns
 * of M^{-1}W' sqrt(d): ridge (M^{-1}W'W M^{-1} + s M^{-1}), which is, as W'W is
 * M - s I, ridge ((1 + s) M^{-1} - s M^{-2}); and their products with the
 * features, ridge W M^{-1}. They tell nothing of mu. */
static void sum_prior(workspace *ws, const rs_em_factors_fit *fit)
{
    const int d = ws->d, r = ws->r;
    const double s = fit->noise;
    double *square = ws->M;
    size_t at = 0;
    rs_gram(r, r, ws->whole, square);
    for (int k = 0; k <= r; k++)
        for (int l = 0; l <= k; l++) {
            const size_t place = l + (size_t)r * k;
            ws->prior[at++] =
                k < r ? ws->ridge *
                            ((1.0 + s) * ws->whole[place] - s * square[place])
                      : 0.0;
        }
    rs_gemm('N', 'N', d, r, r, ws->ridge, fit->W, d, ws->whole, r, 1.0,
            ws->products, d);
    rs_copy(ws->packed, ws->prior, ws->total);
}

/* sums over the samples in which feature j is seen, into M (upper triangle) */
static void sum_seen(workspace *ws, int j)
{
    const int patterns = ws->gaps->patterns, side = ws->r + 1;
    const size_t packed = ws->packed;
    const size_t from = ws->missing.start[j];
    const int count = (int)(ws->missing.start[j + 1] - from);
    const int *which = ws->missing.pattern + from;
    double *sum = ws->part;
    if (2 * count <= patterns) {
        rs_copy(packed, ws->total, sum);
        for (int c = 0; c < count; c++)
            rs_axpy(packed, -1.0, ws->sums + packed * which[c], sum);
    } else {
        int next = 0;
        rs_copy(packed, ws->prior, sum);
        for (int p = 0; p < patterns; p++) {
            if (next < count && which[next] == p)
                next++;
            else
                rs_axpy(packed, 1.0, ws->sums + packed * p, sum);
        }
    }
    for (int k = 0; k < side; k++) {
        rs_copy((size_t)k + 1, sum, ws->M + (size_t)side * k);
        sum += k + 1;
    }
}

/* Row j of W and its mean; returns the expected squares about them. */
static rs_status regress(workspace *ws, rs_em_factors_fit *fit, int j,
                         double *squares)
{
    const int r = ws->r, side = r + 1;
    double *c = ws->one, *R = ws->G; /* W'W is not needed any more */
    for (int k = 0; k < side; k++)
        c[k] = ws->products[j + (size_t)ws->d * k];
    sum_seen(ws, j);
    rs_copy((size_t)side * side, ws->M, R);
    RS_TRY(rs_cholesky(side, R, side));
    RS_TRY(rs_cholesky_solve(side, 1, R, side, c, side));
    *squares = ws->column[j] + ws->ridge;
    for (int k = 0; k < side; k++) {
        double sum = 0.0; /* row k of M times the coefficients */
        for (int l = 0; l < side; l++)
            sum += c[l] * (l >= k ? ws->M[k + (size_t)side * l]
                                  : ws->M[l + (size_t)side * k]);
        *squares += c[k] * (sum - 2.0 * ws->products[j + (size_t)ws->d * k]);
    }
    for (int k = 0; k < r; k++)
        fit->W[j + (size_t)ws->d * k] = c[k];
    fit->mean[j] = c[r];
    return RS_OK;
}

/* the M-step: W and mean, then the noise given them */
static rs_status maximise(workspace *ws, rs_em_factors_fit *fit)
{
    const int n = ws->n, d = ws->d, r = ws->r;
    double squares = 0.0, own;
    RS_TRY(rs_gemm_polled(ws->ctx, 'T', 'N', d, r, n, 1.0, ws->Z, n, fit->E, n,
                          0.0, ws->products, d));
    for (int j = 0; j < d; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += ws->Z[i + (size_t)n * j];
        ws->products[j + (size_t)d * r] = sum;
    }
    sum_prior(ws, fit);
    for (int p = 0; p < ws->gaps->patterns; p++) {
        sum_pattern(ws, fit, p);
        rs_axpy(ws->packed, 1.0, ws->sums + (size_t)ws->packed * p, ws->total);
    }
    for (int j = 0; j < d; j++) {
        if (j % 16 == 0)
            RS_TRY(rs_poll(ws->ctx));
        RS_TRY(regress(ws, fit, j, &own));
        squares += fmax(0.0, own);
    }
    fit->noise = squares / (ws->seen + ws->ridge * d);
    return RS_OK;
}

/* the fit of column j, of all samples, into fitted */
static void fit_column(const workspace *ws, const rs_em_factors_fit *fit,
                       int j, double *fitted)
{
    rs_fill(ws->n, fit->mean[j], fitted);
    for (int k = 0; k < ws->r; k++)
        rs_axpy(ws->n, fit->W[j + (size_t)ws->d * k],
                fit->E + (size_t)ws->n * k, fitted);
}

/* w' M^{-1} w of row j of W and pattern p */
static double spread(workspace *ws, const rs_em_factors_fit *fit, int j, int p)
{
    const int r = ws->r;
    const double *inverse = ws->inverse + (size_t)r * r * p;
    double sum = 0.0;
    for (int k = 0; k < r; k++)
        ws->one[k] = fit->W[j + (size_t)ws->d * k];
    for (int k = 0; k < r; k++)
        sum += ws->one[k] * rs_dot(r, inverse + (size_t)r * k, ws->one);
    return sum;
}

/* what is missing: expectations into Z, variances into square */
static rs_status fill(workspace *ws, rs_em_factors_fit *fit)
{
    const size_t n = ws->n;
    const rs_gaps *gaps = ws->gaps;
    double *fitted = ws->Zmu;
    for (int j = 0; j < ws->d; j++) {
        double *z = ws->Z + n * j;
        RS_TRY(j % 64 == 0 ? rs_poll(ws->ctx) : RS_OK);
        fit_column(ws, fit, j, fitted);
        fit->square[j] = 0.0;
        for (size_t at = ws->missing.start[j]; at < ws->missing.start[j + 1];
             at++) {
            const int p = ws->missing.pattern[at];
            fit->square[j] += rs_gaps_rows(gaps, p) * fit->noise *
                              (1.0 + spread(ws, fit, j, p));
            for (int s = gaps->first[p]; s < gaps->first[p + 1]; s++) {
                const int i = gaps->row[s];
                z[i] = fitted[i];
            }
        }
    }
    return RS_OK;
}

/* r - s trace M^{-1}, summed over the samples */
static void count_freedom(const workspace *ws, rs_em_factors_fit *fit)
{
    const int r = ws->r;
    fit->freedom = 0.0;
    for (int p = 0; p < ws->gaps->patterns; p++) {
        const double *inverse = ws->inverse + (size_t)r * r * p;
        double trace = 0.0;
        for (int k = 0; k < r; k++)
            trace += inverse[k + (size_t)r * k];
        fit->freedom += rs_gaps_rows(ws->gaps, p) * (r - fit->noise * trace);
    }
}

rs_status rs_em_factors(rs_context *ctx, const rs_gaps *gaps, double *Z,
                        const rs_em_settings *set, rs_em_factors_fit *fit)
{
    workspace ws;
    double loglik;
    int ends;
    RS_TRY(init(ctx, gaps, fit->r, Z, &ws));
    ws.ridge = set->ridge;
    RS_TRY(rs_em_begin(ctx, set, &fit->course));
    for (;;) {
        RS_TRY(expect(&ws, fit, &loglik));
        RS_TRY(rs_em_record(loglik, ws.penalty, RS_EM_FACTORS_PATIENCE, set,
                            &fit->course, &ends));
        if (ends)
            break;
        RS_TRY(maximise(&ws, fit));
    }
    count_freedom(&ws, fit);
    RS_TRY(fill(&ws, fit));
    return fit->course.status;
}

/* of one pattern with g > 0 gaps: rows_of() has been called for these, M is
 * factored; block (g x g), S += samples s (I + W_g M^{-1} W_g') */
static void spread_pattern(workspace *ws, double noise, int p, double *block,
                           double *S)
{
    const int g = rs_gaps_columns(ws->gaps, p), d = ws->d;
    const int *gap = ws->gaps->gap + ws->gaps->start[p];
    const double weight = noise * rs_gaps_rows(ws->gaps, p);
    rs_triangular_solve('R', 'N', g, ws->r, ws->M, ws->r, ws->part, g);
    rs_gemm('N', 'T', g, g, ws->r, 1.0, ws->part, g, ws->part, g, 0.0, block,
            g);
    for (int c = 0; c < g; c++) {
        double *column = S + (size_t)d * gap[c];
        block[c + (size_t)g * c] += 1.0;
        for (int k = 0; k < g; k++)
            column[gap[k]] += weight * block[k + (size_t)g * c];
    }
}

rs_status rs_em_factors_spread(rs_context *ctx, const rs_gaps *gaps, int r,
                               const double *W, double noise, double *S)
{
    workspace ws;
    const size_t side = (size_t)r + 1;
    memset(&ws, 0, sizeof ws);
    ws.gaps = gaps;
    ws.d = gaps->d;
    ws.r = r;
    RS_ALLOC_DOUBLES(ctx, side * side, &ws.G, &ws.M);
    ws.part = rs_alloc_double(ctx, side * gaps->d);
    ws.others = rs_alloc_int(ctx, gaps->d);
    double *block = rs_alloc_double(ctx, (size_t)gaps->widest * gaps->widest);
    RS_TRY(rs_allocated(ctx));
    rs_gram(ws.d, r, W, ws.G);
    for (int p = 0; p < gaps->patterns; p++) {
        const int g = rs_gaps_columns(gaps, p);
        int count;
        RS_TRY(rs_poll(ctx));
        if (g == 0)
            continue;
        RS_TRY(factor_pattern(&ws, W, noise, p, &count));
        rows_of(&ws, W, g, gaps->gap + gaps->start[p]);
        spread_pattern(&ws, noise, p, block, S);
    }
    return RS_OK;
}
