/* The point of the relaxation with the lowest bound, by Newton's method. */
#include "proof/perspective.h"

#include <float.h>
#include <math.h>

#include "base/select.h"
#include "la/linalg.h"

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

/* ---- features that a step is about ---------------------------------------------- */

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

/* those with z = 0 that are worth more than the price, the largest weights first,
 * behind the *count that are listed */
static rs_status list_entering(int *count, rs_perspective *p)
{
    const double worth = price(p);
    double *score = p->order_work + p->N;
    int others = 0;
    for (int j = 0; j < p->N; j++) {
        score[j] = !p->in[j] && p->z[j] <= 0.0 && p->weight[j] >= worth
                       ? p->weight[j]
                       : -1.0;
        others += score[j] >= 0.0;
    }
    int room = rs_max_int(RS_ENTER_LEAST, (int)(RS_ENTER_SHARE * p->s));
    room = rs_min_int(rs_min_int(room, p->room - p->s), others);
    rs_topk_order(p->N, score, room, p->order, p->order_work);
    for (int i = 0; i < room; i++, (*count)++) {
        p->wanted[*count] = p->order[i];
        RS_TRY(p->column(p->state, p->order[i], &p->wanted_at[*count]));
    }
    return RS_OK;
}

/* how far the best bound is above the relaxation */
static double gap(const rs_perspective *p)
{
    return p->best_most - (1.0 - p->relaxed);
}

/* ---- Newton's method in z --------------------------------------------------------- */

/* *old features with z > 0 that are not in every set, and those that want to
 * come in */
static rs_status list_wanted(int *old, int *count, rs_perspective *p)
{
    *count = 0;
    for (int i = 0; i < p->s; i++)
        if (!p->in[p->support[i]]) {
            p->place[*count] = i;
            p->wanted[*count] = p->support[i];
            p->wanted_at[(*count)++] = p->at[i];
        }
    *old = *count;
    return list_entering(count, p);
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

/* share j of the model, and the gradient with it */
static void move_share(int count, int j, double to, rs_perspective *p)
{
    if (to == p->x[j])
        return;
    rs_axpy((size_t)count, p->x[j] - to, p->K + (size_t)count * j, p->g);
    p->x[j] = to;
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
    double *u = p->pair, *ones = p->pair + free;
    for (int j = 0; j < free; j++) {
        const double *column = p->K + (size_t)count * p->free[j];
        for (int i = 0; i <= j; i++)
            p->V[i + (size_t)free * j] = column[p->free[i]];
        largest = fmax(largest, column[p->free[j]]);
        u[j] = p->g[p->free[j]];
        ones[j] = 1.0;
    }
    for (int j = 0; j < free; j++)
        p->V[j + (size_t)free * j] += RS_FLAT * largest;
    RS_TRY(rs_cholesky(free, p->V, free));
    RS_TRY(rs_cholesky_solve(free, 2, p->V, free, u, free));
    for (int i = 0; i < free; i++) {
        sums[0] += u[i];
        sums[1] += ones[i];
    }
    *worth = (sums[0] - rest) / sums[1];
    if (!isfinite(*worth))
        return RS_SINGULAR;
    for (int i = 0; i < free; i++)
        move_share(count, p->free[i],
                   p->x[p->free[i]] + u[i] - *worth * ones[i], p);
    return RS_OK;
}

/* shares that have left [0, 1] go to the bound, and those at one whose
 * multiplier has the wrong sign become free; returns how many there were */
static int change_sides(int count, double worth, rs_perspective *p)
{
    int wrong = 0;
    double size = fabs(worth);
    for (int j = 0; j < count; j++)
        size = fmax(size, fabs(p->g[j]));
    for (int j = 0; j < count; j++) {
        const double off = p->side[j] * (worth - p->g[j]);
        int side = p->side[j];
        if (side != 0)
            side = off > RS_SIGN * size ? 0 : side;
        else if (p->x[j] < -RS_SIGN || p->x[j] > 1.0 + RS_SIGN)
            side = p->x[j] < 0.5 ? -1 : 1;
        wrong += side != p->side[j];
        p->side[j] = (signed char)side;
    }
    return wrong;
}

/* x <- the minimum of the model within the bounds, by block principal pivoting
 * (Portugal, Judice and Vicente 1994); RS_SINGULAR where that does not end */
static rs_status minimise_model(int count, double total, rs_perspective *p)
{
    for (int j = 0; j < count; j++)
        p->side[j] = p->x[j] >= 1.0;
    for (int round = 0; round < RS_NEWTON_ROUNDS; round++) {
        double rest = total, worth;
        int free = 0;
        for (int j = 0; j < count; j++) {
            if (p->side[j] == 0)
                p->free[free++] = j;
            else
                move_share(count, j, p->side[j] > 0, p);
            rest -= p->x[j];
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
        p->x[j] = 0.0;
        work[p->N + j] = p->weight[p->wanted[j]];
    }
    rs_topk_order(count, work + p->N, total, p->order, work);
    for (int i = 0; i < total; i++)
        p->x[p->order[i]] = 1.0;
}

/* z towards x as far as G falls; *moved = 0 where it does not */
static rs_status search_line(int count, double slope, int *moved,
                             rs_perspective *p)
{
    const double start = p->relaxed;
    double t = 1.0;
    rs_copy((size_t)p->N, p->z, p->before);
    *moved = 1;
    for (int halving = 0; halving < RS_NEWTON_HALVINGS; halving++, t *= 0.5) {
        for (int i = 0; i < count; i++) {
            const int j = p->wanted[i];
            p->z[j] = p->before[j] + t * (p->x[i] - p->before[j]);
        }
        const rs_status status = rs_perspective_solve(p);
        if (status == RS_OK &&
            p->relaxed <= start - RS_ARMIJO * t * slope - DBL_EPSILON)
            return RS_OK;
        if (status != RS_SINGULAR)
            RS_TRY(status);
        rs_copy((size_t)p->N, p->before, p->z);
    }
    *moved = 0;
    return rs_perspective_solve(p);
}

/* *moved = 0 where G falls no more */
static rs_status step_in_shares(int *moved, rs_perspective *p)
{
    int old, count;
    double slope = 0.0;
    *moved = 0;
    if (!p->solved) {
        RS_TRY(rs_perspective_solve(p));
        rs_perspective_bound(p);
    }
    RS_TRY(list_wanted(&old, &count, p));
    if (count == 0)
        return RS_OK;
    RS_TRY(reduce(old, count, p));
    curve(count, p);
    const int total = rs_min_int(p->m, count);
    const rs_status status = minimise_model(count, total, p);
    if (status == RS_SINGULAR)
        take_largest(count, total, p);
    else
        RS_TRY(status);
    for (int i = 0; i < count; i++) {
        p->x[i] = fmin(fmax(p->x[i], 0.0), 1.0);
        slope += p->weight[p->wanted[i]] * (p->x[i] - p->z[p->wanted[i]]);
    }
    if (!(slope > 0.0))
        return RS_OK;
    RS_TRY(search_line(count, slope, moved, p));
    rs_perspective_bound(p);
    return RS_OK;
}

rs_status rs_perspective_minimise(double enough, double share, int steps,
                                  rs_perspective *p)
{
    int moved = 1;
    for (int step = 0; step < steps && moved; step++) {
        const double above = p->best_most - enough;
        if (above <= 0.0 || gap(p) <= share * above)
            break;
        RS_TRY(rs_poll(p->ctx));
        p->steps += 1.0;
        RS_TRY(step_in_shares(&moved, p));
    }
    return RS_OK;
}
