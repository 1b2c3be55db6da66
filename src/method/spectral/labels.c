#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/steps.h"
#include "solve/ridge.h"

/* the smoothing of the norms in the regression, whose rows are those of a G
 * with columns of norm 1, as a share of their mean */
#define RS_RUFS_SMOOTHING 1e-6
/* steps in F between two regressions */
#define RS_RUFS_STEPS_OF_F 5
/* of a multiplicative step */
#define RS_LARGEST_FACTOR 1e8

typedef struct {
    const rs_labels_problem *p;
    rs_labels_fit *fit;
    int n, d, c, robust;
    size_t cells;         /* n c */
    double *missing;      /* n: ||x_i W - g_i||, smoothed */
    double *v;            /* n: 2 missing, or 1 without norms of samples */
    double *R, *XW;       /* n x c: G - X W, X W */
    double *plus, *minus; /* n x c: the two parts of half the gradient in G */
    double *last, *GG;    /* n x c: G before the step; G times `small` */
    double *small;        /* c x c */
    double *u;            /* d */
    rs_row_regression regression;
    /* of RUFS: the data as nonnegative factors */
    struct {
        double *shift;          /* d: makes the features nonnegative */
        double *square;         /* n: ||x_i + shift||^2 */
        double *residual;       /* n: ||x_i + shift - g_i F||, smoothed */
        double *r;              /* n: 1 / (2 residual) */
        double *XF, *rG;        /* n x c: (X + shift) F', diag(r) G */
        double *minusF, *plusF; /* d x c */
        double eps;             /* smoothing of ||x_i W - g_i|| */
    } by;
} labels_state;

/* ---- nonnegative data -------------------------------------------------------- */

/* shift_j = - min_i x_ij, at least 0, and ||x_i + shift||^2 */
static rs_status find_shift(rs_context *ctx, labels_state *s)
{
    const int width = rs_min_int(s->n, RS_PANEL);
    double *rows = rs_alloc_double(ctx, (size_t)s->d * width);
    RS_TRY_ALLOC(rows);
    rs_fill((size_t)s->d, 0.0, s->by.shift);
    for (int from = 0; from < s->n; from += width) {
        const int count = rs_min_int(width, s->n - from);
        RS_TRY(rs_data_rows(s->p->X, count, NULL, from, rows));
        for (int i = 0; i < count; i++)
            for (int j = 0; j < s->d; j++)
                s->by.shift[j] =
                    fmax(s->by.shift[j], -rows[j + (size_t)i * s->d]);
        RS_TRY(rs_poll(ctx));
    }
    const double own = rs_sum_squares((size_t)s->d, s->by.shift);
    RS_TRY(rs_data_row_squares(s->p->X, NULL, s->by.square));
    RS_TRY(rs_data_times(s->p->X, 1, s->by.shift, s->by.residual));
    for (int i = 0; i < s->n; i++)
        s->by.square[i] += 2.0 * s->by.residual[i] + own;
    return RS_OK;
}

/* A (rows x c) <- A + a b', nonnegative */
static void add_product(int rows, int c, const double *a, const double *b,
                        double *A)
{
    for (int l = 0; l < c; l++)
        for (int i = 0; i < rows; i++) {
            double *at = A + i + (size_t)rows * l;
            *at = fmax(0.0, *at + (a ? a[i] : 1.0) * b[l]);
        }
}

/* XF = (X + 1 shift') F', nonnegative */
static rs_status times_F(labels_state *s)
{
    RS_TRY(rs_data_times(s->p->X, s->c, s->fit->F, s->by.XF));
    rs_gemv('T', s->d, s->c, 1.0, s->fit->F, s->d, s->by.shift, 0.0, s->small);
    add_product(s->n, s->c, NULL, s->small, s->by.XF);
    return RS_OK;
}

/* V (d x c) = (X + 1 shift')' Y, nonnegative for Y >= 0 */
static rs_status crossprod(labels_state *s, const double *Y, double *V)
{
    RS_TRY(rs_data_crossprod(s->p->X, s->c, Y, V));
    for (int l = 0; l < s->c; l++)
        s->small[l] = rs_sum(s->n, Y + (size_t)s->n * l);
    add_product(s->d, s->c, s->by.shift, s->small, V);
    return RS_OK;
}

/* ---- the objective ------------------------------------------------------------ */

