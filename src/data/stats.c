#include "data/stats.h"

#include <limits.h>
#include <math.h>

#include "la/linalg.h"

/* sums in so many parts: they need not wait for each other */
#define LANES 4

/* the column at hand: its entries, and what is known of each level */
typedef struct {
    const rs_stats_levels *of;
    const double *x; /* stored entries, `count` of them, the first of which */
    size_t from;     /* is number `from` of the matrix */
    size_t count;
    double *whole;                     /* n: whole numbers as doubles */
    double *held, *least, *most, *sum; /* levels x LANES */
} column;

static rs_status column_init(rs_context *ctx, const rs_stored *X,
                             const rs_stats_levels *levels, column *c)
{
    c->of = levels;
    c->whole = rs_alloc_double(ctx, X->real ? 0 : X->n);
    RS_ALLOC_DOUBLES(ctx, (size_t)levels->levels * LANES, &c->held, &c->least,
                     &c->most, &c->sum);
    return rs_allocated(ctx);
}

static void take_column(const rs_stored *X, size_t j, column *c)
{
    c->from = X->p ? (size_t)X->p[j] : j * X->n;
    c->count = X->p ? (size_t)(X->p[j + 1] - X->p[j]) : X->n;
    c->x = X->real ? X->real + c->from : c->whole;
    /* R's missing value of whole numbers is the smallest one */
    for (size_t i = 0; !X->real && i < c->count; i++)
        c->whole[i] =
            X->whole[c->from + i] == INT_MIN ? NAN : X->whole[c->from + i];
}

static int level_of(const column *c, size_t i)
{
    const rs_stats_levels *of = c->of;
    if (of->code == NULL)
        return 0;
    return of->code[of->row ? of->row[c->from + i] : (int)i] - 1;
}

/* number l of the levels, its lanes together in the first one */
static void join_lanes(int l, column *c)
{
    double *held = c->held + l * LANES, *sum = c->sum + l * LANES;
    double *least = c->least + l * LANES, *most = c->most + l * LANES;
    for (int k = 1; k < LANES; k++) {
        held[0] += held[k];
        sum[0] += sum[k];
        least[0] = fmin(least[0], least[k]);
        most[0] = fmax(most[0], most[k]);
    }
    if (c->of->size[l] > held[0]) { /* holes are zeros */
        least[0] = fmin(least[0], 0.0);
        most[0] = fmax(most[0], 0.0);
    }
}

/* held, least, most, and the sums times the unit; the largest magnitude */
static double scan(double unit, column *c)
{
    double largest = 0.0;
    for (int s = 0; s < c->of->levels * LANES; s++) {
        c->held[s] = c->sum[s] = 0.0;
        c->least[s] = INFINITY;
        c->most[s] = -INFINITY;
    }
    for (size_t i = 0; i < c->count; i++) {
        const size_t s = (size_t)level_of(c, i) * LANES + i % LANES;
        const double value = c->x[i];
        c->held[s] += 1.0;
        c->sum[s] += value * unit;
        c->least[s] = value < c->least[s] ? value : c->least[s];
        c->most[s] = value > c->most[s] ? value : c->most[s];
    }
    for (int l = 0; l < c->of->levels; l++) {
        join_lanes(l, c);
        if (c->of->size[l] > 0.0)
            largest = fmax(largest, fmax(fabs(c->least[l * LANES]),
                                         fabs(c->most[l * LANES])));
    }
    return largest;
}

/* a power of two that brings values of this magnitude to where their squares
 * neither overflow nor underflow; 1 for most data */
static double unit_for(double largest)
{
    return largest > 1e-100 && largest < 1e100 ? 1.0
                                               : 1.0 / rs_power_near(largest);
}

/* (a + b) / unit, a power of two, as a number and, in *fine, what rounding took
 * from it */
static double mean_in_two(double a, double b, double unit, double *fine)
{
    const double sum = a + b, added = sum - a;
    *fine = ((a - (sum - added)) + (b - added)) / unit;
    return sum / unit;
}

/* The sum of the squared gaps to the means, in units; c->sum: of the gaps. A
 * level whose values are all the same adds nothing, not even rounding. */
