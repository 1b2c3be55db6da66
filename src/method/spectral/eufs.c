#include "method/spectral/spectral.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/prox.h"
#include "solve/stiefel.h"

typedef struct {
    const rs_eufs_problem *p;
    rs_eufs_fit *fit;
    rs_context *ctx;
    int n, d, c;
    size_t cells; /* n c */
    double mu;
    double *X, *E, *Y3;    /* n x d */
    double *B;             /* n x d: X - U V' + Y3/mu, then X - E + Y3/mu */
    double *U, *Z, *Y1;    /* n x c */
    double *LU;            /* n x c: L U, L Z */
    double *N;             /* n x c */
    double *V, *J, *Y2;    /* d x c */
    double *row;           /* n: norms of the samples */
    double *norm, *shrunk; /* d */
    double *hard; /* n: the largest entry of each row, column norm 1 */
    int *label;   /* n: its column */
    double *sum;  /* c */
    double best;
    rs_stiefel_ws stiefel;
} eufs_state;

/* ---- steps of the ADMM --------------------------------------------------------- */

/* E = the rows of X - U V' + Y3/mu shrunk by 1/mu, and B = X - E + Y3/mu */
static rs_status update_E(eufs_state *s)
{
    const size_t size = (size_t)s->n * s->d;
    for (size_t i = 0; i < size; i++)
        s->E[i] = s->B[i] = s->X[i] + s->Y3[i] / s->mu;
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'T', s->n, s->d, s->c, -1.0, s->U, s->n,
                          s->V, s->d, 1.0, s->E, s->n));
    rs_row_norms(s->n, s->d, s->E, s->row);
    for (int i = 0; i < s->n; i++)
        s->row[i] =
            s->row[i] * s->mu > 1.0 ? 1.0 - 1.0 / (s->row[i] * s->mu) : 0.0;
    for (int j = 0; j < s->d; j++)
        for (int i = 0; i < s->n; i++) {
            const size_t at = i + (size_t)s->n * j;
            s->E[at] *= s->row[i];
            s->B[at] -= s->E[at];
        }
    return rs_poll(s->ctx);
}

/* V = ((X - E + Y3/mu)'U + J + Y2/mu) / 2 */
static rs_status update_V(eufs_state *s)
{
    const size_t size = (size_t)s->d * s->c;
    rs_copy(size, s->J, s->V);
    rs_axpy(size, 1.0 / s->mu, s->Y2, s->V);
    return rs_gemm_polled(s->ctx, 'T', 'N', s->d, s->c, s->n, 0.5, s->B, s->n,
                          s->U, s->n, 0.5, s->V, s->d);
}

/* J = the rows of V - Y2/mu shrunk by alpha/mu */
static void update_J(eufs_state *s)
{
    const size_t size = (size_t)s->d * s->c;
    rs_copy(size, s->V, s->J);
    rs_axpy(size, -1.0 / s->mu, s->Y2, s->J);
    rs_prox_rows(NULL, s->d, s->c, s->J, s->p->alpha / s->mu, 1.0, s->norm,
                 s->shrunk);
}

/* Z = (U - Y1/mu - (beta/mu) L U)_+ */
static rs_status update_Z(eufs_state *s)
{
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, s->U, s->LU));
    for (size_t i = 0; i < s->cells; i++)
        s->Z[i] =
            fmax(0.0, s->U[i] - (s->Y1[i] + s->p->beta * s->LU[i]) / s->mu);
    return RS_OK;
}

/* U = polar(Z + Y1/mu - (beta/mu) L Z + (X - E + Y3/mu) V) */
static rs_status update_U(eufs_state *s)
{
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, s->Z, s->LU));
    for (size_t i = 0; i < s->cells; i++)
        s->N[i] = s->Z[i] + (s->Y1[i] - s->p->beta * s->LU[i]) / s->mu;
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', s->n, s->c, s->d, 1.0, s->B, s->n,
                          s->V, s->d, 1.0, s->N, s->n));
    if (!(rs_sum_squares(s->cells, s->N) > 0.0))
        return RS_OK;
    rs_copy(s->cells, s->N, s->U);
    return rs_stiefel_polar(s->U, &s->stiefel);
}

