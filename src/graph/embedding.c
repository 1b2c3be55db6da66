#include "graph/graph.h"

#include <math.h>

#include "base/random.h"
#include "eigen/leading.h"
#include "la/linalg.h"

/*
 * The smallest eigenpairs of a sparse positive semidefinite
 * operator, whose product with a block of vectors costs far less than making
 * the block orthonormal.
 *
 * Subspace iteration with a Chebyshev polynomial of the operator in place of
 * the operator (Zhou, Saad, Tiago and Chelikowsky, 2006). The polynomial is
 * small on what lies above the block and grows fast below; its degree follows
 * the gap. The whole block converges together, so repeated eigenvalues are
 * found as often as the block is wide.
 */

/* columns in addition to the wanted ones: so many, or this share of them */
#define RS_GUARD 8
#define RS_GUARD_SHARE 0.4
/* log of what a round should gain on the last wanted pair, and of the most it
 * may gain on the first without drowning the others */
#define RS_GAIN 9.0
#define RS_MOST_GAIN 25.0
/* share of the spectrum above the last wanted value that the filter spares at
 * least, so that something grows, and above a repeated one */
#define RS_LEAST_SPARED 1.5e-5
#define RS_SPARED 1e-3
/* no cut is closer to the end of the spectrum */
#define RS_HIGHEST_CUT 0.95
#define RS_LEAST_DEGREE 6
#define RS_MOST_DEGREE 400

/* L + away t t' with its trivial eigenvector t, which is not wanted */
typedef struct {
    rs_laplacian *L;
    int n, wanted, p;      /* p: columns of the block */
    double bound;          /* of the eigenvalues of L */
    double away, *trivial; /* n: t, of norm 1, or 0 */
    double *parts;         /* p: products with it */
    double *V;             /* n x p: Ritz vectors */
    double *values;        /* p: ascending */
    double *x[3];          /* p x n each: the recurrence */
    rs_ritz ritz;
} filter;

/* y = (L + away t t') x for the m numbers of a sample side by side */
static rs_status apply_rows(filter *f, int m, const double *x, double *y)
{
    RS_TRY(rs_laplacian_apply_rows(f->L, m, x, y));
    rs_gemv('N', m, f->n, f->away, x, m, f->trivial, 0.0, f->parts);
    for (int i = 0; i < f->n; i++)
        rs_axpy((size_t)m, f->trivial[i], f->parts, y + (size_t)i * m);
    return RS_OK;
}

/* ---- the polynomial --------------------------------------------------------- */

/* to = sign times the transpose of `from`, rows x cols: the numbers of a sample
 * side by side, and back */
static void turn(int rows, int cols, double sign, const double *from,
                 double *to)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            to[j + (size_t)i * cols] = sign * from[i + (size_t)j * rows];
}

/* next = a (Ay - c y) - b x for `size` numbers, Ay in `next` */
static void recur(size_t size, double a, double b, double c,
                  const double *restrict y, const double *restrict x,
                  double *restrict next)
{
#pragma omp simd
    for (size_t at = 0; at < size; at++)
        next[at] = a * (next[at] - c * y[at]) - b * x[at];
}

/* log of the growth per degree at `value`, relative to the cut */
static double growth(double bound, double cut, double value)
{
    const double outside = 2.0 * (cut - value) / (bound - cut);
    return outside > 0.0 ? log1p(outside + sqrt(outside * (outside + 2.0)))
                         : 0.0;
}

/*
 * V[, first..] <- T(L) V[, first..], T the Chebyshev polynomial of that degree
 * on [cut, bound], scaled to 1 at 0. With e and c half the length and the
 * middle of the interval:
 *     x_1 = (s_1 / e) (L - c) x_0,      s_1 = -e / c
 *     x_(k+1) = (2 s' / e) (L - c) x_k - s s' x_(k-1),  s' = 1 / (2 / s_1 - s)
 */
static rs_status apply_filter(filter *f, int first, int degree, double cut)
{
    const int m = f->p - first;
    const size_t size = (size_t)m * f->n;
    const double e = 0.5 * (f->bound - cut), c = 0.5 * (f->bound + cut);
    const double s_1 = -e / c;
    double *V = f->V + (size_t)first * f->n;
    double *x = f->x[0], *y = f->x[1], *next = f->x[2], s = s_1;
    turn(f->n, m, 1.0, V, x);
    rs_fill(size, 0.0, next);
    RS_TRY(apply_rows(f, m, x, y));
    recur(size, s_1 / e, 0.0, c, x, next, y);
    for (int k = 1; k < degree; k++) {
        const double later = 1.0 / (2.0 / s_1 - s);
        RS_TRY(apply_rows(f, m, y, next));
        recur(size, 2.0 * later / e, s * later, c, y, x, next);
        double *free_one = x;
        x = y;
        y = next;
        next = free_one;
        s = later;
    }
    turn(m, f->n, 1.0, y, V);
    return RS_OK;
}

/*
 * The filter spares what lies below the largest Ritz value, and more where the block
 * cannot tell that one from the wanted ones: where an eigenvalue is repeated more
 * often than the block is wide, a cut next to it would let nothing grow.
 */
