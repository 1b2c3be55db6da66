/* All sets of a node with at most three features to choose, from the
 * cross-products of its features. */
#include "proof/leaf.h"

#include <float.h>
#include <math.h>

#include "base/select.h"
#include "la/linalg.h"

/* rounding of unit products up to which sets are told apart well enough */
#define RS_LEAF_ERROR 1e-11
/* errors of products that add up in a test of three features, at most */
#define RS_LEAF_ERRORS 64.0
/* sets tested together: a constant length lets the compiler vectorise */
#define RS_LEAF_STRIP 64

rs_status rs_leaf_init(rs_context *ctx, int N, int most_in, int c,
                       rs_leaf *leaf)
{
    const size_t f = (size_t)N + RS_LEAF_STRIP, i = (size_t)most_in;
    *leaf = (rs_leaf){.ctx = ctx, .room = N, .most_in = most_in, .c = c};
    leaf->place = rs_alloc_int(ctx, f);
    leaf->list = rs_alloc_int(ctx, i);
    RS_ALLOC_DOUBLES(ctx, f, &leaf->weight, &leaf->own, &leaf->left,
                     &leaf->mixed, &leaf->rest);
    RS_ALLOC_DOUBLES(ctx, f * f, &leaf->r, &leaf->p);
    RS_ALLOC_DOUBLES(ctx, i * f, &leaf->V, &leaf->X);
    leaf->W = rs_alloc_double(ctx, i * c);
    leaf->A = rs_alloc_double(ctx, i * i);
    leaf->C = rs_alloc_double(ctx, f * c);
    leaf->score = rs_alloc_double(ctx, 2 * f);
    return rs_allocated(ctx);
}

/* ---- how many sets there are --------------------------------------------------- */

/* pairs among weight[from..f) that add up to more than `least` */
static double count_pairs(int from, int f, const double *weight, double least)
{
    double count = 0.0;
    int last = f - 1;
    for (int a = from; a < last; a++) {
        while (last > a && weight[a] + weight[last] <= least)
            last--;
        count += last - a;
    }
    return count;
}

double rs_leaf_count(int f, const double *weight, int m, double least)
{
    double count = 0.0;
    if (m == 1) {
        while (count < f && weight[(int)count] > least)
            count += 1.0;
        return count;
    }
    if (m == 2)
        return count_pairs(0, f, weight, least);
    for (int a = 0; a + 2 < f; a++) {
        const double more = count_pairs(a + 1, f, weight, least - weight[a]);
        if (more == 0.0)
            break;
        count += more;
    }
    return count;
}

static double least_weight(const rs_leaf *leaf)
{
    return leaf->cut(leaf->state) - leaf->base;
}

/* ---- the residual problem --------------------------------------------------------- */

/* the features that are not in every set, by falling weight, as long as they
 * are in a set that may be better */
static void order_features(int N, const unsigned char *in,
                           const double *weight, rs_leaf *leaf)
{
    double *score = leaf->score;
    int f = 0;
    for (int j = 0; j < N; j++) {
        score[j] = in[j] ? -1.0 : weight[j];
        f += !in[j];
    }
    rs_topk_order(N, score, f, leaf->place, score + N);
    double largest = 0.0;
    for (int a = 0; a < rs_min_int(leaf->m - 1, f); a++)
        largest += score[leaf->place[a]];
    const double least = leaf->cut(leaf->state) - leaf->base - largest;
    while (f > leaf->m && score[leaf->place[f - 1]] <= least)
        f--;
    leaf->f = f;
    for (int a = 0; a < f; a++)
        leaf->weight[a] = score[leaf->place[a]];
}

/* V = R^{-T} A_I., W = R^{-T} C_I and E(I) */
static rs_status project(int N, const double *A, const double *C, int i,
                         rs_leaf *leaf)
{
    const int f = leaf->f, c = leaf->c, *list = leaf->list;
    for (int b = 0; b < i; b++) {
        for (int a = 0; a <= b; a++)
            leaf->A[a + (size_t)i * b] = A[list[a] + (size_t)N * list[b]];
        for (int l = 0; l < c; l++)
            leaf->W[b + (size_t)i * l] = C[list[b] + (size_t)N * l];
    }
    for (int j = 0; j < f; j++)
        for (int a = 0; a < i; a++)
            leaf->V[a + (size_t)i * j] =
                A[leaf->place[j] + (size_t)N * list[a]];
    RS_TRY(rs_cholesky(i, leaf->A, i));
    rs_triangular_solve('L', 'T', i, f, leaf->A, i, leaf->V, i);
    rs_triangular_solve('L', 'T', i, c, leaf->A, i, leaf->W, i);
    leaf->explained = rs_sum_squares((size_t)i * c, leaf->W);
    return RS_OK;
}

