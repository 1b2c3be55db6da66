/* What a few features explain, in twice the working precision, from the data as
 * they were given. */
#include "sets/accurate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* ---- sums of two doubles ------------------------------------------------ */

typedef struct {
    double high, low;
} twofold;

/* a + b without error */
static inline twofold two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    twofold out = {sum, (a - (sum - part)) + (b - part)};
    return out;
}

/* the same for |a| >= |b| */
static inline twofold quick_sum(double a, double b)
{
    double sum = a + b;
    twofold out = {sum, b - (sum - a)};
    return out;
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
    twofold out = {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
    return out;
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

static inline twofold negative(twofold a)
{
    twofold out = {-a.high, -a.low};
    return out;
}

/* a / b by one step of Newton's method after the quotient of doubles */
static twofold divide(twofold a, twofold b)
{
    double first = a.high / b.high;
    twofold one = {first, 0.0};
    twofold left = add(a, negative(multiply(one, b)));
    double second = left.high / b.high;
    twofold two = {second, 0.0};
    left = add(left, negative(multiply(two, b)));
    return add(quick_sum(first, second), (twofold){left.high / b.high, 0.0});
}

static twofold square_root(twofold a)
{
    if (!(a.high > 0.0))
        return (twofold){0.0, 0.0};
    twofold root = {sqrt(a.high), 0.0};
    twofold left = add(a, negative(multiply(root, root)));
    return quick_sum(root.high, left.high / (2.0 * root.high));
}

/* ---- vectors of them ---------------------------------------------------- */

static twofold dot(size_t n, const double *xh, const double *xl,
                   const double *yh, const double *yl)
{
    twofold sum = {0.0, 0.0};
    for (size_t i = 0; i < n; i++)
        sum = add(sum,
                  multiply((twofold){xh[i], xl[i]}, (twofold){yh[i], yl[i]}));
    return sum;
}

/* x'y with y in double precision */
static twofold dot_double(size_t n, const double *xh, const double *xl,
                          const double *y)
{
    twofold sum = {0.0, 0.0};
    for (size_t i = 0; i < n; i++) {
        twofold p = two_product(xh[i], y[i]);
        sum = add(sum, quick_sum(p.high, p.low + xl[i] * y[i]));
    }
    return sum;
}

/* y += a x */
static void add_multiple(size_t n, twofold a, const double *xh,
                         const double *xl, double *yh, double *yl)
{
    for (size_t i = 0; i < n; i++) {
        twofold y =
            add((twofold){yh[i], yl[i]}, multiply(a, (twofold){xh[i], xl[i]}));
        yh[i] = y.high;
        yl[i] = y.low;
    }
}

static void scale(size_t n, twofold a, double *xh, double *xl)
{
    for (size_t i = 0; i < n; i++) {
        twofold x = multiply(a, (twofold){xh[i], xl[i]});
        xh[i] = x.high;
        xl[i] = x.low;
    }
}

/* ---- columns ------------------------------------------------------------ */

/* rows of level l less their mean; returns the length of what was taken off */
static double centre_level(const rs_centring *c, int n, int l, double *high,
                           double *low)
{
    const int size = rs_level_size(c, n, l);
    twofold sum = {0.0, 0.0};
    for (int at = 0; at < size; at++)
        sum = add(sum, (twofold){high[rs_level_row(c, l, at)], 0.0});
    twofold mean = divide(sum, (twofold){(double)size, 0.0});
    for (int at = 0; at < size; at++) {
        const int i = rs_level_row(c, l, at);
        twofold x = add((twofold){high[i], 0.0}, negative(mean));
        high[i] = x.high;
        low[i] = x.low;
    }
    return sqrt((double)size) * fabs(mean.high);
}

static twofold root_of(const rs_accurate *acc, size_t i)
{
    return (twofold){acc->root_high[i], acc->root_low[i]};
}

/* the rows less their weighted mean, times the roots of the weights; returns
 * the length of what was taken off */
static double centre_weighted(const rs_accurate *acc, double *high,
                              double *low)
{
    const size_t n = (size_t)acc->problem->n;
    const twofold mass = {acc->mass_high, acc->mass_low};
    twofold sum = {0.0, 0.0};
    for (size_t i = 0; i < n; i++) {
        const twofold root = root_of(acc, i), z = {high[i], 0.0};
        sum = add(sum, multiply(multiply(root, root), z));
    }
    twofold mean = divide(sum, mass);
    for (size_t i = 0; i < n; i++) {
        twofold x = add((twofold){high[i], 0.0}, negative(mean));
        x = multiply(root_of(acc, i), x);
        high[i] = x.high;
        low[i] = x.low;
    }
    return sqrt(mass.high) * fabs(mean.high);
}

/*
 * z = column j centred, of unit length; returns its length before centring
 * relative to that after, and *length, the length of the weighted column
 */
static double unit_column(rs_accurate *acc, int j, double *length)
{
    const rs_lsq *p = acc->problem;
    const size_t n = (size_t)p->n;
    double *high = acc->z_high, *low = acc->z_low, top = 0.0, off = 0.0;
    int exponent;

    rs_lsq_raw_column(p, j, high);
    rs_fill(n, 0.0, low);
    for (size_t i = 0; i < n; i++)
        top = fmax(top, fabs(high[i]));
    if (top == 0.0) {
        *length = 0.0;
        return 1.0;
    }
    frexp(top, &exponent);
    for (size_t i = 0; i < n; i++)
        high[i] = ldexp(high[i], -exponent);
    if (p->counts)
        off = centre_weighted(acc, high, low);
    else if (p->centring.levels == 0)
        off = ldexp(p->centring.reach * fabs(p->centring.mean[j]), -exponent);
    for (int l = 0; l < p->centring.levels; l++)
        off = hypot(off, centre_level(&p->centring, p->n, l, high, low));
    twofold norm = square_root(dot(n, high, low, high, low));
    if (!(norm.high > 0.0)) {
        *length = 0.0;
        return 1.0;
    }
    scale(n, divide((twofold){1.0, 0.0}, norm), high, low);
    *length = ldexp(norm.high * (p->weight ? p->weight[j] : 1.0),
                    exponent + acc->shift);
    return hypot(norm.high, off) / norm.high;
}

/* the column of [X; sqrt(ridge) I] for position `at` of the set, unit length;
 * returns the residual that counts as none */
static double augmented_column(rs_accurate *acc, int j, int at)
{
    const rs_lsq *p = acc->problem;
    const size_t n = (size_t)p->n;
    double length, before = unit_column(acc, j, &length);
    acc->length = length;
    if (p->ridge <= 0.0)
        return RS_RESIDUAL_NONE * before;
    rs_fill((size_t)acc->rows - n, 0.0, acc->z_high + n);
    rs_fill((size_t)acc->rows - n, 0.0, acc->z_low + n);
    twofold tail = divide(square_root((twofold){p->ridge, 0.0}),
                          (twofold){length > 0.0 ? length : 1.0, 0.0});
    twofold norm = square_root(add((twofold){1.0, 0.0}, multiply(tail, tail)));
    acc->z_high[n + at] = tail.high;
    acc->z_low[n + at] = tail.low;
    scale((size_t)acc->rows, divide((twofold){1.0, 0.0}, norm), acc->z_high,
          acc->z_low);
    acc->length *= norm.high;
    return RS_RESIDUAL_NONE * before / norm.high;
}

/* ---- a set -------------------------------------------------------------- */

/* the roots of the weights, the largest of these between 1/4 and 1 */
static rs_status take_roots(rs_context *ctx, rs_accurate *acc)
{
    const rs_lsq *p = acc->problem;
    const size_t n = (size_t)p->n;
    twofold mass = {0.0, 0.0};
    double top = 0.0;
    int exponent;
    if (!p->counts)
        return RS_OK;
    RS_ALLOC_DOUBLES(ctx, n, &acc->root_high, &acc->root_low);
    RS_TRY(rs_allocated(ctx));
    for (size_t i = 0; i < n; i++)
        top = fmax(top, p->counts[i]);
    frexp(top, &exponent);
    acc->shift = exponent > 0 ? (exponent + 1) / 2 : exponent / 2;
    for (size_t i = 0; i < n; i++) {
        const twofold weight = {ldexp(p->counts[i], -2 * acc->shift), 0.0};
        const twofold root = square_root(weight);
        acc->root_high[i] = root.high;
        acc->root_low[i] = root.low;
        mass = add(mass, weight);
    }
    acc->mass_high = mass.high;
    acc->mass_low = mass.low;
    return RS_OK;
}

rs_status rs_accurate_init(rs_context *ctx, const rs_lsq *problem,
                           int capacity, rs_accurate *acc)
{
    const size_t width = (size_t)capacity, c = (size_t)problem->c;
    memset(acc, 0, sizeof *acc);
    acc->problem = problem;
    acc->able = c > 0 && problem->X &&
                (problem->raw || problem->raw_whole ||
                 (problem->X && problem->X->ops->raw_column));
    if (!acc->able)
        return RS_OK;
    acc->capacity = capacity;
    acc->rows = problem->n + (problem->ridge > 0.0 ? capacity : 0);
    const size_t cells = (size_t)acc->rows * width;
    RS_ALLOC_INTS(ctx, width, &acc->feature, &acc->list);
    RS_ALLOC_DOUBLES(ctx, cells, &acc->high, &acc->low);
    RS_ALLOC_DOUBLES(ctx, width * width, &acc->R_high, &acc->R_low);
    RS_ALLOC_DOUBLES(ctx, c * width, &acc->D_high, &acc->D_low);
    RS_ALLOC_DOUBLES(ctx, width, &acc->residual, &acc->explained, &acc->t_high,
                     &acc->t_low);
    RS_ALLOC_DOUBLES(ctx, (size_t)acc->rows, &acc->z_high, &acc->z_low);
    RS_TRY(rs_allocated(ctx));
    return take_roots(ctx, acc);
}

/* R[l, at] */
static twofold entry(const rs_accurate *acc, int l, int at)
{
    const size_t cell = (size_t)l + (size_t)acc->capacity * at;
    return (twofold){acc->R_high[cell], acc->R_low[cell]};
}

static void set_entry(rs_accurate *acc, int l, int at, twofold value)
{
    const size_t cell = (size_t)l + (size_t)acc->capacity * at;
    acc->R_high[cell] = value.high;
    acc->R_low[cell] = value.low;
}

/* z less its projection on the first `at` of the basis, twice; what was taken
 * off is column `at` of R. Returns the length of the residual z */
static twofold take_off(rs_accurate *acc, int at)
{
    const size_t rows = (size_t)acc->rows;
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < at; l++) {
            const double *qh = acc->high + rows * l, *ql = acc->low + rows * l;
            twofold a = dot(rows, qh, ql, acc->z_high, acc->z_low);
            add_multiple(rows, negative(a), qh, ql, acc->z_high, acc->z_low);
            set_entry(acc, l, at, pass == 0 ? a : add(entry(acc, l, at), a));
        }
    return square_root(
        dot(rows, acc->z_high, acc->z_low, acc->z_high, acc->z_low));
}

static twofold response_entry(const rs_accurate *acc, int i, int at)
{
    const size_t cell = (size_t)i + (size_t)acc->problem->c * at;
    return (twofold){acc->D_high[cell], acc->D_low[cell]};
}

/* D = Y'q for basis vector number `at`, from B where there is no Y; returns its
 * squared length */
static double project_response(rs_accurate *acc, int j, int at)
{
    const rs_lsq *p = acc->problem;
    const size_t n = (size_t)p->n, from = (size_t)acc->rows * at;
    double sum = 0.0;
    for (int i = 0; i < p->c; i++) {
        const size_t cell = (size_t)i + (size_t)p->c * at;
        twofold h;
        if (p->Y) {
            h = dot_double(n, acc->high + from, acc->low + from, p->Y + n * i);
        } else {
            h = (twofold){p->B[j + (size_t)p->d * i] / acc->length, 0.0};
            for (int l = 0; l < at; l++)
                h = add(h, negative(multiply(entry(acc, l, at),
                                             response_entry(acc, i, l))));
            h = divide(h, entry(acc, at, at));
        }
        acc->D_high[cell] = h.high;
        acc->D_low[cell] = h.low;
        sum += h.high * h.high + 2.0 * h.high * h.low;
    }
    return sum;
}

/* feature j as number `at` of the set; z is its residual */
static void append(rs_accurate *acc, int j, int at)
{
    const size_t rows = (size_t)acc->rows, c = (size_t)acc->problem->c;
    double *high = acc->high + rows * at, *low = acc->low + rows * at;
    double gain = 0.0;

    acc->none = augmented_column(acc, j, at);
    twofold norm = take_off(acc, at);
    acc->feature[at] = j;
    acc->last = norm.high;
    acc->residual[at] = norm.high > acc->none ? norm.high : 0.0;
    set_entry(acc, at, at, norm);
    if (acc->residual[at] > 0.0) {
        rs_copy(rows, acc->z_high, high);
        rs_copy(rows, acc->z_low, low);
        scale(rows, divide((twofold){1.0, 0.0}, norm), high, low);
        gain = project_response(acc, j, at);
    } else {
        rs_fill(rows, 0.0, high);
        rs_fill(rows, 0.0, low);
        rs_fill(c, 0.0, acc->D_high + c * at);
        rs_fill(c, 0.0, acc->D_low + c * at);
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

/* ---- a set without one of its features ----------------------------------- */

/* t = R^{-T} e_slot for the first `count` of the set: t_l = 0 before `slot` */
static void lost_coefficients(rs_accurate *acc, int count, int slot)
{
    for (int i = slot; i < count; i++) {
        twofold sum = {i == slot ? 1.0 : 0.0, 0.0};
        for (int l = slot; l < i; l++)
            sum = add(sum, negative(multiply(
                               entry(acc, l, i),
                               (twofold){acc->t_high[l], acc->t_low[l]})));
        twofold t = divide(sum, entry(acc, i, i));
        acc->t_high[i] = t.high;
        acc->t_low[i] = t.low;
    }
}

/* the same by a factorisation of its own */
static double exchange_afresh(rs_accurate *acc, int count, const int *feature,
                              int slot)
{
    int kept = 0;
    for (int l = 0; l <= count; l++)
        if (l != slot)
            acc->list[kept++] = feature[l];
    rs_accurate_explained(acc, count, acc->list);
    if (acc->residual[count - 1] <= 0.0)
        return -1.0;
    return acc->explained[count - 1] -
           (count > 1 ? acc->explained[count - 2] : 0.0);
}

/* With u = Q t the residual of the last feature is r q + (R't / t't) u, and all
 * follows from R and D. */
double rs_accurate_exchange(rs_accurate *acc, int count, const int *feature,
                            int slot)
{
    const int c = acc->problem->c;
    twofold along = {0.0, 0.0}, square = {0.0, 0.0};
    double gain = 0.0;
    rs_accurate_explained(acc, count + 1, feature);
    for (int l = slot; l < count; l++)
        if (acc->residual[l] <= 0.0)
            return exchange_afresh(acc, count, feature, slot);
    lost_coefficients(acc, count, slot);
    for (int l = slot; l < count; l++) {
        const twofold t = {acc->t_high[l], acc->t_low[l]};
        along = add(along, multiply(t, entry(acc, l, count)));
        square = add(square, multiply(t, t));
    }
    const twofold by = divide(along, square), r = entry(acc, count, count);
    const twofold norm = square_root(add(multiply(r, r), multiply(along, by)));
    if (norm.high <= acc->none)
        return -1.0;
    for (int i = 0; i < c; i++) {
        twofold h = {0.0, 0.0};
        for (int l = slot; l < count; l++)
            h = add(h, multiply((twofold){acc->t_high[l], acc->t_low[l]},
                                response_entry(acc, i, l)));
        h = add(multiply(by, h), multiply(r, response_entry(acc, i, count)));
        h = divide(h, norm);
        gain += h.high * h.high + 2.0 * h.high * h.low;
    }
    return gain;
}

double rs_accurate_loading(const rs_accurate *acc, int l, int at)
{
    return entry(acc, l, at).high;
}

void rs_accurate_basis(const rs_accurate *acc, int l, double *q, double *h)
{
    const size_t c = (size_t)acc->problem->c;
    rs_copy((size_t)acc->problem->n, acc->high + (size_t)acc->rows * l, q);
    if (h)
        rs_copy(c, acc->D_high + c * l, h);
}
