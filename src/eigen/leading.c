#include "eigen/leading.h"

#include <math.h>

#include "la/linalg.h"

const rs_ritz_control rs_leading_accurate = {.tol = 1e-10, .maxit = 300};

/* of inverse iterations, which are part of another one */
static const rs_ritz_control inner = {.tol = 1e-10, .maxit = 100};

/* LAPACK beats an iteration also if the order is at most so many times the
 * number of pairs */
#define RS_DENSE_EIGEN_PAIRS 3
/* matrices of so many numbers stay in a cache (12 MB), also a shared one */
#define RS_LEADING_CACHED 1.5e6
/* columns of wide products, where twice as many take little longer */
#define RS_LEADING_WIDE 32

int rs_leading_is_dense(int order, int m)
{
    return order <= RS_DENSE_EIGEN_ORDER || order / RS_DENSE_EIGEN_PAIRS <= m;
}

typedef struct {
    rs_context *ctx;
    int order;
    const double *A;
} explicit_operator;

static rs_status apply_explicit(void *state, int m, const double *V,
                                double *AV)
{
    const explicit_operator *op = (const explicit_operator *)state;
    return rs_times_polled(op->ctx, op->order, op->order, m, 1.0, op->A, V,
                           AV);
}

int rs_leading_block(const rs_leading_operator *A, int m)
{
    const int block = rs_ritz_block(A->order, m);
    if (A->numbers <= RS_LEADING_CACHED)
        return 1;
    return A->wide ? rs_min_int(A->order, rs_max_int(RS_LEADING_WIDE, block))
                   : block;
}

static rs_status init(rs_context *ctx, int order, int m, int is_dense,
                      int block, rs_leading_ws *ws)
{
    *ws = (rs_leading_ws){
        .ctx = ctx, .order = order, .m = m, .is_dense = is_dense};
    RS_TRY_ALLOC(ws->values = rs_alloc_double(ctx, (size_t)order));
    return is_dense ? rs_eigen_init(ctx, order, &ws->dense)
                    : rs_ritz_init(ctx, order, m, block,
                                   rs_ritz_capacity(order, m, block),
                                   &ws->iterative);
}

/* from V, where has_start */
static rs_status solve(const rs_leading_operator *A,
                       const rs_ritz_control *control, int has_start,
                       double *values, double *V, rs_leading_ws *ws)
{
    explicit_operator matrix = {ws->ctx, A->order, A->A};
    const rs_operator by_matrix = {apply_explicit, &matrix};
    if (!ws->is_dense)
        return rs_ritz_largest(A->A ? &by_matrix : &A->product, control,
                               has_start ? ws->m : 0, V, values, V,
                               &ws->iterative);
    RS_TRY(
        rs_eigen_largest(ws->order, A->A, ws->m, ws->values, V, &ws->dense));
    rs_copy((size_t)ws->m, ws->values, values);
    return RS_OK;
}

rs_leading_operator rs_leading_explicit(int order, const double *A)
{
    return (rs_leading_operator){
        .order = order, .A = A, .numbers = (double)order * order};
}

rs_status rs_leading_find(rs_context *ctx, const rs_leading_operator *A, int m,
                          const rs_ritz_control *control, double *values,
                          double *V, double *residual)
{
    rs_leading_ws ws;
    const int is_dense = A->A && rs_leading_is_dense(A->order, m);
    RS_TRY(init(ctx, A->order, m, is_dense, rs_leading_block(A, m), &ws));
    rs_status status = solve(A, control, 0, values, V, &ws);
    *residual = ws.iterative.residual;
    return status;
}

/* ---- again and again ------------------------------------------------------ */

rs_status rs_leading_init(rs_context *ctx, int order, int m, rs_leading_ws *ws)
{
    const rs_leading_operator A = rs_leading_explicit(order, NULL);
    return init(ctx, order, m, rs_leading_is_dense(order, m),
                rs_leading_block(&A, m), ws);
}

rs_status rs_leading_of(const double *A, double *values, double *V,
                        rs_leading_ws *ws)
{
    const rs_leading_operator op = rs_leading_explicit(ws->order, A);
    const rs_status status =
        solve(&op, &rs_leading_accurate, 0, values, V, ws);
    return status == RS_MAXIT ? RS_OK : status;
}

rs_status rs_smallest_init(rs_context *ctx, int order, int m,
                           rs_leading_ws *ws)
{
    RS_TRY(init(ctx, order, m, rs_leading_is_dense(order, m),
                rs_ritz_block(order, m), ws));
    return rs_ridge_init(ctx, order, &ws->system);
}

static rs_status apply_inverse(void *state, int m, const double *V, double *AV)
{
    const rs_leading_ws *ws = (const rs_leading_ws *)state;
    rs_copy((size_t)ws->order * m, V, AV);
    return rs_ridge_solve(m, AV, &ws->system);
}

rs_status rs_smallest_of(int has_start, double *V, rs_leading_ws *ws)
{
    const size_t order = (size_t)ws->order;
    rs_leading_operator op = {.order = ws->order,
                              .product = {apply_inverse, ws}};
    if (ws->is_dense) {
        rs_scale(order * order, -1.0, ws->system.A);
        op.A = ws->system.A;
    } else {
        rs_fill(order, 0.0, ws->values);
        RS_TRY(rs_ridge_factor_grown(ws->order, ws->values, &ws->system));
    }
    const rs_status status = solve(&op, &inner, has_start, ws->values, V, ws);
    return status == RS_MAXIT ? RS_OK : status;
}

/* ---- what components carry ------------------------------------------------ */

/* with the eigenpairs (l, b) of V'SV the sum of ||S V b||^2 / l */
rs_status rs_components_share(rs_covop *op, int m, const double *V,
                              double *share)
{
    const int d = op->d;
    double *SV, *product, *inner, *vectors, *values, carried = 0.0;
    rs_eigen_ws eigen;
    RS_ALLOC_DOUBLES(op->ctx, (size_t)d * m, &SV, &product);
    RS_ALLOC_DOUBLES(op->ctx, (size_t)m * m, &inner, &vectors);
    values = rs_alloc_double(op->ctx, (size_t)m);
    RS_TRY(rs_allocated(op->ctx));
    RS_TRY(rs_eigen_init(op->ctx, m, &eigen));
    RS_TRY(rs_covop_apply(op, m, V, SV));
    rs_crossprod(d, m, m, V, SV, inner);
    rs_symmetrise(m, inner);
    RS_TRY(rs_eigen_largest(m, inner, m, values, vectors, &eigen));
    rs_matmul(d, m, m, SV, vectors, product);
    for (int j = 0; j < m && values[j] > RS_NOTHING * fmax(0.0, values[0]);
         j++)
        carried +=
            rs_sum_squares((size_t)d, product + (size_t)j * d) / values[j];
    *share = op->trace > 0.0 ? fmin(1.0, carried / op->trace) : 0.0;
    return rs_poll(op->ctx);
}
