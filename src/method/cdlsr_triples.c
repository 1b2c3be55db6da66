#include "method/cdlsr_triples.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/topk.h"
#include "la/linalg.h"
#include "solve/accurate.h"

/* kinds of features by their share, and of neighbours by their entry */
#define RS_KINDS 8
#define RS_BUCKETS 64
#define RS_CELLS (RS_KINDS * RS_BUCKETS)
/* apices that stand for all when the work is estimated */
#define RS_SAMPLE 24
/* most neighbours and apices held at a time */
#define RS_NEIGHBOURS ((size_t)1 << 23)
#define RS_APICES 4096
/* the quick test comes first where it rules out most sets: above this L */
#define RS_QUICK 0.8
/* sets tested together; a constant length lets the compiler vectorise */
#define RS_STRIP 16
/* sets tested and pairs looked at in a second, about */
#define RS_TESTS_PER_SECOND 4e8
#define RS_PAIRS_PER_SECOND 2e7
/* sets tested, or pairs passed over, between two looks at the clock */
#define RS_TESTS_PER_LOOK 4e6
/* rounding errors that the thresholds allow for, beside those of M */
#define RS_THRESHOLD_SLACK 1e-9
/* 1 - rho^2 of two features whose sets are searched from the data */
#define RS_CLOSE 1e-7
/* smallest diagonal entry of M: it divides the rounding errors */
#define RS_LEAST_DIAGONAL 1e-6
/* the tests in single precision add up terms of at most 20 t in all (5 in the
 * quick test), each with a relative error of a few times 6e-8 */
#define RS_TEST_SLACK 2e-5

/* features i beside an apex j */
typedef struct {
    float *scaled; /* entry of M, scaled */
    float *rho;    /* A_ji */
    float *joint;  /* C_ji */
    float *alone;  /* e_i */
    int *position;
} neighbours;

/* what a column k of A and C says of a feature */
typedef struct {
    float rho, joint;
} entry;

typedef struct {
    const rs_lsq *problem;
    const rs_exact_settings *set;
    rs_exact_fit *fit;
    rs_context *ctx;
    int d, c;
    int *order;     /* d: columns by e_i, descending */
    double *unit;   /* d: 1 / sqrt(||x_i||^2 + ridge) */
    double *B;      /* d x c: b_i along the eigenvectors of Y'Y, ||Y|| = 1 */
    double *alone;  /* d: e_i */
    double *last;   /* d: lambda_1(R_i'R_i) */
    double *lambda; /* c: eigenvalues of Y'Y */
    double best;    /* E of the best set */
    double ceiling; /* no three features explain more */
    double bound;   /* nor more than this */
    /* the question: is there a set with E > target? */
    double target, tau;
    double slack;   /* errors of scaled entries of M and of shares, at most */
    double *weight; /* d: 1 / sqrt(M_ii) */
    double *share;  /* d */
    int kind_from[RS_KINDS + 1];
    /* columns of A and C */
    double *raw, *columns; /* all x RS_EXACT_PANEL, n x RS_EXACT_PANEL */
    double *A, *C;         /* d x RS_EXACT_PANEL */
    double *few;           /* RS_EXACT_PANEL x c */
    entry *column;         /* d: one of them */
    float *scaled_column;  /* d: of M, scaled */
    /* the neighbours of a group of apices, cell by cell: kinds, and within
     * them descending buckets */
    neighbours near;
    size_t *base; /* RS_APICES: where those of an apex start */
    int *cell;    /* RS_APICES x (RS_CELLS + 1) */
    int apices;
    double *scaled;         /* d: |entry of M|, -1 where the pair cannot win */
    int *heavy;             /* d: features whose entry may be the larger one */
    unsigned char *partner; /* d: heavy beside some apex of the group */
    /* rounding */
    double error; /* of an inner product of two unit columns, at most */
    rs_accurate accurate;
    double *V;          /* c x rank: eigenvectors of Y'Y */
    double *pair_image; /* all x 2: X'Q of a close pair */
    double *pair_h;     /* 2 x rank: its Y'Q along V; c numbers of scratch */
    double unresolved;  /* sets that rounding hides explain no more */
    int close_done;     /* the close pairs have been searched */
    size_t room;        /* neighbours held at a time */
    double needed;      /* of all apices together, about */
    clock_t started;
    double since_look;
    int stopped;
} search;

/* ---- time --------------------------------------------------------------- */

static double seconds(const search *s)
{
    return (double)(clock() - s->started) / CLOCKS_PER_SEC;
}

