/* What the sets of a node explain at most: the dual bound of the perspective
 * relaxation, from coefficients B. */
#include "proof/perspective.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* z below this is 0 */
#define RS_Z_NONE 1e-9

rs_status rs_perspective_init(rs_context *ctx, int N, int c, int room,
                              rs_perspective *p)
{
    const size_t n = (size_t)N, r = (size_t)rs_min_int(room, N);
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    p->N = N;
    p->c = c;
    p->room = (int)r;
    p->z = rs_alloc_double(ctx, n);
    p->support = rs_alloc_int(ctx, r);
    p->at = (const double **)rs_alloc(ctx, r, sizeof *p->at);
    p->R = rs_alloc_double(ctx, r * r);
    p->B = rs_alloc_double(ctx, r * c);
    p->Q = rs_alloc_double(ctx, n * c);
    RS_ALLOC_DOUBLES(ctx, n, &p->weight, &p->best_weight, &p->best_z,
                     &p->before);
    p->order_work = rs_alloc_double(ctx, 2 * n);
    p->order = rs_alloc_int(ctx, n);
    p->wanted = rs_alloc_int(ctx, r);
    p->wanted_at = (const double **)rs_alloc(ctx, r, sizeof *p->wanted_at);
    RS_ALLOC_DOUBLES(ctx, r * r, &p->V, &p->X, &p->VX, &p->K);
    RS_ALLOC_INTS(ctx, r, &p->place, &p->free);
    RS_ALLOC_DOUBLES(ctx, r, &p->g, &p->x);
    p->side = (signed char *)rs_alloc(ctx, r, 1);
    p->pair = rs_alloc_double(ctx, 2 * r);
    return rs_allocated(ctx);
}

double rs_perspective_row_square(int rows, int c, const double *B, int i)
{
    double square = 0.0;
    for (int l = 0; l < c; l++)
        square += B[i + (size_t)rows * l] * B[i + (size_t)rows * l];
    return square;
}

/* ---- the relaxation at z ---------------------------------------------------- */

static rs_status list_support(rs_perspective *p)
{
    p->s = 0;
    for (int j = 0; j < p->N; j++) {
        if (p->z[j] < RS_Z_NONE || p->s == p->room)
            p->z[j] = 0.0;
        if (p->z[j] > 0.0)
            p->support[p->s++] = j;
    }
    for (int i = 0; i < p->s; i++)
        RS_TRY(p->column(p->state, p->support[i], &p->at[i]));
    return RS_OK;
}

rs_status rs_perspective_solve(rs_perspective *p)
{
    p->solved = 0;
    RS_TRY(list_support(p));
    const int s = p->s;
    for (int j = 0; j < s; j++) {
        const int q = p->support[j];
        for (int i = 0; i <= j; i++)
            p->R[i + (size_t)s * j] = p->at[j][p->support[i]];
        p->R[j + (size_t)s * j] += p->D[q] * (1.0 / p->z[q] - 1.0);
        for (int l = 0; l < p->c; l++)
            p->B[j + (size_t)s * l] = p->C[q + (size_t)p->N * l];
    }
    RS_TRY(rs_cholesky(s, p->R, s));
    RS_TRY(rs_cholesky_solve(s, p->c, p->R, s, p->B, s));
    p->relaxed = 1.0;
    for (int l = 0; l < p->c; l++)
        for (int j = 0; j < s; j++)
            p->relaxed -= p->C[p->support[j] + (size_t)p->N * l] *
                          p->B[j + (size_t)s * l];
    p->solved = 1;
    return RS_OK;
}

/* Q = C - M B */
static void multiply(rs_perspective *p)
{
    const size_t N = (size_t)p->N;
    rs_copy(N * p->c, p->C, p->Q);
    for (int j = 0; j < p->s; j++)
        for (int l = 0; l < p->c; l++) {
            const double b = p->B[j + (size_t)p->s * l];
            rs_axpy(N, -b, p->at[j], p->Q + N * l);
            p->Q[p->support[j] + N * l] += p->D[p->support[j]] * b;
        }
}

