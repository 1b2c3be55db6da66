#include "la/tiled.h"

#include <string.h>

#include "base/core.h"

/* ---- pairs --------------------------------------------------------------- */

/*
 * Two neighbouring numbers, which every processor of today adds and multiplies
 * at once. Compilers find that out by themselves only at levels of
 * optimisation, or in versions, that R cannot be expected to use; GCC and clang
 * have a type for it on every processor.
 */
#ifdef __GNUC__
typedef double rs_pair __attribute__((vector_size(16)));

static inline rs_pair both(double a)
{
    const rs_pair v = {a, a};
    return v;
}

/* c + x y */
static inline rs_pair plus(rs_pair c, rs_pair x, rs_pair y)
{
    return c + x * y;
}

static inline double sum_of(rs_pair v)
{
    return v[0] + v[1];
}
#else
typedef struct {
    double v[2];
} rs_pair;

static inline rs_pair both(double a)
{
    const rs_pair v = {{a, a}};
    return v;
}

static inline rs_pair plus(rs_pair c, rs_pair x, rs_pair y)
{
    c.v[0] += x.v[0] * y.v[0];
    c.v[1] += x.v[1] * y.v[1];
    return c;
}

static inline double sum_of(rs_pair v)
{
    return v.v[0] + v.v[1];
}
#endif