/* asked once in a while: the clock is slow */
static rs_status look(search *s, double tests)
{
    s->since_look += tests;
    if (s->since_look < RS_TESTS_PER_LOOK)
        return RS_OK;
    s->since_look = 0.0;
    s->stopped = seconds(s) >= s->set->time_limit;
    return rs_poll(s->ctx);
}

/* ---- columns ------------------------------------------------------------ */

/* columns k[0..width) of A and C */
static rs_status fill_columns(search *s, const int *k, int width)
{
    const int d = s->d, c = s->c;
    int wanted[RS_EXACT_PANEL] = {0};
    for (int b = 0; b < width; b++) {
        wanted[b] = s->order[k[b]];
        for (int l = 0; l < c; l++)
            s->few[b + (size_t)width * l] = s->B[k[b] + (size_t)d * l];
    }
    RS_TRY(rs_ordered_products(s->problem, s->order, d, wanted, width,
                               s->columns, s->raw, s->A));
    for (int b = 0; b < width; b++) {
        double *a = s->A + (size_t)d * b;
        for (int i = 0; i < d; i++)
            a[i] *= s->unit[i] * s->unit[k[b]];
    }
    rs_gemm('N', 'T', d, width, c, 1.0, s->B, d, s->few, width, 0.0, s->C, d);
    return rs_poll(s->ctx);
}

/* |M_ji| scaled; -1 if no set with both features can win */
static inline double scaled_entry(const search *s, int j, int i, double rho,
                                  double joint)
{
    const double left = 1.0 - rho * rho;
    const double most = s->last[j] < s->last[i] ? s->last[j] : s->last[i];
    if (left <= RS_CLOSE || /* close pairs are searched on their own */
        s->alone[j] + s->alone[i] - 2.0 * rho * joint + 12.0 * s->error <=
            (s->target - most) * left)
        return -1.0;
    return fabs(rho - joint / s->tau) * s->weight[j] * s->weight[i];
}

/* ---- thresholds --------------------------------------------------------- */

/*
 * Smallest second entry with which x makes a set that can win, 0 for any; -1
 * if even y = x does not. L = 1 - the shares, x >= 0.
 */
static inline double least_second(double L, double x)
{
    double square;
    if (L <= x || L <= 0.0)
        return 0.0;
    square = 0.5 * L * (L - x);
    return square < x * x ? sqrt(square) : -1.0;
}

static inline int bucket_of(double y)
{
    return y < 1.0 ? (int)(y * RS_BUCKETS) : RS_BUCKETS - 1;
}

/* cells of a kind start with the largest entries */
static inline int cell_of(int kind, int bucket)
{
    return kind * RS_BUCKETS + RS_BUCKETS - 1 - bucket;
}

/* features k that can be the larger entry beside j; returns how many */
static int find_heavy(search *s, int j)
{
    double L = 1.0 - s->share[j] - s->share[0];
    int count = 0;
    for (int k = 0; k < s->d; k++)
        if (s->scaled[k] >= 0.0 &&
            least_second(L - s->share[k] - s->slack,
                         s->scaled[k] + s->slack) >= 0.0) {
            s->heavy[count++] = k;
            s->partner[k] = 1;
        }
    return count;
}

/* min of least_second over the heavy features, for an i of the kind */
static double kind_threshold(const search *s, int j, int kind, int count)
{
    double share = s->share[j] + s->share[s->kind_from[kind]], least = 2.0;
    for (int h = 0; h < count; h++) {
        int k = s->heavy[h];
        double y = least_second(1.0 - share - s->share[k] - s->slack,
                                s->scaled[k] + s->slack);
        if (y >= 0.0)
            least = fmin(least, y);
    }
    return least - s->slack;
}

/* ---- neighbours --------------------------------------------------------- */

static inline int is_near(const search *s, int i, double least)
{
    return s->scaled[i] >= 0.0 && s->scaled[i] >= least;
}

