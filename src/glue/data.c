#include <math.h>

#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* One column's sums; non-finite values are counted, not summed. */
typedef struct {
    double mean, fine;        /* their sum is the mean */
    double square, deviation; /* square: of (value - mean) */
    double largest;           /* magnitude */
    R_xlen_t bad;             /* non-finite entries */
    R_xlen_t first_bad;       /* position of the first one, or -1 */
} column_stats;

/* entries of a double or an integer vector, without asking R for each */
typedef struct {
    const double *real;
    const int *whole; /* where real is NULL */
} entries;

static entries entries_of(SEXP x)
{
    entries e = {NULL, NULL};
    if (TYPEOF(x) == REALSXP)
        e.real = REAL_RO(x);
    else
        e.whole = INTEGER_RO(x);
    return e;
}

static int is_bad(entries x, R_xlen_t at)
{
    return x.real ? !isfinite(x.real[at]) : x.whole[at] == NA_INTEGER;
}

static double entry(entries x, R_xlen_t at)
{
    return x.real ? x.real[at] : (double)x.whole[at];
}

/* what is known of some values after one look at them */
typedef struct {
    double least, most, sum;
} outline;

/* Counts what is not finite. */
static void scan_range(entries x, R_xlen_t from, R_xlen_t to, outline *seen,
                       column_stats *s)
{
    for (R_xlen_t at = from; at < to; at++) {
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
static int scan_numbers(const double *x, R_xlen_t n, outline *seen)
{
    double least[LANES], most[LANES], sum[LANES], zero[LANES];
    R_xlen_t at = 0;
    for (int k = 0; k < LANES; k++) {
        least[k] = R_PosInf;
        most[k] = R_NegInf;
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

static void look_at_column(entries x, R_xlen_t from, R_xlen_t to,
                           outline *seen, column_stats *s)
{
    const outline nothing = {R_PosInf, R_NegInf, 0.0};
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

static gap_sums sum_gaps(entries x, R_xlen_t from, R_xlen_t to, double unit,
                         double mean)
{
    gap_sums sums = {0.0, 0.0};
    for (R_xlen_t at = from; at < to; at++) {
        const double gap = entry(x, at) * unit - mean;
        sums.second += gap * gap;
        sums.first += gap;
    }
    return sums;
}

/* the same for numbers, in the lanes that the sum was taken in: powers of two
 * change no digit */
static gap_sums sum_gaps_of_numbers(const double *x, R_xlen_t n, double unit,
                                    double mean)
{
    double first[LANES] = {0.0}, second[LANES] = {0.0};
    R_xlen_t at = 0;
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

static gap_sums gaps_of(entries x, R_xlen_t from, R_xlen_t to, double unit,
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
static column_stats scan_column(entries x, R_xlen_t from, R_xlen_t to,
                                double n)
{
    column_stats s = {0.0, 0.0, 0.0, 0.0, 0.0, 0, -1};
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

/* a factor of the rows, and what is known of a column within its levels */
typedef struct {
    int levels;
    const int *code; /* n: the level of each row, from 1 */
    const int *row; /* of the stored entries; NULL: all are stored, in order */
    double degrees; /* n - levels that have rows */
    const double *size;                /* levels: rows of each */
    double *held, *least, *most, *sum; /* levels: of the column at hand */
} grouping;

static int group_of(const grouping *g, R_xlen_t from, R_xlen_t at)
{
    return g->code[g->row ? g->row[at] : (int)(at - from)] - 1;
}

/* held, least, most, and the sums times the unit; holes are zeros */
static void scan_groups(entries x, R_xlen_t from, R_xlen_t to, double unit,
                        grouping *g)
{
    for (int l = 0; l < g->levels; l++) {
        g->held[l] = g->sum[l] = 0.0;
        g->least[l] = R_PosInf;
        g->most[l] = R_NegInf;
    }
    for (R_xlen_t at = from; at < to; at++) {
        const int l = group_of(g, from, at);
        const double value = entry(x, at);
        g->held[l] += 1.0;
        g->sum[l] += value * unit;
        g->least[l] = value < g->least[l] ? value : g->least[l];
        g->most[l] = value > g->most[l] ? value : g->most[l];
    }
    for (int l = 0; l < g->levels; l++)
        if (g->size[l] > g->held[l]) {
            g->least[l] = g->least[l] < 0.0 ? g->least[l] : 0.0;
            g->most[l] = g->most[l] > 0.0 ? g->most[l] : 0.0;
        }
}

/*
 * As scan_column(), within the levels: mean + fine (levels) is that of each, 0
 * for one without rows, and s the overall mean and what is pooled. A level whose
 * values are all the same adds nothing, not even rounding.
 */
static void scan_levels(entries x, R_xlen_t from, R_xlen_t to, double n,
                        grouping *g, double *mean, double *fine,
                        column_stats *s)
{
    const double unit = unit_for(s->largest);
    double square = 0.0, overall = 0.0;
    scan_groups(x, from, to, unit, g);
    for (int l = 0; l < g->levels; l++) {
        mean[l] = g->size[l] > 0.0 ? g->sum[l] / g->size[l] : 0.0;
        if (g->least[l] == g->most[l])
            mean[l] = g->least[l] * unit;
        fine[l] = 0.0;
        g->sum[l] = 0.0; /* of the gaps, from here on */
    }
    for (R_xlen_t at = from; at < to; at++) {
        const int l = group_of(g, from, at);
        const double gap = entry(x, at) * unit - mean[l];
        square += gap * gap;
        g->sum[l] += gap;
    }
    for (int l = 0; l < g->levels; l++) {
        const double holes = g->size[l] - g->held[l];
        const double rest = g->sum[l] - holes * mean[l];
        if (g->size[l] == 0.0)
            continue;
        square += holes * mean[l] * mean[l] - rest * rest / g->size[l];
        mean[l] = mean_in_two(mean[l], rest / g->size[l], unit, fine + l);
        overall += g->size[l] / n * mean[l];
    }
    square = square > 0.0 ? square : 0.0;
    s->mean = overall;
    s->fine = 0.0;
    s->square = square / unit / unit;
    s->deviation = sqrt(square / g->degrees) / unit;
}

/* block: NULL, or a list with the code of each row, the size of each level,
 * the degrees of freedom, and the row (from 0) of each stored entry or NULL */
static grouping read_grouping(SEXP block, rs_context *ctx)
{
    grouping g = {0, NULL, NULL, 0.0, NULL, NULL, NULL, NULL, NULL};
    if (block == R_NilValue)
        return g;
    g.levels = (int)Rf_xlength(r_required(block, "size"));
    g.code = INTEGER_RO(r_required(block, "code"));
    SEXP row = r_element(block, "row");
    g.row = row == R_NilValue ? NULL : INTEGER_RO(row);
    g.degrees = r_number(block, "degrees");
    g.size = r_doubles(block, "size");
    double *room =
        (double *)r_need(rs_alloc_double(ctx, 4 * (size_t)g.levels));
    g.held = room;
    g.least = room + g.levels;
    g.most = room + 2 * (size_t)g.levels;
    g.sum = room + 3 * (size_t)g.levels;
    return g;
}

/*
 * Means, and what is too small to be in them (fine), centred sums of squares
 * (0 or Inf where they underflow or overflow), standard deviations, largest
 * magnitudes and the whereabouts of non-finite entries of a matrix (p = NULL) or
 * of a sparse one with column pointers p. With a block, squares and deviations
 * are those within its levels, and level_mean and level_fine (levels x d)
 * belong to these.
 */
SEXP C_column_stats(SEXP x, SEXP p, SEXP n_, SEXP block)
{
    const double n = Rf_asReal(n_);
    const int *pointer = p == R_NilValue ? NULL : INTEGER_RO(p);
    const R_xlen_t d =
        pointer ? Rf_xlength(p) - 1
                : (R_xlen_t)((double)Rf_xlength(x) / (n > 0.0 ? n : 1.0));
    rs_context ctx = r_context();
    grouping g = read_grouping(block, &ctx);
    r_result out = r_open();
    double *mean = r_add_vector(&out, "mean", d);
    double *fine = r_add_vector(&out, "fine", d);
    double *square = r_add_vector(&out, "square", d);
    double *deviation = r_add_vector(&out, "deviation", d);
    double *largest = r_add_vector(&out, "largest", d);
    double *level_mean =
        g.levels > 0 ? r_add_matrix(&out, "level_mean", g.levels, (int)d)
                     : NULL;
    double *level_fine =
        g.levels > 0 ? r_add_matrix(&out, "level_fine", g.levels, (int)d)
                     : NULL;
    double bad = 0.0, first_entry = NA_REAL, first_column = NA_REAL;
    const entries all = entries_of(x);
    size_t since_poll = 0;

    for (R_xlen_t j = 0; j < d; j++) {
        R_xlen_t from = pointer ? pointer[j] : j * (R_xlen_t)n;
        R_xlen_t to = pointer ? pointer[j + 1] : from + (R_xlen_t)n;
        column_stats s = scan_column(all, from, to, n);
        if (level_mean && s.bad == 0)
            scan_levels(all, from, to, n, &g, level_mean + g.levels * j,
                        level_fine + g.levels * j, &s);
        mean[j] = s.mean;
        fine[j] = s.fine;
        square[j] = s.square;
        deviation[j] = s.deviation;
        largest[j] = s.largest;
        if (s.bad > 0 && bad == 0.0) {
            first_entry = (double)s.first_bad;
            first_column = (double)j;
        }
        bad += (double)s.bad;
        since_poll += (size_t)(to - from);
        if (since_poll > R_ENTRIES_PER_POLL) {
            r_check_status(rs_poll(&ctx), "column statistics");
            since_poll = 0;
        }
    }
    r_add_number(&out, "bad", bad);
    r_add_number(&out, "first_entry", first_entry);
    r_add_number(&out, "first_column", first_column);
    return r_close(&out);
}

/*
 * The slots of a matrix of compressed columns, n x d: 0 when they are as they
 * should be, 1 when the rows of a column are out of order or repeated, -1 when
 * they point outside.
 */
SEXP C_check_sparse(SEXP i, SEXP p, SEXP n_, SEXP d_)
{
    const int n = Rf_asInteger(n_), d = Rf_asInteger(d_);
    const int *row = INTEGER_RO(i), *pointer = INTEGER_RO(p);
    int unordered = 0;
    if (Rf_xlength(p) != (R_xlen_t)d + 1 || pointer[0] != 0)
        return Rf_ScalarInteger(-1);
    for (int j = 0; j < d; j++) /* NA is the smallest int */
        if (pointer[j + 1] < pointer[j])
            return Rf_ScalarInteger(-1);
    if (Rf_xlength(i) != (R_xlen_t)pointer[d])
        return Rf_ScalarInteger(-1);
    for (int j = 0; j < d; j++)
        for (int at = pointer[j]; at < pointer[j + 1]; at++) {
            if (row[at] < 0 || row[at] >= n)
                return Rf_ScalarInteger(-1);
            if (at > pointer[j] && row[at] <= row[at - 1])
                unordered = 1;
        }
    return Rf_ScalarInteger(unordered);
}

/* rows and columns of a piece of a matrix that is looked at from both sides */
#define TILE 64

/* the 1-based column of an entry above the diagonal that no cross-products
 * have, within one tile; 0 when there is none */
static int unsound_in_tile(int d, const double *S, const double *size, int i0,
                           int j0)
{
    const double slack = 1e-6;
    for (int j = j0; j < d && j < j0 + TILE; j++)
        for (int i = i0; i < j && i < i0 + TILE; i++) {
            double a = S[i + (size_t)j * d], b = S[j + (size_t)i * d];
            double bound = size[i] * size[j];
            if (!(fabs(a) <= bound * (1.0 + slack)) ||
                !(fabs(a - b) <= bound * slack))
                return j + 1;
        }
    return 0;
}

/*
 * Can a d x d matrix be cross-products? The first column (1-based) with an
 * entry that is not finite, not the same in both triangles, or larger than
 * (S_ii S_jj)^{1/2}; 0 when there is none.
 */
SEXP C_check_cross_products(SEXP S_)
{
    const int d = Rf_nrows(S_);
    const double *S = REAL_RO(S_);
    rs_context ctx = r_context();
    double *size = (double *)r_need(rs_alloc_double(&ctx, (size_t)d));
    for (int j = 0; j < d; j++) {
        double square = S[j + (size_t)j * d];
        if (!(square >= 0.0) || !R_FINITE(square))
            return Rf_ScalarInteger(j + 1);
        size[j] = sqrt(square);
    }
    for (int j0 = 0; j0 < d; j0 += TILE) {
        for (int i0 = 0; i0 <= j0; i0 += TILE) {
            int column = unsound_in_tile(d, S, size, i0, j0);
            if (column > 0)
                return Rf_ScalarInteger(column);
        }
        r_check_status(rs_poll(&ctx), "moments");
    }
    return Rf_ScalarInteger(0);
}
