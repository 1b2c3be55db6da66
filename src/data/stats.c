#include "data/stats.h"

#include <limits.h>
#include <math.h>

/* entries between two polls */
#define RS_STATS_PER_POLL ((size_t)1 << 24)

/* One column's sums; non-finite values are counted, not summed. */
typedef struct {
    double mean, fine;        /* their sum is the mean */
    double square, deviation; /* square: of (value - mean) */
    double largest;           /* magnitude */
    size_t bad;               /* non-finite entries */
    size_t first_bad;         /* place of the first one, where there is one */
} column_stats;

/* R's missing value of whole numbers is the smallest one */
static int is_bad(rs_entries x, size_t at)
{
    return x.real ? !isfinite(x.real[at]) : x.whole[at] == INT_MIN;
}

static double entry(rs_entries x, size_t at)
{
    return x.real ? x.real[at] : (double)x.whole[at];
}

/* what is known of some values after one look at them */
typedef struct {
    double least, most, sum;
} outline;

/* Counts what is not finite. */
static void scan_range(rs_entries x, size_t from, size_t to, outline *seen,
                       column_stats *s)
{
    for (size_t at = from; at < to; at++) {
        if (is_bad(x, at)) {
            if (s->bad++ == 0)
                s->first_bad = at;
            continue;
        }
        const double value = entry(x, at);
        seen->least = value < seen->least ? value : seen->least;
        seen->most = value > seen->most ? value : seen->most;
        seen->sum += value;
    }
}

/* sums in so many parts: they need not wait for each other */
#define LANES 4

/* The same for numbers, as long as all are finite; 0 where one is not. 0 x is
 * NaN for those, and for no other. */
static int scan_numbers(const double *x, size_t n, outline *seen)
{
    double least[LANES], most[LANES], sum[LANES], zero[LANES];
    size_t at = 0;
    for (int k = 0; k < LANES; k++) {
        least[k] = INFINITY;
        most[k] = -INFINITY;
        sum[k] = zero[k] = 0.0;
    }
    for (; at + LANES <= n; at += LANES)
        for (int k = 0; k < LANES; k++) {
            const double value = x[at + k];
            least[k] = value < least[k] ? value : least[k];
            most[k] = value > most[k] ? value : most[k];
            sum[k] += value;
            zero[k] += 0.0 * value;
        }
    for (; at < n; at++) {
        least[0] = x[at] < least[0] ? x[at] : least[0];
        most[0] = x[at] > most[0] ? x[at] : most[0];
        sum[0] += x[at];
        zero[0] += 0.0 * x[at];
    }
    for (int k = 0; k < LANES; k++) {
        seen->least = fmin(seen->least, least[k]);
        seen->most = fmax(seen->most, most[k]);
    }
    seen->sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return (zero[0] + zero[1]) + (zero[2] + zero[3]) == 0.0;
}

static void look_at_column(rs_entries x, size_t from, size_t to, outline *seen,
                           column_stats *s)
{
    const outline nothing = {INFINITY, -INFINITY, 0.0};
    *seen = nothing;
    if (x.real && scan_numbers(x.real + from, to - from, seen))
        return;
    *seen = nothing;
    scan_range(x, from, to, seen, s);
}

/* the sums of the gaps to the mean, and of their squares */
typedef struct {
    double first, second;
} gap_sums;

static gap_sums sum_gaps(rs_entries x, size_t from, size_t to, double unit,
                         double mean)
{
    gap_sums sums = {0.0, 0.0};
    for (size_t at = from; at < to; at++) {
        const double gap = entry(x, at) * unit - mean;
        sums.second += gap * gap;
        sums.first += gap;
    }
    return sums;
}

/* the same for numbers, in the lanes that the sum was taken in: powers of two
 * change no digit */
