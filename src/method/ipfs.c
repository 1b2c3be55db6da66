/* IPFS: top-k selection as a 0-1 programme (Zhang et al. 2021). */
#include <math.h>

#include "la/linalg.h"
#include "method/l20.h"

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
    double *system;           /* d x d */
    double *small;            /* n x n, when n < d */
    double *image;            /* n x c */
    double *scaled;           /* d x c */
    rs_context *ctx;
} ipfs_state;

/* columns of a block of the factorisation */
#define RS_BLOCK 128

/* A = R'R (upper triangle), block row after block row, with polls */
static rs_status cholesky_polled(rs_context *ctx, int d, double *A)
{
    for (int j = 0; j < d; j += RS_BLOCK) {
        int width = d - j < RS_BLOCK ? d - j : RS_BLOCK;
        double *corner = A + j + (size_t)d * j;
        RS_TRY(rs_cholesky(width, corner, d));
        for (int q = j + width; q < d; q += RS_BLOCK) {
            int cols = d - q < RS_BLOCK ? d - q : RS_BLOCK;
            rs_triangular_solve('L', 'T', width, cols, corner, d,
                                A + j + (size_t)d * q, d);
        }
        for (int q = j + width; q < d; q += RS_BLOCK) {
            int cols = d - q < RS_BLOCK ? d - q : RS_BLOCK;
            int first = j + width;
            rs_gemm('T', 'N', q + cols - first, cols, width, -1.0,
                    A + j + (size_t)d * first, d, A + j + (size_t)d * q, d,
                    1.0, A + first + (size_t)d * q, d);
            RS_TRY(rs_poll(ctx));
        }
    }
    return RS_OK;
}

/* n < d: B = D X'(X D^2 X' + ridge I)^{-1} Y */
static rs_status update_B_dual(ipfs_state *s)
{
    const rs_l20_problem *p = s->p;
    const int n = p->n, d = p->d, c = p->c;
    for (int j = 0; j < d; j++)
        s->scaled[j] = s->v[j] * s->v[j];
    RS_TRY(rs_data_gram_samples(p->X, s->scaled, s->small));
    for (int i = 0; i < n; i++)
        s->small[i + (size_t)n * i] += s->ridge;
    RS_TRY(rs_cholesky(n, s->small, n));
    rs_copy((size_t)n * c, p->Y, s->image);
    RS_TRY(rs_cholesky_solve(n, c, s->small, n, s->image, n));
    RS_TRY(rs_data_crossprod(p->X, c, s->image, s->B));
    for (int l = 0; l < c; l++)
        for (int j = 0; j < d; j++)
            s->B[j + (size_t)d * l] *= s->v[j];
    return RS_OK;
}

/* B = (D X'X D + ridge I)^{-1} D X'Y,  D = diag(v) */
static rs_status update_B(ipfs_state *s)
{
    const int d = s->p->d, c = s->p->c;
    if (s->small)
        return update_B_dual(s);
    for (int j = 0; j < d; j++)
        for (int i = 0; i <= j; i++)
            s->system[i + (size_t)d * j] =
                s->v[i] * s->A[i + (size_t)d * j] * s->v[j] +
                (i == j ? s->ridge : 0.0);
    RS_TRY(cholesky_polled(s->ctx, d, s->system));
    for (int l = 0; l < c; l++)
        for (int j = 0; j < d; j++)
            s->B[j + (size_t)d * l] = s->v[j] * s->XY[j + (size_t)d * l];
    return rs_cholesky_solve(d, c, s->system, d, s->B, d);
}

/*
 * (2 X'X o BB' + rho 11' + 2 rho I) v =
 *     2 diag(X'Y B') + rho (k - y_sum/rho + v1 - y1/rho + v2 - y2/rho)
 */