double rs_perspective_top(const double *weight, double *smallest, double *next,
                          rs_perspective *p)
{
    double *score = p->order_work + p->N, sum = 0.0;
    int others = 0;
    for (int j = 0; j < p->N; j++) {
        score[j] = p->in[j] ? -1.0 : weight[j];
        others += !p->in[j];
    }
    const int wanted = rs_min_int(p->m + 1, p->N);
    rs_topk_order(p->N, score, wanted, p->order, p->order_work);
    const int count = rs_min_int(p->m, others);
    for (int i = 0; i < count; i++)
        sum += score[p->order[i]];
    *smallest = count > 0 ? score[p->order[count - 1]] : 0.0;
    *next = others > p->m ? score[p->order[p->m]] : -1.0;
    return sum;
}

void rs_perspective_bound(rs_perspective *p)
{
    const int N = p->N;
    double quadratic = 0.0, lengths = 0.0, smallest, next;
    multiply(p);
    for (int j = 0; j < p->s; j++) {
        double square = 0.0;
        const int q = p->support[j];
        for (int l = 0; l < p->c; l++) {
            const size_t at = q + (size_t)N * l;
            const double b = p->B[j + (size_t)p->s * l];
            quadratic += b * (p->C[at] - p->Q[at]);
            square += b * b;
        }
        lengths += sqrt(square);
    }
    const double e = 2.0 * p->error + (p->s + 16.0) * DBL_EPSILON;
    rs_row_norms(N, p->c, p->Q, p->weight);
    p->base = quadratic + 8.0 * e * (1.0 + lengths) * (1.0 + lengths);
    for (int j = 0; j < N; j++) {
        const double q = p->weight[j] + e * (1.0 + lengths);
        p->weight[j] = q * q / p->D[j];
        if (p->in[j])
            p->base += p->weight[j];
    }
    p->most = p->base + rs_perspective_top(p->weight, &smallest, &next, p);
    if (p->most < p->best_most) {
        p->best_most = p->most;
        p->best_base = p->base;
        rs_copy((size_t)N, p->weight, p->best_weight);
        rs_copy((size_t)N, p->z, p->best_z);
    }
}

/* z within the bounds, its sum at most m, 1 for those in every set */
static void make_feasible(rs_perspective *p)
{
    double sum = 0.0;
    for (int j = 0; j < p->N; j++)
        if (!p->in[j])
            sum += p->z[j] = fmin(fmax(p->z[j], 0.0), 1.0);
    const double factor = sum > p->m ? p->m / sum : 1.0;
    for (int j = 0; j < p->N; j++)
        p->z[j] = p->in[j] ? 1.0 : p->z[j] * factor;
}

rs_status rs_perspective_start(rs_perspective *p)
{
    p->best_most = INFINITY;
    make_feasible(p);
    RS_TRY(rs_perspective_solve(p));
    rs_perspective_bound(p);
    return RS_OK;
}

/* ---- what others ask of it ------------------------------------------------------ */

void rs_perspective_slopes(const rs_perspective *p, double *g)
{
    rs_fill((size_t)p->N, 0.0, g);
    for (int i = 0; i < p->s; i++) {
        const int j = p->support[i];
        g[j] = rs_perspective_row_square(p->s, p->c, p->B, i) *
               (1.0 / p->z[j] - 1.0);
    }
}

rs_status rs_perspective_costs(double *cost, rs_perspective *p)
{
    rs_fill((size_t)p->N, 0.0, cost);
    if (!p->solved)
        RS_TRY(rs_perspective_solve(p));
    p->solved = 0;
    const int s = p->s;
    RS_TRY(rs_cholesky_inverse(s, p->R));
    for (int i = 0; i < s; i++)
        if (!p->in[p->support[i]])
            cost[p->support[i]] =
                rs_perspective_row_square(p->s, p->c, p->B, i) /
                p->R[i + (size_t)s * i];
    return RS_OK;
}