/* Y1 += mu (Z - U), Y2 += mu (J - V), Y3 += mu (X - U V' - E), mu grows; B
 * receives X - U V' - E, and the residuals are kept */
static rs_status update_multipliers(eufs_state *s)
{
    const size_t size = (size_t)s->n * s->d, loadings = (size_t)s->d * s->c;
    double *residual = s->fit->residual;
    for (size_t i = 0; i < size; i++)
        s->B[i] = s->X[i] - s->E[i];
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'T', s->n, s->d, s->c, -1.0, s->U, s->n,
                          s->V, s->d, 1.0, s->B, s->n));
    residual[0] = rs_distance(s->cells, s->Z, s->U) / sqrt((double)s->c);
    residual[1] = rs_distance(loadings, s->J, s->V) /
                  fmax(rs_norm(loadings, s->V), sqrt((double)s->n));
    residual[2] = rs_norm(size, s->B) / sqrt((double)s->n);
    rs_axpy(size, s->mu, s->B, s->Y3);
    for (size_t i = 0; i < s->cells; i++)
        s->Y1[i] += s->mu * (s->Z[i] - s->U[i]);
    for (size_t i = 0; i < loadings; i++)
        s->Y2[i] += s->mu * (s->J[i] - s->V[i]);
    s->mu = fmin(s->mu * s->p->rho, s->p->largest_mu);
    return RS_OK;
}

/* ---- the guard ----------------------------------------------------------------- */

/* of Z the largest entry of every row, in columns of norm 1; a sample without
 * one has none */
static void round_Z(eufs_state *s)
{
    rs_fill((size_t)s->c, 0.0, s->sum);
    for (int i = 0; i < s->n; i++) {
        s->label[i] = 0;
        for (int l = 1; l < s->c; l++)
            if (s->Z[i + (size_t)s->n * l] >
                s->Z[i + (size_t)s->n * s->label[i]])
                s->label[i] = l;
        s->hard[i] = s->Z[i + (size_t)s->n * s->label[i]];
        s->sum[s->label[i]] += s->hard[i] * s->hard[i];
    }
    for (int i = 0; i < s->n; i++)
        if (s->sum[s->label[i]] > 0.0)
            s->hard[i] /= sqrt(s->sum[s->label[i]]);
}

/* is there a sample in every column? */
static int is_feasible(const eufs_state *s)
{
    for (int l = 0; l < s->c; l++)
        if (!(s->sum[l] > 0.0))
            return 0;
    return 1;
}

static void fill_hard(const eufs_state *s, double *U)
{
    rs_fill(s->cells, 0.0, U);
    for (int i = 0; i < s->n; i++)
        U[i + (size_t)s->n * s->label[i]] = s->hard[i];
}

/* f of the rounded Z and V; N receives the former, row the norms of the
 * residuals */
static rs_status objective(eufs_state *s, const double *V, double *f)
{
    rs_fill((size_t)s->n, 0.0, s->row);
    for (int j = 0; j < s->d; j++) {
        const double *x = s->X + (size_t)s->n * j;
        for (int i = 0; i < s->n; i++) {
            const double rest =
                x[i] - s->hard[i] * V[j + (size_t)s->d * s->label[i]];
            s->row[i] += rest * rest;
        }
    }
    *f = 0.0;
    for (int i = 0; i < s->n; i++)
        *f += s->row[i] = sqrt(s->row[i]);
    fill_hard(s, s->N);
    RS_TRY(rs_laplacian_apply(s->p->L, s->c, s->N, s->LU));
    *f += s->p->alpha * rs_penalty_rows(NULL, s->d, s->c, V, 1.0, s->norm) +
          s->p->beta * rs_dot(s->cells, s->N, s->LU);
    return rs_poll(s->ctx);
}

/* pull_j = ||x_j' diag(1 / residual) U|| for the best point */
static void keep_pull(eufs_state *s)
{
    for (int i = 0; i < s->n; i++)
        s->row[i] = s->row[i] > 0.0 ? s->hard[i] / s->row[i] : 0.0;
    for (int j = 0; j < s->d; j++) {
        const double *x = s->X + (size_t)s->n * j;
        rs_fill((size_t)s->c, 0.0, s->sum);
        for (int i = 0; i < s->n; i++)
            s->sum[s->label[i]] += s->row[i] * x[i];
        s->fit->pull[j] = rs_norm((size_t)s->c, s->sum);
    }
}

