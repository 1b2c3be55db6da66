#include "method/cdlsr_perspective.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"
#include "la/linalg.h"

#define RS_EPS 2.220446049250313e-16
/* z below this is 0 */
#define RS_Z_NONE 1e-9
/* features that come in with a step, at least, and as a share of those there */
#define RS_ENTER_LEAST 4
#define RS_ENTER_SHARE 0.5
/* share of the predicted decrease that a step must reach, and halvings */
#define RS_ARMIJO 1e-4
#define RS_HALVINGS 12
/* least sum of z (1 - z) that tells the price */
#define RS_PRICED 1e-3

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
    p->weight = rs_alloc_double(ctx, n);
    p->best_weight = rs_alloc_double(ctx, n);
    p->best_z = rs_alloc_double(ctx, n);
    p->before = rs_alloc_double(ctx, n);
    p->order_work = rs_alloc_double(ctx, 2 * n);
    p->order = rs_alloc_int(ctx, n);
    p->wanted = rs_alloc_int(ctx, r);
    p->wanted_at = (const double **)rs_alloc(ctx, r, sizeof *p->wanted_at);
    p->V = rs_alloc_double(ctx, r * r);
    p->X = rs_alloc_double(ctx, r * r);
    p->VX = rs_alloc_double(ctx, r * r);
    p->place = rs_alloc_int(ctx, r);
    p->K = rs_alloc_double(ctx, r * r);
    p->g = rs_alloc_double(ctx, r);
    p->x = rs_alloc_double(ctx, r);
    RS_TRY(rs_allocated(ctx));
    return rs_capped_qp_init(ctx, (int)r, &p->qp);
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

/* B and G from z */
static rs_status solve(rs_perspective *p)
{
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

/* the bound that belongs to B, with room for rounding */
static void bound(rs_perspective *p)
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
    const double e = 2.0 * p->error + (p->s + 16.0) * RS_EPS;
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
    RS_TRY(solve(p));
    bound(p);
    return RS_OK;
}

/* ---- Newton's method ---------------------------------------------------------- */

/* what a share of z is worth, about: the mean weight of the features with z
 * between 0 and 1, or the smallest of the m largest weights */
static double price(rs_perspective *p)
{
    double sum = 0.0, shares = 0.0, smallest, next;
    for (int i = 0; i < p->s; i++) {
        const int j = p->support[i];
        const double share = p->in[j] ? 0.0 : p->z[j] * (1.0 - p->z[j]);
        sum += share * p->weight[j];
        shares += share;
    }
    rs_perspective_top(p->weight, &smallest, &next, p);
    return shares > RS_PRICED ? fmin(smallest, sum / shares) : smallest;
}

/* the features that a step is about: *old of them with z > 0, and others that
 * are worth more than the price, the largest weights first; returns how many */
static int list_wanted(int *old, rs_perspective *p)
{
    const double worth = price(p);
    double *score = p->order_work + p->N;
    int count = 0, room, others = 0;
    for (int i = 0; i < p->s; i++)
        if (!p->in[p->support[i]]) {
            p->place[count] = i;
            p->wanted[count++] = p->support[i];
        }
    *old = count;
    for (int j = 0; j < p->N; j++) {
        score[j] = !p->in[j] && p->z[j] <= 0.0 && p->weight[j] >= worth
                       ? p->weight[j]
                       : -1.0;
        others += score[j] >= 0.0;
    }
    room = rs_max_int(RS_ENTER_LEAST, (int)(RS_ENTER_SHARE * p->s));
    room = rs_min_int(rs_min_int(room, p->room - p->s), others);
    rs_topk_order(p->N, score, room, p->order, p->order_work);
    for (int i = 0; i < room; i++)
        p->wanted[count++] = p->order[i];
    return count;
}

/* V = (M + D/z)^{-1} on the support, both triangles */
static rs_status invert(rs_perspective *p)
{
    rs_copy((size_t)p->s * p->s, p->R, p->V);
    return rs_cholesky_inverse(p->s, p->V);
}

/* X = M_S. for the new features, from place `old` of the wanted ones on */
static void gather_new(int old, int count, rs_perspective *p)
{
    for (int j = old; j < count; j++)
        for (int i = 0; i < p->s; i++)
            p->X[i + (size_t)p->s * (j - old)] =
                p->wanted_at[j][p->support[i]];
}

/*
 * The upper triangle of K on the wanted features, old ones with z > 0 first.
 * With T = D/z there, K = T - T V T on these, T V M_S. beside a new one, and
 * M - M_.S V M_S. of two new ones.
 */
