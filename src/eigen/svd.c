#include "eigen/leading.h"

#include <math.h>

/* products with a block of vectors that an iteration takes if it is slow, and the
 * largest matrix that is formed to make them cheaper */
#define RS_SVD_ROUNDS 20.0
#define RS_SVD_GRAM_ORDER 6000
/* a multiplication in products of dense data with few columns takes so many
 * times as long as one in a Gram matrix */
#define RS_SVD_THIN_COST 3.0
/* residuals if every digit is a pass over the data */
#define RS_SVD_IN_PASSES 1e-8

int rs_svd_block(int order, int m, int wide)
{
    const rs_leading_operator A = {
        .order = order, .wide = wide, .numbers = INFINITY};
    return rs_leading_block(&A, m);
}

/* the Gram matrix of one side of X by products with X */
typedef struct {
    rs_data *X;
    int samples;  /* is this the side? */
    double *room; /* as long as the other one, times the widest block */
} side;

/* AV = Z (Z'V) or Z'(Z V) */
static rs_status apply_side(void *state, int m, const double *V, double *AV)
{
    const side *s = (const side *)state;
    if (!s->samples)
        return rs_data_scatter(s->X, m, 1.0, V, s->room, AV);
    RS_TRY(rs_data_crossprod(s->X, m, V, s->room));
    return rs_data_times(s->X, m, s->room, AV);
}

/* is the Gram matrix formed sooner than products with Z and Z' are done? */
static int is_sooner_formed(const rs_data *X, const rs_leading_operator *A,
                            int m, rs_data_task gram)
{
    const double cost = X->contiguous ? RS_SVD_THIN_COST : 1.0;
    const double columns = rs_leading_block(A, m) == 1
                               ? 3.0 * m + RS_SVD_ROUNDS
                               : RS_SVD_ROUNDS * rs_ritz_block(A->order, m);
    return A->order <= RS_SVD_GRAM_ORDER &&
           0.5 * X->work[gram] <
               2.0 * cost * columns * X->work[RS_TASK_PRODUCT];
}

/* the eigenproblem of the shorter side; *info says which */
static rs_status shorter_side(int m, int wide, side *s, rs_leading_operator *A,
                              rs_svd_info *info)
{
    const rs_data *X = s->X;
    const int samples = s->samples, order = rs_min_int(X->n, X->d);
    const size_t other = (size_t)rs_max_int(X->n, X->d);
    *A = (rs_leading_operator){.order = order,
                               .product = {apply_side, s},
                               .wide = wide,
                               .numbers = X->contiguous ? (double)X->n * X->d
                                                        : INFINITY};
    if (!rs_leading_is_dense(order, m) &&
        ((wide && !samples) ||
         !is_sooner_formed(X, A, m,
                           samples ? RS_TASK_GRAM_SAMPLES
                                   : RS_TASK_GRAM_FEATURES))) {
        info->route = RS_SVD_IMPLICIT;
        s->room = rs_alloc_double(X->ctx, other * rs_leading_block(A, m));
        return rs_allocated(X->ctx);
    }
    info->route = samples ? RS_SVD_GRAM_SAMPLES : RS_SVD_GRAM_FEATURES;
    double *G = rs_alloc_double(X->ctx, (size_t)order * order);
    RS_TRY_ALLOC(G);
    *A = rs_leading_explicit(order, G);
    return samples ? rs_data_gram_samples(X, NULL, G)
                   : rs_data_gram_weighted(X, NULL, G);
}

/* out (rows x m), the product with one side's vectors, made orthonormal */
static rs_status finish_side(rs_context *ctx, int rows, int m, double *out)
{
    rs_qr_ws qr;
    RS_TRY(rs_qr_init(ctx, rows, m, &qr));
    return rs_qr_orthonormal(rows, m, out, &qr);
}

rs_status rs_svd(rs_data *X, int m, int wide, rs_ritz_control control,
                 double *squares, double *U, double *V, rs_svd_info *info)
{
    const int samples = X->n < X->d;
    side s = {.X = X, .samples = samples};
    rs_leading_operator A;
    if (m > rs_min_int(X->n, X->d))
        return RS_BAD_INPUT;
    if (!U && samples)
        RS_TRY_ALLOC(U = rs_alloc_double(X->ctx, (size_t)X->n * m));
    if (control.tol <= 0.0)
        control.tol = X->is_read ? RS_SVD_IN_PASSES : rs_leading_accurate.tol;
    RS_TRY(shorter_side(m, wide, &s, &A, info));
    rs_status status = rs_leading_find(X->ctx, &A, m, &control, squares,
                                       samples ? U : V, &info->residual);
    if (!rs_is_usable(status))
        return status;
    for (int c = 0; c < m; c++)
        squares[c] = fmax(squares[c], 0.0);
    if (samples) {
        RS_TRY(rs_data_crossprod(X, m, U, V));
        RS_TRY(finish_side(X->ctx, X->d, m, V));
    } else if (U) {
        RS_TRY(rs_data_times(X, m, V, U));
        RS_TRY(finish_side(X->ctx, X->n, m, U));
    }
    return status;
}
