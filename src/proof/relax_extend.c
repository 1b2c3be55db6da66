/* The extension to rows outside the core, see relax.h. */
#include <float.h>
#include <math.h>

#include "base/select.h"
#include "proof/relax.h"

static const double *core_L(const rs_relax_trace *s)
{
    return s->core.x + (size_t)s->core.p * s->core.p;
}

/* L of all rows; the core's stay. The ridge, in units of nu, and what is added
 * to z take turns: the best bound of a node counts */
static rs_status regress(rs_relax_trace *s)
{
    static const double ridges[] = {0.3, 3.0}, weights[] = {0.1, 1.0};
    const int turn = s->outside.turn = !s->outside.turn;
    const rs_trace_core *core = &s->core;
    const int p = core->p, r = rs_relax_rank(s->m), d = s->op->d;
    const double *L = core_L(s);
    double *DL = core->y, *G = s->outside.G, *all = s->outside.L;
    double *wide = s->outside.DL;
    const double nu = fmax(s->relax.least, 1e-3 * s->unit);
    rs_fill((size_t)d * r, 0.0, wide);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            wide[core->row[i] + (size_t)c * d] = DL[i + (size_t)c * p] =
                (s->relax.z[i] + weights[turn]) * L[i + (size_t)c * p];
    rs_crossprod(p, r, r, L, DL, G);
    for (int c = 0; c < r; c++)
        G[c * ((size_t)r + 1)] += ridges[turn] * nu;
    for (int c = 0; c < r; c += RS_PANEL)
        RS_TRY(rs_covop_apply(s->op, rs_min_int(RS_PANEL, r - c),
                              wide + (size_t)d * c, all + (size_t)d * c));
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

/* ---- the other rows -------------------------------------------------------- */

/* the block of columns of S becomes E[, rows] */
static rs_status residual_columns(int width, const int *rows,
                                  rs_relax_trace *s)
{
    const int r = rs_relax_rank(s->m), d = s->op->d;
    double *some = s->outside.some; /* width x r */
    for (int c = 0; c < r; c++)
        for (int b = 0; b < width; b++)
            some[b + (size_t)c * width] =
                s->outside.L[rows[b] + (size_t)d * c];
    return rs_gemm_polled(s->ctx, 'N', 'T', d, width, r, -1.0, s->outside.L, d,
                          some, width, 1.0, s->outside.block, d);
}

/* what h_i is made of, from the column i of E, rounded upwards */
static void row_parts(int i, const double *E, rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    const int p = s->core.p;
    double *u = out->u, smallest;
    for (int j = 0; j < p; j++)
        u[j] = fabs(shrink(2.0 * E[s->core.row[j]], s->relax.tau[j]));
    for (int l = 0; l < out->count; l++)
        u[p + l] = out->row[l] == i ? 0.0 : fabs(E[out->row[l]]);
    const double square = rs_relax_squares(p + out->count, u, s->k, &smallest,
                                           s->order, s->score);
    const double length =
        rs_relax_length(i, (size_t)s->op->d, rs_relax_rank(s->m), out->L);
    const double error =
        RS_ERRORS * DBL_EPSILON * (length + s->diagonal + s->unit);
    const double root = sqrt(square) + sqrt((double)s->k) * error;
    out->length[i] = length + error;
    out->own[i] = E[i] + error;
    out->square[i] = root * root;
}

/* beta_i may have either sign */
double rs_trace_term(int i, double nu, const rs_relax_trace *s)
{
    const rs_trace_outside *out = &s->outside;
    const double beta = nu - out->own[i], square = out->square[i];
    const double root = sqrt(beta * beta + square);
    double excess = 0.5 * (root - beta);
    if (beta > 0.0)
        excess = square > 0.0 ? 0.5 * square / (root + beta) : 0.0;
    return (out->length[i] + excess) * (1.0 + RS_ERRORS * DBL_EPSILON);
}

rs_status rs_trace_extend(rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    RS_TRY(regress(s));
    for (int from = 0; from < out->count; from += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, out->count - from);
        const int *rows = out->row + from;
        RS_TRY(rs_covop_columns(s->op, width, rows, out->block));
        RS_TRY(residual_columns(width, rows, s));
        for (int b = 0; b < width; b++)
            row_parts(rows[b], out->block + (size_t)s->op->d * b, s);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* ---- rows that have joined ------------------------------------------------------- */

/* row `at` of the core: what the extension makes of it */
static void fill_row(int at, int first, rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    const rs_trace_outside *out = &s->outside;
    const int q = core->p, r = rs_relax_rank(s->m);
    const double *S = core->S + (size_t)at * q, *L = core_L(s);
    double *U = core->x, smallest, own = 0.0;
    for (int j = 0; j < q; j++) {
        double e = S[j];
        for (int c = 0; c < r; c++)
            e -= L[at + (size_t)c * q] * L[j + (size_t)c * q];
        own = j == at ? e : own;
        e *= j < first ? 2.0 : 1.0;
        const double u = j < first ? shrink(e, s->relax.tau[j]) : e;
        U[(size_t)at * q + j] = j == at ? 0.0 : u;
        if (j < first)
            U[(size_t)j * q + at] = e - u;
        out->u[j] = fabs(U[(size_t)at * q + j]);
    }
    const double beta = out->nu - own;
    const double square =
        rs_relax_squares(q, out->u, s->k, &smallest, s->order, s->score);
    const double alpha = fmax(hypot(beta, sqrt(square)), 1e-6 * s->unit);
    U[(size_t)at * q + at] = alpha - beta;
    U[(size_t)q * (q + r) + at] = log(alpha);
}

void rs_trace_fill(int first, rs_relax_trace *s)
{
    const int q = s->core.p, r = rs_relax_rank(s->m), d = s->op->d;
    double *L = s->core.x + (size_t)q * q;
    for (int c = 0; c < r; c++)
        for (int at = first; at < q; at++)
            L[at + (size_t)c * q] =
                s->outside.L[s->core.row[at] + (size_t)d * c];
    for (int at = first; at < q; at++)
        fill_row(at, first, s);
}