/* the neighbours of apex j that some set can need; returns how many */
static int collect(search *s, int j, const double *A, const double *C,
                   size_t base, int *cell)
{
    const int d = s->d;
    double least[RS_KINDS];
    int next[RS_CELLS + 1], heavy;

    for (int i = 0; i < d; i++)
        s->scaled[i] = i == j ? -1.0 : scaled_entry(s, j, i, A[i], C[i]);
    heavy = find_heavy(s, j);
    memset(next, 0, sizeof next);
    for (int kind = 0; kind < RS_KINDS; kind++) {
        least[kind] = kind_threshold(s, j, kind, heavy);
        for (int i = s->kind_from[kind]; i < s->kind_from[kind + 1]; i++)
            if (is_near(s, i, least[kind]))
                next[cell_of(kind, bucket_of(s->scaled[i])) + 1]++;
    }
    for (int b = 0; b < RS_CELLS; b++)
        next[b + 1] += next[b];
    memcpy(cell, next, sizeof next);
    for (int kind = 0; kind < RS_KINDS; kind++)
        for (int i = s->kind_from[kind]; i < s->kind_from[kind + 1]; i++)
            if (is_near(s, i, least[kind])) {
                int b = cell_of(kind, bucket_of(s->scaled[i]));
                size_t at = base + (size_t)next[b]++;
                s->near.scaled[at] =
                    (float)copysign(s->scaled[i], A[i] - C[i] / s->tau);
                s->near.rho[at] = (float)A[i];
                s->near.joint[at] = (float)C[i];
                s->near.alone[at] = (float)s->alone[i];
                s->near.position[at] = i;
            }
    return cell[RS_CELLS];
}

/* strips reach beyond the end: what they find there is harmless */
static void pad_neighbours(search *s, size_t used)
{
    for (size_t at = used; at < used + RS_STRIP; at++) {
        s->near.scaled[at] = s->near.rho[at] = 0.0F;
        s->near.joint[at] = s->near.alone[at] = 0.0F;
        s->near.position[at] = 0;
    }
}

static rs_status search_close_pairs(search *s, int j, const double *A);

/* those of the apices from `first` on, as many as there is room for */
static rs_status collect_group(search *s, int first, int *next)
{
    size_t used = 0;
    int j = first, k[RS_EXACT_PANEL];
    s->apices = 0;
    memset(s->partner, 0, (size_t)s->d);
    while (j < s->d) {
        int width = rs_min_int(RS_EXACT_PANEL, s->d - j);
        for (int b = 0; b < width; b++)
            k[b] = j + b;
        RS_TRY(fill_columns(s, k, width));
        for (int b = 0; b < width; b++, j++) {
            if (s->apices == RS_APICES ||
                (s->apices > 0 && used + (size_t)s->d > s->room)) {
                *next = j;
                return RS_OK;
            }
            s->base[s->apices] = used;
            used += (size_t)collect(
                s, j, s->A + (size_t)s->d * b, s->C + (size_t)s->d * b, used,
                s->cell + (size_t)(RS_CELLS + 1) * s->apices);
            pad_neighbours(s, used);
            s->apices++;
            if (!s->close_done)
                RS_TRY(search_close_pairs(s, j, s->A + (size_t)s->d * b));
        }
        RS_TRY(look(s, (double)width * s->d));
        if (s->stopped)
            break;
    }
    *next = j;
    return RS_OK;
}

/* ---- sets ---------------------------------------------------------------- */

/* x_j'x_i of two unit features in double precision */
static double cross_product(search *s, int j, int i)
{
    const rs_lsq *p = s->problem;
    const size_t n = (size_t)p->n;
    double product;
    if (p->X) {
        rs_lsq_column(p, s->order[j], s->columns);
        rs_lsq_column(p, s->order[i], s->columns + n);
        product = rs_dot(n, s->columns, s->columns + n);
    } else {
        product = p->S[s->order[j] + (size_t)p->d * s->order[i]];
    }
    return product * s->unit[j] * s->unit[i];
}

/*
 * A set that may win: `most` is what it explains at most. What it explains is
 * found from the data; where they are not at hand, `about` is what rounding
 * lets one see of it.
 */
static void keep_if_better(search *s, int j, int k, int i, double about,
                           double most)
{
    const int set[3] = {s->order[j], s->order[k], s->order[i]};
    if (s->accurate.able) {
        about =
            rs_accurate_explained(&s->accurate, 3, set) / s->problem->total;
        most = about;
    }
    if (about > s->best + s->set->tol) {
        s->best = about;
        memcpy(s->fit->feature, set, sizeof set);
    }
    if (most > s->best + s->set->tol)
        s->unresolved = fmax(s->unresolved, fmin(most, s->ceiling));
}

/*
 * E of three features by elimination, in double precision, and what it may be
 * at most: the inner products are off by e, so that what is left of the third
 * feature is by 4 e / left_k, and what it says of the response as well. A: the
 * column of k.
 */