static double sum_gaps(double unit, double *mean, column *c)
{
    double square[LANES] = {0.0};
    for (int l = 0; l < c->of->levels; l++) {
        const int s = l * LANES;
        mean[l] = c->of->size[l] > 0.0 ? c->sum[s] / c->of->size[l] : 0.0;
        if (c->least[s] == c->most[s])
            mean[l] = c->least[s] * unit;
        rs_fill(LANES, 0.0, c->sum + s);
    }
    for (size_t i = 0; i < c->count; i++) {
        const int l = level_of(c, i);
        const double gap = c->x[i] * unit - mean[l];
        square[i % LANES] += gap * gap;
        c->sum[(size_t)l * LANES + i % LANES] += gap;
    }
    return (square[0] + square[1]) + (square[2] + square[3]);
}

/* column j of finite entries */
static void describe(size_t j, double n, column *c, rs_column_stats *out)
{
    const size_t levels = (size_t)c->of->levels;
    double *mean = out->level_mean + levels * j;
    double *fine = out->level_fine + levels * j;
    out->largest[j] = scan(1.0, c);
    const double unit = unit_for(out->largest[j]);
    if (unit != 1.0)
        scan(unit, c);
    double square = sum_gaps(unit, mean, c), overall = 0.0;
    for (size_t l = 0; l < levels; l++) {
        const double *sum = c->sum + l * LANES, size = c->of->size[l];
        const double holes = size - c->held[l * LANES];
        const double rest =
            ((sum[0] + sum[1]) + (sum[2] + sum[3])) - holes * mean[l];
        fine[l] = 0.0;
        if (size == 0.0)
            continue;
        square += holes * mean[l] * mean[l] - rest * rest / size;
        mean[l] = mean_in_two(mean[l], rest / size, unit, fine + l);
        overall += size / n * mean[l];
    }
    square = square > 0.0 ? square : 0.0;
    if (fine != out->fine + j)
        out->fine[j] = 0.0;
    out->mean[j] = overall;
    out->square[j] = square / unit / unit;
    out->deviation[j] =
        square > 0.0 ? sqrt(square / c->of->degrees) / unit : 0.0;
}

static void count_bad(size_t j, const column *c, rs_column_stats *out)
{
    for (size_t i = 0; i < c->count; i++)
        out->bad += !isfinite(c->x[i]);
    out->mean[j] = out->fine[j] = out->square[j] = 0.0;
    out->deviation[j] = out->largest[j] = 0.0;
}

rs_status rs_column_stats_find(rs_context *ctx, const rs_stored *X,
                               const rs_stats_levels *levels,
                               rs_column_stats *out)
{
    column c;
    double since_poll = 0.0;
    out->bad = 0.0;
    RS_TRY(column_init(ctx, X, levels, &c));
    for (size_t j = 0; j < X->d; j++) {
        take_column(X, j, &c);
        if (rs_all_finite(c.count, c.x))
            describe(j, (double)X->n, &c, out);
        else
            count_bad(j, &c, out);
        RS_TRY(rs_poll_after(ctx, (double)c.count, &since_poll));
    }
    return RS_OK;
}

/* ---- are matrices sound? ------------------------------------------------- */

int rs_check_slots(int n, int d, size_t pointers, const int *p, size_t count,
                   const int *row)
{
    int state = 0;
    if (pointers != (size_t)d + 1 || p[0] != 0)
        return -1;
    for (int j = 0; j < d; j++) /* a missing value is the smallest int */
        if (p[j + 1] < p[j])
            return -1;
    if (count != (size_t)p[d])
        return -1;
    for (int j = 0; j < d; j++)
        for (int at = p[j]; at < p[j + 1]; at++) {
            if (row[at] < 0 || row[at] >= n)
                return -1;
            if (at > p[j] && row[at] <= row[at - 1])
                state = 1;
        }
    return state;
}

/* of an entry that cross-products may be larger, or differ, by rounding */
#define RS_CHECK_SLACK 1e-6

rs_status rs_check_cross_products(rs_context *ctx, int d, const double *S,
                                  int *column)
{
    double *size = rs_alloc_double(ctx, (size_t)d);
    RS_TRY_ALLOC(size);
    *column = 0;
    for (int j = 0; j < d && *column == 0; j++) {
        const double square = S[j + (size_t)j * d];
        size[j] = sqrt(square);
        if (!(square >= 0.0) || !isfinite(square))
            *column = j + 1;
    }
    for (int j = 0; j < d && *column == 0; j++) {
        for (int i = 0; i < j; i++) {
            const double a = S[i + (size_t)j * d], b = S[j + (size_t)i * d];
            const double bound = size[i] * size[j];
            if (!(fabs(a) <= bound * (1.0 + RS_CHECK_SLACK)) ||
                !(fabs(a - b) <= bound * RS_CHECK_SLACK))
                *column = *column ? *column : j + 1;
        }
        if (j % 64 == 0)
            RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
