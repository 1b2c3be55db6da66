/* What the sets of a node explain at most: the dual bound of the perspective
 * relaxation, from coefficients B. */
#include "proof/perspective.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"
#include "solve/steps.h"

/* z below this is 0 */
#define RS_Z_NONE 1e-9
/* features that come in with a step, at least, and as a share of those there */
#define RS_ENTER_LEAST 4
#define RS_ENTER_SHARE 0.5
/* least sum of z (1 - z) that tells the price */
#define RS_PRICED 1e-3
/* halvings of a step in z */
#define RS_NEWTON_HALVINGS 12
/* the quadratic model of a step: slopes that differ by no more than this share,
 * and exchanges for each feature */
#define RS_FLAT 1e-4
#define RS_EXCHANGES 5

rs_status rs_perspective_init(rs_context *ctx, int N, int room,
                              rs_perspective *p)
{
    const size_t n = (size_t)N, r = (size_t)rs_min_int(room, N);
    rs_perspective_step *step = &p->step;
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    p->of.N = N;
    p->room = (int)r;
    RS_ALLOC_DOUBLES(ctx, n, &p->z, &p->weight, &p->best.weight, &p->best.z,
                     &step->before);
    RS_ALLOC_INTS(ctx, r, &p->support, &step->wanted);
    step->K = rs_alloc_double(ctx, (r + 1) * (r + 1));
    p->order_work = rs_alloc_double(ctx, 2 * n);
    p->order = rs_alloc_int(ctx, n);
    RS_ALLOC_DOUBLES(ctx, r + 1, &step->g, &step->x);
    return rs_allocated(ctx);
}

/* ---- the relaxation at z ---------------------------------------------------- */

/* the support, B and G from z */
static rs_status solve(rs_perspective *p)
{
    p->s = p->solved = 0;
    for (int j = 0; j < p->of.N; j++) {
        if (p->z[j] < RS_Z_NONE || p->s == p->room)
            p->z[j] = 0.0;
        if (p->z[j] > 0.0)
            p->support[p->s++] = j;
    }
    RS_TRY(p->of.solve(p->of.state, p));
    p->solved = 1;
    return RS_OK;
}

double rs_perspective_top(const double *weight, double *smallest,
                          rs_perspective *p)
{
    double *score = p->order_work + p->of.N, sum = 0.0;
    int others = 0;
    for (int j = 0; j < p->of.N; j++) {
        score[j] = p->of.in[j] ? -1.0 : weight[j];
        others += !p->of.in[j];
    }
    const int count = rs_min_int(p->of.m, others);
    rs_topk_order(p->of.N, score, count, p->order, p->order_work);
    for (int i = 0; i < count; i++)
        sum += score[p->order[i]];
    *smallest = count > 0 ? score[p->order[count - 1]] : 0.0;
    return sum;
}

/* the bound that belongs to B */
static void find_bound(rs_perspective *p)
{
    const size_t N = (size_t)p->of.N;
    double smallest;
    p->of.weigh(p->of.state, p);
    for (size_t j = 0; j < N; j++)
        if (p->of.in[j])
            p->base += p->weight[j];
    p->most = p->base + rs_perspective_top(p->weight, &smallest, p);
    if (p->most < p->best.most) {
        p->best.most = p->most;
        p->best.base = p->base;
        rs_copy(N, p->weight, p->best.weight);
        rs_copy(N, p->z, p->best.z);
    }
}

rs_status rs_perspective_start(rs_perspective *p)
{
    double sum = 0.0;
    p->best.most = INFINITY;
    /* z within the bounds, its sum at most m, 1 for those in every set */
    for (int j = 0; j < p->of.N; j++)
        if (!p->of.in[j])
            sum += p->z[j] = fmin(fmax(p->z[j], 0.0), 1.0);
    const double factor = sum > p->of.m ? p->of.m / sum : 1.0;
    for (int j = 0; j < p->of.N; j++)
        p->z[j] = p->of.in[j] ? 1.0 : p->z[j] * factor;
    RS_TRY(solve(p));
    find_bound(p);
    return RS_OK;
}

/* ---- features that a step is about ---------------------------------------------- */

/* what a share of z is worth, about: the mean weight of the features with z
 * between 0 and 1, or the smallest of the m largest weights */
