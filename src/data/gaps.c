#include "data/gaps.h"

#include <math.h>
#include <string.h>

/* the missing columns of each row, one row after the other */
typedef struct {
    size_t *start;
    int *gap;
} row_gaps;

static size_t count_gaps(int n, int d, const double *X, size_t *count)
{
    size_t all = 0;
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (int j = 0; j < d; j++)
        for (int i = 0; i < n; i++)
            if (isnan(X[i + (size_t)n * j])) {
                count[i]++;
                all++;
            }
    return all;
}

/* counts of rows -> where each begins */
static void counts_to_starts(int rows, size_t *count)
{
    size_t before = 0;
    for (int i = 0; i <= rows; i++) {
        const size_t own = count[i];
        count[i] = before;
        before += own;
    }
}

static rs_status list_rows(rs_context *ctx, int n, int d, const double *X,
                           row_gaps *rows)
{
    rows->start = rs_alloc(ctx, (size_t)n + 1, sizeof *rows->start);
    size_t *at = rs_alloc(ctx, (size_t)n + 1, sizeof *at);
    RS_TRY(rs_allocated(ctx));
    rows->gap = rs_alloc_int(ctx, count_gaps(n, d, X, rows->start));
    RS_TRY(rs_allocated(ctx));
    counts_to_starts(n, rows->start);
    memcpy(at, rows->start, ((size_t)n + 1) * sizeof *at);
    for (int j = 0; j < d; j++)
        for (int i = 0; i < n; i++)
            if (isnan(X[i + (size_t)n * j]))
                rows->gap[at[i]++] = j;
    return rs_poll(ctx);
}

/* patterns with fewer missing columns first, then by their columns */
static int compare(const row_gaps *rows, int a, int b)
{
    const size_t first = rows->start[a + 1] - rows->start[a];
    const size_t second = rows->start[b + 1] - rows->start[b];
    if (first != second)
        return first < second ? -1 : 1;
    for (size_t k = 0; k < first; k++) {
        const int own = rows->gap[rows->start[a] + k];
        const int other = rows->gap[rows->start[b] + k];
        if (own != other)
            return own < other ? -1 : 1;
    }
    return 0;
}

/* row <- 0, ..., n - 1 in the order of their patterns: merges, so that rows of
 * one pattern keep theirs */
static void sort_rows(int n, const row_gaps *rows, int *row, int *other)
{
    for (int i = 0; i < n; i++)
        row[i] = i;
    for (int width = 1; width<n; width = width> n / 2 ? n : 2 * width) {
        for (int from = 0; from < n;) {
            const int middle = width < n - from ? from + width : n;
            const int to = width < n - middle ? middle + width : n;
            int a = from, b = middle;
            for (int at = from; at < to; at++) {
                const int left =
                    a < middle &&
                    (b >= to || compare(rows, row[a], row[b]) <= 0);
                other[at] = left ? row[a++] : row[b++];
            }
            from = to;
        }
        memcpy(row, other, (size_t)n * sizeof *row);
    }
}

static void list_patterns(const row_gaps *rows, rs_gaps *gaps)
{
    size_t columns = 0;
    gaps->patterns = gaps->widest = gaps->tallest = 0;
    for (int at = 0; at < gaps->n; at++) {
        const int own = gaps->row[at];
        if (at > 0 && compare(rows, gaps->row[at - 1], own) == 0)
            continue;
        const size_t count = rows->start[own + 1] - rows->start[own];
        gaps->first[gaps->patterns] = at;
        gaps->start[gaps->patterns++] = columns;
        memcpy(gaps->gap + columns, rows->gap + rows->start[own],
               count * sizeof *gaps->gap);
        columns += count;
        gaps->widest = rs_max_int(gaps->widest, (int)count);
    }
    gaps->first[gaps->patterns] = gaps->n;
    gaps->start[gaps->patterns] = columns;
    for (int p = 0; p < gaps->patterns; p++)
        gaps->tallest = rs_max_int(gaps->tallest, rs_gaps_rows(gaps, p));
}

rs_status rs_gaps_find(rs_context *ctx, int n, int d, const double *X,
                       rs_gaps *gaps)
{
    row_gaps rows;
    RS_TRY(list_rows(ctx, n, d, X, &rows));
    gaps->n = n;
    gaps->d = d;
    gaps->row = rs_alloc_int(ctx, n);
    gaps->first = rs_alloc_int(ctx, (size_t)n + 1);
    gaps->start = rs_alloc(ctx, (size_t)n + 1, sizeof *gaps->start);
    gaps->gap = rs_alloc_int(ctx, rows.start[n]);
    int *other = rs_alloc_int(ctx, n);
    RS_TRY(rs_allocated(ctx));
    sort_rows(n, &rows, gaps->row, other);
    list_patterns(&rows, gaps);
    return rs_poll(ctx);
}

rs_status rs_gaps_by_column(rs_context *ctx, const rs_gaps *gaps,
                            rs_gap_columns *columns)
{
    const int d = gaps->d;
    const size_t all = gaps->start[gaps->patterns];
    columns->start = rs_alloc(ctx, (size_t)d + 1, sizeof *columns->start);
    columns->pattern = rs_alloc_int(ctx, all);
    size_t *at = rs_alloc(ctx, (size_t)d + 1, sizeof *at);
    RS_TRY(rs_allocated(ctx));
    memset(columns->start, 0, ((size_t)d + 1) * sizeof *columns->start);
    for (size_t k = 0; k < all; k++)
        columns->start[gaps->gap[k]]++;
    counts_to_starts(d, columns->start);
    memcpy(at, columns->start, ((size_t)d + 1) * sizeof *at);
    for (int p = 0; p < gaps->patterns; p++)
        for (size_t k = gaps->start[p]; k < gaps->start[p + 1]; k++)
            columns->pattern[at[gaps->gap[k]]++] = p;
    return RS_OK;
}

int rs_gaps_others(int d, int count, const int *some, int *others)
{
    int found = 0, next = 0;
    for (int j = 0; j < d; j++) {
        if (next < count && some[next] == j)
            next++;
        else
            others[found++] = j;
    }
    return found;
}
