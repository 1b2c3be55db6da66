/* Means and covariance of normal data, and the course that both fits take. */
#include "solve/em.h"

#include "la/linalg.h"

static const double log_two_pi = 1.8378770664093454836;

/* changes below the tolerance in a row: single ones may be slow steps */
#define RS_EM_PATIENCE 3

rs_status rs_em_begin(rs_context *ctx, const rs_em_settings *set,
                      rs_em_course *course)
{
    course->status = set->maxit > 0 ? RS_MAXIT : RS_OK;
    RS_TRY(rs_history_init(ctx, set->maxit + 1, &course->loss));
    return rs_history_init(ctx, set->maxit + 1, &course->loglik);
}

rs_status rs_em_record(double loglik, double penalty, int patience,
                       const rs_em_settings *set, rs_em_course *course,
                       int *ends)
{
    const double loss = penalty - loglik;
    if (!rs_all_finite(1, &loss))
        return RS_NOT_FINITE;
    rs_history_add(&course->loglik, loglik);
    rs_history_add(&course->loss, loss);
    if (rs_history_is_flat(&course->loss, patience, set->tol, 1.0))
        course->status = RS_OK;
    *ends = course->status == RS_OK || course->loss.count > set->maxit;
    return RS_OK;
}

typedef struct {
    const rs_gaps *gaps;
    int n, d;
    double *Z;         /* n x d: deviations from the mean */
    double *precision; /* d x d */
    double *T;         /* d x d: summed covariances of what is missing */
    double *A;         /* d x d: cross-products of Z */
    double *block;     /* d x d */
    double *mixed;     /* d x d */
    double *rows;      /* d x tallest */
    double *shift;     /* d */
    int *others;       /* d */
    double logdet;     /* of sigma */
    double constant;   /* of the log likelihood: numbers and determinants */
    rs_context *ctx;
} workspace;

static rs_status init(rs_context *ctx, const rs_gaps *gaps, double *Z,
                      double *spread, workspace *ws)
{
    const size_t square = (size_t)gaps->d * gaps->d;
    *ws = (workspace){.gaps = gaps,
                      .n = gaps->n,
                      .d = gaps->d,
                      .Z = Z,
                      .T = spread,
                      .ctx = ctx};
    ws->precision = rs_alloc_double(ctx, square);
    RS_ALLOC_DOUBLES(ctx, square, &ws->A, &ws->mixed, &ws->block);
    ws->rows = rs_alloc_double(ctx, (size_t)gaps->d * gaps->tallest);
    ws->shift = rs_alloc_double(ctx, gaps->d);
    ws->others = rs_alloc_int(ctx, gaps->d);
    return rs_allocated(ctx);
}

static double log_determinant(int p, const double *R)
{
    double sum = 0.0;
    for (int j = 0; j < p; j++)
        sum += log(R[j + (size_t)p * j]);
    return 2.0 * sum;
}

/* B (rows x columns) = M[row, column], M is d x d */
static void gather(int d, const double *M, int rows, const int *row,
                   int columns, const int *column, double *B)
{
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            B[r + (size_t)rows * c] = M[row[r] + (size_t)d * column[c]];
}

/* M[index, index] += weight B */
static void scatter(int d, double weight, int p, const int *index,
                    const double *B, double *M)
{
    for (int c = 0; c < p; c++)
        for (int r = 0; r < p; r++)
            M[index[r] + (size_t)d * index[c]] +=
                weight * B[r + (size_t)p * c];
}

/* rows (count x samples of the pattern): their deviations in some columns */
static void read_rows(const workspace *ws, int p, int count, const int *column)
{
    const int from = ws->gaps->first[p], samples = rs_gaps_rows(ws->gaps, p);
    for (int s = 0; s < samples; s++) {
        const double *z = ws->Z + ws->gaps->row[from + s];
        for (int c = 0; c < count; c++)
            ws->rows[c + (size_t)count * s] = z[(size_t)ws->n * column[c]];
    }
}

