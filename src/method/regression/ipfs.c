#include "method/regression/l20.h"

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
    double *image;            /* n x c */
    double *scaled;           /* d x c */
    double *same;             /* max(n, d) numbers that are all alike */
    int dual;                 /* B by n x n equations? */
    rs_ridge B_system, v_system;
} ipfs_state;

/* columns of a matrix of the order d that are filled between two polls */
#define RS_IPFS_BLOCK 128

/* n < d: B = D X'(X D^2 X' + ridge I)^{-1} Y */
static rs_status update_B_dual(ipfs_state *s)
{
    const rs_l20_problem *p = s->p;
    const int d = p->d, c = p->c;
    for (int j = 0; j < d; j++)
        s->scaled[j] = s->v[j] * s->v[j];
    RS_TRY(rs_data_gram_samples(p->X, s->scaled, s->B_system.A));
    RS_TRY(rs_ridge_factor(p->n, s->same, &s->B_system));
    rs_copy((size_t)p->n * c, p->Y, s->image);
    RS_TRY(rs_ridge_solve(c, s->image, &s->B_system));
    RS_TRY(rs_data_crossprod(p->X, c, s->image, s->B));
    rs_scale_rows(d, c, s->v, s->B);
    return RS_OK;
}

/*
 * B = (D X'X D + ridge I)^{-1} D X'Y,  D = diag(v): a ridge problem in D B with
 * the weights ridge / v_j^2, written so that v_j may vanish.
 */
static rs_status update_B(ipfs_state *s)
{
    const int d = s->p->d, c = s->p->c;
    rs_fill((size_t)rs_max_int(s->p->n, d), s->ridge, s->same);
    if (s->dual)
        return update_B_dual(s);
    for (int j = 0; j < d; j++) {
        for (int i = 0; i <= j; i++) {
            size_t at = i + (size_t)d * j;
            s->B_system.A[at] = s->v[i] * s->A[at] * s->v[j];
        }
        if (j % RS_IPFS_BLOCK == 0)
            RS_TRY(rs_poll(s->v_system.ctx));
    }
    RS_TRY(rs_ridge_factor(d, s->same, &s->B_system));
    for (int l = 0; l < c; l++)
        for (int j = 0; j < d; j++)
            s->B[j + (size_t)d * l] = s->v[j] * s->XY[j + (size_t)d * l];
    return rs_ridge_solve(c, s->B, &s->B_system);
}

/* upper triangle of 2 X'X o BB' + rho 11', by blocks of columns */
static rs_status form_system(ipfs_state *s)
{
    const int d = s->p->d, c = s->p->c;
    double *system = s->v_system.A;
    for (int q = 0; q < d; q += RS_IPFS_BLOCK) {
        int end = rs_min_int(q + RS_IPFS_BLOCK, d);
        rs_gemm('N', 'T', end, end - q, c, 1.0, s->B, d, s->B + q, d, 0.0,
                system + (size_t)d * q, d);
        for (int j = q; j < end; j++)
            for (int i = 0; i <= j; i++) {
                size_t at = i + (size_t)d * j;
                system[at] = 2.0 * s->A[at] * system[at] + s->rho;
            }
        RS_TRY(rs_poll(s->v_system.ctx));
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
    RS_TRY(rs_ridge_factor(d, s->same, &s->v_system));
    return rs_ridge_solve(1, s->v, &s->v_system);
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
    *s = (ipfs_state){.p = p,
                      .ridge = ridge,
                      .rho = 1.0,
                      .v = v,
                      .dual = rs_ridge_prefers_dual(p->n, p->d)};
    s->A = rs_alloc_double(ctx, d * d);
    RS_ALLOC_DOUBLES(ctx, d * c, &s->XY, &s->B, &s->scaled);
    s->image = rs_alloc_double(ctx, n * c);
    RS_ALLOC_DOUBLES(ctx, d, &s->box, &s->sphere, &s->y_box, &s->y_sphere);
    s->same = rs_alloc_double(ctx, n > d ? n : d);
    RS_TRY(rs_allocated(ctx));
    /* one after the other, the two d x d systems share their room */
    RS_TRY(rs_ridge_init(ctx, p->d, &s->v_system));
    s->B_system = s->v_system;
    if (s->dual)
        RS_TRY(rs_ridge_init(ctx, p->n, &s->B_system));
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
