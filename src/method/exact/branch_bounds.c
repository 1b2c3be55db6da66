/* What the sets below a node explain at most, from its residual problem. */
#include "method/exact/branch_bounds.h"

#include <math.h>

#include "la/linalg.h"

/* taken off the diagonal there, which makes the bound larger than rounding
 * could make it smaller */
#define RS_LEAPS_SHIFT 1e-8
/* responses for which powers of their cross-products are: a scan of all
 * features takes some microseconds */
#define RS_SQUARED_RESPONSES 8
/* responses for which eigenvalues are not worth their time where two features
 * are to choose */
#define RS_QUICK_RESPONSES 3
/* largest coherence bound that is trusted, as 1 / this */
#define RS_LEAST_EIGENVALUE 1e-6

/* the same from above without eigenvalues: the trace, or m^{1/2} ||Y_I'Y_I|| */
static double quick_response_bound(const rs_branch *s, rs_branch_level *at,
                                   int m, double explained)
{
    const int c = s->c;
    double trace = 0.0, square = 0.0;
    for (int l = 0; l < c; l++)
        trace += at->YtY[l + (size_t)c * l];
    for (size_t i = 0; i < (size_t)c * c; i++)
        square += at->YtY[i] * at->YtY[i];
    at->largest = sqrt(square) + at->slack + s->root.error;
    return explained + fmin(trace, sqrt(m * square)) +
           (2 + c) * (at->slack + s->root.error);
}

/* E(I) + the m largest eigenvalues of Y_I'Y_I */
double rs_branch_response_bound(rs_branch *s, rs_branch_level *at, int m,
                                double explained)
{
    const int c = s->c, count = rs_min_int(m, c);
    double sum = 0.0;
    if (m == 2 && c <= RS_QUICK_RESPONSES)
        return quick_response_bound(s, at, m, explained);
    at->largest = 1.0;
    if (rs_eigen_largest(c, at->YtY, count, s->values, NULL, &s->eigen) !=
        RS_OK)
        return 1.0;
    at->largest = fmax(s->values[0], 0.0) + at->slack + s->root.error;
    for (int l = 0; l < count; l++)
        sum += s->values[l] > 0.0 ? s->values[l] : 0.0;
    return explained + sum + (2 + count) * (at->slack + s->root.error);
}

/* out = A A and its Frobenius norm; A is symmetric */
static double square_of(int c, const double *A, double *out)
{
    for (int l = 0; l < c; l++)
        for (int j = 0; j < c; j++) {
            double sum = 0.0;
            for (int i = 0; i < c; i++)
                sum += A[i + (size_t)c * j] * A[i + (size_t)c * l];
            out[j + (size_t)c * l] = sum;
        }
    return sqrt(rs_sum_squares((size_t)c * c, out));
}

/*
 * The largest eigenvalue of A = Y_I'Y_I - hh' is at most that of Y_I'Y_I, and
 * at most ||A||, ||A^2||^{1/2}, ||A^4||^{1/4} (Frobenius norms): bounds of what
 * one more feature explains that cost c^2 and c^3 operations.
 */
double rs_branch_last_bound(rs_branch *s, const rs_branch_level *at)
{
    const int c = s->c;
    double *A = s->power, *square = s->square, bound;
    for (int l = 0; l < c; l++)
        for (int j = 0; j < c; j++)
            A[j + (size_t)c * l] =
                at->YtY[j + (size_t)c * l] - s->h[j] * s->h[l];
    bound = sqrt(rs_sum_squares((size_t)c * c, A));
    if (c > 1 && c <= RS_SQUARED_RESPONSES) {
        square_of(c, A, square);
        bound = fmin(bound, sqrt(sqrt(square_of(c, square, A))));
    }
    return fmin(bound, at->largest);
}

/* (sum s over the node + the m largest s from p on) / (1 - (k - 1) mu) */
double rs_branch_coherence_bound(const rs_branch *s, int depth, int m, int p)
{
    double mu = s->mu ? s->mu[depth > 0 ? s->chosen[0] : p] : 1.0;
    double least = 1.0 - (s->k - 1) * (mu + s->root.error);
    double sum = s->sums[p + (size_t)m * s->d];
    if (least <= RS_LEAST_EIGENVALUE)
        return 1.0;
    for (int i = 0; i < depth; i++)
        sum += s->alone[s->chosen[i]];
    return (sum + 3 * s->k * s->root.error) / least;
}

/*
 * E(I + F), F = the candidates from position p on: with T = A_FF - C_F C_F',
 * E(I) + tr(rest_F' T^{-1} rest_F). The computed T and rest_F are off by at
 * most e = at->error in every entry. T - shift I, which is below the true T
 * by at least shift / 2, is factored; that raises the sum, and the errors of
 * rest_F add at most 2 ||e|| / shift^{1/2} to its root.
 */
double rs_branch_joint_bound(rs_branch *s, int depth, int m, int p,
                             double explained)
{
    const int d = s->d, c = s->c, size = d - p;
    const rs_branch_level *at = &s->at[depth];
    double *T = s->joint, *b = s->joint_B, root;
    if (!s->G || m < 3 || size > RS_LEAPS ||
        size * at->error > 0.5 * RS_LEAPS_SHIFT ||
        (s->problem->ridge <= 0.0 && size + depth >= s->problem->n))
        return 1.0;
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < j; i++) {
            double value = s->G[p + i + (size_t)d * (p + j)];
            for (int t = 1; t <= depth; t++)
                value -= s->at[t].loading[p + i] * s->at[t].loading[p + j];
            T[i + (size_t)size * j] = value;
        }
        T[j + (size_t)size * j] = at->left[p + j] - RS_LEAPS_SHIFT;
        for (int l = 0; l < c; l++)
            b[j + (size_t)size * l] = at->rest[p + j + (size_t)d * l];
    }
    if (rs_cholesky(size, T, size) != RS_OK)
        return 1.0;
    rs_triangular_solve('L', 'T', size, c, T, size, b, size);
    root = sqrt(rs_sum_squares((size_t)size * c, b)) +
           2.0 * sqrt((double)size * c / RS_LEAPS_SHIFT) * at->error;
    return explained + at->slack + root * root * (1.0 + s->root.error);
}

/* what the sets that add m candidates from position p on cannot exceed */
double rs_branch_node_bound(rs_branch *s, int depth, int m, int p,
                            double explained)
{
    double bound = rs_branch_response_bound(s, &s->at[depth], m, explained);
    bound = fmin(bound, rs_branch_coherence_bound(s, depth, m, p));
    if (!rs_cannot_win(s, bound))
        bound = fmin(bound, rs_branch_joint_bound(s, depth, m, p, explained));
    return fmin(bound, 1.0);
}