static void try_set(search *s, int j, int k, int i, const double *A)
{
    const size_t d = (size_t)s->d;
    double jk = A[j], left_k = 1.0 - jk * jk, e, root, most = s->ceiling;
    double ji, mixed, left_i, explained = s->alone[j], second_sum = 0.0,
                              third_sum = 0.0;
    if (i == j || i == k || left_k <= RS_CLOSE)
        return;
    e = 8.0 * s->error / left_k;
    ji = cross_product(s, j, i);
    mixed = (A[i] - jk * ji) / left_k;
    left_i = 1.0 - ji * ji - mixed * mixed * left_k;
    for (int l = 0; l < s->c; l++) {
        const double *b = s->B + d * l;
        double second = b[k] - jk * b[j];
        double third = b[i] - ji * b[j] - mixed * second;
        second_sum += second * second;
        third_sum += third * third;
    }
    root = sqrt(third_sum) + e;
    explained += second_sum / left_k;
    if (left_i > 2.0 * e)
        most = explained + 4.0 * e + root * root / (left_i - e);
    if (most <= s->best + s->set->tol)
        return;
    explained += left_i > RS_COLLINEAR_PRODUCTS ? third_sum / left_i : 0.0;
    keep_if_better(s, j, k, i, explained, most);
}

/*
 * All sets with two features so close that double precision cannot tell what
 * the second adds: the basis of the pair comes from the data, and with it the
 * loadings of all others, whose errors are then ordinary ones.
 */
static rs_status search_close_pair(search *s, int j, int i)
{
    const rs_lsq *p = s->problem;
    const size_t n = (size_t)p->n, d = (size_t)s->d, all = (size_t)p->d;
    const int pair[2] = {s->order[j], s->order[i]};
    const double e = 8.0 * s->error, size = sqrt(p->total);
    double *scratch = s->pair_h + 2 * (size_t)s->c, explained, base;

    if (!s->accurate.able || !p->X) {
        s->unresolved = s->ceiling;
        return RS_OK;
    }
    explained = rs_accurate_explained(&s->accurate, 2, pair) / p->total;
    if (s->accurate.residual[1] <= 0.0)
        return RS_OK;
    for (int b = 0; b < 2; b++) {
        rs_accurate_basis(&s->accurate, b, s->columns + n * b, scratch);
        for (int l = 0; l < s->c; l++)
            s->pair_h[b + 2 * l] =
                rs_dot((size_t)p->c, scratch, s->V + (size_t)p->c * l) / size;
    }
    RS_TRY(rs_data_crossprod(p->X, 2, s->columns, s->pair_image));
    base = explained + e;
    for (int k = 0; k < s->d; k++) {
        double first = s->pair_image[s->order[k]] * s->unit[k];
        double second = s->pair_image[all + s->order[k]] * s->unit[k];
        double left = 1.0 - first * first - second * second, sum = 0.0;
        double most = s->ceiling, root;
        if (k == j || k == i)
            continue;
        for (int l = 0; l < s->c; l++) {
            double rest = s->B[k + d * l] - first * s->pair_h[2 * l] -
                          second * s->pair_h[1 + 2 * l];
            sum += rest * rest;
        }
        root = sqrt(sum) + e;
        if (left > 2.0 * e)
            most = base + root * root / (left - e);
        if (most > s->best + s->set->tol)
            keep_if_better(s, j, i, k, 0.0, most);
    }
    return look(s, (double)s->d);
}

/* those of apex j with features after it; A: the column of j */
static rs_status search_close_pairs(search *s, int j, const double *A)
{
    for (int i = j + 1; i < s->d && !s->stopped; i++)
        if (1.0 - A[i] * A[i] <= RS_CLOSE)
            RS_TRY(search_close_pair(s, j, i));
    return RS_OK;
}

/* the numbers of a pair {j, k} in the tests of a third feature */
typedef struct {
    float scaled; /* entry of M */
    float x, left, fixed, mixed, y2, z2;
} pair;

/*
 * With t = what must be beaten, x = A_jk, y = A_ji and z = A_ki, a set wins
 * if and only if
 *   det(A_S) (E(S) - t) = e_j (1 - z^2) + e_k (1 - y^2) + e_i (1 - x^2)
 *       + 2 C_jk (y z - x) + 2 C_ji (x z - y) + 2 C_ki (x y - z)
 *       - t (1 + 2 x y z - x^2 - y^2 - z^2) > 0.
 */
static pair pair_numbers(const search *s, int j, int k, double x, double joint)
{
    const double t = s->best + s->set->tol, left = 1.0 - x * x;
    pair p;
    p.scaled = (float)((x - joint / s->tau) * s->weight[j] * s->weight[k]);
    p.x = (float)x;
    p.left = (float)left;
    p.fixed = (float)(s->alone[j] + s->alone[k] - 2.0 * joint * x - t * left +
                      RS_TEST_SLACK * t);
    p.mixed = (float)(2.0 * (joint - t * x));
    p.y2 = (float)(t - s->alone[k]);
    p.z2 = (float)(t - s->alone[j]);
    return p;
}

