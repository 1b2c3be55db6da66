#include "method/spca_psd/leading.h"

#include <math.h>

#include "data/dense.h"
#include "la/linalg.h"
#include "eigen/leading.h"

/* the pairs are at most this share of the samples and of the features */
#define RS_LEADING_SHARE 0.6
/* they are found roughly: what follows from them is bounded by their residuals */
#define RS_LEADING_TOL 1e-2
#define RS_LEADING_STEPS 4
/* of ||S||^2, what rounding may do to differences of such squares */
#define RS_SQUARES_MARGIN 1e-13

/* a problem beside another one, with room for its data */
typedef struct {
    rs_spca problem;
    rs_data data;
} leading_part;

/* 0: too many */
static int leading_count(const rs_spca *pr)
{
    const int most = (int)(RS_LEADING_SHARE * rs_min_int(pr->n, pr->d));
    double count = ceil(2.0 * pr->trace / pr->eta);
    if (!(count <= most))
        return 0;
    return rs_max_int((int)count, 1);
}

/* SV = Xc'(Xc V) */
static rs_status scatter_times(const rs_spca *pr, int m, const double *V,
                               double *SV)
{
    if (pr->S) {
        rs_matmul(pr->d, pr->d, m, pr->S, V, SV);
        return rs_poll(pr->ctx);
    }
    double *XV = rs_alloc_double(pr->ctx, (size_t)pr->n * m);
    RS_TRY_ALLOC(XV);
    RS_TRY(rs_spca_times(pr, NULL, m, V, XV));
    return rs_spca_crossprod(pr, NULL, m, XV, SV);
}

/* the m leading Ritz pairs of the explicit matrix; *next is the eigenvalue
 * behind them where all are known, or NaN */
static rs_status ritz_pairs(rs_context *ctx, int order, const double *K, int m,
                            double *values, double *U, double *next)
{
    const rs_leading_operator A = rs_leading_explicit(order, K);
    const rs_ritz_control rough = {RS_LEADING_TOL, RS_LEADING_STEPS, NULL};
    double residual;
    rs_status status =
        rs_leading_find(ctx, &A, m, &rough, values, U, &residual);
    *next = NAN;
    if (residual > 0.0 || !rs_is_usable(status))
        return rs_is_usable(status) ? RS_OK : status;
    rs_eigen_ws eigen;
    double *all = rs_alloc_double(ctx, (size_t)order);
    RS_TRY_ALLOC(all);
    RS_TRY(rs_eigen_init(ctx, order, &eigen));
    RS_TRY(rs_eigen_largest(order, K, m + 1, all, NULL, &eigen));
    *next = all[m];
    return RS_OK;
}

/*
 * V from the Ritz pairs of S or, for few samples, of K = Xc Xc': V = Xc'U, made
 * orthonormal. *square is ||S||^2 = ||K||^2.
 */
static rs_status leading_vectors(const rs_spca *pr, rs_spca_leading *leading,
                                 double *square, double *next)
{
    rs_context *ctx = pr->ctx;
    const size_t n = (size_t)pr->n, d = (size_t)pr->d, m = (size_t)leading->m;
    rs_qr_ws qr;
    if (pr->n >= pr->d) {
        *square = rs_sum_squares(d * d, pr->S);
        RS_TRY(ritz_pairs(ctx, pr->d, pr->S, leading->m, leading->values,
                          leading->V, next));
    } else {
        double *K = rs_alloc_double(ctx, n * n);
        double *U = rs_alloc_double(ctx, n * m);
        RS_TRY(rs_allocated(ctx));
        RS_TRY(rs_data_gram_samples(pr->X, NULL, K));
        *square = rs_sum_squares(n * n, K);
        RS_TRY(
            ritz_pairs(ctx, pr->n, K, leading->m, leading->values, U, next));
        RS_TRY(rs_spca_crossprod(pr, NULL, leading->m, U, leading->V));
    }
    RS_TRY(rs_qr_init(ctx, pr->d, leading->m, &qr));
    return rs_qr_orthonormal(pr->d, leading->m, leading->V, &qr);
}

