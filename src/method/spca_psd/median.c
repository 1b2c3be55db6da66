#include "method/spca_psd/median.h"

#include <math.h>

#include "la/linalg.h"

#define RS_MEDIAN_STEPS 50
#define RS_MEDIAN_HALVINGS 20
#define RS_MEDIAN_TOL 1e-15 /* least relative decrease */
#define RS_MEDIAN_CG_STEPS 200
#define RS_MEDIAN_CG_TOL 1e-12

rs_status rs_median_init(rs_context *ctx, int n, int q, rs_median *ws)
{
    ws->ctx = ctx;
    ws->n = n;
    ws->q = q;
    RS_ALLOC_DOUBLES(ctx, (size_t)n, &ws->square, &ws->t, &ws->cube,
                     &ws->sample);
    ws->gradient = rs_alloc_double(ctx, (size_t)q);
    ws->R = rs_alloc_double(ctx, (size_t)n * q);
    RS_TRY(rs_allocated(ctx));
    return rs_tcg_init(ctx, (size_t)q, 0, &ws->cg);
}

/* t, its cube and its sum from the squares; the value */
static double weigh(double floor, rs_median *ws)
{
    double value = 0.0;
    ws->total = 0.0;
    for (int i = 0; i < ws->n; i++) {
        double length = sqrt(ws->square[i] + floor);
        value += length;
        ws->t[i] = 1.0 / length;
        ws->cube[i] = ws->t[i] * ws->t[i] * ws->t[i];
        ws->total += ws->t[i];
    }
    return value;
}

double rs_median_weigh(double floor, rs_median *ws)
{
    rs_row_squares(ws->n, ws->q, ws->R, ws->square);
    return weigh(floor, ws);
}

/* Hp = (sum_i t_i) p - R' T^3 R p */
static rs_status curvature(void *state, const double *p, double *Hp)
{
    rs_median *ws = (rs_median *)state;
    const int n = ws->n, q = ws->q;
    rs_gemv('N', n, q, 1.0, ws->R, n, p, 0.0, ws->sample);
    for (int i = 0; i < n; i++)
        ws->sample[i] *= ws->cube[i];
    rs_copy((size_t)q, p, Hp);
    rs_gemv('T', n, q, -1.0, ws->R, n, ws->sample, ws->total, Hp);
    return RS_OK;
}

/* ws->cg.step = H^{-1} R'w */
static rs_status solve_curvature(const double *w, rs_median *ws)
{
    const rs_tcg_problem problem = {.size = (size_t)ws->q,
                                    .state = ws,
                                    .hessian = curvature,
                                    .radius = INFINITY,
                                    .reduction = RS_MEDIAN_CG_TOL,
                                    .maxit = RS_MEDIAN_CG_STEPS};
    rs_tcg_info info;
    double square;
    rs_gemv('T', ws->n, ws->q, -1.0, ws->R, ws->n, w, 0.0, ws->gradient);
    RS_TRY(rs_tcg_begin(&problem, ws->gradient, &square, &ws->cg));
    RS_TRY(rs_tcg_solve(&problem, ws->gradient, square, &info, &ws->cg));
    return rs_poll(ws->ctx);
}

/* v += length * step, in the residuals and their squares */
static void move(double length, rs_median *ws)
{
    rs_fill((size_t)ws->n, 0.0, ws->square);
    for (int j = 0; j < ws->q; j++) {
        double *r = ws->R + (size_t)j * ws->n;
        for (int i = 0; i < ws->n; i++) {
            r[i] -= length * ws->cg.step[j];
            ws->square[i] += r[i] * r[i];
        }
    }
}

/* one step of Newton's method, or a part of it; the value afterwards */
static rs_status newton_step(double floor, double *value, rs_median *ws)
{
    double length = 1.0, now;
    RS_TRY(solve_curvature(ws->t, ws));
    move(length, ws);
    for (int k = 0;; k++) {
        now = weigh(floor, ws);
        if (now <= *value || k == RS_MEDIAN_HALVINGS)
            break;
        length *= 0.5; /* half of the way back */
        move(-length, ws);
    }
    *value = now;
    return RS_OK;
}

rs_status rs_median_find(double floor, rs_median *ws)
{
    double value = rs_median_weigh(floor, ws), last = INFINITY;
    for (int k = 0; k < RS_MEDIAN_STEPS; k++) {
        if (!(value < last * (1.0 - RS_MEDIAN_TOL)))
            break;
        last = value;
        RS_TRY(newton_step(floor, &value, ws));
    }
    return RS_OK;
}

rs_status rs_median_follow(double *w, rs_median *ws)
{
    RS_TRY(solve_curvature(w, ws));
    rs_gemv('N', ws->n, ws->q, 1.0, ws->R, ws->n, ws->cg.step, 0.0,
            ws->sample);
    for (int i = 0; i < ws->n; i++)
        w[i] += ws->cube[i] * ws->sample[i];
    return RS_OK;
}
