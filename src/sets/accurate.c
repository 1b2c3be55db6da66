/* What a few features explain, in twice the working precision, from the data as
 * they were given. */
#include "sets/accurate.h"

#include <math.h>
#include <string.h>

/* ---- sums of two doubles ------------------------------------------------ */

typedef rs_twofold twofold;

/* a + b without error */
static inline twofold two_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (twofold){sum, (a - (sum - part)) + (b - part)};
}

/* the same for |a| >= |b| */
static inline twofold quick_sum(double a, double b)
{
    const double sum = a + b;
    return (twofold){sum, b - (sum - a)};
}

/* the upper 26 bits of a */
static inline double upper_half(double a)
{
    double t = 134217729.0 * a; /* 2^27 + 1 */
    return t - (t - a);
}

/* a b without error, for numbers well inside the range */
static inline twofold two_product(double a, double b)
{
    double p = a * b, ah = upper_half(a), bh = upper_half(b);
    double al = a - ah, bl = b - bh;
    return (twofold){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline twofold add(twofold a, twofold b)
{
    twofold s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
    s = quick_sum(s.high, s.low + t.high);
    return quick_sum(s.high, s.low + t.low);
}

static inline twofold multiply(twofold a, twofold b)
{
    twofold p = two_product(a.high, b.high);
    return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline twofold subtract(twofold a, twofold b)
{
    return add(a, (twofold){-b.high, -b.low});
}

/* a / b by one step of Newton's method after the quotient of doubles */
static twofold divide(twofold a, twofold b)
{
    double first = a.high / b.high;
    twofold one = {first, 0.0};
    twofold left = subtract(a, multiply(one, b));
    double second = left.high / b.high;
    twofold two = {second, 0.0};
    left = subtract(left, multiply(two, b));
    return add(quick_sum(first, second), (twofold){left.high / b.high, 0.0});
}

static twofold square_root(twofold a)
{
    if (!(a.high > 0.0))
        return (twofold){0.0, 0.0};
    twofold root = {sqrt(a.high), 0.0};
    twofold left = subtract(a, multiply(root, root));
    return quick_sum(root.high, left.high / (2.0 * root.high));
}

/* ---- vectors of them ---------------------------------------------------- */

static twofold dot(size_t n, const twofold *x, const twofold *y)
{
    twofold sum = {0.0, 0.0};
    for (size_t i = 0; i < n; i++)
        sum = add(sum, multiply(x[i], y[i]));
    return sum;
}

/* y -= a x */
static void subtract_multiple(size_t n, twofold a, const twofold *x,
                              twofold *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = subtract(y[i], multiply(a, x[i]));
}

/* x / a */
static void divide_all(size_t n, twofold a, twofold *x)
{
    const twofold by = divide((twofold){1.0, 0.0}, a);
    for (size_t i = 0; i < n; i++)
        x[i] = multiply(by, x[i]);
}

/* ---- columns ------------------------------------------------------------ */

/* rows of level l less their mean; returns the length of what was taken off */
static double centre_level(const rs_centring *c, int n, int l, twofold *z)
{
    const int size = rs_level_size(c, n, l);
    twofold sum = {0.0, 0.0};
    for (int at = 0; at < size; at++)
        sum = add(sum, z[rs_level_row(c, l, at)]);
    const twofold mean = divide(sum, (twofold){(double)size, 0.0});
    for (int at = 0; at < size; at++) {
        const int i = rs_level_row(c, l, at);
        z[i] = subtract(z[i], mean);
    }
    return sqrt((double)size) * fabs(mean.high);
}

/* the rows less their weighted mean, times the roots of the weights; returns
 * the length of what was taken off */
static double centre_weighted(const rs_accurate *acc, twofold *z)
{
    const size_t n = (size_t)acc->problem->n;
    const twofold *root = acc->root;
    twofold sum = {0.0, 0.0};
    for (size_t i = 0; i < n; i++)
        sum = add(sum, multiply(multiply(root[i], root[i]), z[i]));
    const twofold mean = divide(sum, acc->mass);
    for (size_t i = 0; i < n; i++)
        z[i] = multiply(root[i], subtract(z[i], mean));
    return sqrt(acc->mass.high) * fabs(mean.high);
}

/*
 * z = column j centred, of unit length; returns its length before centring
 * relative to that after, and *length, the length of the weighted column
 */
static double unit_column(const rs_accurate *acc, int j, twofold *z,
                          double *length)
{
    const rs_lsq *p = acc->problem;
    const size_t n = (size_t)p->n;
    double top = 0.0, off = 0.0;
    int exponent;
    *length = 0.0;
    rs_lsq_raw_column(p, j, acc->raw);
    for (size_t i = 0; i < n; i++)
        top = fmax(top, fabs(acc->raw[i]));
    frexp(top, &exponent);
    for (size_t i = 0; i < n; i++)
        z[i] = (twofold){ldexp(acc->raw[i], -exponent), 0.0};
    if (top == 0.0)
        return 1.0;
    if (p->given.counts)
        off = centre_weighted(acc, z);
    else if (p->centring.levels == 0)
        off = ldexp(p->centring.reach * fabs(p->centring.mean[j]), -exponent);
    for (int l = 0; l < p->centring.levels; l++)
        off = hypot(off, centre_level(&p->centring, p->n, l, z));
    const twofold norm = square_root(dot(n, z, z));
    if (!(norm.high > 0.0))
        return 1.0;
    divide_all(n, norm, z);
    *length = ldexp(norm.high * (p->given.weight ? p->given.weight[j] : 1.0),
                    exponent + acc->shift);
    return hypot(norm.high, off) / norm.high;
}

/* the column of [X; sqrt(ridge) I] for position `at` of the set, of unit length,
 * and *length before; returns the residual that counts as none */
static double augmented_column(const rs_accurate *acc, int j, int at,
                               twofold *z, double *length)
{
    const rs_lsq *p = acc->problem;
    const size_t n = (size_t)p->n, rows = (size_t)acc->rows;
    const double before = unit_column(acc, j, z, length);
    /* what double precision tells of other columns counts of all */
    const double none = fmin(RS_RESIDUAL_NONE * before, sqrt(RS_LEFT_NONE));
    if (p->ridge <= 0.0)
        return none;
    for (size_t i = n; i < rows; i++)
        z[i] = (twofold){0.0, 0.0};
    const twofold tail = divide(square_root((twofold){p->ridge, 0.0}),
                                (twofold){*length > 0.0 ? *length : 1.0, 0.0});
    const twofold norm =
        square_root(add((twofold){1.0, 0.0}, multiply(tail, tail)));
    z[n + at] = tail;
    divide_all(rows, norm, z);
    *length *= norm.high;
    return none / norm.high;
}

/* ---- a set -------------------------------------------------------------- */

static twofold *vector(rs_context *ctx, size_t count)
{
    return (twofold *)rs_alloc(ctx, count, sizeof(twofold));
}

/* the roots of the weights, the largest of these between 1/4 and 1 */
static rs_status take_roots(rs_context *ctx, rs_accurate *acc)
{
    const rs_lsq *p = acc->problem;
    double top = 0.0;
    int exponent;
    if (!p->given.counts)
        return RS_OK;
    acc->root = vector(ctx, (size_t)p->n);
    RS_TRY_ALLOC(acc->root);
    for (int i = 0; i < p->n; i++)
        top = fmax(top, p->given.counts[i]);
    frexp(top, &exponent);
    acc->shift = exponent > 0 ? (exponent + 1) / 2 : exponent / 2;
    for (int i = 0; i < p->n; i++) {
        const twofold weight = {ldexp(p->given.counts[i], -2 * acc->shift),
                                0.0};
        acc->root[i] = square_root(weight);
        acc->mass = add(acc->mass, weight);
    }
    return RS_OK;
}

rs_status rs_accurate_init(rs_context *ctx, const rs_lsq *problem,
                           int capacity, rs_accurate *acc)
{
    const size_t width = (size_t)capacity, c = (size_t)problem->c;
    *acc = (rs_accurate){.problem = problem, .capacity = capacity};
    acc->able =
        c > 0 && problem->X &&
        (problem->given.raw || problem->given.whole || problem->X->given);
    if (!acc->able)
        return RS_OK;
    acc->rows = problem->n + (problem->ridge > 0.0 ? capacity : 0);
    acc->feature = rs_alloc_int(ctx, width);
    RS_ALLOC_DOUBLES(ctx, width, &acc->residual, &acc->explained, &acc->none,
                     &acc->u);
    acc->raw = rs_alloc_double(ctx, (size_t)problem->n);
    acc->Q = vector(ctx, (size_t)acc->rows * (width + 1));
    acc->R = vector(ctx, width * width);
    acc->D = vector(ctx, c * width);
    RS_TRY(rs_allocated(ctx));
    return take_roots(ctx, acc);
}

/* response number i, in the room behind the basis */
static twofold *load_response(const rs_accurate *acc, int i)
{
    const rs_lsq *p = acc->problem;
    twofold *z = acc->Q + (size_t)acc->rows * acc->capacity;
    for (int r = 0; r < acc->rows; r++)
        z[r] = (twofold){r < p->n ? p->Y[r + (size_t)p->n * i] : 0.0, 0.0};
    return z;
}

/* D = Y'q for basis vector number `at`, from B where there is no Y; returns its
 * squared length */
static double project_response(rs_accurate *acc, int j, int at, double length)
{
    const rs_lsq *p = acc->problem;
    const size_t rows = (size_t)acc->rows, c = (size_t)p->c;
    double sum = 0.0;
    for (size_t i = 0; i < c; i++) {
        twofold h;
        if (p->Y) {
            h = dot(rows, acc->Q + rows * at, load_response(acc, (int)i));
        } else {
            h = (twofold){p->B[j + (size_t)p->d * i] / length, 0.0};
            for (int l = 0; l < at; l++)
                h = subtract(h, multiply(*rs_accurate_entry(acc, l, at),
                                         acc->D[i + c * l]));
            h = divide(h, *rs_accurate_entry(acc, at, at));
        }
        acc->D[i + c * at] = h;
        sum += h.high * h.high + 2.0 * h.high * h.low;
    }
    return sum;
}

/* the residual that counts as none where the rounding of the columns before
 * comes in: column `at` is their sum with factors u, and its residual */
static double carried_none(const rs_accurate *acc, int at)
{
    double none = acc->none[at], *u = acc->u;
    for (int l = at - 1; l >= 0; l--) {
        u[l] = rs_accurate_entry(acc, l, at)->high;
        for (int m = l + 1; m < at; m++)
            u[l] -= rs_accurate_entry(acc, l, m)->high * u[m];
        u[l] = acc->residual[l] > 0.0
                   ? u[l] / rs_accurate_entry(acc, l, l)->high
                   : 0.0;
        none = fmax(none, fabs(u[l]) * acc->none[l]);
    }
    return fmin(none, sqrt(RS_LEFT_NONE));
}

/* feature j as number `at` of the set: its residual by Gram-Schmidt, twice */
static void append(rs_accurate *acc, int j, int at)
{
    const size_t rows = (size_t)acc->rows, c = (size_t)acc->problem->c;
    twofold *z = acc->Q + rows * at;
    double length, gain = 0.0;
    acc->none[at] = augmented_column(acc, j, at, z, &length);
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < at; l++) {
            const twofold *q = acc->Q + rows * l;
            const twofold a = dot(rows, q, z);
            subtract_multiple(rows, a, q, z);
            *rs_accurate_entry(acc, l, at) =
                pass == 0 ? a : add(*rs_accurate_entry(acc, l, at), a);
        }
    const twofold norm = square_root(dot(rows, z, z));
    acc->feature[at] = j;
    *rs_accurate_entry(acc, at, at) = norm;
    acc->residual[at] = norm.high > carried_none(acc, at) ? norm.high : 0.0;
    if (acc->residual[at] > 0.0) {
        divide_all(rows, norm, z);
        gain = project_response(acc, j, at, length);
    } else {
        memset(z, 0, rows * sizeof *z);
        memset(acc->D + c * at, 0, c * sizeof *z);
    }
    acc->explained[at] = (at > 0 ? acc->explained[at - 1] : 0.0) + gain;
}

double rs_accurate_explained(rs_accurate *acc, int count, const int *feature)
{
    int at = 0;
    while (at < count && at < acc->count && acc->feature[at] == feature[at])
        at++;
    for (; at < count; at++)
        append(acc, feature[at], at);
    acc->count = count;
    return count > 0 ? acc->explained[count - 1] : 0.0;
}

int rs_accurate_is_whole(rs_accurate *acc, int count, const int *feature)
{
    const rs_lsq *p = acc->problem;
    if (!acc->able || !p->Y)
        return 1;
    const size_t rows = (size_t)acc->rows;
    double left = 0.0, none = RS_RESIDUAL_NONE * sqrt(p->total), before = 0.0;
    rs_accurate_explained(acc, count, feature);
    /* the rounding of a column turns its direction by none / residual */
    for (int l = 0; l < count; before = acc->explained[l++])
        if (acc->residual[l] > 0.0)
            none += acc->none[l] / acc->residual[l] *
                    sqrt(acc->explained[l] - before);
    for (int i = 0; i < p->c; i++) {
        twofold *z = load_response(acc, i);
        for (int l = 0; l < count; l++)
            subtract_multiple(rows, acc->D[i + p->c * l], acc->Q + rows * l,
                              z);
        left += dot(rows, z, z).high;
    }
    return left <= none * none;
}

void rs_accurate_basis(const rs_accurate *acc, int l, double *q, double *h)
{
    const int c = acc->problem->c;
    for (int i = 0; i < acc->problem->n; i++)
        q[i] = acc->Q[i + (size_t)acc->rows * l].high;
    for (int i = 0; i < c && h; i++)
        h[i] = acc->D[i + (size_t)c * l].high;
}