/*
 * S beside V, (I - VV')S(I - VV'), has the squared norm
 * ||S||^2 - 2 ||SV||^2 + ||V'SV||^2, whose root no eigenvalue exceeds. Where V
 * has all digits, the eigenvalue behind the last is a better bound.
 */
static rs_status bound_rest(const rs_spca *pr, rs_spca_leading *leading,
                            double square, double next)
{
    const size_t d = (size_t)pr->d, m = (size_t)leading->m;
    double *H = rs_alloc_double(pr->ctx, m * m);
    RS_TRY_ALLOC(H);
    rs_crossprod(pr->d, leading->m, leading->m, leading->V, leading->SV, H);
    double left = square - 2.0 * rs_sum_squares(d * m, leading->SV) +
                  rs_sum_squares(m * m, H);
    leading->rest = sqrt(fmax(left, 0.0) + RS_SQUARES_MARGIN * square);
    if (isnan(next))
        return RS_OK;
    /* V spans an invariant subspace but for its residual SV - V H */
    double *R = rs_alloc_double(pr->ctx, d * m);
    RS_TRY_ALLOC(R);
    rs_copy(d * m, leading->SV, R);
    rs_gemm('N', 'N', pr->d, leading->m, leading->m, -1.0, leading->V, pr->d,
            H, leading->m, 1.0, R, pr->d);
    double residual = rs_norm(d * m, R) + RS_SQUARES_MARGIN * pr->trace;
    leading->rest = fmin(leading->rest, fmax(next, 0.0) + residual);
    return RS_OK;
}

static rs_status find_leading(const rs_spca *pr, rs_spca_leading *leading)
{
    const size_t d = (size_t)pr->d, m = (size_t)leading->m;
    double square, next;
    leading->values = rs_alloc_double(pr->ctx, m);
    RS_ALLOC_DOUBLES(pr->ctx, d * m, &leading->V, &leading->SV);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(leading_vectors(pr, leading, &square, &next));
    RS_TRY(scatter_times(pr, leading->m, leading->V, leading->SV));
    return bound_rest(pr, leading, square, next);
}

rs_status rs_spca_prepare(rs_spca *pr)
{
    const size_t d = (size_t)pr->d;
    if (pr->loss != RS_LOSS_FROBENIUS)
        return RS_OK;
    if (d <= 2 * (size_t)pr->n) {
        double *S = rs_alloc_double(pr->ctx, d * d);
        RS_TRY_ALLOC(S);
        RS_TRY(rs_data_gram_features(pr->X, S));
        pr->S = S;
    }
    const int m = leading_count(pr);
    if (m == 0)
        return RS_OK;
    rs_spca_leading *leading =
        (rs_spca_leading *)rs_alloc(pr->ctx, 1, sizeof *leading);
    RS_TRY_ALLOC(leading);
    leading->m = m;
    RS_TRY(find_leading(pr, leading));
    pr->leading = leading;
    return RS_OK;
}

rs_status rs_spca_leading_part(const rs_spca *pr, const rs_spca **part,
                               const double **weights)
{
    const rs_spca_leading *leading = pr->leading;
    *part = pr;
    *weights = NULL;
    if (!leading)
        return RS_OK;
    const size_t m = (size_t)leading->m, d = (size_t)pr->d;
    leading_part *own =
        (leading_part *)rs_alloc(pr->ctx, 1, sizeof(leading_part));
    double *rows = rs_alloc_double(pr->ctx, m * d);
    double *twos = rs_alloc_double(pr->ctx, m);
    RS_TRY(rs_allocated(pr->ctx));
    /* the samples sqrt(s_k) v_k */
    for (size_t k = 0; k < m; k++) {
        double root = sqrt(fmax(leading->values[k], 0.0));
        for (size_t j = 0; j < d; j++)
            rows[k + j * m] = root * leading->V[j + k * d];
    }
    rs_fill(m, 2.0, twos);
    RS_TRY(rs_data_dense(pr->ctx, leading->m, pr->d, rows, RS_SPCA_BLOCK,
                         &own->data));
    RS_TRY(rs_spca_init(pr->ctx, &own->data, pr->loss, 0, pr->lambda, pr->eta,
                        &own->problem));
    *part = &own->problem;
    *weights = twos;
    return RS_OK;
}