/* tr(G'LG) */
static double roughness(const labels_state *s)
{
    const rs_graph *L = s->p->L;
    double sum = 0.0;
    for (int l = 0; l < s->c; l++) {
        const double *g = s->fit->G + (size_t)s->n * l;
        for (int i = 0; i < s->n; i++)
            for (size_t a = L->start[i]; a < L->start[i + 1]; a++)
                sum += g[i] * L->weight[a] * g[L->index[a]];
    }
    return sum;
}

/* GG = G small, with small = M'M for M (rows x c) */
static void times_gram(int rows, const double *M, labels_state *s)
{
    rs_gram(rows, s->c, M, s->small);
    rs_matmul(s->n, s->c, s->c, s->fit->G, s->small, s->GG);
}

/* the sum of ||x_i + shift - g_i F||, whose squares are ||.||^2 - 2 g_i F x_i' +
 * g_i F F'g_i' */
static double measure_factors(labels_state *s)
{
    times_gram(s->d, s->fit->F, s);
    for (int i = 0; i < s->n; i++) {
        double square = s->by.square[i];
        for (int l = 0; l < s->c; l++) {
            const size_t at = i + (size_t)s->n * l;
            square += s->fit->G[at] * (s->GG[at] - 2.0 * s->by.XF[at]);
        }
        s->by.residual[i] = hypot(sqrt(fmax(square, 0.0)), s->p->eps);
    }
    return rs_sum(s->n, s->by.residual);
}

/* f from R and, with factors, X F'; the smoothed norms of the samples are kept */
static double objective(labels_state *s)
{
    const rs_labels_problem *p = s->p;
    double *terms = s->fit->terms;
    terms[0] = 0.0;
    terms[2] = rs_sum_squares(s->cells, s->R);
    if (s->robust) {
        terms[0] = measure_factors(s);
        rs_row_norms(s->n, s->c, s->R, s->missing);
        for (int i = 0; i < s->n; i++)
            s->missing[i] = hypot(s->missing[i], s->by.eps);
        terms[2] = rs_sum(s->n, s->missing);
    }
    terms[1] = roughness(s);
    terms[3] = rs_row_norms(s->d, s->c, s->fit->W, s->u);
    rs_gram(s->n, s->c, s->fit->G, s->small);
    terms[4] = rs_orthonormality_gap(s->c, s->small);
    return terms[0] + p->nu * terms[1] + p->alpha * terms[2] +
           p->beta * terms[3] + 0.25 * p->zeta * terms[4];
}

/* ---- steps ------------------------------------------------------------------- */

/*
 * The multiplicative step on a matrix F >= 0. Where the
 * gradient of a smooth objective is `plus - minus`, both >= 0,
 *
 *     F <- F o (minus / plus)^e
 *
 * keeps F >= 0 and lowers the objective: with e = 1 where it is quadratic in
 * F, with e = 1/2 where it has a term ||F'F - I||^2 as well (e = 1 oscillates
 * there). An entry of zero stays zero.
 *
 * F, plus, minus: `count` numbers; a factor is at most RS_LARGEST_FACTOR,
 * also where plus is 0
 */
static void nonnegative_step(size_t count, const double *minus,
                             const double *plus, double exponent, double *F)
{
    for (size_t i = 0; i < count; i++) {
        if (!(F[i] > 0.0) || minus[i] == plus[i])
            continue;
        double ratio = minus[i] < RS_LARGEST_FACTOR * plus[i]
                           ? minus[i] / plus[i]
                           : RS_LARGEST_FACTOR;
        F[i] *= exponent == 0.5 ? sqrt(ratio) : pow(ratio, exponent);
    }
}

/* W = argmin sum_i ||x_i W - g_i||^2 / v_i + (beta/alpha) sum_j ||w_j||^2 / u_j */
static rs_status regress(labels_state *s)
{
    const rs_labels_problem *p = s->p;
    RS_TRY(rs_row_regression_factor(p->beta / p->alpha, s->u,
                                    s->robust ? s->v : NULL, &s->regression));
    RS_TRY(
        rs_row_regression_solve(s->fit->G, s->fit->W, s->R, &s->regression));
    rs_subtract(s->cells, s->fit->G, s->R, s->XW);
    return RS_OK;
}

/* W for the weighted squares that majorise the norms at the present point; a
 * row of zeros stays one */
static rs_status update_W(labels_state *s)
{
    rs_row_norms(s->d, s->c, s->fit->W, s->u);
    rs_scale((size_t)s->d, 2.0, s->u);
    for (int i = 0; i < s->n && s->robust; i++) {
        s->by.r[i] = 0.5 / s->by.residual[i];
        s->v[i] = 2.0 * s->missing[i];
    }
    return regress(s);
}

