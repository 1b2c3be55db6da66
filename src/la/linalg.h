/*
 * la/linalg.h: BLAS and LAPACK under readable names.
 *
 * Dimensions are ints, as BLAS wants them; lengths of whole matrices are
 * size_t and are cut into pieces that fit. LAPACK routines take a workspace
 * that was sized once by a query.
 */
#ifndef RS_LINALG_H
#define RS_LINALG_H

#include "base/core.h"

/* ---- vectors (any length) -------------------------------------------- */

double rs_dot(size_t n, const double *x, const double *y);
double rs_sum(int n, const double *x);
double rs_sum_moduli(size_t n, const double *x);
/* the largest entry, at least 0 */
double rs_largest(int n, const double *x);
double rs_norm(size_t n, const double *x);
double rs_sum_squares(size_t n, const double *x);
/* ||x - y|| */
double rs_distance(size_t n, const double *x, const double *y);
/* out = x - y */
void rs_subtract(size_t n, const double *x, const double *y, double *out);
/* the power of two next to x, within 2^1000 and its inverse, so that both are
 * numbers; 1 where x is not positive or not finite */
double rs_power_near(double x);
/* y += a x */
void rs_axpy(size_t n, double a, const double *x, double *y);
void rs_scale(size_t n, double a, double *x);
void rs_copy(size_t n, const double *x, double *y);
void rs_fill(size_t n, double a, double *x);

/* [a, b] <- [cosine a + sine b, cosine b - sine a] */
void rs_rotate(size_t n, double cosine, double sine, double *a, double *b);
/* rows l, l + 1 of R (k columns) are rotated so that R[l + 1, l] vanishes */
void rs_rotate_rows(int k, int ldr, double *R, int l, double *cosine,
                    double *sine);

/* norms[i] = Euclidean norm of row i of the d x m matrix W; returns their sum */
double rs_row_norms(int d, int m, const double *W, double *norms);
/* their squares */
void rs_row_squares(int d, int m, const double *W, double *squares);
/* the columns of W (d x m) divided by their norms, but for those that are 0 */
void rs_unit_columns(int d, int m, double *W);
/* W <- diag(scale) W; scale = NULL: the identity */
void rs_scale_rows(int d, int m, const double *scale, double *W);

/* ---- products --------------------------------------------------------- */

/* C = alpha op(A) op(B) + beta C, C is rows x cols, op(A) is rows x inner */
void rs_gemm(char trans_a, char trans_b, int rows, int cols, int inner,
             double alpha, const double *A, int lda, const double *B, int ldb,
             double beta, double *C, int ldc);
/* the same, some columns of C at a time, with polls between them */
rs_status rs_gemm_polled(rs_context *ctx, char trans_a, char trans_b, int rows,
                         int cols, int inner, double alpha, const double *A,
                         int lda, const double *B, int ldb, double beta,
                         double *C, int ldc);
/* C (rows x cols) = alpha A B, all contiguous, some columns of A at a time, which are
 * many */
rs_status rs_times_polled(rs_context *ctx, int rows, int inner, int cols,
                          double alpha, const double *A, const double *B,
                          double *C);
/* C (rows x cols) = A (rows x inner) B (inner x cols), all contiguous */
void rs_matmul(int rows, int inner, int cols, const double *A, const double *B,
               double *C);
/* C (p x q) = A' B with A (rows x p) and B (rows x q), all contiguous */
void rs_crossprod(int rows, int p, int q, const double *A, const double *B,
                  double *C);
/* G (p x p, both triangles) = A' A with A (rows x p) */
void rs_gram(int rows, int p, const double *A, double *G);
/* rows that a product takes at a time in what follows */
#define RS_GRAM_DEPTH 384
/* upper triangle of G (d x d) += Z'Z, Z is n x d with columns ldz apart */
rs_status rs_gram_add(rs_context *ctx, int n, int d, const double *Z, int ldz,
                      double *G);
/* upper triangle of K (p x p) += A A' with A (p x q) */
void rs_syrk_add(int p, int q, const double *A, int lda, double *K);
/* y = alpha op(A) x + beta y, A is rows x cols */
void rs_gemv(char trans, int rows, int cols, double alpha, const double *A,
             int lda, const double *x, double beta, double *y);
