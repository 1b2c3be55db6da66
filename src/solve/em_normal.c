/* Means and covariance of normal data, and the course that both fits take. */
#include "solve/em.h"

#include <math.h>

#include "la/linalg.h"

/* changes below the tolerance in a row: single ones may be slow steps */
#define RS_EM_PATIENCE 3

rs_status rs_em_begin(rs_context *ctx, const rs_em_settings *set,
                      rs_em_course *course)
{
    course->ends = 0;
    course->status = set->maxit > 0 ? RS_MAXIT : RS_OK;
    RS_TRY(rs_history_init(ctx, set->maxit + 1, &course->loss));
    return rs_history_init(ctx, set->maxit + 1, &course->loglik);
}

rs_status rs_em_record(double loglik, double penalty,
                       const rs_em_settings *set, rs_em_course *course)
{
    const double loss = penalty - loglik;
    if (!isfinite(loss))
        return RS_NOT_FINITE;
    rs_history_add(&course->loglik, loglik);
    rs_history_add(&course->loss, loss);
    if (rs_history_is_flat(&course->loss, RS_EM_PATIENCE, set->tol, 1.0))
        course->status = RS_OK;
    course->ends = course->status == RS_OK || course->loss.count > set->maxit;
    return RS_OK;
}

typedef struct {
    rs_context *ctx;
    const rs_gaps *gaps;
    rs_em_normal_fit *fit;
    double *precision; /* d x d */
    double *A;         /* d x d: cross-products of Z */
    double *block;     /* d x d */
    double *ZP;        /* n x d */
    double *values;    /* d x tallest */
    double *shift;     /* d */
    double logdet;     /* of sigma */
    double constant;   /* of the log likelihood: numbers and determinants */
} workspace;

static rs_status init(rs_context *ctx, const rs_gaps *gaps,
                      rs_em_normal_fit *fit, workspace *ws)
{
    const size_t d = (size_t)gaps->d;
    *ws = (workspace){.ctx = ctx, .gaps = gaps, .fit = fit};
    RS_ALLOC_DOUBLES(ctx, d * d, &ws->precision, &ws->A, &ws->block);
    ws->ZP = rs_alloc_double(ctx, d * gaps->n);
    ws->values = rs_alloc_double(ctx, d * gaps->tallest);
    ws->shift = rs_alloc_double(ctx, d);
    return rs_allocated(ctx);
}

static double log_determinant(int p, const double *R)
{
    double sum = 0.0;
    for (int j = 0; j < p; j++)
        sum += log(R[j + (size_t)p * j]);
    return 2.0 * sum;
}

/* expectations of a pattern into Z, their covariances into the spread: with ZP
 * of Z as it was completed before, mean = z_g - (P_gg)^{-1} (P z)_g */
static rs_status expect_pattern(workspace *ws, int p)
{
    const int g = rs_gaps_columns(ws->gaps, p);
    const int samples = rs_gaps_rows(ws->gaps, p);
    const size_t n = (size_t)ws->gaps->n, d = (size_t)ws->gaps->d;
    const int *gap = ws->gaps->gap + ws->gaps->start[p];
    const int *row = ws->gaps->row + ws->gaps->first[p];
    double *values = ws->values; /* g x samples */
    ws->constant -=
        0.5 * samples * ((ws->gaps->d - g) * RS_LOG_TWO_PI + ws->logdet);
    if (g == 0)
        return RS_OK;
    for (int c = 0; c < g; c++)
        for (int k = 0; k < g; k++)
            ws->block[k + (size_t)g * c] = ws->precision[gap[k] + d * gap[c]];
    RS_TRY(rs_cholesky(g, ws->block, g));
    ws->constant -= 0.5 * samples * log_determinant(g, ws->block);
    for (int s = 0; s < samples; s++)
        for (int c = 0; c < g; c++)
            values[c + (size_t)g * s] = ws->ZP[row[s] + n * gap[c]];
    RS_TRY(rs_cholesky_solve(g, samples, ws->block, g, values, g));
    for (int s = 0; s < samples; s++)
        for (int c = 0; c < g; c++)
            ws->fit->Z[row[s] + n * gap[c]] -= values[c + (size_t)g * s];
    RS_TRY(rs_cholesky_inverse(g, ws->block));
    for (int c = 0; c < g; c++)
        for (int k = 0; k < g; k++)
            ws->fit->spread[gap[k] + d * gap[c]] +=
                samples * ws->block[k + (size_t)g * c];
    return rs_poll(ws->ctx);
}

