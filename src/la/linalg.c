#include "la/linalg.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>

#include "la/blas.h"
#include "la/tiled.h"

#ifndef FCONE
#define FCONE
#endif

/* the longest vector given to BLAS in one call */
#define RS_CHUNK ((size_t)1 << 30)

static int chunk_length(size_t n, size_t done)
{
    size_t left = n - done;
    return (int)(left < RS_CHUNK ? left : RS_CHUNK);
}

/* ---- threads of the BLAS ------------------------------------------------ */

/* Multiplications from which a product has the threads of the BLAS. They wait
 * for each other at its end, and where other processes keep the machine busy
 * that takes milliseconds. */
#define RS_THREADED_WORK 4e6
/* what products of OpenBLAS never share out among them; those of dsytrd may */
#define RS_UNSHARED_WORK 9e3

static int hold_threads(double work)
{
    return work > RS_UNSHARED_WORK && work < RS_THREADED_WORK ? rs_blas_hold()
                                                              : 0;
}

/* a call of BLAS or LAPACK that takes so many multiplications */
#define CALL_HELD(work, ...)                 \
    do {                                     \
        const int had_ = hold_threads(work); \
        __VA_ARGS__;                         \
        rs_blas_release(had_);               \
    } while (0)

static double cube(int p)
{
    return (double)p * p * p;
}

/* ---- vectors ----------------------------------------------------------- */

double rs_dot(size_t n, const double *x, const double *y)
{
    const int one = 1;
    double sum = 0.0;
    if (rs_blas_is_plain())
        return rs_tiled_dot(n, x, y);
    for (size_t at = 0; at < n; at += RS_CHUNK) {
        int length = chunk_length(n, at);
        CALL_HELD(length,
                  sum += F77_CALL(ddot)(&length, x + at, &one, y + at, &one));
    }
    return sum;
}

double rs_sum_squares(size_t n, const double *x)
{
    return rs_dot(n, x, x);
}

double rs_sum(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

double rs_sum_moduli(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

double rs_largest(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, x[i]);
    return largest;
}

double rs_norm(size_t n, const double *x)
{
    return sqrt(rs_dot(n, x, x));
}

double rs_distance(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

void rs_subtract(size_t n, const double *x, const double *y, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] - y[i];
}

double rs_power_near(double x)
{
    int exponent;
    if (!(x > 0.0) || !isfinite(x))
        return 1.0;
    frexp(x, &exponent);
    return ldexp(1.0, rs_max_int(-1000, rs_min_int(exponent, 1000)));
}

void rs_axpy(size_t n, double a, const double *x, double *y)
{
    const int one = 1;
    for (size_t at = 0; at < n; at += RS_CHUNK) {
        int length = chunk_length(n, at);
        CALL_HELD(length,
                  F77_CALL(daxpy)(&length, &a, x + at, &one, y + at, &one));
    }
}

void rs_scale(size_t n, double a, double *x)
{
    const int one = 1;
    for (size_t at = 0; at < n; at += RS_CHUNK) {
        int length = chunk_length(n, at);
        CALL_HELD(length, F77_CALL(dscal)(&length, &a, x + at, &one));
    }
}

void rs_rotate(size_t n, double cosine, double sine, double *a, double *b)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const double x = a[i], y = b[i];
        a[i] = cosine * x + sine * y;
        b[i] = cosine * y - sine * x;
    }
}

void rs_rotate_rows(int k, int ldr, double *R, int l, double *cosine,
                    double *sine)
{
    double *row = R + l + (size_t)ldr * l;
    const double length = hypot(row[0], row[1]);
    *cosine = row[0] / length;
    *sine = row[1] / length;
    for (int j = l; j < k; j++, row += ldr)
        rs_rotate(1, *cosine, *sine, row, row + 1);
}

void rs_copy(size_t n, const double *x, double *y)
{
    if (n > 0) /* memcpy takes no NULL, not even for no elements */
        memcpy(y, x, n * sizeof(double));
}

void rs_fill(size_t n, double a, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = a;
}