static inline rs_pair load(const double *from)
{
    rs_pair v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void store(double *to, rs_pair v)
{
    memcpy(to, &v, sizeof v);
}

/* ---- A B: tiles of 8 rows and 2 columns ----------------------------------- */

#define RS_TILE_ROWS 8 /* rows of a tile */
/* terms added up in registers: their rows of A and B stay in the cache */
#define RS_TERMS 128
/* from so many columns on a strip of A is copied first: its columns, far from
 * each other, may take each other's place in the cache */
#define RS_COPIED_FROM 16
/* columns of B' copied at a time */
#define RS_TURNED 16

/* c[0..7] += alpha sum_l a[, l] s[l] and d[0..7] += alpha sum_l a[, l] t[l],
 * columns of a lda apart */
static void tile_8x2(int terms, const double *a, size_t lda, const double *s,
                     const double *t, double alpha, double *c, double *d)
{
    const rs_pair zero = both(0.0), factor = both(alpha);
    rs_pair c0 = zero, c1 = zero, c2 = zero, c3 = zero;
    rs_pair d0 = zero, d1 = zero, d2 = zero, d3 = zero;
    for (int l = 0; l < terms; l++, a += lda) {
        const rs_pair u = both(s[l]), v = both(t[l]);
        const rs_pair x0 = load(a), x1 = load(a + 2);
        c0 = plus(c0, x0, u);
        d0 = plus(d0, x0, v);
        c1 = plus(c1, x1, u);
        d1 = plus(d1, x1, v);
        const rs_pair x2 = load(a + 4), x3 = load(a + 6);
        c2 = plus(c2, x2, u);
        d2 = plus(d2, x2, v);
        c3 = plus(c3, x3, u);
        d3 = plus(d3, x3, v);
    }
    store(c, plus(load(c), factor, c0));
    store(c + 2, plus(load(c + 2), factor, c1));
    store(c + 4, plus(load(c + 4), factor, c2));
    store(c + 6, plus(load(c + 6), factor, c3));
    store(d, plus(load(d), factor, d0));
    store(d + 2, plus(load(d + 2), factor, d1));
    store(d + 4, plus(load(d + 4), factor, d2));
    store(d + 6, plus(load(d + 6), factor, d3));
}

/* rows of A, zeros below them, next to each other */
static void copy_strip(int rows, int terms, const double *A, int lda,
                       double *strip)
{
    for (int l = 0; l < terms; l++, A += lda, strip += RS_TILE_ROWS) {
        if (rows == RS_TILE_ROWS) {
            memcpy(strip, A, RS_TILE_ROWS * sizeof(double));
            continue;
        }
        for (int i = 0; i < RS_TILE_ROWS; i++)
            strip[i] = i < rows ? A[i] : 0.0;
    }
}

/* C (rows x cols) += alpha A B over at most RS_TERMS terms; C with at most
 * RS_TILE_ROWS rows */
static void add_strip(int rows, int cols, int terms, double alpha,
                      const double *A, int lda, const double *B, int ldb,
                      double *C, int ldc)
{
    double strip[RS_TILE_ROWS * RS_TERMS];
    size_t apart = (size_t)lda;
    if (rows < RS_TILE_ROWS || cols >= RS_COPIED_FROM) {
        copy_strip(rows, terms, A, lda, strip);
        A = strip;
        apart = RS_TILE_ROWS;
    }
    for (int j = 0; j < cols; j += 2) {
        const double *b = B + (size_t)j * ldb;
        double *c = C + (size_t)j * ldc;
        const int last = j + 1 == cols;
        if (!last && rows == RS_TILE_ROWS) {
            tile_8x2(terms, A, apart, b, b + ldb, alpha, c, c + ldc);
            continue;
        }
        double edge[2 * RS_TILE_ROWS] = {0.0};
        memcpy(edge, c, (size_t)rows * sizeof(double));
        if (!last)
            memcpy(edge + RS_TILE_ROWS, c + ldc,
                   (size_t)rows * sizeof(double));
        tile_8x2(terms, A, apart, b, last ? b : b + ldb, alpha, edge,
                 edge + RS_TILE_ROWS);
        memcpy(c, edge, (size_t)rows * sizeof(double));
        if (!last)
            memcpy(c + ldc, edge + RS_TILE_ROWS,
                   (size_t)rows * sizeof(double));
    }
}

/* C += alpha A B */
static void add_product(int rows, int cols, int inner, double alpha,
                        const double *A, int lda, const double *B, int ldb,
                        double *C, int ldc)
{
    for (int l = 0; l < inner; l += RS_TERMS)
        for (int i = 0; i < rows; i += RS_TILE_ROWS)
            add_strip(rs_min_int(RS_TILE_ROWS, rows - i), cols,
                      rs_min_int(RS_TERMS, inner - l), alpha,
                      A + i + (size_t)l * lda, lda, B + l, ldb, C + i, ldc);
}

/* piece (terms x count) = rows of B' turned round: entry (s, q) is B[q, s] */
static void turn(int count, int terms, const double *B, int ldb, double *piece)
{
    for (int s = 0; s < terms; s++, B += ldb)
        for (int q = 0; q < count; q++)
            piece[s + q * RS_TERMS] = B[q];
}

/* C += alpha A B' */
static void add_product_turned(int rows, int cols, int inner, double alpha,
                               const double *A, int lda, const double *B,
                               int ldb, double *C, int ldc)
{
    double piece[RS_TERMS * RS_TURNED];
    for (int j = 0; j < cols; j += RS_TURNED) {
        const int width = rs_min_int(RS_TURNED, cols - j);
        for (int l = 0; l < inner; l += RS_TERMS) {
            const int terms = rs_min_int(RS_TERMS, inner - l);
            turn(width, terms, B + j + (size_t)l * ldb, ldb, piece);
            add_product(rows, width, terms, alpha, A + (size_t)l * lda, lda,
                        piece, RS_TERMS, C + (size_t)j * ldc, ldc);
        }
    }
}

/* ---- A'B: tiles of 3 rows and up to 3 columns ------------------------------ */

#define RS_SIDE 3
#define RS_DOT_TERMS 256

/* The products of 3 columns a with some columns b over an even number of terms,
 * even and odd terms apart: out[i + 3 j] = a_i'b_j. */
static void tile_3x1(int terms, const double *const *a, const double *const *b,
                     double *out)
{
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *b0 = b[0];
    const rs_pair zero = both(0.0);
    rs_pair c0 = zero, c1 = zero, c2 = zero;
    for (int l = 0; l < terms; l += 2) {
        const rs_pair y = load(b0 + l);
        c0 = plus(c0, load(a0 + l), y);
        c1 = plus(c1, load(a1 + l), y);
        c2 = plus(c2, load(a2 + l), y);
    }
    out[0] = sum_of(c0);
    out[1] = sum_of(c1);
    out[2] = sum_of(c2);
}

static void tile_3x3(int terms, const double *const *a, const double *const *b,
                     double *out)
{
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2];
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2];
    const rs_pair zero = both(0.0);
    rs_pair c0 = zero, c1 = zero, c2 = zero, d0 = zero, d1 = zero, d2 = zero;
    rs_pair e0 = zero, e1 = zero, e2 = zero;
    for (int l = 0; l < terms; l += 2) {
        const rs_pair x0 = load(a0 + l), x1 = load(a1 + l), x2 = load(a2 + l);
        const rs_pair y0 = load(b0 + l);
        c0 = plus(c0, x0, y0);
        c1 = plus(c1, x1, y0);
        c2 = plus(c2, x2, y0);
        const rs_pair y1 = load(b1 + l);
        d0 = plus(d0, x0, y1);
        d1 = plus(d1, x1, y1);
        d2 = plus(d2, x2, y1);
        const rs_pair y2 = load(b2 + l);
        e0 = plus(e0, x0, y2);
        e1 = plus(e1, x1, y2);
        e2 = plus(e2, x2, y2);
    }
    out[0] = sum_of(c0);
    out[1] = sum_of(c1);
    out[2] = sum_of(c2);
    out[3] = sum_of(d0);
    out[4] = sum_of(d1);
    out[5] = sum_of(d2);
    out[6] = sum_of(e0);
    out[7] = sum_of(e1);
    out[8] = sum_of(e2);
}

