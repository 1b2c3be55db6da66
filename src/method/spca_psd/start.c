#include "method/spca_psd/start.h"

#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/leading.h"
#include "method/spca_psd/ridge.h"

/* from the d x d matrix S_T */
static rs_status feature_components(const rs_spca *pr, const double *t,
                                    double *values, double *V)
{
    const int d = pr->d;
    rs_eigen_ws eigen;
    double *S = rs_alloc_double(pr->ctx, (size_t)d * d);
    double *half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_eigen_init(pr->ctx, d, &eigen));
    RS_TRY(rs_spca_scatter(pr, NULL, t, half, values, S));
    return rs_eigen_largest(d, S, d, values, V, &eigen);
}

/*
 * K = T^{1/2} Xc Xc' T^{1/2} = U diag(s) U' (T = diag(t/2)); eigenvectors of
 * S_T are V = Xc' T^{1/2} U diag(s)^{-1/2}.
 */
static rs_status sample_components(const rs_spca *pr, const double *t,
                                   double above, int *count, double *values,
                                   double *V)
{
    const int n = pr->n, d = pr->d;
    rs_eigen_ws eigen;
    double *K, *U;
    RS_ALLOC_DOUBLES(pr->ctx, (size_t)n * n, &K, &U);
    double *root = rs_alloc_double(pr->ctx, (size_t)n);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_eigen_init(pr->ctx, n, &eigen));
    for (int i = 0; i < n; i++)
        root[i] = sqrt(0.5 * t[i]);
    RS_TRY(rs_data_gram_samples(pr->X, NULL, K));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            K[i + (size_t)j * n] *= root[i] * root[j];
    RS_TRY(rs_eigen_largest(n, K, n, values, U, &eigen));
    while (*count < n && values[*count] > fmax(above, 1e-12 * values[0]))
        (*count)++;
    rs_scale_rows(n, *count, root, U);
    RS_TRY(rs_spca_crossprod(pr, NULL, *count, U, V));
    for (int k = 0; k < *count; k++)
        rs_scale((size_t)d, 1.0 / sqrt(values[k]), V + (size_t)k * d);
    return RS_OK;
}

static rs_status all_components(const rs_spca *pr, const double *t,
                                double above, int *count,
                                const double **values, const double **V)
{
    const int order = pr->n < pr->d ? pr->n : pr->d;
    double *s = rs_alloc_double(pr->ctx, (size_t)pr->d);
    double *vectors = rs_alloc_double(pr->ctx, (size_t)pr->d * order);
    RS_TRY(rs_allocated(pr->ctx));
    *values = s;
    *V = vectors;
    *count = 0;
    if (pr->n < pr->d)
        return sample_components(pr, t, above, count, s, vectors);
    RS_TRY(feature_components(pr, t, s, vectors));
    while (*count < order && s[*count] > fmax(above, 1e-12 * s[0]))
        (*count)++;
    return RS_OK;
}

rs_status rs_spca_components(const rs_spca *pr, const double *t, double above,
                             int *count, const double **values,
                             const double **V)
{
    const rs_spca_leading *leading = pr->leading; /* then S_T = S */
    if (!leading || above < 0.5 * pr->eta)
        return all_components(pr, t, above, count, values, V);
    *values = leading->values;
    *V = leading->V;
    *count = 0;
    while (*count < leading->m && leading->values[*count] > above)
        (*count)++;
    return RS_OK;
}

void rs_spca_point_diagonal(const rs_spca *pr, const double *w,
                            const rs_spca_floors *floors, rs_spca_point *at)
{
    double *rest = at->D; /* (1 - w_j)^2: row squares of Xc (I - diag(w)) */
    at->trace = 0.0;
    for (int j = 0; j < pr->d; j++) {
        at->column_square[j] = w[j] * w[j];
        at->trace += w[j];
        rest[j] = (1.0 - w[j]) * (1.0 - w[j]);
    }
    rs_data_row_squares(pr->X, rest, at->residual_square);
    rs_spca_weights(pr, floors, at);
}

void rs_spca_point_unit(const rs_spca *pr, const rs_spca_floors *floors,
                        rs_spca_point *at)
{
    at->r = 0;
    at->trace = 0.0;
    rs_copy((size_t)pr->n, pr->data_square, at->residual_square);
    rs_fill((size_t)pr->d, 0.0, at->column_square);
    rs_spca_weights(pr, floors, at);
    rs_fill((size_t)pr->d, 2.0, at->D);
    if (pr->adaptive)
        rs_fill((size_t)pr->n, 2.0, at->t);
}

rs_status rs_spca_point_factor(const rs_spca *pr, int r, const double *F,
                               const rs_spca_floors *floors, rs_spca_point *at)
{
    at->r = r;
    rs_copy((size_t)pr->d * r, F, at->F);
    RS_TRY(rs_spca_measure(pr, at));
    rs_spca_weights(pr, floors, at);
    return RS_OK;
}