/* Z += sign 1 shift', at all places */
static void add_shift(const workspace *ws, double sign, const double *shift)
{
    const size_t n = (size_t)ws->gaps->n;
    for (int j = 0; j < ws->gaps->d; j++)
        for (size_t i = 0; i < n; i++)
            ws->fit->Z[i + n * j] += sign * shift[j];
}

/* the E-step */
static rs_status expect(workspace *ws)
{
    const int n = ws->gaps->n, d = ws->gaps->d;
    const double *Z = ws->fit->Z;
    rs_copy((size_t)d * d, ws->fit->sigma, ws->precision);
    RS_TRY(rs_cholesky(d, ws->precision, d));
    ws->logdet = log_determinant(d, ws->precision);
    RS_TRY(rs_cholesky_inverse_polled(ws->ctx, d, ws->precision));
    RS_TRY(rs_gemm_polled(ws->ctx, 'N', 'N', n, d, d, 1.0, Z, n, ws->precision,
                          d, 0.0, ws->ZP, n));
    rs_fill((size_t)d * d, 0.0, ws->fit->spread);
    ws->constant = 0.0;
    for (int p = 0; p < ws->gaps->patterns; p++)
        RS_TRY(expect_pattern(ws, p));
    rs_fill((size_t)d * d, 0.0, ws->A);
    RS_TRY(rs_gram_add(ws->ctx, n, d, Z, n, ws->A));
    rs_mirror_upper(d, ws->A);
    return RS_OK;
}

/*
 * At the parameters of the E-step. What is missing is completed to where
 * z'Pz is least, which is the form of what is seen: the sum is <P, Z'Z>.
 */
static rs_status record(workspace *ws, const rs_em_settings *set)
{
    const size_t d = (size_t)ws->gaps->d;
    double penalty = ws->logdet; /* and the trace */
    for (size_t j = 0; j < d; j++)
        penalty += ws->precision[j * (d + 1)];
    return rs_em_record(ws->constant -
                            0.5 * rs_dot(d * d, ws->precision, ws->A),
                        0.5 * set->ridge * penalty, set, &ws->fit->course);
}

/* the M-step: mean and sigma; Z is taken about the new mean */
static void maximise(workspace *ws, double ridge)
{
    const int n = ws->gaps->n, d = ws->gaps->d;
    rs_em_normal_fit *fit = ws->fit;
    for (int j = 0; j < d; j++) {
        ws->shift[j] = rs_sum(n, fit->Z + (size_t)n * j) / n;
        fit->mean[j] += ws->shift[j];
    }
    for (int k = 0; k < d; k++)
        for (int j = 0; j < d; j++) {
            const size_t at = j + (size_t)d * k;
            const double S =
                ws->A[at] + fit->spread[at] - n * ws->shift[j] * ws->shift[k];
            fit->sigma[at] = (S + (j == k ? ridge : 0.0)) / (n + ridge);
        }
    rs_symmetrise(d, fit->sigma);
    add_shift(ws, -1.0, ws->shift);
}

rs_status rs_em_normal(rs_context *ctx, const rs_gaps *gaps,
                       const rs_em_settings *set, rs_em_normal_fit *fit)
{
    workspace ws;
    RS_TRY(init(ctx, gaps, fit, &ws));
    RS_TRY(rs_em_begin(ctx, set, &fit->course));
    add_shift(&ws, -1.0, fit->mean);
    while (!fit->course.ends) {
        RS_TRY(expect(&ws));
        RS_TRY(record(&ws, set));
        if (!fit->course.ends)
            maximise(&ws, set->ridge);
    }
    add_shift(&ws, 1.0, fit->mean);
    return fit->course.status;
}