/* value = the above for RS_STRIP third features; how many are positive? */
static inline int test_strip(const pair p, const neighbours *near, size_t at,
                             const entry *restrict column,
                             float *restrict value)
{
    const float *restrict rho = near->rho + at;
    const float *restrict joint = near->joint + at;
    const float *restrict alone = near->alone + at;
    const int *restrict position = near->position + at;
    float z[RS_STRIP], third[RS_STRIP];
    int positive = 0;
    for (int b = 0; b < RS_STRIP; b++) {
        z[b] = column[position[b]].rho;
        third[b] = column[position[b]].joint;
    }
    for (int b = 0; b < RS_STRIP; b++) {
        float y = rho[b];
        value[b] =
            p.fixed + alone[b] * p.left + y * (y * p.y2 + p.mixed * z[b]) +
            z[b] * z[b] * p.z2 +
            2.0F * (joint[b] * (p.x * z[b] - y) + third[b] * (p.x * y - z[b]));
    }
    for (int b = 0; b < RS_STRIP; b++)
        positive += value[b] > 0.0F;
    return positive;
}

/*
 * The quick test, for L > |x|: of RS_STRIP third features, how many leave M_S
 * scaled to a unit diagonal with an eigenvalue below 1 - L? With the entries
 * x, y, z of that matrix, those with
 *   det(M_S - (1 - L) I) = L^3 + 2 x y z - L (x^2 + y^2 + z^2) < 0.
 */
static inline int weak_strip(float x, float L, const neighbours *near,
                             size_t at, const float *restrict column)
{
    const float *restrict y = near->scaled + at;
    const int *restrict position = near->position + at;
    const float fixed = L * (x * x - L * L) + (float)RS_TEST_SLACK;
    float z[RS_STRIP];
    int negative = 0;
    for (int b = 0; b < RS_STRIP; b++)
        z[b] = column[position[b]];
    for (int b = 0; b < RS_STRIP; b++)
        negative +=
            L * (y[b] * y[b] + z[b] * z[b]) - 2.0F * x * y[b] * z[b] + fixed >
            0.0F;
    return negative;
}

/* neighbours number from..to - 1 of j as third features; A: the column of k */
static void test_sets(search *s, int j, int k, const pair p, double L,
                      const double *A, size_t from, size_t to)
{
    const int quick = L > RS_QUICK && L > fabs((double)p.scaled);
    float value[RS_STRIP];
    for (size_t at = from; at < to; at += RS_STRIP) {
        if (quick && weak_strip(p.scaled, (float)L, &s->near, at,
                                s->scaled_column) == 0)
            continue;
        if (test_strip(p, &s->near, at, s->column, value) > 0)
            for (int b = 0; b < RS_STRIP; b++)
                if (value[b] > 0.0F)
                    try_set(s, j, k, s->near.position[at + b], A);
    }
}

/*
 * The third features beside apex j and a feature k with the larger entry x:
 * from[], to[] of every kind among the neighbours of j. Kinds come with
 * descending shares: once a kind cannot win, none can. Returns how many.
 */
static double third_features(const search *s, int j, int k, double x,
                             const int *cell, int *kinds, int *from, int *to)
{
    double share = s->share[j] + s->share[k], count = 0.0;
    int kind;
    for (kind = 0; kind < RS_KINDS; kind++) {
        double y =
            least_second(1.0 - share - s->slack - s->share[s->kind_from[kind]],
                         x + s->slack);
        if (y < 0.0)
            break;
        y = fmax(y - s->slack, 0.0);
        from[kind] = cell[cell_of(kind, bucket_of(x + 2.0 * s->slack))];
        to[kind] = cell[cell_of(kind, bucket_of(y)) + 1];
        count += rs_max_int(to[kind] - from[kind], 0);
    }
    *kinds = kind;
    return count;
}

/* all sets with apex number a = feature j and the larger entry x at k */
static double search_pair(search *s, int a, int j, int k, double x,
                          const double *A, const double *C)
{
    int kinds, from[RS_KINDS], to[RS_KINDS];
    double count = third_features(
        s, j, k, x, s->cell + (size_t)(RS_CELLS + 1) * a, &kinds, from, to);
    if (count > 0.0) {
        const pair p = pair_numbers(s, j, k, A[j], C[j]);
        const double L = 1.0 - s->share[j] - s->share[k];
        for (int kind = 0; kind < kinds; kind++)
            if (to[kind] > from[kind])
                test_sets(s, j, k, p,
                          L - s->slack - s->share[s->kind_from[kind]], A,
                          s->base[a] + (size_t)from[kind],
                          s->base[a] + (size_t)to[kind]);
        s->fit->nodes += 1.0;
    }
    return count;
}

