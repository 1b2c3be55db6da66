/*
 * data/stats.h: what is to be known of columns before they are centred, in two
 * passes: means, sums of squares about them, magnitudes, and what is not finite.
 */
#ifndef RS_STATS_H
#define RS_STATS_H

#include "base/core.h"

/* doubles, or whole numbers where `real` is NULL */
typedef struct {
    const double *real;
    const int *whole;
} rs_entries;

/* n x d: all entries, or, with the column pointers p, those that are not zero */
typedef struct {
    size_t n, d;
    rs_entries x;
    const int *p; /* d + 1, or NULL */
} rs_stored;

/* a factor of the rows */
typedef struct {
    int levels;
    const int *code; /* n: the level of each row, from 1 */
    const int *row; /* of the stored entries; NULL: all are stored, in order */
    double degrees; /* n - levels that have rows */
    const double *size; /* levels: rows of each */
} rs_stats_levels;

typedef struct {
    double *mean, *fine; /* d: their sum is the mean; fine is too small to
                               * be in it */
    double *square;      /* d: of (value - mean); 0 or Inf where it leaves
                               * the range of doubles */
    double *deviation;   /* d */
    double *largest;     /* d: magnitude */
    double *level_mean, *level_fine;  /* levels x d, or NULL */
    double bad;                       /* entries that are not finite */
    size_t first_entry, first_column; /* of the first one, where bad > 0 */
} rs_column_stats;

/*
 * With levels (or NULL) squares and deviations are those within them, and
 * level_mean and level_fine belong to them. Vectors of `out` are the caller's.
 */
rs_status rs_column_stats_find(rs_context *ctx, const rs_stored *X,
                               const rs_stats_levels *levels,
                               rs_column_stats *out);

#endif