static double choose_cut(const filter *f)
{
    const double last = f->values[f->wanted - 1], above = f->values[f->p - 1];
    const double error = rs_largest(f->wanted, f->ritz.norms);
    const double spared = above - last > error ? RS_LEAST_SPARED : RS_SPARED;
    return fmin(fmax(above, last + spared * f->bound),
                RS_HIGHEST_CUT * f->bound);
}

static int choose_degree(const filter *f, double cut)
{
    const double bound = f->bound;
    const double last = growth(bound, cut, f->values[f->wanted - 1]);
    const double first = growth(bound, cut, f->values[0]);
    double degree = RS_GAIN / fmax(last, RS_GAIN / RS_MOST_DEGREE);
    degree = fmin(degree, RS_MOST_GAIN / fmax(first, 1e-3));
    return rs_max_int(RS_LEAST_DEGREE, (int)degree);
}

/* ---- the block ---------------------------------------------------------------- */

/* AV = -(L + away t t') V, columns of length n */
static rs_status apply_negative(void *state, int m, const double *V,
                                double *AV)
{
    filter *f = (filter *)state;
    turn(f->n, m, 1.0, V, f->x[0]);
    RS_TRY(apply_rows(f, m, f->x[0], f->x[1]));
    turn(m, f->n, -1.0, f->x[1], AV);
    return RS_OK;
}

/* Ritz pairs of the block, ascending */
static rs_status find_pairs(filter *f)
{
    const rs_operator negative = {apply_negative, f};
    const rs_ritz_control once = {.maxit = 1};
    const rs_status status = rs_ritz_largest(&negative, &once, f->p, f->V,
                                             f->values, f->V, &f->ritz);
    rs_scale((size_t)f->p, -1.0, f->values);
    return status == RS_MAXIT ? RS_OK : status;
}

static rs_status by_filter(rs_context *ctx, double tol, int maxit, filter *f)
{
    const double limit = tol * f->bound;
    for (int c = 0; c < f->p; c++)
        rs_quasi_random((size_t)f->n, (size_t)c, f->V + (size_t)c * f->n);
    RS_TRY(rs_ritz_init(ctx, f->n, f->p, f->p, f->p, &f->ritz));
    RS_TRY(find_pairs(f));
    for (int round = 0;; round++) {
        int converged = 0;
        while (converged < f->wanted && f->ritz.norms[converged] <= limit)
            converged++;
        if (converged == f->wanted)
            return RS_OK;
        if (round == maxit)
            return RS_MAXIT;
        const double cut = choose_cut(f);
        RS_TRY(apply_filter(f, converged, choose_degree(f, cut), cut));
        RS_TRY(find_pairs(f));
    }
}

/* ---- of a Laplacian ------------------------------------------------------------ */

/* the largest of -(L + away t t'), the trivial one of which comes last */
static rs_status by_lapack(rs_context *ctx, filter *f)
{
    const size_t n = (size_t)f->n;
    double unused, *A = rs_alloc_double(ctx, n * n);
    RS_TRY_ALLOC(A);
    for (size_t j = 0; j < n; j++) {
        rs_fill(n, 0.0, f->V);
        f->V[j] = 1.0;
        RS_TRY(apply_negative(f, 1, f->V, A + n * j));
    }
    const rs_leading_operator whole = rs_leading_explicit(f->n, A);
    RS_TRY(rs_leading_find(ctx, &whole, f->wanted, &rs_leading_accurate,
                           f->values, f->V, &unused));
    rs_scale((size_t)f->wanted, -1.0, f->values);
    return RS_OK;
}

rs_status rs_embedding(rs_context *ctx, rs_laplacian *L, int m, double tol,
                       int maxit, double *values, double *V, double *residual)
{
    const int n = L->W->n, is_dense = rs_leading_is_dense(n, m);
    rs_status status;
    if (m < 1 || m >= n)
        return RS_BAD_INPUT;
    filter f = {
        .L = L,
        .n = n,
        .wanted = m,
        .p = rs_min_int(n - 1,
                        m + rs_max_int(RS_GUARD, (int)(RS_GUARD_SHARE * m))),
        .bound = L->kind == RS_LAPLACIAN_UNNORMALIZED
                     ? 2.0 * rs_largest(n, L->degree)
                     : 2.0};
    f.away = is_dense ? 2.0 * f.bound + 1.0 : f.bound;
    const size_t size = (size_t)n * f.p;
    f.trivial = rs_alloc_double(ctx, (size_t)n);
    RS_ALLOC_DOUBLES(ctx, size, &f.V, &f.x[0], &f.x[1], &f.x[2]);
    RS_ALLOC_DOUBLES(ctx, (size_t)f.p, &f.values, &f.parts);
    RS_TRY(rs_allocated(ctx));
    rs_laplacian_trivial(L, f.trivial);
    status = is_dense ? by_lapack(ctx, &f) : by_filter(ctx, tol, maxit, &f);
    if (!rs_is_usable(status))
        return status;
    for (int c = 0; c < m; c++) {
        const double *v = f.V + (size_t)n * c;
        RS_TRY(apply_negative(&f, 1, v, f.x[2]));
        rs_axpy((size_t)n, f.values[c], v, f.x[2]);
        residual[c] = rs_norm((size_t)n, f.x[2]);
        values[c] = fmax(f.values[c], 0.0);
    }
    rs_copy((size_t)n * m, f.V, V);
    return status;
}