/* the largest sum of |coefficients| on the features of the node: of another
 * feature, or of the response */
static double longest(int i, rs_leaf *leaf)
{
    double most = 0.0;
    rs_copy((size_t)i * leaf->f, leaf->V, leaf->X);
    rs_triangular_solve('L', 'N', i, leaf->f, leaf->A, i, leaf->X, i);
    for (int j = 0; j < leaf->f; j++) {
        double sum = 0.0;
        for (int a = 0; a < i; a++)
            sum += fabs(leaf->X[a + (size_t)i * j]);
        most = fmax(most, sum);
    }
    double square = 0.0;
    for (int l = 0; l < leaf->c; l++) {
        double *w = leaf->X, sum = 0.0;
        rs_copy((size_t)i, leaf->W + (size_t)i * l, w);
        rs_triangular_solve('L', 'N', i, 1, leaf->A, i, w, i);
        for (int a = 0; a < i; a++)
            sum += fabs(w[a]);
        square += sum * sum;
    }
    return fmax(most, sqrt(square));
}

/* r and p of the features in their order, unit residuals */
static void fill(int N, const double *A, const double *C, int i, rs_leaf *leaf)
{
    const int f = leaf->f, c = leaf->c;
    const size_t ld = (size_t)f;
    for (int b = 0; b < f; b++) {
        const double *column = A + (size_t)N * leaf->place[b];
        for (int a = 0; a < f; a++)
            leaf->r[a + ld * b] = column[leaf->place[a]];
        for (int l = 0; l < c; l++)
            leaf->C[b + ld * l] = C[leaf->place[b] + (size_t)N * l];
    }
    if (i > 0) {
        rs_gemm('T', 'N', f, f, i, -1.0, leaf->V, i, leaf->V, i, 1.0, leaf->r,
                f);
        rs_gemm('T', 'N', f, c, i, -1.0, leaf->V, i, leaf->W, i, 1.0, leaf->C,
                f);
    }
    for (int a = 0; a < f; a++)
        leaf->left[a] = leaf->r[a + ld * a];
    for (int b = 0; b < f; b++) {
        const double unit = 1.0 / sqrt(leaf->left[b]);
        for (int a = 0; a < f; a++)
            leaf->r[a + ld * b] *= unit / sqrt(leaf->left[a]);
    }
    for (int l = 0; l < c; l++)
        for (int a = 0; a < f; a++)
            leaf->C[a + ld * l] /= sqrt(leaf->left[a]);
    rs_gemm('N', 'T', f, f, c, 1.0, leaf->C, f, leaf->C, f, 0.0, leaf->p, f);
    for (int a = 0; a < f; a++)
        leaf->own[a] = leaf->p[a + ld * a];
}

rs_status rs_leaf_load(int N, const double *A, const double *C,
                       const unsigned char *in, int m, double base,
                       const double *weight, double error, double most,
                       int *able, rs_leaf *leaf)
{
    int i = 0;
    double least = 1.0;
    *able = 0;
    leaf->m = m;
    leaf->base = base;
    order_features(N, in, weight, leaf);
    if (rs_leaf_count(leaf->f, leaf->weight, m, least_weight(leaf)) > most)
        return RS_OK;
    for (int j = 0; j < N; j++)
        if (in[j])
            leaf->list[i++] = j;
    const rs_status status = project(N, A, C, i, leaf);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    for (int j = 0; j < leaf->f; j++)
        least = fmin(least,
                     1.0 - rs_sum_squares((size_t)i, leaf->V + (size_t)i * j));
    const double far = 1.0 + longest(i, leaf);
    leaf->error = (error + (i + 16.0) * DBL_EPSILON) * far * far / least;
    *able = least > 0.0 && leaf->error <= RS_LEAF_ERROR;
    if (*able)
        fill(N, A, C, i, leaf);
    return RS_OK;
}

/* ---- the sets ------------------------------------------------------------------------- */

/* what must be explained beyond the node */
static double wanted(const rs_leaf *leaf)
{
    return leaf->cut(leaf->state) - leaf->explained;
}

