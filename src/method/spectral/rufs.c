#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/nonnegative.h"
#include "solve/reweight.h"
#include "solve/row_regression.h"

/* the smoothing of the norms in the regression, whose rows are those of a G
 * with columns of norm 1, as a share of their mean */
#define RS_RUFS_SMOOTHING 1e-6
/* steps in F between two regressions */
#define RS_RUFS_STEPS_OF_F 5

typedef struct {
    const rs_rufs_problem *p;
    rs_rufs_fit *fit;
    int n, d, c;
    size_t cells;           /* n c */
    double *shift;          /* d: makes the features nonnegative */
    double *square;         /* n: ||x_i + shift||^2 */
    double *residual;       /* n: ||x_i + shift - g_i F||, smoothed */
    double *missing;        /* n: ||x_i W - g_i||, smoothed */
    double *r;              /* n: 1 / (2 residual) */
    double *v;              /* n: 2 missing */
    double eps;             /* smoothing of `missing` */
    double *R;              /* n x c: G - X W */
    double *XF;             /* n x c: (X + shift) F' */
    double *rG;             /* n x c: diag(r) G */
    double *minusF, *plusF; /* d x c */
    double *plus, *minus;   /* n x c */
    double *last;           /* n x c: G before the step */
    double *XW;             /* n x c */
    double *LG;             /* n x c */
    double *GG;             /* n x c: scratch */
    double *small;          /* c x c */
    double *u;              /* d */
    rs_row_regression regression;
} rufs_state;

/* ---- nonnegative data -------------------------------------------------------- */

/* shift_j = - min_i x_ij, at least 0 */
static rs_status find_shift(rs_context *ctx, rufs_state *s)
{
    const int width = rs_min_int(s->n, RS_PANEL);
    double *rows = rs_alloc_double(ctx, (size_t)s->d * width);
    RS_TRY_ALLOC(rows);
    rs_fill((size_t)s->d, 0.0, s->shift);
    for (int from = 0; from < s->n; from += width) {
        const int count = rs_min_int(width, s->n - from);
        RS_TRY(rs_data_row_range(s->p->X, from, count, rows));
        for (int i = 0; i < count; i++)
            for (int j = 0; j < s->d; j++)
                s->shift[j] = fmax(s->shift[j], -rows[j + (size_t)i * s->d]);
        RS_TRY(rs_poll(ctx));
    }
    /* ||x_i + shift||^2 */
    const double level = rs_sum_squares((size_t)s->d, s->shift);
    RS_TRY(rs_data_row_squares(s->p->X, NULL, s->square));
    RS_TRY(rs_data_times(s->p->X, 1, s->shift, s->residual));
    for (int i = 0; i < s->n; i++)
        s->square[i] += 2.0 * s->residual[i] + level;
    return RS_OK;
}

/* Y (n x c) = (X + 1 shift') V, nonnegative for V >= 0 */
static rs_status times(rufs_state *s, const double *V, double *Y)
{
    RS_TRY(rs_data_times(s->p->X, s->c, V, Y));
    for (int l = 0; l < s->c; l++) {
        const double level =
            rs_dot((size_t)s->d, s->shift, V + (size_t)s->d * l);
        for (int i = 0; i < s->n; i++) {
            double *at = Y + i + (size_t)s->n * l;
            *at = fmax(0.0, *at + level);
        }
    }
    return RS_OK;
}

/* V (d x c) = (X + 1 shift')' Y, nonnegative for Y >= 0 */
static rs_status crossprod(rufs_state *s, const double *Y, double *V)
{
    RS_TRY(rs_data_crossprod(s->p->X, s->c, Y, V));
    for (int l = 0; l < s->c; l++) {
        double sum = 0.0;
        for (int i = 0; i < s->n; i++)
            sum += Y[i + (size_t)s->n * l];
        for (int j = 0; j < s->d; j++) {
            double *at = V + j + (size_t)s->d * l;
            *at = fmax(0.0, *at + s->shift[j] * sum);
        }
    }
    return RS_OK;
}

/* ---- the objective ------------------------------------------------------------ */

/* L G = positive - negative by the signs of the entries of L */
static void laplacian_parts(const rufs_state *s, double *positive,
                            double *negative)
{
    const rs_graph *L = s->p->L;
    rs_fill(s->cells, 0.0, positive);
    rs_fill(s->cells, 0.0, negative);
    for (int l = 0; l < s->c; l++) {
        const size_t column = (size_t)s->n * l;
        for (int i = 0; i < s->n; i++)
            for (size_t a = L->start[i]; a < L->start[i + 1]; a++) {
                const double w = L->weight[a];
                double *to = w > 0.0 ? positive : negative;
                to[column + i] +=
                    fabs(w) * s->fit->G[column + (size_t)L->index[a]];
            }
    }
}

