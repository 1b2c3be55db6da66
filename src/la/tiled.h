/*
 * la/tiled.h: products by a register tile, for a BLAS that has none.
 *
 * The BLAS that R brings along is the reference implementation: one multiplication
 * and one addition at a time, which on the thin products of this package is five
 * to ten times slower than an optimised BLAS. la/linalg.c takes these products
 * if rs_blas_is_plain() says so (la/blas.h); nobody else calls them, but their
 * tests.
 *
 * An entry of a product is the same sum in the same order wherever in the
 * matrix it stands, so that equal columns have equal products, up to how a
 * compiler contracts a x + b. NaN and Inf go through, also where the other
 * factor is 0.
 */
#ifndef RS_TILED_H
#define RS_TILED_H

#include <stddef.h>

double rs_tiled_dot(size_t n, const double *x, const double *y);
/* y += alpha op(A) x, A is rows x cols; x and y do not overlap */
void rs_tiled_gemv(char trans, int rows, int cols, double alpha,
                   const double *A, int lda, const double *x, double *y);
/* C += alpha op(A) op(B), C is rows x cols, op(A) is rows x inner; only_upper:
 * what is below the diagonal of C stays as it is */
void rs_tiled_gemm(char trans_a, char trans_b, int rows, int cols, int inner,
                   double alpha, const double *A, int lda, const double *B,
                   int ldb, int only_upper, double *C, int ldc);

#endif