static double price(rs_perspective *p)
{
    double sum = 0.0, shares = 0.0, smallest;
    for (int i = 0; i < p->s; i++) {
        const int j = p->support[i];
        const double share = p->of.in[j] ? 0.0 : p->z[j] * (1.0 - p->z[j]);
        sum += share * p->weight[j];
        shares += share;
    }
    rs_perspective_top(p->weight, &smallest, p);
    return shares > RS_PRICED ? fmin(smallest, sum / shares) : smallest;
}

/* the features with z > 0 that are not in every set, and of those with z = 0 that are
 * worth more than the price some of the largest weights */
static int list_wanted(rs_perspective *p)
{
    const double worth = price(p);
    double *score = p->order_work + p->of.N;
    int others = 0, listed = 0;
    for (int i = 0; i < p->s; i++)
        if (!p->of.in[p->support[i]])
            p->step.wanted[listed++] = p->support[i];
    for (int j = 0; j < p->of.N; j++) {
        score[j] = !p->of.in[j] && p->z[j] <= 0.0 && p->weight[j] >= worth
                       ? p->weight[j]
                       : -1.0;
        others += score[j] >= 0.0;
    }
    int room = rs_max_int(RS_ENTER_LEAST, (int)(RS_ENTER_SHARE * p->s));
    room = rs_min_int(rs_min_int(room, p->room - p->s), others);
    rs_topk_order(p->of.N, score, room, p->order, p->order_work);
    for (int i = 0; i < room; i++)
        p->step.wanted[listed++] = p->order[i];
    return listed;
}

/* ---- Newton's method in z --------------------------------------------------------- */

/* the gradient, and the shares: the last one is what is left of m */
static void read_shares(int count, rs_perspective *p)
{
    rs_perspective_step *to = &p->step;
    to->g[count] = 0.0;
    to->x[count] = rs_min_int(p->of.m, count);
    for (int j = 0; j < count; j++) {
        to->g[j] = p->weight[to->wanted[j]];
        to->x[j] = p->z[to->wanted[j]];
        to->x[count] -= to->x[j];
    }
}

/* the share that is best exchanged for one more of share u, by how far the model
 * falls; -1: none */
static int best_partner(int count, int u, const rs_perspective_step *step)
{
    const size_t ld = (size_t)count + 1;
    double most = 0.0;
    int best = -1;
    for (size_t j = 0; j < ld; j++) {
        const double fall = step->g[u] - step->g[j];
        const double curve = step->K[u + ld * u] + step->K[j + ld * j] -
                             2.0 * step->K[j + ld * u];
        if (step->x[j] <= 0.0 || fall <= RS_FLAT * step->g[u])
            continue;
        if (fall * fall / fmax(curve, DBL_MIN) > most) {
            most = fall * fall / fmax(curve, DBL_MIN);
            best = (int)j;
        }
    }
    return best;
}

/* x <- the minimum of the model within the bounds, about, by exchanges of two
 * shares at a time */
static void minimise_model(int count, rs_perspective_step *step)
{
    const size_t ld = (size_t)count + 1;
    double *x = step->x, *g = step->g;
    for (int turn = 0; turn < RS_EXCHANGES * count; turn++) {
        int u = -1;
        for (int j = 0; j < count; j++)
            if (x[j] < 1.0 && (u < 0 || g[j] > g[u]))
                u = j;
        const int v = u < 0 ? -1 : best_partner(count, u, step);
        if (v < 0)
            return;
        const double *add = step->K + ld * u, *take = step->K + ld * v;
        const double curve = add[u] + take[v] - 2.0 * add[v];
        const double by =
            fmin((g[u] - g[v]) / fmax(curve, DBL_MIN), fmin(1.0 - x[u], x[v]));
        x[u] = by < 1.0 - x[u] ? x[u] + by : 1.0;
        x[v] = by < x[v] ? x[v] - by : 0.0;
        rs_axpy(ld, -by, add, g);
        rs_axpy(ld, by, take, g);
    }
}

/* z towards x as far as G falls; *moved = 0 where it does not */
static rs_status search_line(int count, double slope, int *moved,
                             rs_perspective *p)
{
    const double start = p->relaxed;
    double t = 1.0;
    rs_copy((size_t)p->of.N, p->z, p->step.before);
    *moved = 1;
    for (int halving = 0; halving < RS_NEWTON_HALVINGS; halving++, t *= 0.5) {
        for (int i = 0; i < count; i++) {
            const int j = p->step.wanted[i];
            p->z[j] =
                p->step.before[j] + t * (p->step.x[i] - p->step.before[j]);
        }
        const rs_status status = solve(p);
        if (status == RS_OK && p->relaxed <= start - RS_DECREASE * t * slope -
                                                 DBL_EPSILON * p->of.total)
            return RS_OK;
        if (status != RS_SINGULAR)
            RS_TRY(status);
        rs_copy((size_t)p->of.N, p->step.before, p->z);
    }
    *moved = 0;
    return solve(p);
}