/* ||x_i + shift - g_i F||^2 = ||.||^2 - 2 g_i F x_i' + g_i F F'g_i' */
static void measure_factors(rufs_state *s)
{
    const double *G = s->fit->G;
    rs_gram(s->d, s->c, s->fit->F, s->small);
    rs_matmul(s->n, s->c, s->c, G, s->small, s->GG);
    for (int i = 0; i < s->n; i++) {
        double square = s->square[i];
        for (int l = 0; l < s->c; l++) {
            const size_t at = i + (size_t)s->n * l;
            square += G[at] * (s->GG[at] - 2.0 * s->XF[at]);
        }
        s->residual[i] = rs_smoothed_norm(sqrt(fmax(square, 0.0)), s->p->eps);
    }
}

static void measure_regression(rufs_state *s)
{
    rs_row_norms(s->n, s->c, s->R, s->missing);
    for (int i = 0; i < s->n; i++)
        s->missing[i] = rs_smoothed_norm(s->missing[i], s->eps);
    rs_row_norms(s->d, s->c, s->fit->W, s->u);
}

static double sum_of(int count, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

/* f from X F' and R; the smoothed norms of the samples are kept */
static double objective(rufs_state *s)
{
    const rs_rufs_problem *p = s->p;
    double *terms = s->fit->terms;
    measure_factors(s);
    measure_regression(s);
    laplacian_parts(s, s->LG, s->GG);
    terms[0] = sum_of(s->n, s->residual);
    terms[1] = rs_dot(s->cells, s->fit->G, s->LG) -
               rs_dot(s->cells, s->fit->G, s->GG);
    terms[2] = sum_of(s->n, s->missing);
    terms[3] = sum_of(s->d, s->u);
    rs_gram(s->n, s->c, s->fit->G, s->small);
    terms[4] = rs_orthonormality_gap(s->c, s->small);
    return terms[0] + p->nu * terms[1] + p->alpha * terms[2] +
           p->beta * terms[3] + 0.25 * p->zeta * terms[4];
}

/* ---- steps ------------------------------------------------------------------- */

/* the weighted squares that majorise the norms at the present point */
static void update_weights(rufs_state *s)
{
    for (int i = 0; i < s->n; i++) {
        s->r[i] = 0.5 / s->residual[i];
        s->v[i] = 2.0 * s->missing[i];
    }
    for (int j = 0; j < s->d; j++)
        s->u[j] *= 2.0;
}

/* W = argmin sum_i ||x_i W - g_i||^2 / v_i + (beta/alpha) sum_j ||w_j||^2 / u_j
 */
static rs_status update_W(rufs_state *s)
{
    const double ratio = s->p->beta / s->p->alpha;
    RS_TRY(rs_row_regression_factor(ratio, s->u, s->v, &s->regression));
    RS_TRY(
        rs_row_regression_solve(s->fit->G, s->fit->W, s->R, &s->regression));
    for (size_t i = 0; i < s->cells; i++)
        s->XW[i] = s->fit->G[i] - s->R[i];
    return RS_OK;
}

/* F' <- F' o (X'r G) / (F' G'r G), some times; and X F' */
static rs_status update_F(rufs_state *s)
{
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++)
            s->rG[i + (size_t)s->n * l] =
                s->r[i] * s->fit->G[i + (size_t)s->n * l];
    RS_TRY(crossprod(s, s->rG, s->minusF));
    rs_crossprod(s->n, s->c, s->c, s->fit->G, s->rG, s->small);
    for (int step = 0; step < RS_RUFS_STEPS_OF_F; step++) {
        rs_matmul(s->d, s->c, s->c, s->fit->F, s->small, s->plusF);
        rs_nonnegative_step((size_t)s->d * s->c, s->minusF, s->plusF, 1.0,
                            s->fit->F);
    }
    return times(s, s->fit->F, s->XF);
}

/*
 * Half the gradient in G of the weighted squares is plus - minus, L = L_+ - L_-,
 *     plus  = r G F F' + nu L_+ G + alpha h (G + (XW)_-) + (zeta / 2) G G'G
 *     minus = r X F' + nu L_- G + alpha h (XW)_+ + (zeta / 2) G,  h = 1 / v.
 */