static rs_status reduce(int old, int count, rs_perspective *p)
{
    const int s = p->s, more = count - old;
    const size_t ld = (size_t)count;
    RS_TRY(invert(p));
    for (int j = 0; j < count; j++)
        RS_TRY(p->column(p->state, p->wanted[j], &p->wanted_at[j]));
    gather_new(old, count, p);
    rs_gemm('N', 'N', s, more, s, 1.0, p->V, s, p->X, s, 0.0, p->VX, s);
    for (int j = 0; j < old; j++) {
        const double *inverse = p->V + (size_t)s * p->place[j];
        const double tj = p->D[p->wanted[j]] / p->z[p->wanted[j]];
        for (int i = 0; i <= j; i++) {
            const double ti = p->D[p->wanted[i]] / p->z[p->wanted[i]];
            p->K[i + ld * j] = -ti * inverse[p->place[i]] * tj;
        }
        p->K[j + ld * j] += tj;
    }
    for (int j = old; j < count; j++) {
        const double *image = p->VX + (size_t)s * (j - old);
        for (int i = 0; i < old; i++)
            p->K[i + ld * j] =
                image[p->place[i]] * p->D[p->wanted[i]] / p->z[p->wanted[i]];
        for (int i = old; i <= j; i++)
            p->K[i + ld * j] =
                p->wanted_at[j][p->wanted[i]] -
                rs_dot((size_t)s, p->X + (size_t)s * (i - old), image);
        p->K[j + ld * j] -= p->D[p->wanted[j]];
    }
    return RS_OK;
}

/* the Hessian in place of K, and the gradient */
static void curve(int count, rs_perspective *p)
{
    const size_t N = (size_t)p->N;
    for (int j = 0; j < count; j++) {
        const int b = p->wanted[j];
        for (int i = 0; i <= j; i++) {
            const int a = p->wanted[i];
            double product = 0.0;
            for (int l = 0; l < p->c; l++)
                product += p->Q[a + N * l] * p->Q[b + N * l];
            p->K[i + (size_t)count * j] *= 2.0 * product / (p->D[a] * p->D[b]);
        }
        p->g[j] = p->weight[b];
        p->x[j] = p->z[b];
    }
    rs_mirror_upper(count, p->K);
}

/* z towards x as far as G falls; *moved = 0 where it does not */
static rs_status search_line(int count, double slope, int *moved,
                             rs_perspective *p)
{
    const double start = p->relaxed;
    double t = 1.0;
    rs_copy((size_t)p->N, p->z, p->before);
    *moved = 1;
    for (int halving = 0; halving < RS_HALVINGS; halving++, t *= 0.5) {
        for (int i = 0; i < count; i++) {
            const int j = p->wanted[i];
            p->z[j] = p->before[j] + t * (p->x[i] - p->before[j]);
        }
        const rs_status status = solve(p);
        if (status == RS_OK &&
            p->relaxed <= start - RS_ARMIJO * t * slope - RS_EPS)
            return RS_OK;
        if (status != RS_SINGULAR)
            RS_TRY(status);
        rs_copy((size_t)p->N, p->before, p->z);
    }
    *moved = 0;
    return solve(p);
}

static rs_status newton_step(int *moved, rs_perspective *p)
{
    int old;
    const int count = list_wanted(&old, p);
    double total = p->m, slope = 0.0;
    *moved = 0;
    if (count == 0)
        return RS_OK;
    RS_TRY(reduce(old, count, p));
    curve(count, p);
    const rs_status status =
        rs_capped_qp(count, p->K, fmin(total, count), p->g, p->x, &p->qp);
    if (status == RS_SINGULAR)
        return RS_OK;
    for (int i = 0; i < count; i++)
        slope += p->weight[p->wanted[i]] * (p->x[i] - p->z[p->wanted[i]]);
    if (!(slope > 0.0))
        return RS_OK;
    p->steps += 1.0;
    return search_line(count, slope, moved, p);
}

rs_status rs_perspective_minimise(double enough, double share, int steps,
                                  rs_perspective *p)
{
    int moved = 1;
    for (int step = 0; step < steps && moved; step++) {
        const double above = p->best_most - enough;
        if (above <= 0.0 || p->best_most - (1.0 - p->relaxed) <= share * above)
            break;
        RS_TRY(rs_poll(p->ctx));
        RS_TRY(newton_step(&moved, p));
        if (moved)
            bound(p);
    }
    return RS_OK;
}

/* ---- what others ask of it ------------------------------------------------------ */

static double row_square(int i, const rs_perspective *p)
{
    double square = 0.0;
    for (int l = 0; l < p->c; l++) {
        const double b = p->B[i + (size_t)p->s * l];
        square += b * b;
    }
    return square;
}

void rs_perspective_slopes(const rs_perspective *p, double *g)
{
    rs_fill((size_t)p->N, 0.0, g);
    for (int i = 0; i < p->s; i++) {
        const int j = p->support[i];
        g[j] = row_square(i, p) * (1.0 / p->z[j] - 1.0);
    }
}

rs_status rs_perspective_costs(double *cost, rs_perspective *p)
{
    const int s = p->s;
    rs_fill((size_t)p->N, 0.0, cost);
    RS_TRY(rs_cholesky_inverse(s, p->R));
    for (int i = 0; i < s; i++)
        if (!p->in[p->support[i]])
            cost[p->support[i]] = row_square(i, p) / p->R[i + (size_t)s * i];
    return RS_OK;
}
