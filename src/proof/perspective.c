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
#define RS_NEWTON_HALVINGS 4
/* equations for B, each without the features whose rows turned round before */
#define RS_TURNS 3

enum { RS_WHOLE, RS_SHARES, RS_TURNED };

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
    RS_ALLOC_INTS(ctx, r, &p->support, &step->wanted);
    p->at = (const double **)rs_alloc(ctx, r, sizeof *p->at);
    step->at = (const double **)rs_alloc(ctx, r, sizeof *step->at);
    RS_ALLOC_DOUBLES(ctx, r * r, &p->R, &step->V);
    RS_ALLOC_DOUBLES(ctx, r * c, &p->B, &step->along);
    step->sides = rs_alloc_double(ctx, 2 * r * c);
    RS_ALLOC_BYTES(ctx, r, &step->kind);
    p->Q = rs_alloc_double(ctx, n * c);
    p->order_work = rs_alloc_double(ctx, 2 * n);
    p->order = rs_alloc_int(ctx, n);
    step->x = rs_alloc_double(ctx, r);
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

/* ---- Newton's method in the rows of B ---------------------------------------------- */

/* the support, and those that want to come in; *share: what z is left for those that
 * share it. Where others take all of it and some want to come in, the one with
 * z = 1 of the smallest weight shares its own */
static rs_status list_wanted(int *count, int *share, rs_perspective *p)
{
    rs_perspective_step *step = &p->step;
    int least = -1;
    *share = p->of.m;
    *count = p->s;
    for (int i = 0; i < p->s; i++) {
        const int j = step->wanted[i] = p->support[i];
        step->at[i] = p->at[i];
        step->kind[i] = p->z[j] < 1.0 ? RS_SHARES : RS_WHOLE;
        if (p->of.in[j] || step->kind[i] == RS_SHARES)
            continue;
        (*share)--;
        if (least < 0 || p->weight[j] < p->weight[step->wanted[least]])
            least = i;
    }
    RS_TRY(list_entering(count, p));
    for (int i = p->s; i < *count; i++)
        step->kind[i] = RS_SHARES;
    if (*share == 0 && *count > p->s && least >= 0) {
        step->kind[least] = RS_SHARES;
        (*share)++;
    }
    return RS_OK;
}

/* the matrix of the equations for B, and both right-hand sides: C, and the directions
 * of the rows that share, D_j^{1/2} long */
static void set_up(int count, rs_perspective *p)
{
    const size_t N = (size_t)p->of.N, n = (size_t)count;
    rs_perspective_step *to = &p->step;
    for (int j = 0; j < count; j++) {
        const int q = to->wanted[j], kind = to->kind[j];
        const double *row = j < p->s ? p->B + j : p->Q + q;
        const size_t ld = j < p->s ? (size_t)p->s : N;
        double square = 0.0;
        for (int i = 0; i <= j; i++)
            to->V[i + n * j] = kind == RS_TURNED || to->kind[i] == RS_TURNED
                                   ? i == j
                                   : to->at[j][to->wanted[i]];
        for (int l = 0; l < p->of.c; l++)
            square += row[ld * l] * row[ld * l];
        if (kind == RS_SHARES)
            to->V[j + n * j] -= p->of.D[q];
        const double root = sqrt(p->of.D[q] / fmax(square, DBL_MIN));
        for (int l = 0; l < p->of.c; l++) {
            const size_t at = j + n * l;
            to->sides[at] = kind == RS_TURNED ? 0.0 : p->of.C[q + N * l];
            to->along[at] = to->sides[at + n * p->of.c] =
                kind == RS_SHARES ? root * row[ld * l] : 0.0;
        }
    }
}

/* B, in place of C in `sides`, with the rows that share along their directions
 * and sum D_j^{1/2} ||B_j|| = r share; *turned: rows that turned round */
static rs_status solve_rows(int count, int share, double *r, int *turned,
                            rs_perspective *p)
{
    const size_t cells = (size_t)count * p->of.c;
    rs_perspective_step *to = &p->step;
    *turned = 0;
    set_up(count, p);
    RS_TRY(rs_cholesky(count, to->V, count));
    RS_TRY(
        rs_cholesky_solve(count, 2 * p->of.c, to->V, count, to->sides, count));
    *r = rs_dot(cells, to->along, to->sides) /
         (share + rs_dot(cells, to->along, to->sides + cells));
    if (!(*r > 0.0) || !isfinite(*r))
        return RS_SINGULAR;
    rs_axpy(cells, -*r, to->sides + cells, to->sides);
    for (int j = 0; j < count; j++) {
        double sum = 0.0;
        for (int l = 0; l < p->of.c; l++)
            sum += to->along[j + (size_t)count * l] *
                   to->sides[j + (size_t)count * l];
        to->x[j] = to->kind[j] == RS_WHOLE ? 1.0 : fmax(sum / *r, 0.0);
        if (to->kind[j] == RS_SHARES && sum <= 0.0) {
            to->kind[j] = RS_TURNED;
            (*turned)++;
        }
    }
    return RS_OK;
}

/* x <- the shares that the rows say, within the bounds: z_j = D_j^{1/2} ||B_j|| / r.
 * RS_SINGULAR where they say none */
static rs_status shares_of_rows(int *count, rs_perspective *p)
{
    int share, turned = 1;
    double r, sum = 0.0;
    RS_TRY(list_wanted(count, &share, p));
    if (share < 1)
        return RS_SINGULAR;
    for (int turn = 0; turn < RS_TURNS && turned > 0; turn++)
        RS_TRY(solve_rows(*count, share, &r, &turned, p));
    for (int j = 0; j < *count; j++) {
        p->step.x[j] = fmin(p->step.x[j], 1.0);
        sum += p->of.in[p->step.wanted[j]] ? 0.0 : p->step.x[j];
    }
    for (int j = 0; j < *count && sum > p->of.m; j++)
        p->step.x[j] *= p->of.in[p->step.wanted[j]] ? 1.0 : p->of.m / sum;
    return RS_OK;
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
            p->relaxed <= start - RS_DECREASE * t * slope - DBL_EPSILON)
            return RS_OK;
        if (status != RS_SINGULAR)
            RS_TRY(status);
        rs_copy((size_t)p->of.N, p->step.before, p->z);
    }
    *moved = 0;
    return solve(p);
}

/* *moved = 0 where G falls no more */
static rs_status take_step(int *moved, rs_perspective *p)
{
    int count;
    double slope = 0.0;
    *moved = 0;
    if (!p->solved) {
        RS_TRY(solve(p));
        find_bound(p);
    }
    const rs_status status = shares_of_rows(&count, p);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    for (int i = 0; i < count; i++)
        slope += p->weight[p->step.wanted[i]] *
                 (p->step.x[i] - p->z[p->step.wanted[i]]);
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
        RS_TRY(take_step(&moved, p));
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