/* all sets with k and an apex in the group, which starts at `first` */
static rs_status search_column(search *s, int first, int k, const double *A,
                               const double *C)
{
    for (int i = 0; i < s->d; i++) {
        s->column[i].rho = (float)A[i];
        s->column[i].joint = (float)C[i];
        s->scaled_column[i] =
            (float)((A[i] - C[i] / s->tau) * s->weight[k] * s->weight[i]);
    }
    for (int a = 0; a < s->apices && !s->stopped; a++) {
        int j = first + a;
        double x = j == k ? -1.0 : scaled_entry(s, j, k, A[j], C[j]);
        double tests = 1.0;
        if (x >= 0.0)
            tests += search_pair(s, a, j, k, x, A, C);
        RS_TRY(look(s, tests));
    }
    return RS_OK;
}

static rs_status search_group(search *s, int first)
{
    const size_t d = (size_t)s->d;
    int k[RS_EXACT_PANEL], width = 0;
    for (int p = 0; p < s->d && !s->stopped; p++) {
        if (s->partner[p])
            k[width++] = p;
        if (width == 0 || (width < RS_EXACT_PANEL && p < s->d - 1))
            continue;
        RS_TRY(fill_columns(s, k, width));
        for (int b = 0; b < width && !s->stopped; b++)
            RS_TRY(search_column(s, first, k[b], s->A + d * b, s->C + d * b));
        width = 0;
    }
    return RS_OK;
}

/* room for so many neighbours, more where there is already */
static rs_status neighbours_room(search *s, size_t room)
{
    const size_t padded = room + RS_STRIP;
    rs_context *ctx = s->ctx;
    if (room <= s->room)
        return RS_OK;
    s->near.scaled = (float *)rs_alloc(ctx, padded, sizeof(float));
    s->near.rho = (float *)rs_alloc(ctx, padded, sizeof(float));
    s->near.joint = (float *)rs_alloc(ctx, padded, sizeof(float));
    s->near.alone = (float *)rs_alloc(ctx, padded, sizeof(float));
    s->near.position = rs_alloc_int(ctx, padded);
    s->room = room;
    return rs_allocated(ctx);
}

/* ---- the question ------------------------------------------------------- */

/* min sum nu / (1 - nu / tau) over sum nu = target, 0 <= nu_l <= lambda_l */
static double least_level(const search *s, double target, double tau)
{
    double level = 0.0, rest = target, nu = 0.0;
    int count = rs_min_int(3, s->c);
    for (int l = count - 1; l >= 0; l--) {
        nu = fmin(s->lambda[l], rest / (l + 1));
        rest -= nu;
        if (nu >= tau)
            return INFINITY;
        level += nu / (1.0 - nu / tau);
    }
    return level * (1.0 - RS_THRESHOLD_SLACK);
}

/* returns 0 where M would not have a positive diagonal */
static int ask(search *s, double target, double tau)
{
    double level = least_level(s, target, tau);
    double smallest = 1.0 - s->alone[0] / tau;
    if (smallest < RS_LEAST_DIAGONAL)
        return 0;
    s->target = target;
    s->tau = tau;
    s->slack = RS_THRESHOLD_SLACK + 16.0 * s->error / (smallest * tau);
    for (int i = 0; i < s->d; i++) {
        double diagonal = 1.0 - s->alone[i] / tau;
        s->weight[i] = 1.0 / sqrt(diagonal);
        s->share[i] = s->alone[i] / diagonal / level *
                      (1.0 + 16.0 * s->error / (smallest * tau));
    }
    return 1;
}

/* seconds for the question, and neighbours of all apices, from a few apices
 * spread over all */
static rs_status estimate(search *s, double *seconds, double *needed)
{
    const int d = s->d, count = rs_min_int(RS_SAMPLE, d);
    int kinds, from[RS_KINDS], to[RS_KINDS];
    double tests = 0.0, found = 0.0;
    for (int a = 0; a < count; a++) {
        int j = (int)(((double)a + 0.5) * d / count);
        RS_TRY(fill_columns(s, &j, 1));
        found += collect(s, j, s->A, s->C, 0, s->cell);
        for (int k = 0; k < d; k++)
            if (s->scaled[k] >= 0.0)
                tests += third_features(s, j, k, s->scaled[k], s->cell, &kinds,
                                        from, to);
    }
    *seconds = tests * d / count / RS_TESTS_PER_SECOND +
               (double)d * d / RS_PAIRS_PER_SECOND;
    *needed = found * d / count;
    return RS_OK;
}

