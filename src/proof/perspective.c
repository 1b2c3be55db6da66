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
/* features that come in with a step, at least, and as a share of those there */
#define RS_ENTER_LEAST 4
#define RS_ENTER_SHARE 0.5
/* least sum of z (1 - z) that tells the price */
#define RS_PRICED 1e-3
/* share of the predicted decrease that a step in z must reach, and halvings */
#define RS_ARMIJO 1e-4
#define RS_NEWTON_HALVINGS 12
/* the quadratic model of a step: what is added to the diagonal of its Hessian,
 * relative; multipliers, relative to the largest, and distances from a bound
 * that count as none; rounds of pivoting */
#define RS_FLAT 1e-12
#define RS_SIGN 1e-10
#define RS_NEWTON_ROUNDS 20

rs_status rs_perspective_init(rs_context *ctx, int N, int c, int room,
                              rs_perspective *p)
{
    const size_t n = (size_t)N, r = (size_t)rs_min_int(room, N);
    rs_perspective_step *step = &p->step;
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    p->of.N = N;
    p->of.c = c;
    p->room = (int)r;
    RS_ALLOC_DOUBLES(ctx, n, &p->of.D, &p->z, &p->weight, &p->best.weight,
                     &p->best.z, &step->before);
    RS_ALLOC_INTS(ctx, r, &p->support, &step->wanted, &step->free);
    p->at = (const double **)rs_alloc(ctx, r, sizeof *p->at);
    step->at = (const double **)rs_alloc(ctx, r, sizeof *step->at);
    RS_ALLOC_DOUBLES(ctx, r * r, &p->R, &step->V, &step->X, &step->K);
    p->B = rs_alloc_double(ctx, r * c);
    p->Q = rs_alloc_double(ctx, n * c);
    p->order_work = rs_alloc_double(ctx, 2 * n);
    p->order = rs_alloc_int(ctx, n);
    RS_ALLOC_DOUBLES(ctx, r, &step->g, &step->x);
    step->side = (signed char *)rs_alloc(ctx, r, 1);
    step->pair = rs_alloc_double(ctx, 2 * r);
    return rs_allocated(ctx);
}

double rs_perspective_row_square(const rs_perspective *p, int i)
{
    double square = 0.0;
    for (int l = 0; l < p->of.c; l++)
        square += p->B[i + (size_t)p->s * l] * p->B[i + (size_t)p->s * l];
    return square;
}

/* ---- the relaxation at z ---------------------------------------------------- */

static rs_status list_support(rs_perspective *p)
{
    p->s = 0;
    for (int j = 0; j < p->of.N; j++) {
        if (p->z[j] < RS_Z_NONE || p->s == p->room)
            p->z[j] = 0.0;
        if (p->z[j] > 0.0)
            p->support[p->s++] = j;
    }
    for (int i = 0; i < p->s; i++)
        RS_TRY(p->of.column(p->of.state, p->support[i], &p->at[i]));
    return RS_OK;
}

/* R, B and G from z */
static rs_status solve(rs_perspective *p)
{
    p->solved = 0;
    RS_TRY(list_support(p));
    const int s = p->s;
    for (int j = 0; j < s; j++) {
        const int q = p->support[j];
        for (int i = 0; i <= j; i++)
            p->R[i + (size_t)s * j] = p->at[j][p->support[i]];
        p->R[j + (size_t)s * j] += p->of.D[q] * (1.0 / p->z[q] - 1.0);
        for (int l = 0; l < p->of.c; l++)
            p->B[j + (size_t)s * l] = p->of.C[q + (size_t)p->of.N * l];
    }
    RS_TRY(rs_cholesky(s, p->R, s));
    RS_TRY(rs_cholesky_solve(s, p->of.c, p->R, s, p->B, s));
    p->relaxed = 1.0;
    for (int l = 0; l < p->of.c; l++)
        for (int j = 0; j < s; j++)
            p->relaxed -= p->of.C[p->support[j] + (size_t)p->of.N * l] *
                          p->B[j + (size_t)s * l];
    p->solved = 1;
    return RS_OK;
}