void rs_row_squares(int d, int m, const double *W, double *squares)
{
    rs_fill((size_t)d, 0.0, squares);
    for (int j = 0; j < m; j++) {
        const double *w = W + (size_t)j * d;
        for (int i = 0; i < d; i++)
            squares[i] += w[i] * w[i];
    }
}

double rs_row_norms(int d, int m, const double *W, double *norms)
{
    rs_row_squares(d, m, W, norms);
    for (int i = 0; i < d; i++)
        norms[i] = sqrt(norms[i]);
    return rs_sum(d, norms);
}

void rs_unit_columns(int d, int m, double *W)
{
    for (int j = 0; j < m; j++) {
        const double norm = rs_norm((size_t)d, W + (size_t)j * d);
        if (norm > 0.0)
            rs_scale((size_t)d, 1.0 / norm, W + (size_t)j * d);
    }
}

void rs_scale_rows(int d, int m, const double *scale, double *W)
{
    for (int j = 0; scale && j < m; j++)
        for (int i = 0; i < d; i++)
            W[i + (size_t)j * d] *= scale[i];
}

/* ---- products ---------------------------------------------------------- */

/* C = beta C, rows x cols: what is left of a product over no terms; for beta =
 * 0 whatever C holds */
static void scale_matrix(int rows, int cols, double beta, double *C, int ldc)
{
    for (int j = 0; j < cols && beta != 1.0; j++) {
        double *c = C + (size_t)j * ldc;
        if (beta == 0.0)
            rs_fill((size_t)rows, 0.0, c);
        else
            for (int i = 0; i < rows; i++)
                c[i] *= beta;
    }
}

void rs_gemm(char trans_a, char trans_b, int rows, int cols, int inner,
             double alpha, const double *A, int lda, const double *B, int ldb,
             double beta, double *C, int ldc)
{
    if (inner == 0) {
        scale_matrix(rows, cols, beta, C, ldc);
        return;
    }
    if (cols == 1 && trans_b == 'N') { /* dgemm would copy A first */
        int by_rows = trans_a == 'N';
        rs_gemv(trans_a, by_rows ? rows : inner, by_rows ? inner : rows, alpha,
                A, lda, B, beta, C);
        return;
    }
    if (rs_blas_is_plain()) {
        scale_matrix(rows, cols, beta, C, ldc);
        if (alpha != 0.0)
            rs_tiled_gemm(trans_a, trans_b, rows, cols, inner, alpha, A, lda,
                          B, ldb, 0, C, ldc);
        return;
    }
    CALL_HELD((double)rows * cols * inner,
              F77_CALL(dgemm)(&trans_a, &trans_b, &rows, &cols, &inner, &alpha,
                              A, &lda, B, &ldb, &beta, C, &ldc FCONE FCONE));
}