/* poses the question with the tau that makes it easiest */
static rs_status choose_tau(search *s, double target, double *seconds)
{
    static const double factor[] = {2.0, 1.0, 0.7, 0.5, 0.42};
    double best = 2.0, each, needed;
    *seconds = INFINITY;
    s->needed = 0.0;
    for (size_t i = 0; i < sizeof factor / sizeof factor[0]; i++)
        if (ask(s, target, factor[i] * target)) {
            RS_TRY(estimate(s, &each, &needed));
            if (each < *seconds) {
                *seconds = each;
                s->needed = needed;
                best = factor[i];
            }
        }
    ask(s, target, best * target);
    return RS_OK;
}

/* no set explains more than the target but the best one, or s->stopped */
static rs_status answer(search *s)
{
    const double all = 1.25 * s->needed + s->d, most = (double)RS_NEIGHBOURS;
    int next = 0;
    RS_TRY(neighbours_room(s, (size_t)fmin(all, most) + (size_t)s->d));
    RS_TRY(look(s, RS_TESTS_PER_LOOK));
    for (int first = 0; first < s->d && !s->stopped; first = next) {
        RS_TRY(collect_group(s, first, &next));
        RS_TRY(search_group(s, first));
    }
    if (!s->stopped) {
        s->bound = fmax(s->target, s->best + s->set->tol);
        s->close_done = 1;
    }
    return RS_OK;
}

static int is_proved(const search *s)
{
    return fmax(s->bound, s->unresolved) <= s->best + s->set->tol;
}

/*
 * Is there a better set? Where the time will not do for that, easier
 * questions come first, with targets that fall from the ceiling by halves:
 * each that is answered gives a bound.
 */
static rs_status search_sets(search *s)
{
    double all, needed, fraction = 1.0;
    RS_TRY(choose_tau(s, s->best + s->set->tol, &all));
    while (all > s->set->time_limit - seconds(s) && fraction > 0.02) {
        double lowest = s->best + s->set->tol;
        fraction *= 0.5;
        RS_TRY(
            choose_tau(s, lowest + fraction * (s->ceiling - lowest), &needed));
        if (needed > s->set->time_limit - seconds(s))
            break;
        RS_TRY(answer(s));
        if (s->stopped)
            return RS_OK;
    }
    if (is_proved(s))
        return RS_OK;
    RS_TRY(choose_tau(s, s->best + s->set->tol, &all));
    return answer(s);
}

/* ---- setting up --------------------------------------------------------- */

/* b_i of unit features along the eigenvectors of Y'Y that count, and e_i */
static rs_status rotate_response(search *s, double *V, double *work)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)s->d;
    const double size = 1.0 / sqrt(p->total);
    rs_eigen_ws eigen;
    int rank = 0;
    RS_TRY(rs_eigen_init(s->ctx, p->c, &eigen));
    RS_TRY(rs_eigen_largest(p->c, s->set->YtY, p->c, s->lambda, V, &eigen));
    while (rank < p->c && s->lambda[rank] > 1e-13 * s->lambda[0])
        rank++;
    s->c = rank;
    for (int l = 0; l < p->c; l++)
        for (int i = 0; i < s->d; i++)
            work[i + d * l] =
                p->B[s->order[i] + (size_t)p->d * l] * s->unit[i] * size;
    rs_matmul(s->d, p->c, rank, work, V, s->B);
    for (int i = 0; i < s->d; i++) {
        s->alone[i] = 0.0;
        for (int l = 0; l < rank; l++)
            s->alone[i] += s->B[i + d * l] * s->B[i + d * l];
    }
    s->ceiling = 0.0;
    for (int l = 0; l < rank; l++) {
        s->lambda[l] /= p->total;
        s->ceiling += l < 3 ? s->lambda[l] : 0.0;
    }
    return RS_OK;
}

/*
 * The largest eigenvalue of diag(lambda) - bb', from above: it lies between
 * the two largest lambda, where 1 - sum b_l^2 / (lambda_l - mu) falls through
 * zero.
 */
static double largest_after(const search *s, int i)
{
    double low = s->c > 1 ? s->lambda[1] : 0.0, high = s->lambda[0];
    if (s->c == 1)
        return fmax(high - s->alone[i], 0.0);
    for (int halving = 0; halving < 40; halving++) {
        double mu = 0.5 * (low + high), value = 1.0;
        for (int l = 0; l < s->c; l++) {
            double b = s->B[i + (size_t)s->d * l];
            value -= b * b / (s->lambda[l] - mu);
        }
        if (value > 0.0)
            low = mu;
        else
            high = mu;
    }
    return high;
}