/* F' <- F' o (X'r G) / (F' G'r G), some times; and X F' */
static rs_status update_F(labels_state *s)
{
    rs_copy(s->cells, s->fit->G, s->by.rG);
    rs_scale_rows(s->n, s->c, s->by.r, s->by.rG);
    RS_TRY(crossprod(s, s->by.rG, s->by.minusF));
    rs_crossprod(s->n, s->c, s->c, s->fit->G, s->by.rG, s->small);
    for (int step = 0; step < RS_RUFS_STEPS_OF_F; step++) {
        rs_matmul(s->d, s->c, s->c, s->fit->F, s->small, s->by.plusF);
        nonnegative_step((size_t)s->d * s->c, s->by.minusF, s->by.plusF, 1.0,
                         s->fit->F);
    }
    return times_F(s);
}

/* nu L G = plus - minus by the signs of the entries of L */
static void split_laplacian(labels_state *s)
{
    const rs_graph *L = s->p->L;
    rs_fill(s->cells, 0.0, s->plus);
    rs_fill(s->cells, 0.0, s->minus);
    for (int l = 0; l < s->c; l++) {
        const size_t column = (size_t)s->n * l;
        for (int i = 0; i < s->n; i++)
            for (size_t a = L->start[i]; a < L->start[i + 1]; a++) {
                const double w = s->p->nu * L->weight[a];
                double *to = w > 0.0 ? s->plus : s->minus;
                to[column + i] +=
                    fabs(w) * s->fit->G[column + (size_t)L->index[a]];
            }
    }
}

/*
 * Half the gradient in G of the weighted squares is plus - minus, L = L_+ - L_-,
 *     plus  = r G F F' + nu L_+ G + alpha h (G + (XW)_-) + (zeta / 2) G G'G
 *     minus = r X F' + nu L_- G + alpha h (XW)_+ + (zeta / 2) G,  h = 1 / v.
 */
static void split_gradient(labels_state *s)
{
    const rs_labels_problem *p = s->p;
    const double *G = s->fit->G;
    split_laplacian(s);
    if (s->robust) {
        times_gram(s->d, s->fit->F, s);
        rs_scale_rows(s->n, s->c, s->by.r, s->GG);
        rs_axpy(s->cells, 1.0, s->GG, s->plus);
        rs_copy(s->cells, s->by.XF, s->GG);
        rs_scale_rows(s->n, s->c, s->by.r, s->GG);
        rs_axpy(s->cells, 1.0, s->GG, s->minus);
    }
    times_gram(s->n, G, s);
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++) {
            const size_t at = i + (size_t)s->n * l;
            const double h = p->alpha / s->v[i], fitted = s->XW[at];
            s->plus[at] +=
                h * (G[at] + fmax(0.0, -fitted)) + 0.5 * p->zeta * s->GG[at];
            s->minus[at] += h * fmax(0.0, fitted) + 0.5 * p->zeta * G[at];
        }
}

static double step_G(labels_state *s, double exponent)
{
    rs_copy(s->cells, s->last, s->fit->G);
    nonnegative_step(s->cells, s->minus, s->plus, exponent, s->fit->G);
    rs_subtract(s->cells, s->fit->G, s->XW, s->R);
    return objective(s);
}

/*
 * G <- G o (minus / plus)^{1/2}. The exponent 1/4 lowers the weighted squares
 * for certain: with z = G / G_0, all of their terms are below plus z^4 / 2 - 2
 * minus log z times G_0, up to constants. 1/2 takes twice the step and is kept
 * where f falls.
 */
static double update_G(labels_state *s, double before)
{
    split_gradient(s);
    rs_copy(s->cells, s->fit->G, s->last);
    const double f = step_G(s, 0.5);
    return f <= before ? f : step_G(s, 0.25);
}

/* G <- G o gamma G / (M G + gamma G G'G), columns of norm 1, gamma = zeta / 2,
 * where M G = nu L G + alpha (G - X W) since W is the regression of G */
static void published_G(labels_state *s)
{
    const double gamma = 0.5 * s->p->zeta;
    double *G = s->fit->G;
    split_laplacian(s);
    times_gram(s->n, G, s);
    for (size_t i = 0; i < s->cells; i++) {
        const double below = s->plus[i] - s->minus[i] + s->p->alpha * s->R[i] +
                             gamma * s->GG[i];
        G[i] = below != 0.0 ? G[i] * (gamma * G[i] / below) : 0.0;
    }
    rs_unit_columns(s->n, s->c, G);
}