static rs_status update_v(ipfs_state *s)
{
    const int d = s->p->d, c = s->p->c;
    const double rho = s->rho;
    rs_fill((size_t)d * d, 0.0, s->system);
    rs_syrk_add(d, c, s->B, d, s->system);
    for (int j = 0; j < d; j++)
        for (int i = 0; i <= j; i++) {
            size_t at = i + (size_t)d * j;
            s->system[at] = 2.0 * s->A[at] * s->system[at] + rho +
                            (i == j ? 2.0 * rho : 0.0);
        }
    for (int j = 0; j < d; j++) {
        double sum = 0.0;
        for (int l = 0; l < c; l++)
            sum += s->XY[j + (size_t)d * l] * s->B[j + (size_t)d * l];
        s->v[j] = 2.0 * sum + rho * (s->p->k + s->box[j] + s->sphere[j]) -
                  s->y_sum - s->y_box[j] - s->y_sphere[j];
    }
    RS_TRY(cholesky_polled(s->ctx, d, s->system));
    return rs_cholesky_solve(d, 1, s->system, d, s->v, d);
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
    const size_t size = (size_t)p->d * p->c, cells = (size_t)p->n * p->c;
    for (int l = 0; l < p->c; l++)
        for (int j = 0; j < p->d; j++)
            s->scaled[j + (size_t)p->d * l] =
                s->v[j] * s->B[j + (size_t)p->d * l];
    RS_TRY(rs_data_times(p->X, p->c, s->scaled, s->image));
    rs_axpy(cells, -1.0, p->Y, s->image);
    *value = rs_sum_squares(cells, s->image) +
             s->ridge * rs_sum_squares(size, s->B);
    return isfinite(*value) ? RS_OK : RS_NOT_FINITE;
}

static rs_status ipfs_init(rs_context *ctx, const rs_l20_problem *p,
                           double ridge, double *v, ipfs_state *s)
{
    const size_t d = (size_t)p->d, n = (size_t)p->n, c = (size_t)p->c;
    s->p = p;
    s->ctx = ctx;
    s->ridge = ridge;
    s->rho = 1.0;
    s->v = v;
    s->y_sum = 0.0;
    s->A = rs_alloc_double(ctx, d * d);
    s->system = rs_alloc_double(ctx, d * d);
    s->XY = rs_alloc_double(ctx, d * c);
    s->B = rs_alloc_double(ctx, d * c);
    s->scaled = rs_alloc_double(ctx, d * c);
    s->image = rs_alloc_double(ctx, n * c);
    s->box = rs_alloc_double(ctx, d);
    s->sphere = rs_alloc_double(ctx, d);
    s->y_box = rs_alloc_double(ctx, d);
    s->y_sphere = rs_alloc_double(ctx, d);
    s->small = p->n < p->d ? rs_alloc_double(ctx, n * n) : NULL;
    if (!s->A || !s->system || !s->XY || !s->B || !s->scaled || !s->image ||
        !s->box || !s->sphere || !s->y_box || !s->y_sphere ||
        (p->n < p->d && !s->small))
        return RS_NO_MEMORY;
    rs_fill(d, 1.0, v);
    rs_fill(d, 0.0, s->box);
    rs_fill(d, 0.0, s->sphere);
    rs_fill(d, 0.0, s->y_box);
    rs_fill(d, 0.0, s->y_sphere);
    RS_TRY(rs_data_gram_features(p->X, s->A));
    return rs_data_crossprod(p->X, p->c, p->Y, s->XY);
}

rs_status rs_ipfs(rs_context *ctx, const rs_l20_problem *p, double ridge,
                  double rho, double tol, int maxit, double *v,
                  rs_history *history)
{
    ipfs_state s;
    double value;
    RS_TRY(ipfs_init(ctx, p, ridge, v, &s));
    RS_TRY(rs_history_init(ctx, maxit, history));
    for (int i = 0; i < maxit; i++) {
        RS_TRY(update_B(&s));
        RS_TRY(update_v(&s));
        update_copies(&s);
        double violation = update_multipliers(&s);
        RS_TRY(objective(&s, &value));
        rs_history_add(history, value);
        if (violation <= tol)
            return RS_OK;
        s.rho *= rho;
        RS_TRY(rs_poll(ctx));
    }
    return RS_MAXIT;
}