/* *moved = 0 where G falls no more */
static rs_status step_in_shares(int *moved, rs_perspective *p)
{
    double slope = 0.0;
    *moved = 0;
    if (!p->solved) {
        RS_TRY(solve(p));
        find_bound(p);
    }
    const int count = list_wanted(p);
    if (count == 0)
        return RS_OK;
    const size_t ld = (size_t)count + 1;
    rs_fill(ld * ld, 0.0, p->step.K);
    RS_TRY(p->of.curve(p->of.state, count, p));
    read_shares(count, p);
    minimise_model(count, &p->step);
    for (int i = 0; i < count; i++) {
        p->step.x[i] = fmin(fmax(p->step.x[i], 0.0), 1.0);
        slope += p->weight[p->step.wanted[i]] *
                 (p->step.x[i] - p->z[p->step.wanted[i]]);
    }
    if (!(slope > 0.0))
        return RS_OK;
    RS_TRY(search_line(count, slope, moved, p));
    find_bound(p);
    return RS_OK;
}

rs_status rs_perspective_minimise(double enough, double share, int steps,
                                  rs_perspective *p)
{
    int moved = 1;
    for (int step = 0; step < steps && moved; step++) {
        const double above = p->best.most - enough;
        /* how far the best bound is above the relaxation */
        const double gap = p->best.most - (p->of.total - p->relaxed);
        if (above <= 0.0 || gap <= share * above)
            break;
        RS_TRY(rs_poll(p->ctx));
        RS_TRY(step_in_shares(&moved, p));
    }
    return RS_OK;
}

/* ---- least squares ------------------------------------------------------------ */

double rs_perspective_row_square(const rs_perspective *p, int i)
{
    const rs_perspective_lsq *lsq = (const rs_perspective_lsq *)p->of.state;
    double square = 0.0;
    for (int l = 0; l < lsq->c; l++)
        square += lsq->B[i + (size_t)p->s * l] * lsq->B[i + (size_t)p->s * l];
    return square;
}

static rs_status solve_lsq(void *state, rs_perspective *p)
{
    rs_perspective_lsq *lsq = (rs_perspective_lsq *)state;
    const int s = p->s;
    for (int j = 0; j < s; j++)
        RS_TRY(lsq->column(lsq->state, p->support[j], &lsq->at[j]));
    for (int j = 0; j < s; j++) {
        const int q = p->support[j];
        for (int i = 0; i <= j; i++)
            lsq->R[i + (size_t)s * j] = lsq->at[j][p->support[i]];
        lsq->R[j + (size_t)s * j] += lsq->D[q] * (1.0 / p->z[q] - 1.0);
        for (int l = 0; l < lsq->c; l++)
            lsq->B[j + (size_t)s * l] = lsq->C[q + (size_t)p->of.N * l];
    }
    RS_TRY(rs_cholesky(s, lsq->R, s));
    RS_TRY(rs_cholesky_solve(s, lsq->c, lsq->R, s, lsq->B, s));
    p->relaxed = 1.0;
    for (int l = 0; l < lsq->c; l++)
        for (int j = 0; j < s; j++)
            p->relaxed -= lsq->C[p->support[j] + (size_t)p->of.N * l] *
                          lsq->B[j + (size_t)s * l];
    return RS_OK;
}

