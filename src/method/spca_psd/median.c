#include "method/spca_psd/median.h"

#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/model.h"

#define RS_MEDIAN_STEPS 50
#define RS_MEDIAN_HALVINGS 20
#define RS_MEDIAN_TOL 1e-15 /* least relative decrease */
#define RS_FOLLOW_STEPS 200 /* conjugate gradients */
#define RS_FOLLOW_TOL 1e-12

rs_status rs_spca_median_init(rs_spca *pr, rs_spca_median *ws)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    double **tall[] = {&ws->square, &ws->t, &ws->cube, &ws->sample};
    double **wide[] = {&ws->z, &ws->g, &ws->p, &ws->Hp};
    for (size_t i = 0; i < sizeof tall / sizeof *tall; i++)
        RS_TRY_ALLOC(*tall[i] = rs_alloc_double(pr->ctx, n));
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        RS_TRY_ALLOC(*wide[i] = rs_alloc_double(pr->ctx, d));
    RS_TRY_ALLOC(ws->R = rs_alloc_double(pr->ctx, n * d));
    return RS_OK;
}

/* t, its cube and its sum from the squares; the loss */
static double weigh(int n, double floor, rs_spca_median *ws)
{
    double loss = 0.0;
    ws->total = 0.0;
    for (int i = 0; i < n; i++) {
        double length = sqrt(ws->square[i] + floor);
        loss += length;
        ws->t[i] = 1.0 / length;
        ws->cube[i] = ws->t[i] * ws->t[i] * ws->t[i];
        ws->total += ws->t[i];
    }
    return loss;
}

/* R = Xt - A F' */
rs_status rs_spca_median_at(rs_spca *pr, const rs_spca_point *at, double floor,
                            rs_spca_median *ws)
{
    const int n = pr->n, d = pr->d, r = at->r;
    for (int j = 0; j < d; j += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, d - j);
        double *R = ws->R + (size_t)j * n;
        rs_spca_panel(pr, j, width);
        rs_copy((size_t)n * width, pr->panel, R);
        if (r > 0)
            rs_gemm('N', 'T', n, width, r, -1.0, at->A, n, at->F + j, d, 1.0,
                    R, n);
        RS_TRY(rs_poll(pr->ctx));
    }
    rs_row_norms(n, d, ws->R, ws->square);
    for (int i = 0; i < n; i++)
        ws->square[i] *= ws->square[i];
    weigh(n, floor, ws);
    return RS_OK;
}

/* Hp = (sum_i t_i) p - R' T^3 R p */
static void curvature(const rs_spca *pr, const double *p, double *Hp,
                      rs_spca_median *ws)
{
    const int n = pr->n, d = pr->d;
    rs_gemv('N', n, d, 1.0, ws->R, n, p, 0.0, ws->sample);
    for (int i = 0; i < n; i++)
        ws->sample[i] *= ws->cube[i];
    rs_copy((size_t)d, p, Hp);
    rs_gemv('T', n, d, -1.0, ws->R, n, ws->sample, ws->total, Hp);
}

/* z = H^{-1} g by conjugate gradients; g becomes what is left of it */
static rs_status solve_curvature(rs_spca *pr, rs_spca_median *ws)
{
    const size_t d = (size_t)pr->d;
    double square = rs_sum_squares(d, ws->g);
    const double enough = RS_FOLLOW_TOL * RS_FOLLOW_TOL * square;
    rs_fill(d, 0.0, ws->z);
    rs_copy(d, ws->g, ws->p);
    for (int k = 0; k < RS_FOLLOW_STEPS && square > enough; k++) {
        curvature(pr, ws->p, ws->Hp, ws);
        double curved = rs_dot(d, ws->p, ws->Hp);
        if (!(curved > 0.0))
            break;
        double length = square / curved, last = square;
        rs_axpy(d, length, ws->p, ws->z);
        rs_axpy(d, -length, ws->Hp, ws->g);
        square = rs_sum_squares(d, ws->g);
        rs_scale(d, square / last, ws->p);
        rs_axpy(d, 1.0, ws->g, ws->p);
    }
    return rs_poll(pr->ctx);
}

/* v += length * z, in the residuals and their squares */
static void move_centre(const rs_spca *pr, double length, rs_spca_median *ws)
{
    const int n = pr->n, d = pr->d;
    rs_fill((size_t)n, 0.0, ws->square);
    for (int j = 0; j < d; j++) {
        double *r = ws->R + (size_t)j * n;
        for (int i = 0; i < n; i++) {
            r[i] -= length * ws->z[j];
            ws->square[i] += r[i] * r[i];
        }
    }
}

/* one step of Newton's method, or a part of it; the loss afterwards */
static rs_status newton_step(rs_spca *pr, double floor, double *loss,
                             rs_spca_median *ws)
{
    const int n = pr->n, d = pr->d;
    rs_gemv('T', n, d, 1.0, ws->R, n, ws->t, 0.0, ws->g);
    RS_TRY(solve_curvature(pr, ws));
    double length = 1.0, now;
    move_centre(pr, length, ws);
    for (int k = 0;; k++) {
        now = weigh(n, floor, ws);
        if (now <= *loss || k == RS_MEDIAN_HALVINGS)
            break;
        length *= 0.5; /* half of the way back */
        move_centre(pr, -length, ws);
    }
    *loss = now;
    return RS_OK;
}

rs_status rs_spca_median_settle(rs_spca *pr, double floor, rs_spca_point *at,
                                rs_spca_median *ws)
{
    RS_TRY(rs_spca_median_at(pr, at, floor, ws));
    double loss = weigh(pr->n, floor, ws);
    for (int k = 0; k < RS_MEDIAN_STEPS; k++) {
        double last = loss;
        RS_TRY(newton_step(pr, floor, &loss, ws));
        if (!(loss < last * (1.0 - RS_MEDIAN_TOL)))
            break;
    }
    /* sum_i t_i r_i = 0: c is the mean of the samples with these weights */
    RS_TRY(rs_spca_set_centre(pr, ws->t));
    return rs_spca_measure(pr, at);
}

rs_status rs_spca_median_follow(rs_spca *pr, double *w, rs_spca_median *ws)
{
    const int n = pr->n, d = pr->d;
    rs_gemv('T', n, d, 1.0, ws->R, n, w, 0.0, ws->g);
    RS_TRY(solve_curvature(pr, ws));
    rs_gemv('N', n, d, 1.0, ws->R, n, ws->z, 0.0, ws->sample);
    for (int i = 0; i < n; i++)
        w[i] += ws->cube[i] * ws->sample[i];
    return RS_OK;
}
