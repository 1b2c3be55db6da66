#include "solve/em.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* the patterns in which a column is missing */
typedef struct {
    size_t *start; /* d + 1 */
    int *pattern;
} gap_columns;

typedef struct {
    rs_context *ctx;
    const rs_gaps *gaps;
    gap_columns missing;
    rs_em_factors_fit *fit;
    int packed;       /* side (side + 1)/2, side = r + 1 */
    double *E;        /* n x side: expected components, and ones */
    double *row_sum;  /* n: squares of what is seen */
    double *column;   /* d: the same */
    double *G, *M;    /* side x side: W'W of all features, and of some */
    double *part;     /* d x side: some rows of W; packed sums */
    double *products; /* d x side: Z'E */
    double *sums;    /* packed x (patterns + 2): of [e; 1][e; 1]' and s M^{-1};
                       * then of the prior, and of all */
    double *inverse; /* (r x r) x (patterns + 1): M^{-1}, both triangles; then
                       * where all is seen */
    double *one;     /* side */
    int *others;     /* d */
} workspace;

static rs_status list_by_column(rs_context *ctx, const rs_gaps *gaps,
                                gap_columns *columns)
{
    const size_t d = (size_t)gaps->d, all = gaps->start[gaps->patterns];
    size_t *start = rs_alloc(ctx, d + 2, sizeof *start);
    columns->pattern = rs_alloc_int(ctx, all);
    columns->start = start;
    RS_TRY(rs_allocated(ctx));
    memset(start, 0, (d + 2) * sizeof *start);
    for (size_t k = 0; k < all; k++)
        start[gaps->gap[k] + 2]++;
    for (size_t j = 2; j < d + 2; j++)
        start[j] += start[j - 1];
    for (int p = 0; p < gaps->patterns; p++)
        for (size_t k = gaps->start[p]; k < gaps->start[p + 1]; k++)
            columns->pattern[start[gaps->gap[k] + 1]++] = p;
    return RS_OK;
}

static rs_status init(rs_context *ctx, const rs_gaps *gaps,
                      rs_em_factors_fit *fit, workspace *ws)
{
    const size_t n = gaps->n, d = gaps->d, side = (size_t)fit->r + 1;
    const size_t patterns = gaps->patterns, packed = side * (side + 1) / 2;
    *ws = (workspace){
        .ctx = ctx, .gaps = gaps, .fit = fit, .packed = (int)packed};
    ws->E = rs_alloc_double(ctx, n * side);
    ws->row_sum = rs_alloc_double(ctx, n);
    ws->column = rs_alloc_double(ctx, d);
    RS_ALLOC_DOUBLES(ctx, side * side, &ws->G, &ws->M);
    ws->part = rs_alloc_double(ctx, d * side + packed);
    ws->products = rs_alloc_double(ctx, d * side);
    ws->sums = rs_alloc_double(ctx, packed * (patterns + 2));
    ws->inverse = rs_alloc_double(ctx, side * side * (patterns + 1));
    ws->one = rs_alloc_double(ctx, side);
    ws->others = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    rs_row_squares(gaps->n, gaps->d, fit->Z, ws->row_sum);
    for (size_t j = 0; j < d; j++)
        ws->column[j] = rs_sum_squares(n, fit->Z + n * j);
    return list_by_column(ctx, gaps, &ws->missing);
}

/* part (count x side) = the rows of W in `row` */
static void rows_of(const workspace *ws, int count, const int *row)
{
    for (int k = 0; k <= ws->fit->r; k++)
        for (int c = 0; c < count; c++)
            ws->part[c + (size_t)count * k] =
                ws->fit->W[row[c] + (size_t)ws->gaps->d * k];
}

/* others <- the columns of 0, ..., d - 1 that are not among the `count` ones of
 * `some`, which ascend */
static void list_others(int d, int count, const int *some, int *others)
{
    for (int j = 0, next = 0; j < d; j++) {
        if (next < count && some[next] == j)
            next++;
        else
            *others++ = j;
    }
}

