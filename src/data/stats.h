/*
 * data/stats.h: what is to be known of data as they are given: means of the
 * columns, sums of squares about them, magnitudes, what is not finite; and
 * whether matrices are what they are said to be.
 */
#ifndef RS_STATS_H
#define RS_STATS_H

#include "base/core.h"

/* n x d: all entries, or, with the column pointers p, those that are not zero;
 * doubles, or whole numbers where `real` is NULL */
typedef struct {
    size_t n, d;
    const double *real;
    const int *whole;
    const int *p; /* d + 1, or NULL */
} rs_stored;

/* a factor of the rows; one level and no codes: all rows */
typedef struct {
    int levels;
    const int *code; /* n: the level of each row, from 1, or NULL */
    const int *row; /* of the stored entries; NULL: all are stored, in order */
    double degrees; /* n - levels that have rows */
    const double *size; /* levels: rows of each */
} rs_stats_levels;

typedef struct {
    /* d: their sum is the mean; fine is too small to be in it */
    double *mean, *fine;
    /* d: of (value - mean) within the levels; 0 or Inf where it leaves the range */
    double *square;
    double *deviation, *largest; /* d; of magnitudes */
    /* levels x d; `mean` and `fine` for one */
    double *level_mean, *level_fine;
    double bad; /* entries that are not finite */
} rs_column_stats;

/* Vectors of `out` are the caller's. */
rs_status rs_column_stats_find(rs_context *ctx, const rs_stored *X,
                               const rs_stats_levels *levels,
                               rs_column_stats *out);

/*
 * Slots of a matrix of compressed columns, n x d: column pointers p and rows, as
 * many of them as `count` says. 0: sound; 1: the rows of a column are out of
 * order or repeated; -1: they, or the pointers, point outside.
 */
int rs_check_slots(int n, int d, size_t pointers, const int *p, size_t count,
                   const int *row);

/*
 * Can S (d x d) be cross-products? *column is the first one (from 1) with an
 * entry that is not finite, not the same in both triangles, or larger than
 * (S_ii S_jj)^{1/2}; 0 when there is none.
 */
rs_status rs_check_cross_products(rs_context *ctx, int d, const double *S,
                                  int *column);

#endif