/* out (3 x 3) = A'B over at most RS_DOT_TERMS terms, A and B with h and w
 * columns; missing ones repeat the last */
static void dots(int h, int w, int terms, const double *A, int lda,
                 const double *B, int ldb, double *out)
{
    const double *a[RS_SIDE], *b[RS_SIDE];
    const int even = terms - terms % 2;
    for (int s = 0; s < RS_SIDE; s++) {
        a[s] = A + (size_t)rs_min_int(s, h - 1) * lda;
        b[s] = B + (size_t)rs_min_int(s, w - 1) * ldb;
    }
    (w == 1 ? tile_3x1 : tile_3x3)(even, a, b, out);
    if (even < terms)
        for (int j = 0; j < w; j++)
            for (int i = 0; i < h; i++)
                out[i + RS_SIDE * j] += a[i][even] * b[j][even];
}

/* C += alpha A'B; `only_upper`: entries on and above the diagonal */
static void add_crossproduct(int rows, int cols, int inner, double alpha,
                             const double *A, int lda, const double *B,
                             int ldb, int only_upper, double *C, int ldc)
{
    double out[RS_SIDE * RS_SIDE];
    for (int l = 0; l < inner; l += RS_DOT_TERMS)
        for (int i = 0; i < rows; i += RS_SIDE)
            for (int j = only_upper ? i : 0; j < cols; j += RS_SIDE) {
                const int h = rs_min_int(RS_SIDE, rows - i);
                const int w = rs_min_int(RS_SIDE, cols - j);
                double *tile = C + i + (size_t)j * ldc;
                dots(h, w, rs_min_int(RS_DOT_TERMS, inner - l),
                     A + l + (size_t)i * lda, lda, B + l + (size_t)j * ldb,
                     ldb, out);
                for (int q = 0; q < w; q++)
                    for (int s = 0; s < h && !(only_upper && i + s > j + q);
                         s++)
                        tile[s + (size_t)q * ldc] +=
                            alpha * out[s + RS_SIDE * q];
            }
}

/* ---- products -------------------------------------------------------------- */

void rs_tiled_gemm(char trans_a, char trans_b, int rows, int cols, int inner,
                   double alpha, const double *A, int lda, const double *B,
                   int ldb, double *C, int ldc)
{
    if (trans_a == 'T')
        add_crossproduct(rows, cols, inner, alpha, A, lda, B, ldb, 0, C, ldc);
    else if (trans_b == 'T')
        add_product_turned(rows, cols, inner, alpha, A, lda, B, ldb, C, ldc);
    else
        add_product(rows, cols, inner, alpha, A, lda, B, ldb, C, ldc);
}

/* upper triangle of C += A A' */
static void add_outer_upper(int p, int inner, const double *A, int lda,
                            double *C, int ldc)
{
    double corner[RS_TURNED * RS_TURNED];
    for (int j = 0; j < p; j += RS_TURNED) {
        const int width = rs_min_int(RS_TURNED, p - j);
        double *column = C + (size_t)j * ldc;
        add_product_turned(j, width, inner, 1.0, A, lda, A + j, lda, column,
                           ldc);
        memset(corner, 0, sizeof corner);
        add_product_turned(width, width, inner, 1.0, A + j, lda, A + j, lda,
                           corner, RS_TURNED);
        for (int q = 0; q < width; q++)
            for (int s = 0; s <= q; s++)
                column[j + s + (size_t)q * ldc] += corner[s + q * RS_TURNED];
    }
}

void rs_tiled_syrk(char trans, int p, int inner, const double *A, int lda,
                   double *C, int ldc)
{
    if (trans == 'T')
        add_crossproduct(p, p, inner, 1.0, A, lda, A, lda, 1, C, ldc);
    else
        add_outer_upper(p, inner, A, lda, C, ldc);
}

/* ---- with a vector ---------------------------------------------------------- */

#define RS_DOTS \
    6 /* columns whose products with a vector are added up at once */

