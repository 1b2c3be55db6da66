#include "solve/capped_qp.h"

#include <math.h>

#include "la/linalg.h"

/* what is added to the diagonal of H, relative, and how often ten times as
 * much where the equations are singular */
#define RS_QP_SHIFT 1e-12
#define RS_QP_SHIFTS 8
/* distances from a bound, and sums, that count as none */
#define RS_QP_NEAR 1e-14
/* multipliers, relative to the largest, whose sign counts as right */
#define RS_QP_SIGN 1e-10
/* rounds of pivoting, and rounds without fewer that are wrong before they
 * change one by one */
#define RS_QP_ROUNDS 60
#define RS_QP_PATIENCE 3

rs_status rs_capped_qp_init(rs_context *ctx, int room, rs_capped_qp_ws *ws)
{
    const size_t p = (size_t)room;
    ws->room = room;
    ws->K = rs_alloc_double(ctx, p * p);
    ws->u = rs_alloc_double(ctx, 2 * p);
    ws->step = rs_alloc_double(ctx, p);
    ws->g = rs_alloc_double(ctx, p);
    ws->x = rs_alloc_double(ctx, p);
    ws->list = rs_alloc_int(ctx, p);
    ws->at = (signed char *)rs_alloc(ctx, p, 1);
    return rs_allocated(ctx);
}

/* step of the free ones to their minimum, by `rest` in all; *price: the
 * multiplier of the sum */
static int solve_free(int p, int free, const double *H, const double *g,
                      double rest, double *price, rs_capped_qp_ws *ws)
{
    double largest = 0.0, shift = RS_QP_SHIFT, sums[2] = {0.0, 0.0};
    double *u = ws->u, *ones = ws->u + free;
    for (int i = 0; i < free; i++)
        largest = fmax(largest, H[ws->list[i] + (size_t)p * ws->list[i]]);
    for (int trial = 0; trial < RS_QP_SHIFTS; trial++, shift *= 10.0) {
        for (int j = 0; j < free; j++) {
            const double *column = H + (size_t)p * ws->list[j];
            for (int i = 0; i <= j; i++)
                ws->K[i + (size_t)free * j] = column[ws->list[i]];
            ws->K[j + (size_t)free * j] += shift * (largest + 1e-300);
            u[j] = g[ws->list[j]];
            ones[j] = 1.0;
        }
        if (rs_cholesky(free, ws->K, free) == RS_OK &&
            rs_cholesky_solve(free, 2, ws->K, free, u, free) == RS_OK)
            break;
        if (trial == RS_QP_SHIFTS - 1)
            return 0;
    }
    for (int i = 0; i < free; i++) {
        sums[0] += u[i];
        sums[1] += ones[i];
    }
    *price = (sums[0] - rest) / sums[1];
    for (int i = 0; i < free; i++)
        ws->step[i] = u[i] - *price * ones[i];
    return isfinite(*price);
}

/* the share of the step that stays within the bounds */
static double longest(int free, const double *x, const rs_capped_qp_ws *ws)
{
    double t = 1.0;
    for (int i = 0; i < free; i++) {
        const double at = x[ws->list[i]], by = ws->step[i];
        if (by < 0.0)
            t = fmin(t, at / -by);
        else if (by > 0.0)
            t = fmin(t, (1.0 - at) / by);
    }
    return fmax(t, 0.0);
}

/* x and g after a share t of the step; what has reached a bound stays there */
static void move(int p, int free, const double *H, double t, double *g,
                 double *x, rs_capped_qp_ws *ws)
{
    for (int i = 0; i < free; i++) {
        const int j = ws->list[i];
        const double by = t * ws->step[i];
        rs_axpy((size_t)p, -by, H + (size_t)p * j, g);
        x[j] += by;
        if (x[j] <= RS_QP_NEAR && ws->step[i] < 0.0) {
            x[j] = 0.0;
            ws->at[j] = -1;
        } else if (x[j] >= 1.0 - RS_QP_NEAR && ws->step[i] > 0.0) {
            x[j] = 1.0;
            ws->at[j] = 1;
        }
    }
}

/* the coordinate at a bound whose multiplier is wrong by most, or -1 */
static int wrong_sign(int p, const double *g, double price,
                      const rs_capped_qp_ws *ws)
{
    double scale = fabs(price);
    int worst = -1;
    for (int j = 0; j < p; j++)
        scale = fmax(scale, fabs(g[j]));
    double most = RS_QP_SIGN * scale;
    for (int j = 0; j < p; j++) {
        const double wrong = -ws->at[j] * (g[j] - price);
        if (ws->at[j] != 0 && wrong > most) {
            most = wrong;
            worst = j;
        }
    }
    return worst;
}

/* the coordinate at 0 that the objective wants most, or -1 */
static int best_at_zero(int p, const double *g, const rs_capped_qp_ws *ws)
{
    int best = -1;
    for (int j = 0; j < p; j++)
        if (ws->at[j] < 0 && (best < 0 || g[j] > g[best]))
            best = j;
    return best;
}

