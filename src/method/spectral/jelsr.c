#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"
#include "eigen/leading.h"
#include "solve/ridge.h"

/* what is added to the diagonal of L alone, as a share of its mean */
#define RS_JELSR_SHIFT 1e-8

/* ---- smallest eigenvectors -------------------------------------------------- */

/* V (n x m), from V where has_start, of the matrix in ws->system.A, which
 * `away` above all its eigenvalues lifts along the constant vector */
static rs_status smallest_vectors(double away, int has_start, double *V,
                                  rs_leading_ws *ws)
{
    const size_t n = (size_t)ws->order;
    for (size_t i = 0; i < n * n; i++)
        ws->system.A[i] += away / (double)n;
    return rs_smallest_of(has_start, V, ws);
}

/* no eigenvalue of a positive semidefinite matrix is larger */
static double trace_of(int n, const double *A)
{
    double trace = 0.0;
    for (int i = 0; i < n; i++)
        trace += A[i + (size_t)n * i];
    return trace;
}

rs_status rs_jelsr_reach(rs_context *ctx, rs_data *X, const double *L, int m,
                         double *alpha)
{
    const int n = X->n;
    rs_leading_ws ws;
    double *Y = rs_alloc_double(ctx, (size_t)n * m);
    double *square = rs_alloc_double(ctx, (size_t)X->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_smallest_init(ctx, n, m, &ws));
    rs_copy((size_t)n * n, L, ws.system.A);
    const double trace = trace_of(n, L);
    for (int i = 0; i < n; i++)
        ws.system.A[i + (size_t)n * i] += RS_JELSR_SHIFT * trace / n;
    RS_TRY(smallest_vectors(trace, 0, Y, &ws));
    RS_TRY(rs_data_product_squares(X, m, Y, square));
    *alpha = 0.0;
    for (int j = 0; j < X->d; j++)
        *alpha = fmax(*alpha, 2.0 * sqrt(square[j]));
    return RS_OK;
}

/* ---- the iteration ----------------------------------------------------------- */

typedef struct {
    const rs_jelsr_problem *p;
    int n, d, m;
    double *u, *row;   /* d */
    double *weight;    /* n: alpha */
    rs_ridge smoother; /* K + alpha I */
    double *P;         /* n x n: its inverse */
    double *Y, *W, *Z; /* n x m, d x m, n x m */
    rs_leading_ws smallest;
    double trace; /* of L */
} jelsr_state;

static rs_status jelsr_init(rs_context *ctx, const rs_jelsr_problem *p,
                            rs_jelsr_fit *fit, jelsr_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, m = (size_t)p->m;
    *s = (jelsr_state){.p = p, .n = p->X->n, .d = p->X->d, .m = p->m};
    RS_ALLOC_DOUBLES(ctx, d, &s->u, &s->row);
    s->weight = rs_alloc_double(ctx, n);
    s->P = rs_alloc_double(ctx, n * n);
    RS_ALLOC_DOUBLES(ctx, n * m, &s->Y, &s->Z);
    s->W = rs_alloc_double(ctx, d * m);
    RS_TRY(rs_allocated(ctx));
    rs_fill(d, p->u, s->u);
    rs_fill(n, p->alpha, s->weight);
    s->trace = trace_of(s->n, p->L);
    RS_TRY(rs_ridge_init(ctx, s->n, &s->smoother));
    RS_TRY(rs_smallest_init(ctx, s->n, s->m, &s->smallest));
    return rs_history_init(ctx, p->maxit + 1, &fit->history);
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
    rs_axpy(n * n, s->p->alpha * s->p->beta, s->P, M);
    rs_symmetrise(s->n, M);
    return smallest_vectors(s->trace + s->n * s->p->beta, has_start, s->Y,
                            &s->smallest);
}

/* W = U X'P Y, and u of it */
static rs_status regress(jelsr_state *s)
{
    rs_matmul(s->n, s->n, s->m, s->P, s->Y, s->Z);
    RS_TRY(rs_data_crossprod(s->p->X, s->m, s->Z, s->W));
    rs_scale_rows(s->d, s->m, s->u, s->W);
    rs_row_norms(s->d, s->m, s->W, s->row);
    for (int j = 0; j < s->d; j++)
        s->u[j] = 2.0 * s->row[j];
    return RS_OK;
}

/* the three terms of f, and f; s->Z = Y - X W */
static rs_status objective(jelsr_state *s, double terms[3], double *f)
{
    const size_t cells = (size_t)s->n * s->m;
    rs_matmul(s->n, s->n, s->m, s->p->L, s->Y, s->Z);
    terms[0] = rs_dot(cells, s->Y, s->Z);
    RS_TRY(rs_data_times(s->p->X, s->m, s->W, s->Z));
    for (size_t i = 0; i < cells; i++)
        s->Z[i] = s->Y[i] - s->Z[i];
    terms[1] = rs_sum_squares(cells, s->Z);
    terms[2] = 0.0;
    for (int j = 0; j < s->d; j++)
        terms[2] += s->row[j];
    *f = terms[0] + s->p->beta * (terms[1] + s->p->alpha * terms[2]);
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/* what was found becomes the fit */
static void keep(const jelsr_state *s, const double terms[3], double f,
                 rs_jelsr_fit *fit)
{
    rs_copy((size_t)s->n * s->m, s->Y, fit->Y);
    rs_copy((size_t)s->d * s->m, s->W, fit->W);
    for (int i = 0; i < 3; i++)
        fit->terms[i] = terms[i];
    rs_history_add(&fit->history, f);
}

/* W = 0, where f is lower there: the steps only come close to it */
static void empty(const jelsr_state *s, rs_jelsr_fit *fit)
{
    const double f = fit->terms[0] + s->p->beta * s->m;
    double *last = fit->history.objective + fit->history.count - 1;
    if (f > *last)
        return;
    *last = f;
    fit->terms[1] = s->m;
    fit->terms[2] = 0.0;
    rs_fill((size_t)s->d * s->m, 0.0, fit->W);
}

/* pull_j = ||x_j'(Y - X W)|| */
static rs_status find_pull(jelsr_state *s, rs_jelsr_fit *fit)
{
    RS_TRY(rs_data_times(s->p->X, s->m, fit->W, s->Z));
    for (size_t i = 0; i < (size_t)s->n * s->m; i++)
        s->Z[i] = fit->Y[i] - s->Z[i];
    return rs_data_product_norms(s->p->X, s->m, s->Z, fit->pull);
}

rs_status rs_jelsr(rs_context *ctx, const rs_jelsr_problem *problem,
                   rs_jelsr_fit *fit)
{
    jelsr_state s;
    double f, best = INFINITY, terms[3];
    rs_status status = RS_MAXIT;
    RS_TRY(jelsr_init(ctx, problem, fit, &s));
    for (int it = 0; it <= problem->maxit && status == RS_MAXIT; it++) {
        RS_TRY(invert_smoother(&s));
        RS_TRY(embed(it > 0, &s));
        RS_TRY(regress(&s));
        RS_TRY(objective(&s, terms, &f));
        if (it == 0) {
            fit->level = 0.0;
            for (int j = 0; j < s.d; j++)
                fit->level = fmax(fit->level, s.row[j]);
        }
        /* rounding alone can raise f: the end */
        if (f > best) {
            status = RS_OK;
        } else {
            keep(&s, terms, f, fit);
            best = f;
            if (rs_history_change(&fit->history, 0.0) < problem->tol)
                status = RS_OK;
        }
    }
    empty(&s, fit);
    RS_TRY(find_pull(&s, fit));
    return status;
}
