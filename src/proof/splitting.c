/* A diagonal that can be taken off a matrix of cross-products, proved by
 * Cholesky factors. */
#include "proof/splitting.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"

/* products of the power method; the estimate only has to be near */
#define RS_POWERS 60
/* shares that a diagonal shrinks by until one is proved: the first few, the
 * others, and how many there are */
#define RS_SHRINK_LITTLE 1e-4
#define RS_SHRINK_MUCH 0.15
#define RS_SHRINK_FEW 3
#define RS_SHRINKS 14
/* share of what D_j may grow by that is left in any case, and the most that it
 * may fall by in a pass */
#define RS_ROOM_LEAST 1e-3
#define RS_FALL_MOST 0.5

rs_status rs_splitting_init(rs_context *ctx, int room, double error,
                            rs_splitting *s)
{
    const size_t r = (size_t)room;
    s->ctx = ctx;
    s->error = error;
    s->P = rs_alloc_double(ctx, r * r);
    RS_ALLOC_DOUBLES(ctx, r * RS_PANEL, &s->U, &s->V);
    RS_ALLOC_DOUBLES(ctx, r, &s->column, &s->old);
    return rs_allocated(ctx);
}

/* P = A - diag(D) - shift I */
static void subtract(int N, const double *A, const double *D, double shift,
                     double *P)
{
    rs_copy((size_t)N * N, A, P);
    for (int j = 0; j < N; j++)
        P[j + (size_t)N * j] -= D[j] + shift;
}

rs_status rs_splitting_prove(int N, const double *A, const double *D,
                             int *proved, rs_splitting *s)
{
    const double slack = 2.0 * N * (s->error + (N + 2.0) * DBL_EPSILON);
    subtract(N, A, D, slack, s->P);
    const rs_status status = rs_cholesky_polled(s->ctx, N, s->P);
    *proved = status == RS_OK;
    return status == RS_SINGULAR ? RS_OK : status;
}

/* D shrinks until it is proved */
static rs_status shrink(int N, const double *A, double *D, int *proved,
                        rs_splitting *s)
{
    for (int trial = 0; trial < RS_SHRINKS; trial++) {
        RS_TRY(rs_splitting_prove(N, A, D, proved, s));
        if (*proved)
            return RS_OK;
        rs_scale(
            (size_t)N,
            1.0 - (trial < RS_SHRINK_FEW ? RS_SHRINK_LITTLE : RS_SHRINK_MUCH),
            D);
    }
    return RS_OK;
}

/* P <- (A - diag(D))^{-1}; RS_SINGULAR where it has none */
static rs_status invert(int N, const double *A, const double *D,
                        rs_splitting *s)
{
    subtract(N, A, D, 0.0, s->P);
    RS_TRY(rs_cholesky_polled(s->ctx, N, s->P));
    RS_TRY(rs_poll(s->ctx));
    return rs_cholesky_inverse_polled(s->ctx, N, s->P);
}

/* the largest eigenvalue of diag(D)^{1/2} P diag(D)^{1/2}, about */
static double largest_scaled(int N, const double *D, rs_splitting *s)
{
    double *v = s->old, *w = s->column, value = 1.0;
    for (int i = 0; i < N; i++)
        v[i] = 1.0 + 0.5 * sin(1.0 + i); /* no eigenvector is orthogonal */
    for (int power = 0; power < RS_POWERS; power++) {
        const double norm = rs_norm((size_t)N, v);
        for (int i = 0; i < N; i++)
            v[i] *= sqrt(D[i]) / norm;
        rs_gemv('N', N, N, 1.0, s->P, N, v, 0.0, w);
        for (int i = 0; i < N; i++)
            v[i] = w[i] * sqrt(D[i]);
        value = rs_norm((size_t)N, v);
    }
    return value;
}

rs_status rs_splitting_first(int N, const double *A, double *D, int *found,
                             rs_splitting *s)
{
    rs_fill((size_t)N, 0.0, D);
    RS_TRY(rs_splitting_prove(N, A, D, found, s));
    if (!*found)
        return RS_OK;
    RS_TRY(rs_cholesky_inverse_polled(s->ctx, N, s->P));
    for (int j = 0; j < N; j++)
        D[j] = 1.0 / s->P[j + (size_t)N * j];
    rs_scale((size_t)N, (1.0 - 1e-3) / largest_scaled(N, D, s), D);
    return shrink(N, A, D, found, s);
}

/* by how much D_j changes, where it may grow by 1 / p */
static double change(double p, double g, double mu, double D)
{
    const double most = 1.0 / p;
    const double left =
        g > 0.0 ? fmax(mu / g, RS_ROOM_LEAST * most) : INFINITY;
    return fmax(most - left, -RS_FALL_MOST * D);
}

/*
 * One pass over the coordinates. Only what follows of P is still needed: the
 * updates wait in U, with their factors in V, until a block of them is done.
 */
static rs_status pass(int N, const double *g, const unsigned char *fixed,
                      double mu, double *D, rs_splitting *s)
{
    double *p = s->column;
    for (int from = 0; from < N; from += RS_PANEL) {
        const int to = rs_min_int(from + RS_PANEL, N);
        int waiting = 0;
        for (int j = from; j < to; j++) {
            const int rest = N - j;
            rs_copy((size_t)rest, s->P + j + (size_t)N * j, p);
            for (int t = 0; t < waiting; t++)
                rs_axpy((size_t)rest, s->V[j + (size_t)N * t],
                        s->U + j + (size_t)N * t, p);
            if (fixed[j] || !(p[0] > 0.0))
                continue;
            const double by = change(p[0], g[j], mu, D[j]);
            const double factor = by / (1.0 - by * p[0]);
            D[j] += by;
            for (int i = 0; i < rest; i++) {
                s->U[j + i + (size_t)N * waiting] = p[i];
                s->V[j + i + (size_t)N * waiting] = factor * p[i];
            }
            waiting++;
        }
        if (to < N && waiting > 0)
            rs_gemm('N', 'T', N - to, N - to, waiting, 1.0, s->V + to, N,
                    s->U + to, N, 1.0, s->P + to + (size_t)N * to, N);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

rs_status rs_splitting_ascend(int N, const double *A, const double *g,
                              const unsigned char *fixed, double mu, double *D,
                              int *moved, rs_splitting *s)
{
    rs_copy((size_t)N, D, s->old);
    rs_status status = invert(N, A, D, s);
    *moved = status == RS_OK;
    if (*moved)
        status = pass(N, g, fixed, mu, D, s);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    for (int j = 0; j < N; j++)
        D[j] += 0.5 * (s->old[j] - D[j]);
    RS_TRY(shrink(N, A, D, moved, s));
    if (!*moved)
        rs_copy((size_t)N, s->old, D);
    return RS_OK;
}
