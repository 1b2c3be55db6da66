#include "graph/embedding.h"

#include <math.h>

#include "base/random.h"
#include "eigen/leading.h"
#include "la/linalg.h"

/* ---- by a filter ------------------------------------------------------------ */

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
/* the same for the rounding errors that an eigenvector left out comes from */
#define RS_KNOWN_GAIN 12.0
/* share of the spectrum above a repeated eigenvalue that the filter spares */
#define RS_SPARED 0.01
#define RS_LEAST_SPARED 1.5e-5 /* lets something grow by RS_MOST_DEGREE */
/* no cut is closer to the end of the spectrum */
#define RS_HIGHEST_CUT 0.95
#define RS_LEAST_DEGREE 6
#define RS_MOST_DEGREE 400

typedef struct {
    rs_laplacian *L;
    double bound;                /* of its eigenvalues */
    const double *trivial;       /* n: its eigenvector left out, or NULL */
    int n, wanted, p;            /* p: columns of the block */
    double *V;                   /* n x p: Ritz vectors */
    double *values;              /* p: ascending */
    double *x[3];                /* p x n each: the recurrence */
    double *parts;               /* p: products with that vector */
    double spared, spared_error; /* see choose_cut() */
    rs_ritz ritz;
} filter;

int rs_embedding_block(int n, int wanted)
{
    int guard = rs_max_int(RS_GUARD, (int)(RS_GUARD_SHARE * wanted));
    return rs_min_int(n, wanted + guard);
}

static rs_status new_filter(rs_context *ctx, rs_laplacian *L,
                            const double *trivial, int wanted, filter *f)
{
    const int n = L->W->n;
    const int p =
        rs_min_int(n - (trivial != NULL), rs_embedding_block(n, wanted));
    const size_t size = (size_t)n * p;
    *f = (filter){.L = L,
                  .bound = rs_laplacian_bound(L),
                  .trivial = trivial,
                  .n = n,
                  .wanted = wanted,
                  .p = p,
                  .spared = RS_SPARED};
    RS_ALLOC_DOUBLES(ctx, size, &f->V, &f->x[0], &f->x[1], &f->x[2]);
    RS_ALLOC_DOUBLES(ctx, (size_t)p, &f->values, &f->parts);
    RS_TRY(rs_allocated(ctx));
    for (int c = 0; c < p; c++)
        rs_quasi_random((size_t)n, (size_t)c, f->V + (size_t)c * n);
    return rs_ritz_init(ctx, n, p, p, p, &f->ritz);
}

/* ---- the polynomial --------------------------------------------------------- */

/* m columns of length n side by side in every row, and back */
static void interleave(int n, int m, const double *columns, double *rows)
{
    for (int c = 0; c < m; c++, columns += n)
        for (int i = 0; i < n; i++)
            rows[c + (size_t)i * m] = columns[i];
}