/* M = W_o'W_o of what is seen in pattern p */
static void multiply_seen(workspace *ws, int p)
{
    const int side = ws->fit->r + 1, g = rs_gaps_columns(ws->gaps, p);
    const int few = 2 * g <= ws->gaps->d, count = few ? g : ws->gaps->d - g;
    const int *gap = ws->gaps->gap + ws->gaps->start[p];
    rs_copy((size_t)side * side, ws->G, ws->M);
    if (!few)
        list_others(ws->gaps->d, g, gap, ws->others);
    rows_of(ws, count, few ? gap : ws->others);
    rs_gemm('T', 'N', side, side, count, few ? -1.0 : 1.0, ws->part, count,
            ws->part, count, few ? 1.0 : 0.0, ws->M, side);
}

/* the inverse at place p of s I + W'W, the products being part of a matrix of
 * side x side; *logdet of it */
static rs_status invert(workspace *ws, const double *products, int p,
                        double *logdet)
{
    const int r = ws->fit->r;
    double *inverse = ws->inverse + (size_t)r * r * p;
    for (int k = 0; k < r; k++) {
        rs_copy(r, products + (size_t)(r + 1) * k, inverse + (size_t)r * k);
        inverse[k + (size_t)r * k] += ws->fit->noise;
    }
    RS_TRY(rs_cholesky(r, inverse, r));
    *logdet = 0.0;
    for (int k = 0; k < r; k++)
        *logdet += 2.0 * log(inverse[k + (size_t)r * k]);
    return rs_cholesky_inverse(r, inverse);
}

/* The components of the samples of a pattern, and what it adds to the log
 * likelihood. E holds z'W on entry. */
static rs_status expect_pattern(workspace *ws, int p, double *loglik)
{
    const int r = ws->fit->r, n = ws->gaps->n, from = ws->gaps->first[p];
    const int count = ws->gaps->d - rs_gaps_columns(ws->gaps, p);
    const double *inverse = ws->inverse + (size_t)r * r * p;
    const double *Wmu = ws->M + (size_t)(r + 1) * r; /* then mu_o'mu_o */
    double logdet, *b = ws->one;
    multiply_seen(ws, p);
    RS_TRY(invert(ws, ws->M, p, &logdet));
    logdet += (count - r) * log(ws->fit->noise);
    for (int s = 0; s < rs_gaps_rows(ws->gaps, p); s++) {
        double *e = ws->E + ws->gaps->row[from + s];
        double form = ws->row_sum[ws->gaps->row[from + s]] -
                      2.0 * e[(size_t)n * r] + Wmu[r];
        for (int k = 0; k < r; k++)
            b[k] = e[(size_t)n * k] - Wmu[k];
        for (int k = 0; k < r; k++) {
            e[(size_t)n * k] = rs_dot(r, inverse + (size_t)r * k, b);
            form -= e[(size_t)n * k] * b[k];
        }
        e[(size_t)n * r] = 1.0;
        *loglik -= 0.5 * (count * RS_LOG_TWO_PI + logdet +
                          fmax(0.0, form) / ws->fit->noise);
    }
    return rs_poll(ws->ctx);
}

/* the E-step; *loglik, and what the prior takes from it over the ridge, at the
 * parameters as they are */
static rs_status expect(workspace *ws, double *loglik, double *prior)
{
    const int n = ws->gaps->n, d = ws->gaps->d, r = ws->fit->r;
    const double noise = ws->fit->noise;
    const double *whole = ws->inverse + (size_t)r * r * ws->gaps->patterns;
    rs_gram(d, r + 1, ws->fit->W, ws->G);
    RS_TRY(invert(ws, ws->G, ws->gaps->patterns, prior));
    *prior += (d - r) * (log(noise) + 1.0 / noise);
    for (int k = 0; k < r; k++)
        *prior += whole[k + (size_t)r * k];
    RS_TRY(rs_gemm_polled(ws->ctx, 'N', 'N', n, r + 1, d, 1.0, ws->fit->Z, n,
                          ws->fit->W, d, 0.0, ws->E, n));
    *loglik = 0.0;
    for (int p = 0; p < ws->gaps->patterns; p++)
        RS_TRY(expect_pattern(ws, p, loglik));
    return RS_OK;
}

/* packed sums over the samples of pattern p: [e; 1][e; 1]' and s M^{-1}; column k
 * has k + 1 numbers */