static rs_status try_singles(rs_leaf *leaf)
{
    const double error = RS_LEAF_ERRORS * leaf->error;
    for (int a = 0; a < leaf->f && leaf->weight[a] > least_weight(leaf); a++) {
        if (leaf->own[a] + error > wanted(leaf))
            RS_TRY(leaf->offer(leaf->state, 1, leaf->place + a));
    }
    return RS_OK;
}

/* test[c] > 0 where b and c explain more than g; a strip of c */
static inline void test_strip(double slope, double lb, double rb, double pab,
                              double g, const double *restrict left,
                              const double *restrict rest,
                              const double *restrict ra,
                              const double *restrict mixed,
                              const double *restrict r,
                              const double *restrict p, double *restrict test)
{
    for (int c = 0; c < RS_LEAF_STRIP; c++) {
        const double cross = r[c] - rb * ra[c];
        const double pc = p[c] - rb * mixed[c] - pab * ra[c];
        test[c] =
            left[c] * slope + lb * rest[c] + cross * (g * cross - 2.0 * pc);
    }
}

/*
 * The sets with b and one of from..to, and with a unless it is negative, whose
 * row of r is ra: arrays left, mixed and rest are those of a.
 */
static rs_status try_row(int a, int b, int to, const double *ra, double pab,
                         rs_leaf *leaf)
{
    const size_t ld = (size_t)leaf->f;
    const double *r = leaf->r + ld * b, *p = leaf->p + ld * b;
    const double lb = leaf->left[b];
    const double error = RS_LEAF_ERRORS * leaf->error;
    double test[RS_LEAF_STRIP];
    for (int c = b + 1; c <= to; c += RS_LEAF_STRIP) {
        const double g = wanted(leaf) - (a >= 0 ? leaf->own[a] : 0.0);
        test_strip(leaf->rest[b] - g * lb, lb, ra[b], pab, g, leaf->left + c,
                   leaf->rest + c, ra + c, leaf->mixed + c, r + c, p + c,
                   test);
        const int width = rs_min_int(RS_LEAF_STRIP, to + 1 - c);
        for (int e = 0; e < width; e++)
            if (test[e] > -error) {
                int places[3] = {leaf->place[b], leaf->place[c + e], 0};
                if (a >= 0)
                    places[2] = leaf->place[a];
                RS_TRY(leaf->offer(leaf->state, a >= 0 ? 3 : 2, places));
            }
    }
    return RS_OK;
}

/* the pairs of features after a, or all of them where that is negative, whose
 * weights add up to enough */
static rs_status try_pairs(int a, const double *ra, rs_leaf *leaf)
{
    const double *pa = a >= 0 ? leaf->p + (size_t)leaf->f * a : NULL;
    int last = leaf->f - 1;
    for (int b = a + 1; b < last; b++) {
        const double least = least_weight(leaf) - leaf->weight[b] -
                             (a >= 0 ? leaf->weight[a] : 0.0);
        while (last > b && leaf->weight[last] <= least)
            last--;
        if (last == b)
            break;
        RS_TRY(try_row(a, b, last, ra, pa ? pa[b] : 0.0, leaf));
    }
    return RS_OK;
}

/* left, mixed and rest with a projected out */
static void project_out(int a, rs_leaf *leaf)
{
    const double *ra = leaf->r + (size_t)leaf->f * a;
    const double *pa = leaf->p + (size_t)leaf->f * a;
    for (int c = a + 1; c < leaf->f; c++) {
        leaf->left[c] = 1.0 - ra[c] * ra[c];
        leaf->mixed[c] = pa[c] - ra[c] * pa[a];
        leaf->rest[c] = leaf->own[c] - ra[c] * (pa[c] + leaf->mixed[c]);
    }
}

rs_status rs_leaf_enumerate(rs_leaf *leaf)
{
    const int f = leaf->f;
    if (leaf->m == 1)
        return try_singles(leaf);
    if (leaf->m == 2) {
        rs_fill((size_t)f, 1.0, leaf->left);
        rs_fill((size_t)f, 0.0, leaf->mixed);
        rs_copy((size_t)f, leaf->own, leaf->rest);
        return try_pairs(-1, leaf->mixed, leaf);
    }
    for (int a = 0; a + 2 < f; a++) {
        if (leaf->weight[a] + leaf->weight[a + 1] + leaf->weight[a + 2] <=
            least_weight(leaf))
            break;
        project_out(a, leaf);
        RS_TRY(rs_poll(leaf->ctx));
        RS_TRY(try_pairs(a, leaf->r + (size_t)f * a, leaf));
    }
    return RS_OK;
}
