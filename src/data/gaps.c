#include "data/gaps.h"

#include <math.h>

#include "base/random.h"
#include "base/select.h"

static int is_gap(const rs_gaps *gaps, const double *X, int i, int j)
{
    return isnan(X[i + (size_t)gaps->n * j]);
}

static int have_same_gaps(const rs_gaps *gaps, const double *X, int a, int b)
{
    for (int j = 0; j < gaps->d; j++)
        if (is_gap(gaps, X, a, j) != is_gap(gaps, X, b, j))
            return 0;
    return 1;
}

/* key (n): rows of one pattern have the same, those with fewer missing columns
 * larger ones; returns how many entries are missing */
static size_t find_keys(const rs_gaps *gaps, const double *X, double *key)
{
    size_t all = 0;
    for (int i = 0; i < gaps->n; i++) {
        double count = 0.0, sum = 0.0;
        for (int j = 0; j < gaps->d; j++)
            if (is_gap(gaps, X, i, j)) {
                count += 1.0;
                sum += rs_quasi_number((size_t)j);
            }
        all += (size_t)count;
        key[i] = sum / (2.0 * count + 1.0) - count;
    }
    return all;
}

/* rows in their order, where a new pattern begins whenever the gaps change */
static void list_patterns(const double *X, const double *key, rs_gaps *gaps)
{
    size_t columns = 0;
    gaps->patterns = gaps->widest = gaps->tallest = 0;
    for (int at = 0; at < gaps->n; at++) {
        const int own = gaps->row[at];
        if (at > 0 && key[own] == key[gaps->row[at - 1]] &&
            have_same_gaps(gaps, X, own, gaps->row[at - 1]))
            continue;
        gaps->first[gaps->patterns] = at;
        gaps->start[gaps->patterns++] = columns;
        for (int j = 0; j < gaps->d; j++)
            if (is_gap(gaps, X, own, j))
                gaps->gap[columns++] = j;
    }
    gaps->first[gaps->patterns] = gaps->n;
    gaps->start[gaps->patterns] = columns;
    for (int p = 0; p < gaps->patterns; p++) {
        gaps->widest = rs_max_int(gaps->widest, rs_gaps_columns(gaps, p));
        gaps->tallest = rs_max_int(gaps->tallest, rs_gaps_rows(gaps, p));
    }
}

rs_status rs_gaps_find(rs_context *ctx, int n, int d, const double *X,
                       rs_gaps *gaps)
{
    double *key = rs_alloc_double(ctx, n);
    RS_TRY_ALLOC(key);
    gaps->n = n;
    gaps->d = d;
    gaps->row = rs_alloc_int(ctx, n);
    gaps->first = rs_alloc_int(ctx, (size_t)n + 1);
    gaps->start = rs_alloc(ctx, (size_t)n + 1, sizeof *gaps->start);
    gaps->gap = rs_alloc_int(ctx, find_keys(gaps, X, key));
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < n; i++)
        gaps->row[i] = i;
    rs_sort_indices(key, n, gaps->row);
    list_patterns(X, key, gaps);
    return rs_poll(ctx);
}
