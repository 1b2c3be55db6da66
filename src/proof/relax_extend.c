/* The extension to rows outside the core, see relax_trace.h. */
#include <float.h>
#include <math.h>

#include "base/select.h"
#include "proof/relax_trace.h"

/* errors of E_ij and of sums, in units of rounding */
#define RS_EXTEND_ERROR 64.0

static const double *core_L(const rs_relax_trace *s)
{
    return s->core.x + (size_t)s->core.p * s->core.p;
}

/* L of all rows; the core's stay */
static rs_status regress(double share, double weight, rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    const int p = core->p, r = rs_relax_rank(s->m), d = s->op->d;
    const double *L = core_L(s);
    double *DL = core->y, *by_slot = s->outside.DL, *G = s->outside.G;
    double *all = s->outside.L;
    const double nu = fmax(s->relax.least, 1e-3 * s->unit);
    rs_fill((size_t)core->known * r, 0.0, by_slot);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++) {
            const double entry =
                (s->relax.z[i] + weight) * L[i + (size_t)c * p];
            DL[i + (size_t)c * p] = entry;
            by_slot[core->slot[core->row[i]] + (size_t)c * core->known] =
                entry;
        }
    rs_crossprod(p, r, r, L, DL, G);
    for (int c = 0; c < r; c++)
        G[c * ((size_t)r + 1)] += share * nu;
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', d, r, core->known, 1.0,
                          core->columns, d, by_slot, core->known, 0.0, all,
                          d));
    if (rs_cholesky(r, G, r) != RS_OK)
        return RS_SINGULAR;
    rs_triangular_solve('R', 'N', d, r, G, r, all, d);
    rs_triangular_solve('R', 'T', d, r, G, r, all, d);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            all[core->row[i] + (size_t)d * c] = L[i + (size_t)p * c];
    return RS_OK;
}

static double shrink(double a, double by)
{
    return a > by ? a - by : a < -by ? a + by : 0.0;
}

/* ---- what costs nothing in the core ----------------------------------------- */

/*
 * The largest tau for which u_jj^2 and the k - 1 largest of |u_j.|, none of them
 * less than tau, have squares of at most `most`; index: the places of the latter
 * in u, descending
 */
static double largest_tau(int count, const int *index, const double *u,
                          double most)
{
    double above = 0.0, tau = 0.0;
    for (int t = 0; t < count && above < most; t++) {
        tau = sqrt((most - above) / (count - t));
        if (u[index[t]] <= tau)
            break;
        above += u[index[t]] * u[index[t]];
    }
    return tau;
}

/*
 * tau_j of the core, and what h_j becomes: rows that may be left out by their h
 * keep it so, others go up to the floor
 */
static void raise_tau(double floor, double spare, rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    const int p = core->p, r = rs_relax_rank(s->m), take = s->k - 1;
    const double *L = core_L(s), *a = L + (size_t)p * r;
    const double error = RS_EXTEND_ERROR * (s->k + r) * DBL_EPSILON;
    double *row = s->outside.u, *tau = s->outside.tau;
    rs_copy((size_t)p, s->relax.tau, tau);
    for (int j = 0; j < p && take > 0 && take < p && isfinite(floor); j++) {
        const double *u = core->x + (size_t)j * p, h = s->relax.h[j];
        const double up_to = h <= floor - spare ? floor - spare : floor;
        if (core->in[j] || !(h < up_to))
            continue;
        for (int l = 0; l < p; l++)
            row[l] = fabs(u[l]);
        row[j] = -1.0;
        rs_topk_order(p, row, take, s->order, s->score);
        const double length = rs_relax_length(j, (size_t)p, r, L);
        const double most =
            4.0 * exp(a[j]) *
                (up_to * (1.0 - error) - length * (1.0 + error)) -
            u[j] * u[j];
        const double larger =
            largest_tau(take, s->order, row, most) * (1.0 - error);
        if (larger > tau[j]) {
            tau[j] = larger;
            s->outside.h[core->row[j]] = up_to;
        }
    }
}

/* ---- the other rows -------------------------------------------------------- */

/* rest = the columns E[, rows] from those of S, which are in the block */
static rs_status residual_columns(int width, const int *rows,
                                  rs_relax_trace *s)
{
    const int r = rs_relax_rank(s->m), d = s->op->d;
    double *some = s->outside.some; /* width x r */
    rs_copy((size_t)d * width, s->outside.block, s->outside.rest);
    for (int c = 0; c < r; c++)
        for (int b = 0; b < width; b++)
            some[b + (size_t)c * width] =
                s->outside.L[rows[b] + (size_t)d * c];
    return rs_gemm_polled(s->ctx, 'N', 'T', d, width, r, -1.0, s->outside.L, d,
                          some, width, 1.0, s->outside.rest, d);
}

/* what h_i is made of, from the column i of E, rounded upwards */
static void row_parts(int i, const double *E, rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    const int p = s->core.p;
    double *u = out->u, smallest;
    for (int j = 0; j < p; j++)
        u[j] = fabs(shrink(2.0 * E[s->core.row[j]], out->tau[j]));
    for (int l = 0; l < out->count; l++)
        u[p + l] = out->row[l] == i ? 0.0 : fabs(E[out->row[l]]);
    const double square = rs_relax_squares(p + out->count, u, s->k, &smallest,
                                           s->order, s->score);
    const double length =
        rs_relax_length(i, (size_t)s->op->d, rs_relax_rank(s->m), out->L);
    const double error =
        RS_EXTEND_ERROR * DBL_EPSILON * (length + s->diagonal + s->unit);
    const double root = sqrt(square) + sqrt((double)s->k) * error;
    out->length[i] = length + error;
    out->own[i] = E[i] + error;
    out->square[i] = root * root;
}