/* Q = C - M B */
static void multiply(rs_perspective *p)
{
    const size_t N = (size_t)p->of.N;
    rs_copy(N * p->of.c, p->of.C, p->Q);
    for (int j = 0; j < p->s; j++)
        for (int l = 0; l < p->of.c; l++) {
            const double b = p->B[j + (size_t)p->s * l];
            rs_axpy(N, -b, p->at[j], p->Q + N * l);
            p->Q[p->support[j] + N * l] += p->of.D[p->support[j]] * b;
        }
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

/* the bound that belongs to B, with room for rounding */
static void find_bound(rs_perspective *p)
{
    const int N = p->of.N;
    double quadratic = 0.0, lengths = 0.0, smallest;
    multiply(p);
    for (int j = 0; j < p->s; j++) {
        const int q = p->support[j];
        for (int l = 0; l < p->of.c; l++) {
            const size_t at = q + (size_t)N * l;
            const double b = p->B[j + (size_t)p->s * l];
            quadratic += b * (p->of.C[at] - p->Q[at]);
        }
        lengths += sqrt(rs_perspective_row_square(p, j));
    }
    const double e = 2.0 * p->of.error + (p->s + 16.0) * DBL_EPSILON;
    rs_row_norms(N, p->of.c, p->Q, p->weight);
    p->base = quadratic + 8.0 * e * (1.0 + lengths) * (1.0 + lengths);
    for (int j = 0; j < N; j++) {
        const double q = p->weight[j] + e * (1.0 + lengths);
        p->weight[j] = q * q / p->of.D[j];
        if (p->of.in[j])
            p->base += p->weight[j];
    }
    p->most = p->base + rs_perspective_top(p->weight, &smallest, p);
    if (p->most < p->best.most) {
        p->best.most = p->most;
        p->best.base = p->base;
        rs_copy((size_t)N, p->weight, p->best.weight);
        rs_copy((size_t)N, p->z, p->best.z);
    }
}

/* z within the bounds, its sum at most m, 1 for those in every set */
static void make_feasible(rs_perspective *p)
{
    double sum = 0.0;
    for (int j = 0; j < p->of.N; j++)
        if (!p->of.in[j])
            sum += p->z[j] = fmin(fmax(p->z[j], 0.0), 1.0);
    const double factor = sum > p->of.m ? p->of.m / sum : 1.0;
    for (int j = 0; j < p->of.N; j++)
        p->z[j] = p->of.in[j] ? 1.0 : p->z[j] * factor;
}

rs_status rs_perspective_start(rs_perspective *p)
{
    p->best.most = INFINITY;
    make_feasible(p);
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

/* those with z = 0 that are worth more than the price, the largest weights first,
 * behind the *count that are listed */
static rs_status list_entering(int *count, rs_perspective *p)
{
    const double worth = price(p);
    double *score = p->order_work + p->of.N;
    int others = 0;
    for (int j = 0; j < p->of.N; j++) {
        score[j] = !p->of.in[j] && p->z[j] <= 0.0 && p->weight[j] >= worth
                       ? p->weight[j]
                       : -1.0;
        others += score[j] >= 0.0;
    }
    int room = rs_max_int(RS_ENTER_LEAST, (int)(RS_ENTER_SHARE * p->s));
    room = rs_min_int(rs_min_int(room, p->room - p->s), others);
    rs_topk_order(p->of.N, score, room, p->order, p->order_work);
    for (int i = 0; i < room; i++, (*count)++) {
        p->step.wanted[*count] = p->order[i];
        RS_TRY(p->of.column(p->of.state, p->order[i], &p->step.at[*count]));
    }
    return RS_OK;
}

/* how far the best bound is above the relaxation */
static double gap(const rs_perspective *p)
{
    return p->best.most - (1.0 - p->relaxed);
}

/* ---- Newton's method in z --------------------------------------------------------- */

/* the features with z > 0 that are not in every set, and those that want to come
 * in */
static rs_status list_wanted(int *count, rs_perspective *p)
{
    *count = 0;
    for (int i = 0; i < p->s; i++)
        if (!p->of.in[p->support[i]]) {
            p->step.wanted[*count] = p->support[i];
            p->step.at[(*count)++] = p->at[i];
        }
    return list_entering(count, p);
}

/* K on the wanted features: (M + D/z)^{-1} = (R'R)^{-1} */
static void reduce(int count, rs_perspective *p)
{
    const int s = p->s;
    rs_perspective_step *to = &p->step;
    for (int j = 0; j < count; j++) {
        const int own = to->wanted[j];
        for (int i = 0; i < s; i++)
            to->X[i + (size_t)s * j] =
                to->at[j][p->support[i]] -
                (p->support[i] == own ? p->of.D[own] : 0.0);
        for (int i = 0; i < count; i++)
            to->K[i + (size_t)count * j] = to->at[j][to->wanted[i]];
        to->K[j + (size_t)count * j] -= p->of.D[own];
    }
    rs_triangular_solve('L', 'T', s, count, p->R, s, to->X, s);
    rs_gemm('T', 'N', count, count, s, -1.0, to->X, s, to->X, s, 1.0, to->K,
            count);
}

/* the Hessian in place of K, and the gradient */
static void curve(int count, rs_perspective *p)
{
    const size_t N = (size_t)p->of.N;
    for (int j = 0; j < count; j++) {
        const int b = p->step.wanted[j];
        for (int i = 0; i < count; i++) {
            const int a = p->step.wanted[i];
            double product = 0.0;
            for (int l = 0; l < p->of.c; l++)
                product += p->Q[a + N * l] * p->Q[b + N * l];
            p->step.K[i + (size_t)count * j] *=
                2.0 * product / (p->of.D[a] * p->of.D[b]);
        }
        p->step.g[j] = p->weight[b];
        p->step.x[j] = p->z[b];
    }
}

/* share j of the model, and the gradient with it */
static void move_share(int count, int j, double to, rs_perspective *p)
{
    if (to == p->step.x[j])
        return;
    rs_axpy((size_t)count, p->step.x[j] - to, p->step.K + (size_t)count * j,
            p->step.g);
    p->step.x[j] = to;
}

/*
 * The shares listed as free go to the minimum of the model over them, the sum
 * of all growing by `rest`; g is minus the gradient. The model may be flat: the
 * diagonal of the Hessian is raised a little. *worth: the multiplier of the sum;
 * RS_SINGULAR where there is none.
 */
static rs_status solve_free(int count, int free, double rest, double *worth,
                            rs_perspective *p)
{
    double largest = 0.0, sums[2] = {0.0, 0.0};
    double *u = p->step.pair, *ones = p->step.pair + free;
    for (int j = 0; j < free; j++) {
        const double *column = p->step.K + (size_t)count * p->step.free[j];
        for (int i = 0; i <= j; i++)
            p->step.V[i + (size_t)free * j] = column[p->step.free[i]];
        largest = fmax(largest, column[p->step.free[j]]);
        u[j] = p->step.g[p->step.free[j]];
        ones[j] = 1.0;
    }
    for (int j = 0; j < free; j++)
        p->step.V[j + (size_t)free * j] += RS_FLAT * largest;
    RS_TRY(rs_cholesky(free, p->step.V, free));
    RS_TRY(rs_cholesky_solve(free, 2, p->step.V, free, u, free));
    for (int i = 0; i < free; i++) {
        sums[0] += u[i];
        sums[1] += ones[i];
    }
    *worth = (sums[0] - rest) / sums[1];
    if (!isfinite(*worth))
        return RS_SINGULAR;
    for (int i = 0; i < free; i++)
        move_share(count, p->step.free[i],
                   p->step.x[p->step.free[i]] + u[i] - *worth * ones[i], p);
    return RS_OK;
}

/* shares that have left [0, 1] go to the bound, and those at one whose
 * multiplier has the wrong sign become free; returns how many there were */
static int change_sides(int count, double worth, rs_perspective *p)
{
    int wrong = 0;
    double size = fabs(worth);
    for (int j = 0; j < count; j++)
        size = fmax(size, fabs(p->step.g[j]));
    for (int j = 0; j < count; j++) {
        const double off = p->step.side[j] * (worth - p->step.g[j]);
        int side = p->step.side[j];
        if (side != 0)
            side = off > RS_SIGN * size ? 0 : side;
        else if (p->step.x[j] < -RS_SIGN || p->step.x[j] > 1.0 + RS_SIGN)
            side = p->step.x[j] < 0.5 ? -1 : 1;
        wrong += side != p->step.side[j];
        p->step.side[j] = (signed char)side;
    }
    return wrong;
}

/* x <- the minimum of the model within the bounds, by block principal pivoting
 * (Portugal, Judice and Vicente 1994); RS_SINGULAR where that does not end */
static rs_status minimise_model(int count, double total, rs_perspective *p)
{
    for (int j = 0; j < count; j++)
        p->step.side[j] = p->step.x[j] >= 1.0;
    for (int round = 0; round < RS_NEWTON_ROUNDS; round++) {
        double rest = total, worth;
        int free = 0;
        for (int j = 0; j < count; j++) {
            if (p->step.side[j] == 0)
                p->step.free[free++] = j;
            else
                move_share(count, j, p->step.side[j] > 0, p);
            rest -= p->step.x[j];
        }
        if (free == 0)
            return RS_SINGULAR;
        RS_TRY(solve_free(count, free, rest, &worth, p));
        if (change_sides(count, worth, p) == 0)
            return RS_OK;
    }
    return RS_SINGULAR;
}

/* x <- 1 for the features of largest weight, as many as there may be */
static void take_largest(int count, int total, rs_perspective *p)
{
    double *work = p->order_work;
    for (int j = 0; j < count; j++) {
        p->step.x[j] = 0.0;
        work[p->of.N + j] = p->weight[p->step.wanted[j]];
    }
    rs_topk_order(count, work + p->of.N, total, p->order, work);
    for (int i = 0; i < total; i++)
        p->step.x[p->order[i]] = 1.0;
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
        if (status == RS_OK &&
            p->relaxed <= start - RS_ARMIJO * t * slope - DBL_EPSILON)
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
    int count;
    double slope = 0.0;
    *moved = 0;
    if (!p->solved) {
        RS_TRY(solve(p));
        find_bound(p);
    }
    RS_TRY(list_wanted(&count, p));
    if (count == 0)
        return RS_OK;
    reduce(count, p);
    curve(count, p);
    const int total = rs_min_int(p->of.m, count);
    const rs_status status = minimise_model(count, total, p);
    if (status == RS_SINGULAR)
        take_largest(count, total, p);
    else
        RS_TRY(status);
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
        if (above <= 0.0 || gap(p) <= share * above)
            break;
        RS_TRY(rs_poll(p->ctx));
        RS_TRY(step_in_shares(&moved, p));
    }
    return RS_OK;
}

/* ---- what others ask of it ------------------------------------------------------ */

rs_status rs_perspective_costs(double *cost, rs_perspective *p)
{
    rs_fill((size_t)p->of.N, 0.0, cost);
    if (!p->solved)
        RS_TRY(solve(p));
    p->solved = 0;
    const int s = p->s;
    RS_TRY(rs_cholesky_inverse(s, p->R));
    for (int i = 0; i < s; i++)
        if (!p->of.in[p->support[i]])
            cost[p->support[i]] =
                rs_perspective_row_square(p, i) / p->R[i + (size_t)s * i];
    return RS_OK;
}