static rs_status guard(eufs_state *s, const double *V, int iteration)
{
    double f;
    round_Z(s);
    if (is_feasible(s)) {
        RS_TRY(objective(s, V, &f));
        if (!isfinite(f))
            return RS_NOT_FINITE;
        if (f < s->best) {
            s->best = f;
            s->fit->best = iteration;
            rs_copy(s->cells, s->N, s->fit->U);
            rs_copy((size_t)s->d * s->c, V, s->fit->V);
            keep_pull(s);
        }
    }
    rs_history_add(&s->fit->history, s->best);
    return RS_OK;
}

/* ---- start ---------------------------------------------------------------------- */

static rs_status init_state(rs_context *ctx, const rs_eufs_problem *p,
                            rs_eufs_fit *fit, eufs_state *s)
{
    *s = (eufs_state){
        .p = p, .fit = fit, .ctx = ctx, .n = p->X->n, .d = p->X->d, .c = p->c};
    s->cells = (size_t)s->n * s->c;
    RS_ALLOC_DOUBLES(ctx, (size_t)s->n * s->d, &s->X, &s->E, &s->Y3, &s->B);
    RS_ALLOC_DOUBLES(ctx, s->cells, &s->U, &s->Z, &s->Y1, &s->LU, &s->N);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d * s->c, &s->V, &s->J, &s->Y2);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->n, &s->row, &s->hard);
    RS_ALLOC_DOUBLES(ctx, (size_t)s->d, &s->norm, &s->shrunk);
    s->label = rs_alloc_int(ctx, (size_t)s->n);
    s->sum = rs_alloc_double(ctx, (size_t)s->c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, p->maxit + 1, &fit->history));
    return rs_stiefel_init(ctx, s->n, s->c, &s->stiefel);
}

/* U = Z as given, V = J = X'U, no multipliers */
static rs_status begin(rs_context *ctx, const rs_eufs_problem *p,
                       rs_eufs_fit *fit, eufs_state *s)
{
    RS_TRY(init_state(ctx, p, fit, s));
    const size_t loadings = (size_t)s->d * s->c;
    for (int j = 0; j < s->d; j += RS_PANEL)
        RS_TRY(rs_data_column_range(s->p->X, j, rs_min_int(RS_PANEL, s->d - j),
                                    s->X + (size_t)s->n * j));
    rs_scale((size_t)s->n * s->d, 1.0 / s->p->size, s->X);
    rs_copy(s->cells, s->fit->U, s->U);
    rs_copy(s->cells, s->fit->U, s->Z);
    RS_TRY(rs_gemm_polled(s->ctx, 'T', 'N', s->d, s->c, s->n, 1.0, s->X, s->n,
                          s->U, s->n, 0.0, s->V, s->d));
    rs_copy(loadings, s->V, s->J);
    rs_fill(s->cells, 0.0, s->Y1);
    rs_fill(loadings, 0.0, s->Y2);
    rs_fill((size_t)s->n * s->d, 0.0, s->Y3);
    s->mu = s->p->mu;
    s->best = INFINITY;
    RS_TRY(guard(s, s->V, 0));
    rs_row_norms(s->d, s->c, s->V, s->norm);
    s->fit->level = rs_largest(s->d, s->norm);
    return RS_OK;
}

static int has_converged(const eufs_state *s)
{
    const double *residual = s->fit->residual;
    return residual[0] <= s->p->tol && residual[1] <= s->p->tol &&
           residual[2] <= s->p->tol;
}

rs_status rs_eufs(rs_context *ctx, const rs_eufs_problem *p, rs_eufs_fit *fit)
{
    eufs_state s;
    rs_status status = RS_MAXIT;
    RS_TRY(begin(ctx, p, fit, &s));
    for (int k = 0; k < p->maxit && status == RS_MAXIT; k++) {
        RS_TRY(update_E(&s));
        RS_TRY(update_V(&s));
        update_J(&s);
        RS_TRY(update_Z(&s));
        RS_TRY(update_U(&s));
        RS_TRY(update_multipliers(&s));
        RS_TRY(guard(&s, s.J, k + 1));
        if (has_converged(&s))
            status = RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return status;
}