/* ---- the loop ---------------------------------------------------------------- */

/* F = G'(X + shift) and its best multiple of rows; the sum of the row norms of
 * G, and the smoothing by their mean */
static rs_status begin_factors(labels_state *s, double *total)
{
    *total = rs_row_norms(s->n, s->c, s->fit->G, s->missing);
    s->by.eps = RS_RUFS_SMOOTHING * (*total / s->n);
    for (int i = 0; i < s->n; i++)
        s->v[i] = 2.0 * hypot(s->missing[i], s->by.eps);
    rs_fill((size_t)s->n, 1.0, s->by.r);
    RS_TRY(crossprod(s, s->fit->G, s->fit->F));
    return update_F(s);
}

/* the first W, of equal rows whose penalty is as large as the loss of W = 0 if
 * u is not given */
static rs_status begin(labels_state *s)
{
    const rs_labels_problem *p = s->p;
    double total = rs_sum_squares(s->cells, s->fit->G);
    rs_fill((size_t)s->n, 1.0, s->v);
    if (s->robust)
        RS_TRY(begin_factors(s, &total));
    const double u =
        p->u > 0.0 ? p->u : 2.0 * total * p->alpha / (p->beta * s->d);
    rs_fill((size_t)s->d, u, s->u);
    RS_TRY(regress(s));
    rs_history_add(&s->fit->history, objective(s));
    s->fit->level = rs_largest(s->d, s->u);
    return RS_OK;
}

static rs_status iterate(labels_state *s, double *f)
{
    const double before = rs_history_last(&s->fit->history);
    if (s->robust) {
        RS_TRY(update_W(s));
        RS_TRY(update_F(s));
        *f = update_G(s, before);
        return RS_OK;
    }
    if (s->p->solver == RS_LABELS_PAPER)
        published_G(s);
    else
        update_G(s, before);
    RS_TRY(update_W(s));
    *f = objective(s);
    return RS_OK;
}

static rs_status init_state(rs_context *ctx, const rs_labels_problem *p,
                            rs_labels_fit *fit, labels_state *s)
{
    *s = (labels_state){
        .p = p, .fit = fit, .n = p->X->n, .d = p->X->d, .c = p->c};
    s->robust = p->solver == RS_LABELS_ROBUST;
    s->cells = (size_t)s->n * s->c;
    RS_ALLOC_DOUBLES(ctx, (size_t)s->n, &s->missing, &s->v);
    RS_ALLOC_DOUBLES(ctx, s->cells, &s->R, &s->plus, &s->minus, &s->last,
                     &s->XW, &s->GG);
    s->u = rs_alloc_double(ctx, (size_t)s->d);
    s->small = rs_alloc_double(ctx, (size_t)s->c * s->c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(rs_row_regression_init(ctx, p->X, p->c, &s->regression));
    if (!s->robust)
        return RS_OK;
    RS_ALLOC_DOUBLES(ctx, (size_t)s->n, &s->by.square, &s->by.residual,
                     &s->by.r);
    RS_ALLOC_DOUBLES(ctx, s->cells, &s->by.XF, &s->by.rG);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d * s->c, &s->by.minusF, &s->by.plusF);
    s->by.shift = rs_alloc_double(ctx, (size_t)s->d);
    RS_TRY(rs_allocated(ctx));
    return find_shift(ctx, s);
}

rs_status rs_labels(rs_context *ctx, const rs_labels_problem *p,
                    rs_labels_fit *fit)
{
    labels_state s;
    double f;
    rs_status status = RS_MAXIT;
    RS_TRY(init_state(ctx, p, fit, &s));
    RS_TRY(begin(&s));
    for (int k = 0; k < p->maxit && status == RS_MAXIT; k++) {
        RS_TRY(iterate(&s, &f));
        status = rs_history_step(f, 1e-300, p->tol, &fit->history);
        RS_TRY(rs_poll(ctx));
    }
    /* pull_j = alpha ||x_j' R / missing|| */
    for (int i = 0; i < s.n && s.robust; i++)
        s.v[i] = p->alpha / s.missing[i];
    if (s.robust)
        rs_scale_rows(s.n, s.c, s.v, s.R);
    RS_TRY(rs_data_product_norms(p->X, s.c, s.R, fit->pull));
    return status;
}
