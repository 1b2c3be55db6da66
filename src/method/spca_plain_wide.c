#include <math.h>

#include "la/linalg.h"
#include "method/spca_model.h"
#include "method/spca_ridge.h"
#include "method/spca_plain.h"

/*
 * Without the nuclear norm a step is W = (S_T + diag(c))^{-1} S_T, by
 * Woodbury's formula W = E Xt'Q Xt with E = diag(1/c), Q = (2 T^{-1} + H)^{-1},
 * T = diag(t), and H = Xt E Xt'. With G = Xt Xt':
 *
 *   ||w^j||^2 = e_j^2 b_j'G b_j,  b_j = Q xt_j,
 *   R = Xt - Xt W = (I - H Q) Xt,  ||r_i||^2 = ((I - HQ) G (I - HQ)')_ii.
 */

typedef struct {
    rs_spca *pr;
    rs_spca_smoothing smoothing;
    rs_spca_point *at;
    rs_spca_ridge ridge;
    double *E;             /* d */
    double *G, *H, *Q, *P; /* n x n; P = I - H Q */
    double *N1, *N2;       /* n x n scratch */
    double *B;             /* n x RS_PANEL */
    double *g;             /* n */
} wide_state;

static rs_status init_state(rs_spca *pr, const rs_spca_paper_settings *set,
                            rs_spca_point *at, wide_state *s)
{
    size_t n = (size_t)pr->n;
    double **square[] = {&s->G, &s->H, &s->Q, &s->P, &s->N1, &s->N2};
    s->pr = pr;
    s->smoothing = rs_spca_plain_smoothing(pr, set);
    s->at = at;
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        RS_TRY_ALLOC(*square[i] = rs_alloc_double(pr->ctx, n * n));
    RS_TRY_ALLOC(s->E = rs_alloc_double(pr->ctx, (size_t)pr->d));
    RS_TRY_ALLOC(s->B = rs_alloc_double(pr->ctx, n * RS_PANEL));
    RS_TRY_ALLOC(s->g = rs_alloc_double(pr->ctx, n));
    return rs_spca_ridge_init(pr, 0, 1, &s->ridge);
}

/* Q and E for the weights of the point; W stays implicit */
static rs_status update_w(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n;
    for (int j = 0; j < pr->d; j++) {
        s->ridge.c[j] =
            0.5 * pr->lambda * s->at->D[j] + s->smoothing.set.ridge;
        s->E[j] = 1.0 / s->ridge.c[j];
    }
    RS_TRY(rs_spca_ridge_factor(pr, s->at->t, NULL, &s->ridge));
    rs_fill((size_t)n * n, 0.0, s->Q);
    for (int i = 0; i < n; i++)
        s->Q[i + (size_t)i * n] = 1.0;
    RS_TRY(rs_spca_ridge_kernel(n, s->Q, &s->ridge));
    rs_symmetrise(n, s->Q);
    return rs_poll(pr->ctx);
}