static void sum_pattern(workspace *ws, int p)
{
    const int r = ws->fit->r, from = ws->gaps->first[p];
    const int samples = rs_gaps_rows(ws->gaps, p);
    const double *inverse = ws->inverse + (size_t)r * r * p;
    double *sum = ws->sums + (size_t)ws->packed * p, *to = sum;
    rs_fill((size_t)ws->packed, 0.0, sum);
    for (int k = 0; k < r; to += ++k)
        rs_axpy((size_t)k + 1, samples * ws->fit->noise,
                inverse + (size_t)r * k, to);
    for (int s = 0; s < samples; s++) {
        const double *e = ws->E + ws->gaps->row[from + s];
        to = sum;
        for (int k = 0; k <= r; to += ++k) {
            ws->one[k] = e[(size_t)ws->gaps->n * k];
            rs_axpy((size_t)k + 1, ws->one[k], ws->one, to);
        }
    }
}

/* The same of the samples of the prior, whose expected components are columns
 * of M^{-1}W' sqrt(d): ridge (M^{-1}W'W M^{-1} + s M^{-1}), which is, as W'W is
 * M - s I, ridge ((1 + s) M^{-1} - s M^{-2}); and their products with the
 * features, ridge W M^{-1}. They tell nothing of mu. */
static void sum_prior(workspace *ws, double ridge, double *prior)
{
    const int d = ws->gaps->d, r = ws->fit->r;
    const double s = ws->fit->noise;
    const double *whole = ws->inverse + (size_t)r * r * ws->gaps->patterns;
    double *square = ws->M;
    rs_gram(r, r, whole, square);
    rs_fill((size_t)ws->packed, 0.0, prior);
    for (int k = 0; k < r; k++)
        for (int l = 0; l <= k; l++) {
            const size_t place = l + (size_t)r * k;
            *prior++ = ridge * ((1.0 + s) * whole[place] - s * square[place]);
        }
    rs_gemm('N', 'N', d, r, r, ridge, ws->fit->W, d, whole, r, 1.0,
            ws->products, d);
}

/* sums over the samples in which feature j is seen, into M (upper triangle) */
static void sum_seen(workspace *ws, int j)
{
    const int patterns = ws->gaps->patterns, side = ws->fit->r + 1;
    const size_t packed = ws->packed, from = ws->missing.start[j];
    const int count = (int)(ws->missing.start[j + 1] - from);
    const int few = 2 * count <= patterns;
    const int *which = ws->missing.pattern + from;
    double *sum = ws->part;
    rs_copy(packed, ws->sums + packed * (patterns + few), sum);
    for (int p = 0, next = 0; p < patterns; p++) {
        const int is_missing = next < count && which[next] == p;
        next += is_missing;
        if (is_missing == few)
            rs_axpy(packed, few ? -1.0 : 1.0, ws->sums + packed * p, sum);
    }
    for (int k = 0; k < side; k++) {
        rs_copy((size_t)k + 1, sum, ws->M + (size_t)side * k);
        sum += k + 1;
    }
}

/* Row j of W and its mean; adds the expected squares about them. */
static rs_status regress(workspace *ws, double ridge, int j, double *squares)
{
    const int side = ws->fit->r + 1;
    const size_t d = (size_t)ws->gaps->d;
    double *c = ws->one, own = ws->column[j] + ridge;
    for (int k = 0; k < side; k++)
        c[k] = ws->products[j + d * k];
    sum_seen(ws, j);
    RS_TRY(rs_cholesky(side, ws->M, side));
    RS_TRY(rs_cholesky_solve(side, 1, ws->M, side, c, side));
    for (int k = 0; k < side; k++) {
        own -= c[k] * ws->products[j + d * k];
        ws->fit->W[j + d * k] = c[k];
    }
    *squares += fmax(0.0, own);
    return j % 16 == 0 ? rs_poll(ws->ctx) : RS_OK;
}