/* kinds of d/128, d/128, d/64, ..., d/2 features, the best ones first */
static void divide_kinds(search *s)
{
    s->kind_from[0] = 0;
    for (int kind = 1; kind <= RS_KINDS; kind++)
        s->kind_from[kind] = s->d >> (RS_KINDS - kind);
}

static rs_status init_columns(rs_context *ctx, search *s)
{
    const size_t d = (size_t)s->d, width = RS_EXACT_PANEL;
    const rs_lsq *p = s->problem;
    s->raw = rs_alloc_double(ctx, p->X ? (size_t)p->d * width : 0);
    s->columns = rs_alloc_double(ctx, p->X ? (size_t)p->n * width : 0);
    s->A = rs_alloc_double(ctx, d * width);
    s->C = rs_alloc_double(ctx, d * width);
    s->few = rs_alloc_double(ctx, width * (size_t)s->c);
    s->column = (entry *)rs_alloc(ctx, d, sizeof *s->column);
    s->scaled_column = (float *)rs_alloc(ctx, d, sizeof(float));
    s->scaled = rs_alloc_double(ctx, d);
    s->heavy = rs_alloc_int(ctx, d);
    s->partner = (unsigned char *)rs_alloc(ctx, d, 1);
    s->weight = rs_alloc_double(ctx, d);
    s->share = rs_alloc_double(ctx, d);
    RS_TRY(rs_allocated(ctx));
    return RS_OK;
}

/* those of one apex, to begin with */
static rs_status init_neighbours(rs_context *ctx, search *s)
{
    const size_t d = (size_t)s->d, apices = d < RS_APICES ? d : RS_APICES;
    s->base = (size_t *)rs_alloc(ctx, apices, sizeof *s->base);
    s->cell = rs_alloc_int(ctx, apices * (RS_CELLS + 1));
    RS_TRY(rs_allocated(ctx));
    return neighbours_room(s, d);
}

static rs_status init_features(rs_context *ctx, search *s)
{
    const rs_lsq *p = s->problem;
    const size_t all = (size_t)p->d, c = (size_t)p->c;
    double *work = rs_alloc_double(ctx, all * (c > 2 ? c : 2));
    s->V = rs_alloc_double(ctx, c * c);
    s->pair_image = rs_alloc_double(ctx, 2 * all);
    s->pair_h = rs_alloc_double(ctx, 3 * c);
    s->order = rs_alloc_int(ctx, all);
    s->unit = rs_alloc_double(ctx, all);
    s->B = rs_alloc_double(ctx, all * c);
    s->alone = rs_alloc_double(ctx, all);
    s->last = rs_alloc_double(ctx, all);
    s->lambda = rs_alloc_double(ctx, c);
    RS_TRY(rs_allocated(ctx));
    /* the barred ones come last and are left out */
    rs_explained_alone(p, work);
    rs_topk_order(p->d, work, s->d, s->order, work + all);
    for (int i = 0; i < s->d; i++)
        s->unit[i] = 1.0 / sqrt(p->square[s->order[i]] + p->ridge);
    RS_TRY(rotate_response(s, s->V, work));
    for (int i = 0; i < s->d; i++)
        s->last[i] = largest_after(s, i);
    divide_kinds(s);
    return RS_OK;
}

rs_status rs_cdlsr_triples(rs_context *ctx, const rs_lsq *problem,
                           const rs_exact_settings *settings,
                           rs_exact_fit *fit)
{
    search s;
    memset(&s, 0, sizeof s);
    s.problem = problem;
    s.set = settings;
    s.fit = fit;
    s.ctx = ctx;
    for (int j = 0; j < problem->d; j++)
        s.d += !problem->barred[j];
    s.started = clock();
    s.error = rs_product_error(problem);
    fit->nodes = 0.0;
    RS_TRY(rs_accurate_init(ctx, problem, 3, &s.accurate));
    s.best =
        (s.accurate.able ? rs_accurate_explained(&s.accurate, 3, fit->feature)
                         : fit->explained) /
        problem->total;
    RS_TRY(init_features(ctx, &s));
    RS_TRY(init_columns(ctx, &s));
    RS_TRY(init_neighbours(ctx, &s));
    s.bound = s.ceiling;
    if (!is_proved(&s))
        RS_TRY(search_sets(&s));
    fit->complete = is_proved(&s);
    fit->resolved = s.unresolved <= s.best + settings->tol;
    fit->explained = s.best * problem->total;
    fit->bound = fit->complete ? fit->explained
                               : fmax(s.bound, s.unresolved) * problem->total;
    fit->seconds = seconds(&s);
    return RS_OK;
}