/* out[0..5] = columns of A, lda apart, times x, over an even number of terms */
static void tile_6x1(int terms, const double *A, size_t lda, const double *x,
                     double *out)
{
    const double *a0 = A, *a1 = a0 + lda, *a2 = a1 + lda;
    const double *a3 = a2 + lda, *a4 = a3 + lda, *a5 = a4 + lda;
    const rs_pair zero = both(0.0);
    rs_pair c0 = zero, c1 = zero, c2 = zero, c3 = zero, c4 = zero, c5 = zero;
    for (int l = 0; l < terms; l += 2) {
        const rs_pair y = load(x + l);
        c0 = plus(c0, load(a0 + l), y);
        c1 = plus(c1, load(a1 + l), y);
        c2 = plus(c2, load(a2 + l), y);
        c3 = plus(c3, load(a3 + l), y);
        c4 = plus(c4, load(a4 + l), y);
        c5 = plus(c5, load(a5 + l), y);
    }
    out[0] = sum_of(c0);
    out[1] = sum_of(c1);
    out[2] = sum_of(c2);
    out[3] = sum_of(c3);
    out[4] = sum_of(c4);
    out[5] = sum_of(c5);
}

/* y += alpha A'x */
static void add_transposed(int rows, int cols, double alpha, const double *A,
                           int lda, const double *x, double *y)
{
    const int whole = cols - cols % RS_DOTS, even = rows - rows % 2;
    double out[RS_DOTS];
    for (int j = 0; j < whole; j += RS_DOTS) {
        const double *a = A + (size_t)j * lda;
        tile_6x1(even, a, (size_t)lda, x, out);
        for (int q = 0; q < RS_DOTS; q++) {
            if (even < rows)
                out[q] += a[even + (size_t)q * lda] * x[even];
            y[j + q] += alpha * out[q];
        }
    }
    for (int j = whole; j < cols; j++) {
        const double *a = A + (size_t)j * lda;
        rs_pair sum = both(0.0);
        for (int l = 0; l < even; l += 2)
            sum = plus(sum, load(a + l), load(x + l));
        y[j] +=
            alpha * (sum_of(sum) + (even < rows ? a[even] * x[even] : 0.0));
    }
}

/* rows of y that stay in the cache while the columns go by */
#define RS_ROWS 1024

/* y += a_0 x[0] + ... + a_3 x[3], columns of A lda apart */
static void add_columns_4(int rows, const double *A, size_t lda,
                          const double *x, double *y)
{
    const double *a0 = A, *a1 = A + lda, *a2 = A + 2 * lda, *a3 = A + 3 * lda;
    const rs_pair x0 = both(x[0]), x1 = both(x[1]);
    const rs_pair x2 = both(x[2]), x3 = both(x[3]);
    int i = 0;
    for (; i + 1 < rows; i += 2) {
        const rs_pair first = plus(load(y + i), load(a0 + i), x0);
        const rs_pair second = plus(first, load(a1 + i), x1);
        const rs_pair third = plus(second, load(a2 + i), x2);
        store(y + i, plus(third, load(a3 + i), x3));
    }
    if (i < rows)
        y[i] = (((y[i] + a0[i] * x[0]) + a1[i] * x[1]) + a2[i] * x[2]) +
               a3[i] * x[3];
}

/* y += alpha A x for at most RS_ROWS rows */
static void add_columns(int rows, int cols, double alpha, const double *A,
                        int lda, const double *x, double *y)
{
    int j = 0;
    for (; j + 3 < cols; j += 4) {
        const double four[4] = {alpha * x[j], alpha * x[j + 1],
                                alpha * x[j + 2], alpha * x[j + 3]};
        add_columns_4(rows, A + (size_t)j * lda, (size_t)lda, four, y);
    }
    for (; j < cols; j++) {
        const double *a = A + (size_t)j * lda, one = alpha * x[j];
        for (int i = 0; i < rows; i++)
            y[i] += a[i] * one;
    }
}

void rs_tiled_gemv(char trans, int rows, int cols, double alpha,
                   const double *A, int lda, const double *x, double *y)
{
    if (trans == 'T') {
        add_transposed(rows, cols, alpha, A, lda, x, y);
        return;
    }
    for (int i = 0; i < rows; i += RS_ROWS)
        add_columns(rs_min_int(RS_ROWS, rows - i), cols, alpha, A + i, lda, x,
                    y + i);
}

double rs_tiled_dot(size_t n, const double *x, const double *y)
{
    const size_t whole = n - n % 8;
    rs_pair s0 = both(0.0), s1 = s0, s2 = s0, s3 = s0;
    for (size_t i = 0; i < whole; i += 8) {
        s0 = plus(s0, load(x + i), load(y + i));
        s1 = plus(s1, load(x + i + 2), load(y + i + 2));
        s2 = plus(s2, load(x + i + 4), load(y + i + 4));
        s3 = plus(s3, load(x + i + 6), load(y + i + 6));
    }
    double sum = (sum_of(s0) + sum_of(s1)) + (sum_of(s2) + sum_of(s3));
    for (size_t i = whole; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