static void write_rows(const workspace *ws, int p, int count,
                       const int *column, double sign, const double *values)
{
    const int from = ws->gaps->first[p], samples = rs_gaps_rows(ws->gaps, p);
    for (int s = 0; s < samples; s++) {
        double *z = ws->Z + ws->gaps->row[from + s];
        for (int c = 0; c < count; c++)
            z[(size_t)ws->n * column[c]] =
                sign * values[c + (size_t)count * s];
    }
}

/* Few are missing: from the precision. `values` (d x tallest) is scratch. */
static rs_status few_missing(workspace *ws, int p, double *values)
{
    const int g = rs_gaps_columns(ws->gaps, p);
    const int samples = rs_gaps_rows(ws->gaps, p);
    const int *gap = ws->gaps->gap + ws->gaps->start[p];
    const int o = rs_gaps_others(ws->d, g, gap, ws->others);
    gather(ws->d, ws->precision, g, gap, g, gap, ws->block);
    gather(ws->d, ws->precision, g, gap, o, ws->others, ws->mixed);
    read_rows(ws, p, o, ws->others);
    rs_gemm('N', 'N', g, samples, o, 1.0, ws->mixed, g, ws->rows, o, 0.0,
            values, g);
    RS_TRY(rs_cholesky(g, ws->block, g));
    RS_TRY(rs_cholesky_solve(g, samples, ws->block, g, values, g));
    write_rows(ws, p, g, gap, -1.0, values);
    ws->constant -=
        0.5 * samples *
        (o * log_two_pi + ws->logdet + log_determinant(g, ws->block));
    RS_TRY(rs_cholesky_inverse(g, ws->block));
    scatter(ws->d, samples, g, gap, ws->block, ws->T);
    return RS_OK;
}

/* Most are missing: from the covariance of the others. */
static rs_status most_missing(workspace *ws, const double *sigma, int p,
                              double *values)
{
    const int g = rs_gaps_columns(ws->gaps, p);
    const int samples = rs_gaps_rows(ws->gaps, p);
    const int *gap = ws->gaps->gap + ws->gaps->start[p];
    const int o = rs_gaps_others(ws->d, g, gap, ws->others);
    double *given = ws->mixed; /* R^{-T} Sigma_og */
    gather(ws->d, sigma, o, ws->others, o, ws->others, ws->block);
    gather(ws->d, sigma, o, ws->others, g, gap, given);
    if (o > 0) {
        RS_TRY(rs_cholesky(o, ws->block, o));
        ws->constant -=
            0.5 * samples * (o * log_two_pi + log_determinant(o, ws->block));
        rs_triangular_solve('L', 'T', o, g, ws->block, o, given, o);
        read_rows(ws, p, o, ws->others);
        rs_triangular_solve('L', 'T', o, samples, ws->block, o, ws->rows, o);
        rs_gemm('T', 'N', g, samples, o, 1.0, given, o, ws->rows, o, 0.0,
                values, g);
    } else {
        rs_fill((size_t)g * samples, 0.0, values);
    }
    write_rows(ws, p, g, gap, 1.0, values);
    gather(ws->d, sigma, g, gap, g, gap, ws->block);
    if (o > 0)
        rs_gemm('T', 'N', g, g, o, -1.0, given, o, given, o, 1.0, ws->block,
                g);
    scatter(ws->d, samples, g, gap, ws->block, ws->T);
    return RS_OK;
}

/* Z <- Z - 1 shift', at all places */
static void take_off(const workspace *ws, const double *shift)
{
    for (int j = 0; j < ws->d; j++)
        for (int i = 0; i < ws->n; i++)
            ws->Z[i + (size_t)ws->n * j] -= shift[j];
}