rs_status rs_spca_point_pca(const rs_spca *pr, rs_spca_point *at)
{
    const size_t d = (size_t)pr->d;
    const double *values, *V;
    int count;
    double *t = rs_alloc_double(pr->ctx, (size_t)pr->n);
    RS_TRY_ALLOC(t);
    for (int i = 0; i < pr->n; i++)
        t[i] = pr->loss == RS_LOSS_FROBENIUS
                   ? 2.0
                   : sqrt(pr->n / (pr->trace + pr->n * pr->data_square[i]));
    RS_TRY(rs_spca_components(pr, t, 0.5 * pr->eta, &count, &values, &V));
    int few = count + 8 + count / 8;
    RS_TRY(rs_spca_point_init(pr, few < pr->d ? few : pr->d, at));
    at->r = count;
    double level = 0.5 * pr->lambda * sqrt((double)pr->d / (count + 1));
    for (int k = 0; k < count; k++) {
        double share = (values[k] - 0.5 * pr->eta) / (values[k] + level);
        rs_copy(d, V + k * d, at->F + k * d);
        rs_scale(d, sqrt(share), at->F + k * d);
    }
    return RS_OK;
}

/*
 * The right singular vectors of Xc (d x min(n, d)), from the data themselves:
 * squares would lose those of small singular values.
 */
static rs_status singular_vectors(const rs_spca *pr, double **V)
{
    const int n = pr->n, d = pr->d, tall = n >= d;
    const int rows = tall ? n : d, cols = tall ? d : n;
    rs_qr_ws qr;
    double *A = rs_alloc_double(pr->ctx, (size_t)rows * cols);
    double *unit = rs_alloc_double(pr->ctx, (size_t)n);
    *V = rs_alloc_double(pr->ctx, (size_t)d * cols);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_qr_init(pr->ctx, rows, cols, &qr));
    RS_TRY(rs_qr_svd_init(pr->ctx, &qr));
    if (tall)
        RS_TRY(rs_data_column_range(pr->X, 0, d, A));
    rs_fill((size_t)n, 0.0, unit);
    for (int i = 0; !tall && i < n; i++) {
        unit[i] = 1.0;
        RS_TRY(rs_data_crossprod_vector(pr->X, unit, A + (size_t)i * d));
        unit[i] = 0.0;
    }
    RS_TRY(rs_poll(pr->ctx));
    RS_TRY(rs_qr_orthonormal(rows, cols, A, &qr));
    RS_TRY(rs_poll(pr->ctx));
    RS_TRY(rs_qr_svd_of_r(cols, &qr));
    for (int k = 0; tall && k < cols; k++)
        for (int j = 0; j < d; j++)
            (*V)[j + (size_t)k * d] = qr.rightT[k + (size_t)j * cols];
    if (!tall)
        rs_matmul(d, cols, cols, A, qr.left, *V);
    return rs_poll(pr->ctx);
}

/* loss[r], r = 0 ... q: the sum of row norms that the projector onto the first
 * r columns of V leaves; XV is n x q */
static void losses_of_projectors(int n, int q, const double *XV,
                                 double *square, double *loss)
{
    rs_fill((size_t)n, 0.0, square);
    loss[q] = 0.0;
    for (int r = q - 1; r >= 0; r--) {
        loss[r] = 0.0;
        for (int i = 0; i < n; i++) {
            const double x = XV[i + (size_t)r * n];
            square[i] += x * x;
            loss[r] += sqrt(square[i]);
        }
    }
}

/* which of the projectors onto the first 1 ... q columns of V is best */
static rs_status best_projector(const rs_spca *pr, int q, const double *V,
                                int *best, double *value)
{
    const size_t n = (size_t)pr->n, d = (size_t)pr->d;
    double *XV = rs_alloc_double(pr->ctx, n * (size_t)q);
    double *square = rs_alloc_double(pr->ctx, n > d ? n : d);
    double *loss = rs_alloc_double(pr->ctx, (size_t)q + 1);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_spca_times(pr, NULL, q, V, XV));
    losses_of_projectors(pr->n, q, XV, square, loss);
    rs_fill(d, 0.0, square);
    *best = 0;
    *value = INFINITY;
    for (int r = 1; r <= q; r++) {
        double norms = 0.0;
        for (size_t j = 0; j < d; j++) {
            const double v = V[j + (size_t)(r - 1) * d];
            square[j] += v * v;
            norms += sqrt(square[j]);
        }
        const double f = loss[r] + pr->lambda * norms + pr->eta * r;
        if (f < *value) {
            *best = r;
            *value = f;
        }
    }
    return rs_poll(pr->ctx);
}

rs_status rs_spca_try_projector(const rs_spca *pr, rs_spca_point *at,
                                int *taken)
{
    const int q = rs_min_int(pr->n, pr->d);
    double *V, value;
    int best;
    *taken = 0;
    RS_TRY(rs_spca_measure(pr, at));
    if (pr->loss != RS_LOSS_L21)
        return RS_OK;
    RS_TRY(singular_vectors(pr, &V));
    RS_TRY(best_projector(pr, q, V, &best, &value));
    if (!(value < rs_spca_objective(pr, &rs_spca_unsmoothed, at)))
        return RS_OK;
    *taken = 1;
    RS_TRY(rs_spca_point_room(pr, best, at));
    at->r = best;
    rs_copy((size_t)pr->d * best, V, at->F);
    return rs_spca_measure(pr, at);
}