static int list_free(int p, rs_capped_qp_ws *ws)
{
    int free = 0;
    for (int j = 0; j < p; j++)
        if (ws->at[j] == 0)
            ws->list[free++] = j;
    return free;
}

/* from x on, one bound at a time */
static rs_status step_by_step(int p, const double *H, double total, double *g,
                              double *x, rs_capped_qp_ws *ws)
{
    double price = 0.0, rest;
    for (int j = 0; j < p; j++)
        ws->at[j] = 0;
    for (int round = 0; round < 4 * p + 20; round++) {
        const int free = list_free(p, ws);
        double t = 1.0;
        rest = total;
        for (int j = 0; j < p; j++)
            rest -= x[j];
        if (free > 0) {
            if (!solve_free(p, free, H, g, rest, &price, ws))
                return RS_SINGULAR;
            t = longest(free, x, ws);
            move(p, free, H, t, g, x, ws);
        }
        if (t < 1.0)
            continue;
        /* none free, and the sum still short: no multiplier tells */
        const int freed = free == 0 && rest > RS_QP_NEAR * p
                              ? best_at_zero(p, g, ws)
                              : wrong_sign(p, g, price, ws);
        if (freed < 0)
            return RS_OK;
        ws->at[freed] = 0;
    }
    return RS_MAXIT;
}

/* ---- many bounds at a time ------------------------------------------------------ */

/* coordinates whose value or multiplier is wrong, listed; x is the minimum over
 * the free ones, which may leave the bounds */
static int list_wrong(int p, const double *g, const double *x, double price,
                      rs_capped_qp_ws *ws)
{
    double scale = fabs(price);
    int wrong = 0;
    for (int j = 0; j < p; j++)
        scale = fmax(scale, fabs(g[j]));
    for (int j = 0; j < p; j++)
        if (ws->at[j] == 0 ? x[j] < -RS_QP_NEAR || x[j] > 1.0 + RS_QP_NEAR
                           : -ws->at[j] * (g[j] - price) > RS_QP_SIGN * scale)
            ws->list[wrong++] = j;
    return wrong;
}

/* these change sides: to the bound that they left, or free */
static void exchange_sides(int count, const int *list, double *x,
                           rs_capped_qp_ws *ws)
{
    for (int i = 0; i < count; i++) {
        const int j = list[i];
        ws->at[j] = ws->at[j] ? 0 : x[j] < 0.5 ? -1 : 1;
    }
}

/*
 * Block principal pivoting: all coordinates that are wrong change sides, and,
 * where that has not left fewer of them for some rounds, the last one alone.
 * *found = 0 where that did not come to an end.
 */
static void pivot(int p, const double *H, double total, double *g, double *x,
                  int *found, rs_capped_qp_ws *ws)
{
    int fewest = p + 1, patience = RS_QP_PATIENCE;
    *found = 0;
    for (int j = 0; j < p; j++)
        ws->at[j] = x[j] >= 1.0 ? 1 : 0;
    for (int round = 0; round < RS_QP_ROUNDS; round++) {
        double price, rest = total;
        for (int j = 0; j < p; j++) {
            const double to =
                ws->at[j] == 0 ? x[j] : (ws->at[j] < 0 ? 0.0 : 1.0);
            if (to != x[j])
                rs_axpy((size_t)p, x[j] - to, H + (size_t)p * j, g);
            x[j] = to;
            rest -= to;
        }
        const int free = list_free(p, ws);
        if (free == 0 || !solve_free(p, free, H, g, rest, &price, ws))
            return;
        for (int i = 0; i < free; i++) {
            x[ws->list[i]] += ws->step[i];
            rs_axpy((size_t)p, -ws->step[i], H + (size_t)p * ws->list[i], g);
        }
        const int wrong = list_wrong(p, g, x, price, ws);
        *found = wrong == 0;
        if (*found)
            return;
        patience = wrong < fewest ? RS_QP_PATIENCE : patience - 1;
        fewest = rs_min_int(fewest, wrong);
        if (patience >= 0)
            exchange_sides(wrong, ws->list, x, ws);
        else
            exchange_sides(1, ws->list + wrong - 1, x, ws);
    }
}

rs_status rs_capped_qp(int p, const double *H, double total, double *g,
                       double *x, rs_capped_qp_ws *ws)
{
    int found;
    rs_copy((size_t)p, g, ws->g);
    rs_copy((size_t)p, x, ws->x);
    pivot(p, H, total, g, x, &found, ws);
    if (found) {
        for (int j = 0; j < p; j++)
            x[j] = fmin(fmax(x[j], 0.0), 1.0);
        return RS_OK;
    }
    rs_copy((size_t)p, ws->g, g);
    rs_copy((size_t)p, ws->x, x);
    return step_by_step(p, H, total, g, x, ws);
}