/* the E-step: expectations into Z, covariances into T */
static rs_status expect(workspace *ws, const double *sigma, double *values)
{
    const int d = ws->d;
    const rs_gaps *gaps = ws->gaps;
    RS_TRY(rs_poll(ws->ctx));
    rs_copy((size_t)d * d, sigma, ws->precision);
    RS_TRY(rs_cholesky(d, ws->precision, d));
    ws->logdet = log_determinant(d, ws->precision);
    RS_TRY(rs_cholesky_inverse_polled(ws->ctx, d, ws->precision));
    rs_fill((size_t)d * d, 0.0, ws->T);
    ws->constant = 0.0;
    for (int p = 0; p < gaps->patterns; p++) {
        const int g = rs_gaps_columns(gaps, p);
        RS_TRY(rs_poll(ws->ctx));
        if (g == 0)
            ws->constant -=
                0.5 * rs_gaps_rows(gaps, p) * (d * log_two_pi + ws->logdet);
        else if (g <= d / 2)
            RS_TRY(few_missing(ws, p, values));
        else
            RS_TRY(most_missing(ws, sigma, p, values));
    }
    return RS_OK;
}

/* A = Z'Z */
static rs_status products(workspace *ws)
{
    rs_fill((size_t)ws->d * ws->d, 0.0, ws->A);
    RS_TRY(rs_gram_add(ws->ctx, ws->n, ws->d, ws->Z, ws->n, ws->A));
    rs_mirror_upper(ws->d, ws->A);
    return RS_OK;
}

/*
 * At the parameters of the E-step. What is missing is completed to where
 * z'Pz is least, which is the form of what is seen: the sum is <P, Z'Z>.
 */
static rs_status record(workspace *ws, const rs_em_settings *set,
                        rs_em_course *course, int *ends)
{
    const size_t square = (size_t)ws->d * ws->d;
    double trace = 0.0;
    for (int j = 0; j < ws->d; j++)
        trace += ws->precision[j + (size_t)ws->d * j];
    return rs_em_record(ws->constant -
                            0.5 * rs_dot(square, ws->precision, ws->A),
                        0.5 * set->ridge * (ws->logdet + trace),
                        RS_EM_PATIENCE, set, course, ends);
}

/* the M-step: mean and sigma; shift: the step of the mean */
static void maximise(workspace *ws, double ridge, rs_em_normal_fit *fit)
{
    const int n = ws->n, d = ws->d;
    for (int j = 0; j < d; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += ws->Z[i + (size_t)n * j];
        ws->shift[j] = sum / n;
        fit->mean[j] += ws->shift[j];
    }
    for (int k = 0; k < d; k++)
        for (int j = 0; j < d; j++) {
            const size_t at = j + (size_t)d * k;
            const double S =
                ws->A[at] + ws->T[at] - n * ws->shift[j] * ws->shift[k];
            fit->sigma[at] = (S + (j == k ? ridge : 0.0)) / (n + ridge);
        }
    rs_symmetrise(d, fit->sigma);
}

rs_status rs_em_normal(rs_context *ctx, const rs_gaps *gaps, double *Z,
                       const rs_em_settings *set, rs_em_normal_fit *fit)
{
    workspace ws;
    int ends;
    RS_TRY(init(ctx, gaps, Z, fit->spread, &ws));
    double *values = rs_alloc_double(ctx, (size_t)gaps->d * gaps->tallest);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_em_begin(ctx, set, &fit->course));
    take_off(&ws, fit->mean);
    for (;;) {
        RS_TRY(expect(&ws, fit->sigma, values));
        RS_TRY(products(&ws));
        RS_TRY(record(&ws, set, &fit->course, &ends));
        if (ends)
            break;
        maximise(&ws, set->ridge, fit);
        take_off(&ws, ws.shift);
    }
    maximise(&ws, set->ridge, fit);
    for (int j = 0; j < ws.d; j++) /* Z is about the mean before that step */
        ws.shift[j] -= fit->mean[j];
    take_off(&ws, ws.shift);
    return fit->course.status;
}