rs_status rs_gemm_polled(rs_context *ctx, char trans_a, char trans_b, int rows,
                         int cols, int inner, double alpha, const double *A,
                         int lda, const double *B, int ldb, double beta,
                         double *C, int ldc)
{
    const int step = rs_columns_per_call(rows, inner, cols);
    for (int j = 0; j < cols; j += step) {
        size_t from = (size_t)j * (trans_b == 'N' ? (size_t)ldb : 1);
        rs_gemm(trans_a, trans_b, rows, rs_min_int(step, cols - j), inner,
                alpha, A, lda, B + from, ldb, beta, C + (size_t)j * ldc, ldc);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

rs_status rs_times_polled(rs_context *ctx, int rows, int inner, int cols,
                          double alpha, const double *A, const double *B,
                          double *C)
{
    const int step = rs_columns_per_call(rows, cols, inner);
    for (int j = 0; j < inner; j += step) {
        rs_gemm('N', 'N', rows, cols, rs_min_int(step, inner - j), alpha,
                A + (size_t)j * rows, rows, B + j, inner, j > 0 ? 1.0 : 0.0, C,
                rows);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

void rs_matmul(int rows, int inner, int cols, const double *A, const double *B,
               double *C)
{
    rs_gemm('N', 'N', rows, cols, inner, 1.0, A, rows, B, inner, 0.0, C, rows);
}

void rs_crossprod(int rows, int p, int q, const double *A, const double *B,
                  double *C)
{
    rs_gemm('T', 'N', p, q, rows, 1.0, A, rows, B, rows, 0.0, C, p);
}

/* upper triangle of C (p x p, columns ldc apart) += alpha A'A (trans 'T') or
 * alpha A A' (trans 'N'), over `inner` terms */
static void add_square(char trans, int p, int inner, double alpha,
                       const double *A, int lda, double *C, int ldc)
{
    const double one = 1.0;
    if (rs_blas_is_plain()) {
        rs_tiled_gemm(trans, trans == 'T' ? 'N' : 'T', p, p, inner, alpha, A,
                      lda, A, lda, 1, C, ldc);
        return;
    }
    CALL_HELD(0.5 * p * p * inner,
              F77_CALL(dsyrk)("U", &trans, &p, &inner, &alpha, A, &lda, &one,
                              C, &ldc FCONE FCONE));
}

void rs_gram(int rows, int p, const double *A, double *G)
{
    rs_fill((size_t)p * p, 0.0, G);
    add_square('T', p, rows, 1.0, A, rows, G, p);
    rs_mirror_upper(p, G);
}

/* sides of the tiles of a cross-product, whose copies inside of dgemm are then
 * a small part of the work: 2 side^2 depth is RS_FLOPS_PER_CALL */
#define RS_GRAM_SIDE 512

rs_status rs_gram_add(rs_context *ctx, int n, int d, const double *Z, int ldz,
                      double *G)
{
    for (int j = 0; j < d; j += RS_GRAM_SIDE) {
        const int width = rs_min_int(RS_GRAM_SIDE, d - j);
        for (int i = 0; i <= j; i += RS_GRAM_SIDE)
            for (int from = 0; from < n; from += RS_GRAM_DEPTH) {
                const int depth = rs_min_int(RS_GRAM_DEPTH, n - from);
                const double *left = Z + from + (size_t)i * ldz;
                const double *right = Z + from + (size_t)j * ldz;
                double *tile = G + i + (size_t)j * d;
                if (i < j)
                    rs_gemm('T', 'N', RS_GRAM_SIDE, width, depth, 1.0, left,
                            ldz, right, ldz, 1.0, tile, d);
                else
                    add_square('T', width, depth, 1.0, right, ldz, tile, d);
                RS_TRY(rs_poll(ctx));
            }
    }
    return RS_OK;
}

void rs_syrk_add(int p, int q, const double *A, int lda, double *K)
{
    add_square('N', p, q, 1.0, A, lda, K, p);
}

void rs_gemv(char trans, int rows, int cols, double alpha, const double *A,
             int lda, const double *x, double beta, double *y)
{
    const int one = 1, length = trans == 'N' ? rows : cols;
    if ((trans == 'N' ? cols : rows) == 0) { /* dgemv would leave y alone */
        scale_matrix(length, 1, beta, y, 1);
        return;
    }
    if (rs_blas_is_plain()) {
        scale_matrix(length, 1, beta, y, length);
        if (alpha != 0.0)
            rs_tiled_gemv(trans, rows, cols, alpha, A, lda, x, y);
        return;
    }
    CALL_HELD((double)rows * cols,
              F77_CALL(dgemv)(&trans, &rows, &cols, &alpha, A, &lda, x, &one,
                              &beta, y, &one FCONE));
}

void rs_mirror_upper(int p, double *G)
{
    for (int j0 = 0; j0 < p; j0 += RS_PANEL)
        for (int i0 = 0; i0 <= j0; i0 += RS_PANEL)
            for (int j = j0; j < rs_min_int(p, j0 + RS_PANEL); j++)
                for (int i = i0; i < rs_min_int(j, i0 + RS_PANEL); i++)
                    G[j + (size_t)i * p] = G[i + (size_t)j * p];
}

void rs_symmetrise(int p, double *G)
{
    for (int j = 0; j < p; j++)
        for (int i = 0; i < j; i++) {
            double *a = G + i + (size_t)j * p, *b = G + j + (size_t)i * p;
            *a = *b = 0.5 * (*a + *b);
        }
}

/* ---- symmetric eigenproblems -------------------------------------------- */

/* dsyevr, for the eigenvalues from number `first` on to the last, or above
 * `lower`; what it returned */
static int call_dsyevr(char range, int p, double lower, double upper,
                       int first, int *found, double *values, double *V,
                       rs_eigen_ws *ws)
{
    const double abstol = 0.0;
    const char job = V ? 'V' : 'N';
    const int ld = rs_max_int(p, 1);
    int info = 0;
    CALL_HELD(RS_UNSHARED_WORK + cube(p),
              F77_CALL(dsyevr)(&job, &range, "U", &p, ws->copy, &ld, &lower,
                               &upper, &first, &p, &abstol, found, values, V,
                               &ld, ws->isuppz, ws->work, &ws->lwork,
                               ws->iwork, &ws->liwork,
                               &info FCONE FCONE FCONE));
    return info;
}

rs_status rs_eigen_init(rs_context *ctx, int order, rs_eigen_ws *ws)
{
    ws->order = order;
    /* what dsyevr asks for with blocks of 64 columns */
    ws->lwork = (64 + 6) * rs_max_int(order, 1);
    ws->liwork = 10 * rs_max_int(order, 1);
    ws->work = rs_alloc_double(ctx, (size_t)ws->lwork);
    ws->iwork = rs_alloc_int(ctx, (size_t)ws->liwork);
    ws->isuppz = rs_alloc_int(ctx, 2 * (size_t)order);
    ws->copy = rs_alloc_double(ctx, (size_t)order * order);
    const size_t small = (size_t)rs_min_int(order, RS_PANEL);
    ws->vectors = rs_alloc_double(ctx, small * small);
    return rs_allocated(ctx);
}

/* LAPACK sorts ascending; turn values and columns round */
static void reverse_pairs(int p, int count, double *values, double *V)
{
    for (int a = 0, b = count - 1; a < b; a++, b--) {
        double value = values[a];
        values[a] = values[b];
        values[b] = value;
        if (V == NULL)
            continue;
        for (int i = 0; i < p; i++) {
            double entry = V[i + (size_t)a * p];
            V[i + (size_t)a * p] = V[i + (size_t)b * p];
            V[i + (size_t)b * p] = entry;
        }
    }
}

/* A over ws->unit, a power of 2 near its largest entry: dsyevr may not return
 * from NaN, or where entries are 1e270 */
static rs_status copy_in_unit(int p, const double *A, rs_eigen_ws *ws)
{
    double largest = 0.0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i <= j; i++) {
            const double size = fabs(A[i + (size_t)j * p]);
            if (!isfinite(size))
                return RS_NOT_FINITE;
            largest = fmax(largest, size);
        }
    ws->unit = rs_power_near(largest);
    ws->largest = largest / ws->unit;
    const double by = 1.0 / ws->unit;
    for (size_t i = 0; i < (size_t)p * p; i++)
        ws->copy[i] = by * A[i];
    return RS_OK;
}

/*
 * All pairs by the QR iteration, ascending: the values in ws->work, the vectors,
 * if wanted, in ws->copy. It always finds them, orthonormal. dsyevr may miss some
 * of several equal eigenvalues when it is asked for the largest only, and mix
 * vectors of equal ones when it is asked for all.
 */
static rs_status all_by_qr(int p, const double *A, int vectors,
                           rs_eigen_ws *ws)
{
    const char *job = vectors ? "V" : "N", *upper = "U";
    const int lwork = ws->lwork - p;
    int info = 0;
    RS_TRY(copy_in_unit(p, A, ws));
    CALL_HELD(RS_UNSHARED_WORK + cube(p),
              F77_CALL(dsyev)(job, upper, &p, ws->copy, &p, ws->work,
                              ws->work + p, &lwork, &info FCONE FCONE));
    return info == 0 ? RS_OK : RS_LAPACK_FAILED;
}

/* these pairs in the unit of A and descending, V or NULL */
static rs_status take_pairs(int p, int count, const double *from,
                            const double *vectors, double *values, double *V,
                            const rs_eigen_ws *ws)
{
    memmove(values, from, (size_t)count * sizeof *values);
    rs_scale((size_t)count, ws->unit, values);
    if (V && vectors != V)
        rs_copy((size_t)p * count, vectors, V);
    reverse_pairs(p, count, values, V);
    return RS_OK;
}

/* V'V = I? Asked of what dsyevr gave, with the room of ws->copy; O(p count^2) */
static int is_orthonormal(int p, int count, const double *V, rs_eigen_ws *ws)
{
    if (count > 0)
        rs_gram(p, count, V, ws->copy);
    for (int j = 0; j < count; j++)
        for (int i = 0; i <= j; i++)
            if (!(fabs(ws->copy[i + (size_t)j * count] - (i == j)) <=
                  RS_NOTHING * p))
                return 0;
    return 1;
}

rs_status rs_eigen_largest(int p, const double *A, int count, double *values,
                           double *V, rs_eigen_ws *ws)
{
    /* bisection for a quarter costs more than all values do, and all vectors of a
     * small matrix */
    const int small = p <= RS_PANEL && 4 * count > p;
    const int all = !V || small || count == p, wanted = all ? p : count;
    double *vectors = V && wanted > count ? ws->vectors : V;
    int found = 0;

    if (p > ws->order || count < 1 || count > p)
        return RS_BAD_INPUT;
    RS_TRY(copy_in_unit(p, A, ws));
    const int info = call_dsyevr(all ? 'A' : 'I', p, 0.0, 0.0, p - wanted + 1,
                                 &found, values, vectors, ws);
    if (vectors)
        vectors += (size_t)p * (wanted - count);
    if (info != 0 || found != wanted ||
        (V && !is_orthonormal(p, count, vectors, ws))) {
        RS_TRY(all_by_qr(p, A, V != NULL, ws));
        return take_pairs(p, count, ws->work + p - count,
                          ws->copy + (size_t)p * (p - count), values, V, ws);
    }
    return take_pairs(p, count, values + wanted - count, vectors, values, V,
                      ws);
}

rs_status rs_eigen_sum(int p, const double *A, int count, double *values,
                       double *sum, rs_eigen_ws *ws)
{
    RS_TRY(rs_eigen_largest(p, A, count, values, NULL, ws));
    *sum = rs_sum(count, values);
    return RS_OK;
}

rs_status rs_eigen_above(int p, const double *A, double threshold, int *count,
                         double *values, double *V, rs_eigen_ws *ws)
{
    if (p > ws->order)
        return RS_BAD_INPUT;
    RS_TRY(copy_in_unit(p, A, ws));
    /* the order times the largest entry bounds them */
    const double upper = p * (1.0 + 1e-8) * ws->largest;
    const double lower = threshold / ws->unit;
    *count = 0;
    if (upper <= lower)
        return RS_OK;
    if (call_dsyevr('V', p, lower, upper, 1, count, values, V, ws) != 0 ||
        !is_orthonormal(p, *count, V, ws)) {
        RS_TRY(all_by_qr(p, A, 1, ws));
        for (*count = 0; *count < p && ws->work[p - 1 - *count] > lower;)
            ++*count;
        return take_pairs(p, *count, ws->work + p - *count,
                          ws->copy + (size_t)p * (p - *count), values, V, ws);
    }
    return take_pairs(p, *count, values, V, values, V, ws);
}

/* ---- Cholesky ----------------------------------------------------------- */

rs_status rs_cholesky(int p, double *A, int lda)
{
    int info = 0;
    if (p < 1) /* LAPACK wants columns that lie apart */
        return RS_OK;
    CALL_HELD(cube(p) / 6.0, F77_CALL(dpotrf)("U", &p, A, &lda, &info FCONE));
    if (info < 0)
        return RS_LAPACK_FAILED;
    return info == 0 ? RS_OK : RS_SINGULAR;
}

/* rs_triangular_solve() in slices with polls */
static rs_status solve_polled(rs_context *ctx, char side, char trans, int rows,
                              int cols, const double *R, double *B, int ld)
{
    const int is_left = side == 'L', order = is_left ? rows : cols;
    const int all = is_left ? cols : rows;
    const int step = rs_columns_per_call(order, 0.5 * order, all);
    for (int at = 0; at < all; at += step) {
        const int width = rs_min_int(step, all - at);
        rs_triangular_solve(side, trans, is_left ? rows : width,
                            is_left ? width : cols, R, ld,
                            B + (is_left ? (size_t)ld * at : (size_t)at), ld);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

/* add_square() in slices with polls; A and C are parts of one matrix */
static rs_status square_polled(rs_context *ctx, char trans, int p, int inner,
                               double alpha, const double *A, double *C,
                               int ld)
{
    const int step = rs_columns_per_call(p, 0.5 * p, inner);
    for (int at = 0; at < inner; at += step) {
        add_square(trans, p, rs_min_int(step, inner - at), alpha,
                   A + (trans == 'T' ? (size_t)at : (size_t)ld * at), ld, C,
                   ld);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

/* R11'R11 = A11, R12 = R11'^{-1} A12, R22'R22 = A22 - R12'R12 */
static rs_status factor_halves(rs_context *ctx, int p, double *A, int ld)
{
    const int h = p / 2;
    double *right = A + (size_t)ld * h, *corner = right + h;
    if (cube(p) <= 3.0 * RS_FLOPS_PER_CALL)
        return rs_cholesky(p, A, ld);
    RS_TRY(factor_halves(ctx, h, A, ld));
    RS_TRY(solve_polled(ctx, 'L', 'T', h, p - h, A, right, ld));
    RS_TRY(square_polled(ctx, 'T', p - h, h, -1.0, right, corner, ld));
    return factor_halves(ctx, p - h, corner, ld);
}

rs_status rs_cholesky_polled(rs_context *ctx, int p, double *A)
{
    return factor_halves(ctx, p, A, p);
}

rs_status rs_cholesky_solve(int p, int q, const double *R, int ldr, double *B,
                            int ldb)
{
    int info = 0;
    if (p < 1)
        return RS_OK;
    CALL_HELD((double)p * p * q,
              F77_CALL(dpotrs)("U", &p, &q, R, &ldr, B, &ldb, &info FCONE));
    return info == 0 ? RS_OK : RS_LAPACK_FAILED;
}

/* the upper triangle of (R'R)^{-1} */
static rs_status invert(int p, double *R, int ld)
{
    int info = 0;
    if (p < 1)
        return RS_OK;
    CALL_HELD(cube(p) / 3.0, F77_CALL(dpotri)("U", &p, R, &ld, &info FCONE));
    if (info != 0)
        return info > 0 ? RS_SINGULAR : RS_LAPACK_FAILED;
    return RS_OK;
}

rs_status rs_cholesky_inverse(int p, double *R)
{
    RS_TRY(invert(p, R, p));
    rs_mirror_upper(p, R);
    return RS_OK;
}

/* with T = -R11^{-1} R12 R22^{-1}:
 *     (R11'R11)^{-1} + T T',  T R22'^{-1},  (R22'R22)^{-1} */
static rs_status invert_halves(rs_context *ctx, int p, double *R, int ld)
{
    const int h = p / 2, q = p - h;
    double *T = R + (size_t)ld * h, *corner = T + h;
    if (cube(p) <= 1.5 * RS_FLOPS_PER_CALL)
        return invert(p, R, ld);
    for (int j = 0; j < q; j++)
        rs_scale((size_t)h, -1.0, T + (size_t)ld * j);
    RS_TRY(solve_polled(ctx, 'L', 'N', h, q, R, T, ld));
    RS_TRY(solve_polled(ctx, 'R', 'N', h, q, corner, T, ld));
    RS_TRY(invert_halves(ctx, h, R, ld));
    RS_TRY(square_polled(ctx, 'N', h, q, 1.0, T, R, ld));
    RS_TRY(solve_polled(ctx, 'R', 'T', h, q, corner, T, ld));
    return invert_halves(ctx, q, corner, ld);
}

rs_status rs_cholesky_inverse_polled(rs_context *ctx, int p, double *R)
{
    for (int j = 0; j < p; j++)
        if (R[j + (size_t)p * j] == 0.0)
            return RS_SINGULAR;
    RS_TRY(invert_halves(ctx, p, R, p));
    rs_mirror_upper(p, R);
    return RS_OK;
}

void rs_triangular_solve(char side, char trans, int rows, int cols,
                         const double *R, int ldr, double *B, int ldb)
{
    const double one = 1.0;
    if (rows < 1 || cols < 1)
        return;
    const double order = side == 'L' ? rows : cols;
    CALL_HELD(0.5 * order * rows * cols,
              F77_CALL(dtrsm)(&side, "U", &trans, "N", &rows, &cols, &one, R,
                              &ldr, B, &ldb FCONE FCONE FCONE FCONE));
}

/* ---- orthonormal bases -------------------------------------------------- */

rs_status rs_qr_init(rs_context *ctx, int rows, int cols, rs_qr_ws *ws)
{
    if (rows < cols)
        return RS_BAD_INPUT;
    ws->rows = rows;
    ws->cols = cols;
    ws->lwork = 64 * rs_max_int(cols, 1); /* for blocks of 64 columns */
    ws->work = rs_alloc_double(ctx, (size_t)ws->lwork);
    ws->tau = rs_alloc_double(ctx, (size_t)cols);
    ws->R = rs_alloc_double(ctx, (size_t)cols * cols);
    ws->iwork = NULL;
    return rs_allocated(ctx);
}

rs_status rs_qr_svd_init(rs_context *ctx, rs_qr_ws *ws)
{
    const double wanted = ws->cols * (4.0 * ws->cols + 64.0 + 7.0);
    const size_t cols = (size_t)ws->cols;
    if (wanted > INT_MAX)
        return RS_NO_MEMORY;
    ws->lwork = rs_max_int((int)wanted, 1);
    ws->work = rs_alloc_double(ctx, (size_t)ws->lwork);
    ws->sigma = rs_alloc_double(ctx, cols);
    RS_ALLOC_DOUBLES(ctx, cols * cols, &ws->left, &ws->rightT);
    ws->iwork = rs_alloc_int(ctx, 8 * cols);
    return rs_allocated(ctx);
}

/* make the diagonal of R nonnegative; the signs move into Q */
static void fix_signs(int rows, int cols, double *Q, double *R)
{
    for (int k = 0; k < cols; k++) {
        if (R[k + (size_t)k * cols] >= 0.0)
            continue;
        rs_scale((size_t)rows, -1.0, Q + (size_t)k * rows);
        for (int j = k; j < cols; j++)
            R[k + (size_t)j * cols] = -R[k + (size_t)j * cols];
    }
}

rs_status rs_qr_orthonormal(int rows, int cols, double *A, rs_qr_ws *ws)
{
    int info = 0;

    if (rows > ws->rows || cols > ws->cols)
        return RS_BAD_INPUT;
    const int had = hold_threads((double)rows * cols * cols);
    F77_CALL(dgeqrf)
    (&rows, &cols, A, &rows, ws->tau, ws->work, &ws->lwork, &info);
    if (info == 0) {
        for (int j = 0; j < cols; j++)
            for (int i = 0; i < cols; i++)
                ws->R[i + (size_t)j * cols] =
                    i <= j ? A[i + (size_t)j * rows] : 0.0;
        F77_CALL(dorgqr)
        (&rows, &cols, &cols, A, &rows, ws->tau, ws->work, &ws->lwork, &info);
    }
    rs_blas_release(had);
    if (info != 0)
        return RS_LAPACK_FAILED;
    fix_signs(rows, cols, A, ws->R);
    return RS_OK;
}

rs_status rs_qr_svd_of_r(int cols, rs_qr_ws *ws)
{
    int info = 0;
    if (cols > ws->cols || ws->iwork == NULL)
        return RS_BAD_INPUT;
    if (!rs_all_finite((size_t)cols * cols, ws->R))
        return RS_NOT_FINITE;
    CALL_HELD(cube(cols),
              F77_CALL(dgesdd)("A", &cols, &cols, ws->R, &cols, ws->sigma,
                               ws->left, &cols, ws->rightT, &cols, ws->work,
                               &ws->lwork, ws->iwork, &info FCONE));
    return info == 0 ? RS_OK : RS_LAPACK_FAILED;
}