static void split_gradient(rufs_state *s)
{
    const rs_rufs_problem *p = s->p;
    const double *G = s->fit->G;
    laplacian_parts(s, s->plus, s->minus);
    rs_scale(s->cells, p->nu, s->plus);
    rs_scale(s->cells, p->nu, s->minus);
    rs_gram(s->d, s->c, s->fit->F, s->small);
    rs_matmul(s->n, s->c, s->c, s->rG, s->small, s->GG);
    rs_axpy(s->cells, 1.0, s->GG, s->plus);
    rs_gram(s->n, s->c, G, s->small);
    rs_matmul(s->n, s->c, s->c, G, s->small, s->GG);
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++) {
            const size_t at = i + (size_t)s->n * l;
            const double h = p->alpha / s->v[i], fitted = s->XW[at];
            s->plus[at] +=
                h * (G[at] + fmax(0.0, -fitted)) + 0.5 * p->zeta * s->GG[at];
            s->minus[at] += s->r[i] * s->XF[at] + h * fmax(0.0, fitted) +
                            0.5 * p->zeta * G[at];
        }
}

static double step_G(rufs_state *s, double exponent)
{
    rs_copy(s->cells, s->last, s->fit->G);
    rs_nonnegative_step(s->cells, s->minus, s->plus, exponent, s->fit->G);
    for (size_t i = 0; i < s->cells; i++)
        s->R[i] = s->fit->G[i] - s->XW[i];
    return objective(s);
}

/* G <- G o (minus / plus)^{1/2}, or to the power of 1/4, which lowers the
 * weighted squares for certain, where f would rise */
static double update_G(rufs_state *s, double before)
{
    split_gradient(s);
    rs_copy(s->cells, s->fit->G, s->last);
    const double f = step_G(s, 0.5);
    return f <= before ? f : step_G(s, 0.25);
}

/* ---- start and end ----------------------------------------------------------- */

/* F = G'(X + shift) and its best multiple of rows, then W with equal rows */
static rs_status begin(rufs_state *s)
{
    const rs_rufs_problem *p = s->p;
    rs_row_norms(s->n, s->c, s->fit->G, s->missing);
    const double total = sum_of(s->n, s->missing);
    s->eps = RS_RUFS_SMOOTHING * (total / s->n);
    rs_fill((size_t)s->n, 1.0, s->r);
    RS_TRY(crossprod(s, s->fit->G, s->fit->F));
    RS_TRY(update_F(s));
    for (int i = 0; i < s->n; i++)
        s->v[i] = 2.0 * rs_smoothed_norm(s->missing[i], s->eps);
    rs_fill((size_t)s->d, 2.0 * total * p->alpha / (p->beta * s->d), s->u);
    RS_TRY(update_W(s));
    rs_history_add(&s->fit->history, objective(s));
    s->fit->level = rs_largest(s->d, s->u);
    return RS_OK;
}

/* pull_j = alpha ||x_j' R / missing|| */
static rs_status finish(rs_status status, rufs_state *s)
{
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++)
            s->R[i + (size_t)s->n * l] *= s->p->alpha / s->missing[i];
    RS_TRY(rs_data_product_norms(s->p->X, s->c, s->R, s->fit->pull));
    return status;
}

static rs_status init_state(rs_context *ctx, const rs_rufs_problem *p,
                            rs_rufs_fit *fit, rufs_state *s)
{
    *s = (rufs_state){
        .p = p, .fit = fit, .n = p->X->n, .d = p->X->d, .c = p->c};
    s->cells = (size_t)s->n * s->c;
    RS_ALLOC_DOUBLES(ctx, (size_t)s->n, &s->square, &s->residual, &s->missing,
                     &s->r, &s->v);
    RS_ALLOC_DOUBLES(ctx, s->cells, &s->R, &s->XF, &s->rG, &s->plus, &s->minus,
                     &s->last, &s->XW, &s->LG, &s->GG);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d, &s->shift, &s->u);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d * s->c, &s->minusF, &s->plusF);
    s->small = rs_alloc_double(ctx, (size_t)s->c * s->c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(find_shift(ctx, s));
    return rs_row_regression_init(ctx, p->X, p->c, &s->regression);
}

rs_status rs_rufs(rs_context *ctx, const rs_rufs_problem *p, rs_rufs_fit *fit)
{
    rufs_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(init_state(ctx, p, fit, &s));
    RS_TRY(begin(&s));
    for (int k = 0; k < p->maxit && status == RS_MAXIT; k++) {
        const double before = rs_history_last(&fit->history);
        update_weights(&s);
        RS_TRY(update_W(&s));
        RS_TRY(update_F(&s));
        status = rs_history_step(update_G(&s, before), 1e-300, p->tol,
                                 &fit->history);
        RS_TRY(rs_poll(ctx));
    }
    return finish(status, &s);
}