/* the M-step: W and mean, then the noise given them */
static rs_status maximise(workspace *ws, double ridge)
{
    const int n = ws->gaps->n, d = ws->gaps->d, patterns = ws->gaps->patterns;
    const size_t packed = ws->packed;
    double *prior = ws->sums + packed * patterns, *total = prior + packed;
    double squares = 0.0, weight = ((double)n + ridge) * d;
    RS_TRY(rs_gemm_polled(ws->ctx, 'T', 'N', d, ws->fit->r + 1, n, 1.0,
                          ws->fit->Z, n, ws->E, n, 0.0, ws->products, d));
    sum_prior(ws, ridge, prior);
    rs_copy(packed, prior, total);
    for (int p = 0; p < patterns; p++) {
        sum_pattern(ws, p);
        rs_axpy(packed, 1.0, ws->sums + packed * p, total);
        weight -=
            (double)rs_gaps_rows(ws->gaps, p) * rs_gaps_columns(ws->gaps, p);
    }
    for (int j = 0; j < d; j++)
        RS_TRY(regress(ws, ridge, j, &squares));
    ws->fit->noise = squares / weight;
    return RS_OK;
}

/* what is missing in column j: expectations into Z, variances into square */
static void fill_column(workspace *ws, int j)
{
    const int r = ws->fit->r, n = ws->gaps->n;
    const rs_gaps *gaps = ws->gaps;
    double *z = ws->fit->Z + (size_t)n * j, *w = ws->one;
    for (int k = 0; k <= r; k++)
        w[k] = ws->fit->W[j + (size_t)gaps->d * k];
    ws->fit->square[j] = 0.0;
    for (size_t at = ws->missing.start[j]; at < ws->missing.start[j + 1];
         at++) {
        const int p = ws->missing.pattern[at];
        const double *inverse = ws->inverse + (size_t)r * r * p;
        double own = 1.0; /* and w'M^{-1}w */
        for (int k = 0; k < r; k++)
            own += w[k] * rs_dot(r, inverse + (size_t)r * k, w);
        ws->fit->square[j] += rs_gaps_rows(gaps, p) * ws->fit->noise * own;
        for (int s = gaps->first[p]; s < gaps->first[p + 1]; s++) {
            const int i = gaps->row[s];
            z[i] = 0.0;
            for (int k = 0; k <= r; k++)
                z[i] += w[k] * ws->E[i + (size_t)n * k];
        }
    }
}

/* S += samples s (I + W_g M^{-1} W_g') of every pattern */
static rs_status spread(workspace *ws, double *S)
{
    const rs_gaps *gaps = ws->gaps;
    const int r = ws->fit->r;
    double *block =
        rs_alloc_double(ws->ctx, (size_t)gaps->widest * gaps->widest);
    RS_TRY(rs_allocated(ws->ctx));
    for (int p = 0; p < gaps->patterns; p++) {
        const int g = rs_gaps_columns(gaps, p);
        const int *gap = gaps->gap + gaps->start[p];
        const double weight = ws->fit->noise * rs_gaps_rows(gaps, p);
        if (g == 0)
            continue;
        rows_of(ws, g, gap);
        rs_matmul(g, r, r, ws->part, ws->inverse + (size_t)r * r * p,
                  ws->products);
        rs_gemm('N', 'T', g, g, r, weight, ws->products, g, ws->part, g, 0.0,
                block, g);
        for (int c = 0; c < g; c++) {
            double *column = S + (size_t)gaps->d * gap[c];
            column[gap[c]] += weight;
            for (int k = 0; k < g; k++)
                column[gap[k]] += block[k + (size_t)g * c];
        }
        RS_TRY(rs_poll(ws->ctx));
    }
    return RS_OK;
}

rs_status rs_em_factors(rs_context *ctx, const rs_gaps *gaps,
                        const rs_em_settings *set, rs_em_factors_fit *fit)
{
    workspace ws;
    double loglik, prior;
    RS_TRY(init(ctx, gaps, fit, &ws));
    RS_TRY(rs_em_begin(ctx, set, &fit->course));
    while (!fit->course.ends) {
        RS_TRY(expect(&ws, &loglik, &prior));
        RS_TRY(
            rs_em_record(loglik, 0.5 * set->ridge * prior, set, &fit->course));
        if (!fit->course.ends)
            RS_TRY(maximise(&ws, set->ridge));
    }
    for (int j = 0; j < gaps->d; j++) {
        fill_column(&ws, j);
        RS_TRY(j % 64 == 0 ? rs_poll(ctx) : RS_OK);
    }
    if (fit->spread)
        RS_TRY(spread(&ws, fit->spread));
    return fit->course.status;
}