static void separate(int n, int m, double sign, const double *rows,
                     double *columns)
{
    for (int c = 0; c < m; c++, columns += n)
        for (int i = 0; i < n; i++)
            columns[i] = sign * rows[c + (size_t)i * m];
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

/* degrees after which the rounding of the trivial eigenvector, whose value may
 * be 0, has grown as far as it may */
static int degrees_until_trivial(const filter *f, double cut)
{
    const double rate = growth(f->bound, cut, 0.0);
    if (!f->trivial || rate * RS_MOST_DEGREE < RS_KNOWN_GAIN)
        return RS_MOST_DEGREE;
    return rs_max_int(1, (int)(RS_KNOWN_GAIN / rate));
}

/* x (m x n) less its share of the trivial eigenvector */
static void remove_trivial(const filter *f, int m, double *x)
{
    rs_gemv('N', m, f->n, 1.0, x, m, f->trivial, 0.0, f->parts);
    for (int i = 0; i < f->n; i++)
        for (int c = 0; c < m; c++)
            x[c + (size_t)i * m] -= f->trivial[i] * f->parts[c];
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
    const int often = degrees_until_trivial(f, cut);
    const int m = f->p - first;
    const size_t size = (size_t)m * f->n;
    const double e = 0.5 * (f->bound - cut), c = 0.5 * (f->bound + cut);
    const double s_1 = -e / c;
    double *V = f->V + (size_t)first * f->n;
    double *x = f->x[0], *y = f->x[1], *next = f->x[2], s = s_1;
    interleave(f->n, m, V, x);
    rs_fill(size, 0.0, next);
    RS_TRY(rs_laplacian_apply_rows(f->L, m, x, y));
    recur(size, s_1 / e, 0.0, c, x, next, y);
    for (int k = 1; k < degree; k++) {
        const double later = 1.0 / (2.0 / s_1 - s);
        RS_TRY(rs_laplacian_apply_rows(f->L, m, y, next));
        recur(size, 2.0 * later / e, s * later, c, y, x, next);
        double *free_one = x;
        x = y;
        y = next;
        next = free_one;
        s = later;
        if (k % often == 0) {
            remove_trivial(f, m, x);
            remove_trivial(f, m, y);
        }
    }
    separate(f->n, m, 1.0, y, V);
    return RS_OK;
}

/* largest residual of the wanted pairs */
static double worst(const filter *f)
{
    double largest = 0.0;
    for (int c = 0; c < f->wanted; c++)
        largest = fmax(largest, f->ritz.norms[c]);
    return largest;
}

/*
 * The filter spares what lies below the largest Ritz value, unless the block
 * cannot tell that one from the wanted ones: where an eigenvalue is repeated
 * more often than the block is wide, a cut next to it would let nothing
 * grow. Then a part of the spectrum is spared, less of it when that gains
 * nothing.
 */
static double choose_cut(filter *f)
{
    const double bound = f->bound, last = f->values[f->wanted - 1];
    const double above = f->values[f->p - 1], error = worst(f);
    const double least = fmax(above, last + RS_LEAST_SPARED * bound);
    if (above - last > error)
        return least;
    if (f->spared_error > 0.0 && error > 0.2 * f->spared_error)
        f->spared *= 0.25;
    f->spared_error = error;
    return fmax(least, fmin(last + f->spared * bound, 0.5 * bound));
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

/* AV = -L V, columns of length n */
static rs_status apply_negative(void *state, int m, const double *V,
                                double *AV)
{
    const filter *f = (const filter *)state;
    interleave(f->n, m, V, f->x[0]);
    RS_TRY(rs_laplacian_apply_rows(f->L, m, f->x[0], f->x[1]));
    separate(f->n, m, -1.0, f->x[1], AV);
    return RS_OK;
}

/* Ritz pairs of the block, ascending, orthogonal to the trivial eigenvector */
static rs_status find_pairs(filter *f)
{
    const size_t n = (size_t)f->n;
    const rs_operator negative = {apply_negative, f};
    const rs_ritz_control once = {.maxit = 1};
    for (int c = 0; c < f->p; c++) {
        double *v = f->V + n * c;
        const double norm = rs_norm(n, v);
        rs_scale(n, norm > 0.0 ? 1.0 / norm : 1.0, v);
        for (int pass = 0; pass < 2 && f->trivial; pass++)
            rs_axpy(n, -rs_dot(n, f->trivial, v), f->trivial, v);
    }
    rs_status status = rs_ritz_largest(&negative, &once, f->p, f->V, f->values,
                                       f->V, &f->ritz);
    for (int c = 0; c < f->p; c++)
        f->values[c] = -f->values[c];
    return status == RS_MAXIT ? RS_OK : status;
}

/* how many of the wanted pairs, the smallest first, have converged */
static int count_converged(const filter *f, double limit)
{
    int count = 0;
    while (count < f->wanted && f->ritz.norms[count] <= limit)
        count++;
    return count;
}

/* the smallest pairs beside the trivial one, unless that is NULL, as
 * rs_embedding() tells them */
static rs_status by_filter(rs_context *ctx, rs_laplacian *L, int wanted,
                           const double *trivial,
                           const rs_embedding_control *control, double *values,
                           double *V, double *residual)
{
    filter f;
    int converged = 0;
    RS_TRY(new_filter(ctx, L, trivial, wanted, &f));
    const double limit = control->tol * f.bound;
    RS_TRY(find_pairs(&f));
    for (int round = 0; round < control->maxit; round++) {
        converged = count_converged(&f, limit);
        if (converged == wanted)
            break;
        const double cut = fmin(choose_cut(&f), RS_HIGHEST_CUT * f.bound);
        RS_TRY(apply_filter(&f, converged, choose_degree(&f, cut), cut));
        RS_TRY(find_pairs(&f));
    }
    converged = count_converged(&f, limit);
    rs_copy((size_t)wanted, f.values, values);
    rs_copy((size_t)wanted, f.ritz.norms, residual);
    rs_copy((size_t)f.n * wanted, f.V, V);
    return converged == wanted ? RS_OK : RS_MAXIT;
}

/* ---- of a Laplacian ------------------------------------------------------------ */

/* the smallest of L are the largest of -L - (bound + 1) t t', t the trivial
 * vector, which then comes last */
static rs_status by_lapack(rs_context *ctx, rs_laplacian *L, int m,
                           const double *trivial, double *values, double *V,
                           double *residual)
{
    const size_t n = (size_t)L->W->n;
    const double away = 2.0 * rs_laplacian_bound(L) + 1.0;
    double *A = rs_alloc_double(ctx, n * n);
    double *one = rs_alloc_double(ctx, n);
    RS_TRY(rs_allocated(ctx));
    for (size_t j = 0; j < n; j++) {
        rs_fill(n, 0.0, one);
        one[j] = -1.0;
        RS_TRY(rs_laplacian_apply(L, 1, one, A + n * j));
        rs_axpy(n, -away * trivial[j], trivial, A + n * j);
    }
    const rs_leading_operator whole = rs_leading_explicit((int)n, A);
    double unused;
    RS_TRY(rs_leading_find(ctx, &whole, m, &rs_leading_accurate, values, V,
                           &unused));
    for (int c = 0; c < m; c++) {
        const double *v = V + n * c;
        values[c] = -values[c];
        RS_TRY(rs_laplacian_apply(L, 1, v, one));
        rs_axpy(n, -values[c], v, one);
        residual[c] = rs_norm(n, one);
    }
    return RS_OK;
}

rs_status rs_embedding(rs_context *ctx, rs_laplacian *L, int m,
                       const rs_embedding_control *control, double *values,
                       double *V, double *residual)
{
    static const rs_embedding_control usual = {RS_EMBEDDING_TOL,
                                               RS_EMBEDDING_MAXIT};
    const int n = L->W->n;
    if (m < 1 || m >= n)
        return RS_BAD_INPUT;
    if (!control)
        control = &usual;
    double *trivial = rs_alloc_double(ctx, (size_t)n);
    RS_TRY_ALLOC(trivial);
    rs_laplacian_trivial(L, trivial);
    const int has_trivial = rs_sum_squares((size_t)n, trivial) > 0.0;
    rs_status status = rs_leading_is_dense(n, m)
                           ? by_lapack(ctx, L, m, trivial, values, V, residual)
                           : by_filter(ctx, L, m, has_trivial ? trivial : NULL,
                                       control, values, V, residual);
    for (int c = 0; c < m && rs_is_usable(status); c++)
        values[c] = fmax(values[c], 0.0);
    return status;
}
