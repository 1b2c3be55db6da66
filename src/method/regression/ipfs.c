#include "method/regression/regression.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/ridge.h"

typedef struct {
    const rs_l20_problem *p;
    double ridge, rho;
    double *A;                /* d x d = X'X */
    double *XY;               /* d x c = X'Y */
    double *B;                /* d x c */
    double *v;                /* d */
    double *box, *sphere;     /* d: copies v1, v2 */
    double y_sum;             /* multiplier of sum v = k */
    double *y_box, *y_sphere; /* d */
    double *residual;         /* n x c: Y - X diag(v) B */
    double *scaled;           /* d x c: diag(v) B */
    double *same;             /* d: the penalty, or squares of v */
    rs_row_regression regression;
    rs_ridge system;
} ipfs_state;

/*
 * B = (D X'X D + ridge I)^{-1} D X'Y,  D = diag(v): a ridge problem in D B with
 * the weights ridge / v_j^2
 */
static rs_status update_B(ipfs_state *s)
{
    const size_t d = (size_t)s->p->d;
    for (size_t j = 0; j < d; j++)
        s->same[j] = s->v[j] * s->v[j];
    RS_TRY(rs_row_regression_factor(s->ridge, s->same, NULL, &s->regression));
    RS_TRY(rs_row_regression_solve(s->p->Y, s->scaled, NULL, &s->regression));
    for (int l = 0; l < s->p->c; l++)
        for (size_t j = 0; j < d; j++)
            s->B[j + d * l] =
                s->same[j] > 0.0 ? s->scaled[j + d * l] / s->v[j] : 0.0;
    return RS_OK;
}

/* upper triangle of 2 X'X o BB' + rho 11', by blocks of columns */
static rs_status form_system(ipfs_state *s)
{
    const int d = s->p->d, c = s->p->c;
    double *system = s->system.A;
    for (int q = 0; q < d; q += RS_PANEL) {
        int end = rs_min_int(q + RS_PANEL, d);
        rs_gemm('N', 'T', end, end - q, c, 1.0, s->B, d, s->B + q, d, 0.0,
                system + (size_t)d * q, d);
        for (int j = q; j < end; j++)
            for (int i = 0; i <= j; i++) {
                size_t at = i + (size_t)d * j;
                system[at] = 2.0 * s->A[at] * system[at] + s->rho;
            }
        RS_TRY(rs_poll(s->system.ctx));
    }
    return RS_OK;
}

/*
 * (2 X'X o BB' + rho 11' + 2 rho I) v =
 *     2 diag(X'Y B') + rho (k - y_sum/rho + v1 - y1/rho + v2 - y2/rho)
 */
static rs_status update_v(ipfs_state *s)
{
    const int d = s->p->d, c = s->p->c;
    const double rho = s->rho;
    RS_TRY(form_system(s));
    for (int j = 0; j < d; j++) {
        double sum = 0.0;
        for (int l = 0; l < c; l++)
            sum += s->XY[j + (size_t)d * l] * s->B[j + (size_t)d * l];
        s->v[j] = 2.0 * sum + rho * (s->p->k + s->box[j] + s->sphere[j]) -
                  s->y_sum - s->y_box[j] - s->y_sphere[j];
    }
    rs_fill((size_t)d, 2.0 * rho, s->same);
    RS_TRY(rs_ridge_factor(d, s->same, &s->system));
    return rs_ridge_solve(1, s->v, &s->system);
}

/*
 * v1 = clip(v + y1/rho);  v2 = 1/2 + (sqrt(d)/2) z/||z||,
 * z = v + y2/rho - 1/2
 */
static void update_copies(ipfs_state *s)
{
    const int d = s->p->d;
    double square = 0.0;
    for (int j = 0; j < d; j++) {
        s->box[j] = fmin(1.0, fmax(0.0, s->v[j] + s->y_box[j] / s->rho));
        s->sphere[j] = s->v[j] + s->y_sphere[j] / s->rho - 0.5;
        square += s->sphere[j] * s->sphere[j];
    }
    double norm = sqrt(square), radius = 0.5 * sqrt((double)d);
    for (int j = 0; j < d; j++) /* the centre itself has no direction */
        s->sphere[j] = 0.5 + (norm > 0.0 ? radius * s->sphere[j] / norm : 0.5);
}

/* y += rho (constraint); the largest violation */
static double update_multipliers(ipfs_state *s)
{
    const int d = s->p->d;
    double sum = 0.0, largest = 0.0;
    for (int j = 0; j < d; j++) {
        double box = s->v[j] - s->box[j], sphere = s->v[j] - s->sphere[j];
        sum += s->v[j];
        s->y_box[j] += s->rho * box;
        s->y_sphere[j] += s->rho * sphere;
        largest = fmax(largest, fmax(fabs(box), fabs(sphere)));
    }
    s->y_sum += s->rho * (sum - s->p->k);
    return fmax(largest, fabs(sum - s->p->k));
}

/* ||X diag(v) B - Y||^2 + ridge ||B||^2 */
static rs_status objective(ipfs_state *s, double *value)
{
    const rs_l20_problem *p = s->p;
    const size_t size = (size_t)p->d * p->c;
    rs_copy(size, s->B, s->scaled);
    rs_scale_rows(p->d, p->c, s->v, s->scaled);
    RS_TRY(rs_data_residual(p->X, p->c, p->Y, s->scaled, s->residual));
    *value = rs_sum_squares((size_t)p->n * p->c, s->residual) +
             s->ridge * rs_sum_squares(size, s->B);
    return isfinite(*value) ? RS_OK : RS_NOT_FINITE;
}

static rs_status ipfs_init(rs_context *ctx, const rs_l20_problem *p,
                           double ridge, double *v, ipfs_state *s)
{
    const size_t d = (size_t)p->d, n = (size_t)p->n, c = (size_t)p->c;
    *s = (ipfs_state){.p = p, .ridge = ridge, .rho = 1.0, .v = v};
    s->A = rs_alloc_double(ctx, d * d);
    RS_ALLOC_DOUBLES(ctx, d * c, &s->XY, &s->B, &s->scaled);
    s->residual = rs_alloc_double(ctx, n * c);
    RS_ALLOC_DOUBLES(ctx, d, &s->box, &s->sphere, &s->y_box, &s->y_sphere,
                     &s->same);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_ridge_init(ctx, p->d, &s->system));
    RS_TRY(rs_row_regression_init(ctx, p->X, p->c, &s->regression));
    rs_fill(d, 1.0, v);
    rs_fill(d, 0.0, s->box);
    rs_fill(d, 0.0, s->sphere);
    rs_fill(d, 0.0, s->y_box);
    rs_fill(d, 0.0, s->y_sphere);
    RS_TRY(rs_data_gram_weighted(p->X, NULL, s->A));
    return rs_data_crossprod(p->X, p->c, p->Y, s->XY);
}

rs_status rs_ipfs(rs_context *ctx, const rs_l20_problem *p, double ridge,
                  double rho, double *v, rs_history *history)
{
    ipfs_state s;
    double value;
    RS_TRY(ipfs_init(ctx, p, ridge, v, &s));
    RS_TRY(rs_history_init(ctx, p->maxit, history));
    for (int i = 0; i < p->maxit; i++) {
        RS_TRY(update_B(&s));
        RS_TRY(update_v(&s));
        update_copies(&s);
        const double violation = update_multipliers(&s);
        RS_TRY(objective(&s, &value));
        rs_history_add(history, value);
        if (violation <= p->tol)
            return RS_OK;
        s.rho *= rho;
        RS_TRY(rs_poll(ctx));
    }
    return RS_MAXIT;
}