static void weigh_lsq(void *state, rs_perspective *p)
{
    rs_perspective_lsq *lsq = (rs_perspective_lsq *)state;
    const int N = p->of.N;
    double quadratic = 0.0, lengths = 0.0;
    rs_copy((size_t)N * lsq->c, lsq->C, lsq->Q); /* Q = C - M B */
    for (int j = 0; j < p->s; j++)
        for (int l = 0; l < lsq->c; l++) {
            const double b = lsq->B[j + (size_t)p->s * l];
            double *Q = lsq->Q + (size_t)N * l;
            rs_axpy((size_t)N, -b, lsq->at[j], Q);
            Q[p->support[j]] += lsq->D[p->support[j]] * b;
        }
    for (int j = 0; j < p->s; j++) {
        for (int l = 0; l < lsq->c; l++) {
            const size_t at = p->support[j] + (size_t)N * l;
            const double b = lsq->B[j + (size_t)p->s * l];
            quadratic += b * (lsq->C[at] - lsq->Q[at]);
        }
        lengths += sqrt(rs_perspective_row_square(p, j));
    }
    const double e = 2.0 * lsq->error + (p->s + 16.0) * DBL_EPSILON;
    rs_row_norms(N, lsq->c, lsq->Q, p->weight);
    p->base = quadratic + 8.0 * e * (1.0 + lengths) * (1.0 + lengths);
    for (int j = 0; j < N; j++) {
        const double q = p->weight[j] + e * (1.0 + lengths);
        p->weight[j] = q * q / lsq->D[j];
    }
}

/* K on the wanted features: (M + D/z)^{-1} = (R'R)^{-1} */
static rs_status reduce(int count, rs_perspective_lsq *lsq, rs_perspective *p)
{
    const int s = p->s;
    const size_t ld = (size_t)count + 1;
    double *K = p->step.K;
    for (int j = 0; j < count; j++)
        RS_TRY(lsq->column(lsq->state, p->step.wanted[j], &lsq->to[j]));
    for (int j = 0; j < count; j++) {
        const int own = p->step.wanted[j];
        for (int i = 0; i < s; i++)
            lsq->X[i + (size_t)s * j] =
                lsq->to[j][p->support[i]] -
                (p->support[i] == own ? lsq->D[own] : 0.0);
        for (int i = 0; i < count; i++)
            K[i + ld * j] = lsq->to[j][p->step.wanted[i]];
        K[j + ld * j] -= lsq->D[own];
    }
    rs_triangular_solve('L', 'T', s, count, lsq->R, s, lsq->X, s);
    rs_gemm('T', 'N', count, count, s, -1.0, lsq->X, s, lsq->X, s, 1.0, K,
            count + 1);
    return RS_OK;
}

static rs_status curve_lsq(void *state, int count, rs_perspective *p)
{
    rs_perspective_lsq *lsq = (rs_perspective_lsq *)state;
    const size_t N = (size_t)p->of.N, ld = (size_t)count + 1;
    RS_TRY(reduce(count, lsq, p));
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++) {
            const int a = p->step.wanted[i], b = p->step.wanted[j];
            double product = 0.0;
            for (int l = 0; l < lsq->c; l++)
                product += lsq->Q[a + N * l] * lsq->Q[b + N * l];
            p->step.K[i + ld * j] *= 2.0 * product / (lsq->D[a] * lsq->D[b]);
        }
    return RS_OK;
}

rs_status rs_perspective_lsq_init(rs_context *ctx, int N, int c, int room,
                                  rs_perspective_lsq *lsq, rs_perspective *p)
{
    const size_t n = (size_t)N, r = (size_t)rs_min_int(room, N);
    *lsq = (rs_perspective_lsq){.c = c};
    RS_TRY(rs_perspective_init(ctx, N, room, p));
    p->of.total = 1.0;
    p->of.state = lsq;
    p->of.solve = solve_lsq;
    p->of.weigh = weigh_lsq;
    p->of.curve = curve_lsq;
    lsq->at = (const double **)rs_alloc(ctx, r, sizeof *lsq->at);
    lsq->to = (const double **)rs_alloc(ctx, r, sizeof *lsq->to);
    lsq->D = rs_alloc_double(ctx, n);
    RS_ALLOC_DOUBLES(ctx, r * r, &lsq->R, &lsq->X);
    lsq->B = rs_alloc_double(ctx, r * c);
    lsq->Q = rs_alloc_double(ctx, n * c);
    return rs_allocated(ctx);
}

rs_status rs_perspective_costs(double *cost, rs_perspective *p)
{
    const rs_perspective_lsq *lsq = (const rs_perspective_lsq *)p->of.state;
    rs_fill((size_t)p->of.N, 0.0, cost);
    if (!p->solved)
        RS_TRY(solve(p));
    p->solved = 0;
    const int s = p->s;
    RS_TRY(rs_cholesky_inverse(s, lsq->R));
    for (int i = 0; i < s; i++)
        if (!p->of.in[p->support[i]])
            cost[p->support[i]] =
                rs_perspective_row_square(p, i) / lsq->R[i + (size_t)s * i];
    return RS_OK;
}