static gap_sums sum_gaps_of_numbers(const double *x, size_t n, double unit,
                                    double mean)
{
    double first[LANES] = {0.0}, second[LANES] = {0.0};
    size_t at = 0;
    for (; at + LANES <= n; at += LANES)
        for (int k = 0; k < LANES; k++) {
            const double gap = x[at + k] * unit - mean;
            second[k] += gap * gap;
            first[k] += gap;
        }
    for (; at < n; at++) {
        const double gap = x[at] * unit - mean;
        second[0] += gap * gap;
        first[0] += gap;
    }
    const gap_sums sums = {(first[0] + first[1]) + (first[2] + first[3]),
                           (second[0] + second[1]) + (second[2] + second[3])};
    return sums;
}

static gap_sums gaps_of(rs_entries x, size_t from, size_t to, double unit,
                        double mean)
{
    return x.real ? sum_gaps_of_numbers(x.real + from, to - from, unit, mean)
                  : sum_gaps(x, from, to, unit, mean);
}

/* a power of two that brings values of this magnitude to where their squares
 * neither overflow nor underflow; 1 for most data */
static double unit_for(double largest)
{
    int exponent = 0;
    if (largest == 0.0 || (largest > 1e-100 && largest < 1e100))
        return 1.0;
    frexp(largest, &exponent);
    if (exponent < -1000)
        exponent = -1000;
    if (exponent > 1000)
        exponent = 1000;
    return ldexp(1.0, -exponent);
}

/* (a + b) / unit, a power of two, as a number and, in *fine, what rounding took
 * from it */
static double mean_in_two(double a, double b, double unit, double *fine)
{
    const double sum = a + b, added = sum - a;
    *fine = ((a - (sum - added)) + (b - added)) / unit;
    return sum / unit;
}

/* entries from..to of x are stored, the rest of the n are zeros */
static column_stats scan_column(rs_entries x, size_t from, size_t to, double n)
{
    column_stats s = {0.0, 0.0, 0.0, 0.0, 0.0, 0, 0};
    const double holes = n - (double)(to - from);
    outline seen;
    look_at_column(x, from, to, &seen, &s);
    if (holes > 0.0) {
        seen.least = fmin(seen.least, 0.0);
        seen.most = fmax(seen.most, 0.0);
    }
    if (s.bad > 0 || !(seen.least <= seen.most))
        return s;
    s.largest = fmax(fabs(seen.least), fabs(seen.most));
    s.mean = seen.least;
    if (seen.least == seen.most)
        return s;

    const double unit = unit_for(s.largest);
    if (unit != 1.0)
        seen.sum = gaps_of(x, from, to, unit, 0.0).first;
    const double mean = seen.sum / n;
    const gap_sums gaps = gaps_of(x, from, to, unit, mean);
    const double correction = gaps.first - holes * mean;
    const double square =
        gaps.second + holes * mean * mean - correction * correction / n;
    s.mean = mean_in_two(mean, correction / n, unit, &s.fine);
    s.square = square / unit / unit;
    s.deviation = sqrt(square / (n - 1.0)) / unit;
    return s;
}

/* what is known of the column at hand within the levels: L numbers each */
typedef struct {
    const rs_stats_levels *of;
    double *held, *least, *most, *sum;
} grouping;

static rs_status group_init(rs_context *ctx, const rs_stats_levels *levels,
                            grouping *g)
{
    const size_t count = (size_t)levels->levels;
    g->of = levels;
    RS_ALLOC_DOUBLES(ctx, count, &g->held, &g->least, &g->most, &g->sum);
    return rs_allocated(ctx);
}

static int group_of(const rs_stats_levels *of, size_t from, size_t at)
{
    return of->code[of->row ? of->row[at] : (int)(at - from)] - 1;
}