/* ||w^j||^2 = e_j^2 b_j'G b_j, some columns at a time */
static rs_status row_squares(wide_state *s)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n;
    for (int j = 0; j < pr->d; j += RS_PANEL) {
        int width = rs_min_int(RS_PANEL, pr->d - j);
        rs_spca_panel(pr, j, width);
        rs_matmul(n, n, width, s->Q, pr->panel, s->B);
        rs_matmul(n, n, width, s->G, s->B, pr->panel);
        for (int c = 0; c < width; c++) {
            double square = rs_dot((size_t)n, s->B + (size_t)c * n,
                                   pr->panel + (size_t)c * n);
            s->at->column_square[j + c] =
                s->E[j + c] * s->E[j + c] * fmax(square, 0.0);
        }
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

/* P = I - H Q; ||r_i||^2 = (P G P')_ii */
static rs_status residual_squares(wide_state *s)
{
    const int n = s->pr->n;
    RS_TRY(rs_spca_gram(s->pr, s->E, s->g, s->H));
    rs_gemm('N', 'N', n, n, n, -1.0, s->H, n, s->Q, n, 0.0, s->P, n);
    for (int i = 0; i < n; i++)
        s->P[i + (size_t)i * n] += 1.0;
    rs_matmul(n, n, n, s->P, s->G, s->N1);
    for (int i = 0; i < n; i++) {
        double square = 0.0;
        for (int k = 0; k < n; k++)
            square += s->N1[i + (size_t)k * n] * s->P[i + (size_t)k * n];
        s->at->residual_square[i] = fmax(square, 0.0);
    }
    return rs_poll(s->pr->ctx);
}

static rs_status measure(wide_state *s)
{
    RS_TRY(rs_spca_gram(s->pr, NULL, s->g, s->G));
    RS_TRY(row_squares(s));
    return residual_squares(s);
}

/* tr(A'B C D) of n x n matrices, A, B, C, D */
static double trace_of_four(wide_state *s, const double *A, const double *B,
                            const double *C, const double *D)
{
    const int n = s->pr->n;
    rs_crossprod(n, n, n, A, B, s->N1);
    rs_matmul(n, n, n, C, D, s->N2);
    double trace = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            trace += s->N1[i + (size_t)k * n] * s->N2[k + (size_t)i * n];
    return trace;
}

/*
 * The gradient (S_T + diag(c)) W - S_T with the weights of W and c without the
 * ridge: -Xt'(T P) Xt + diag(c E) Xt'Q Xt. Its norm relative to that of S_T
 * needs only n x n matrices. Overwrites P, H and E.
 */
static rs_status stationarity(wide_state *s, double *kkt)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n;
    const double *t = s->at->t;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s->P[i + (size_t)j * n] *= -0.5 * t[i];
    double square = trace_of_four(s, s->P, s->G, s->P, s->G);
    for (int j = 0; j < pr->d; j++)
        s->E[j] *= 0.5 * pr->lambda * s->at->D[j];
    RS_TRY(rs_spca_gram(pr, s->E, s->g, s->H));
    square += 2.0 * trace_of_four(s, s->Q, s->H, s->P, s->G);
    for (int j = 0; j < pr->d; j++)
        s->E[j] *= s->E[j];
    RS_TRY(rs_spca_gram(pr, s->E, s->g, s->H));
    square += trace_of_four(s, s->Q, s->H, s->Q, s->G);
    double scale = 0.0; /* ||S_T||^2 = sum_ij (t_i/2)(t_j/2) g_ij^2 */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            scale += 0.25 * t[i] * t[j] * s->G[i + (size_t)j * n] *
                     s->G[i + (size_t)j * n];
    *kkt = sqrt(fmax(square, 0.0) / scale);
    return RS_OK;
}

/* left = E Xt'Q, right = Xt' */
static rs_status factors(wide_state *s, double *left, double *right)
{
    const rs_spca *pr = s->pr;
    const int n = pr->n, d = pr->d;
    rs_fill((size_t)n * n, 0.0, s->N1);
    for (int i = 0; i < n; i++)
        s->N1[i + (size_t)i * n] = 1.0;
    RS_TRY(rs_spca_crossprod(pr, n, s->N1, right));
    RS_TRY(rs_spca_crossprod(pr, n, s->Q, left));
    rs_scale_rows(d, n, s->E, left);
    return RS_OK;
}

/* the best centre for W; the last objective becomes that of it. K = P G P' */
static rs_status finish_centre(wide_state *s, rs_history *history)
{
    const rs_spca_floors none = {0.0, 0.0};
    const int n = s->pr->n;
    rs_matmul(n, n, n, s->P, s->G, s->N1);
    rs_gemm('N', 'T', n, n, n, 1.0, s->N1, n, s->P, n, 0.0, s->N2, n);
    rs_symmetrise(n, s->N2);
    RS_TRY(rs_spca_best_centre(s->pr, s->N2, s->at->residual_square));
    history->objective[history->count - 1] =
        rs_spca_objective(s->pr, &none, s->at);
    return RS_OK;
}

rs_status rs_spca_plain_wide(rs_spca *pr, const rs_spca_paper_settings *set,
                             rs_spca_point *at, double *left, double *right,
                             rs_spca_fit *fit)
{
    const rs_spca_floors none = {0.0, 0.0};
    wide_state s;
    rs_spca_end end = RS_SPCA_GOES_ON;

    fit->inner_iterations = 0;
    RS_TRY(rs_history_init(pr->ctx, set->maxit + 1, &fit->history));
    RS_TRY(init_state(pr, set, at, &s));
    if (set->record_start)
        rs_history_add(&fit->history, rs_spca_objective(pr, &none, at));
    fit->iterations = 0;
    while (fit->iterations < set->maxit && end == RS_SPCA_GOES_ON) {
        RS_TRY(rs_spca_set_centre(pr, at->t));
        RS_TRY(update_w(&s));
        RS_TRY(measure(&s));
        rs_spca_weights(pr, &s.smoothing.set.floors, at);
        double f = rs_spca_objective(pr, &none, at);
        RS_TRY(rs_spca_record(pr, f, set->tol, &fit->history, &end));
        if (rs_spca_refine(&s.smoothing, &end))
            rs_spca_weights(pr, &s.smoothing.set.floors, at);
        fit->iterations++;
    }
    RS_TRY(factors(&s, left, right));
    if (pr->adaptive)
        RS_TRY(finish_centre(&s, &fit->history));
    fit->objective = fit->history.objective[fit->history.count - 1];
    RS_TRY(stationarity(&s, &fit->kkt));
    return rs_spca_ending(end);
}
