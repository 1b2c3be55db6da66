#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/nonnegative.h"
#include "solve/row_regression.h"

typedef struct {
    const rs_ndfs_problem *p;
    rs_ndfs_fit *fit;
    int n, d, c;
    size_t cells;         /* n c */
    double *R;            /* n x c: F - X W */
    double *LF;           /* n x c */
    double *FG;           /* n x c: F F'F */
    double *G;            /* c x c: F'F */
    double *plus, *minus; /* n x c: the two parts of half the gradient in F */
    double *last;         /* n x c: F before the step */
    double *XW;           /* n x c */
    double *u;            /* d */
    rs_row_regression regression;
} ndfs_state;

/* L F, F'F and F F'F of a new F */
static rs_status measure(ndfs_state *s)
{
    double *F = s->fit->F;
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, F, s->LF));
    rs_gram(s->n, s->c, F, s->G);
    rs_matmul(s->n, s->c, s->c, F, s->G, s->FG);
    return RS_OK;
}

/* f from L F, F'F and R */
static double objective(ndfs_state *s)
{
    const rs_ndfs_problem *p = s->p;
    double *terms = s->fit->terms;
    rs_row_norms(s->d, s->c, s->fit->W, s->u);
    terms[0] = rs_dot(s->cells, s->fit->F, s->LF);
    terms[1] = rs_sum_squares(s->cells, s->R);
    terms[2] = 0.0;
    for (int j = 0; j < s->d; j++)
        terms[2] += s->u[j];
    terms[3] = rs_orthonormality_gap(s->c, s->G);
    return terms[0] + p->alpha * (terms[1] + p->beta * terms[2]) +
           0.5 * p->gamma * terms[3];
}

/* W = argmin ||F - X W||^2 + beta sum_j ||w_j||^2 / u_j, and R */
static rs_status regress(ndfs_state *s)
{
    RS_TRY(rs_row_regression_factor(s->p->beta, s->u, NULL, &s->regression));
    return rs_row_regression_solve(s->fit->F, s->fit->W, s->R, &s->regression);
}

/* u_j = 2 ||w_j||: a row of zeros stays one */
static rs_status update_W(ndfs_state *s)
{
    rs_row_norms(s->d, s->c, s->fit->W, s->u);
    rs_scale((size_t)s->d, 2.0, s->u);
    return regress(s);
}

/*
 * Half the gradient in F, W fixed, is plus - minus with
 *     plus  = D F + alpha (F + (XW)_-) + gamma F F'F
 *     minus = (D - L) F + alpha (XW)_+ + gamma F,
 * D the diagonal of L. Both are >= 0.
 */
static void split_gradient(ndfs_state *s)
{
    const rs_ndfs_problem *p = s->p;
    const double *F = s->fit->F;
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < s->n; i++) {
            const size_t at = i + (size_t)s->n * l;
            const double own = p->L->diagonal[i] * F[at];
            const double fitted = s->XW[at];
            s->plus[at] = own + p->alpha * (F[at] + fmax(0.0, -fitted)) +
                          p->gamma * s->FG[at];
            s->minus[at] = fmax(0.0, own - s->LF[at]) +
                           p->alpha * fmax(0.0, fitted) + p->gamma * F[at];
        }
}

/* R = F - X W with W as it was */
static rs_status follow(ndfs_state *s)
{
    for (size_t i = 0; i < s->cells; i++)
        s->R[i] = s->fit->F[i] - s->XW[i];
    return measure(s);
}

/*
 * F <- F o (minus / plus)^{1/2}. The exponent 1/4 lowers f for certain: with
 * z = F / F_0, all terms of f are below plus z^4 / 2 - 2 minus log z times
 * F_0, up to constants. 1/2 takes twice the step and is kept where f falls.
 */
static rs_status monotone_F(ndfs_state *s, double before)
{
    double *F = s->fit->F;
    for (size_t i = 0; i < s->cells; i++)
        s->XW[i] = F[i] - s->R[i];
    split_gradient(s);
    rs_copy(s->cells, F, s->last);
    rs_nonnegative_step(s->cells, s->minus, s->plus, 0.5, F);
    RS_TRY(follow(s));
    if (objective(s) <= before)
        return RS_OK;
    rs_copy(s->cells, s->last, F);
    rs_nonnegative_step(s->cells, s->minus, s->plus, 0.25, F);
    return follow(s);
}

/* F <- F o gamma F / (M F + gamma F F'F), columns of norm 1, where
 * M F = L F + alpha (F - X W) since W is the regression of F */
static rs_status published_F(ndfs_state *s)
{
    const rs_ndfs_problem *p = s->p;
    double *F = s->fit->F;
    for (size_t i = 0; i < s->cells; i++) {
        const double below =
            s->LF[i] + p->alpha * s->R[i] + p->gamma * s->FG[i];
        s->XW[i] = F[i] - s->R[i];
        F[i] = below != 0.0 ? F[i] * (p->gamma * F[i] / below) : 0.0;
    }
    for (int l = 0; l < s->c; l++) {
        double *column = F + (size_t)s->n * l;
        const double norm = rs_norm((size_t)s->n, column);
        if (norm > 0.0)
            rs_scale((size_t)s->n, 1.0 / norm, column);
    }
    return follow(s);
}

static rs_status init_state(rs_context *ctx, const rs_ndfs_problem *p,
                            rs_ndfs_fit *fit, ndfs_state *s)
{
    *s = (ndfs_state){
        .p = p, .fit = fit, .n = p->X->n, .d = p->X->d, .c = p->c};
    s->cells = (size_t)s->n * s->c;
    RS_ALLOC_DOUBLES(ctx, s->cells, &s->R, &s->LF, &s->FG, &s->plus, &s->minus,
                     &s->last, &s->XW);
    s->G = rs_alloc_double(ctx, (size_t)s->c * s->c);
    s->u = rs_alloc_double(ctx, (size_t)s->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    return rs_row_regression_init(ctx, p->X, p->c, &s->regression);
}

/* the first W, of rows that all have the weight of u */
static rs_status begin(ndfs_state *s)
{
    rs_fill((size_t)s->d, s->p->u, s->u);
    RS_TRY(measure(s));
    RS_TRY(regress(s));
    rs_history_add(&s->fit->history, objective(s));
    s->fit->level = rs_largest(s->d, s->u);
    return RS_OK;
}

static rs_status finish(rs_status status, ndfs_state *s)
{
    RS_TRY(rs_data_product_norms(s->p->X, s->c, s->R, s->fit->pull));
    return status;
}

rs_status rs_ndfs(rs_context *ctx, const rs_ndfs_problem *p, rs_ndfs_fit *fit)
{
    ndfs_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(init_state(ctx, p, fit, &s));
    RS_TRY(begin(&s));
    for (int k = 0; k < p->maxit && status == RS_MAXIT; k++) {
        const double before = rs_history_last(&fit->history);
        RS_TRY(p->published ? published_F(&s) : monotone_F(&s, before));
        RS_TRY(update_W(&s));
        status = rs_history_step(objective(&s), 1e-300, p->tol, &fit->history);
        RS_TRY(rs_poll(ctx));
    }
    return finish(status, &s);
}