/* held, least, most, and the sums times the unit; holes are zeros */
static void scan_groups(rs_entries x, size_t from, size_t to, double unit,
                        grouping *g)
{
    for (int l = 0; l < g->of->levels; l++) {
        g->held[l] = g->sum[l] = 0.0;
        g->least[l] = INFINITY;
        g->most[l] = -INFINITY;
    }
    for (size_t at = from; at < to; at++) {
        const int l = group_of(g->of, from, at);
        const double value = entry(x, at);
        g->held[l] += 1.0;
        g->sum[l] += value * unit;
        g->least[l] = value < g->least[l] ? value : g->least[l];
        g->most[l] = value > g->most[l] ? value : g->most[l];
    }
    for (int l = 0; l < g->of->levels; l++)
        if (g->of->size[l] > g->held[l]) {
            g->least[l] = g->least[l] < 0.0 ? g->least[l] : 0.0;
            g->most[l] = g->most[l] > 0.0 ? g->most[l] : 0.0;
        }
}

/*
 * As scan_column(), within the levels: mean + fine (levels) is that of each, 0
 * for one without rows, and s the overall mean and what is pooled. A level whose
 * values are all the same adds nothing, not even rounding.
 */
static void scan_levels(rs_entries x, size_t from, size_t to, double n,
                        grouping *g, double *mean, double *fine,
                        column_stats *s)
{
    const double unit = unit_for(s->largest);
    double square = 0.0, overall = 0.0;
    scan_groups(x, from, to, unit, g);
    for (int l = 0; l < g->of->levels; l++) {
        mean[l] = g->of->size[l] > 0.0 ? g->sum[l] / g->of->size[l] : 0.0;
        if (g->least[l] == g->most[l])
            mean[l] = g->least[l] * unit;
        fine[l] = 0.0;
        g->sum[l] = 0.0; /* of the gaps, from here on */
    }
    for (size_t at = from; at < to; at++) {
        const int l = group_of(g->of, from, at);
        const double gap = entry(x, at) * unit - mean[l];
        square += gap * gap;
        g->sum[l] += gap;
    }
    for (int l = 0; l < g->of->levels; l++) {
        const double holes = g->of->size[l] - g->held[l];
        const double rest = g->sum[l] - holes * mean[l];
        if (g->of->size[l] == 0.0)
            continue;
        square += holes * mean[l] * mean[l] - rest * rest / g->of->size[l];
        mean[l] = mean_in_two(mean[l], rest / g->of->size[l], unit, fine + l);
        overall += g->of->size[l] / n * mean[l];
    }
    square = square > 0.0 ? square : 0.0;
    s->mean = overall;
    s->fine = 0.0;
    s->square = square / unit / unit;
    s->deviation = sqrt(square / g->of->degrees) / unit;
}

/* what is known of column j goes to its place */
static void put_column(size_t j, const column_stats *s, rs_column_stats *out)
{
    out->mean[j] = s->mean;
    out->fine[j] = s->fine;
    out->square[j] = s->square;
    out->deviation[j] = s->deviation;
    out->largest[j] = s->largest;
    if (s->bad > 0 && out->bad == 0.0) {
        out->first_entry = s->first_bad;
        out->first_column = j;
    }
    out->bad += (double)s->bad;
}

rs_status rs_column_stats_find(rs_context *ctx, const rs_stored *X,
                               const rs_stats_levels *levels,
                               rs_column_stats *out)
{
    grouping g;
    size_t since_poll = 0;
    out->bad = 0.0;
    if (levels)
        RS_TRY(group_init(ctx, levels, &g));
    for (size_t j = 0; j < X->d; j++) {
        const size_t from = X->p ? (size_t)X->p[j] : j * X->n;
        const size_t to = X->p ? (size_t)X->p[j + 1] : from + X->n;
        column_stats s = scan_column(X->x, from, to, (double)X->n);
        if (levels && s.bad == 0)
            scan_levels(X->x, from, to, (double)X->n, &g,
                        out->level_mean + (size_t)levels->levels * j,
                        out->level_fine + (size_t)levels->levels * j, &s);
        put_column(j, &s, out);
        since_poll += to - from;
        if (since_poll > RS_STATS_PER_POLL) {
            RS_TRY(rs_poll(ctx));
            since_poll = 0;
        }
    }
    return RS_OK;
}