/* the parts of the rows whose columns of S are in the block */
static rs_status block_parts(int width, const int *rows, rs_relax_trace *s)
{
    RS_TRY(residual_columns(width, rows, s));
    for (int b = 0; b < width; b++)
        row_parts(rows[b], s->outside.rest + (size_t)s->op->d * b, s);
    return rs_poll(s->ctx);
}

/* h_i, rounded upwards: beta_i may have either sign */
static double term_of(int i, const rs_relax_trace *s)
{
    const rs_trace_outside *out = &s->outside;
    const double beta = s->relax.least - out->own[i], square = out->square[i];
    const double root = sqrt(beta * beta + square);
    double excess = 0.5 * (root - beta);
    if (beta > 0.0)
        excess = square > 0.0 ? 0.5 * square / (root + beta) : 0.0;
    return (out->length[i] + excess) * (1.0 + RS_EXTEND_ERROR * DBL_EPSILON);
}

/* ---- the regression ---------------------------------------------------------- */

/* some rows of T, half of them those with the largest h of the last time, half of
 * them evenly spaced, and their columns of S in the block */
static rs_status sample_rows(int *width, int *rows, rs_relax_trace *s)
{
    const int count = s->outside.count, *others = s->outside.row;
    const int half = rs_min_int(count, RS_TRACE_BLOCK / 2);
    const int step = rs_max_int(1, count / (RS_TRACE_BLOCK - half));
    for (int l = 0; l < count; l++)
        s->score[l] = s->outside.h[others[l]];
    rs_topk_order(count, s->score, half, rows, s->score + s->op->d);
    for (int b = 0; b < half; b++)
        s->score[rows[b]] = -1.0;
    *width = half;
    for (int l = step / 2; l < count && *width < RS_TRACE_BLOCK; l += step)
        if (s->score[l] >= 0.0)
            rows[(*width)++] = l;
    for (int b = 0; b < *width; b++)
        rows[b] = others[rows[b]];
    return rs_covop_columns(s->op, *width, rows, s->outside.block);
}

/* the regression that keeps most rows of a sample below the floor */
static rs_status choose_regression(double floor, double *share, double *weight,
                                   rs_relax_trace *s)
{
    static const double settings[][2] = {
        {0.3, 0.1}, {0.3, 1.0}, {3.0, 0.1}, {3.0, 1.0}};
    int rows[RS_TRACE_BLOCK], width;
    double least = INFINITY;
    RS_TRY(sample_rows(&width, rows, s));
    for (int t = 0; t < 4; t++) {
        double above = 0.0;
        const rs_status status = regress(settings[t][0], settings[t][1], s);
        if (status == RS_SINGULAR)
            continue;
        RS_TRY(status);
        RS_TRY(block_parts(width, rows, s));
        for (int b = 0; b < width; b++) {
            const double h = term_of(rows[b], s);
            above += fmax(h - floor, 0.0) + 1e-3 * h;
        }
        if (!(above < least))
            continue;
        least = above;
        *share = settings[t][0];
        *weight = settings[t][1];
    }
    return isfinite(least) ? RS_OK : RS_SINGULAR;
}

/* ---- all of it ----------------------------------------------------------------- */

rs_status rs_trace_extend(double floor, double spare, rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    double share, weight;
    raise_tau(floor, spare, s);
    RS_TRY(choose_regression(floor, &share, &weight, s));
    RS_TRY(regress(share, weight, s));
    for (int from = 0; from < out->count; from += RS_TRACE_BLOCK) {
        const int width = rs_min_int(RS_TRACE_BLOCK, out->count - from);
        RS_TRY(rs_covop_columns(s->op, width, out->row + from, out->block));
        RS_TRY(block_parts(width, out->row + from, s));
    }
    for (int l = 0; l < out->count; l++)
        out->h[out->row[l]] = term_of(out->row[l], s);
    return RS_OK;
}

/* row `at` of the core, which has joined: what the extension makes of it */
static void fill_row(int at, int first, rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    const rs_trace_outside *out = &s->outside;
    const int q = core->p, r = rs_relax_rank(s->m), i = core->row[at];
    const size_t d = (size_t)s->op->d;
    double *U = core->x, *L = U + (size_t)q * q, *E = out->rest, smallest;
    rs_copy(d, core->columns + d * core->slot[i], E);
    for (int c = 0; c < r; c++) {
        rs_axpy(d, -out->L[i + d * c], out->L + d * c, E);
        L[at + (size_t)c * q] = out->L[i + d * c];
    }
    for (int j = 0; j < q; j++) {
        const double e = (j < first ? 2.0 : 1.0) * E[core->row[j]];
        const double u = j < first ? shrink(e, out->tau[j]) : e;
        U[(size_t)at * q + j] = j == at ? 0.0 : u;
        if (j < first)
            U[(size_t)j * q + at] = e - u;
        out->u[j] = fabs(U[(size_t)at * q + j]);
    }
    const double beta = s->relax.least - E[i];
    const double square =
        rs_relax_squares(q, out->u, s->k, &smallest, s->order, s->score);
    const double alpha = fmax(hypot(beta, sqrt(square)), 1e-6 * s->unit);
    U[(size_t)at * q + at] = alpha - beta;
    L[(size_t)r * q + at] = log(alpha);
}

void rs_trace_fill(int first, rs_relax_trace *s)
{
    for (int at = first; at < s->core.p; at++)
        fill_row(at, first, s);
}
