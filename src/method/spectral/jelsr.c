#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "eigen/leading.h"
#include "solve/ridge.h"

/* what is added to the diagonal of L alone, as a share of its mean */
#define RS_JELSR_SHIFT 1e-8

typedef struct {
    const rs_jelsr_problem *p;
    rs_jelsr_fit *fit;
    int n, d, m;
    double alpha;
    double *u, *row;   /* d */
    double *weight;    /* n: alpha */
    rs_ridge smoother; /* K + alpha I */
    double *P;         /* n x n: its inverse */
    double *Y, *W, *Z; /* n x m, d x m, n x m */
    rs_leading_ws smallest;
    double trace; /* of L: no eigenvalue is larger */
} jelsr_state;

/* Y, from Y where has_start, for the matrix in s->smallest.system.A, which
 * `away` above all its eigenvalues lifts along the constant vector */
static rs_status smallest_vectors(double away, int has_start, jelsr_state *s)
{
    double *M = s->smallest.system.A;
    for (size_t i = 0; i < (size_t)s->n * s->n; i++)
        M[i] += away / (double)s->n;
    return rs_smallest_of(has_start, s->Y, &s->smallest);
}

/* alpha_max = 2 max_j ||x_j'Y||, from which on W = 0 is the regression of Y, the
 * m smallest eigenvectors of L */
static rs_status find_reach(jelsr_state *s)
{
    const size_t n = (size_t)s->n;
    double *M = s->smallest.system.A;
    rs_copy(n * n, s->p->L, M);
    for (size_t i = 0; i < n; i++)
        M[i + n * i] += RS_JELSR_SHIFT * s->trace / (double)n;
    RS_TRY(smallest_vectors(s->trace, 0, s));
    RS_TRY(rs_data_product_norms(s->p->X, s->m, s->Y, s->row));
    s->fit->alpha_max = 2.0 * rs_largest(s->d, s->row);
    return RS_OK;
}

static rs_status jelsr_init(rs_context *ctx, const rs_jelsr_problem *p,
                            rs_jelsr_fit *fit, jelsr_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, m = (size_t)p->m;
    *s = (jelsr_state){
        .p = p, .fit = fit, .n = p->X->n, .d = p->X->d, .m = p->m};
    RS_ALLOC_DOUBLES(ctx, d, &s->u, &s->row);
    s->weight = rs_alloc_double(ctx, n);
    s->P = rs_alloc_double(ctx, n * n);
    RS_ALLOC_DOUBLES(ctx, n * m, &s->Y, &s->Z);
    s->W = rs_alloc_double(ctx, d * m);
    RS_TRY(rs_allocated(ctx));
    for (size_t i = 0; i < n; i++)
        s->trace += p->L[i + n * i];
    RS_TRY(rs_ridge_init(ctx, s->n, &s->smoother));
    RS_TRY(rs_smallest_init(ctx, s->n, s->m, &s->smallest));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    RS_TRY(find_reach(s));
    s->alpha = fit->alpha = p->alpha > 0.0 ? p->alpha : 0.1 * fit->alpha_max;
    rs_fill(d, p->u > 0.0 ? p->u : 2.0 * s->m / (s->alpha * s->d), s->u);
    rs_fill(n, s->alpha, s->weight);
    return RS_OK;
}

/* P = (K + alpha I)^{-1} */
static rs_status invert_smoother(jelsr_state *s)
{
    RS_TRY(rs_data_gram_samples(s->p->X, s->u, s->smoother.A));
    RS_TRY(rs_ridge_factor_grown(s->n, s->weight, &s->smoother));
    return rs_ridge_inverse(s->P, &s->smoother);
}

static rs_status embed(int has_start, jelsr_state *s)
{
    const size_t n = (size_t)s->n;
    double *M = s->smallest.system.A;
    rs_copy(n * n, s->p->L, M);
    rs_axpy(n * n, s->alpha * s->p->beta, s->P, M);
    rs_symmetrise(s->n, M);
    return smallest_vectors(s->trace + s->n * s->p->beta, has_start, s);
}

/* W = U X'P Y, and u of it */
static rs_status regress(jelsr_state *s)
{
    rs_matmul(s->n, s->n, s->m, s->P, s->Y, s->Z);
    RS_TRY(rs_data_crossprod(s->p->X, s->m, s->Z, s->W));
    rs_scale_rows(s->d, s->m, s->u, s->W);
    rs_row_norms(s->d, s->m, s->W, s->row);
    rs_copy((size_t)s->d, s->row, s->u);
    rs_scale((size_t)s->d, 2.0, s->u);
    return RS_OK;
}

/* the three terms of f, and f */
static rs_status objective(jelsr_state *s, double terms[3], double *f)
{
    const size_t cells = (size_t)s->n * s->m;
    rs_matmul(s->n, s->n, s->m, s->p->L, s->Y, s->Z);
    terms[0] = rs_dot(cells, s->Y, s->Z);
    RS_TRY(rs_data_residual(s->p->X, s->m, s->Y, s->W, s->Z));
    terms[1] = rs_sum_squares(cells, s->Z);
    terms[2] = rs_sum(s->d, s->row);
    *f = terms[0] + s->p->beta * (terms[1] + s->alpha * terms[2]);
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/* what was found becomes the fit */
static void keep(const jelsr_state *s, const double terms[3], double f)
{
    rs_copy((size_t)s->n * s->m, s->Y, s->fit->Y);
    rs_copy((size_t)s->d * s->m, s->W, s->fit->W);
    rs_copy(3, terms, s->fit->terms);
    rs_history_add(&s->fit->history, f);
}

/* W = 0, where f is lower there: the steps only come close to it */
static void empty(const jelsr_state *s)
{
    rs_jelsr_fit *fit = s->fit;
    const double f = fit->terms[0] + s->p->beta * s->m;
    if (f > rs_history_last(&fit->history))
        return;
    rs_history_replace(&fit->history, f);
    fit->terms[1] = s->m;
    fit->terms[2] = 0.0;
    rs_fill((size_t)s->d * s->m, 0.0, fit->W);
}

rs_status rs_jelsr(rs_context *ctx, const rs_jelsr_problem *problem,
                   rs_jelsr_fit *fit)
{
    jelsr_state s;
    double f, terms[3];
    rs_status status = RS_MAXIT;
    RS_TRY(jelsr_init(ctx, problem, fit, &s));
    for (int it = 0; it <= problem->maxit && status == RS_MAXIT; it++) {
        RS_TRY(invert_smoother(&s));
        RS_TRY(embed(it > 0, &s));
        RS_TRY(regress(&s));
        RS_TRY(objective(&s, terms, &f));
        if (it == 0)
            fit->level = rs_largest(s.d, s.row);
        /* rounding alone can raise f: the end */
        const int rises = it > 0 && f > rs_history_last(&fit->history);
        if (!rises)
            keep(&s, terms, f);
        if (rises || rs_history_change(&fit->history, 0.0) < problem->tol)
            status = RS_OK;
    }
    empty(&s);
    RS_TRY(rs_data_residual(problem->X, s.m, fit->Y, fit->W, s.Z));
    RS_TRY(rs_data_product_norms(problem->X, s.m, s.Z, fit->pull));
    return status;
}
