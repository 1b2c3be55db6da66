#include "la/tiled.h"

#include <string.h>

#include "base/core.h"

/*
 * Two neighbouring numbers, which every processor of today adds and multiplies
 * at once. Compilers find that out by themselves only at levels of
 * optimisation, or in versions, that R cannot be expected to use; GCC and clang
 * have a type for it on every processor. Elsewhere it is one number.
 */
#ifdef __GNUC__
typedef double rs_lanes __attribute__((vector_size(16)));
#else
typedef double rs_lanes;
#endif
#define RS_LANES (sizeof(rs_lanes) / sizeof(double))

/* the tile, and the terms of a sum that are added up in registers */
#define RS_TILE_ROWS 8
#define RS_TILE_COLS 2
#define RS_TILE_PARTS (RS_TILE_ROWS / RS_LANES)
#define RS_TILE_TERMS 256
/* columns of B that are copied at a time */
#define RS_TILE_PANEL 32

static inline rs_lanes load(const double *from)
{
    rs_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* ---- matrices -------------------------------------------------------------- */

/* out[, 0] = sum_l a[, l] b[0, l] and out[, 1] = sum_l a[, l] b[1, l], where a
 * and b hold the numbers of a term next to each other */
static void multiply_tile(int terms, const double *a, const double *b,
                          double *out)
{
    rs_lanes c[RS_TILE_PARTS], d[RS_TILE_PARTS];
#pragma GCC unroll 4
    for (size_t p = 0; p < RS_TILE_PARTS; p++)
        c[p] = d[p] = (rs_lanes){0.0};
    for (int l = 0; l < terms; l++, a += RS_TILE_ROWS, b += RS_TILE_COLS) {
#pragma GCC unroll 4
        for (size_t p = 0; p < RS_TILE_PARTS; p++) {
            const rs_lanes x = load(a + RS_LANES * p);
            c[p] += x * b[0];
            d[p] += x * b[1];
        }
    }
#pragma GCC unroll 4
    for (size_t p = 0; p < RS_TILE_PARTS; p++) {
        memcpy(out + RS_LANES * p, &c[p], sizeof c[p]);
        memcpy(out + RS_TILE_ROWS + RS_LANES * p, &d[p], sizeof d[p]);
    }
}

/* `to` (width x terms): the first `count` numbers of each term, and zeros; the
 * numbers of a term are `apart` from each other, the terms `next` */
static void copy_strip(int width, int count, int terms, const double *from,
                       size_t apart, size_t next, double *to)
{
    for (int s = 0; s < width; s++)
        for (int l = 0; l < terms; l++)
            to[s + (size_t)l * width] =
                s < count ? from[s * apart + l * next] : 0.0;
}

/* C += alpha times the tile at row i and column j of it */
static void add_tile(int rows, int cols, int i, int j, double alpha,
                     const double *tile, int only_upper, double *C, int ldc)
{
    const int height = rs_min_int(RS_TILE_ROWS, rows - i);
    for (int q = 0; q < RS_TILE_COLS && j + q < cols; q++) {
        double *c = C + i + (size_t)(j + q) * ldc;
        for (int s = 0; s < height && !(only_upper && i + s > j + q); s++)
            c[s] += alpha * tile[s + RS_TILE_ROWS * q];
    }
}

void rs_tiled_gemm(char trans_a, char trans_b, int rows, int cols, int inner,
                   double alpha, const double *A, int lda, const double *B,
                   int ldb, int only_upper, double *C, int ldc)
{
    double strip[RS_TILE_ROWS * RS_TILE_TERMS];
    double panel[RS_TILE_PANEL * RS_TILE_TERMS];
    double tile[RS_TILE_ROWS * RS_TILE_COLS];
    /* between the rows of op(A), between its columns, and of op(B) */
    const size_t a_row = trans_a == 'N' ? 1 : (size_t)lda;
    const size_t a_col = trans_a == 'N' ? (size_t)lda : 1;
    const size_t b_row = trans_b == 'N' ? 1 : (size_t)ldb;
    const size_t b_col = trans_b == 'N' ? (size_t)ldb : 1;
    for (int j0 = 0; j0 < cols; j0 += RS_TILE_PANEL)
        for (int l = 0; l < inner; l += RS_TILE_TERMS) {
            const int width = rs_min_int(RS_TILE_PANEL, cols - j0);
            const int terms = rs_min_int(RS_TILE_TERMS, inner - l);
            for (int j = 0; j < width; j += RS_TILE_COLS)
                copy_strip(RS_TILE_COLS, rs_min_int(RS_TILE_COLS, width - j),
                           terms, B + l * b_row + (j0 + j) * b_col, b_col,
                           b_row, panel + j * RS_TILE_TERMS);
            const int last = only_upper ? j0 + width : rows;
            for (int i = 0; i < rs_min_int(last, rows); i += RS_TILE_ROWS) {
                copy_strip(RS_TILE_ROWS, rs_min_int(RS_TILE_ROWS, rows - i),
                           terms, A + i * a_row + l * a_col, a_row, a_col,
                           strip);
                for (int j = 0; j < width; j += RS_TILE_COLS) {
                    multiply_tile(terms, strip, panel + j * RS_TILE_TERMS,
                                  tile);
                    add_tile(rows, cols, i, j0 + j, alpha, tile, only_upper, C,
                             ldc);
                }
            }
        }
}

/* ---- vectors ---------------------------------------------------------------- */

/* rows of y that stay in the cache while the columns go by */
#define RS_TILED_ROWS 1024
/* columns that are added at a time */
#define RS_TILED_COLS 4

double rs_tiled_dot(size_t n, const double *x, const double *y)
{
    enum { STEP = 4 * RS_LANES };
    rs_lanes sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    double parts[STEP], total = 0.0;
    size_t i = 0;
    for (; i + STEP <= n; i += STEP) {
#pragma GCC unroll 4
        for (size_t p = 0; p < 4; p++)
            sum[p] += load(x + i + RS_LANES * p) * load(y + i + RS_LANES * p);
    }
    memcpy(parts, sum, sizeof parts);
    for (size_t p = 0; p < STEP; p++)
        total += parts[p];
    for (; i < n; i++)
        total += x[i] * y[i];
    return total;
}

/* y += alpha A x for at most RS_TILED_COLS columns */
static void add_columns(int rows, int cols, double alpha, const double *A,
                        size_t lda, const double *x, double *restrict y)
{
    double by[RS_TILED_COLS];
    for (int c = 0; c < cols; c++)
        by[c] = alpha * x[c];
    for (int c = 0; c < cols && cols < RS_TILED_COLS; c++)
#pragma omp simd
        for (int i = 0; i < rows; i++)
            y[i] += by[c] * A[i + c * lda];
    if (cols < RS_TILED_COLS)
        return;
#pragma omp simd
    for (int i = 0; i < rows; i++)
        y[i] = (((y[i] + by[0] * A[i]) + by[1] * A[i + lda]) +
                by[2] * A[i + 2 * lda]) +
               by[3] * A[i + 3 * lda];
}

void rs_tiled_gemv(char trans, int rows, int cols, double alpha,
                   const double *A, int lda, const double *x, double *y)
{
    if (trans == 'T') {
        for (int j = 0; j < cols; j++)
            y[j] += alpha * rs_tiled_dot((size_t)rows, A + (size_t)j * lda, x);
        return;
    }
    for (int i = 0; i < rows; i += RS_TILED_ROWS)
        for (int j = 0; j < cols; j += RS_TILED_COLS)
            add_columns(rs_min_int(RS_TILED_ROWS, rows - i),
                        rs_min_int(RS_TILED_COLS, cols - j), alpha,
                        A + i + (size_t)j * lda, (size_t)lda, x + j, y + i);
}