/* copy the upper triangle of the p x p matrix into the lower one */
void rs_mirror_upper(int p, double *G);
/* G <- (G + G') / 2, in place, p x p */
void rs_symmetrise(int p, double *G);

/* ---- operators ---------------------------------------------------------- */

/* a symmetric matrix that is known by its products only: AV (d x m) = A V */
typedef rs_status (*rs_apply_fn)(void *state, int m, const double *V,
                                 double *AV);

typedef struct {
    rs_apply_fn apply;
    void *state;
} rs_operator;

/* ---- symmetric eigenproblems ------------------------------------------ */

typedef struct {
    int order; /* largest matrix order served */
    int lwork, liwork;
    double *work;
    int *iwork;
    int *isuppz;          /* 2 * order */
    double *copy;         /* order x order: dsyevr destroys its input */
    double *vectors;      /* all of a matrix of up to RS_PANEL columns */
    double unit, largest; /* of the copy; its largest entry */
} rs_eigen_ws;

rs_status rs_eigen_init(rs_context *ctx, int order, rs_eigen_ws *ws);

/*
 * The `count` largest eigenvalues of the symmetric p x p matrix A (upper triangle
 * read, A kept), in DEscending order, with eigenvectors in the columns of V (p x
 * count), or V = NULL for values only. `values` has room for p numbers.
 */
rs_status rs_eigen_largest(int p, const double *A, int count, double *values,
                           double *V, rs_eigen_ws *ws);
/* these eigenvalues and their sum */
rs_status rs_eigen_sum(int p, const double *A, int count, double *values,
                       double *sum, rs_eigen_ws *ws);

/*
 * All eigenpairs of A above `threshold`, descending; *count says how many.
 * V has room for p x p, values for p numbers.
 */
rs_status rs_eigen_above(int p, const double *A, double threshold, int *count,
                         double *values, double *V, rs_eigen_ws *ws);

/* ---- Cholesky ---------------------------------------------------------- */

/* A = R'R, upper triangle overwritten by R; RS_SINGULAR if not positive */
rs_status rs_cholesky(int p, double *A, int lda);
/* the same for a contiguous A, in pieces with polls between them where it is large */
rs_status rs_cholesky_polled(rs_context *ctx, int p, double *A);
/* solve (R'R) X = B in place, B is p x q */
rs_status rs_cholesky_solve(int p, int q, const double *R, int ldr, double *B,
                            int ldb);
/* R (upper triangle) <- (R'R)^{-1}, both triangles */
rs_status rs_cholesky_inverse(int p, double *R);
/* the same with polls */
rs_status rs_cholesky_inverse_polled(rs_context *ctx, int p, double *R);
/*
 * B <- op(R)^{-1} B (side 'L') or B op(R)^{-1} (side 'R'), R upper
 * triangular, B is rows x cols, trans 'N' or 'T'
 */
void rs_triangular_solve(char side, char trans, int rows, int cols,
                         const double *R, int ldr, double *B, int ldb);

/* ---- orthonormal bases -------------------------------------------------- */

typedef struct {
    int rows, cols;
    int lwork;
    double *work;
    double *tau;                       /* cols */
    double *R, *left, *rightT, *sigma; /* cols x cols (sigma: cols) */
    int *iwork;                        /* 8 * cols */
} rs_qr_ws;

/* for rows x cols matrices with rows >= cols */
rs_status rs_qr_init(rs_context *ctx, int rows, int cols, rs_qr_ws *ws);
/*
 * A <- Q of its QR factorisation with a nonnegative diagonal of R, which is
 * the retraction that is continuous at the identity; orthonormal columns
 * also when A is rank deficient. ws->R receives R (upper triangle).
 */
rs_status rs_qr_orthonormal(int rows, int cols, double *A, rs_qr_ws *ws);
/* room for rs_qr_svd_of_r(), after rs_qr_init() */
rs_status rs_qr_svd_init(rs_context *ctx, rs_qr_ws *ws);
/* SVD of the small matrix ws->R: R = left diag(sigma) rightT */
rs_status rs_qr_svd_of_r(int cols, rs_qr_ws *ws);

#endif
